"""Bulletins, which set a rule aside for a while, and product guides, which decide nothing."""

from __future__ import annotations

from collections.abc import Iterator


def bulletins() -> Iterator[tuple[str, str]]:
    """The id and text of every bulletin."""
    yield from _BULLETINS.items()


def guides() -> Iterator[tuple[str, str]]:
    """The id and text of every product guide."""
    yield from _GUIDES.items()


_BULLETINS = {
    "bulletin-2024-03-storm-ottokar": """# Bulletin 2024/03: storm Ottokar

*In force from 20 November 2024 to 30 June 2025. Expired.*

In the night of 17 to 18 November 2024 storm Ottokar took the roofs off whole streets. For customers in the regions whose post codes begin with 44 or 45 the deductible of storm claims is waived, for all products of the line Household.

The condition of a least wind force is looked upon as met in these regions; nobody has to prove it.

Who lives elsewhere is helped by the terms alone. After 30 June 2025 nothing is waived any more, not even for late reports.
""",
    "bulletin-2026-02-storm-irma": """# Bulletin 2026/02: storm Irma

> In force from 12 February 2026 to 30 April 2026.

Storm Irma crossed the north from 10 to 13 February 2026. Our customers there have lost roofs, fences and windows, and they shall not count their money twice.

For storm claims with an event on one of these four days, the deductible is **waived** for **Home Comfort** and **Home Plus**, where the post code of the customer begins with **41, 42 or 44**. For Home Basic nothing is waived, and neither is it for motor contracts.

This is about the deductible only. The other steps of deciding a claim stay as they are, papers included. Enter the waiver by the work instruction on waiving a deductible before you settle.
""",
    "bulletin-2026-01-frost": """# Bulletin 2026/01: the frost of January

> In force from 20 January 2026 to 31 May 2026.

From 6 to 14 January 2026 the temperature stayed below minus fifteen degrees. Many pipes burst in homes whose owners could not travel back because trains stood still.

For claims on **escape of water** with an event on one of these days, the condition on how long a home may have stood empty is set aside, for **Home Basic** and **Home Comfort**. Home Plus does not need it: its terms allow ninety days.

The deductible is not touched, and papers and deadlines stay as they are.
""",
    "bulletin-2026-03-post": """# Bulletin 2026/03: strike at the post office

> In force from 1 March 2026 to 31 May 2026, for all lines.

From 9 to 27 February 2026 hardly any letter arrived. Who reported a loss by letter cannot be blamed for it.

For events from **2 to 27 February 2026** the deadline for reporting is longer by **12 days**, in every line. A report that comes within the longer deadline is in time, and nothing is taken off.

A stamp or a witness is not needed. This is no waiver of the deadline: after it, the percentage of the claims sheet is taken off as always.
""",
    "bulletin-2025-11-skylark": """# Bulletin 2025/11: Skylark Air has stopped flying

> In force from 24 November 2025 to 30 June 2026.

Skylark Air has been insolvent since 21 November 2025. The terms of our travel products do not know the insolvency of a carrier as a reason for cancelling.

Out of fairness, we treat it as an insured reason for **Trip Annual and Trip Family**, if the flight was booked **before 1 November 2025**. Deductible and papers are those of an ordinary cancelled trip, and so is the longest duration. Later bookings are not insured, because the danger was in every newspaper.

For **Trip Single** nothing changes: the insolvency of a carrier is not an insured reason. Point to the insolvency fund of the airlines.
""",
    "bulletin-2025-09-voltara": """# Bulletin 2025/09: recall of Voltara batteries

> In force since 15 September 2025, until it is withdrawn.

The maker Voltara has recalled the battery **PowerTube 500** of the years 2022 and 2023, because it may catch fire. The maker replaces each of these batteries free of charge.

A claim on a battery of this kind under **Cycle Electric** is not settled, whatever it died of: reject it with the ground `not_insured` and send the customer to the maker. Other damage that the battery does to the bicycle is insured like a fall or an accident.

Batteries of other makers, and the PowerTube 625, are not recalled. For them the terms hold.
""",
    "bulletin-2023-07-hail": """# Bulletin 2023/07: hail in the south

*In force from 10 July 2023 to 31 December 2023. Expired.*

After the hail of 8 July 2023, windscreens are replaced by our partner workshops without a deductible under Drive Partial and Drive Full. The customer has nothing to lay out.

Dents are looked at in the hail tents of the fairgrounds. Appointments are given out by telephone.

Customers with Drive Liability can use the tents as well and pay for themselves. From 1 January 2024 on, glass is again settled by the terms and nothing else.
""",
    "bulletin-2025-06-vets": """# Bulletin 2025/06: new fees for vets

> For information. In force since 1 June 2025.

The official scale of fees for vets has risen by about a fifth. Nothing changes in what our products pay: a share of the invoice stays a share of the invoice, and a limit stays a limit.

Customers ask whether they can change from Paws Surgery to Paws Care. They can, as if they were new: with the terms of the day, and with all waiting periods from the beginning. An existing illness is not insured in the new product. Advise nobody to do so who has not asked.
""",
}

