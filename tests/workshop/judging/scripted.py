"""A judge that knows the labels and errs as often as it is told to, by a seed."""

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_tau.evaluation.judges.labels import LabelledConversation
from pytest_tau.evaluation.judges.questions import SPEAKER
from pytest_tau.llm.protocol import ChatMessage, ModelReply
from tests.fake_model import reply


class ScriptedJudge:
    """Finds ``sensitivity`` of the breaches and lets ``specificity`` of the rest pass, with quotes that stand there.

    With ``invents`` its quotes are its own.
    """

    model = "scripted/judge"
    parameters: Mapping[str, Any] = {"temperature": 0}

    def __init__(
        self,
        known: Sequence[LabelledConversation],
        *,
        sensitivity: float = 1.0,
        specificity: float = 1.0,
        seed: int = 1,
        invents: bool = False,
    ) -> None:
        self._known = {len(one.messages): one for one in known} | {one.id: one for one in known}
        self._by_words = {_words(one): one for one in known}
        self._rates = {"breach": sensitivity, "fine": specificity}
        self._rng = random.Random(seed)
        self._invents = invents
        self.calls = 0

    async def complete(self, messages: Sequence[ChatMessage], **options: Any) -> ModelReply:
        """The answers to all questions."""
        self.calls += 1
        shown = json.loads(messages[1]["content"])
        one = self._by_words[tuple(turn.get("says", "") for turn in shown["conversation"])]
        return reply(json.dumps({"answers": [self._answer(one, at) for at in range(len(one.labels))]}))

    def _answer(self, one: LabelledConversation, at: int) -> dict[str, Any]:
        label = one.labels[at]
        right = self._rng.random() < self._rates[label.verdict]
        verdict = label.verdict if right else {"breach": "fine", "fine": "breach"}[label.verdict]
        turn, quote = next(
            (turn, message.content)
            for turn, message in enumerate(one.messages)
            if message.role == SPEAKER[label.kind] and message.content
        )
        quote = "Nobody said anything like that." if self._invents else quote
        return {"number": at + 1, "reasoning": "-", "turn": turn, "quote": quote, "verdict": verdict}


def _words(one: LabelledConversation) -> tuple[str, ...]:
    return tuple((message.content or "") if message.role != "tool" else "" for message in one.messages)
