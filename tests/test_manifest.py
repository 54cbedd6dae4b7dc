"""The manifest: written and read back, and what keeps two runs from standing in one table."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.errors import RecordingError
from pytest_tau.manifest import FILE_NAME, Manifest, content_hash, hash_of_files, keep_plan, load_manifest, plan_of
from tests.strategies import text

A = Manifest(
    options={"seed": 300, "agent": "llm", "agent_llm_args": {"temperature": 0}},
    content={"the domain folder of mock": "0123", "the tasks in t.json": "4567"},
    about={"began": "2026-01-01T00:00:00", "command": "pytest --tau-domain 'mock'"},
    k=2,
    shard="1/3",
)
TESTS = ["tau/mock/b.json::test_task[", "tau/mock/ä.json::test_task["]
VALUES = st.none() | st.integers() | text() | st.booleans() | st.dictionaries(text(), st.integers())


def test_round_trip(tmp_path: Path) -> None:
    A.save(tmp_path)
    assert load_manifest(tmp_path) == A
    Manifest().save(tmp_path)
    assert load_manifest(tmp_path) == Manifest()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


@given(options=st.dictionaries(text(), VALUES), content=st.dictionaries(text(), text()))
def test_no_difference_to_itself_read_back(
    tmp_path_factory: pytest.TempPathFactory, options: dict[str, object], content: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    one = Manifest(options=options, content=content)
    one.save(folder)
    assert one.differences(load_manifest(folder)) == []


def test_each_difference_is_a_phrase() -> None:
    later = Manifest(
        options={"seed": 7, "agent_llm_args": {"temperature": 1}, "user": "llm"},
        content={"the domain folder of mock": "0123", "the tasks in t.json": "89ab", "the tasks in new.json": "c"},
        about={"began": "2027-01-01T00:00:00"},
    )
    assert A.differences(later) == [
        '--tau-agent was "llm" and is not given',
        '--tau-agent-llm-args was {"temperature": 0} and is {"temperature": 1}',
        "--tau-seed was 300 and is 7",
        '--tau-user was not given and is "llm"',
        "the tasks in t.json changed",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "is missing, so it is unknown how these trials were played"),
        ("{", "the manifest is not valid JSON: "),
        ("[" * 100_000, "the manifest is not valid JSON: "),
        ("[]", "written in version None, and this reads 1"),
        ('{"version": 2}', "written in version 2, and this reads 1"),
        ('{"version": [1]}', "written in version [1], and this reads 1"),
        ('{"version": 1, "colour": "red"}', "is not a manifest: nothing reads the key 'colour'"),
        ('{"version": 1, "options": []}', "is not a manifest: options is not an object"),
        ('{"version": 1, "about": {"began": 5}}', "is not a manifest: about holds something other than texts"),
        ('{"version": 1, "about": {"shards": "1/x"}}', "is not a manifest: shards are not such as 2/5"),
        ('{"version": 1, "k": "4"}', "is not a manifest: k is not a number of 1 or more"),
        ('{"version": 1, "k": 0}', "is not a manifest: k is not a number of 1 or more"),
        ('{"version": 1, "shard": 5}', "is not a manifest: shard is not such as 2/5"),
        (b"\xff", "the manifest is not valid JSON: "),
    ],
)
def test_what_is_no_manifest(tmp_path: Path, text: str | bytes | None, sentence: str) -> None:
    file = tmp_path / FILE_NAME
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RecordingError) as caught:
        load_manifest(tmp_path)
    assert str(caught.value).startswith(f"{file}: {sentence}")


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"nowhere: does not exist; name the folder of a run$"):
        load_manifest(tmp_path / "nowhere")


def test_a_hash_is_of_names_and_contents_in_any_order(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(json.dumps(1), encoding="utf-8")
    two.write_text(json.dumps(2), encoding="utf-8")
    before = hash_of_files([one, two])
    assert before == hash_of_files([two, one]) != hash_of_files([one])
    one.rename(tmp_path / "other.json")
    assert hash_of_files([tmp_path / "other.json", two]) != before
    (tmp_path / "other.json").rename(one)
    assert hash_of_files([one, two]) == before
    one.write_text(json.dumps(3), encoding="utf-8")
    assert hash_of_files([one, two]) != before
    two.unlink()
    with pytest.raises(OSError, match="two"):
        hash_of_files([one, two])


def test_hashes_are_of_the_content_alone() -> None:
    assert content_hash({"a": 1, "b": [2]}) == content_hash({"b": [2], "a": 1})
    assert content_hash("text") == content_hash(b"text") != content_hash("text ")
    assert content_hash({"a": 1}) != content_hash({"a": "1"})
    assert len(content_hash("\udc80")) == 16


def test_names_that_somebody_crafted_stay_on_one_line() -> None:
    crafted = Manifest(options={"a\n::error::b": 1}, content={"x\ny": "1"})
    for told in crafted.differences(Manifest(content={"x\ny": "2"})):
        assert "\n" not in told


def test_a_run_that_goes_on_notes_each_commit_and_command_once() -> None:
    begun = Manifest(about={"commit": "c1", "command": "pytest --tau-budget 1"})
    on = begun.as_resumed(2, "c1", "pytest --tau-resume").as_resumed(2, "c2", "pytest --tau-resume")
    assert on.about == {"commit": "c1, c2", "command": "pytest --tau-budget 1; pytest --tau-resume"}


def test_a_hash_is_the_same_for_the_line_ends_of_every_system(tmp_path: Path) -> None:
    file = tmp_path / "policy.md"
    hashes = []
    for content in (b"One.\nTwo.\n", b"One.\r\nTwo.\r\n", b"One. Two.\n"):
        file.write_bytes(content)
        hashes.append(hash_of_files([file]))
    assert hashes[0] == hashes[1] != hashes[2]


def test_what_was_kept_is_read(tmp_path: Path) -> None:
    assert plan_of(tmp_path) == {}
    keep_plan(tmp_path, dict.fromkeys(TESTS, 2))
    assert list(plan_of(tmp_path).items()) == [(test, 2) for test in TESTS]


def test_of_an_older_run_the_order_alone_is_known(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text(json.dumps(TESTS), encoding="utf-8")
    assert list(plan_of(tmp_path).items()) == [(test, 0) for test in TESTS]


@pytest.mark.parametrize("text", ['{"a": "2"}', '{"a": -1}', '{"a": 1000000000}', "[", "9" * 5000, "[" * 100_000])
def test_what_somebody_has_edited_is_no_order(tmp_path: Path, text: str) -> None:
    (tmp_path / "order.json").write_text(text, encoding="utf-8")
    assert plan_of(tmp_path) == {}
