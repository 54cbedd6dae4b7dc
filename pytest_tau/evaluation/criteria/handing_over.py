"""What must survive where one agent of a team hands over to another: facts, a yes, and who does what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...environment.spec import TeamRole
from ...schema.checks import AskedOnce, OwnRole
from ...schema.messages import AnyMessage, AssistantMessage
from ...schema.reward import Check
from ...schema.transcript import calls_made, lines_of
from ..language.asked import read_question
from ..language.consent import agreement
from ..language.dialogue import answer
from ..language.narration import handed_over_to
from ..progress.effort import asked_though_told
from .scene import Scene

Spoken = tuple[int, AssistantMessage]
"""A message of the agent with its turn."""
_CIRCLES = 3  # times the same hand-over, while nothing is called


def check_asked_once(check: AskedOnce, scene: Scene) -> Check:
    """Whether nothing is asked for after a hand-over that was told, or agreed to, before."""
    overs = [at for at, message in enumerate(scene.messages) if getattr(message, "handoffs", None)]
    if not overs:
        return Check(name="asked once", met=True, dormant=True)
    again = [(turn, "what the customer had told", over) for turn, over in _fact_again(scene, overs)]
    again += [(turn, "the yes that the customer had given", over) for turn, over in _yes_again(scene, overs)]
    turn, what, over = min(again, default=(None, "", 0))
    why = "" if turn is None else f"turn {turn} asks for {what} before the hand-over in turn {over}"
    return Check(name="asked once", met=turn is None, explanation=why, turn=turn)


def _fact_again(scene: Scene, overs: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The turns that ask for a fact that was told before a hand-over, each with the first such hand-over's turn."""
    for turn, told in asked_though_told(lines_of(scene.messages)):
        if between := [over for over in overs if told < over <= turn]:
            yield turn, between[0]


def _yes_again(scene: Scene, overs: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The turns that ask for a yes to a change that was given before a hand-over, each with that hand-over's turn.

    It is the last that the customer has said by then.
    """
    messages, writes = scene.messages, scene.tools("write")
    said = [line for line in lines_of(messages) if line.text and not line.calls]
    asking = [line.turn for line in said if line.by_agent and read_question(line.text).action]
    for turn, call, _ in calls_made(messages):
        at = max((one for one in asking if one < turn), default=0)
        last = next((line for line in reversed(said) if line.turn < at and not line.by_agent), None)
        between = [over for over in overs if last is not None and last.turn < over <= at]
        if call.name in writes and last is not None and between and answer(last.text).yes:
            given = agreement([*messages[:at], messages[turn]], at, call, env=scene.env)
            if given == "yes" and given.turn == last.turn:
                yield at, between[0]


def check_own_role(check: OwnRole, scene: Scene) -> Check:
    """Whether each agent of a team keeps to its role; one that names no author is not looked at."""
    roles = {} if scene.env is None else scene.env.domain.spec.roles
    spoken = any(isinstance(message, AssistantMessage) and message.author in roles for message in scene.messages)
    turn, why = next(iter(_breaches(scene.messages, roles)), (None, ""))
    return Check(name="own role", met=turn is None, explanation=why, turn=turn, dormant=not spoken)


BrokenRole = tuple[int, str]
"""A turn, and what is wrong there."""


def _breaches(messages: Sequence[AnyMessage], roles: Mapping[str, TeamRole]) -> list[BrokenRole]:
    """What breaks a role, the first turn first."""
    spoken = [(turn, one) for turn, one in enumerate(messages) if isinstance(one, AssistantMessage)]
    found = [*_to_strangers(spoken, roles), *_in_circles(spoken), *_others_tools(spoken, roles)]
    return sorted([*found, *_only_announced(spoken, roles)], key=lambda breach: breach[0])


def _to_strangers(spoken: Sequence[Spoken], roles: Mapping[str, TeamRole]) -> Iterator[BrokenRole]:
    for turn, message in spoken:
        for one in message.handoffs or ():
            giver, taker = one["from"], one["to"]
            if giver in roles and taker in roles and taker not in roles[giver].hands_to:
                yield turn, f"turn {turn}: '{giver}' hands over to '{taker}', which is not among its colleagues"


def _in_circles(spoken: Sequence[Spoken]) -> Iterator[BrokenRole]:
    idle = Counter[tuple[str, str]]()
    for turn, message in spoken:
        for one in message.handoffs or ():
            idle[one["from"], one["to"]] += 1
            if idle[one["from"], one["to"]] == _CIRCLES:
                text = f"'{one['from']}' hands over to '{one['to']}' again and again, and nothing is called"
                yield turn, f"turn {turn}: {text}"
        if message.tool_calls:
            idle.clear()


def _others_tools(spoken: Sequence[Spoken], roles: Mapping[str, TeamRole]) -> Iterator[BrokenRole]:
    for turn, message in spoken:
        role = roles.get(message.author or "")
        for call in message.tool_calls or ():
            if role is not None and call.name not in role.tools:
                yield turn, f"turn {turn}: '{message.author}' calls {call.name}, which is not among its tools"


def _only_announced(spoken: Sequence[Spoken], roles: Mapping[str, TeamRole]) -> Iterator[BrokenRole]:
    """Hand-overs that the customer was told of, and after which another than the one named goes on."""
    announced: tuple[int, str] | None = None
    for turn, message in spoken:
        if announced is not None and announced[1] in {message.author, *(one["to"] for one in message.handoffs or ())}:
            announced = None
        if not message.content or message.tool_calls:
            continue
        if announced is not None:
            yield turn, f"turn {announced[0]} announces a hand-over to '{announced[1]}', which does not take over"
        named = handed_over_to(message.content, tuple(roles)) if message.author in roles else None
        announced = None if named is None or named == message.author else (turn, named)
