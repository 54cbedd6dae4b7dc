"""``pytest-tau import``: tasks out of a log."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from pytest_tau import grade, load_domain, simulate
from pytest_tau.cli import main
from pytest_tau.environment.tasks import read_tasks
from tests.llm.server import Answer, ChatServer, Request, says
from tests.recordings.framework_logs import FORMATS as FRAMEWORKS
from tests.recordings.logs import FORMATS as PROGRAMS
from tests.recordings.readers.test_formats import mutated
from tests.workshop.import_.logs import cancelling, log, shop

FORMATS = {**PROGRAMS, **FRAMEWORKS}
OPENING = "Hello there, I want to get rid of a rug that I ordered by mistake."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shop(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def imported(*arguments: str) -> int:
    return main(["import", *arguments, "-o", "tasks/shop"])


def tasks(project: Path) -> dict[str, dict[str, object]]:
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in (project / "tasks/shop").glob("*.json")}


def test_a_log(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(
        project / "log.jsonl",
        cancelling("O7", opening=OPENING),
        cancelling("O8", opening="Can you undo my purchase of a carpet?"),
    )
    assert imported("log.jsonl", "--no-redact") == 0
    assert set(tasks(project)) == {"conversation-O7", "conversation-O8"}
    out = capsys.readouterr().out
    assert "4 of 4 calls reproduced (100.0%)" in out
    assert "2 conversations read, 0 not; 2 tasks written" in out


def test_what_is_expected_and_done_by_doing_nothing_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who has said what should have been is not told to say it, but what is missing."""
    said = [{"role": "user", "content": OPENING}, {"role": "assistant", "content": "We do not do that."}]
    look = {"call": "get_order", "arguments": {"order_id": "O7"}, "result": {}, "error": True}
    log(project / "log.jsonl", {"id": "turned_down", "conversation": [*said, look]})
    assert imported("log.jsonl", "--no-redact", "--expect", "refuses") == 2
    assert not (project / "tasks/shop").exists()
    told = "turned_down: an agent that does nothing would pass all the same; name a call or a fact as well"
    assert told in capsys.readouterr().err


