"""Claims sheets, and the general instructions on deciding and working out a claim."""

from __future__ import annotations

from collections.abc import Iterator

from ..rules import LINES, ClaimsSheet
from ..servicing import SHEETS
from .phrases import EVIDENCE, PERILS, euro, listing, long_day, month, next_edition, sentence

_START = {
    "home": "A burst pipe or an open window at night: the household desk hears of it first by telephone, and the papers follow.",
    "motor": "Nearly every motor claim begins at the roadside. Ask what happened before you ask for papers.",
    "travel": "Travel claims arrive when the journey is over: a delayed train, a lost suitcase, a doctor abroad, often with every receipt of three weeks in one envelope.",
    "pet": "The invoice of a vet is the heart of a pet claim. It has to name the animal and the diagnosis.",
    "cycle": "A stolen bicycle is gone within minutes, and so are the traces. Speed decides whether it is found.",
    "gadget": "Most damage to devices is small and happens at home. Customers expect an answer within days.",
}
_CARE = {
    "home": "Keep damaged things until the claim is closed. Emergency repairs that stop further damage need no leave from us.",
    "motor": "The customer may choose the workshop. Towing to the nearest one is part of the loss.",
    "travel": "Amounts in another currency are converted at the rate of the day on which they were paid.",
    "pet": "A treatment that was planned before the cover began is none of our business, whatever the invoice says.",
    "cycle": "The frame number on the receipt has to be that of the contract.",
    "gadget": "The serial number on the estimate has to be that of the contract.",
}


def sheets() -> Iterator[tuple[str, str]]:
    """The id and text of every claims sheet."""
    for editions in SHEETS.values():
        for position, sheet in enumerate(editions):
            yield sheet.document, (_old_sheet, _old_sheet, _sheet)[position](sheet)


def _title(sheet: ClaimsSheet) -> str:
    return f"# Claims sheet {LINES[sheet.line]}, {month(sheet.start)}"


def _old_sheet(sheet: ClaimsSheet) -> str:
    known = PERILS[sheet.line]
    lines = [
        _title(sheet),
        "",
        f"*In use from {long_day(sheet.start)} to {long_day(sheet.end)}.* " if sheet.end else "",
    ]
    lines[-1] += (
        f"Since {next_edition(sheet.end)} there is a newer sheet, which is the one to work with." if sheet.end else ""
    )
    lines += ["", _START[sheet.line], ""]
    lines += [
        f"**Reporting.** A loss has to be reported within {sheet.deadline} days. If it is reported later, "
        f"{sheet.late} % are taken off the settlement.",
        "",
        "**Papers.** The following has to be there before anything is paid:",
        "",
    ]
    lines += [
        f"- {known[peril][0]}: {listing([EVIDENCE[item] for item in items])}" for peril, items in sheet.evidence.items()
    ]
    lines += ["", "For everything else the report of the loss is enough.", ""]
    if sheet.adjuster_from is not None:
        lines += [
            f"**Large losses.** From {euro(sheet.adjuster_from)} on, a loss adjuster looks at the damage first.",
            "",
        ]
    lines += [f"**Mind.** {_CARE[sheet.line]}", ""]
    return "\n".join(lines)


def _sheet(sheet: ClaimsSheet) -> str:
    known = PERILS[sheet.line]
    lines = [
        _title(sheet),
        "",
        f"> In use since {long_day(sheet.start)}, for every claim that is decided from then on.",
        "",
    ]
    lines += [_START[sheet.line], "", "## When it has to be reported", ""]
    lines += [
        f"Within **{sheet.deadline} days** of the event; the day of the event does not count. For a later report, "
        f"{sheet.late} % are taken off what the settlement comes to in the end. A late report is never a ground for a "
        "rejection.",
        "",
        "## What has to be handed in",
        "",
        "| claim | papers |",
        "|---|---|",
    ]
    lines += [
        f"| {known[peril][0]} | {listing([EVIDENCE[item] for item in items])} |"
        for peril, items in sheet.evidence.items()
    ]
    free = [known[peril][0].lower() for peril in known if peril not in sheet.evidence]
    if free:
        lines += ["", f"{sentence(listing(free))}: the report of the loss is enough."]
    lines += [
        "",
        "If a paper is missing, ask for exactly those that are missing, with `request_evidence`. Do not settle meanwhile.",
        "",
    ]
    if sheet.adjuster_from is not None:
        lines += [
            "## Large losses",
            "",
            f"If the loss is {euro(sheet.adjuster_from)} or more and all papers are there, a loss adjuster is sent, and "
            "nobody settles at the desk. Firms and code stand in the work instruction on loss adjusters.",
            "",
        ]
    lines += [
        "## Mind",
        "",
        f"{_CARE[sheet.line]} How a claim is decided and worked out is the same for all lines and stands in the work instructions on deciding claims and on working out a settlement.",
        "",
    ]
    return "\n".join(lines)


def instructions() -> Iterator[tuple[str, str]]:
    """The id and text of the work instructions that hold for the claims of all lines."""
    yield "instruction-deciding-claims-2022-01", _DECIDING_OLD
    yield "instruction-deciding-claims-2025-01", _DECIDING
    yield "instruction-settlement-2022-01", _SETTLEMENT_OLD
    yield "instruction-settlement-2024-06", _SETTLEMENT
    yield "rule-which-edition-2022-01", _WHICH_OLD
    yield "rule-which-edition-2024-03", _WHICH


