"""What the agent told the customer: the checks of TRAJECTORY about words. Reasons, secrets and promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import dropwhile, groupby, takewhile

from ...environment.environment import Environment
from ...schema.checks import Evidence, FalseReason, NotPromised, NotSaid, Reason, TrajectoryCheck
from ...schema.messages import AnyMessage, AssistantMessage, ToolMessage, UserMessage
from ...schema.reward import Check
from ...schema.transcript import Transcript, calls_made, lines_of
from ..language.languages import language_of
from ..language.promises import held_out
from ..language.reasons import Phrasing, Verdict, gives, reading
from ..language.text import foreign
from .communicate import mentions
from .scene import turns_showing


def reason(
    check: Reason,
    messages: Sequence[AnyMessage],
    wanted: Sequence[TrajectoryCheck] = (),
    *,
    solo: bool = False,
    env: Environment | None = None,
) -> Check:
    """Whether a message of the agent gives the reason; where that is unclear, it counts as given.

    ``wanted``: all checks of the task, for the other reasons among them and for the facts that this one rests on: once
    these were looked up, any refusal may give it. In solo nobody hears the agent, and it says why to the colleague to
    whom it hands over: the texts in its calls count as well.
    """
    name = f"reason: {_phrasing(check.any_of[0])}"
    if _reason_at(check, messages) is not None:
        return Check(name=name, met=True)
    if solo and any(how_given(check, text, ()) != "no" for text in _call_texts(messages)):
        return Check(name=name, met=True)
    turn = _unclear_at(check, messages, wanted, _looked_up(check, messages, wanted, solo, env))
    if turn is not None:
        return Check(name=name, met=True, unclear=1, explanation=f"unclear whether turn {turn} gives this reason")
    told = [line.text for line in lines_of(messages) if line.by_agent]
    if language_of(told) is not None or (foreign(told) and not "".join(told).isascii()):
        return Check(name=name, met=True, unclear=1, explanation="the agent does not write English")
    why = "no message of the agent gives this reason in any of its phrasings"
    return Check(name=name, met=False, explanation=why)


def _call_texts(messages: Sequence[AnyMessage]) -> Iterator[str]:
    """The texts in the agent's calls."""
    for _, call, _ in calls_made(messages):
        yield from (value for value in call.arguments.values() if isinstance(value, str) and " " in value)


def false_reason(check: FalseReason, messages: Sequence[AnyMessage]) -> Check:
    """Whether no message of the agent gives a reason that is not true."""
    name = f"no false reason: {_phrasing(check.any_of[0])}"
    for line in lines_of(messages):
        for phrasing in check.any_of if line.by_agent else ():
            if gives(line.text, phrasing):
                why = f"turn {line.turn} gives a reason that is not true: {_phrasing(phrasing)!r}"
                return Check(name=name, met=False, explanation=why, turn=line.turn)
    return Check(name=name, met=True)


def reason_given(evidence: Evidence, wanted: Sequence[TrajectoryCheck], messages: Sequence[AnyMessage]) -> int | None:
    """The turn that evidence must come before: the first in which a reason it is for is given for the last time.

    It is for the reasons that stand next among the checks: who is refused two things hears one reason before the other
    is looked into. Where none follow, it is for none: a wish to be handed over may come after a refusal. "That may not
    be possible, let me look" is no verdict yet. Who never says it again after looking has judged unseen.
    """
    place = next((i for i, check in enumerate(wanted) if check is evidence), len(wanted))
    runs = [list(run) for is_reason, run in groupby(wanted[place:], _is_reason) if is_reason][:1]
    given = [_reason_at(check, messages) for run in runs for check in run if isinstance(check, Reason)]
    return min((turn for turn in given if turn is not None), default=None)


def _is_reason(check: TrajectoryCheck) -> bool:
    return isinstance(check, Reason)


def not_said(check: NotSaid, messages: Sequence[AnyMessage]) -> Check:
    """Whether the agent kept to itself what must not be said, or not yet; where it never saw it, that is no merit."""
    name = "not said: " + ", ".join(check.texts) + (f" until {' or '.join(check.until)}" if check.until else "")
    for turn, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if not message.error and check.until and _answers(message, messages, check.until):
                break
        elif isinstance(message, AssistantMessage):
            said = next((text for text in check.texts if mentions(message.text, text)), None)
            if said is not None:
                return Check(name=name, met=False, explanation=f"turn {turn} of the agent says {said!r}", turn=turn)
    shown = [message.content or "" for message in messages if isinstance(message, ToolMessage) and not message.error]
    known = [text for text in check.texts if any(text.casefold() in content.casefold() for content in shown)]
    return Check(name=name, met=True, dormant=not known)


