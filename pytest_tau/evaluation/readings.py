"""What the sentences of a conversation were read as: proposals, answers, refusals, reasons, claims; by rule or judge.

For people who look at a verdict. Nothing is decided here; it is what the checks and the judge have looked at, and
what stayed open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from ..environment.domain import Domain
from ..environment.environment import Environment
from ..schema.calls import render_call
from ..schema.checks import Claims, Confirmed, Reason, TrajectoryCheck
from ..schema.messages import AnyMessage, ToolCall
from ..schema.reward import JudgeReview, Reading
from ..schema.simulation import Simulation
from ..schema.task import Task
from ..schema.transcript import Transcript, calls_made, lines_of
from .criteria.defaults import checks_for
from .criteria.said import how_given
from .criteria.trajectory import one_by_one
from .language.asked import read_question
from .language.consent import agreement
from .language.dialogue import answer
from .language.reasons import turning_down
from .language.text import sentences
from .language.told.deeds import Claim, told_deeds
from .language.told.unseen import unseen_claims

_NAMES = {"consent": "yes", "reason": "reason", "claims": "claim", "promises": "promise", "customer": "customer"}


def readings(task: Task, simulation: Simulation, domain: Domain, review: JudgeReview | None = None) -> list[Reading]:
    """What was read in a conversation, in its order; what is open about the whole of it comes last."""
    if simulation.solo:
        return []
    messages, env = Transcript(simulation.messages), domain.environment()
    checks = [check for check, _ in checks_for(task, domain)]
    decided = {(one.about, one.turn) for one in review.answers if one.verdict != "cannot tell"} if review else set()
    found = [
        *chain.from_iterable(
            _of_consent(checks, part, env, decided) for part in one_by_one(messages, simulation.episodes)
        ),
        *_of_reasons(checks, messages),
        *(Reading(kind="claim", turn=turn, text=one) for turn, m in enumerate(messages) for one in told_deeds(m, env)),
        *(
            Reading(kind="open", turn=one.turn, text=one.sentence, about="is this so?", why=one.why)
            for one in _unseen(checks, messages, env, review)
        ),
        *(_of_a_judge(review) if review is not None else ()),
    ]
    unique = dict.fromkeys(found)
    return sorted(unique, key=lambda one: len(messages) if one.turn is None else one.turn)


def _unseen(
    checks: Sequence[TrajectoryCheck], messages: Sequence[AnyMessage], env: Environment, review: JudgeReview | None
) -> list[Claim]:
    decided = review is not None and review.of("claims") is not None
    return unseen_claims(messages, env) if not decided and any(isinstance(one, Claims) for one in checks) else []


def _of_consent(
    checks: Sequence[TrajectoryCheck],
    messages: Sequence[AnyMessage],
    env: Environment,
    decided: set[tuple[str, int | None]],
) -> Iterator[Reading]:
    wanted = [check for check in checks if isinstance(check, Confirmed)]
    writes = {spec.name for spec in env.tool_specs() if spec.kind == "write"} if wanted else set()
    names = set().union(*(set(check.names or writes) for check in wanted))
    for turn, call, _ in calls_made(messages):
        if call.requestor == "assistant" and call.name in names:
            yield from _of_a_call(messages, turn, call, env, decided)


def _of_a_call(
    messages: Sequence[AnyMessage], turn: int, call: ToolCall, env: Environment, decided: set[tuple[str, int | None]]
) -> Iterator[Reading]:
    about, given = render_call(call.name, call.arguments), agreement(messages, turn, call, env=env)
    lines = [line for line in lines_of(messages) if line.turn < turn]
    said = next((line for line in lines if line.turn == given.turn), None)
    if said is not None and not said.by_agent:
        before = [line for line in lines if line.by_agent and line.turn < said.turn]
        for sentence in _proposing(before[-1].text) if before else ():
            yield Reading(kind="proposal", turn=before[-1].turn, text=sentence, about=about)
        if given != "unclear":
            for sentence in _answering(said.text, given):
                yield Reading(kind=str(given), turn=said.turn, text=sentence, about=about)
    if given == "no":
        yield Reading(kind="no", turn=turn, about=about, why=given.why)
    if given == "unclear" and (about, turn) not in decided:
        yield Reading(kind="open", turn=turn, about=f"was {about} agreed?", why=given.why)


def _proposing(text: str) -> list[str]:
    """What is put to the customer: the sentences that ask for leave, with the one before the first of them."""
    found, said = read_question(text), list(sentences(text))
    asking = [at for at, one in enumerate(said) if one in (found.action or found.leave)] or [len(said) - 1]
    return said[max(0, asking[0] - 1) : asking[-1] + 1]


def _answering(text: str, given: str) -> list[str]:
    found = answer(text)
    told = (*found.yes, *found.casual, *found.conditional) if given == "yes" else (*found.no, *found.wait)
    return list(told) or [text]


def _of_reasons(checks: Sequence[TrajectoryCheck], messages: Sequence[AnyMessage]) -> Iterator[Reading]:
    for check in checks:
        if not isinstance(check, Reason):
            continue
        due = check.any_of[0] if isinstance(check.any_of[0], str) else " … ".join(check.any_of[0])
        for line in lines_of(messages):
            if not line.by_agent or (verdict := how_given(check, line.text, messages[: line.turn])) == "no":
                continue
            yield from (Reading(kind="refusal", turn=line.turn, text=one) for one in turning_down(line.text))
            telling = [one for one in sentences(line.text) if how_given(check, one, messages[: line.turn]) != "no"]
            for one in telling or [line.text]:
                kind = "reason" if verdict == "yes" else "open"
                why = "" if verdict == "yes" else "it may be the reason"
                yield Reading(kind=kind, turn=line.turn, text=one, about=due, why=why)


def _of_a_judge(review: JudgeReview) -> Iterator[Reading]:
    for one in review.answers:
        kind = _NAMES[one.kind]
        if one.verdict == "cannot tell":
            yield Reading(
                kind="open", turn=one.turn, by="judge", about=" ".join(filter(None, [kind, one.about])), why=one.why
            )
        elif one.quote:
            kind = "no" if (one.kind, one.verdict) == ("consent", "breach") else kind
            yield Reading(
                kind=kind, turn=one.said, text=one.quote, by="judge", about=one.about, why=f"{one.verdict}: {one.why}"
            )
