"""What a team can do wrong where one hands over to another: twelve kinds, each made once in a trial of ``Team``.

A kind takes the moves of the oracle and makes those of the team. Where a task has no place for it, nothing is planted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from zlib import crc32

from ..evaluation.language.dialogue import answer
from ..schema.checks import Order
from ..schema.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from ..schema.scenario import Later
from ..users.scripted import CONFIRM_CUE
from .oracle import say
from .team import Moves, Seam, Team

_ADDRESS = re.compile(r'"(\d+ [A-Z][^"]+)"')


def _asks(questions: Mapping[str, Sequence[str]]) -> Seam:
    """After a hand-over, it is asked for what the customer has told. ``questions``: how that looks -> wordings."""

    def seam(team: Team, moves: Moves) -> Moves:
        for move in moves:
            before = team.at
            team.take(move)
            told = "\n".join(message.text for message in team.messages if isinstance(message, UserMessage))
            question = next((ask for says, ask in questions.items() if re.search(says, told)), None)
            if team.planted is None and team.at != before and question is not None:
                team.plant()
                yield say(_choose_wording(team, question))
            yield move

    return seam


def _consent_lost(team: Team, moves: Moves) -> Moves:
    """A role makes a change that it has not proposed, and that the customer has not left to it as "the rest"."""
    skipped = None
    for move in moves:
        if team.planted is None and _settles(team, move) and not _changed_their_mind(team):
            team.plant()
            skipped = move.text
        if move.text != skipped:
            yield team.take(move)


def _consent_twice(team: Team, moves: Moves) -> Moves:
    """The customer says yes, and another role asks for it again."""
    for move in moves:
        yield team.take(move)
        last, owner, other = team.messages[-1].content or "", team.at, _first(team)
        if team.planted is None and owner != other and _settles(team, move) and answer(last).yes:
            team.plant()
            team.hand_over(other)
            yield move.model_copy()
            team.hand_over(owner)


def _wrong_desk(team: Team, moves: Moves) -> Moves:
    """The one that received the customer makes a change itself."""
    for move in moves:
        team.take(move)
        owner, other = team.at, _first(team)
        if team.planted is None and owner != other and _writes(team, move):
            team.plant()
            team.hand_over(other)
            yield move
            team.hand_over(owner)
        else:
            yield move


def _wrong_hand_over(team: Team, moves: Moves) -> Moves:
    """A role hands over to one that is not among its colleagues, which hands on."""
    for move in moves:
        roles = team.context.roles
        to = team.role_of(move)
        strangers = [name for name in roles if name not in (team.at, to, *roles[team.at].hands_to)]
        if team.planted is None and to != team.at and strangers:
            team.plant()
            team.context.speaks_as(strangers[-1])
            team.at = strangers[-1]
        yield team.take(move)


def _no_hand_over(team: Team, moves: Moves) -> Moves:
    """A hand-over is announced to the customer, and never made."""
    for move in moves:
        to = team.role_of(move)
        if to in team.context.roles[team.at].hands_to:
            break
        yield team.take(move)
    else:
        return
    team.plant()
    yield say(_choose_wording(team, _ANNOUNCES).format(to=to))
    while True:
        yield say("Is there anything else that I can do for you?")


def _ping_pong(team: Team, moves: Moves) -> Moves:
    """Two roles hand over to each other again and again."""
    for move in moves:
        here, to = team.at, team.role_of(move)
        roles = team.context.roles
        if team.planted is None and to in roles[here].hands_to and here in roles[to].hands_to:
            team.plant()
            for _ in range(4):
                team.hand_over(to)
                team.hand_over(here)
        yield team.take(move)


def _stale_wish(team: Team, moves: Moves) -> Moves:
    """After a hand-over, it is acted on what the customer has taken back."""
    for move in moves:
        yield team.take(move)
        later = _changed_their_mind(team)
        if team.planted is None and later is not None and later.proposal is not None:
            owner = team.at
            team.hand_over(_first(team))
            team.hand_over(owner)
            team.plant()
            yield _call(team, later.proposal.name, dict(later.proposal.arguments))


def _wish_dropped(team: Team, moves: Moves) -> Moves:
    """Of wishes that several roles fulfil, the one that comes last is forgotten."""
    owners = [team.owner(step.name) for step in team.task.gold_actions if step.name in team.writes]
    for move in moves:
        if len(set(owners)) > 1 and _writes(team, move) and team.role_of(move) == owners[-1]:
            if team.planted is None:
                team.plant()
        else:
            yield team.take(move)


def _approval_skipped(team: Team, moves: Moves) -> Moves:
    """What has to come before a change is left out, and so is the hand-over to whom it takes."""
    orders = [check for check in team.task.own_checks if isinstance(check, Order)]
    first = {order.calls[0].name for order in orders}
    for move in moves:
        if any(call.name in first for call in move.tool_calls or []):
            team.plant()
        else:
            yield team.take(move)


def _strangers_matter(team: Team, moves: Moves, owners: Mapping[str, str]) -> Moves:
    """After a hand-over, the customer is told what is in another customer's record."""
    for move in moves:
        before = team.at
        yield team.take(move)
        for call in move.tool_calls or [] if team.planted is None and before != team.at else []:
            other = _of_another(call.arguments, owners)
            if other is None:
                continue
            yield _call(team, call.name, other)
            shown = team.messages[-1]
            address = _ADDRESS.search(shown.content or "") if isinstance(shown, ToolMessage) else None
            if address is not None:
                team.plant()
                yield say(f"I see the address {address[1]} here.")
            break


