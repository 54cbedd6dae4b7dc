"""What a run tells about robustness: the table of its variants, what was found in words, groups, and the grid."""

import json
import re
from typing import Any

import pytest

from pytest_tau.metrics.consistency import Course
from pytest_tau.metrics.robustness import TrialConduct
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Measures, TrialFacts
from pytest_tau.reports.robust import robust_lines, robust_numbers, robust_page

TYPOS = {"label": "typos", "told": "typos", "strength": 0.5}
LOST = {"label": "timeout", "faults": "timeout", "rate": 0.2}
BOTH = {"label": "typos+timeout", "told": "typos", "strength": 0.5, "faults": "timeout", "rate": 0.2}


def group(name: str) -> dict[str, Any]:
    return {"label": f"identity:{name}", "told": f"identity:{name}", "strength": 1.0}


def run(*rows: tuple[dict[str, Any] | None, list[str]], domain: str = "shop", totals: Totals | None = None) -> Totals:
    """Totals of rows: the variant, and of each task its trials: p passed, m missed."""
    made = totals or Totals()
    for variant, tasks in rows:
        row = f"{domain}, {variant['label']}" if variant else domain
        for number, trials in enumerate(tasks):
            for letter in trials:
                add(made, row, f"t{number}", letter, variant)
    return made


def add(totals: Totals, row: str, task: str, letter: str, variant: dict[str, Any] | None, **actions: Any) -> None:
    """Count a trial, which did these actions."""
    done = TrialConduct(letter == "p", **actions)
    outcome = "passed" if letter == "p" else "missed"
    totals.add(TrialFacts(row, task, outcome, variant=variant, measures=Measures({"flip": done})))


def remarks(totals: Totals) -> list[str]:
    return robust_lines(totals)[1]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| ").split("|")]


WORSE = run((None, ["pppp"] * 12), (TYPOS, ["pmmm"] * 12))


def test_where_every_task_was_played_as_it_is_there_is_nothing_to_tell() -> None:
    plain = run((None, ["pp"]))
    assert (robust_lines(plain), robust_page(plain), robust_numbers(plain)) == ([], None, None)


def test_the_table_has_a_row_for_each_variant() -> None:
    head, _, row = robust_lines(WORSE)[0]
    assert cells(head) == ["variant", "tasks", "pass^1", "pass^4", "difference", "ratio", "flips"]
    assert cells(row)[:4] == ["typos", "12", "100.0 → 25.0 %", "100.0 → 0.0 %"]
    assert cells(row)[4].startswith("-75.0 [")
    assert cells(row)[5:] == ["0.25", "75.0 %", "WORSE"]


def test_how_alike_trials_are_is_told_of_each_agent() -> None:
    made = Totals()
    for label, calls in (("a", ("look", "look")), ("b", ("look", "write"))):
        for told in ("", "-typos"):
            row, variant = f"shop, {label}{told}", TYPOS if told else None
            for call in calls:
                course = Course(passed=True, calls=(call,), resources=())
                measures = Measures({"flip": TrialConduct(passed=True), "consistency": course})
                made.add(TrialFacts(row, "t", "passed", label=label, variant=variant, measures=measures))
    assert [line.partition(", order")[0] for line in remarks(made) if line.startswith("Consistency")] == [
        "Consistency of the trials of a task as it is by a: outcome 1.00, tools 1.00",
        "Consistency of the trials of a task as it is by b: outcome 1.00, tools 0.00",
    ]


def test_rows_of_several_domains_are_told_apart() -> None:
    both = run((None, ["p"]), (TYPOS, ["p"]), domain="toys", totals=run((None, ["p"]), (TYPOS, ["m"])))
    assert [cells(line)[0] for line in robust_lines(both)[0][2:]] == ["shop, typos", "toys, typos"]
    page = robust_page(both)
    assert page is not None
    assert [one["name"] for one in page["variants"]] == ["shop, typos", "toys, typos"]
    assert len([line for line in remarks(both) if line.startswith("Over all variants of ")]) == 2


def test_what_is_said_of_one_of_several_rows_names_it() -> None:
    """A domain with several agents has a row for each; of one row the name would say nothing."""
    rows = [(None, ["pppp"] * 12), *((variant, ["pmmm"] * 12) for variant in (TYPOS, LOST, BOTH))]
    more = [(group("a"), ["pppp"] * 12), (group("b"), ["mmmm"] * 12)]
    both = run(*rows, *more, domain="toys", totals=run(*rows))
    for _ in range(2):
        add(both, "shop, timeout", "t0", "m", LOST, refused=True, gave_up=True)
        add(both, "toys, timeout", "t0", "m", LOST, unheard=True, repeated=True)
    _, said, *grids = robust_lines(both)
    assert {line.partition(": pass^1 falls")[0] for line in said if ": pass^1 falls" in line} == {
        *(f"{row}, {name}" for row in ("shop", "toys") for name in ("typos", "timeout", "typos+timeout")),
        "toys, identity:b",
    }
    for begin in (
        "shop, timeout: a call that failed was never tried again",
        "toys, timeout: a write that had happened",
        "Worst variant: toys, identity:b (",
        "toys, identity: ",
    ):
        assert len([line for line in said if line.startswith(begin)]) == 1, begin
    assert [cells(grid[0])[0] for grid in grids] == ["shop, R(k, ε, λ)", "toys, R(k, ε, λ)"]
    numbers = robust_numbers(both)
    assert numbers is not None
    assert numbers["worst variant"] == "toys, identity:b"


