"""A call in the words in which people speak of it: whether a text is about its action, or names what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...environment.environment import Environment
from ...environment.toolkit import Toolkit, tools_of
from ...schema.messages import AnyMessage, ToolCall
from ...schema.transcript import leaves
from ..criteria.communicate import mentions
from .actions import base_forms, spoken_of, to_be_done, verbs_of
from .naming import Subject, subject_of

_EVERY_ACTION = (
    "cancel", "return", "exchange", "change", "modify", "update", "book", "add", "remove", "send", "upgrade",
    "downgrade", "refund", "transfer", "create", "delete",
)  # fmt: skip
_LOOSE = ("change", "modify", "update", "add", "remove", "send", "upgrade", "downgrade", "create")
_FOLLOWS = ("refund", "pay back", "reimburse", "pay", "charge", "credit")  # money goes with many actions
_RUNS = ("run", "start", "execute", "perform", "trigger")
_LARGE = 3  # digits
_NAME = re.compile(r"[a-z]+(?:_[a-z]+)+")
_SHALL_I = re.compile(
    r"\b(?:(?:(?:shall|should|may|can|could) (?:i|we)|(?:me|us) to) (?:please |now )?|and (?:then |also )?)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SpokenCall:
    """A call, as people speak of it.

    ``verbs``: of its action, as the tool's name tells. ``told``: others that the tool names; of these only what is to
    come counts, as "the trip I booked" proposes nothing. ``follows``: of what the action brings about, as many actions
    do. ``others``: of the actions that it could be mistaken for. ``numbers``: among its arguments, as people write
    them; ``names``: the names there, such as "ordinary notice".
    """

    subject: Subject
    verbs: tuple[str, ...]
    told: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def speaks(self, text: str) -> bool:
        """Whether a text speaks of what the call does."""
        if self._speaks_of_the_action(text):
            return True
        return bool(self.follows) and _speaks(self.follows, text) and not self.other_action(text)

    def other_action(self, text: str, *, plainly: bool = False) -> bool:
        """Whether a text is about an action to be done that is none of the call's, and says so.

        ``plainly``: in a word that is not used for all sorts of actions, as "send" is.
        """
        own = (*self.verbs, *self.told, *self.follows, *(_LOOSE if plainly else ()))
        other = tuple(verb for verb in self.others if verb not in own)
        return bool(other) and to_be_done(other).search(text) is not None and not self._speaks_of_the_action(text)

    def is_offered(self, sentence: str) -> bool:
        """Whether a question offers the action itself.

        Be it in a word that otherwise shows something ("shall I give you …"), or behind another one ("shall I send you
        the bill, and resume the line …").
        """
        offers = base_forms((*self.verbs, *self.told))
        return any(offers.match(sentence, found.end()) for found in _SHALL_I.finditer(sentence))

    def is_named(self, text: str) -> bool:
        """Whether a text names what the call is about, or one of its numbers or of its record's."""
        return self.subject.named_in(text) or self.numbers_in(text) or self.subject.amounts_in(text)

    def names_in(self, text: str) -> bool:
        """Whether a name among the call's arguments stands in a text."""
        return any(name in text.casefold() for name in self.names)

    def numbers_in(self, text: str) -> bool:
        """Whether one of the call's numbers stands in a text."""
        return any(mentions(text, number) for number in self.numbers)

    def sums_in(self, text: str) -> bool:
        """Whether one of the call's large numbers stands in a text: few other things have those."""
        return any(mentions(text, number) for number in self.numbers if len(number.partition(".")[0]) >= _LARGE)

    def _speaks_of_the_action(self, text: str) -> bool:
        return _speaks(self.verbs, text) or (bool(self.told) and to_be_done(self.told).search(text) is not None)


def spoken_call(call: ToolCall, before: Sequence[AnyMessage], env: Environment | None) -> SpokenCall:
    """A call with the words of its tool: to cancel an order is to pay for it back as well."""
    numbers = [value for _, value in leaves(call.arguments) if isinstance(value, int | float) and value is not True]
    shown = tuple(f"{number:g}" if isinstance(number, float) else str(number) for number in numbers if number)
    kit = None if env is None else type(env.tools)
    told, follows, others = _words_of(call.name, kit)  # type: ignore[arg-type]  # mypy: no class is Hashable
    names = tuple(
        one.replace("_", " ") for one in call.arguments.values() if isinstance(one, str) and _NAME.fullmatch(one)
    )
    verbs = verbs_of(call.name)
    if verbs[0] in _RUNS:  # what is run is in an argument: run_procedure(procedure="payment_pause")
        verbs = (*verbs, *(name.split()[-1] for name in names))
    return SpokenCall(subject_of(call, before), verbs, told, follows, others, shown, names)


@lru_cache(maxsize=256)
def _words_of(name: str, toolkit: type[Toolkit] | None) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What else tells of a tool's action, what follows from it, and of which actions it is none."""
    specs = {} if toolkit is None else tools_of(toolkit)
    # A loose word by which no tool does its action may be one for this action: it says nothing of another.
    actions = {verb for one in specs.values() if one.writes for verb in (*verbs_of(one.name), *one.told_by)}
    more = [verb for verb in specs[name].told_by if verb not in verbs_of(name)] if name in specs else []
    return (
        tuple(verb for verb in more if verb not in _FOLLOWS),
        tuple(verb for verb in more if verb in _FOLLOWS),
        tuple(verb for verb in _EVERY_ACTION if not specs or verb in actions or verb not in _LOOSE),
    )


@lru_cache(maxsize=4096)
def _speaks(verbs: tuple[str, ...], text: str) -> bool:
    return spoken_of(verbs).search(text) is not None
