"""The end of contracts: cancellation sheets by line, and revocation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from tau_workshop.compose import phrases_of

from ..contracts import CancellationRule
from ..rules import LINES, plus_months
from ..servicing import CANCELLATIONS, REVOCATION_DAYS
from .phrases import long_day, month, months, next_edition, span

say = phrases_of(__file__)
write = phrases_of(__file__, "documents.toml")
_TO: dict[str, str] = say("to")
_GONE: dict[str, str] = say("gone")
_WORD: dict[str, str] = say("word")


def sheets() -> Iterator[tuple[str, str]]:
    """The id and text of every cancellation sheet, and of the sheets on revocation."""
    for editions in CANCELLATIONS.values():
        old, new = editions
        yield old.document, _old(old)
        yield new.document, _new(new)
    for start, end, days in REVOCATION_DAYS:
        head = (
            f"> In force since {long_day(start)}." if end is None else f"*In force {span(start, end)}; replaced since.*"
        )
        yield (
            f"rule-revocation-{start:%Y-%m}",
            write("revocation.new" if end is None else "revocation.old", head=head, days=days),
        )


def _old(rule: CancellationRule) -> str:
    text = write.text(
        "cancellation.old",
        line=LINES[rule.line],
        month=month(rule.start),
        span=span(rule.start, rule.end),
        next_edition=next_edition(rule.end),
        gone=_GONE[rule.line],
        notice_days=rule.notice_days,
        to=_TO[rule.to],
        bound=months(rule.bound),
    )
    if rule.after_claim is not None:
        text += write("cancellation.old_after", days=rule.after_claim)
    return text + write.text("cancellation.old_end")


def _new(rule: CancellationRule) -> str:
    after = (
        write("cancellation.after", days=rule.after_claim)
        if rule.after_claim is not None
        else write("cancellation.no_after")
    )
    if rule.to == "period_end":
        bound = write("cancellation.year")
    else:
        first, last = date(2025, 6, 10), plus_months(date(2025, 6, 10), rule.bound) - timedelta(days=1)
        bound = write("cancellation.bound", bound=months(rule.bound), first=long_day(first), last=long_day(last))
    example = say(f"example.{rule.to}")
    runs_out = long_day(date(2026, 2, 2) + timedelta(days=rule.notice_days))
    count = write("cancellation.count", runs_out=runs_out)
    return write.text(
        "cancellation.new",
        line=LINES[rule.line],
        month=month(rule.start),
        start=long_day(rule.start),
        to=_TO[rule.to],
        notice_days=rule.notice_days,
        count=count,
        bound=bound,
        example=example,
        after=after,
        gone=_GONE[rule.line],
        word=_WORD[rule.line],
    )