_GUIDES = {
    "guide-home": """# Product guide Household

*Advertising for customers, edition of autumn 2024. What decides is the terms.*

Three products, three ways of living. **Home Basic** is for the first flat of one's own: fire, water, storm and burglars, at a small price. **Home Comfort** is what most of our customers choose, because it thinks of the bicycle and of the bag on the back seat as well. **Home Plus** leaves hardly anything open.

Many ask us for the deductible. With Home Plus there is none at all in most cases, with Home Comfort it is a good hundred euros, and with Home Basic a little more.

Bicycles are insured with us up to €1,000 in Home Comfort and up to €2,500 in Home Plus. Pieces of glass can be added to the smaller products, and whoever lives near a river thinks of natural hazards.

Moving house? You take your contract along. Tell us the new address, and we work out what it costs there.
""",
    "guide-motor": """# Product guide Motor

*Advertising for customers, edition of spring 2025. What decides is the terms.*

The law wants liability; everything else is your decision. **Drive Liability** is for the car that has served for long. **Drive Partial** adds thieves, hail, martens and deer. **Drive Full** pays even when you yourself have not looked.

Glass is mended with us for a small deductible, and a marten is not the end of the world: Drive Partial pays up to €2,000 and Drive Full up to €3,000.

Those who drive less pay less: up to 5,000 km a year you pay eighty per cent of the base premium. And those who have driven for long without a claim can protect their years.

In winter the convertible may rest. Lay it up, and a part of the premium is credited.
""",
    "guide-travel": """# Product guide Travel

*Advertising for customers, edition of winter 2024. What decides is the terms.*

For one journey there is **Trip Single**, for all of them **Trip Annual**, and for all of us **Trip Family**.

If something comes between, we pay the cancellation costs: illness, a death in the family, and since this winter also the loss of a job. Baggage is insured up to €1,500, €2,000 and €3,500. When the train stands still, a hot meal is on us.

Abroad, ill people are in good hands. Our emergency number knows doctors in a hundred countries and speaks with them.

Journeys of up to eight weeks are insured under Trip Annual, and of up to ten under Trip Family. Does it take longer? Ask us before it ends.
""",
    "guide-pet": """# Product guide Pets

*Advertising for customers, edition of summer 2025. What decides is the terms.*

An operation on a knee costs as much as a holiday. **Paws Surgery** pays operations. **Paws Care** pays the vet's daily work as well, and **Paws Care Plus** pays nearly everything and the vaccination too.

What you sign today stays with your animal for life: we do not make the terms worse for old animals, and we do not end contracts because of an illness.

For new animals the waiting periods are short: one month for operations, and none after an accident. Those who have been with us for longer have the waiting periods of their own terms, which are long over anyway.

Surgery pays up to €4,000, Care up to €6,000 and Care Plus up to €12,000 for operations in a year, if your contract is of 2025 or later.
""",
    "guide-cycle": """# Product guide Bicycles

*Advertising for customers, edition of spring 2025. What decides is the terms.*

A bicycle is stolen every two minutes. **Cycle City** insures what you pedal yourself, **Cycle Electric** what pedals along.

A good lock is half of the insurance: it should cost forty euros at least, and sixty for an electric bicycle. Lock the bicycle to something that stays where it is. Since 2024 it does not matter to us whether it stands outside at night.

The battery of an electric bicycle is insured for three years, up to €500. Bags and lights can be added, and so can help on the road.

Sold your bicycle? Then the contract ends on the same day.
""",
    "guide-gadget": """# Product guide Devices

*Advertising for customers, edition of summer 2024. What decides is the terms.*

Screens break. **Gadget Basic** shares the repair with you, and **Gadget Plus** pays it, apart from a small deductible. Only Gadget Plus pays when the device is stolen.

We insure devices that are up to three years old in Gadget Basic and up to four in Gadget Plus. Coffee is a liquid too, and our experience with it is long.

After a repair you have your device back within a week. If it cannot be repaired, Gadget Plus gives you a new one and Gadget Basic one as good as new.

The contract runs for two years, and then until you end it.
""",
    "glossary": """# Glossary

*Words as we use them in all documents.*

**Beginning of the cover**: the first day on which something is insured. **Concluded**: the day on which the contract was signed, often some weeks before. **Insurance year**: twelve months from the beginning of the cover, and again from each anniversary.

**Deductible**: what the customer bears of each claim. **Limit**: the most that is paid. **Sum insured**: what household contents are worth, as agreed. **Share**: the part of a loss that counts.

**Event**: what happened, and **day of the event** when. **Loss**: what it cost, as established in the claim. **Settlement**: what we pay of it.

**Extra**: cover that is added to a contract for a price of its own. **Annual premium**: the price without extras and without a surcharge for instalments. **Base premium**: for cars, the premium before the distance is taken into account.

**Edition**: a document as it was in force in certain days. **Bulletin**: an exception for a time. **Work instruction**: how we do a thing, with the code that it needs.

**Lapsed**: a contract that has ended because premiums were not paid. **Cancelled**: one that somebody has ended.
""",
}
