"""Pictures of tasks: which are taken, and one sentence for every way in which a picture or a reference can be wrong."""

import base64
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import load_tasks
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.errors import RecordingError, TaskError
from pytest_tau.schema.pictures import LARGEST
from tests.builders import mock
from tests.pictures import LOSSY, SIGNATURE, headed, jpeg, part, picture_task, strip, webp

GOOD = strip("WORD")


BROKEN: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "a text": (b"Dear customer service,", "is not a PNG, JPEG or WebP, but something else"),
    "a GIF": (b"GIF89a" + bytes(20), "is not a PNG, JPEG or WebP, but a GIF"),
    "a BMP": (b"BM" + bytes(20), "but a BMP"),
    "a PDF": (b"%PDF-1.7", "but a PDF"),
    "an SVG": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "but an SVG"),
    "a HEIC": (b"\0\0\0\x18ftypheic", "but a HEIC or video"),
    "too large": (GOOD + bytes(LARGEST), "has more than 5,000,000 bytes; make it smaller"),
    "a PNG of eight bytes": (SIGNATURE, "is a PNG that is truncated"),
    "a PNG cut off in its header": (GOOD[:20], "is a PNG that is truncated"),
    "a PNG cut off in its pixels": (GOOD[:60], "is a PNG that is truncated"),
    "a PNG without its end": (GOOD[:-12], "is a PNG that is truncated"),
    "a PNG with a flipped bit": (GOOD[:50] + bytes([GOOD[50] ^ 4]) + GOOD[51:], "damaged: its part 'IDAT' has another"),
    "a PNG without a header": (SIGNATURE + part(b"IDAT", b"x"), "it does not begin with its header"),
    "a PNG without pixels": (GOOD[:33] + part(b"IEND", b""), "is a PNG without any pixels"),
    "a PNG of no width": (headed(0, 20), "says that it is 0×20 pixels; 1 to 16,384 per side are allowed"),
    "a PNG that would fill the memory": (headed(1_000_000, 1_000_000), "1000000×1000000 pixels"),
    "a JPEG of two bytes": (b"\xff\xd8", "is a JPEG that is truncated"),
    "a JPEG cut off in its header": (jpeg()[:14], "is a JPEG that is truncated"),
    "a JPEG cut off in its pixels": (jpeg(scan=b"\xff\xda\x00\x02pix"), "is a JPEG that is truncated"),
    "a JPEG without a size": (b"\xff\xd8\xff\xda\x00\x02pixels\xff\xd9", "it does not say how large it is"),
    "a JPEG without pixels": (jpeg(scan=b"\xff\xd9"), "is a JPEG without any pixels"),
    "a JPEG with a lost marker": (b"\xff\xd8\x00\x00", "a marker is missing"),
    "a WebP cut off": (LOSSY[:-3], "is a WebP that is truncated"),
    "a WebP without a picture": (webp(b"ANIM", bytes(8)), "it holds no picture"),
    "a WebP with a broken frame": (webp(b"VP8 ", bytes(12)), "its frame does not begin as one"),
    "a lossless WebP with a broken frame": (webp(b"VP8L", bytes(12)), "its frame does not begin as one"),
}