def _of_another(arguments: Mapping[str, object], owners: Mapping[str, str]) -> dict[str, object] | None:
    """The arguments with the id of somebody else's record."""
    for name, value in arguments.items():
        whose = owners.get(value) if isinstance(value, str) else None
        others = (one for one, owner in owners.items() if owner != whose and _begins_alike(one, str(value)))
        if whose is not None and (other := next(others, None)) is not None:
            return {**arguments, name: other}
    return None


def _begins_alike(one: str, other: str) -> bool:
    return one[:1].isalpha() == other[:1].isalpha()


def _first(team: Team) -> str:
    """The role that receives the customer."""
    return next(iter(team.context.roles))


def _changed_their_mind(team: Team) -> Later | None:
    """The wish that the customer has taken back with their last words."""
    last = team.messages[-1].content or ""
    minds = (later for later in team.task.user_scenario.later if later.proposal is not None)
    return next((later for later in minds if later.say in last), None)


def _settles(team: Team, move: AssistantMessage) -> bool:
    """Whether a move asks for the yes to a change that the customer will not take back."""
    later = [str(one.proposal) for one in team.task.user_scenario.later if one.proposal is not None]
    proposes = CONFIRM_CUE in move.text and any(f"{tool}(" in move.text for tool in team.writes)
    return proposes and not any(proposal in move.text for proposal in later)


def _writes(team: Team, move: AssistantMessage) -> bool:
    return any(call.name in team.writes for call in move.tool_calls or [])


def _call(team: Team, name: str, arguments: dict[str, object]) -> AssistantMessage:
    call = ToolCall(id=f"seam_{len(team.messages)}", name=name, arguments=arguments)
    return AssistantMessage(tool_calls=[call], cost=0.0)


def _choose_wording(team: Team, wordings: Sequence[str]) -> str:
    """One of some wordings, the same for the same task."""
    return wordings[crc32(team.task.id.encode()) % len(wordings)]


_ANNOUNCES = (
    "I will hand you over to {to}.",
    "I'm connecting you with our {to} desk.",
    "One moment, I am passing you on to my colleagues at the {to} desk.",
    "Let me transfer you to the {to} team.",
)
_IDENTITY = {
    "@": (
        "Good day. What is your e-mail address, please?",
        "Could you tell me the e-mail address of your account?",
        "Before we begin, please give me your e-mail address.",
        "To find you, I need your email.",
    ),
    r"\b\d{5}\b": (
        "Good day. What is your zip code, please?",
        "Could you tell me the zip code of your address?",
        "Before we begin, please give me your name and zip code.",
        "To find you, I need your postal code.",
    ),
}
_ORDER = {
    r"#W\d": (
        "Good day. Which order is it about?",
        "Could you give me the order number?",
        "Please share your order ID.",
        "What is the number of the order? I need your order number for this.",
    )
}
_SEAMS: dict[str, tuple[str, Seam]] = {
    "identifies_again": ("asked_once", _asks(_IDENTITY)),
    "asks_again": ("asked_once", _asks(_ORDER)),
    "consent_lost": ("confirmed", _consent_lost),
    "consent_twice": ("asked_once", _consent_twice),
    "wrong_desk": ("own_role", _wrong_desk),
    "wrong_hand_over": ("own_role", _wrong_hand_over),
    "no_hand_over": ("own_role", _no_hand_over),
    "ping_pong": ("own_role", _ping_pong),
    "stale_wish": ("not_called", _stale_wish),
    "wish_dropped": ("DB", _wish_dropped),
    "approval_skipped": ("order", _approval_skipped),
}
NAMED_BY = {kind: by for kind, (by, _) in _SEAMS.items()} | {"strangers_matter": "own_records"}
"""The kinds, each with the check or criterion that is not met where it is made."""


def seam_of(kind: str, owners: Mapping[str, str]) -> Seam:
    """The fault of a kind; ``owners``: whose the records of the domain are, by their ids."""
    return _SEAMS[kind][1] if kind in _SEAMS else partial(_strangers_matter, owners=owners)
