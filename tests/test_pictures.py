"""The pictures of a run: each once, named by its hash; nothing that a journal says is a path."""

from pathlib import Path

from pytest_tau import Attachment
from pytest_tau.merging import merge
from pytest_tau.pictures import FOLDER, Pictures, copy_pictures
from pytest_tau.schema.messages import UserMessage
from tests.builders import finished, says
from tests.pictures import strip
from tests.test_merging import run, trial

ONE, TWO = (Attachment.of(strip(word), word.lower()) for word in ("ONE", "TWO"))


def kept(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (folder / FOLDER).iterdir()}


def test_a_picture_is_kept_once_and_found_again(tmp_path: Path) -> None:
    shown = UserMessage(content="See.", attachments=[ONE, TWO, ONE])
    earlier = finished([says("Hi."), shown])
    for _ in range(3):
        Pictures(tmp_path).keep(finished([says("Hi."), shown, shown], discarded=[earlier]))
    assert kept(tmp_path) == {f"{one.sha256}.png": one.content for one in (ONE, TWO)}
    read = Attachment.model_validate_json(ONE.model_dump_json())  # as a journal has it
    assert Pictures(tmp_path).find(read) == ONE.content
    # Read again and played on, it is kept where it was.
    Pictures(tmp_path / "other").keep(finished([UserMessage(content="See.", attachments=[read])]))
    assert not (tmp_path / "other").exists()


def test_what_was_played_elsewhere_is_looked_for_in_the_tasks(tmp_path: Path) -> None:
    read = Attachment.model_validate_json(ONE.model_dump_json())
    assert Pictures(tmp_path).find(read) is None
    assert Pictures(tmp_path, [TWO, ONE]).find(read) == ONE.content
    assert Pictures(tmp_path, [read]).find(read) is None
    assert Pictures(tmp_path).find(Attachment(id="one")) is None


def test_merged_runs_have_the_pictures_of_all_and_nothing_else(tmp_path: Path) -> None:
    runs = [run(tmp_path / str(number), [trial(number)]) for number in (1, 2)]
    for results, one in zip(runs, (ONE, TWO), strict=True):
        folder = results / "latest"
        Pictures(folder).keep(finished([UserMessage(content="See.", attachments=[one])]))
        (folder / FOLDER / "notes.txt").write_text("no picture")
    merged = merge(runs, tmp_path / "all")
    assert kept(merged.run) == {f"{one.sha256}.png": one.content for one in (ONE, TWO)}
    copy_pictures(tmp_path / "nowhere", merged.run)
