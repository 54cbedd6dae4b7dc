"""A run as a paper shows it: a LaTeX table, and the pass^k curves as a figure (SVG or PNG, with matplotlib)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

from ..files import replacing, write_whole
from ..metrics.totals import PassK, Totals
from ..printable import printable
from .notes import notes
from .terminal import money, shown_ks, without_verdict

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
_STAR = "$^{*}$"
_INCHES = (4.2, 2.8)
_DPI = 300


def latex(totals: Totals, facts: Mapping[str, str]) -> str:
    """A table with a row for each of the run's, headed by the agent where one played; wants ``\\usepackage{booktabs}``.

    Args:
        totals: the run's totals.
        facts: how the numbers came about; they stand above the table as comments.
    """
    rows = totals.domains()
    ks = shown_ks({p.k for row in rows for p in totals.pass_hat(row)})
    agent = next(iter(totals.agents)) if len(totals.agents) == 1 else ""
    heads = [_escape(agent), "tasks", "trials", *(rf"pass$^{{{k}}}$ (\%)" for k in ks), "cost"]
    comments = [f"% {label}: {' '.join(printable(value).split())}" for label, value in facts.items()]
    lines = [
        *comments,
        *(f"% {' '.join(note.split())}" for note in notes(totals)),
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
        r"\midrule",
        *(" & ".join(_cells(totals, row, ks)) + r" \\" for row in rows),
        *_footnote(totals, len(heads)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _cells(totals: Totals, row: str, ks: list[int]) -> Iterator[str]:
    curve = {p.k: p for p in totals.pass_hat(row)}
    star = _STAR if without_verdict(totals, row) else ""
    yield from (_escape(row), str(totals.tasks_of(row)), f"{totals.done(row)}{star}")
    yield from (_percent(curve.get(k), totals, row) for k in ks)
    yield _escape(money(totals.cost(row)))


def _footnote(totals: Totals, columns: int) -> Iterator[str]:
    """What the rows with a star leave out."""
    if gaps := without_verdict(totals):
        told = ", ".join(f"{number} {name}" for name, number in gaps.items())
        yield rf"\multicolumn{{{columns}}}{{l}}{{\scriptsize {_STAR} without trials that have no verdict: {told}}} \\"


def _percent(point: PassK | None, totals: Totals, row: str) -> str:
    if point is None:
        return "--"
    over = "" if point.tasks == totals.tasks_of(row) else f" over {point.tasks}"
    interval = "" if totals.spared() else f" [{100 * point.low:.0f}--{100 * point.high:.0f}]"
    small = f"{interval}{over}".strip()
    return f"{100 * point.value:.1f}" + (rf" {{\scriptsize {small}}}" if small else "")


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(letter, letter) for letter in printable(text))


def write_latex(totals: Totals, path: Path, facts: Mapping[str, str]) -> None:
    """Write the table."""
    with replacing(path) as file:
        file.write(latex(totals, facts))


def write_figure(totals: Totals, path: Path, kind: str, facts: Mapping[str, str]) -> None:
    """Write the pass^k curves with their bands, one for each row of the run; needs matplotlib.

    Args:
        totals: the run's totals.
        path: the file.
        kind: "svg" or "png".
        facts: how the numbers came about; they stand in the file's metadata.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # Texts stay texts, and the same run gives the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "pytest-tau", "font.size": 9}):
        figure = Figure(figsize=_INCHES, layout="constrained")
        (FigureCanvasSVG if kind == "svg" else FigureCanvasAgg)(figure)
        axes = figure.add_subplot()
        for row in totals.domains():
            points = totals.pass_hat(row)
            ks = [p.k for p in points]
            name = row.replace("$", r"\$")  # or it would be set as mathematics
            axes.plot(ks, [100 * p.value for p in points], marker="o", markersize=3, linewidth=1.2, label=name)
            axes.fill_between(
                ks, [100 * p.low for p in points], [100 * p.high for p in points], alpha=0.12, linewidth=0
            )
        axes.set(xlabel="k", ylabel="pass^k (%)", ylim=(-2, 102))
        axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True))
        axes.spines[["top", "right"]].set_visible(False)
        if len(totals.domains()) > 1:
            axes.legend(frameon=False, fontsize=8)
        told = {"Description": printable("\n".join(f"{label}: {value}" for label, value in facts.items()))}
        written = BytesIO()
        figure.savefig(written, format=kind, dpi=_DPI, metadata={"Date": None, **told} if kind == "svg" else told)
    write_whole(path, written.getvalue())
