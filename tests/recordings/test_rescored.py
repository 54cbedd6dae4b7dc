"""Grading recorded runs again: our journals, and the sentence for a file that is of no known format."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Task, grade, load_domain, load_tasks, recordings, rescore, simulate
from pytest_tau.errors import DomainError, RecordingError, TaskError
from pytest_tau.journal import BrokenLine, JournalWriter, last_run, new_run
from pytest_tau.manifest import Manifest
from pytest_tau.recordings.rescored import Library, read_recordings, recorded_file
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.builders import CREATE, a_call, action, mock, played_calls, says, task
from tests.shared import shared


def tau2_file(path: Path, **changes: Any) -> Path:
    """A results file as τ² writes them, with one run of one task."""
    played = task(criteria={"actions": [action("create_task", **CREATE)], "reward_basis": ["DB"]})
    run = {
        "id": "r",
        "task_id": "t",
        "trial": 0,
        "seed": None,
        "termination_reason": "user_stop",
        "messages": [m.model_dump() for m in played_calls(mock(), a_call("create_task", **CREATE))],
        "reward_info": {"reward": 1.0},
        "agent_cost": None,
    }
    content = {
        "info": {"environment_info": {"domain_name": "mock"}, "agent_info": {"llm": "m"}, "user_info": None},
        "tasks": [played.model_dump(mode="json", exclude_none=True)],
        "simulations": [run],
    }
    path.write_text(json.dumps({**content, **changes}), encoding="utf-8")
    return path


def journal(results: Path, played: Task, *, with_simulation: bool = True, **fields: Any) -> Path:
    sim = simulate(played, mock())
    record = TrialRecord(
        nodeid="n",
        domain="mock",
        task_id=played.id,
        trial=1,
        outcome=Outcome.PASSED,
        reward=grade(played, sim, mock()),
        simulation=sim if with_simulation else None,
    )
    writer = JournalWriter(new_run(results))
    writer.append(record.model_copy(update=fields).model_dump_json(exclude_none=True))
    writer.close()
    return results


class TestHowTheyWerePlayed:
    def test_what_a_results_file_says_of_its_run_is_kept(self, tmp_path: Path) -> None:
        info = {
            "environment_info": {"domain_name": "mock"},
            "agent_info": {"llm": "m", "llm_args": {"temperature": 0.0, "api_key": "sk-secret"}},
            "user_info": {"llm": "u", "llm_args": {"top_p": 1}},
            "seed": 300,
            "max_steps": 200,
            "max_errors": 10,
            "git_commit": "abc",
        }
        [found] = read_recordings(tau2_file(tmp_path / "r.json", info=info), Library())
        assert found.how == "seed 300, max_steps 200, max_errors 10, commit abc"
        assert found.simulation.agent_parameters == {"temperature": 0.0}
        assert found.simulation.user_parameters == {"top_p": 1}

    def test_options_of_documents_that_the_reference_ignores_are_ignored(self, tmp_path: Path) -> None:
        info = {
            "environment_info": {"domain_name": "banking_knowledge"},
            "retrieval_config": "bm25_grep",
            "retrieval_config_kwargs": {"topk": 3, "grep_top_k": 4, "case_sensitive": None},
        }
        hello = says("Hello.").model_dump()
        run = {"id": "r", "task_id": "t", "messages": [hello], "termination_reason": "user_stop"}
        file = tau2_file(
            tmp_path / "r.json", info=info, tasks=[task().model_dump(mode="json", exclude_none=True)], simulations=[run]
        )
        [found] = read_recordings(file, Library(shared("tau2")))
        assert found.domain.knowledge is not None
        assert found.domain.knowledge.setting == "bm25_grep,grep_top_k=4"

    def test_what_it_does_not_say_is_left_out(self, tmp_path: Path) -> None:
        info = {"environment_info": {"domain_name": "mock"}, "git_commit": "unknown", "seed": None}
        [found] = read_recordings(
            tau2_file(tmp_path / "r.json", info={**info, "agent_info": {"llm_args": 5}}), Library()
        )
        assert (found.how, found.simulation.agent_parameters) == ("", {})

    def test_of_a_journal_its_manifest_says_it(self, tmp_path: Path) -> None:
        results = journal(tmp_path / ".tau", load_tasks("mock")[0])
        assert [found.how for found in read_recordings(recorded_file(results), Library())] == [""]
        options = {"mode": "default", "seed": 7, "max_steps": 50, "agent": "mine:Agent"}
        content = {"version of pytest-tau": "9.9"}
        Manifest(options=options, content=content, about={"commit": "abc"}).save(last_run(results) or results)
        [found] = read_recordings(recorded_file(results), Library())
        assert found.how == "mode default, seed 7, max_steps 50, pytest-tau 9.9, commit abc"


class TestTau2:
    def test_a_file(self, tmp_path: Path) -> None:
        ((played, sim, reward, recorded),) = rescore(tau2_file(tmp_path / "r.json"))
        assert (played.id, sim.trial, sim.agent, sim.user, reward.value, recorded) == ("t", 1, "m", "", 1.0, 1.0)

    @pytest.mark.parametrize("name", ["mock", "retail"])
    def test_a_bare_list_of_simulations_is_graded_by_the_tasks_of_today(self, tmp_path: Path, name: str) -> None:
        """Those of a domain that others are based on as well, with the same tools."""
        played, domain = load_tasks(name)[:3], load_domain(name)
        runs = [simulate(one, domain).model_dump(mode="json", exclude_none=True) for one in played]
        file = tmp_path / "simulations.json"
        file.write_text(json.dumps(runs), encoding="utf-8")
        found = rescore(file)
        assert [(one.id, reward.passed) for one, _, reward, _ in found] == [(one.id, True) for one in played]

    def test_a_list_of_simulations_of_no_domain(self, tmp_path: Path) -> None:
        file = tmp_path / "simulations.json"
        file.write_text(json.dumps([{"task_id": "t", "messages": []}]), encoding="utf-8")
        with pytest.raises(RecordingError, match="whose calls do not tell their domain"):
            rescore(file)

    def test_by_the_tasks_of_today(self, tmp_path: Path) -> None:
        played = load_tasks("mock")[0]
        file = tau2_file(tmp_path / "r.json")
        content = json.loads(file.read_text(encoding="utf-8"))
        content["tasks"][0]["id"] = content["simulations"][0]["task_id"] = played.id
        file.write_text(json.dumps(content), encoding="utf-8")
        ((of_file, _, reward, _),) = rescore(file)
        assert (of_file == played, reward.value) == (False, 1.0)
        ((of_today, _, _, _),) = rescore(file, tasks="today")
        assert of_today == played

    def test_a_task_that_is_no_more(self, tmp_path: Path) -> None:
        with pytest.raises(RecordingError, match="its task 't' is not among the tasks that 'mock' has now"):
            rescore(tau2_file(tmp_path / "r.json"), tasks="today")

    def test_its_folder(self, tmp_path: Path) -> None:
        tau2_file(tmp_path / "results.json")
        assert len(rescore(tmp_path)) == 1

    def test_steps_are_counted_where_the_file_does_not_say(self, tmp_path: Path) -> None:
        ((_, simulation, *_),) = rescore(tau2_file(tmp_path / "results.json"))
        assert simulation.steps == len(simulation.messages) > 0

    def test_a_folder_with_one_file_a_simulation(self, tmp_path: Path) -> None:
        (run,) = json.loads(tau2_file(tmp_path / "results.json").read_text())["simulations"]
        tau2_file(tmp_path / "results.json", simulations=None)
        (tmp_path / "simulations").mkdir()
        for trial in (1, 0):
            (tmp_path / "simulations" / f"{trial}.json").write_text(json.dumps({**run, "trial": trial}))
        assert [sim.trial for _, sim, _, _ in rescore(tmp_path)] == [1, 2]

    def test_recorded_results_do_not_count_but_calls_do(self, tmp_path: Path) -> None:
        content = json.loads(tau2_file(tmp_path / "r.json").read_text())
        content["simulations"][0]["messages"][1]["content"] = "another version's words"
        (tmp_path / "r.json").write_text(json.dumps(content))
        assert rescore(tmp_path / "r.json")[0][2].value == 1.0
        content["simulations"][0]["messages"] = [says("Nothing").model_dump()]
        (tmp_path / "r.json").write_text(json.dumps(content))
        assert rescore(tmp_path / "r.json")[0][2].value == 0.0

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"info": None}, "neither a journal nor a τ² results file"),
            ({"info": {}}, "neither a journal nor a τ² results file"),
            ({"tasks": None}, "neither a journal nor a τ² results file"),
            ({"simulations": 5}, "neither a journal nor a τ² results file"),
            ({"info": {}}, r"\(it has no 'environment_info'\)"),
            ({"simulations": [7]}, r"simulations\[0\]: its task 'None' is not among the file's tasks"),
            ({"simulations": [{"task_id": "x"}]}, r"simulations\[0\]: its task 'x' is not among the file's tasks"),
            ({"simulations": [{"task_id": "t"}]}, r"simulations\[0\]: id: Field required"),
        ],
    )
    def test_what_cannot_be_read(self, tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
        with pytest.raises(RecordingError, match=sentence):
            rescore(tau2_file(tmp_path / "r.json", **changes))

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"agent_cost": -5.0}, "agent_cost: Input should be greater than or equal to 0"),
            ({"steps": -1}, "steps: Input should be greater than or equal to 0"),
            ({"trial": 10**9}, "trial: Input should be less than or equal to 1000000000"),
        ],
    )
    def test_numbers_that_no_journal_could_be_read_with(
        self, tmp_path: Path, changes: dict[str, Any], sentence: str
    ) -> None:
        content = json.loads(tau2_file(tmp_path / "r.json").read_text(encoding="utf-8"))
        content["simulations"][0].update(changes)
        (tmp_path / "r.json").write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(RecordingError, match=rf"simulations\[0\]: {sentence}"):
            rescore(tmp_path / "r.json")

    def test_a_reward_that_no_record_can_hold_is_as_good_as_missing(self, tmp_path: Path) -> None:
        file = tau2_file(tmp_path / "r.json")
        file.write_text(file.read_text(encoding="utf-8").replace('"reward": 1.0', f'"reward": {10**400}'))
        [(_, _, reward, recorded)] = rescore(file)
        assert (reward.value, recorded) == (1.0, None)

    def test_the_byte_order_mark_of_an_editor_is_no_part_of_it(self, tmp_path: Path) -> None:
        file = tau2_file(tmp_path / "r.json")
        file.write_text("\ufeff" + file.read_text(encoding="utf-8"), encoding="utf-8")
        assert rescore(file)[0][2].value == 1.0

    def test_a_result_of_no_call_is_named_with_its_trial(self, tmp_path: Path) -> None:
        content = json.loads(tau2_file(tmp_path / "r.json").read_text(encoding="utf-8"))
        content["simulations"][0]["messages"].reverse()
        (tmp_path / "r.json").write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(RecordingError, match=r"r\.json: task 't', trial 1: Tool message not expected"):
            rescore(tmp_path / "r.json")

    def test_parts_of_another_type_are_as_good_as_missing(self, tmp_path: Path) -> None:
        content = json.loads(tau2_file(tmp_path / "r.json").read_text(encoding="utf-8"))
        content["info"].update(agent_info=5, user_info=[])
        content["simulations"][0].update(reward_info=5, trial="x")
        (tmp_path / "r.json").write_text(json.dumps(content), encoding="utf-8")
        [(_, sim, reward, recorded)] = rescore(tmp_path / "r.json")
        assert (sim.trial, sim.agent, reward.value, recorded) == (1, "", 1.0, None)

    def test_a_policy_that_makes_a_domain_of_its_own(self, tmp_path: Path) -> None:
        info = {"environment_info": {"domain_name": "telecom-workflow"}}
        assert rescore(tau2_file(tmp_path / "r.json", info=info, tasks=[], simulations=[])) == []

    def test_tasks_of_another_domain_with_that_name(self, tmp_path: Path) -> None:
        ours = action("create_task", **CREATE)
        theirs = action("create_task", **CREATE | {"user_id": "nadia_9999"})

        def told(*golds: list[dict[str, Any]]) -> Path:
            tasks = [task(id=str(n), criteria={"actions": gold}) for n, gold in enumerate(golds)]
            dumped = [one.model_dump(mode="json", exclude_none=True) for one in tasks]
            return tau2_file(tmp_path / "r.json", tasks=dumped, simulations=[])

        sentence = (
            r"not about this 'mock': gold actions fail in 2 of 3 of them, such as create_task\(user_id=\"nadia_9999\""
        )
        with pytest.raises(RecordingError, match=sentence):
            rescore(told([ours], [theirs], [ours, theirs], []))
        assert rescore(told([ours], [theirs], [])) == []  # a gold action may fail
        assert rescore(told([ours, theirs, ours])) == []  # public ones do, on the right data as well

    @pytest.mark.parametrize("name", ["tau2_results_airline", "tau2_results_retail", "tau1_results_airline"])
    def test_public_recordings_are_not_graded_on_our_data(self, name: str) -> None:
        with pytest.raises(RecordingError, match="recordings on the public data need the public data"):
            rescore(shared("samples", f"{name}.json"))

    def test_a_task_that_is_none(self, tmp_path: Path) -> None:
        with pytest.raises(TaskError, match=r"r\.json: tasks\[0\]: Input should be an object"):
            rescore(tau2_file(tmp_path / "r.json", tasks=[7]))

    def test_a_list_of_no_runs(self, tmp_path: Path) -> None:
        (tmp_path / "r.json").write_text("[]")
        assert rescore(tmp_path / "r.json") == []

    @pytest.mark.parametrize("text", ["{", "7", '"x"', "{}"])
    def test_no_results_at_all(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "r.json").write_text(text)
        with pytest.raises(RecordingError, match=r"r\.json: "):
            rescore(tmp_path / "r.json")
        with pytest.raises(RecordingError, match="cannot be read"):
            rescore(tmp_path / "none.json")


class TestJournal:
    def test_a_run_by_any_of_its_paths(self, tmp_path: Path) -> None:
        played = load_tasks("mock")[0]
        results = journal(tmp_path / ".tau", played)
        file = next(results.glob("*/journal.jsonl"))
        for path in (results, file.parent, file):
            ((found, sim, reward, recorded),) = rescore(path)
            assert (found, sim.task_id, reward.value, recorded) == (played, played.id, 1.0, 1.0)

    def test_what_only_a_spool_has_since_all_were_killed_is_graded_too(self, tmp_path: Path) -> None:
        played = load_tasks("mock")[0]
        results = journal(tmp_path / ".tau", played)
        run = next(results.glob("*/journal.jsonl")).parent
        (line,) = (run / "journal.jsonl").read_text("utf-8").splitlines()
        spooled = {**json.loads(line), "nodeid": "other", "trial": 2}
        spooled["simulation"] = {**spooled["simulation"], "id": "other", "trial": 2}
        (run / "spool-gw0.jsonl").write_text(json.dumps(spooled) + "\n", "utf-8")
        for path in (results, run, run / "journal.jsonl"):
            assert [sim.trial for _, sim, _, _ in rescore(path)] == [1, 2]

    def test_what_never_became_a_simulation_is_left_out(self, tmp_path: Path) -> None:
        assert rescore(journal(tmp_path, load_tasks("mock")[0], with_simulation=False)) == []

    def test_a_conversation_that_lacks_a_text_is_left_out_and_not_graded_as_another_one(self, tmp_path: Path) -> None:
        played = load_tasks("mock")[0]
        file = next(journal(tmp_path, played).glob("*/journal.jsonl"))
        sim = simulate(played, mock()).model_copy(update={"messages": [says("text:0011223344556677")]})
        lacks = TrialRecord(
            nodeid="other", domain="mock", task_id=played.id, trial=2, outcome=Outcome.PASSED, simulation=sim
        )
        with file.open("a", encoding="utf-8") as more:
            more.write(json.dumps({**json.loads(lacks.model_dump_json()), "version": 2}) + "\n")
        with pytest.warns(BrokenLine, match=r"other is left out|:2: a line further up is broken"):
            assert [sim.trial for _, sim, _, _ in rescore(file)] == [1]

    def test_a_task_that_is_gone(self, tmp_path: Path) -> None:
        with pytest.raises(TaskError, match=r"the tasks of 'mock' have no 'gone' \(any more\)"):
            rescore(journal(tmp_path, load_tasks("mock")[0], task_id="gone"))

    @pytest.mark.parametrize("nodeid", ["tau/nowhere/x.json", "tau/mock/x.json"])
    def test_a_domain_that_only_pytest_may_know(self, tmp_path: Path, nodeid: str) -> None:
        results = journal(tmp_path, load_tasks("mock")[0], domain="shop", nodeid=f"{nodeid}::test_task[trial1]")
        with pytest.raises(
            DomainError, match=r"no domain 'shop'.*; one that a conftest.py registers is known to pytest"
        ):
            rescore(results)


PATHS = ["{evil}", "../evil", "../work/../evil", "./evil", "domains/../../evil", "..", ""]


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A domain folder somewhere that leaves a trace when its Python runs; the working folder is beside it."""
    folder = tmp_path / "evil"
    for place in (folder, tmp_path / "work"):
        place.mkdir()
    (folder / "domain.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    (tmp_path / "domain.py").write_text((folder / "domain.py").read_text())
    monkeypatch.chdir(tmp_path / "work")
    return folder


class TestAFileNamesADomainAndNeverAPath:
    @pytest.mark.parametrize("path", PATHS)
    def test_a_results_file(self, evil: Path, path: str) -> None:
        info = {"environment_info": {"domain_name": path.format(evil=evil)}}
        with pytest.raises(DomainError, match="is not a domain name"):
            rescore(tau2_file(evil.parent / "r.json", info=info))
        assert not (evil.parent / "ran").exists()

    @pytest.mark.parametrize("path", PATHS)
    def test_a_journal(self, evil: Path, path: str) -> None:
        results = journal(evil.parent / "results", load_tasks("mock")[0], domain=path.format(evil=evil))
        with pytest.raises(DomainError, match=r"is not a domain name: a file may name a domain, never a path$"):
            rescore(results)
        assert not (evil.parent / "ran").exists()


def test_its_package_offers_it_whatever_has_been_loaded() -> None:
    assert recordings.rescore is rescore
