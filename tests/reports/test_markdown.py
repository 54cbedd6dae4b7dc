import pytest

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts
from pytest_tau.reports.markdown import LISTED, markdown, reason
from pytest_tau.reports.notes import notes
from pytest_tau.reports.terminal import summary_table, task_table
from pytest_tau.schema.record import Outcome
from pytest_tau.schema.reward import CriterionResult, Reward
from pytest_tau.schema.simulation import Termination
from tests.reports.runs import record, simulation


def totals() -> Totals:
    run = Totals()
    for outcome in ("passed", "missed"):
        run.add(TrialFacts("mock", "t", outcome, steps=4, costs=Costs(0.5), agent="mine:Agent", user="scripted"))
    return run


def test_it_holds_the_tables_of_the_terminal() -> None:
    text = markdown(totals(), title="nightly")
    assert text.startswith("## nightly\n\n| domain")
    for table in (summary_table(totals()), notes(totals()), task_table(totals())):
        assert "\n" + "\n".join(table) + "\n" in text
    assert "Agent: `mine:Agent`. User: `scripted`." in text
    assert "Missed trials" not in text


def test_missed_trials_are_listed_with_their_reason() -> None:
    text = markdown(totals(), [("tasks/t.json::test_task[trial2]", "DB, COMMUNICATE")])
    assert "### Missed trials\n\n- `tasks/t.json::test_task[trial2]`: DB, COMMUNICATE\n" in text


def test_a_long_list_ends() -> None:
    text = markdown(totals(), ((f"n{number}", "DB") for number in range(LISTED + 7)))
    assert text.count("\n- `n") == LISTED
    assert "\n- and 7 more\n" in text


@pytest.mark.parametrize(
    ("text", "code", "plain"),
    [
        ("a`b``c", "``` a`b``c ```", "a\\`b\\`\\`c"),
        ("<script>x</script>", "`<script>x</script>`", "\\<script\\>x\\</script\\>"),
        ("[a](b) & *c*", "`[a](b) & *c*`", "\\[a\\](b) \\& \\*c\\*"),
        ("one\n\n# two", "`one # two`", "one \\# two"),
        ("\x1b[31m", "`\\x1b[31m`", "\\x1b\\[31m"),
    ],
)
def test_hostile_text_stays_in_its_line_and_means_nothing(text: str, code: str, plain: str) -> None:
    assert f"\n- {code}: {plain}\n" in markdown(totals(), [(text, text)])


HOSTILE = "<b>@alice ![x](http://evil/y.png) [z](javascript:1) `code`\n## head\n::error::no"


def test_a_hostile_name_in_a_table_is_a_name() -> None:
    run = Totals()
    run.add(TrialFacts("mock", HOSTILE, "missed"))
    text = markdown(run)
    [row] = [line for line in text.splitlines() if "alice" in line]
    assert row.startswith(
        "| mock/\\<b\\>@\u2060alice \\![x]\\(http://evil/y.png) [z]\\(javascript:1) \\`code\\` ## head ::error::no |"
    )
    assert not [line for line in text.splitlines() if line.lstrip().startswith(("## head", "::"))]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("add_a_task", "add_a_task"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("a*b*", "a\\*b\\*"),
        ("~~a~~", "\\~\\~a\\~\\~"),
        ("&lt;", "\\&lt;"),
        ("a|b", "a\\|b"),
        ("a\\|b", "a\\\\\\|b"),
        ("a\\_b", "a\\\\\\_b"),
        ("C:\\tasks", "C:\\tasks"),
    ],
)
def test_a_name_in_a_table_reads_as_it_is(name: str, written: str) -> None:
    run = Totals()
    run.add(TrialFacts("mock", name, "missed"))
    assert f"| mock/{written} " in markdown(run)


def test_a_node_id_can_be_copied_and_mentions_nobody() -> None:
    text = markdown(totals(), [("t.json::x[a@b-trial1]", "ask @alice")])
    assert "- `t.json::x[a@b-trial1]`: ask \\@\u2060alice" in text


@pytest.mark.parametrize("said", ["pass@1", "mia@example.com"])
def test_what_mentions_nobody_can_be_searched_for(said: str) -> None:
    text = markdown(totals(), [("t", f"about {said}")], gates=[f"gate {said} >= 0.5: HELD"])
    assert text.replace("\\", "").count(said) == 2


@pytest.mark.parametrize("said", ["@mia", "(@mia)", "`x`@mia", "é@mia", "a\\@mia"])
def test_nobody_is_mentioned(said: str) -> None:
    assert "@mia" not in markdown(totals(), [("t", said)], gates=[said])


class TestReason:
    def test_the_criteria_missed(self) -> None:
        results = [CriterionResult(criterion=name, value=value) for name, value in (("DB", 0.0), ("ACTION", 1.0))]
        assert reason(record(reward=Reward(value=0.0, basis=["DB", "ACTION"], results=results))) == "DB"

    def test_the_fault_where_there_is_one(self) -> None:
        assert reason(record(outcome=Outcome.MISSED)) == "partly done: 1 of 1 changes not made (turn 4)"

    def test_the_end_where_it_came_too_early(self) -> None:
        played = simulation(termination_reason=Termination.TOO_MANY_ERRORS)
        assert reason(record(simulation=played, reward=Reward(value=0.0))) == "ended by too_many_errors"

    def test_the_note_of_a_trial_that_never_began(self) -> None:
        broken = record(outcome=Outcome.ERROR, reward=None, simulation=None, note="KeyError: 'x'")
        assert reason(broken) == "KeyError: 'x'"

    def test_the_tests_own_assertion(self) -> None:
        passing = Reward(value=1.0, basis=["DB"])
        assert reason(record(outcome=Outcome.MISSED, reward=passing, fault=None)) == "the test's own assertion"


def test_tasks_are_counted_once_whatever_was_played_of_them() -> None:
    made = Totals()
    for row, variant in (("mock, a", None), ("mock, b", None), ("mock, a-typos", {"label": "typos"})):
        made.add(TrialFacts(row, "t", "passed", label=row.partition(", ")[2][:1], variant=variant))
    assert "<summary>All 1 task, of each agent, with the variants</summary>" in markdown(made)
