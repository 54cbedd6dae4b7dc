"""A judge's readings on disk while its passport is made, so that a broken measurement goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from pytest_tau.evaluation.judges.labels import LabelledConversation
from pytest_tau.schema.reward import JudgeReview


class KeptReadings:
    """Readings by what was asked of whom; each is in the file as soon as it is there.

    Args:
        path: the file, one reading a line; it need not exist, nor its folder. None: nothing is kept.
        judge: what makes a judge another one: its model, parameters, votes, prompt and rubric.

    Raises:
        OSError: the file cannot be read or written.
    """

    def __init__(self, path: Path | None, judge: Sequence[Any] = ()) -> None:
        self._path, self._judge = path, judge
        self._found: dict[str, JudgeReview] = {}
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.open("ab").close()  # fails before anything is paid for
            self._found = dict(_read(path))

    def get(self, conversation: LabelledConversation, seed: int) -> JudgeReview | None:
        """The reading of an earlier run; None if there is none."""
        return self._found.get(self._key(conversation, seed))

    def add(self, conversation: LabelledConversation, seed: int, review: JudgeReview) -> None:
        """Keep a reading; one without an answer is left out, and so asked for again. Raises OSError."""
        if self._path is None or review.judgement is None or not review.judgement.votes:
            return
        line = json.dumps({"of": self._key(conversation, seed), "review": review.model_dump(mode="json")})
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"\n{line}")  # the line end comes first: it also ends a line that a kill has cut off

    def _key(self, conversation: LabelledConversation, seed: int) -> str:
        read = conversation.model_dump(mode="json", include={"policy", "messages"})
        questions = [label.to_question().text for label in conversation.labels]
        return sha256(json.dumps([*self._judge, seed, read, questions], sort_keys=True).encode()).hexdigest()[:32]


def _read(path: Path) -> list[tuple[str, JudgeReview]]:
    """What stands in the file; a line that is cut off or not ours counts as a reading that was never made."""
    found = []
    for line in path.read_bytes().splitlines():
        try:
            entry = json.loads(line)
            found.append((str(entry["of"]), JudgeReview.model_validate(entry["review"])))
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    return found
