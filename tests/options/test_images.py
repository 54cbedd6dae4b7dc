"""``--tau-images``, and runs with pictures: a server reads the pixels of what it is sent, and answers from them."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from pytest_tau import load_journal
from pytest_tau.pictures import FOLDER
from tests.llm.server import Answer, ChatServer, Request, calls, says
from tests.options.models import AGENT, Serve
from tests.options.test_cassette_endpoint import FOREIGN
from tests.options.usage import assert_refused
from tests.pictures import picture_task, strip, words_in
from tests.plugin.parts import play

TWO = ("STAMPS", "BREAD")
RECORD, REPLAY = "--tau-cassette=record", "--tau-cassette=replay"


def sighted(request: Request) -> Answer:
    """What a model does that sees: it puts on the list what the first picture says."""
    said = [message for message in request.messages if message["role"] == "assistant"]
    words = words_in(request.messages)
    if any(message.get("tool_calls") for message in said):
        return says("It has been put on the list.")
    if len(words) < len(TWO):
        return says("Could you send me your next picture, please?")
    return calls(("create_task", {"user_id": "user_1", "title": words[0]}))


@pytest.fixture
def own(pytester: pytest.Pytester) -> Iterator[None]:
    pytester.makepyfile(own=FOREIGN)
    pytester.syspathinsert()
    yield
    sys.modules.pop("own", None)


def suite(pytester: pytest.Pytester, when: str = "asked_for") -> None:
    folder = pytester.mkdir("tasks") / "mock"
    folder.mkdir()
    picture_task(folder, words=TWO, when=when)


def assert_seen(server: ChatServer, times: int) -> None:
    """Each picture came once in every request from its turn on, and in order."""
    seen = Counter(tuple(words_in(request.messages)) for request in server.requests)  # trials go on side by side
    assert seen == {(): times, TWO[:1]: times, TWO: 2 * times}


@pytest.mark.parametrize("agent", [(AGENT,), ("--tau-agent=own:Foreign",)], ids=["ours", "own"])
def test_the_right_picture_arrives_once_and_in_order_and_from_a_recording(
    pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None], own: None, agent: tuple[str, ...]
) -> None:
    server = serve(sighted)
    suite(pytester)
    pytester.runpytest("--tau-domain=mock", "--tau-k=2", RECORD, *agent).assert_outcomes(passed=2)
    assert_seen(server, times=2)
    # The journal names them; they lie beside it, each once for both trials.
    run = (pytester.path / ".tau" / "latest").resolve()
    lines = (run / "journal.jsonl").read_text().splitlines()
    trials = load_journal(run)
    assert "base64" not in "".join(lines)
    assert {file.read_bytes() for file in (run / FOLDER).iterdir()} == {strip(word) for word in TWO}
    sent = [one.id for m in trials[0].simulation.messages for one in getattr(m, "attachments", None) or []]  # type: ignore[union-attr]
    assert sent == ["note1", "note2"]
    # So do the recordings.
    recorded = "".join(file.read_text() for file in (pytester.path / "cassettes").rglob("*.jsonl"))
    assert "base64" not in recorded
    assert recorded.count("sha256,") == 2 * len(TWO)
    gone()
    play(pytester, "--tau-domain=mock", "--tau-k=2", REPLAY, *agent).assert_outcomes(passed=2)
    assert_seen(server, times=2)


def test_a_model_that_cannot_see_is_refused_before_its_first_call(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(says("Could you send me a picture, please?"))
    suite(pytester)
    model = "--tau-agent-llm=openai/gpt-3.5-turbo"
    result = play(pytester, "--tau-domain=mock", model)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "*task 'from_a_picture' has pictures, and litellm says that openai/gpt-3.5-turbo cannot see; name another "
            "model, or add --tau-images alt (it gets descriptions instead) or drop (it gets nothing)"
        ]
    )
    assert server.requests == []
    play(pytester, "--tau-domain=mock", model, "--tau-images=alt", "--tau-max-steps=7").assert_outcomes(failed=1)
    texts = [message["content"] for message in server.requests[-1].messages if message["role"] == "user"]
    assert texts[1:] == [f"Here you are.\n[photo: A note that says {word}.]" for word in TWO]


def test_pictures_are_in_the_forecast(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(sighted)
    result = play(pytester, "--tau-domain=retail_images", "--tau-tasks=damaged_parcel_1", AGENT, "--tau-max-steps=1")
    result.stdout.fnmatch_lines(
        ["tau: forecast: 1 trial, about *", "tau: forecast: a guess: *, pictures at high detail"]
    )


def test_without_pictures_the_oracle_misses_and_the_verdict_names_them(pytester: pytest.Pytester) -> None:
    suite(pytester, "at_start")
    result = play(pytester, "--tau-domain=mock", "--tau-images=drop", "--tau-max-steps=4", "-v")
    result.assert_outcomes(failed=1)
    said = "  [[]1] user: Please put what is on my note * [[]photo: note1.png, 48×64] [[]photo: note2.png, 40×64]"
    result.stdout.fnmatch_lines([said, "*   images drop"])


def test_a_broken_picture_is_one_sentence_at_collection(pytester: pytest.Pytester) -> None:
    suite(pytester)
    (pytester.path / "tasks" / "mock" / "note1.png").write_bytes(b"GIF89a")
    result = play(pytester, "--tau-domain=mock")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the picture 'note1' (note1.png) is not a PNG, JPEG or WebP, but a GIF"])


def test_only_these_three() -> None:
    assert_refused("images", "hide", "must be*send*alt*drop*")


def test_a_customer_who_sends_what_they_do_not_have_spoils_the_trial_and_not_the_agent(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    serve(says("Look at this. [attach: receipt]"))
    suite(pytester)
    result = play(pytester, "--tau-domain=mock", "--tau-agent=oracle", "--tau-user-llm=openai/user")
    result.stdout.fnmatch_lines(["*it wanted to send a picture 'receipt', and has note1, note2*"])
    [trial] = load_journal(pytester.path / ".tau")
    assert trial.outcome.value == "invalid"
