"""Extras that can be added to contracts, and the tariffs."""

from __future__ import annotations

from collections.abc import Iterator

from ..contracts import Endorsement, InstalmentTariff, MileageTariff, SumTariff
from ..rules import LINES, PRODUCTS, products_of
from ..servicing import ENDORSEMENTS, HOME_SUMS, INSTALMENTS, MILEAGE, ZONES
from .phrases import euro, listing, long_day, month, next_edition, sentence, span

_BEGINS = {
    "next_day": "on the day after it is added",
    "next_month": "on the first day of the month after it is added",
    "next_period": "with the next insurance year, on its first day",
}
_NEEDS = {
    "flood_class": "the home is in flood class {n} or lower",
    "sum_insured": "the sum insured of the contract is at least {euro}",
    "no_claims_years": "the contract has at least {n} no-claims years",
    "vehicle_age": "the car is no more than {n} years old",
    "pet_age": "the animal is no more than {n} years old",
}
# What an extra is good for, beyond its title; and what it leaves out.
_ABOUT = {
    "glass": ("A pane is broken in a second and dear to replace, because it has to be made to measure.", "Scratched glass, mirrors that hang loose and glass that was broken before are left out."),
    "nature": ("The water that comes from outside is not part of any of our household terms. This extra closes the gap.", "Storm surges and rising damp are left out. There is no waiting period."),
    "jewellery": ("As far as valuables are concerned, the terms end at the front door. Who wears them outside needs this extra.", "Loss without theft, and jewellery in checked baggage, are left out."),
    "office": ("A desk at home often holds things that belong to an employer.", "Stock, money and data are left out."),
    "roadside": ("Help comes day and night, in this country and in its neighbours.", "Spare parts and fuel are left out; the work at the roadside is included."),
    "noclaims": ("A claim costs years without claims, and with them a cheap premium. This extra keeps them once a year.", "The years are not protected when the contract goes to another insurer."),
    "young": ("Without this extra, every claim with a driver under 23 is met with questions.", "Drivers with a provisional licence are left out."),
    "lease": ("After a total loss, leases ask for more than the car was worth.", "Late instalments and fees of the lease are left out."),
    "winter": ("For skis and boards, and for days on which no lift is running.", "Races and off-piste rides without a guide are left out."),
    "hirecar": ("Hire firms charge the first thousand or more themselves. This extra gives it back.", "Tyres, roofs and wrong fuel are left out. Motor caravans are not hire cars."),
    "anyreason": ("The widest answer to the question what happens if I simply do not want to go.", "Journeys that cost less than €200 are left out."),
    "dental": ("Old teeth are dear. The terms know teeth only after an accident or with a limit.", "Crowns, braces and milk teeth are left out."),
    "therapy": ("After an operation, and for old joints.", "Swimming without a therapist and dog schools are left out."),
    "abroad": ("For those who take what they love along.", "Stays that were planned for longer are left out from the first day."),
    "accessories": ("Bags, lights and seats are quickly unscrewed.", "Clothes, helmets and what was in the bags are left out."),
    "breakdown": ("A flat tyre far from home is the most frequent call of all.", "Punctures within five kilometres of home are left out."),
    "second": ("One contract for two devices of a household.", "Devices of people outside the household are left out. The limits of the terms hold for both devices together."),
}  # fmt: skip


def extras() -> Iterator[tuple[str, str]]:
    """The id and text of every edition of every extra."""
    for editions in ENDORSEMENTS:
        for edition in editions:
            yield edition.document, (_new(edition) if edition.end is None else _old(edition))


def _prices(extra: Endorsement) -> str:
    return listing([f"{PRODUCTS[product]} {euro(price)}" for product, price in extra.prices.items()])


def _needs(extra: Endorsement) -> str | None:
    if extra.needs is None:
        return None
    detail, _, number = extra.needs
    return _NEEDS[detail].format(n=number, euro=euro(number))


def _not_for(extra: Endorsement) -> list[str]:
    return [PRODUCTS[product] for product in products_of(extra.line) if product not in extra.prices]


def _old(extra: Endorsement) -> str:
    about, left_out = _ABOUT[extra.slug]
    needs = f" It can be had where {_needs(extra)}." if extra.needs else ""
    missing = _not_for(extra)
    without = f" It does not go with {listing(missing, 'or')}." if missing else ""
    return (
        f"# Extra: {extra.title} ({LINES[extra.line]}), {month(extra.start)}\n\n"
        f"*Sold {span(extra.start, extra.end)}. For extras added later, see the edition of {next_edition(extra.end)}.*\n\n"
        f"{about} The extra insures {extra.covers}.\n\n"
        f"The yearly price is, by product: {_prices(extra)}.{without}{needs}\n\n"
        f"The cover begins {_BEGINS[extra.begins]}. The extra is entered under the code {extra.code} and lasts as long "
        f"as the contract. Its price stays what it was on the day on which it was added, until the insurer raises the "
        f"prices of all extras of the line.\n\n{left_out}\n"
    )