def test_what_nothing_passes_as_it_is_has_no_ratio() -> None:
    assert cells(robust_lines(run((None, ["m"]), (TYPOS, ["p"])))[0][2])[4] == "–"


def test_a_variant_that_does_worse_is_named_with_its_interval_and_what_more_went_wrong() -> None:
    totals = run((None, ["pppp"] * 12))
    for number in range(12):
        for letter in "pmmm":
            cause = "wrong_argument" if letter == "m" else ""
            add(totals, "shop, typos", f"t{number}", letter, TYPOS, cause=cause)
    (said,) = (line for line in remarks(totals) if line.startswith("typos: "))
    found = re.match(r"typos: pass\^1 falls by 75\.0 points \[([\d.]+) … ([\d.]+)\], p below 0\.001", said)
    assert found is not None
    assert said.endswith("; more wrong argument (36).")
    assert float(found[1]) < 75 < float(found[2]) <= 100


def test_where_nothing_is_shown_that_is_said() -> None:
    same = run((None, ["pm"] * 4), (TYPOS, ["mp"] * 4))
    assert "No variant is shown to do worse than its tasks as they are." in remarks(same)
    assert not [line for line in remarks(same) if "Worst variant" in line]
    assert "after Holm's adjustment for 1 variant." in remarks(same)[0]


def test_the_worst_is_named_with_points() -> None:
    totals = run((None, ["pp"] * 4), (TYPOS, ["pm", "pp", "pp", "pp"]), (LOST, ["mm", "pp", "pp", "pp"]))
    (worst,) = (line for line in remarks(totals) if line.startswith("Worst variant"))
    assert worst.startswith("Worst variant: timeout (-25.0 [")
    assert worst.endswith("] points).")


def test_how_outcomes_agree_beside_how_they_would_by_chance() -> None:
    totals = run((None, ["pm", "pp", "pp", "pp"]), (TYPOS, ["mm", "pm", "pp", "pp"]))
    (line,) = (line for line in remarks(totals) if line.startswith("Over all variants"))
    assert line.startswith(
        "Over all variants: 75.0 % of outcomes agree with the original's (two trials of a task as it is end alike in "
        "75.0 %); variance of pass rates within a task 0.031; tasks that flip most: t"
    )
    alike = run((None, ["p"]), (TYPOS, ["p"]))
    assert remarks(alike)[-1] == (
        "Over all variants: 100.0 % of outcomes agree with the original's; variance of pass rates within a task 0.000."
    )


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        (
            {"unheard": True, "repeated": True},
            "a write that had happened unheard was made again without a look in 1 of 1 trial with such a call",
        ),
        (
            {"refused": True, "gave_up": True},
            "a call that failed was never tried again, and the trial missed, in 1 of 1 trial with such a call",
        ),
        ({"unheard": True, "refused": True}, ""),
    ],
)
def test_what_the_agent_did_about_failing_tools(actions: dict[str, bool], said: str) -> None:
    totals = run((None, ["p"]))
    add(totals, "shop, timeout", "t0", "m", LOST, **actions)
    found = [line for line in remarks(totals) if line.startswith("timeout: ")]
    assert [line.partition(", 100.0 %")[0] for line in found] == [f"timeout: {said}"] * bool(said)


def test_of_the_trials_with_such_a_call_those_are_counted_that_gave_up() -> None:
    totals = run((None, ["pppp"]))
    for gave_up in (True, False, False, False):
        add(totals, "shop, timeout", "t0", "m", LOST, refused=True, gave_up=gave_up)
    (said,) = (line for line in remarks(totals) if "never tried again" in line)
    assert "in 1 of 4 trials with such a call, 25.0 % [" in said


def test_a_p_value_has_three_digits_where_it_has_any() -> None:
    totals = run((None, ["pppppp"] * 2), (TYPOS, ["mmmmmp", "mmpppp"]))
    (said,) = (line for line in remarks(totals) if line.startswith("typos: "))
    assert re.search(r", p 0\.00[1-9]\.$", said)


def test_rules_that_were_broken_have_a_column() -> None:
    totals = Totals()
    for broke, variant in ((False, None), (True, TYPOS)):
        add(totals, "shop, typos" if variant else "shop", "t", "p", variant, broke=broke)
    head, _, row = robust_lines(totals)[0]
    assert dict(zip(cells(head), cells(row), strict=False))["broke a rule"] == "0.0 → 100.0 %"


def groups(one: list[str], other: list[str]) -> Totals:
    """Two groups of an identity, over tasks that both were played."""
    return run((None, one), (group("english"), one), (group("arabic"), other))


