"""The summary of a run as Markdown: for a pull request, or the summary page of a CI job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..printable import count_of, printable
from .agents import agent_tables
from .mutants import mutant_lines
from .notes import notes
from .robust import robust_lines
from .run_facts import Fact, no_model, players
from .safety import ALARM, safety_notes, safety_table
from .terminal import summary_table, task_table

if TYPE_CHECKING:
    from ..metrics.totals import Totals
    from ..schema.record import TrialRecord

LISTED = 100

# A name's own backslashes before a sign of Markdown, to be doubled. The last one before a bar is not the name's: the
# table has put it there.
_BACKSLASHES = re.compile(r"(\\*)(\\)(?=\|)|(\\+)(?=[!-/:-@\[\]-`{}~])")
_MARKS = re.compile(r"[<>`*~]|!(?=\[)|(?<=\])\(|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
# What GitHub and GitLab may take for somebody's name; behind a letter they do not, and "pass@1" can be searched for.
_MENTION = re.compile(r"(?<![A-Za-z0-9_])(?<![A-Za-z0-9_]\\)@(?=\w)")


def markdown(
    totals: Totals,
    missed: Iterable[tuple[str, str]] = (),
    *,
    gates: Sequence[str] = (),
    title: str = "tau",
    details: Sequence[Sequence[str]] = (),
    facts: Sequence[Fact] = (),
) -> str:
    """The tables of the terminal, what became of the gates, and the trials that were missed.

    Args:
        totals: the run's totals.
        missed: node ID and reason of each missed trial, as ``reason`` words it.
        gates: a line about each gate, and about the baseline.
        title: the heading.
        details: tables and lines for who wants to know more, as :mod:`.breakdowns` makes them.
        facts: how the numbers came about, as :func:`.run_facts.run_facts` tells it.
    """
    sections = [f"## {_text(title)}"]
    if alarm := [line for line in gates if line.startswith(ALARM)]:
        sections.append("\n".join(f"- **{_text(line, limit=1000)}**" for line in alarm))
    if others := [line for line in gates if line not in alarm]:
        sections.append("### Gates\n\n" + "\n".join(f"- {_text(line, limit=1000)}" for line in others))
    changed, totals = mutant_lines(totals), totals.without_mutants()
    sections += [_inert(summary_table(totals)), _inert(notes(totals))]
    if safety := safety_table(totals):
        sections.append(f"### Safety\n\n{_inert(safety)}\n\n{_inert(safety_notes(totals))}")
    sections += [_inert(lines) for lines in agent_tables(totals)]
    if robust := robust_lines(totals):
        sections.append("### Robustness\n\n" + "\n\n".join(map(_inert, robust)))
    if changed:
        sections.append("### The policy\n\n" + "\n\n".join(map(_inert, changed)))
    agent, user = players(totals, facts)
    sections.append(f"Agent: {_code(agent)}. User: {_code(user)}.")
    sections += [_text(sentence)] if (sentence := no_model(facts)) else []
    if facts:
        told = "\n".join(f"- {_text(label)}: {_code(value)}" for label, value in facts)
        sections.append(f"<details><summary>How these numbers came about</summary>\n\n{told}\n\n</details>")
    if lines := _miss_lines(missed):
        sections.append("### Missed trials\n\n" + "\n".join(lines))
    if more := [_inert(lines) for lines in details if lines]:
        body = "\n\n".join(more)
        sections.append(f"<details><summary>How it scatters, and groups of tasks</summary>\n\n{body}\n\n</details>")
    tasks = _inert(task_table(totals))
    sections.append(f"<details><summary>{_all_tasks(totals)}</summary>\n\n{tasks}\n\n</details>")
    return _without_mentions(printable("\n\n".join(sections))) + "\n"


def _all_tasks(totals: Totals) -> str:
    of = [*["of each agent"] * bool(totals.labels), *["with the variants"] * bool(totals.variants)]
    return f"All {count_of(totals.number_of_tasks(), 'tasks')}{', ' * bool(of)}{', '.join(of)}"


def reason(record: TrialRecord) -> str:
    """Why a trial did not pass, in a few words: its fault, where it was found, else its criteria or its end."""
    if record.fault is not None:
        return str(record.fault)
    if record.reward is not None and (missed := record.reward.missed):
        return ", ".join(result.criterion for result in missed)
    if record.simulation is not None and record.reward is not None and record.reward.basis is None:
        return f"ended by {record.simulation.termination_reason.value}"
    return record.note or "the test's own assertion"


def _miss_lines(missed: Iterable[tuple[str, str]]) -> list[str]:
    lines: list[str] = []
    left_out = 0
    for nodeid, why in missed:
        if len(lines) < LISTED:
            lines.append(f"- {_code(nodeid)}: {_text(why)}")
        else:
            left_out += 1
    return [*lines, f"- and {left_out} more"] if left_out else lines


def _code(text: str) -> str:
    """A code span that no backtick in the text can end."""
    flat = " ".join(text.split())
    fence = "`" * (max((len(run) for run in re.findall(r"`+", flat)), default=0) + 1)
    pad = " " if "`" in flat else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def _inert(lines: Iterable[str]) -> str:
    """Lines of tables and notes, in which names are neither HTML, nor images, links, code or emphasis."""
    text = _BACKSLASHES.sub(lambda found: 2 * found[3] if found[3] else 2 * found[1] + found[2], "\n".join(lines))
    return _MARKS.sub(r"\\\g<0>", text)


def _without_mentions(text: str) -> str:
    """The text without mentions, which tell people of a comment; a backslash would not keep GitHub from that."""
    parts = re.split(r"((?<!`)(`+)(?!`).*?(?<!`)\2(?!`))", text)
    # Of each three: what is no code, a code span, its fence.
    return "".join(
        part if place % 3 == 1 else _MENTION.sub("@\u2060", part) for place, part in enumerate(parts) if place % 3 != 2
    )


def _text(text: str, limit: int = 300) -> str:
    """One line of text in which no character means anything to Markdown or HTML."""
    flat = " ".join(text.split())[:limit]
    return re.sub(r"([\\`*_{}\[\]<>#|!~&@])", r"\\\1", flat)
