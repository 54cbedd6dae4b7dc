"""Claims sheets, and the general instructions on deciding and working out a claim."""

from __future__ import annotations

from collections.abc import Iterator

from tau_workshop.compose import phrases_of

from ..rules import LINES, ClaimsSheet
from ..servicing import SHEETS
from .phrases import EVIDENCE, PERILS, euro, listing, long_day, month, next_edition, sentence

say = phrases_of(__file__)
write = phrases_of(__file__, "documents.toml")
_START: dict[str, str] = say("start")
_CARE: dict[str, str] = say("care")


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
    yield from write("instructions").items()
