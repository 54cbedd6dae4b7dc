"""Pictures on their way from the customer to the agent."""

from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Attachment, Episode, Task, grade, load_tasks, simulate
from pytest_tau.conversation.attaching import as_seen, attach_pictures
from pytest_tau.errors import RecordingError
from pytest_tau.schema.messages import AssistantMessage, ToolMessage, UserMessage, attachments_of
from pytest_tau.schema.simulation import Termination
from tests.builders import Lines, asks, mock
from tests.pictures import picture_task, strip

LABEL = Attachment.of(strip("LABEL"), "label", alt="A label.", path="photos/label.png")
BILL = Attachment.of(strip("BILL"), "bill")
HAS = {"label": LABEL, "bill": BILL}


def loaded(folder: Path, **more: Any) -> Task:
    (task,) = load_tasks(picture_task(folder, **more))
    return task


@pytest.mark.parametrize(
    ("written", "text", "ids"),
    [
        ("Here. [attach: label]", "Here.", ["label"]),
        ("[attach: label]", None, ["label"]),
        ("Both [attach:bill] of them [attach: label], see?", "Both of them, see?", ["bill", "label"]),
        ("[attach: label] [attach: label] once", "once", ["label"]),
        ("Line\n[attach: label]\nline", "Line\n\nline", ["label"]),
        ("Thanks. [attach: label] ###STOP###", "Thanks. ###STOP###", ["label"]),
        ("I attach: label", "I attach: label", []),
    ],
)
def test_marks_become_attachments(written: str, text: str | None, ids: list[str]) -> None:
    message = attach_pictures(asks(written), HAS)
    assert (message.content, [one.id for one in message.attachments or []]) == (text, ids)
    assert not message.empty


@pytest.mark.parametrize("written", ["Here. [attach: lable]", "[attach: label] [attach: x]", "[attach: ]"])
def test_a_picture_that_the_customer_does_not_have_is_no_message(written: str) -> None:
    message = attach_pictures(asks(written, cost=0.5), HAS)
    assert message.empty
    assert message.cost == 0.5  # what it cost is billed all the same
    assert "it wanted to send a picture '" in str(message.problem)
    assert str(message.problem).endswith("and has label, bill")


def test_it_is_the_customers_fault_and_the_agent_never_reads_it(tmp_path: Path) -> None:
    agent, customer = Lines(["Hello."]), Lines(["Hi.", "See [attach: nothing]"])
    played = simulate(loaded(tmp_path), mock(), agent, customer)
    assert played.termination_reason is Termination.USER_ERROR
    assert "'nothing', and has note1" in str(played.note)
    assert all("attach" not in (message.content or "") for seen in agent.seen for message in seen)


def test_one_slip_is_asked_for_again(tmp_path: Path) -> None:
    customer = Lines(["Hi.", "See [attach: note]", "See [attach: note1]", "Bye. ###STOP###"])
    played = simulate(loaded(tmp_path), mock(), Lines(["Hello."]), customer)
    assert played.termination_reason is Termination.USER_STOP
    assert [one.id for m in played.messages if isinstance(m, UserMessage) for one in m.attachments or []] == ["note1"]


def test_what_an_agent_gets_of_a_picture() -> None:
    message = asks("See.").model_copy(update={"attachments": [LABEL, BILL]})
    sent = as_seen(message, "send")
    assert isinstance(sent, UserMessage)
    first = (sent.attachments or [])[0]
    # Not in words what it is to see; and a file's name may tell.
    assert (first.alt, first.path, first.content) == (None, None, LABEL.content)
    assert as_seen(message, "alt").content == "See.\n[photo: A label.]\n[photo: not shown]"
    assert as_seen(message, "drop").content == "See.\n[photo: not shown]\n[photo: not shown]"
    bare = message.model_copy(update={"content": None})
    assert not as_seen(bare, "drop").empty  # type: ignore[union-attr]
    words = AssistantMessage(content="Hi.")
    assert as_seen(words, "drop") is words


def test_a_conversation_with_pictures_is_kept_without_them_and_read_again(tmp_path: Path) -> None:
    played = simulate(loaded(tmp_path), mock())
    line = played.model_dump_json(exclude_none=True)
    assert type(played).model_validate_json(line).messages == played.messages
    assert "data" not in line
    assert "decides" not in line
    assert line.count((tmp_path / "note1.png").name) == 1


def test_the_oracle_needs_to_see_or_to_be_told(tmp_path: Path) -> None:
    for when in ("at_start", "asked_for"):
        task = loaded(tmp_path, words=["STAMPS", "BREAD"], when=when)
        passed = {
            how: grade(task, simulate(task, mock(), images=how), mock()).passed for how in ("send", "alt", "drop")
        }
        assert passed == {"send": True, "alt": True, "drop": False}


def test_a_tool_returns_pictures_to_the_one_who_called_it() -> None:
    result = ToolMessage(id="1", content="{}", attachments=[LABEL])
    assert as_seen(result, "alt").content == "{}\n[photo: A label.]"


def test_an_episode_is_stored_with_its_pictures(tmp_path: Path) -> None:
    episode = Episode(loaded(tmp_path), mock())
    episode.reset()
    (tmp_path / "note1.png").unlink()
    with pytest.raises(RecordingError, match="'note1' cannot be read"):
        episode.save()
    (tmp_path / "note1.png").write_bytes(strip("STAMPS"))
    stored = episode.save()
    (tmp_path / "note1.png").unlink()
    seen = Episode.load(stored, mock()).observation
    assert [one.content for message in seen.messages for one in attachments_of(message)] == [strip("STAMPS")]
    assert "[photo: note1.png, 48×64]" in seen.prompt()
    fork = Episode.load(stored, mock()).fork()
    fork.step("What can you tell me?")
    # A picture that was sent is not sent again.
    assert sum(len(attachments_of(message)) for message in fork.messages) == 1