_DECIDING_OLD = """# Work instruction: deciding a claim (2022)

*In use from 1 January 2022 to 31 December 2024. Replaced by the instruction of January 2025.*

The desk decides a claim in four steps.

First the papers: where one is missing, the file is laid aside for a fortnight and then rejected, without another letter.

Then the cover: the terms in hand say whether the event is insured. Where the waiting period has not run out, half of the loss may be offered.

Then the conditions: a condition that was missed by a little, such as two days or one degree of wind, may be passed over up to a loss of €300.

Last the amount, by the instruction on settlements. A loss that does not reach the deductible is closed without a decision.

Late reports are rejected when they come more than three months after the event.
"""
_DECIDING = """# Work instruction: deciding a claim

> In use since 1 January 2025, for the claims of all lines.

Take the steps in this order. The first one that says stop decides the claim, and later steps are not looked at.

1. **Is the event insured?** Find the edition of the terms that holds (see the rule on which edition holds). If the event is not among those that are insured, reject the claim with the ground `not_insured`.
2. **Has the waiting period run out?** It counts from the beginning of the cover. One of a month that begins on 8 March is over when 8 April begins: an event on 8 April is insured, one on 7 April is not. If it has not run out: `waiting_period`.
3. **Are the conditions of this cover met?** They stand with the cover, and the facts stand in the claim. A condition that is missed by a little is missed. Ground: `condition_not_met`.
4. **Are the papers there?** Compare the claims sheet of the line with the claim. Ask for what is missing with `request_evidence`, and for nothing else.
5. **Is it a large loss?** From the amount of the claims sheet on, an adjuster is sent instead of a settlement.
6. **What does it come to?** See the instruction on working out a settlement. If nothing is left after the deductible, reject with the ground `below_deductible`; else settle.

Bulletins may set aside one of these steps for a region or a time. Look whether there is one for the day of the event before you reject or settle.

A decision is explained to the customer with the fact that it rests on. Nobody decides twice: a claim that was decided needs the instruction on reopening.
"""
_SETTLEMENT_OLD = """# Work instruction: working out a settlement (2022)

*In use from 1 January 2022 to 31 May 2024. Replaced by the instruction of June 2024.*

1. Take the loss as it was established.
2. If the loss is above the limit of the cover, take the limit instead.
3. Take off the deductible.
4. Where the terms let only a share of the loss count, take this share of what is left.
5. Round down to full euros.

Example: loss €1,900, limit €1,500, deductible €100. The settlement is €1,400.

A late report is dealt with at the end, by the claims sheet of the line.
"""
_SETTLEMENT = """# Work instruction: working out a settlement

> In use since 1 June 2024, for the claims of all lines and whatever edition of the terms holds.

The order of the steps matters. It was turned round in 2024 to the customers' advantage.

1. Begin with the loss as it stands in the claim.
2. **Share.** Where the terms say that only a part of the loss counts, take this part.
3. **Deductible.** Take it off. A deductible in percent is worked out from the whole loss; where the terms name a least amount, the larger of the two is taken off. Where a cover names a deductible of its own, it takes the place of the general one.
4. **Limit.** If more than the limit is left, pay the limit. A limit for an insurance year is first lessened by what was paid for the same cover in this insurance year; the contract shows it. A limit in percent of the sum insured is worked out from the contract.
5. **Late report.** Take off the percentage of the claims sheet, if the report came late.
6. Round to full cents.

Example: loss €1,900, limit €1,500, deductible €100. 1,900 less 100 is 1,800; the settlement is €1,500.

Second example: a pet's operation for €2,000, of which 80 % count, with a deductible of €50. 80 % of 2,000 are 1,600, less 50 is 1,550; the settlement is €1,550.
"""
_WHICH_OLD = """# Rule: which edition of a document holds (2022)

*In force from 1 January 2022 to 29 February 2024. Replaced by the rule of March 2024.*

For the terms of every product, the edition in force **on the day of the loss** holds. A customer who renews therefore always has the newest terms.

For pets the edition in force on the day of the invoice holds.

For claims sheets, notice periods and tariffs, the edition in force on the day on which the contract began holds, as long as the contract lasts. Who asks for the newest ones gets them with the next renewal.

In doubt, the edition that is better for the customer is taken, and the clerk writes down why.
"""
_WHICH = """# Rule: which edition of a document holds

> In force since 1 March 2024.

Our documents are replaced from time to time, and the old ones stay in the library because cases still need them. The first lines of each document say for what days it holds.

**Terms of a product.** What holds is the edition in force on the first day of the insurance year in which the event falls. An insurance year begins on the day and month on which the cover began, and lasts until the day before the next one. So a contract that began on 1 May keeps, on 10 July 2025, the terms of 1 May 2025, even if a newer edition has appeared on 1 July.

Two exceptions:

- **Trip Single**: the edition in force on the day on which the contract was concluded.
- **Paws Surgery, Paws Care and Paws Care Plus**: the edition in force on the day on which the cover of the animal began, for the animal's whole life. Renewals change nothing.

**Everything that says how we work**, whatever the age of the contract: claims sheets, cancellation sheets, work instructions, tariffs, zones, extras and bulletins. Here the edition holds that is in force on the day on which you act. An older one is never used, not even for an event that happened in its time.

Where two documents seem to contradict each other, a bulletin goes before a work instruction, and a work instruction before a product guide. Guides are advertising and decide nothing.
"""