def _new(extra: Endorsement) -> str:
    about, left_out = _ABOUT[extra.slug]
    rows = "\n".join(f"| {PRODUCTS[product]} | {euro(price)} |" for product, price in extra.prices.items())
    missing = _not_for(extra)
    if not missing:
        cannot = "It goes with all products of the line."
    else:
        cannot = f"{listing(missing)} cannot have it: refuse it and say so."
    needs = f" It can be added only where {_needs(extra)}. Otherwise it is refused." if extra.needs else ""
    return f"""# Extra: {extra.title} ({LINES[extra.line]})

> Sold since {long_day(extra.start)}. What holds is the edition of the day on which the extra is added.

{about} The extra insures {extra.covers}.

## Who can have it

| product | price a year |
|---|---|
{rows}

{cannot}{needs}

## How it is added

Enter it with `add_extra` under the code **{extra.code}**, with the price of the contract's own product. The cover begins {_BEGINS[extra.begins]}. The price is charged with the next premium; you need not change the premium yourself. An extra that a contract has already is not added twice.

## Left out

{sentence(left_out)}
"""


def tariffs() -> Iterator[tuple[str, str]]:
    """The id and text of every tariff."""
    for instalments in INSTALMENTS:
        yield instalments.document, _instalments(instalments)
    for sums in HOME_SUMS:
        yield sums.document, _sums(sums)
    for mileage in MILEAGE:
        yield mileage.document, _mileage(mileage)
    for start, end, zones in ZONES:
        rows = "\n".join(f"- Zone {zone}: post codes that begin with {listing(codes)}" for zone, codes in zones.items())
        yield (
            f"tariff-home-zones-{start:%Y-%m}",
            (
                f"# Zones for household contents, {month(start)}\n\n"
                f"*{_in_force(start, end)}*\n\n"
                "What household contents cost depends on where the home is: on burglaries, storms and burst pipes of the "
                "last ten years. The first two digits of the post code decide.\n\n"
                f"{rows}\n- Zone B: all others\n\n"
                "When a customer moves, the zone of the new address holds from the day of the change, with the sum insured "
                "left as it is. Premium and zone are entered together, by way of `change_sum_insured` with the old sum. The "
                "rates stand in the tariff on sums insured.\n"
            ),
        )


def _in_force(start: object, end: object) -> str:
    return f"In force {span(start, end)}." if end is None else f"In force {span(start, end)}; replaced since."  # type: ignore[arg-type]


def _instalments(tariff: InstalmentTariff) -> str:
    names = {"half_yearly": "twice a year", "quarterly": "four times a year", "monthly": "every month"}
    rows = "\n".join(f"| {names[key]} | {percent} % |" for key, percent in tariff.surcharges.items())
    free = (
        f"Contracts of the {'lines' if len(tariff.free) > 1 else 'line'} {listing([LINES[line] for line in tariff.free])} are free of the surcharge."
        if tariff.free
        else "The surcharge is the same in all lines."
    )
    return (
        f"# Tariff: paying in instalments, {month(tariff.start)}\n\n*{_in_force(tariff.start, tariff.end)}*\n\n"
        "Premiums are worked out for a year and are due on the first day of the insurance year. Who pays in parts pays "
        "a little more:\n\n| paid | surcharge |\n|---|---|\n"
        f"{rows}\n\nOnce a year: no surcharge. {free}\n\n"
        "One instalment is the annual premium with the surcharge, divided by the number of payments and rounded to full "
        "cents. The annual premium itself stays what it is. The interval can be changed at any time and holds from the "
        "next payment on; it is entered with `change_payment_interval`.\n"
    )


def _sums(tariff: SumTariff) -> str:
    rows = "\n".join(
        f"| {PRODUCTS[product]} | {euro(rates['A'])} | {euro(rates['B'])} | {euro(rates['C'])} |"
        for product, rates in tariff.rates.items()
    )
    return (
        f"# Tariff: sums insured for household contents, {month(tariff.start)}\n\n*{_in_force(tariff.start, tariff.end)}*\n\n"
        "The price of household contents, in euros a year for each €1,000 of the sum insured:\n\n"
        f"| product | zone A | zone B | zone C |\n|---|---|---|---|\n{rows}\n\n"
        "The annual premium is the rate times the sum insured, divided by 1,000. A new sum is worked out as a whole by "
        "the tariff of today, not only the part that is added. Extras are charged on top and are not part of it. In "
        "which zone a home is stands in the list of zones.\n\n"
        "The sum insured should be what it would cost to buy everything anew. It can be raised or lowered at any time, "
        "in steps of €1,000, from €10,000 to €150,000.\n"
    )


def _mileage(tariff: MileageTariff) -> str:
    rows = "\n".join(f"| up to {top:,} km | {percent} % |" for top, percent in tariff.bands)
    last = tariff.bands[-1][0]
    return (
        f"# Tariff: motor premiums by distance, {month(tariff.start)}\n\n*{_in_force(tariff.start, tariff.end)}*\n\n"
        "Who drives much has more accidents. The base premium of a motor contract is therefore multiplied by a "
        "percentage for the distance of a year:\n\n"
        f"| distance a year | of the base premium |\n|---|---|\n{rows}\n| more than {last:,} km | {tariff.above} % |\n\n"
        "The base premium stands in the contract and does not change with the distance. A customer who drives more or "
        "less than was agreed tells us, and the new annual premium holds from the day of the change. It is entered with "
        "`change_mileage` and rounded to full cents. The distance is that of all drivers together.\n"
    )
