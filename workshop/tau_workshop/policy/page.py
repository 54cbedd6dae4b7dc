"""The coverage of a policy as a page: its text with a coloured margin, as coverage.py shows source. Opens offline."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from pytest_tau.printable import count_of

from .coverage import CoveredRule, PolicyCoverage

_STYLE = """
:root { --guarded: #1a7f37; --open: #cf222e; --free: #8c959f; --paper: #fff; --ink: #1f2328; --line: #d0d7de; }
@media (prefers-color-scheme: dark) {
  :root { --guarded: #3fb950; --open: #f85149; --free: #6e7681; --paper: #0d1117; --ink: #e6edf3; --line: #30363d; }
}
body { background: var(--paper); color: var(--ink); font: 15px/1.6 system-ui, sans-serif; margin: 2rem auto;
  max-width: 62rem; padding: 0 1rem; }
p.line { margin: 0; padding-left: 1rem; border-left: 5px solid transparent; white-space: pre-wrap; min-height: 1.2em; }
p.guarded { border-color: var(--guarded); } p.free { border-color: var(--free); } p.open { border-color: var(--open); }
span.rule { border-bottom: 2px solid; cursor: help; }
span.guarded { border-color: var(--guarded); } span.free { border-color: var(--free); opacity: .75; }
span.open { border-color: var(--open); background: color-mix(in srgb, var(--open) 15%, transparent); }
sup { font-size: .65em; opacity: .8; }
details { border-top: 1px solid var(--line); padding: .3rem 0; }
summary b { font-variant-numeric: tabular-nums; }
.b-guarded { color: var(--guarded); } .b-open { color: var(--open); } .b-free { color: var(--free); }
"""
_WORST = ("open", "guarded", "free")


def page(found: PolicyCoverage) -> str:
    """The page as HTML."""
    guarded, open_rules = len(found.of("guarded")), len(found.of("open"))
    title = f"Policy of {escape(found.domain)}: {100 * found.share:.1f} % guarded"
    body = [
        f"<h1>{title}</h1>",
        f"<p>{guarded} of {guarded + open_rules} rules that a task can guard are guarded, by "
        f"{found.guards}. Green: some task guards it; red: none does; grey: none can.</p>",
        *_lines(found),
        "<h2>Rules</h2>",
        *(_details(one) for one in found.rules),
    ]
    if found.none:
        body.append(f"<h2>Tasks that rest on no rule</h2><p>{escape(', '.join(found.none))}</p>")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def _lines(found: PolicyCoverage) -> Iterator[str]:
    spans = sorted((start, end, one) for one in found.rules for start, end in one.rule.spans)
    at = 0
    for line in found.text.splitlines(keepends=True):
        start, at = at, at + len(line)
        here = [span for span in spans if span[0] < at and span[1] > start]
        states = {one.state for _, _, one in here}
        state = next((state for state in _WORST if state in states), "")
        yield f'<p class="line {state}">{_marked(found.text, start, start + len(line.rstrip()), here)}</p>'


def _marked(text: str, start: int, end: int, spans: list[tuple[int, int, CoveredRule]]) -> str:
    parts, last = [], start
    for first, stop, one in spans:
        first, stop = max(first, start), min(stop, end)
        told = one.unguarded or f"{count_of(len(one.tasks), 'tasks')}: {', '.join(one.tasks[:5])}"
        number = f"<sup>{one.rule.number}</sup>"
        parts.append(
            f'{escape(text[last:first])}<span class="rule {one.state}" title="{escape(f"{one.rule.id}: {told}")}">'
            f"{escape(text[first:stop])}</span>{number}"
        )
        last = stop
    return "".join(parts) + escape(text[last:end])


def _details(one: CoveredRule) -> str:
    tasks = ", ".join(one.tasks) or one.unguarded or "no task guards it"
    return (
        f'<details><summary><b class="b-{one.state}">{one.rule.number} {escape(one.rule.id)}</b> '
        f"({len(one.tasks)}) {escape(one.rule.text)}</summary><p>{escape(tasks)}</p></details>"
    )
