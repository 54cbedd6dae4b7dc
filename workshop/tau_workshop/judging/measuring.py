"""Holds a judge against labelled conversations, and makes its passport."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from pytest_tau.errors import InfraError, SettingsError
from pytest_tau.evaluation.judges.labels import AGENTS_KINDS, LabelledConversation, of_answers
from pytest_tau.evaluation.judges.questions import RUBRIC
from pytest_tau.evaluation.judges.review import Reviewer, prompt_hash, rubric_hash
from pytest_tau.llm.protocol import ModelClient
from pytest_tau.metrics.passport import Judged, Passport, measurements
from pytest_tau.schema.reward import JudgeReview
from pytest_tau.scrub import public

from .kept import KeptReadings

Told = Callable[[int, int], None]
_MOST_IN_A_ROW = 3
"""Readings that fail one after the other until no more are begun: each may wait for minutes."""


def make_passport(
    client: ModelClient,
    conversations: Sequence[LabelledConversation],
    *,
    parameters: Mapping[str, Any],
    votes: int = 1,
    repeats: int = 2,
    at_once: int = 4,
    timeout: float | None = None,
    told: Told = lambda done, of: None,
    keep: Path | None = None,
) -> Passport:
    """Let a judge read all conversations, each so many times, and count where it is right.

    Args:
        client: the judge's model.
        conversations: with labels. One that several people have labelled counts once, as the first of them had it.
        parameters: what its calls are made with; keys stay out of the passport.
        votes: how often it is asked for a verdict.
        repeats: how often each conversation is judged; the first time counts, the others show whether it says the same.
        at_once: conversations at the same time.
        timeout: seconds that a conversation may take.
        told: called with how many readings are done, and of how many.
        keep: a file for the readings, of which none is made again; whoever has saved the passport removes it.

    Raises:
        SettingsError: no conversation, or votes of which no majority decides.
        InfraError: the judge did not answer on a conversation; what it did answer stays in ``keep``.
        OSError: the file of readings cannot be read or written.
    """
    if not conversations:
        raise SettingsError("a judge is measured on labelled conversations, and there are none")
    if votes < 1 or votes % 2 == 0:
        raise SettingsError(f"the judge's votes must be an odd number, not {votes}: the majority decides")
    reviewer = Reviewer(client, votes, timeout)
    conversations = _each_once(conversations)
    known = public(dict(parameters))
    kept = KeptReadings(keep, (client.model, known, votes, prompt_hash(), rubric_hash()))
    reviews = asyncio.run(_read(reviewer, conversations, repeats, at_once, told, kept))
    kinds: dict[str, list[Judged]] = {}
    whole: list[Judged] = []
    for conversation, found in zip(conversations, reviews, strict=True):
        for place, label in enumerate(conversation.labels):
            first, *again = (review.answers[place].verdict for review in found)
            kinds.setdefault(label.kind, []).append(Judged(label.verdict, first, tuple(again), conversation.task))
        if any(label.kind in AGENTS_KINDS for label in conversation.labels):
            verdict, *others = (of_answers(review.answers) for review in found)
            whole.append(Judged(conversation.verdict, verdict, tuple(others), conversation.task))
    return Passport(
        created=date.today().isoformat(),
        model=client.model,
        parameters=known,
        votes=votes,
        prompt=prompt_hash(),
        rubric=rubric_hash(),
        sources=dict(Counter((one.source or "labelled").partition(":")[0] for one in conversations)),
        repeats=repeats,
        conversations=measurements(whole),
        kinds={kind: measurements(kinds[kind]) for kind in RUBRIC if kind in kinds},
    )


def _each_once(conversations: Sequence[LabelledConversation]) -> list[LabelledConversation]:
    """Each conversation with all its questions, each with the label that was given first."""
    found: dict[tuple[str, str], LabelledConversation] = {}
    for one in conversations:
        same = one.key, one.policy
        if (before := found.get(same)) is not None:
            asked = {label.to_question() for label in before.labels}
            more = [label for label in one.labels if label.to_question() not in asked]
            one = before.model_copy(update={"labels": [*before.labels, *more]})
        found[same] = one
    return list(found.values())


async def _read(
    reviewer: Reviewer,
    conversations: Sequence[LabelledConversation],
    repeats: int,
    at_once: int,
    told: Told,
    kept: KeptReadings,
) -> list[list[JudgeReview]]:
    gate, done, of = asyncio.Semaphore(at_once), 0, len(conversations) * repeats
    failed, in_a_row = "", 0

    async def one(conversation: LabelledConversation, seed: int) -> JudgeReview | None:
        nonlocal done, failed, in_a_row
        questions = [label.to_question() for label in conversation.labels]
        if (found := kept.get(conversation, seed)) is None:
            async with gate:
                if in_a_row >= _MOST_IN_A_ROW:
                    return None
                found = await reviewer.answers(conversation.policy, conversation.messages, questions, seed=seed)
            if found.judgement is not None and found.judgement.votes == 0:
                failed, in_a_row = failed or f"conversation {conversation.id!r}: {found.answers[0].why}", in_a_row + 1
                return None
            in_a_row = 0
            kept.add(conversation, seed, found)
        done += 1
        told(done, of)
        return found

    told(0, of)
    each = [one(conversation, 1000 * repeat) for conversation in conversations for repeat in range(repeats)]
    found = [review for review in await asyncio.gather(*each) if review is not None]
    if failed:  # what the judge never said is no error of the judge's, so there is no rate without it
        raise InfraError(
            f"the judge {reviewer.model} made {done} of {of} readings; {failed}; start again with the same command, "
            "which asks only for what is missing"
        )
    return [found[start : start + repeats] for start in range(0, of, repeats)]
