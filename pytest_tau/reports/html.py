"""The report of a run as one HTML file that needs nothing else: no server, no network, no other file.

Whatever a model wrote is data here and never markup. Conversations are embedded as JSON in compressed blocks, which the
browser opens on demand; the page's own script is the only one its content security policy lets run.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from ..environment.rules import PolicyText
from ..files import replacing
from ..metrics.agents import side_by_side
from ..metrics.likeness import FEATURES
from ..metrics.policy import UNDER_POLICY
from ..metrics.scores import measure
from ..metrics.totals import Totals
from ..metrics.wording import percent
from ..printable import count_of
from .agents import pair_lines, table
from .curves import HEIGHT, LEFT, RIGHT, WIDTH, CurvePoint, curves, together
from .customers import likeness_of
from .distributions import HEIGHT as TALL
from .distributions import WIDTH as BARS
from .distributions import shares
from .evidence import embed_json, trial_view, visible_text
from .gallery import Gallery
from .history import Past, past
from .in_words import in_words
from .long_episodes import decay_curves
from .mutants import mutant_page, without_emphasis
from .notes import first_notes, notes
from .page import Baseline, Page, TaskKey
from .policy_rules import policy_rules
from .robust import robust_page
from .run_facts import Fact, no_model, players
from .safety import safety_notes, safety_rows
from .terminal import duration, money, score_cell

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from ..schema.record import TrialRecord
    from ..schema.reward import Reading
    from ..schema.task import Task

Verdict = tuple[str, str]

BLOCK = 250_000
"""Characters of JSON from which on a block is full. Larger ones are smaller together, and open more slowly each."""
OUTCOMES = ("passed", "missed", "ungraded", "infra_error", "invalid", "error")


def write_html(
    records: Iterable[TrialRecord],
    path: str | Path,
    *,
    tasks: Mapping[TaskKey, Task] | None = None,
    title: str = "tau report",
    totals: Totals | None = None,
    baseline: Baseline | None = None,
    gates: Sequence[Verdict] = (),
    facts: Sequence[Fact] = (),
    policies: Mapping[str, str] | None = None,
    history: Sequence[Past] = (),
    live: str | None = None,
    gallery: Gallery | None = None,
    read: Callable[[TrialRecord], Sequence[Reading]] | None = None,
    rules: Mapping[str, PolicyText] | None = None,
) -> int:
    """Write the report.

    Args:
        records: the trials, read once; their conversations are not kept in memory.
        path: the file to write.
        tasks: the tasks by domain and id, for what the customer wanted and for tags.
        title: the page's title.
        totals: the run's totals, where they know of trials that never reported; by default those of ``records``.
        baseline: another run to compare with: (successes, graded trials) of its tasks by domain and id.
        gates: state and sentence of each gate; the state is "held", "failed", "inconclusive", or "" for other news.
        facts: how the numbers came about, as :func:`.run_facts.run_facts` tells it.
        policies: the text that the agents worked under, by domain.
        history: earlier runs of the same suite and this one, the oldest first.
        live: for a page that is served while the run is played: what its state is called now.
        read: what the sentences of a trial's conversation were read as; without it that is not shown.
        rules: the policies as numbered rules, by domain.
        gallery: finds the pictures that the records name; without it they are shown by their descriptions.

    Returns:
        The number of trials written.
    """
    from markupsafe import Markup

    run = Page(tasks or {}, totals or Totals(), baseline or {}, policies or {}, count=totals is None)
    with TemporaryFile("w+", encoding="ascii", newline="\n") as spool:
        spool.writelines(_blocks(_views(records, run, gallery, read)))
        gallery = gallery or Gallery(lambda one: None)
        heavy = gallery.is_heavy(spool.tell())
        spool.seek(0)
        with replacing(path) as file:
            more: dict[str, Any] = {"gates": gates, "facts": facts, "history": past(history), "live": live}
            more["rules"] = policy_rules(run.totals, tasks or {}, rules or {})
            more["sources"] = gallery.sources(heavy=heavy)
            pictures = gallery.page_pictures(Path(path), heavy=heavy)
            more["shown_pictures"] = ((digest, Markup(view)) for digest, view in pictures)  # noqa: S704 (escaped JSON)
            file.writelines(_render(run, title, spool, more))
    return len(run.trials)


@cache
def templates() -> Environment:
    """The templates of the reports, compiled once a process; whatever is put into them is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("pytest_tau.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _render(run: Page, title: str, spool: IO[str], more: Mapping[str, Any]) -> Iterator[str]:
    from markupsafe import Markup

    environment = templates()
    environment.filters.update(
        count_of=count_of, percent=percent, shown=visible_text, signed=_signed_number, unmarked=without_emphasis
    )
    # Files of ours, escaped JSON and nothing else are marked as safe.
    (style, style_hash), (script, script_hash) = (
        inline_asset(environment, name) for name in ("report.css", "report.js")
    )
    live_script, live_hash = inline_asset(environment, "live.js")
    agents, plain = side_by_side(run.totals), run.totals.without_variants()
    shown = run.totals.without_mutants()  # what trials under changed policies say stands in a part of its own
    return environment.get_template("report.html").generate(
        title=visible_text(title),
        style=style,
        style_hash=style_hash,
        script=script,
        script_hash=script_hash,
        live_script=live_script,
        live_hash=live_hash,
        written=datetime.now().astimezone().isoformat(sep=" ", timespec="minutes"),
        totals=run.totals,
        plain=plain,
        players=players(run.totals, more["facts"]),
        words=in_words(run.totals),
        no_model=no_model(more["facts"]),
        money=money,
        under_policy=lambda row: score_cell(measure(plain, UNDER_POLICY, row)),
        duration=duration,
        notes=notes(shown),
        first_notes=first_notes(shown),
        safety=safety_rows(run.totals),
        safety_notes=safety_notes(run.totals),
        seconds=run.seconds,
        decays=decay_curves(plain),
        curves=curves(plain, run.baseline),
        robust=robust_page(run.totals),
        policies=mutant_page(run.totals),
        agents=agents and {"curves": together(agents), "table": table(agents), "pairs": pair_lines(agents)},
        picture={"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT, "y": CurvePoint.y},
        groups=run.groups(),
        columns=min(6, max((len(row.cells) for row in run.rows()), default=1)),
        changed=sorted((row for row in run.rows() if row.change), key=lambda row: row.change or 0.0),
        compared=bool(run.baseline),
        comparable=sum(row.change is not None for row in run.rows()),
        index=Markup(embed_json(run.index())),  # noqa: S704
        blocks=(line.split() for line in spool),
        choices=_choices(run),
        histograms=run.histograms(),
        faults=shares(run.faults),
        customers=likeness_of(run.totals),
        feature_names=FEATURES,
        bars={"width": BARS, "height": TALL},
        **more,
    )


def _views(
    records: Iterable[TrialRecord],
    run: Page,
    gallery: Gallery | None,
    read: Callable[[TrialRecord], Sequence[Reading]] | None,
) -> Iterator[str]:
    """Each trial as JSON, once the page and the gallery know of it."""
    for record in records:
        run.add(record)
        if gallery is not None and record.simulation is not None:
            gallery.add(record.simulation)
        yield embed_json(trial_view(record, () if read is None else read(record)))


def _blocks(views: Iterable[str]) -> Iterator[str]:
    """A line for each block of conversations: the position of its first one, and zlib's bytes as base64."""
    first, block, size = 0, list[str](), 0
    for view in views:
        block.append(view)
        size += len(view)
        if size >= BLOCK:
            yield _pack(first, block)
            first, block, size = first + len(block), [], 0
    if block:
        yield _pack(first, block)


def _pack(first: int, views: Sequence[str]) -> str:
    packed = zlib.compress(f"[{','.join(views)}]".encode("ascii"), 9)
    return f"{first} {base64.b64encode(packed).decode()}\n"


def _signed_number(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def inline_asset(environment: Any, name: str) -> tuple[Markup, str]:
    """A style or script of ours as it stands in a page, and its hash for the page's content security policy."""
    from markupsafe import Markup

    source: str = environment.loader.get_source(environment, name)[0].replace("\r\n", "\n")  # what a browser hashes
    return Markup(source), "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()  # noqa: S704


def _choices(run: Page) -> dict[str, list[str]]:
    """The values each filter offers."""
    rows = run.rows()
    return {
        "domain": list(dict.fromkeys(visible_text(row.domain) for row in rows)),
        "tag": sorted({tag for row in rows for tag in row.tags}),
        "tool": sorted({tool for trial in run.trials for tool in trial["tools"]}),
        "fault": sorted({fault for trial in run.trials for fault in trial["faults"]}),
        "outcome": [name for name in OUTCOMES if any(trial["outcome"] == name for trial in run.trials)],
    }
