"""What is said of two runs and of more, who counts as missing, and the report that shows them together."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.errors import RecordingError, SettingsError
from pytest_tau.journal import load_journal
from pytest_tau.manifest import Manifest, keep_plan, save_decided
from pytest_tau.metrics.baseline import Baseline, TaskCounts, save_baseline
from pytest_tau.metrics.task_results import TaskResult
from pytest_tau.reports.comparisons import compared_runs, results, write_comparison
from pytest_tau.schema.record import Outcome, TrialRecord, Variant


def journal(folder: Path, *agents: Mapping[str, str]) -> Path:
    """A journal with a trial for each letter: p passed, m missed, i infra error; of several agents a, b, …"""
    names = {"p": Outcome.PASSED, "m": Outcome.MISSED, "i": Outcome.INFRA_ERROR}
    folder.mkdir()
    lines = [
        TrialRecord(
            nodeid=f"tau/mock/{task}.json::test_task[{label and f'{label}-'}trial{number}]",
            domain="mock",
            task_id=task,
            trial=number,
            outcome=names[letter],
            label=label or None,
        ).model_dump_json()
        for label, outcomes in zip("ab" if len(agents) > 1 else [""], agents, strict=True)
        for task, letters in outcomes.items()
        for number, letter in enumerate(letters, start=1)
    ]
    (folder / "journal.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def test_the_command_compares_journals_and_baselines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = journal(tmp_path / "a", {"one": "pppp", "two": "pppi", "three": "pppp"})
    bad = journal(tmp_path / "b", {"one": "mmmm", "two": "pppp", "three": "pppp"})
    assert main(["compare", str(good), str(bad)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("worse: pass^1 100.0 % → 66.7 % over 3 common tasks, -33.3 points, more than chance")
    *_, lost, _, missing = out.splitlines()
    assert lost == "from always to never: mock/one"
    assert missing == f"{good}: 1 of 12 trials have no verdict and count as passed; --tau-resume plays them"
    tasks = {f"mock/{name}": TaskCounts(successes=4, trials=4, hash="") for name in ("one", "two", "three")}
    save_baseline(Baseline(created="2025-01-01", tasks=tasks), tmp_path / "base.json")
    assert main(["compare", str(tmp_path / "base.json"), str(good), "--margin", "0.5"]) == 0
    assert capsys.readouterr().out.startswith("no difference: pass^1 100.0 % → 91.7 % over 3 common tasks")


def test_whatever_a_task_is_called_each_thing_said_is_one_line(tmp_path: Path) -> None:
    runs = [
        journal(tmp_path / name, {"this; that\nother": letters}) for name, letters in (("a", "pppp"), ("b", "mmmm"))
    ]
    _, lost, _ = compared_runs([str(run) for run in runs])[0]
    assert lost == "from always to never: mock/this; that other"


def test_tasks_of_a_test_whose_ids_have_slashes_stay_apart(tmp_path: Path) -> None:
    """Of two rows about three tasks each, two of which are called 1."""
    runs = []
    for name, passed in (("a", ["one/1", "two/1"]), ("b", ["three"])):
        lines = [
            TrialRecord(
                nodeid=f"test_it.py::test_it[gpt/{row}-{task}-trial1]",
                domain="mock",
                task_id=task,
                trial=1,
                outcome=Outcome.PASSED if task in passed else Outcome.MISSED,
            ).model_dump_json()
            for row in "xy"
            for task in ("one/1", "two/1", "three")
        ]
        (tmp_path / name).mkdir()
        (tmp_path / name / "journal.jsonl").write_text("\n".join(lines) + "\n")
        runs.append(str(tmp_path / name))
    assert "pass^1 66.7 % → 33.3 % over 3 common tasks, -33.3 points" in compared_runs(runs)[0][0]
    [ranked] = [line for line in compared_runs([*runs, runs[0]])[0] if line.startswith(f"{runs[0]} → {runs[1]}")]
    assert "-33.3 points" in ranked


def test_the_command_needs_a_common_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = journal(tmp_path / "a", {"one": "p"}), journal(tmp_path / "b", {"two": "p"})
    assert main(["compare", str(one), str(other)]) == 2
    assert "no task has 1 trial here and in" in capsys.readouterr().err
    assert main(["compare", str(one), str(other), "--margin", "10"]) == 2
    assert "write for example --k 1 --margin 0.10" in capsys.readouterr().err


def test_links_that_lead_in_a_circle_are_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    for runs in ([loop], [loop, loop, tmp_path]):
        assert main(["compare", *map(str, runs)]) == 2
        assert "loop: there is no journal" in capsys.readouterr().err


def test_trials_without_a_verdict_count_against_the_later_run(tmp_path: Path) -> None:
    """The rule of the gates: 23 of 96 trials that raised are no reason to see a smaller drop."""
    names = [f"t{number}" for number in range(24)]
    journal(tmp_path / "a", dict.fromkeys(names, "pppm"))
    journal(tmp_path / "b", {name: "pppm" if number == 0 else "ppmi" for number, name in enumerate(names)})
    lines, status = compared_runs([str(tmp_path / "a"), str(tmp_path / "b")])
    assert status == 1
    assert lines[0].startswith("worse: pass^1 75.0 % → 51.0 % over 24 common tasks, -24.0 points, more than chance")
    assert lines[-1].endswith("b: 23 of 96 trials have no verdict and count as missed; --tau-resume plays them")
    lines, status = compared_runs([str(tmp_path / "b"), str(tmp_path / "a")])
    assert status == 0
    assert lines[0].startswith("unchanged: pass^1 75.0 % → 75.0 %")


def test_trials_that_an_interrupted_run_never_began_count_too(tmp_path: Path) -> None:
    names = [f"t{number}" for number in range(6)]
    good, cut = journal(tmp_path / "a", dict.fromkeys(names, "pp")), journal(tmp_path / "b", {"t0": "pp", "t1": "p"})
    for run in (good, cut):
        keep_plan(run, {f"tau/mock/{name}.json::test_task[": 2 for name in names})
        Manifest(k=2).save(run)
    lines, status = compared_runs([str(good), str(cut)])
    assert status == 1
    assert lines[0].startswith("worse: pass^1 100.0 % → 25.0 % over 6 common tasks")
    assert lines[-1] == f"{cut}: 9 of 12 trials have no verdict and count as missed; --tau-resume plays them"
    save_decided(cut, ["gate pass^1 >= 0.5: HELD"])
    assert compared_runs([str(good), str(cut)])[0][0].startswith("inconclusive: pass^1 100.0 % → 100.0 % over 2")


def test_the_command_ranks_more_than_two_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"t{number}" for number in range(20)]
    runs = [str(journal(tmp_path / letters, dict.fromkeys(names, letters))) for letters in ("pppp", "pppm", "pmmm")]
    assert main(["compare", *runs]) == 1
    out = capsys.readouterr().out
    assert [line.split("|")[3].strip() for line in out.splitlines()[2:5]] == ["1", "2", "3"]
    assert "Ranks that are possible, all at once with confidence 95 %; 3 pairs:" in out
    assert f"{runs[0]} → {runs[2]}: worse, -75.0 points, p below 0.001 (Holm-adjusted)" in out
    assert main(["compare", runs[0]]) == 2
    assert "name another run to compare it with" in capsys.readouterr().err


def test_a_first_run_without_verdicts_hides_no_regression_among_several(tmp_path: Path) -> None:
    names = [f"t{number}" for number in range(6)]
    runs = [str(journal(tmp_path / one, dict.fromkeys(names, one * 4))) for one in "im"]
    runs.append(str(journal(tmp_path / "again", dict.fromkeys(names, "mmmm"))))
    assert compared_runs(runs[:2])[1] == 1
    lines, status = compared_runs(runs)
    assert status == 1
    assert [[cell.strip() for cell in line.split("|")[2:4]] for line in lines[2:5]] == [["0.0 %", "1–3"]] * 3
    assert [line.removesuffix(" (Holm-adjusted)") for line in lines[-4:]] == [
        f"{runs[0]} → {runs[1]}: worse, -100.0 points, p below 0.001",
        f"{runs[0]} → {runs[2]}: worse, -100.0 points, p below 0.001",
        f"{runs[1]} → {runs[2]}: unchanged, +0.0 points, p 1.000",
        f"{runs[0]}: 24 of 24 trials have no verdict and count as missed, and as passed where a later run is "
        "compared with it; --tau-resume plays them",
    ]


def test_the_margin_is_that_of_each_pair_of_more_than_two_runs(tmp_path: Path) -> None:
    def run(name: str, odd: str) -> str:
        return str(journal(tmp_path / name, {f"t{number}": odd if number == 0 else "pppm" for number in range(24)}))

    runs = [run("a", "pppp"), run("b", "ppmm"), run("c", "pppp")]
    for margin, verdict in ((0.1, "no difference"), (0.01, "inconclusive")):
        (two, *_), _ = compared_runs(runs[:2], margin=margin)
        lines, _ = compared_runs(runs, margin=margin)
        [pair] = [line for line in lines if line.startswith(f"{runs[0]} → {runs[1]}: ")]
        assert two.startswith(f"{verdict}: ")
        assert f": {verdict}, -2.1 points, " in pair


def test_a_baseline_is_a_run_without_gaps(tmp_path: Path) -> None:
    file = tmp_path / "base.json"
    save_baseline(Baseline(created="2025-01-01", tasks={"mock/a/b": TaskCounts(successes=1, trials=4, hash="")}), file)
    assert results(str(file)) == {str(file): [TaskResult("mock", "a/b", 1, 4, 4)]}


@pytest.mark.parametrize("indent", [2, None])
def test_a_baseline_is_known_by_what_it_says_whatever_it_is_called(tmp_path: Path, indent: int | None) -> None:
    run = str(journal(tmp_path / "r", {"one": "pm"}))
    file, other = tmp_path / "base.json", str(tmp_path / "base.txt")
    save_baseline(Baseline(created="2025-01-01", tasks={"mock/one": TaskCounts(successes=1, trials=2, hash="")}), file)
    content = json.loads(file.read_text(encoding="utf-8"))
    Path(other).write_text(json.dumps(content, indent=indent, sort_keys=True), encoding="utf-8")
    lines, _ = compared_runs([other, run])
    assert lines[0].startswith("unchanged: pass^1 50.0 % → 50.0 % over 1 common task")
    with pytest.raises(RecordingError, match=r"base\.txt: a baseline has no trials to show"):
        write_comparison([other, run], tmp_path / "report.html")


def test_tasks_that_were_told_otherwise_are_no_more_trials_of_them(tmp_path: Path) -> None:
    """As gates look at them: a run whose variants alone have become worse has not."""
    run = journal(tmp_path / "r", {"one": "pm"})
    told = Variant(label="typos", told="typos")
    (trial,) = load_journal(run)[:1]
    nodeid = "tau/mock/one.json::test_task[typos-trial1]"
    other = trial.model_copy(update={"nodeid": nodeid, "outcome": Outcome.MISSED, "variant": told})
    with (run / "journal.jsonl").open("a", encoding="utf-8") as file:
        file.write(other.model_dump_json() + "\n")
    assert [(task.key, task.passed, task.graded) for task in results(str(run))[str(run)]] == [("mock/one", 1, 2)]
    counts = {name: TaskCounts(successes=1, trials=2, hash="") for name in ("mock/one", "mock, typos/one")}
    save_baseline(Baseline(created="2025-01-01", kinds=["typos"], tasks=counts), tmp_path / "base.json")
    lines, _ = compared_runs([str(tmp_path / "base.json"), str(run)])
    assert lines[0].startswith("unchanged: pass^1 50.0 % → 50.0 % over 1 common task")


def test_several_agents_of_a_run_are_compared_with_each_other(tmp_path: Path) -> None:
    tasks = [f"t{number}" for number in range(12)]
    run = str(journal(tmp_path / "r", dict.fromkeys(tasks, "pppp"), dict.fromkeys(tasks, "mmmm")))
    assert [(name, len(found)) for name, found in results(run).items()] == [(f"{run} a", 12), (f"{run} b", 12)]
    lines, status = compared_runs([run])
    assert status == 1
    assert lines[-2].endswith("; 1 pair:")
    assert lines[-1].startswith(f"{run} a → {run} b: worse, -100.0 points, p below 0.001")
    assert compared_runs([run, run]) == (lines, status)  # and not the first of them with itself


def test_the_first_run_is_what_the_others_must_not_be_worse_than(tmp_path: Path) -> None:
    tasks = [f"t{number}" for number in range(12)]
    good, bad, worst = (str(journal(tmp_path / one, dict.fromkeys(tasks, one))) for one in ("pppp", "pmmm", "mmmm"))
    assert compared_runs([bad, good, bad])[1] == 0
    assert compared_runs([worst, good, bad])[1] == 0
    assert compared_runs([bad, good, worst])[1] == 1


def test_a_run_can_be_compared_with_itself_but_not_be_ranked_alone(tmp_path: Path) -> None:
    run = str(journal(tmp_path / "r", {"one": "pppp"}))
    lines, status = compared_runs([run, run])
    assert status == 0
    assert "pass^1 100.0 % → 100.0 % over 1 common task, +0.0 points" in lines[0]
    for runs in ([run], [run, run, run]):
        with pytest.raises(SettingsError, match="name another run to compare it with"):
            compared_runs(runs)


def test_the_command_ranks_a_run_once_that_is_named_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the shell names the latest one, where somebody writes .tau/* for all runs."""
    good, fair, bad = (
        journal(tmp_path / one, {f"t{number}": one for number in range(12)}) for one in ("pp", "pm", "mm")
    )
    (tmp_path / "latest").symlink_to(bad, target_is_directory=True)
    file = tmp_path / "all.html"
    assert main(["compare", *map(str, (good, fair, bad, tmp_path / "latest")), "--html", str(file)]) == 1
    assert "with confidence 95 %; 3 pairs:" in capsys.readouterr().out
    assert "latest" not in file.read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written_takes_no_comparison_along(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(journal(tmp_path / name, {"one": "pp"})) for name in "ab"]
    (tmp_path / "file").touch()
    assert main(["compare", *runs, "--html", str(tmp_path / "file" / "report.html")]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("unchanged: pass^1 100.0 % → 100.0 %")
    assert "file: File exists" in err


@pytest.mark.parametrize("runs", ["ab", "abb", "aba"])
def test_more_trials_than_there_are_cannot_be_asked_for(tmp_path: Path, runs: str) -> None:
    made = {one: str(journal(tmp_path / one, {"one": "pp"})) for one in "ab"}
    with pytest.raises(RecordingError, match="no task has 3 trials"):
        compared_runs([made[one] for one in runs], k=3)


def test_one_report_shows_every_trial_under_its_runs_name(tmp_path: Path) -> None:
    first = journal(tmp_path / "my run", {"one": "pm"}, {"one": "p"})
    second = journal(tmp_path / "r", {"one": "p"})
    file = tmp_path / "out" / "report.html"
    assert write_comparison([str(first), str(second), str(second)], file) == 5
    page = file.read_text("utf-8")
    assert "comparison of my-run, r-2, r-3" in page
    for label in ("my-run-a-trial1", "my-run-a-trial2", "my-run-b-trial1", "r-2-trial1", "r-3-trial1"):
        assert f"test_task[{label}]" in page
    curves = re.findall(r"<figcaption>pass\^k <b>(.*?)</b>", page)
    assert curves == ["all agents", "mock, my-run-a", "mock, my-run-b", "mock, r-2", "mock, r-3"]


def test_runs_of_tests_in_a_folder_with_brackets_stay_apart(tmp_path: Path) -> None:
    runs = [journal(tmp_path / name, {"one": "p"}) for name in "ab"]
    for run in runs:
        text = (run / "journal.jsonl").read_text().replace("tau/mock/one.json::test_task[", "[id]/test_it.py::test_it[")
        (run / "journal.jsonl").write_text(text)
    write_comparison([str(run) for run in runs], tmp_path / "report.html")
    curves = re.findall(r"<figcaption>pass\^k <b>(.*?)</b>", (tmp_path / "report.html").read_text("utf-8"))
    assert curves == ["all agents", "mock, test_it, a", "mock, test_it, b"]


def test_tasks_stand_in_the_same_order_however_the_trials_ended(tmp_path: Path) -> None:
    first = journal(tmp_path / "r1", {"one": "pm", "two": "p"})
    second = journal(tmp_path / "r2", {"two": "p", "one": "pm"})
    Manifest(options={"seed": 7}, about={"commit": "abc"}).save(second)
    write_comparison([str(first), str(second)], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    index = json.loads(page.partition('id="index">')[2].partition("</script>")[0])
    trials = [(index["tasks"][one["task"]]["name"].rpartition("/")[2], one["trial"]) for one in index["trials"]]
    assert trials == 2 * [("one", 1), ("one", 2), ("two", 1)]
    assert "<dt>r2</dt>" in page
    assert "seed: 7; commit: abc" in page  # how its numbers came about, where its folder says that


def test_a_baseline_has_no_trials_to_show(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"base\.json: a baseline has no trials to show; leave it out of --html"):
        write_comparison(["base.json"], tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []
