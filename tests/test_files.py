"""Files are written whole, never through a link, and read with a sentence for every fault."""

import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic_core import to_json

from pytest_tau.environment.tasks import read_tasks
from pytest_tau.errors import SettingsError, TaskError
from pytest_tau.files import DEEPEST, loads, read_json, refuse_devices, replacing, resolve, write_whole
from tests.plugin.inner import task


def by_replacing(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text)


WAYS = [by_replacing, write_whole]


@pytest.mark.parametrize("write", WAYS)
def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path, write: Callable[[Path, str], None]) -> None:
    path = tmp_path / "f"
    for text in ("one", "two \ud800"):
        write(path, text)
    assert path.read_text(encoding="utf-8") == "two &#55296;"
    assert os.listdir(tmp_path) == ["f"]


@pytest.mark.parametrize("write", WAYS)
def test_a_planted_link_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path, str], None]
) -> None:
    """Even for somebody who could guess the name."""
    monkeypatch.setattr(secrets, "token_hex", lambda _: "guessed")
    (tmp_path / "precious").write_text("mine")
    (tmp_path / ".tau-guessed").symlink_to(tmp_path / "precious")
    with pytest.raises(FileExistsError):
        write(tmp_path / "f", "theirs")
    assert (tmp_path / "precious").read_text() == "mine"
    assert not (tmp_path / "f").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
@pytest.mark.parametrize("write", WAYS)
@pytest.mark.parametrize("name", ["pipe", "link"])
def test_what_is_no_file_is_never_replaced(tmp_path: Path, write: Callable[[Path, str], None], name: str) -> None:
    """As root, a report that is called /dev/null would take the place of the device."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with pytest.raises(OSError, match="is a device, pipe or socket, and no file"):
        write(tmp_path / name, "text")
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


@pytest.mark.skipif(os.name == "nt", reason="no devices")
@pytest.mark.parametrize("name", ["/dev/null", "/dev/stdout", "/dev/nothing_of_this_name"])
def test_the_folder_of_devices_is_no_place_for_files(name: str) -> None:
    with pytest.raises(OSError, match="is a device, pipe or socket, and no file"):
        refuse_devices(Path(name))


def test_what_is_interrupted_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")

    def interrupted() -> None:
        with replacing(tmp_path / "f") as file:
            file.write("half of the n")
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert (tmp_path / "f").read_text() == "old"
    assert os.listdir(tmp_path) == ["f"]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[" * 100_000,
        "1" * 5000,
        "NaN",
        "[Infinity]",
        "\udcff",
        "[1e400]",
        "[" * 201 + "]" * 201,
        '{"a":' * 201 + "1" + "}" * 201,
    ],
)
def test_what_is_no_json(tmp_path: Path, text: str) -> None:
    (tmp_path / "f").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(TaskError, match=r"/f: the thing is not valid JSON: .+; do it again$"):
        read_json(tmp_path / "f", TaskError, "the thing", then="; do it again")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": NaN}', "NaN is not JSON: line 1 column 7 "),
        ('["NaN \\" NaN",\n -Infinity]', "-Infinity .* line 2 column 2 "),
    ],
)
def test_where_a_number_stands_that_json_does_not_know(text: str, where: str) -> None:
    with pytest.raises(ValueError, match=where):
        loads(text)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path, tmp_path / "none", tmp_path / "loop"):
        with pytest.raises(TaskError, match=r": the thing cannot be read: .+$"):
            read_json(path, TaskError, "the thing")


def test_texts_are_such_as_files_can_hold() -> None:
    assert loads('{"\\ud800a": ["\\ud83d\\ude00", "\\udc00"]}') == {"?a": ["😀", "?"]}


def test_what_pydantic_can_write_can_be_read() -> None:
    text = '{"a":[' * (DEEPEST // 2) + "1.5e300" + "]}" * (DEEPEST // 2)
    assert to_json(loads(text), inf_nan_mode="strings").decode() == text.replace("1.5e300", "1.5e+300")
    assert loads('"' + "[" * 1000 + '"') == "[" * 1000


def test_a_loop_of_links_has_a_path_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert resolve(tmp_path / "loop") == tmp_path / "loop"
    assert resolve(tmp_path / "x" / "..") == tmp_path.resolve()


def test_the_root_of_the_file_system_is_no_file() -> None:
    with pytest.raises(OSError, match="/"), replacing("/") as file:
        file.write("x")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (b"", "not valid JSON: the file is empty"),
        (b" \n", "not valid JSON: the file is empty"),
        (b"\xff\xfe{", "not valid JSON: no text in utf-8 (byte 1 is 0xff)"),
        (b'{"a": "\xe9"}', "not valid JSON: no text in utf-8 (byte 8 is 0xe9)"),
    ],
)
def test_what_editors_leave_of_a_json_file_is_told_in_words(tmp_path: Path, written: bytes, why: str) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(written)
    with pytest.raises(SettingsError) as refused:
        read_json(file, SettingsError, "it")
    assert str(refused.value) == f"{file}: it is {why}"
    with pytest.raises(TaskError) as refused_as_task:
        read_tasks(file)
    assert str(refused_as_task.value) == f"{file}: {why}"


def test_a_byte_order_mark_is_no_part_of_a_json_file(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(task()), encoding="utf-8-sig")
    assert read_json(file, SettingsError, "it")["id"] == "one"
    assert [one.id for one in read_tasks(file)] == ["one"]
