"""Trials of a changed policy end once what the agent makes of its rule is decided."""

from pathlib import Path

from pytest_tau.manifest import rules_decided
from pytest_tau.plugin.reporting.mutant_stop import MutantStop
from tests.plugin.conftest import MakeRun

EDIT = {"policy": "delete:ask-first", "label": "no-ask"}


def watched(make_run: MakeRun, folder: Path) -> MutantStop:
    run = make_run()
    run.__dict__["folder"] = folder
    return MutantStop(run)


def play(stop: MutantStop, tasks: int) -> None:
    """As it is each task passes; without its rule each misses."""
    for number in range(tasks):
        for _ in range(4):
            stop.add("shop", f"t{number}", None, "passed")
            stop.add("shop, no-ask", f"t{number}", EDIT, "missed")


def test_a_rule_is_decided_when_enough_trials_say_so(make_run: MakeRun, tmp_path: Path) -> None:
    stop = watched(make_run, tmp_path)
    play(stop, 1)
    assert "delete:ask-first" not in rules_decided(tmp_path)
    play(stop, 12)
    assert "delete:ask-first" in rules_decided(tmp_path)
    assert stop.problem is None


def test_what_has_no_verdict_or_another_variant_decides_nothing(make_run: MakeRun, tmp_path: Path) -> None:
    stop = watched(make_run, tmp_path)
    for number in range(50):
        stop.add("shop", f"t{number}", None, "passed")
        stop.add("shop, no-ask", f"t{number}", EDIT, "infra_error")
        stop.add("shop, typos", f"t{number}", {"label": "typos"}, "missed")
    assert not rules_decided(tmp_path)


def test_a_folder_that_cannot_be_written_is_a_sentence(make_run: MakeRun, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    stop = watched(make_run, tmp_path / "file")
    play(stop, 12)
    assert (stop.problem or "").startswith("Rules could not be noted as decided: ")