@pytest.mark.parametrize(("content", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_broken_picture_is_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    file = picture_task(tmp_path)
    (tmp_path / "note1.png").write_bytes(content)
    with pytest.raises(TaskError) as caught:
        load_tasks(file)
    where = r"from_a_picture\.json: task 'from_a_picture': user_scenario\.attachments\[0\]: the picture 'note1' "
    assert re.search(rf"^\S*{where}\(note1\.png\) .*{sentence}", str(caught.value))
    assert "\n" not in str(caught.value)


def changed(**fields: Any) -> Callable[[dict[str, Any]], object]:
    def change(scenario: dict[str, Any]) -> None:
        one = {**scenario["attachments"][0], **fields}
        scenario["attachments"] = [{name: value for name, value in one.items() if value is not None}]

    return change


PATH = "must be a path relative to the folder of the task file, with / between its parts"
OUTSIDE = "lies outside of the folder of the task file; put it beside or below the file"
REFERENCES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "missing": (changed(path="nowhere.png"), r"\(nowhere.png\) is not there"),
    "a folder": (changed(path="."), "is a folder, not a file"),
    "empty": (changed(path=""), PATH),
    "absolute": (changed(path="/etc/passwd"), PATH),
    "of Windows": (changed(path="C:/label.png"), PATH),
    "with backslashes": (changed(path=r"..\label.png"), PATH),
    "on the network": (changed(path="https://example.org/label.png"), PATH),
    "with a null byte": (changed(path="a\0b.png"), PATH),
    "up and out": (changed(path="../outside.png"), OUTSIDE),
    "down, up and out": (changed(path="sub/../../outside.png"), OUTSIDE),
    "out by a link": (changed(path="link.png"), OUTSIDE),
    "a loop of links": (changed(path="loop.png"), "cannot be found|is not there"),
    "an endless name": (changed(path="a" * 5000), "cannot be found: File name too long"),
    "neither path nor data": (changed(path=None), "needs either a path or data, and not both"),
    "path and data": (changed(data=base64.b64encode(GOOD).decode()), "needs either a path or data, and not both"),
    "data that is no base64": (changed(path=None, data="%%%"), "is not base64; give the picture's bytes in base64"),
    "a data URI": (changed(path=None, data="data:image/png;base64,AAAA"), "without a data: prefix"),
    "endless data": (changed(path=None, data="A" * (2 * LARGEST + 1)), "has more than 5,000,000 bytes"),
    "another hash": (changed(sha256="0" * 64), "is another picture than the one whose sha256 is given: its own is "),
    "no hash": (changed(sha256="abc"), r"user_scenario\.attachments\.0\.sha256: "),
    "another kind": (changed(media_type="image/jpeg"), "is image/png, and its media_type says image/jpeg"),
    "an unknown kind": (changed(media_type="image/gif"), r"user_scenario\.attachments\.0\.media_type: "),
    "an id with blanks": (changed(id="my label"), r"user_scenario\.attachments\.0\.id: "),
    "twice the same id": (
        lambda scenario: scenario["attachments"].append(scenario["attachments"][0]),
        r"attachments\[1\]: two pictures have the id 'note1'",
    ),
    "a moment for none": (
        lambda scenario: scenario.update(attach=[{"when": "at_start", "image": "note"}]),
        r"attach\[0\]: there is no picture 'note' \(did you mean 'note1'\?\)",
    ),
    "two moments": (
        lambda scenario: scenario.update(attach=[{"when": "at_start", "image": "note1"}] * 2),
        r"attach\[1\]: the picture 'note1' already has a moment",
    ),
    "a call at the start": (
        lambda scenario: scenario["attach"][0].update(call="check"),
        "call goes with when: after_call, and this is at_start",
    ),
    "a mark for none": (
        lambda scenario: scenario["instructions"].update(known_info="Here: [attach: note2]"),
        r"\[attach: note2\] names no picture of the task",
    ),
}


@pytest.mark.parametrize(("change", "sentence"), REFERENCES.values(), ids=REFERENCES)
def test_a_broken_reference_is_one_sentence(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], sentence: str
) -> None:
    folder = tmp_path / "suite"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "outside.png").write_bytes(GOOD)
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    (folder / "loop.png").symlink_to("loop.png")
    file = picture_task(folder)
    task = json.loads(file.read_text())
    change(task["user_scenario"])
    file.write_text(json.dumps(task))
    with pytest.raises(TaskError, match=sentence) as caught:
        load_tasks(file)
    assert "\n" not in str(caught.value)


def test_a_picture_in_the_task_file_and_one_below_it(tmp_path: Path) -> None:
    file = picture_task(tmp_path)
    content = json.loads(file.read_text())
    (tmp_path / "photos").mkdir()
    os.replace(tmp_path / "note1.png", tmp_path / "photos" / "note1.png")
    inline = {"id": "inline", "data": base64.b64encode(GOOD).decode()}
    content["user_scenario"]["attachments"][0]["path"] = "photos/note1.png"
    content["user_scenario"]["attachments"].append(inline)
    file.write_text(json.dumps(content))
    (task,) = load_tasks(file)
    below, inside = task.user_scenario.attachments or []
    assert (below.content, inside.content) == (strip("STAMPS"), GOOD)
    assert (below.media_type, below.width, below.height) == ("image/png", 48, 64)
    assert (str(below), str(inside)) == ("[photo: note1.png, 48×64]", "[photo: inline.png, 32×64]")


def test_a_picture_that_changes_during_the_run_is_noticed(tmp_path: Path) -> None:
    (task,) = load_tasks(picture_task(tmp_path))
    (one,) = task.user_scenario.attachments or []
    (tmp_path / "note1.png").write_bytes(GOOD)
    with pytest.raises(RecordingError, match="the picture 'note1' has changed since the task was read; run again"):
        _ = one.content


def test_what_does_not_fit_the_domain_is_named(tmp_path: Path) -> None:
    file = picture_task(tmp_path, when="after_call")
    content = json.loads(file.read_text())
    content["user_scenario"]["attach"][0]["call"] = "check_notification"
    content["user_scenario"]["attachments"][0]["decides"] = ["titel"]
    file.write_text(json.dumps(content))
    (task,) = load_tasks(file)
    assert list(task_problems(task, mock())) == [
        "user_scenario.attach[0]: there is no user tool 'check_notification' (did you mean 'check_notifications'?)",
        "user_scenario.attachments[0].decides: no gold action has an argument 'titel' (did you mean 'title'?)",
    ]


def test_pictures_in_a_history_are_found_as_well(tmp_path: Path) -> None:
    (tmp_path / "h.png").write_bytes(GOOD)
    said = {"role": "user", "content": "Look.", "attachments": [{"id": "h", "path": "h.png"}]}
    answer = {"role": "assistant", "content": "I see."}
    file = picture_task(tmp_path, initial_state={"message_history": [said, answer]})
    (task,) = load_tasks(file)
    assert task.history[0].attachments[0].content == GOOD  # type: ignore[union-attr, index]
    said["attachments"][0]["path"] = "gone.png"  # type: ignore[index]
    picture_task(tmp_path, initial_state={"message_history": [said, answer]})
    with pytest.raises(TaskError, match=r"message_history\[0\]\.attachments\[0\]: the picture 'h' \(gone.png\) is not"):
        load_tasks(file)
