"""Merging runs: a trial counts once, only what was played alike stands together, and the new run is like any other."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import load_journal
from pytest_tau.errors import RecordingError, SettingsError
from pytest_tau.journal import (
    LATEST,
    JournalWriter,
    LineFile,
    Spool,
    last_run,
    new_run,
    orphans,
    read_spool,
    read_trials,
)
from pytest_tau.manifest import JUDGE, Manifest, early_decisions, keep_plan, load_manifest, plan_of, save_decided
from pytest_tau.merging import merge
from pytest_tau.metrics.tally import tally
from pytest_tau.schema.record import FINAL, Outcome, TrialRecord
from tests.builders import asks, finished

ALIKE = Manifest(options={"agent": "mine", "seed": 300}, content={"the tasks of mock": "aa"}, k=2)


def trial(number: int, outcome: Outcome = Outcome.PASSED, simulation: str = "") -> TrialRecord:
    """A trial; those with different simulations have been played twice."""
    played = finished([asks("Grüße\u2028 ###STOP###")]).model_copy(update={"id": simulation or f"s{number}"})
    nodeid = f"tau/mock/t.json::test_task[trial{number}]"
    return TrialRecord(
        nodeid=nodeid, domain="mock", task_id="t", trial=number, outcome=outcome, simulation=played, note=simulation
    )


def run(results: Path, trials: Sequence[TrialRecord], manifest: Manifest = ALIKE) -> Path:
    """A results folder with one run of these trials."""
    writer = JournalWriter(new_run(results))
    writer.open()
    for each in trials:
        writer.append(each.model_dump_json())
    writer.close()
    manifest.save(writer.path.parent)
    return results


def test_the_new_run_has_every_trial_as_it_stood(tmp_path: Path) -> None:
    one, two = run(tmp_path / "1", [trial(1), trial(3)]), run(tmp_path / "2", [trial(2, Outcome.MISSED)])
    merged = merge([one, two], tmp_path / "all")
    assert merged.run == (tmp_path / "all" / LATEST).resolve()
    assert load_journal(tmp_path / "all") == [trial(1), trial(3), trial(2, Outcome.MISSED)]
    lines = [(path / LATEST / "journal.jsonl").read_bytes() for path in (one, two)]
    assert (merged.run / "journal.jsonl").read_bytes() == b"".join(lines)


def test_what_the_runs_were_to_play_is_what_the_new_one_was(tmp_path: Path) -> None:
    shards = [run(tmp_path / f"{n}", [trial(n)], replace(ALIKE, shard=f"{n}/2")) for n in (1, 2)]
    keep_plan(shards[0] / LATEST, {"x.py::test_x[t-": 2, "x.py::test_y[t-": 1})
    keep_plan(shards[1] / LATEST, {"x.py::test_x[t-": 1})
    both = merge(shards, tmp_path / "all").run
    assert plan_of(both) == {"x.py::test_x[t-": 3, "x.py::test_y[t-": 1}
    again = run(tmp_path / "again", [trial(3)])
    keep_plan(again / LATEST, {"x.py::test_y[t-": 4})
    assert plan_of(merge([tmp_path / "all", again], tmp_path / "more").run) == {
        "x.py::test_x[t-": 3,
        "x.py::test_y[t-": 4,
    }


def test_the_trials_of_missing_shards_are_due_and_each_once(tmp_path: Path) -> None:
    for n in (1, 2):
        keep_plan(
            run(tmp_path / f"{n}", [trial(n)], replace(ALIKE, shard=f"{n}/2")) / LATEST, {"t.json::test_task[": 1}
        )
    one = merge([tmp_path / "1"], tmp_path / "one").run
    assert plan_of(one) == {"t.json::test_task[": 2}
    assert plan_of(merge([one, tmp_path / "2"], tmp_path / "both").run) == {"t.json::test_task[": 2}


def test_what_a_test_in_python_has_not_judged_waits_for_it_in_the_new_run_as_well(tmp_path: Path) -> None:
    killed = run(tmp_path / "1", [trial(1)])
    mine = trial(2).model_copy(update={"nodeid": "test_x.py::test_x[t-trial2]"})
    for each in (mine, trial(3)):
        with closing(Spool((killed / LATEST).resolve(), f"gw{each.trial}")) as spool:
            spool.append(each.model_dump_json())
    run_of_all = merge([killed], tmp_path / "all").run
    merged = load_journal(run_of_all)
    assert [(one.trial, one.outcome.value, one.graded) for one in merged] == [
        (1, "passed", True),
        (3, "passed", True),
        (2, "ungraded", False),
    ]
    assert merged[2].simulation == mine.simulation
    # There it finds its grade: no judge is asked for that again.
    [rest] = orphans(run_of_all)
    assert TrialRecord.of_line(read_spool(rest).line(mine.nodeid) or "") == mine


def test_what_only_later_runs_have_met_is_compared_as_well_and_no_pair_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = [{}, {"the tasks of shop": "a"}, {}, {"the tasks of shop": "b"}]
    runs = [
        run(tmp_path / f"{n}", [trial(n)], replace(ALIKE, content=content, about={"began": f"{n}"}))
        for n, content in enumerate(met, 1)
    ]
    with pytest.raises(RecordingError, match=r"/4/\S+: .* those of \S+/2/\S+: the tasks of shop changed$"):
        merge(runs, tmp_path / "all")
    compared, differences = 0, Manifest.differences

    def count(one: Manifest, other: Manifest) -> list[str]:
        nonlocal compared
        compared += 1
        return differences(one, other)

    monkeypatch.setattr(Manifest, "differences", count)
    merge(runs[:3], tmp_path / "all")
    assert compared <= 3


@pytest.mark.parametrize(("notes", "noted"), [(("1", "1"), "1"), (("1", "2"), None), (("1", None), None)])
def test_a_judge_of_whom_all_runs_know_the_same_is_known(
    tmp_path: Path, notes: Sequence[str | None], noted: str | None
) -> None:
    runs = [
        run(tmp_path / f"{n}", [trial(n)], replace(ALIKE, about={} if note is None else {JUDGE: note}))
        for n, note in enumerate(notes, 1)
    ]
    assert merge(runs, tmp_path / "all").manifest.about.get(JUDGE) == noted


STOPPED = ["gate pass^1 >= 0.5: HELD"]


@pytest.mark.parametrize(
    ("parts", "stopped", "lines"),
    [
        (("1/2", "2/2"), [1, 2], STOPPED),
        (("1/2", "2/2"), [1], STOPPED),  # a shard stops where nothing that the others do changes it
        (("1/2", "2/2"), [], []),
        ((None, None), [1, 2], STOPPED),
        ((None, None), [1], []),  # its gates were about its own trials
    ],
)
def test_what_decided_the_runs_decides_the_new_one(
    tmp_path: Path, parts: Sequence[str | None], stopped: list[int], lines: list[str]
) -> None:
    runs = [run(tmp_path / f"{n}", [trial(n)], replace(ALIKE, shard=part)) for n, part in enumerate(parts, 1)]
    for n in stopped:
        save_decided(tmp_path / f"{n}" / LATEST, STOPPED)
    merged = merge(runs, tmp_path / "all").run
    assert early_decisions(merged) == lines
    assert early_decisions(merge([tmp_path / "all"], tmp_path / "again").run) == lines


def test_runs_are_named_by_results_folder_run_or_journal(tmp_path: Path) -> None:
    folders = [run(tmp_path / str(number), [trial(number)]) for number in (1, 2, 3)]
    named = [folders[0], folders[1] / LATEST, folders[2] / LATEST / "journal.jsonl"]
    merge(named, tmp_path / "all")
    assert [record.trial for record in load_journal(tmp_path / "all")] == [1, 2, 3]


def test_what_a_killed_run_left_in_its_spools_counts(tmp_path: Path) -> None:
    results = run(tmp_path / "1", [trial(1)])
    spool = Spool((results / LATEST).resolve(), "gw0")
    spool.begin(trial(2).nodeid)
    spool.append(trial(2).model_dump_json())
    spool.begin(trial(3).nodeid)
    spool.close()
    merge([results], tmp_path / "all")
    assert load_journal(tmp_path / "all") == [trial(1), trial(2)]


@pytest.mark.parametrize("first", [True, False])
def test_a_verdict_takes_the_place_of_an_infra_error_wherever_it_stands(tmp_path: Path, first: bool) -> None:
    failed, good = trial(1, Outcome.INFRA_ERROR, "a"), trial(1, Outcome.MISSED, "b")
    results = [run(tmp_path / "1", [failed]), run(tmp_path / "2", [good])]
    merge(results if first else results[::-1], tmp_path / "all")
    assert load_journal(tmp_path / "all") == [good]


def test_of_two_without_a_verdict_the_last_counts(tmp_path: Path) -> None:
    failed, broken = trial(1, Outcome.INFRA_ERROR, "a"), trial(1, Outcome.ERROR, "b")
    merge([run(tmp_path / "1", [failed]), run(tmp_path / "2", [broken])], tmp_path / "all")
    assert load_journal(tmp_path / "all") == [broken]


@pytest.mark.parametrize("again", ["a", "b"])  # the same conversation graded later, or another
def test_a_verdict_takes_the_place_of_what_waits_for_a_judge_wherever_it_stands(tmp_path: Path, again: str) -> None:
    waits, good = trial(1, Outcome.UNGRADED, "a"), trial(1, Outcome.MISSED, again)
    results = [run(tmp_path / "1", [good]), run(tmp_path / "2", [waits])]
    for order in (results, results[::-1]):
        merge(order, tmp_path / "all")
        assert load_journal(tmp_path / "all") == [good]


def test_the_order_in_which_runs_are_named_changes_nothing(tmp_path: Path) -> None:
    """Neither what counts, nor what was played again: runs stand in the order in which they began."""
    plays = [
        [trial(1, Outcome.INFRA_ERROR, "a"), trial(2, Outcome.INFRA_ERROR, "d")],
        [trial(1, Outcome.PASSED, "b"), trial(2, Outcome.ERROR, "e")],
        [trial(1, Outcome.INFRA_ERROR, "c")],
    ]
    runs = [
        run(tmp_path / f"{9 - hour}", each, replace(ALIKE, about={"began": f"2026-01-01T0{hour}:00:00"}))
        for hour, each in enumerate(plays)
    ]
    journals = {(merge(order, tmp_path / "all").run / "journal.jsonl").read_bytes() for order in permutations(runs)}
    assert len(journals) == 1
    totals = tally(read_trials(tmp_path / "all" / LATEST), 2)
    assert (totals.replays(), totals.outcomes()) == (2, {"passed": 1, "error": 1})


def test_two_verdicts_on_a_trial_are_refused(tmp_path: Path) -> None:
    missed, passed = trial(1, Outcome.MISSED, "a"), trial(1, Outcome.PASSED, "b")
    results = [run(tmp_path / "1", [missed]), run(tmp_path / "2", [passed])]
    with pytest.raises(RecordingError, match=r"has a verdict on tau/mock/t\.json::test_task\[trial1\], and so has"):
        merge(results, tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_the_same_run_twice_is_that_run(tmp_path: Path) -> None:
    results = run(tmp_path / "1", [trial(1), trial(2)])
    merge([results, results], tmp_path / "all")
    assert load_journal(tmp_path / "all") == [trial(1), trial(2)]


def test_the_same_run_twice_was_not_played_again(tmp_path: Path) -> None:
    results = run(tmp_path / "1", [trial(1, Outcome.INFRA_ERROR, "a"), trial(2, Outcome.ERROR, "b"), trial(2)])
    merge([results], tmp_path / "copy")
    merged = merge([results, tmp_path / "copy", results], tmp_path / "all")
    assert tally(read_trials(merged.run), 2).replays() == 1


def test_within_a_run_the_last_of_a_trial_counts(tmp_path: Path) -> None:
    again = trial(1, Outcome.PASSED, "b")
    merge([run(tmp_path / "1", [trial(1, Outcome.INFRA_ERROR, "a"), trial(2), again])], tmp_path / "all")
    assert sorted(load_journal(tmp_path / "all"), key=lambda record: record.trial) == [again, trial(2)]


def test_what_was_played_again_is_still_known(tmp_path: Path) -> None:
    broken, passed = trial(1, Outcome.INFRA_ERROR, "a"), trial(1, Outcome.PASSED, "b")
    late = trial(1, Outcome.INFRA_ERROR, "c")
    runs = [run(tmp_path / "1", [broken, trial(2)]), run(tmp_path / "2", [passed]), run(tmp_path / "3", [late])]
    merged = merge(runs, tmp_path / "all")
    totals = tally(read_trials(merged.run), 2)
    assert (totals.replays(), totals.outcomes()) == (1, {"passed": 2})


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (replace(ALIKE, options={"agent": "mine", "seed": 1}), "--tau-seed was 300 and is 1"),
        (replace(ALIKE, options={"agent": "mine"}), "--tau-seed was 300 and is not given"),
        (replace(ALIKE, content={"the tasks of mock": "bb"}), "the tasks of mock changed"),
    ],
)
def test_what_was_played_otherwise_is_refused(tmp_path: Path, other: Manifest, what: str) -> None:
    results = [run(tmp_path / "1", [trial(1)]), run(tmp_path / "2", [trial(2)], other)]
    with pytest.raises(RecordingError, match=f"cannot be combined .*: {what}$"):
        merge(results, tmp_path / "all")


def test_what_the_first_run_has_not_met_is_compared_as_well(tmp_path: Path) -> None:
    shops = [replace(ALIKE, content={"the tasks of shop": digest}) for digest in ("aa", "bb")]
    runs = [run(tmp_path / str(n), [trial(n + 1)], one) for n, one in enumerate([ALIKE, *shops])]
    with pytest.raises(RecordingError, match=f"{tmp_path}/2/.* of {tmp_path}/1/.*: the tasks of shop changed$"):
        merge(runs, tmp_path / "all")


def test_the_manifest_is_that_of_a_whole_run(tmp_path: Path) -> None:
    more = replace(ALIKE, content={"the tasks of shop": "cc"}, k=4, shard="2/2")
    results = [run(tmp_path / "1", [trial(1)], replace(ALIKE, shard="1/2")), run(tmp_path / "2", [trial(2)], more)]
    manifest = load_manifest(merge(results, tmp_path / "all").run)
    assert (manifest.k, manifest.shard, manifest.options) == (4, None, ALIKE.options)
    assert manifest.content == {"the tasks of mock": "aa", "the tasks of shop": "cc"}
    assert not ALIKE.differences(manifest)


def shards(folder: Path, *names: str) -> list[Path]:
    """Runs with these shards, one trial each."""
    manifests = [replace(ALIKE, shard=name, about={"commit": f"c{name[0]}"}) for name in names]
    return [
        run(folder / name.replace("/", "of"), [trial(int(name[0]))], manifest)
        for name, manifest in zip(names, manifests, strict=True)
    ]


def test_missing_shards_are_named_also_after_a_second_merge(tmp_path: Path) -> None:
    one, four, two, three = shards(tmp_path, "1/4", "4/4", "2/4", "3/4")
    assert merge([one, four], tmp_path / "a").missing == ["2/4", "3/4"]
    assert merge([tmp_path / "a", two], tmp_path / "b").missing == ["3/4"]
    assert merge([tmp_path / "b", three], tmp_path / "c").missing == []


def test_no_shard_is_missing_where_one_run_is_whole(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", [trial(9)])
    assert merge([whole, *shards(tmp_path, "1/4")], tmp_path / "all").missing == []


def test_a_merged_run_that_went_on_misses_no_shard(tmp_path: Path) -> None:
    merged = merge(shards(tmp_path, "1/2"), tmp_path / "a")
    load_manifest(merged.run).as_resumed(k=2).save(merged.run)
    assert merge([tmp_path / "a"], tmp_path / "b").missing == []


def test_different_commits_are_told(tmp_path: Path) -> None:
    one, two = shards(tmp_path, "1/2", "2/2")
    assert merge([one], tmp_path / "a").commits == ["c1"]
    assert merge([tmp_path / "a", two, one], tmp_path / "b").commits == ["c1", "c2"]


def test_domains_and_chosen_tasks_of_all_runs_are_told(tmp_path: Path) -> None:
    about = [{"domains": "mock", "tasks": "a*"}, {"domains": "shop", "tasks": "b*, c*"}, {"domains": "mock, shop"}]
    some = [run(tmp_path / str(n), [trial(n + 1)], replace(ALIKE, about=note)) for n, note in enumerate(about)]
    told = load_manifest(merge(some[:2], tmp_path / "a").run).about
    assert (told["domains"], told["tasks"]) == ("mock, shop", "a*, b*, c*")
    told = load_manifest(merge(some, tmp_path / "b").run).about
    assert (told["domains"], "tasks" in told) == ("mock, shop", False)


def test_suites_and_domains_of_all_runs_are_told_and_what_ended_them(tmp_path: Path) -> None:
    both = "airline (public data, split base), retail (public data, split base)"
    ended = ["early by an interrupt after 1 of 2 trials", "early, as it rains, after 1 of 2 trials"]
    about = [
        {"suites": "retail_long", "domains": both},
        {"ended": ended[0]},
        {"suites": "telecom_long, retail_long", "domains": both, "ended": ended[1]},
    ]
    runs = [run(tmp_path / str(n), [trial(n + 1)], replace(ALIKE, about=note)) for n, note in enumerate(about)]
    told = load_manifest(merge(runs, tmp_path / "all").run).about
    assert (told["suites"], told["ended"]) == ("retail_long, telecom_long", "; ".join(ended))
    assert told["domains"] == both


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        ("journal.jsonl", "there is no journal"),
        ("manifest.json", "is missing, so it is unknown how these trials were played"),
    ],
)
def test_a_folder_that_is_no_run(tmp_path: Path, spoil: str, sentence: str) -> None:
    results = run(tmp_path / "1", [trial(1)])
    (results / LATEST / spoil).unlink()
    with pytest.raises(RecordingError, match=sentence):
        merge([results], tmp_path / "all")


def test_a_trial_that_is_none(tmp_path: Path) -> None:
    results = run(tmp_path / "1", [trial(1)])
    with (results / LATEST / "journal.jsonl").open("a", encoding="utf-8") as journal:
        journal.write(json.dumps({"version": 1, "nodeid": "n"}) + "\n")
    with pytest.raises(RecordingError, match=r"journal\.jsonl:2: domain: Field required"):
        merge([results], tmp_path / "all")


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"file: cannot be written"):
        merge([run(tmp_path / "1", [trial(1)])], tmp_path / "file")


plays = st.lists(st.tuples(st.integers(1, 4), st.sampled_from(Outcome)), max_size=6)


@given(runs=st.lists(plays, min_size=1, max_size=4))
def test_law_no_verdict_is_lost_or_doubled(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[tuple[int, Outcome]]]
) -> None:
    folder = tmp_path_factory.mktemp("law")
    last = [dict(played) for played in runs]
    results = [
        run(folder / str(place), [trial(number, outcome, f"{place}-{number}-{outcome}") for number, outcome in played])
        for place, played in enumerate(runs)
    ]
    verdicts = [{number for number, outcome in of.items() if outcome in FINAL - {Outcome.UNGRADED}} for of in last]
    waiting = [{number for number, outcome in of.items() if outcome is Outcome.UNGRADED} for of in last]
    if any(one & two for one, two in combinations(verdicts, 2)):
        with pytest.raises(RecordingError, match="a trial counts once"):
            merge(results, folder / "all")
        return
    merge(results, folder / "all")
    kept = {record.trial: record.outcome for record in load_journal(folder / "all")}
    assert kept.keys() == {number for of in last for number in of}
    assert {number for number, outcome in kept.items() if outcome in FINAL} == set().union(*verdicts, *waiting)
    assert {number for number in kept if kept[number] in FINAL - {Outcome.UNGRADED}} == set().union(*verdicts)


def test_a_merge_that_fails_leaves_latest_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [run(tmp_path / "1", [trial(1)]), run(tmp_path / "2", [trial(2)])]
    before = merge(runs, tmp_path / "out").run

    def full(self: LineFile, line: str | bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(LineFile, "append", full)
    with pytest.raises(SettingsError, match="No space left"):
        merge(runs, tmp_path / "out")
    assert last_run(tmp_path / "out") == before.resolve()
