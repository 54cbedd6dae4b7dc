"""``pytest-tau merge``; merged runs in use are in tests/plugin/recording/test_merged_runs.py."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.journal import JournalWriter, new_run
from pytest_tau.manifest import RESULT, Manifest, load_manifest
from pytest_tau.schema.record import Outcome, TrialRecord, Variant


def shard(folder: Path, part: int, **options: object) -> Path:
    """A results folder with the run of one trial, shard ``part`` of two."""
    nodeid = f"tau/mock/t.json::test_task[trial{part}]"
    record = TrialRecord(nodeid=nodeid, domain="mock", task_id="t", trial=part, outcome=Outcome.PASSED)
    writer = JournalWriter(new_run(folder / f"shard-{part}"))
    writer.append(record.model_dump_json())
    writer.close()
    about = {
        "commit": f"c{part}",
        "command": f"pytest --tau-shard {part}/2",
        RESULT: '{"pass^1": [0, 0, 0], "tasks": 7}',
    }
    Manifest(options=options, k=2, shard=f"{part}/2", about=about).save(writer.path.parent)
    return folder / f"shard-{part}"


def test_prints_the_table_of_the_new_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", str(shard(tmp_path, 1)), str(shard(tmp_path, 2)), "-o", str(tmp_path / "all")]) == 0
    table, _, notes, *_, commits, journal = capsys.readouterr().out.splitlines()[2:]
    assert table.split("|")[1:6] == [" mock   ", "     1 ", "      2 ", " 100.0 % [0–100] ", " 100.0 % [0–100] "]
    assert notes.startswith("[ ]: 95 % interval")
    assert commits == "The runs were made from different commits: c1, c2."
    run = Path(journal.removeprefix("journal: ")).parent
    assert run == (tmp_path / "all" / "latest").resolve()
    result = json.loads(load_manifest(run).about[RESULT])  # of both shards, and of neither alone
    assert (result["tasks"], result["pass^1"][0], result["domains"]) == (1, 1.0, ["mock"])


def test_runs_without_a_trial_are_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [shard(tmp_path, part) for part in (1, 2)]
    for each in runs:
        (each / "latest" / "journal.jsonl").write_bytes(b"")
    assert main(["merge", *map(str, runs), "-o", str(tmp_path / "all")]) == 1
    assert "None of these runs has a trial: look at how their commands ended." in capsys.readouterr().out


def test_how_the_numbers_came_about_is_told_with_the_commands_of_all_shards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(shard(tmp_path, part, agent="mine:Agent", mode="default", seed=7)) for part in (1, 2)]
    assert main(["merge", *runs, "-o", str(tmp_path / "all")]) == 0
    out = capsys.readouterr().out
    assert "\nagent: mine:Agent   user: not known\ndomains: mock   k 2   mode default   seed 7   commit c1, c2\n" in out
    assert "\ncommand: pytest --tau-shard 1/2; pytest --tau-shard 2/2\n" in out


def test_several_agents_and_variants_have_their_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = []
    for part in (1, 2):
        writer = JournalWriter(new_run(tmp_path / f"shard-{part}"))
        for agent, variant in (("a", None), ("b", None), ("a", "typos"), ("b", "typos")):
            record = TrialRecord(
                nodeid=f"tau/mock/t.json::test_task[{'-'.join(filter(None, (agent, variant)))}-trial{part}]",
                domain="mock",
                task_id="t",
                trial=part,
                outcome=Outcome.PASSED,
                label=agent,
                variant=None if variant is None else Variant(label=variant, told=variant),
            )
            writer.append(record.model_dump_json())
        writer.close()
        Manifest(k=2, shard=f"{part}/2").save(writer.path.parent)
        runs.append(str(tmp_path / f"shard-{part}"))
    assert main(["merge", *runs, "-o", str(tmp_path / "all")]) == 0
    heads = [line.split("|")[1].strip() for line in capsys.readouterr().out.splitlines() if " pass^1 |" in line]
    assert heads == ["domain", "agent", "variant"]


def test_what_ended_a_part_is_told_as_long_as_its_trials_are_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (shard(tmp_path, part) for part in (1, 2))
    ended = load_manifest(first / "latest")
    replace(ended, about={**ended.about, "ended": "early by an interrupt"}).save(first / "latest")
    for runs, told in (([first], True), ([first, second], False)):
        main(["merge", *map(str, runs), "-o", str(tmp_path / "all")])
        assert ("ended early by an interrupt" in capsys.readouterr().out) is told
        assert ("ended" in load_manifest(tmp_path / "all" / "latest").about) is told


def test_an_option_may_stand_between_the_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = str(shard(tmp_path, 1)), str(shard(tmp_path, 2))
    assert main(["merge", first, "-o", str(tmp_path / "all"), second]) == 0
    assert "| mock   |     1 |      2 |" in capsys.readouterr().out
    assert main(["compare", first, "--k", "1", second]) == 0
    for wrong in (["merge", first, "-o", second, "--html", second], ["schema", first]):
        with pytest.raises(SystemExit):
            main(wrong)
        assert "unrecognized arguments: " in capsys.readouterr().err


def test_names_a_missing_shard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", str(shard(tmp_path, 2)), "-o", str(tmp_path / "all")]) == 1
    out = capsys.readouterr().out
    assert "| mock   |     1 | 1 of 2 (!) |" in out
    assert "shard 1/2 is missing: the table is without its trials\n" in out


def test_refuses_what_was_played_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(shard(tmp_path, 1, seed=1)), str(shard(tmp_path, 2, seed=2))]
    assert main(["merge", *runs, "-o", str(tmp_path / "all")]) == 2
    [sentence] = capsys.readouterr().err.splitlines()
    assert sentence.startswith("pytest-tau: ")
    assert sentence.endswith("--tau-seed was 1 and is 2")


def test_of_nothing_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", str(tmp_path / "no"), "-o", str(tmp_path / "all")]) == 2
    assert f"{tmp_path / 'no'}: does not exist; name the folder of a run" in capsys.readouterr().err