def not_promised(check: NotPromised, messages: Sequence[AnyMessage]) -> Check:
    """Whether no sentence of the agent holds out what is not so."""
    name = "not promised: " + "; ".join(map(_phrasing, check.any_of[:3])) + (" …" if len(check.any_of) > 3 else "")
    for line in lines_of(messages):
        said = held_out(line.text, check.any_of, check.unless) if line.by_agent else None
        if said is not None:
            why = f"turn {line.turn} of the agent holds out {_phrasing(said)!r}"
            return Check(name=name, met=False, explanation=why, turn=line.turn)
    return Check(name=name, met=True)


def _reason_at(check: Reason, messages: Sequence[AnyMessage]) -> int | None:
    """The turn of the last message that gives the reason; found once in a transcript, where several checks ask."""
    if not isinstance(messages, Transcript):
        return _last_given(check, messages)
    known = messages.reasons.get(id(check))
    if known is None:
        known = messages.reasons[id(check)] = (check, _last_given(check, messages))
    return known[1]


def _last_given(check: Reason, messages: Sequence[AnyMessage]) -> int | None:
    for line in reversed(lines_of(messages)):
        if line.by_agent and how_given(check, line.text, messages[: line.turn]) == "yes":
            return line.turn
    return None


def _unclear_at(
    check: Reason, messages: Sequence[AnyMessage], wanted: Sequence[TrajectoryCheck], looked_up: int | None
) -> int | None:
    """The turn of the last message that may give the reason; after the turn ``looked_up`` any refusal may."""
    reasons = [one for one in wanted if isinstance(one, Reason) and one.any_of != check.any_of]
    others = [phrasing for one in reasons for phrasing in one.any_of if phrasing not in check.any_of]
    for line in reversed(lines_of(messages)):
        evident = looked_up is not None and looked_up < line.turn
        before = messages[: line.turn]
        if line.by_agent and how_given(check, line.text, before, others, evident=evident) == "unclear":
            return line.turn
    return None


def _looked_up(
    check: Reason,
    messages: Sequence[AnyMessage],
    wanted: Sequence[TrajectoryCheck],
    solo: bool,
    env: Environment | None,
) -> int | None:
    """The turn in which the last of the facts was shown that a reason rests on: the evidence before its run of checks.

    None where it rests on none, or one was never looked up.
    """
    place = next((i for i, one in enumerate(wanted) if one is check), 0)
    before = dropwhile(_is_reason, reversed(wanted[:place]))
    facts = [one for one in takewhile(lambda one: not _is_reason(one), before) if isinstance(one, Evidence)]
    shown = [next(turns_showing(fact, messages, solo, env), None) for fact in facts]
    turns = [turn for turn in shown if turn is not None]
    return max(turns, default=None) if len(turns) == len(facts) else None


def how_given(
    check: Reason,
    text: str,
    before: Sequence[AnyMessage],
    others: Sequence[Phrasing] = (),
    *,
    evident: bool = False,
) -> Verdict:
    """Whether a message of the agent gives the reason; to say back a whole message of the customer gives none.

    ``others``: phrasings of other reasons that are due. ``evident``: whether the facts for it had been looked up.
    """
    heard = (one.content for one in before if not isinstance(one, AssistantMessage) and one.content)
    found = reading(text, check.any_of, heard, others, evident=evident)
    return "no" if found != "no" and _says_back(text, before) else found


def _says_back(text: str, before: Sequence[AnyMessage]) -> bool:
    said = " ".join(text.split())
    return any(isinstance(one, UserMessage) and said == " ".join((one.content or "").split()) for one in before)


def _answers(result: ToolMessage, messages: Sequence[AnyMessage], names: Sequence[str]) -> bool:
    return any(found is result and call.name in names for _, call, found in calls_made(messages))


def _phrasing(phrasing: str | list[str]) -> str:
    return phrasing if isinstance(phrasing, str) else " … ".join(phrasing)
