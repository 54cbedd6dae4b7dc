"""What is counted of a suite."""

import json
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.printable import columns_of
from tau_workshop.stats import render, stats
from tests.builders import CREATE, action, mock, task
from tests.shared import shared
from tests.workshop.import_.logs import ORDERS, call, cancelling, log, shop


def test_changes_openings_and_words() -> None:
    one = task(id="a", criteria={"actions": [action("create_task", **CREATE), action("get_users")]})
    again = task(id="b", criteria={"actions": [action("create_task", **CREATE)]}, tags=["abstract"])
    other = task(id="c", user_scenario={"instructions": "Help Wanda Ostrow with 7 things.", "persona": "Calm."})
    found = stats([one, again, other], mock())
    assert (found.tasks, found.writes, found.intents) == (3, {1: 2, 0: 1}, {("create_task",): 2, (): 1})
    assert (found.share(1), found.share(2)) == (2 / 3, 0.0)
    assert (found.openings, found.patterns, found.personas, found.tags["abstract"]) == (2, 2, 1, 1)
    assert found.words[0] == 3
    assert all(turns >= 2 for turns in found.turns)


def test_openings_that_differ_in_numbers_and_names_are_worded_alike() -> None:
    tasks = [
        task(id=f"t{number}", user_scenario={"instructions": f"Cancel order #W{number} of {name}, please."})
        for number, name in enumerate(("Wanda Ostrow", "Pavel Lind"))
    ]
    found = stats(tasks, mock())
    assert (found.openings, found.patterns) == (2, 1)


def test_words_of_any_alphabet_are_counted() -> None:
    one = task(user_scenario={"instructions": "Bitte größere Schuhe für Jürgen, don't отменить."})
    found = stats([one], mock())
    assert (found.words, found.vocabulary) == ([7], 7)


def test_a_word_of_a_megabyte_is_a_word() -> None:
    """It took minutes, and a suite that has one would again."""
    one = task(user_scenario={"instructions": f"{'a' * 1_000_000} Wanda Ostrow 12b"})
    other = task(user_scenario={"instructions": f"{'a' * 1_000_000} Pavel Lind x3y"})
    assert stats([one, other], mock()).patterns == 1


def test_suites_stand_side_by_side() -> None:
    one = stats([task(criteria={"actions": [action("create_task", **CREATE)]})], mock())
    lines = list(render({"ours": one, "public": one}))
    assert lines[0].split() == ["ours", "public"]
    assert lines[1].split() == ["tasks", "1", "1"]
    assert "     1  create_task" in lines


def test_suites_line_up_whatever_letters_are_in_their_names() -> None:
    one = stats([task(tags=["about_返品"])], mock())
    lines = list(render({"日本語の仕事の長い名前": one, "ours": one}))
    assert {columns_of(line) for line in lines[: lines.index("")]} == {columns_of(lines[0])}


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "retail", "--split", "core"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == ["retail", "core"]
    assert printed[1].split() == ["tasks", "30"]


def test_a_suite_of_several_domains_is_counted_for_each(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("mock", "airline"):
        one = {"id": name, "domain": name, "user_scenario": {"instructions": "Say hello."}}
        (tmp_path / f"{name}.json").write_text(json.dumps(one), encoding="utf-8")
    assert main(["stats", str(tmp_path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert (printed[0].split(), printed[1].split()) == (["airline", "mock"], ["tasks", "1", "1"])
    assert main(["stats", str(tmp_path), "--log", "log.jsonl"]) == 2
    assert "of several domains (airline, mock)" in capsys.readouterr().err


def test_the_present_folder_has_the_name_of_its_domain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder := tmp_path / "mock").mkdir()
    (folder / "a.json").write_text(json.dumps({"id": "a", "user_scenario": {"instructions": "Hello."}}))
    monkeypatch.chdir(folder)
    for suite in (".", "a.json", "../mock"):
        assert main(["stats", suite]) == 0
        assert capsys.readouterr().out.splitlines()[0].split() == ["mock"]


def test_a_task_that_names_a_path_as_its_domain(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (evil := tmp_path / "evil").mkdir()
    (evil / "domain.py").write_text("raise SystemExit('it was run')", encoding="utf-8")
    one = {"id": "a", "domain": str(evil), "user_scenario": {"instructions": "Say hello."}}
    (tmp_path / "a.json").write_text(json.dumps(one), encoding="utf-8")
    assert main(["stats", str(tmp_path / "a.json")]) == 2
    assert "a file may name a domain, never a path" in capsys.readouterr().err


def test_the_public_data_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    data: Path = shared("tau2")
    assert main(["stats", "mock", "--data", str(data)]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["tasks", "6", "10"]


def test_a_log_of_another_domain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    log(tmp_path / "log.jsonl", cancelling("O7", opening="Cancel it, please."))
    assert main(["stats", "mock", "--log", "log.jsonl"]) == 0
    told = "not looked at: 2 calls of tools that 'mock' does not have (get_order, cancel_order)"
    assert told in capsys.readouterr().out.splitlines()


def test_wishes_of_real_traffic_that_the_suite_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shop(tmp_path)
    monkeypatch.chdir(tmp_path)
    looked = {"id": "look", "conversation": [
        {"role": "user", "content": "How is my order O1?"}, call("get_order", {"order_id": "O1"}, ORDERS["O1"]),
    ]}  # fmt: skip
    log(tmp_path / "log.jsonl", looked, *(cancelling(f"O{n}", opening="Away with it.") for n in (7, 8)))
    folder = tmp_path / "tasks" / "shop"
    folder.mkdir(parents=True)
    none = {"id": "none", "domain": "shop", "user_scenario": {"instructions": "Say hello."}}
    (folder / "none.json").write_text(json.dumps(none), encoding="utf-8")
    assert main(["stats", "shop", "--log", "log.jsonl"]) == 0
    shown = capsys.readouterr().out
    assert "in the log, and in no task: changes made by (2 of 3 conversations)" in shown
    assert shown.splitlines()[-1].split() == ["2", "cancel_order"]