def test_a_log_of_another_domain_becomes_no_tasks(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conversation = {**cancelling("O7", opening=OPENING), "domain": "bank"}
    conversation["conversation"][1:1] = [{"call": "get_account", "arguments": {}, "result": {}}]
    log(project / "log.jsonl", conversation)
    imported("log.jsonl", "--no-redact")
    assert not (project / "tasks/shop").exists()
    assert "the log is of the domain 'bank', and 'shop' has no tool 'get_account'" in capsys.readouterr().err


def test_a_call_whose_result_the_log_lacks_is_told_of(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conversation = cancelling("O7", opening=OPENING)
    lost = {"id": "lost", "type": "function", "function": {"name": "cancel_order", "arguments": '{"order_id": "O2"}'}}
    conversation["conversation"][-1:-1] = [{"role": "assistant", "tool_calls": [lost]}] * 5
    log(project / "log.jsonl", conversation)
    assert imported("log.jsonl", "--no-redact") == 0
    out = capsys.readouterr().out
    assert out.count("conversation-O7: a call of cancel_order has no result and is left out\n") == 3
    assert "conversation-O7: 2 more are left out\n" in out


def test_a_call_whose_arguments_nobody_can_read_is_left_out(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conversation = cancelling("O7", opening=OPENING)
    cut = {"id": "cut", "type": "function", "function": {"name": "cancel_order", "arguments": '{"order_id": "O'}}
    listed = {"id": "list", "type": "function", "function": {"name": "get_order", "arguments": '["O7"]'}}
    answers = [{"role": "tool", "tool_call_id": one, "content": "Error: bad call"} for one in ("cut", "list")]
    conversation["conversation"][-1:-1] = [{"role": "assistant", "tool_calls": [cut, listed]}, *answers]
    log(project / "log.jsonl", conversation)
    assert imported("log.jsonl", "--no-redact") == 0
    out = capsys.readouterr().out
    assert 'a call of cancel_order is left out, as its arguments are not JSON: {"order_id": "O\n' in out
    assert "a call of get_order is left out, as its arguments are a list and no object\n" in out
    assert "1 conversation read, 0 not; 1 task written" in out


def test_nightly_duplicates_are_skipped_and_what_is_alike_is_one_task(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = log(
        project / "log.jsonl",
        cancelling("O7", opening=OPENING),
        cancelling("O8", opening="Hi, I want to get rid of the rug I ordered by mistake yesterday."),
    )
    assert imported(str(file), "--no-redact") == 0
    [task] = tasks(project).values()
    assert "Weight 2." in json.dumps(task)
    assert imported(str(file), "--no-redact") == 0
    assert len(tasks(project)) == 1
    assert "2 conversations known already, and left out" in capsys.readouterr().out


def test_a_figure_that_another_recording_of_the_case_did_not_tell_need_not_be_told(project: Path) -> None:
    def told(figure: str, id: str, **changes: object) -> dict[str, object]:
        made = cancelling("O7", opening=OPENING, id=id, **changes)  # type: ignore[arg-type]
        return json.loads(json.dumps(made).replace("You get $99.50", f"You get ${figure}"))  # type: ignore[no-any-return]

    def wanted(*conversations: dict[str, object]) -> list[object]:
        log(project / "log.jsonl", *conversations)
        assert imported("log.jsonl", "--no-redact", "--no-groups") == 0
        found = [task["evaluation_criteria"]["communicate_info"] for task in tasks(project).values()  # type: ignore[index]
                 if "communicate_info" in task["evaluation_criteria"]]  # type: ignore[operator]  # fmt: skip
        for file in (project / "tasks/shop").glob("*.json"):
            file.unlink()
        return found

    assert wanted(told("99.50", "a"), told("99.5", "b")) == [["99.5"], ["99.5"]]
    assert wanted(told("99.50", "a"), told("89.50", "b")) == []
    # Of one that went wrong nothing follows, nor of a case in which something else was changed.
    other = cancelling("O8", opening=OPENING, id="c")
    assert wanted(told("99.50", "a"), told("89.50", "b", reward=0.0), other) == [["99.5"], ["99.5"]]


def test_what_went_wrong_wants_an_author(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(project / "log.jsonl", cancelling("O7", opening=OPENING, reward=0.0))
    assert imported("log.jsonl", "--no-redact") == 0
    assert "it went wrong; say what should have been with --expect, or give --draft" in capsys.readouterr().out
    assert imported("log.jsonl#conversation-O7", "--no-redact", "--expect", "not cancel_order") == 0
    assert list(tasks(project)) == ["conversation-O7"]


def test_what_an_author_says_takes_the_place_of_what_was_taken_as_right(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    conversation = {key: value for key, value in cancelling("O7", opening=OPENING).items() if key != "reward"}
    log(project / "log.jsonl", conversation)
    assert imported("log.jsonl", "--no-redact") == 0
    assert "1 task of conversations of which the log does not say how they ended" in capsys.readouterr().out
    assert "not_called" not in json.dumps(tasks(project))
    for said in ("written anew: tasks/shop/conversation-O7.json", "written: tasks/shop/conversation-O7_from_3.json"):
        more = ["--from-turn", "3"] if "from" in said else []
        assert imported("log.jsonl", "--no-redact", "--expect", "not cancel_order", *more) == 0
        assert said in capsys.readouterr().out
    assert set(tasks(project)) == {"conversation-O7", "conversation-O7_from_3"}
    assert "not_called" in json.dumps(tasks(project)["conversation-O7"])
    # Both can be played.
    domain = load_domain(project / "domains" / "shop")
    for task in (one for file in (project / "tasks/shop").glob("*.json") for one in read_tasks(file)):
        assert grade(task, simulate(task, domain), domain).passed
        assert bool(task.initial_state and task.initial_state.message_history) is ("from" in task.id)


def test_one_of_a_log_is_about_whom_it_is_in_all_of_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(project / "log.jsonl", *(cancelling(order, opening=OPENING) for order in ("O7077", "O8088")))
    assert main(["import", "log.jsonl", "--no-groups", "--domain", "shop", "-o", "tasks/whole"]) == 0
    assert imported("log.jsonl#conversation-O8088", "--redaction-table", "table.csv") == 0
    assert "replaced in the log up to there" in capsys.readouterr().err
    [task] = tasks(project).values()
    assert task in [json.loads(file.read_text(encoding="utf-8")) for file in Path("tasks/whole").glob("*.json")]


def test_stars_are_no_reward(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(project / "log.jsonl", cancelling("O7", opening=OPENING, reward=4))
    assert imported("log.jsonl", "--no-redact") == 0
    assert "of conversations of which the log does not say how they ended" in capsys.readouterr().out


def test_the_same_person_each_night_with_a_key(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "secret.key").write_text(bytes(range(32)).hex(), encoding="ascii")
    for night, before in (("one", ["O3031", "O4042"]), ("two", [])):
        orders = [cancelling(order, opening=f"{order} is a lamp that I want gone.") for order in [*before, "O7077"]]
        log(project / f"{night}.jsonl", *orders)
        options = ["--redaction-key", "secret.key", "--no-groups", "-o", f"tasks/{night}", "--domain", "shop"]
        assert main(["import", f"{night}.jsonl", *options]) == 0
    first, second = (
        {file.read_text(encoding="utf-8") for file in (project / "tasks" / night).glob("*.json")}
        for night in ("one", "two")
    )
    assert len(first) == 3
    assert len(second) == 1
    assert second < first
    assert "7077" not in "".join(first)
    assert imported("one.jsonl", "--redaction-key", "tasks/shop/secret.key") == 2
    assert "the key lies in the folder of the tasks" in capsys.readouterr().err


def test_what_cannot_be_read_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "log.jsonl").write_text('{"odd": 1}\n' + json.dumps(cancelling("O7", opening=OPENING)), encoding="utf-8")
    assert imported("log.jsonl", "--no-redact") == 1
    captured = capsys.readouterr()
    assert "not read: log.jsonl:1: of no known format" in captured.err
    assert "1 conversation read, 1 not; 1 task written" in captured.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.jsonl"], "none.jsonl: there is no such file"),
        (["log.jsonl#x"], "has no conversation 'x'; it has conversation-O7, conversation-O8"),
        (["log.jsonl", "--expect", "refuses"], "--expect is about one conversation"),
        (["log.jsonl", "--from-turn", "3"], "--from-turn is about one conversation"),
        (["log.jsonl", "--expect", "refuses", "--draft"], "give one of them"),
        (["log.jsonl#conversation-O7", "--expect", "launch"], "has no tool 'launch'"),
        (["log.jsonl#conversation-O7", "--from-turn", "4"], "is a tool's result: begin where somebody speaks"),
    ],
)
def test_what_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    log(project / "log.jsonl", cancelling("O7", opening=OPENING), cancelling("O8", opening="Undo it, please, now."))
    assert imported(*arguments) == 2
    assert sentence in capsys.readouterr().err


def test_a_reader_of_the_project(project: Path) -> None:
    """The hook in conftest.py reads a format of the project's own."""
    (project / "conftest.py").write_text(
        "from pytest_tau.recordings import Conversation\n"
        "from pytest_tau.schema.messages import UserMessage\n\n"
        "def pytest_tau_read_conversations(path):\n"
        "    if path.suffix == '.txt':\n"
        "        lines = path.read_text().splitlines()\n"
        "        return [Conversation('own', [UserMessage(content=line) for line in lines])]\n",
        encoding="utf-8",
    )
    (project / "log.txt").write_text("I want my money back for the rug.\n", encoding="utf-8")
    assert imported("log.txt", "--no-redact", "--draft") == 0
    assert list(tasks(project)) == ["own"]


def test_a_finder_of_the_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The hook in conftest.py finds what no pattern knows."""
    finder = "def pytest_tau_find_personal(text):\n    return [('town', one) for one in ['Vienna'] if one in text]\n"
    (project / "conftest.py").write_text(finder, encoding="utf-8")
    log(project / "log.jsonl", cancelling("O7", opening="I moved to Vienna and do not want the rug any more."))
    assert imported("log.jsonl") == 0
    assert "more removed; also by the project's own finder; read what was written" in capsys.readouterr().err
    assert "I moved to town-1 and do not want" in json.dumps(tasks(project))
    (project / "conftest.py").write_text(finder.replace("in ['Vienna']", "in [1 / 0]"), encoding="utf-8")
    assert imported("log.jsonl", "--no-groups") == 2
    assert "conftest.py:2: ZeroDivisionError: division by zero" in capsys.readouterr().err


def test_a_finder_in_a_file_of_another_encoding(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finder = "# coding: latin-1\n# für uns\ndef pytest_tau_find_personal(text):\n    return [('town', 'Vienna')]\n"
    (project / "conftest.py").write_text(finder, encoding="latin-1")
    log(project / "log.jsonl", cancelling("O7", opening="I moved to Vienna and do not want the rug any more."))
    assert imported("log.jsonl") == 0
    assert "also by the project's own finder" in capsys.readouterr().err


def mutate(seed: str, times: int) -> None:
    """Mutated logs through the whole command: it ends with a status and sentences, whatever they hold."""
    rng = random.Random(seed)
    more = [[], ["--draft"], ["--expect", "not cancel_order"], ["--from-turn", "3"], ["--no-redact"]]
    for number in range(times):
        text = FORMATS[rng.choice(list(FORMATS))]() if number % 2 else json.dumps(cancelling("O7", opening=OPENING))
        Path("log.jsonl").write_bytes(mutated(text, rng))
        assert imported("log.jsonl", *rng.choice(more)) in (0, 1, 2)


@pytest.mark.usefixtures("project")
def test_mutated_logs_end_in_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    mutate("few", 40)
    captured = capsys.readouterr()
    assert "Traceback" not in captured.out + captured.err


@pytest.mark.slow
@pytest.mark.usefixtures("project")
def test_many_mutated_logs() -> None:
    """Hours of them: python -m tests.fuzz, whose readers include each form of log."""
    mutate("many", 500)


def test_a_table_of_what_was_replaced_only_where_it_is_asked_for(project: Path) -> None:
    log(project / "log.jsonl", cancelling("O7", opening=OPENING))
    assert imported("log.jsonl", "--redaction-table", "table.csv") == 0
    assert "zoe@example.com,person1@example.com" in (project / "table.csv").read_text(encoding="utf-8")
    [written] = (project / "tasks/shop").glob("*.json")
    assert "zoe@" not in written.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("Please take back the rug that I had ordered, it was a mistake of mine.", True),
        ("Please undo order O99.", False),
    ],
)
def test_words_of_a_model_are_taken_if_every_value_is_the_log_s(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str, taken: bool
) -> None:
    pytest.importorskip("litellm")

    def respond(request: Request) -> Answer:
        asked = json.loads(request.messages[-1]["content"])
        if "second" in asked:
            return says(json.dumps({"difference": "none", "same": True}))
        return says(json.dumps({**asked, "reason_for_call": words}))

    log(project / "log.jsonl", cancelling("O7", opening=OPENING))
    with ChatServer(respond) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-a-test")
        assert imported("log.jsonl", "--no-redact", "--llm", "openai/writer") == 0
    said = capsys.readouterr()
    assert ("the model's words are not taken" in said.out) is not taken
    assert said.err.splitlines()[:2] == ["0 of 1 customers worded", "1 of 1 customers worded"]
    written = (project / "tasks/shop/conversation-O7.json").read_text(encoding="utf-8")
    assert ((words if taken else OPENING) in written) is True
