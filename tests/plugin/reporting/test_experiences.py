"""What trials took of models: what the doctor has measured, for whom it holds, and what a resumed run goes by."""

import json
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import pytest

from pytest_tau.journal import MEASURED
from pytest_tau.plugin.reporting.experiences import Known, done_so_far, find_measured, keep_measured
from pytest_tau.plugin.reporting.rows import Place
from pytest_tau.plugin.run import Run
from pytest_tau.reports.forecast import Expected, Experience, Load
from tests.builders import mock, task
from tests.options.models import AGENT, USER

BOTH = (AGENT, USER)
SIDES = ("agent", "user")
GUESS = Load(4.0, 100.0, 10.0)
TOOK = Experience(3, GUESS, Load(8.0, 300.0, 20.0), counted=False)
MOCK = {("mock", "t"): Expected(task(), mock())}


def run(pytester: pytest.Pytester, *args: str) -> Run:
    return Run(pytester.parseconfig(*(args or BOTH)))


def measured(pytester: pytest.Pytester, *args: str, sides: Iterable[str] = SIDES, domain: str = "mock") -> Known | None:
    return find_measured(run(pytester, *args), sides, [domain])


class TestWhatTheDoctorMeasured:
    def test_it_is_found_as_it_was_kept(self, pytester: pytest.Pytester) -> None:
        keep_measured(run(pytester), ["mock"], {"agent": TOOK})
        today = date.today().isoformat()
        assert measured(pytester) == (f"the 3 trials that pytest-tau doctor played on {today}", {"agent": TOOK})
        assert measured(pytester, sides=["user"]) is None

    @pytest.mark.parametrize(
        "args",
        [
            ("--tau-agent-llm=openai/other", USER),
            (*BOTH, "--tau-agent=act"),
            (*BOTH, "--tau-mode=solo"),
        ],
        ids=["another model", "another agent", "another mode"],
    )
    def test_it_holds_for_the_same_players_only(self, pytester: pytest.Pytester, args: tuple[str, ...]) -> None:
        keep_measured(run(pytester), ["mock"], {"agent": TOOK})
        assert measured(pytester, *args, sides=["agent"]) is None

    def test_it_holds_for_the_same_suites_only_in_whatever_order(self, pytester: pytest.Pytester) -> None:
        keep_measured(run(pytester), ["retail", "mock"], {"agent": TOOK})
        assert measured(pytester) is None
        assert find_measured(run(pytester), SIDES, ["mock", "retail"]) is not None

    def test_what_is_measured_later_replaces_its_own_and_no_other(self, pytester: pytest.Pytester) -> None:
        keep_measured(run(pytester), ["mock"], {"agent": TOOK, "user": TOOK})
        again = Experience(5, GUESS, GUESS)
        keep_measured(run(pytester), ["mock"], {"agent": again})
        keep_measured(run(pytester), ["retail"], {"agent": again})
        found = measured(pytester)
        assert found is not None
        assert found[0].startswith("the 5 trials")
        assert found[1] == {"agent": again, "user": TOOK}

    def test_where_nothing_can_be_written_nothing_is_kept(self, pytester: pytest.Pytester) -> None:
        known = run(pytester)
        known.results.write_text("in the way", encoding="utf-8")
        keep_measured(known, ["mock"], {"agent": TOOK})
        assert measured(pytester) is None


