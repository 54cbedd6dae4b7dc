"""Labelled conversations: what people (or planted mistakes) say of the open questions, one conversation a line.

The format is documented in docs/grading.md. A line has the messages, the policy and the labels, so that a judge can be
measured on it without the run it came from.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import Field, ValidationError

from ...errors import RecordingError
from ...files import append_whole, decode, loads, refuse_devices, replacing
from ...schema.messages import AnyMessage
from ...schema.problems import first_problem
from ...schema.reward import JudgeAnswer, JudgeVerdict, QuestionKind
from ...schema.values import Frozen
from .asking import number_messages
from .questions import OpenQuestion, whole_question

AGENTS_KINDS: tuple[QuestionKind, ...] = ("consent", "reason", "claims", "promises")
"""The kinds about the agent; an error of the customer's is no breach of the agent's."""


class Label(Frozen):
    """What is true of one question; ``kind``, ``about`` and ``turn`` name it as in a judge's answer.

    ``question``: its words, where they are not those that the kind always has.
    """

    kind: QuestionKind
    verdict: JudgeVerdict
    about: str = ""
    turn: int | None = None
    question: str = ""
    note: str = ""

    def to_question(self) -> OpenQuestion:
        """The question."""
        if self.question or self.kind not in ("consent", "reason"):
            text = self.question or whole_question(self.kind).text
        elif self.kind == "consent":
            text = f"Had the customer agreed to this call of turn {self.turn}: {self.about}?"
        else:
            text = f"Something has to be refused here. Was the due reason given? {self.about}"
        return OpenQuestion(self.kind, text, self.about, self.turn)


class LabelledConversation(Frozen):
    """A conversation with its labels.

    ``task``: whose it is; those of one task are no independent ones. ``trial``: the node ID of the trial of a run that
    it is. ``source``: where the labels come from. ``rater``: who gave
    them. ``stratum``: the group that it was drawn from, for estimates of the run.
    """

    id: str
    policy: str = ""
    messages: list[AnyMessage]
    labels: list[Label] = Field(min_length=1)
    task: str = ""
    trial: str | None = None
    source: str = ""
    rater: str = ""
    stratum: str = ""

    @property
    def key(self) -> str:
        """Equal for the same conversation: :func:`conversation_key`."""
        return conversation_key(self.id, self.messages)

    @property
    def verdict(self) -> JudgeVerdict:
        """Of the whole conversation: whether the agent broke a rule; what people cannot tell of, leaves that open."""
        about = [one.verdict for one in self.labels if one.kind in AGENTS_KINDS]
        return "breach" if "breach" in about else "cannot tell" if "cannot tell" in about else "fine"


def conversation_key(id: str, messages: Sequence[AnyMessage]) -> str:
    """What is equal for the same conversation: its name, which trials of several runs share, and what was said."""
    return sha256(json.dumps([id, number_messages(messages)], sort_keys=True).encode()).hexdigest()


def of_the_agent(verdicts: Iterable[tuple[QuestionKind, JudgeVerdict]]) -> JudgeVerdict:
    """What verdicts on questions make of a conversation, as grading has it.

    One breach by the agent is a breach. Else it cannot be told where it cannot be told of a yes or of a reason; that
    nobody can tell of the other kinds leaves a conversation fine, as rules have it.
    """
    found = {kind: set[str]() for kind in AGENTS_KINDS}
    for kind, verdict in verdicts:
        found.setdefault(kind, set()).add(verdict)
    if any("breach" in found[kind] for kind in AGENTS_KINDS):
        return "breach"
    return "cannot tell" if any("cannot tell" in found[kind] for kind in ("consent", "reason")) else "fine"


def of_answers(answers: Sequence[JudgeAnswer]) -> JudgeVerdict:
    """What a judge's answers make of a conversation."""
    return of_the_agent([(one.kind, one.verdict) for one in answers])


def read_labels(path: Path) -> list[LabelledConversation]:
    """Read a file of labelled conversations, one JSON object a line.

    Raises:
        RecordingError: it cannot be read, or a line is no labelled conversation: which one, and why.
    """
    try:
        lines = decode(path.read_bytes()).split("\n")  # splitlines() would also split within what was said
    except OSError as error:
        raise RecordingError(f"{path}: the labels cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise RecordingError(f"{path}: the labels cannot be read: {error}") from None
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            one = LabelledConversation.model_validate(loads(line))
        except ValidationError as error:
            raise RecordingError(f"{path}, line {number}: {first_problem(error)}") from None
        except (ValueError, RecursionError) as error:
            raise RecordingError(f"{path}, line {number}: not a JSON object: {error}") from None
        if (wrong := next((each for each in one.labels if not _fits(each, one)), None)) is not None:
            raise RecordingError(f"{path}, line {number}: the conversation has no turn {wrong.turn}")
        found.append(one)
    if not found:
        raise RecordingError(f"{path}: there is no labelled conversation in it")
    return found


def _fits(label: Label, conversation: LabelledConversation) -> bool:
    return label.turn is None or 0 <= label.turn < len(conversation.messages)


def write_labels(conversations: Iterable[LabelledConversation], path: Path) -> None:
    """Write them, one a line; the old file stays if that fails. Raises RecordingError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            for one in conversations:
                file.write(_line(one))
    except OSError as error:
        raise RecordingError(f"{path}: the labels cannot be written there: {error.strerror}") from None


def append_label(one: LabelledConversation, path: Path) -> None:
    """Write one more line, beside what others write to the same file. Raises RecordingError."""
    line = _line(one).encode("utf-8", "xmlcharrefreplace")
    try:
        refuse_devices(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b", buffering=0) as file:  # in one piece, so that lines of others are never within it
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                line = line if file.read() == b"\n" else b"\n" + line  # editors leave the last line without its end
            append_whole(file, line)
    except OSError as error:
        raise RecordingError(f"{path}: the label cannot be written there: {error.strerror}") from None


def _line(one: LabelledConversation) -> str:
    return json.dumps(one.model_dump(mode="json", exclude_none=True), ensure_ascii=False) + "\n"
