"""``--tau-rescore``: recorded conversations are graded again, as tests."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import rescore as tau_rescore
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import AGENTS, Printed, journal, make_shop, rows, task, workers, write
from tests.plugin.parts import Parts, mock_play, nodeids, play
from tests.recordings.test_rescored import tau2_file
from tests.reports.blocks import readable
from tests.shared import shared

FAULTY = ("--tau-agent=faulty:rate=0.5", "--tau-k=2")


def rescore(pytester: pytest.Pytester, path: Path | str, *args: str) -> Parts:
    return play(pytester, f"--tau-rescore={path}", *args)


def verdicts(root: Path) -> dict[tuple[str, str, int], str]:
    return {(r.domain, r.task_id, r.trial): r.outcome.value for r in journal(root)}


def compared(result: Printed) -> str:
    (line,) = [line for line in result.outlines if line.startswith("tau: rewards graded again: ")]
    return line.removeprefix("tau: rewards graded again: ")


def test_a_suite_need_not_have_the_name_of_its_domain(pytester: pytest.Pytester) -> None:
    tasks = "address_before_items_everywhere,cancel_by_slip_2,moved_house"
    play(pytester, "--tau-domain=retail_long,retail_images,retail", f"--tau-tasks={tasks}", "--tau-agent=oracle")
    before = verdicts(pytester.path)
    assert len(before) == 3
    for path in (".tau", str(min(pytester.path.glob(".tau/2*/journal.jsonl")))):
        rescore(pytester, path).assert_outcomes(passed=3)
        assert verdicts(pytester.path) == before
    assert [reward.passed for _, _, reward, _ in tau_rescore(pytester.path / ".tau")] == [True] * 3


def test_so_may_one_of_the_project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    make_shop(pytester.path)
    shop = pytester.path / "tasks" / "shop"
    other = {**json.loads(min(shop.glob("*.json")).read_text(encoding="utf-8")), "id": "other"}
    write(pytester.path, "tasks/shop_long/other.json", other)
    play(pytester, "tasks/shop_long", "--tau-agent=oracle").assert_outcomes(passed=1)
    rescore(pytester, ".tau").assert_outcomes(passed=1)
    monkeypatch.chdir(pytester.path)
    assert [reward.passed for _, _, reward, _ in tau_rescore(pytester.path / ".tau")] == [True]


@pytest.mark.parametrize("grade_again", [pytest.Pytester.runpytest, pytest.param(workers, marks=pytest.mark.slow)])
def test_a_journal_gets_the_grades_it_has(
    pytester: pytest.Pytester, grade_again: Callable[..., pytest.RunResult]
) -> None:
    played = play(pytester, "--tau-domain=mock,retail", "--tau-tasks=2", *FAULTY)
    before = verdicts(pytester.path)
    assert set(before.values()) == {"passed", "missed"}
    file = min(pytester.path.glob(".tau/2*/journal.jsonl"))
    for result in (rescore(pytester, ".tau"), grade_again(pytester, f"--tau-rescore={file}")):
        assert result.ret == played.ret == pytest.ExitCode.TESTS_FAILED
        assert verdicts(pytester.path) == before
        table, first = rows(result), rows(played)
        assert {name: row["pass^2"] for name, row in table.items()} == {n: r["pass^2"] for n, r in first.items()}
        assert list(table) == ["mock", "retail", "all"]
        assert compared(result) == "8 as recorded, 0 differ"
        assert [line for line in result.outlines if line.startswith("Faults: ")] == [
            line for line in played.outlines if line.startswith("Faults: ")
        ]


@pytest.mark.parametrize(
    ("name", "passed", "missed"),
    [("tau2_results_retail", 9, 1), ("tau2_results_airline", 5, 5), ("tau1_results_airline", 1, 7)],
)
def test_runs_of_real_models(pytester: pytest.Pytester, name: str, passed: int, missed: int) -> None:
    file = shared("samples", f"{name}.json")
    result = rescore(pytester, file, f"--tau-data={shared('tau2')}", "--tau-html=out.html")
    result.assert_outcomes(passed=passed, failed=missed)
    assert compared(result) == f"{passed + missed} as recorded, 0 differ"
    assert len(journal(pytester.path)) == passed + missed
    assert "Gold actions" in (pytester.path / "out.html").read_text(encoding="utf-8")


def test_under_the_table_stands_how_they_were_played(pytester: pytest.Pytester) -> None:
    info = {"environment_info": {"domain_name": "mock"}, "agent_info": {"llm": "m"}, "user_info": None, "seed": 5}
    file = tau2_file(pytester.path / "run.json", info=info)
    rescore(pytester, file, "-v").stdout.fnmatch_lines(["*recorded with seed 5"])


def test_each_simulation_is_a_test_with_an_id(pytester: pytest.Pytester) -> None:
    tau2_file(pytester.path / "run.json")
    ids = nodeids(pytester, "--tau-rescore=run.json")
    assert ids == ["run.json::mock::test_task[t-trial1]"]
    play(pytester, ids[0], "--tau-rescore=run.json").assert_outcomes(passed=1)


def test_a_file_from_elsewhere_is_named_in_ids_and_its_row_is_the_domain(
    pytester: pytest.Pytester, tmp_path: Path
) -> None:
    file = tau2_file(tmp_path / "run.json")
    [nodeid] = nodeids(pytester, f"--tau-rescore={file}")
    assert nodeid == f"{os.path.relpath(file, pytester.path)}::mock::test_task[t-trial1]"
    rescore(pytester, file, nodeid).assert_outcomes(passed=1)  # where the root is, pytest takes it as it is
    result = rescore(pytester, file)
    result.stdout.fnmatch_lines(["| mock   |     1 |      1 | *"])
    rescore(pytester, file, f"{file}::mock::test_task[t-trial1]").assert_outcomes(passed=1)  # as the rerun command says


def test_a_reward_that_differs_is_listed(pytester: pytest.Pytester) -> None:
    file = tau2_file(pytester.path / "run.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    (first,) = content["simulations"]
    content["simulations"] = [
        {**first, "reward_info": {"reward": 0.0}},
        first,
        {**first, "trial": 5, "reward_info": None},
        {**first, "trial": 6, "messages": []},
        {**first, "trial": 7, "reward_info": {"reward": "high"}},
    ]
    write(pytester.path, "run.json", content)
    result = pytester.runpytest("--tau-rescore=run.json", "--junitxml=junit.xml", "--tau-html=out.html")
    result.assert_outcomes(passed=4, failed=1)  # the exit status follows the new grades
    assert compared(result) == "1 as recorded, 2 differ, 2 cannot be compared"
    result.stdout.fnmatch_lines(
        [
            "  run.json::mock::test_task[[]t-trial1]: 0 was recorded, and it is 1",
            "  run.json::mock::test_task[[]t-trial7]: 1 was recorded, and it is 0",
        ]
    )
    assert sorted(record.trial for record in journal(pytester.path)) == [1, 2, 6, 7, 8]
    assert 'name="tau_recorded_reward" value="0"' in (pytester.path / "junit.xml").read_text(encoding="utf-8")
    assert "The recorded reward was 0; graded again it is 1." in readable(pytester.path / "out.html")


def test_a_file_that_was_put_together_twice_counts_once(pytester: pytest.Pytester) -> None:
    tau2_file(pytester.path / "run.json")
    content = json.loads((pytester.path / "run.json").read_text("utf-8"))
    (pytester.path / "run.json").write_text(json.dumps({**content, "simulations": content["simulations"] * 3}), "utf-8")
    result = rescore(pytester, "run.json")
    result.assert_outcomes(passed=1)
    assert rows(result)["mock"]["trials"] == "1"
    said = "(!) Left out: 2 conversations that the file has already, word for word: a copy is no further trial."
    assert said in result.outlines


def test_gates_decide_over_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    mock_play(pytester, "--tau-tasks=complete_a_task,count_my_tasks", "--tau-agent=agents:Completes")
    file = min(pytester.path.glob(".tau/2*/journal.jsonl"))
    held = rescore(pytester, file, "--tau-gate=mock: pass^1 >= 0.5")
    assert held.ret == pytest.ExitCode.OK
    held.stdout.fnmatch_lines(["gate mock: pass^1 >= 0.5: *: pass^1 is 50.0 %*"])
    stopped = pytester.runpytest(f"--tau-rescore={file}", "--tau-gate=pass^1 >= 0", "-x")
    assert stopped.ret != 0
    stopped.stdout.fnmatch_lines(["gate *: FAILED: no gate holds: the run was stopped early *"])


def test_some_of_the_tasks(pytester: pytest.Pytester) -> None:
    mock_play(pytester, "--tau-k=2", "--tau-tasks=3")
    assert len(nodeids(pytester, "--tau-rescore=.tau", "--tau-tasks=c*")) == 4
    assert len(nodeids(pytester, "--tau-rescore=.tau", "--tau-tasks=1")) == 2
    refused(pytester, "--tau-rescore=.tau", "--tau-tasks=c*,nosuch").fnmatch_lines(
        ["ERROR: --tau-rescore: --tau-tasks: no task of this run has the id 'nosuch'; there is *add_a_task*"]
    )


def test_domains_and_tasks_of_a_project(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    pytester.makeini("[pytest]\ntau_domain = shop")
    play(pytester).assert_outcomes(passed=1)
    elsewhere = write(pytester.path, "more/other.json", task("other"))
    pytester.makeini("[pytest]")
    play(pytester, str(elsewhere)).assert_outcomes(passed=1)
    pytester.makeini("[pytest]\ntau_rescore = .tau")
    play(pytester).assert_outcomes(passed=1)
    oldest = min(pytester.path.glob(".tau/2*/journal.jsonl"))
    rescore(pytester, oldest).assert_outcomes(passed=1)


def test_what_never_reached_a_verdict_stays_what_it_was(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    mock_play(pytester, "--tau-tasks=1", "--tau-agent=agents:Provider")
    result = rescore(pytester, ".tau")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert rows(result)["mock"]["infra"] == "1"
    assert compared(result) == "0 as recorded, 0 differ, 1 cannot be compared"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "*run.json: cannot be read: *"),
        ("[]", "*run.json: *"),
        ("[7]", "*run.json[[]0]: not a run of τ-bench v1 *"),
        ({"simulations": []}, "*run.json: neither a journal nor a τ² results file *"),
        ([], "*run.json: *"),
        (None, "*run.json: cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(pytester: pytest.Pytester, content: Any, sentence: str) -> None:
    if content is not None:
        write(pytester.path, "run.json", content)
    refused(pytester, "--tau-rescore=run.json", "-n1").fnmatch_lines([f"ERROR: --tau-rescore: {sentence}"])


def test_a_file_without_conversations(pytester: pytest.Pytester) -> None:
    tau2_file(pytester.path / "run.json", simulations=[])
    refused(pytester, "--tau-rescore=run.json").fnmatch_lines(
        ["ERROR: --tau-rescore: *run.json: no conversation is recorded in it"]
    )


def test_a_run_that_was_graded_again_names_no_tasks(pytester: pytest.Pytester) -> None:
    mock_play(pytester, "--tau-tasks=1")
    rescore(pytester, ".tau").assert_outcomes(passed=1)
    refused(pytester, "--tau-rescore=.tau/latest").fnmatch_lines(
        ["*journal.jsonl: holds trials that were graded again themselves: give the file *"]
    )


def test_of_a_folder_of_runs_the_last_that_was_played_is_meant(pytester: pytest.Pytester) -> None:
    for tasks in ("2", "1"):
        mock_play(pytester, f"--tau-tasks={tasks}")
    (_, played) = sorted(pytester.path.glob(".tau/2*"))
    for _ in range(2):
        result = rescore(pytester, ".tau")
        result.assert_outcomes(passed=1)
        result.stdout.fnmatch_lines([f"tau: grading 1 recorded conversation of {played}/journal.jsonl; none is played"])


def test_a_broken_conversation_is_that_tests_error(pytester: pytest.Pytester) -> None:
    file = tau2_file(pytester.path / "run.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    (first,) = content["simulations"]
    content["simulations"] = [first, {**first, "trial": 1, "messages": first["messages"][:1]}]
    write(pytester.path, "run.json", content)
    result = rescore(pytester, "run.json")
    result.assert_outcomes(passed=1, failed=1)
    assert "Traceback" not in result.stdout.str()
    assert "Tool message expected" in result.stdout.str()


@pytest.mark.parametrize(
    "option", ["domain=mock", "agent=noop", "k=4", "seed=4", "mode=solo", "split=base", "max-steps=3", "user-llm=m"]
)
def test_what_only_playing_could_heed_is_refused(pytester: pytest.Pytester, option: str) -> None:
    tau2_file(pytester.path / "run.json")
    refused(pytester, "--tau-rescore=run.json", f"--tau-{option}").fnmatch_lines(
        [f"ERROR: --tau-rescore grades what is recorded in the file: leave --tau-{option.partition('=')[0]} out"]
    )


def test_it_needs_a_file(pytester: pytest.Pytester) -> None:
    assert_refused("rescore", "", "must not be empty")