class TestWhatSomebodyHasChanged:
    @pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1}', '{"version": 1, "measured": []}'])
    def test_a_file_that_is_none_measures_nothing(self, pytester: pytest.Pytester, content: str) -> None:
        self.write(run(pytester), content)
        assert measured(pytester) is None

    def test_a_file_of_another_version_measures_nothing(self, pytester: pytest.Pytester) -> None:
        self.write(run(pytester), json.dumps({**self.kept(pytester), "version": 2}))
        assert measured(pytester) is None

    @pytest.mark.parametrize(
        "change",
        [
            {"trials": "many"},
            {"taken": [1, 2, 3, 4]},
            {"taken": [1, 2, -3]},
            {"taken": [1, 2, 1e300]},
            {"taken": [1, 2, float("nan")]},
            {"expected": None},
            {"on": "yesterday"},
        ],
        ids=["trials", "one more", "less than nothing", "too many", "no number", "nothing", "no day"],
    )
    def test_an_entry_that_no_trial_could_leave_measures_nothing(
        self, pytester: pytest.Pytester, change: dict[str, Any]
    ) -> None:
        kept = self.kept(pytester)
        for one in kept["measured"].values():
            one |= change
        self.write(run(pytester), json.dumps(kept))
        assert measured(pytester) is None
        kept["measured"] = dict.fromkeys(kept["measured"], 3)
        self.write(run(pytester), json.dumps(kept))
        assert measured(pytester) is None

    def kept(self, pytester: pytest.Pytester) -> dict[str, Any]:
        known = run(pytester)
        keep_measured(known, ["mock"], {"agent": TOOK})
        found: dict[str, Any] = json.loads((known.results / MEASURED).read_text(encoding="utf-8"))
        return found

    def write(self, known: Run, content: str) -> None:
        (known.results / MEASURED).parent.mkdir(parents=True, exist_ok=True)
        (known.results / MEASURED).write_text(content, encoding="utf-8")


USAGE = {"prompt_tokens": 100, "completion_tokens": 10}
TOLD = {"role": "assistant", "content": "Hi", "usage": USAGE}
WRITTEN = {"role": "assistant", "content": "Hello"}  # by no model
TIMED = {"role": "user", "content": "Hi", "generation_time_seconds": 1.5}


class TestWhatARunHasDone:
    def taken(
        self, pytester: pytest.Pytester, *trials: Mapping[str, Any], done: Iterable[str] = "ab", agent: str = ""
    ) -> Known | None:
        """What a run goes by that has left these trials, named a, b and so on."""
        known = run(pytester)
        known.done = frozenset(done)
        known.folder.mkdir(parents=True)
        about = {"version": 1, "task_id": "t", "domain": "mock", "trial": 1, "outcome": "passed"}
        lines = [json.dumps({**about, "nodeid": "abc"[n], "simulation": one}) for n, one in enumerate(trials)]
        (known.folder / "journal.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return done_so_far(known, lambda nodeid: Place(agent, "mock", "t"), MOCK, lambda side, of: GUESS)

    def test_it_is_the_sum_of_its_trials_beside_what_was_expected_of_them(self, pytester: pytest.Pytester) -> None:
        one = {"messages": [WRITTEN, TIMED, TOLD, TOLD]}
        found = self.taken(pytester, one, {"messages": [TOLD]})
        assert found is not None
        words, sides = found
        assert words == "the 2 trials done so far"
        assert sides["agent"] == Experience(2, GUESS * 2, Load(3, 300, 30))
        assert sides["user"] == Experience(2, GUESS * 2, Load(1, 0, 0), counted=False)

    def test_of_several_agents_each_is_known_by_its_label(self, pytester: pytest.Pytester) -> None:
        found = self.taken(pytester, {"messages": [TOLD]}, agent="mini")
        assert found is not None
        assert list(found[1]) == ["agent mini"]

    def test_what_was_asked_again_and_played_again_was_taken_too(self, pytester: pytest.Pytester) -> None:
        again = {**TOLD, "raw_data": {"asked_again": ["what?", "what?"]}}
        found = self.taken(pytester, {"messages": [again], "discarded": [{"messages": [TOLD]}]}, done="a")
        assert found is not None
        assert found[1]["agent"].taken.calls == 4

    def test_trials_that_are_not_done_do_not_count(self, pytester: pytest.Pytester) -> None:
        assert self.taken(pytester, {"messages": [TOLD]}, done="b") is None

    @pytest.mark.parametrize("simulation", [{"messages": [WRITTEN]}, {"messages": []}, {"messages": None}, None])
    def test_where_no_model_has_written_nothing_is_known(self, pytester: pytest.Pytester, simulation: Any) -> None:
        assert self.taken(pytester, simulation) is None
