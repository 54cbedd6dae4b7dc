"""The pictures of a run: each once, in a file named by its hash beside the journal, whose lines only name them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from .errors import TauError
from .files import write_whole
from .schema.messages import Attachment, attachments_of
from .schema.pictures import SUFFIXES
from .schema.simulation import Simulation

FOLDER = "pictures"
_NAME = re.compile(r"[0-9a-f]{64}\.(png|jpg|webp)")


class Pictures:
    """The pictures of a run.

    Args:
        run: the run's folder.
        tasks: pictures that lie elsewhere as well: those of the tasks, for what was played on another machine.
    """

    def __init__(self, run: Path, tasks: Iterable[Attachment] = ()) -> None:
        self._folder = run / FOLDER
        self._tasks = {one.sha256: one for one in tasks}

    def keep(self, simulation: Simulation) -> None:
        """Write the pictures of a conversation that are not there yet.

        Raises:
            OSError: one cannot be written.
        """
        for one in pictures_of(simulation):
            file = self._file(one)
            if file is not None and not file.exists():
                try:
                    content = one.content
                except TauError:
                    continue  # a recorded conversation, whose pictures are where it was played
                file.parent.mkdir(parents=True, exist_ok=True)
                write_whole(file, content)

    def find(self, one: Attachment) -> bytes | None:
        """The bytes of a picture that a journal names; None where nobody has them."""
        file, known = self._file(one), self._tasks.get(one.sha256)
        try:
            return file.read_bytes() if file is not None and file.is_file() else known.content if known else None
        except (OSError, TauError):
            return None

    def _file(self, one: Attachment) -> Path | None:
        """Where a picture lies; what a journal says is never a path."""
        if one.sha256 is None or one.media_type is None:
            return None
        return self._folder / (one.sha256 + SUFFIXES[one.media_type])


def pictures_of(simulation: Simulation) -> list[Attachment]:
    """The pictures of a conversation and of those that were played again instead of it, each once."""
    played = [simulation, *(simulation.discarded or [])]
    found = (one for each in played for message in each.messages for one in attachments_of(message))
    return list({one.sha256: one for one in found}.values())


def copy_pictures(source: Path, target: Path) -> None:
    """Bring the pictures of a run to another one's folder; raises OSError."""
    for file in sorted((source / FOLDER).glob("*")):
        if _NAME.fullmatch(file.name) and not (target / FOLDER / file.name).exists():
            (target / FOLDER).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target / FOLDER / file.name)
