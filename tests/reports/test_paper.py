"""The table and the figure for a paper."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts
from pytest_tau.reports.paper import latex, write_figure


def totals() -> Totals:
    found = Totals()
    for row in ("retail, gpt_4", "50%_$uite"):
        for task in range(4):
            for trial in range(2):
                outcome = "passed" if task + trial else "missed"
                found.add(TrialFacts(row, f"t{task}", outcome, costs=Costs(0.5, 0.0, 0.0)))
    return found


def test_the_table_is_latex_whatever_the_names_are() -> None:
    text = latex(totals(), {"command": "pytest\n--x"})
    assert text.splitlines()[0] == "% command: pytest --x"
    assert r"retail, gpt\_4 & 4 & 8 & 87.5 {\scriptsize [" in text
    assert r"50\%\_\$uite & 4 & 8 &" in text
    assert r"\$4.00 \\" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len({line.replace(r"\&", "").count("&") for line in rows}) == 1
    assert text.count(r"\begin{tabular}{lrrrrr}") == 1
    assert r" & tasks & trials & pass$^{1}$ (\%) & pass$^{2}$ (\%) & cost \\" in text


def test_the_agent_of_all_rows_heads_them() -> None:
    made = Totals()
    made.add(TrialFacts("retail", "t", "passed", agent="my_model"))
    assert r"my\_model & tasks & trials &" in latex(made, {})
    made.players["retail"] = {"a\x1b[2J"}
    text = latex(made, {"agent": "a\x1b[2J"})
    assert "\x1b" not in text  # TeX takes no control character
    assert r"a\textbackslash{}x1b[2J & tasks" in text
    made.players["retail"] = {"my_model"}
    made.add(TrialFacts("retail", "t2", "passed", agent="another"))
    assert "\n & tasks & trials &" in latex(made, {})


def test_what_the_table_leaves_out_stands_below_it() -> None:
    made = totals()
    made.add(TrialFacts("retail, gpt_4", "t5", "infra_error"))
    lines = latex(made, {}).splitlines()
    assert [line for line in lines if line.startswith(r"retail, gpt\_4 & 5 & 9$^{*}$ & 87.5 {\scriptsize [")]
    assert r"over 4}" in "".join(lines)
    assert lines[-3] == r"\multicolumn{6}{l}{\scriptsize $^{*}$ without trials that have no verdict: 1 infra} \\"
    assert "% [ ]: 95 % interval for tasks like these." in lines


def test_a_run_that_was_stopped_has_no_intervals() -> None:
    made = totals()
    made.of()[0].spared = 2
    (row,) = [line for line in latex(made, {}).splitlines() if line.startswith("retail")]
    assert "[" not in row


@pytest.mark.slow  # matplotlib takes seconds to import
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_figure_shows_each_row_and_is_the_same_each_time(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pytest-tau[figures]")
    files = [tmp_path / f"{n}.{kind}" for n in range(2)]
    for file in files:
        write_figure(totals(), file, kind, {"agent": "<mine>", "k": "4"})
    assert files[0].read_bytes() == files[1].read_bytes()
    if kind == "png":
        assert files[0].read_bytes().startswith(b"\x89PNG")
        assert b"agent: <mine>\nk: 4" in files[0].read_bytes()  # how the numbers came about
        return
    tree = ElementTree.parse(files[0])  # noqa: S314 (our own file)
    texts = {"".join(node.itertext()).strip() for node in tree.iter() if node.tag.endswith("text")}
    assert "agent: <mine>\nk: 4" in [
        "".join(node.itertext()) for node in tree.iter() if node.tag.endswith("description")
    ]
    assert {"retail, gpt_4", "50%_$uite", "k"} <= texts


@pytest.mark.slow  # matplotlib takes seconds to import
def test_a_figure_is_replaced_as_a_whole(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pytest-tau[figures]")
    file, kept = tmp_path / "f.svg", tmp_path / "kept"
    file.write_text("earlier", encoding="utf-8")
    kept.hardlink_to(file)
    write_figure(totals(), file, "svg", {})
    assert kept.read_text("utf-8") == "earlier"
