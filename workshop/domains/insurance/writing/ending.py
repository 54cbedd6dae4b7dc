"""The end of contracts: cancellation sheets by line, and revocation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from ..contracts import CancellationRule
from ..rules import LINES, plus_months
from ..servicing import CANCELLATIONS, REVOCATION_DAYS
from .phrases import long_day, month, months, next_edition, span

_TO = {
    "period_end": "the last day of an insurance year",
    "month_end": "the last day of a calendar month",
    "any_day": "any day",
}
_GONE = {
    "home": "When a household is given up because its owner dies or moves in with somebody who has a contract with us, the contract ends on the day on which the home is handed over.",
    "motor": "A car that is sold, scrapped or stolen for good ends the contract on the day on which it is taken off the register.",
    "travel": "Trip Annual and Trip Family end on the day on which the customer moves abroad for good. Trip Single ends with the journey by itself and cannot be cancelled by notice; there is only the right of revocation.",
    "pet": "When the animal dies or is given away, the contract ends on that very day.",
    "cycle": "When the bicycle is sold, the contract ends on the day of the sale. After a theft that we have settled it ends on the day of the theft.",
    "gadget": "When a device is sold or cannot be repaired any more, the contract ends on that day.",
}
_WORD = {
    "home": "Many customers cancel because they move. A move alone ends nothing: the contract goes along to the new address.",
    "motor": "Customers who buy another car need not cancel; the contract can go on with the new one.",
    "travel": "A journey that is under way is insured to its end, even if the contract ends meanwhile.",
    "pet": "Cancelling a pet's cover cannot be undone, because a new contract would have new waiting periods. Say so before you do it.",
    "cycle": "A customer with a new bicycle can put it into the old contract with its frame number.",
    "gadget": "A customer with a new device can put it into the old contract with its serial number.",
}


def sheets() -> Iterator[tuple[str, str]]:
    """The id and text of every cancellation sheet, and of the sheets on revocation."""
    for editions in CANCELLATIONS.values():
        old, new = editions
        yield old.document, _old(old)
        yield new.document, _new(new)
    for start, end, days in REVOCATION_DAYS:
        text = _REVOCATION if end is None else _REVOCATION_OLD
        head = (
            f"> In force since {long_day(start)}." if end is None else f"*In force {span(start, end)}; replaced since.*"
        )
        yield f"rule-revocation-{start:%Y-%m}", text.format(head=head, days=days)


def _old(rule: CancellationRule) -> str:
    text = (
        f"# Cancellation sheet {LINES[rule.line]}, {month(rule.start)}\n\n"
        f"*In force {span(rule.start, rule.end)}. The sheet of {next_edition(rule.end)} has taken its place.*\n\n"
        f"{_GONE[rule.line]}\n\n"
        f"The customer may give notice with {rule.notice_days} days to {_TO[rule.to]}. A contract cannot end in its "
        f"first {months(rule.bound)}. Notice is given in writing, and a clerk enters it.\n\n"
    )
    if rule.after_claim is not None:
        text += (
            f"After a claim was settled, either side may give notice within {rule.after_claim} days; the contract then "
            "ends one month later.\n\n"
        )
    return text + (
        "Premiums that were paid for the time after the end stay with the insurer, unless the thing insured is gone. A "
        "notice that was given by telephone has to be repeated in writing within a week.\n"
    )


def _new(rule: CancellationRule) -> str:
    after = (
        f"Within **{rule.after_claim} days** of the day on which a claim was settled, the customer may end the contract "
        "at once, whatever is said above. It ends on the day on which the notice reaches us. A claim that was rejected "
        "gives no such right. Ground: `after_claim`."
        if rule.after_claim is not None
        else "A settled claim gives no right to end a contract of this line early."
    )
    if rule.to == "period_end":
        bound = "If the period runs out after the last day that the contract shows, the contract ends a year later than that day."
    else:
        first, last = date(2025, 6, 10), plus_months(date(2025, 6, 10), rule.bound) - timedelta(days=1)
        bound = (
            f"The contract lasts at least {months(rule.bound)}: one whose cover began on {long_day(first)} cannot end "
            f"before {long_day(last)}."
        )
    example = {
        "period_end": "",
        "month_end": " Take the later of the two days, and go on to the end of that month.",
        "any_day": " The later of the two days is the last one of the contract.",
    }[rule.to]
    runs_out = long_day(date(2026, 2, 2) + timedelta(days=rule.notice_days))
    count = (
        "The day on which the customer tells us does not count: notice given on 2 February 2026 runs out on "
        f"{runs_out}, and the contract can end on that very day."
    )
    return f"""# Cancellation sheet {LINES[rule.line]}, {month(rule.start)}

> In force since {long_day(rule.start)}, for every notice that reaches us from then on, whatever the age of the contract.

## Ordinary notice

The customer may end a contract to {_TO[rule.to]}, with a notice period of **{rule.notice_days} days**. {count} {bound}{example} Ground: `ordinary_notice`.

## After a claim

{after}

## When there is nothing left to insure

{_GONE[rule.line]} The customer's word is enough. Ground: `nothing_left_to_insure`.

## Before you enter it

{_WORD[rule.line]} The day to enter is always the last day of cover. Premiums paid beyond that day are given back by the instruction on premium refunds; this is a step of its own, and the customer need not ask for it.
"""


_REVOCATION_OLD = """# Rule: revoking a new contract (2022)

{head}

Whoever has concluded a contract may revoke it within {days} days and need not say why. The days count from the day on which the papers arrived, and we assume that post takes a week. The premium is given back less €15 for our trouble.

Travel contracts can be revoked as long as the journey has not ended. A revocation by telephone is noted with the day and the name of the clerk, and confirmed by letter. Contracts that were changed count as new from the day of the change.
"""
_REVOCATION = """# Rule: revoking a new contract

{head} It holds for all lines, stands beside the cancellation sheets and goes before them.

A new contract can be revoked within **{days} days**, without any reason. The days are counted from the day on which the contract was concluded; the day itself does not count. The contract then ends on the day on which its cover began, as if it had never been, and the whole premium goes back without any deduction. Ground: `revocation`.

There are two exceptions. A contract under which a claim has been reported cannot be revoked. A Trip Single cannot be revoked once the journey has begun.

A contract that was only renewed or changed is not new, and cannot be revoked.
"""