def test_a_difference_between_groups_is_told_from_the_one_that_passes_less() -> None:
    less, more = ["mmmm"] * 8 + ["pmmm"] * 4, ["pppp"] * 12
    for totals in (groups(more, less), run((None, less), (group("arabic"), less), (group("english"), more))):
        (said,) = (line for line in remarks(totals) if line.startswith("identity: "))
        found = re.match(r"identity: arabic passes ([\d.]+) points \[([\d.]+) … ([\d.]+)\] less than english", said)
        assert found is not None
        assert float(found[2]) < float(found[1]) < float(found[3]) <= 100
        assert "paired over 12 tasks" in said
        assert said.endswith("(Holm-adjusted for 1 pair of groups).")


def test_an_interval_around_no_difference_keeps_its_signs() -> None:
    """Two of three tasks decide: the difference is shown for these tasks, and may be none for others like them."""
    less, more = ["m" * 8, "m" * 8, "p" * 8], ["p" * 8] * 3
    for totals in (groups(more, less), run((None, less), (group("arabic"), less), (group("english"), more))):
        (said,) = (line for line in remarks(totals) if line.startswith("identity: "))
        assert said.startswith("identity: arabic passes 66.7 points [-30.5 … 100.0] less than english")


def test_where_no_difference_is_shown_the_smallest_that_would_be_is_told() -> None:
    (said,) = (line for line in remarks(groups(["pm"] * 3, ["mp"] * 3)) if line.startswith("identity: "))
    assert re.match(r"identity: no difference between groups can be shown; one of \d+ points would have been", said)


GRID = run((None, ["pp"]), (TYPOS, ["pm"]), (LOST, ["mm"]), (BOTH, ["pm"]))


def test_the_grid_is_of_strengths_and_rates_for_one_trial_and_for_all() -> None:
    grid = robust_lines(GRID)[2]
    assert [cells(line) for line in grid if not line.startswith("| :")] == [
        ["R(k, ε, λ)", "k", "λ=0", "timeout λ=0.2"],
        ["as it is ε=0", "1", "100.0 %", "0.0 %"],
        ["typos ε=0.5", "1", "50.0 %", "50.0 %"],
        ["as it is ε=0", "2", "100.0 %", "0.0 %"],
        ["typos ε=0.5", "2", "0.0 %", "0.0 %"],
    ]


@pytest.mark.parametrize("rows", [[TYPOS], [LOST], [TYPOS, group("english")]])
def test_one_axis_makes_no_grid(rows: list[dict[str, Any]]) -> None:
    assert len(robust_lines(run((None, ["p"]), *((one, ["p"]) for one in rows)))) == 2


def test_a_cell_that_was_not_played_is_empty() -> None:
    grid = robust_lines(run((None, ["p"]), (TYPOS, ["p"]), (LOST, ["p"])))[2]
    assert cells(grid[-1]) == ["typos ε=0.5", "1", "100.0 %", "–"]


def test_the_page_has_a_small_curve_of_both() -> None:
    page = robust_page(WORSE)
    assert page is not None
    (one,) = page["variants"]
    before, line = ([tuple(map(float, p.split(","))) for p in one[key].split()] for key in ("before", "line"))
    assert [x for x, _ in before] == [x for x, _ in line] == [3.0, 31.0, 59.0, 87.0]
    assert ({y for _, y in before}, line[0][1], line[-1][1]) == ({3.0}, 18.0, 23.0)
    assert (one["ks"], one["was"], one["now"], one["flagged"], one["ratio"]) == (4, 1.0, 0.25, True, "0.25")
    assert page["remarks"] == remarks(WORSE)
    assert page["grids"] == []
    single = robust_page(run((None, ["p"]), (TYPOS, ["m"])))
    assert single is not None
    assert single["variants"][0]["line"] == "3.0,23.0 87.0,23.0"  # a level line


def test_the_numbers_are_plain_data_and_those_of_the_table() -> None:
    found = robust_numbers(GRID)
    assert json.loads(json.dumps(found)) == found
    assert found is not None
    assert [one["label"] for one in found["variants"]] == ["typos", "timeout", "typos+timeout"]
    first = found["variants"][0]
    assert (first["tasks"], first["difference"], first["ratio"], first["flip"]) == (1, -0.5, 0.5, 0.5)
    assert first["low"] <= first["difference"] <= first["high"]
    assert [(one["k"], one["as it is"], one["variant"]) for one in first["pass^k"]] == [(1, 1.0, 0.5), (2, 1.0, 0.0)]
    assert found["worst variant"] == "timeout"
    assert found["agreement"] == {"shop": pytest.approx(1 - (0.5 + 1.0 + 0.5) / 3)}
    assert found["worst tasks"] == {"shop": [["t0", pytest.approx(2 / 3)]]}


def test_groups_are_among_the_numbers() -> None:
    found = robust_numbers(groups(["pppp"] * 12, ["mmmm"] * 12))
    assert found is not None
    (about,) = found["groups"]
    (pair,) = about["pairs"]
    assert (pair["one"], pair["other"], pair["difference"], pair["shown"]) == ("english", "arabic", -1.0, True)
