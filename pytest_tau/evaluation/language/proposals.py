"""What an agent has put to the customer, and what was said around it: which of it a call may be what was agreed to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from ...patterns import lazy
from ...schema.transcript import Line
from .actions import spoken_of
from .asked import Asked, open_questions, read_question
from .dialogue import answer, rest_stands, speaks_of_several
from .points import names_only_others, points_of
from .spoken import SpokenCall
from .text import plain, sentences


class Exchange(NamedTuple):
    """A line of the customer, and what the agent last said before it; -1 and "" where the agent had said nothing."""

    at: int
    said: str
    proposed_at: int
    proposed: str


class Change(NamedTuple):
    """A call that changed something: its turn, its tool, and the ids of what it was made to."""

    turn: int
    tool: str
    keys: frozenset[str]


class Proposals:
    """What was said before a call, as far as it is about the call.

    Args:
        lines: those that make no calls, of which the other side reads nothing.
        changes: earlier calls that changed something.
        call: the call.
        tool: its name.
        sole: whether no other tool changed anything upon the same answer.
    """

    def __init__(
        self, lines: Sequence[Line], changes: Sequence[Change], call: SpokenCall, tool: str, *, sole: bool = True
    ) -> None:
        self._lines = lines
        self._all_changes = changes
        self._changes = [one.turn for one in changes]
        self._alike = [one.turn for one in changes if one.tool == tool]
        keys = call.subject.keys  # another change of the same record may be what was named
        self._made = [one.turn for one in changes if one.keys & keys or (one.tool == tool and one.keys == keys)]
        self._call = call
        self._sole = sole
        self._nouns = tool.casefold().split("_")[1:] or [tool.casefold()]

    @cached_property
    def _last_answer(self) -> int:
        """The customer's last turn: what was changed upon it was agreed to together."""
        return max((line.turn for line in self._lines if not line.by_agent), default=-1)

    @cached_property
    def last(self) -> Exchange | None:
        """The latest of the exchanges."""
        return next(self.exchanges(), None)

    def exchanges(self) -> Iterator[Exchange]:
        """What the agent said and what the customer answered, the latest first; several lines in a row are one."""
        lines = self._lines
        first = next((place for place, line in enumerate(lines) if not line.by_agent), 0)
        for place in range(len(lines) - 1, first - 1, -1):
            line = lines[place]
            if line.by_agent:
                continue
            before = lines[place - 1] if place > first else None  # what was said before the first is a greeting
            text = plain(before.text.strip()) if before is not None and before.by_agent else ""
            at = before.turn if before is not None and text else -1
            yield Exchange(line.turn, plain(line.text.strip()), at, text)

    def is_listed(self, exchange: Exchange, wanted: Asked) -> bool:
        """Whether a line beside the question names what the call is about, and no other action: "2. ABC123:
        business"."""
        beside = [one for one in sentences(exchange.proposed) if one not in wanted.action]
        subject = self._call.subject
        named = subject.keys_in if subject.keys else subject.named_in
        return any(named(one) and not self._call.other_action(one, plainly=True) for one in beside)

    def is_left_out(self, exchange: Exchange) -> bool:
        """Whether the call is one of several changes of a list, and the yes names another and nothing of this one."""
        if self._sole:
            return False  # the points of a list are details of it
        points = points_of(exchange.proposed)
        subject = self._call.subject
        own = [one for one in points if subject.keys_in(one)]
        own = own or [one for one in points if subject.named_in(one) or self._call.numbers_in(one)]
        return len(own) == 1 and names_only_others(exchange.said, own[0], [one for one in points if one is not own[0]])

    def still_stands(self, exchange: Exchange) -> bool:
        """Whether the call was proposed before, in a list with others or with talk of several changes since then."""
        start = max((at for at in self._changes if at < exchange.proposed_at), default=-1) + 1
        since = [(line, plain(line.text)) for line in self._lines if start <= line.turn <= exchange.at]
        subject = self._call.subject
        named = [
            (line.turn, text)
            for line, text in since
            if line.by_agent
            and line.turn < exchange.proposed_at
            and subject.named_in(text)
            and read_question(text).question
        ]
        if not named:
            return False
        later = (text for line, text in since if line.turn > named[0][0])
        listed = any(subject.others_in(text) or subject.others_of_letters_in(text) for _, text in named)
        return listed or any(speaks_of_several(text) or rest_stands(text) for text in later)

    def concerns(self, exchange: Exchange) -> str:
        """Whether what the agent asked is about the call: "this", "other", or "" where it does not say."""
        text, subject = exchange.proposed, self._call.subject
        if subject.keys_in(text) or (subject.named_in(text) and self._call.speaks(text)):
            return "this"
        wanted = read_question(text)
        if subject.others_in(text) and not subject.named_in(text):
            return "other"
        if wanted.action and not self._call.speaks(text) and all(self._call.other_action(s) for s in wanted.action):
            return "other"
        return ""

    def any_like_it(self) -> bool:
        """Whether the agent has put anything like the call to the customer since the last change.

        What was answered before that counts too, as one of several things, until it is done.
        """
        answered = self._last_answer
        unused = max((at for at in self._alike if at < answered), default=-1) + 1
        for exchange in self.exchanges():
            if (
                exchange.proposed_at >= unused
                and not self._changed_in(exchange)
                and self.puts_forward(exchange.proposed)
            ):
                return True
        start = max((at for at in self._changes if at < answered), default=-1) + 1
        heard = False
        for line in self._lines:
            if line.turn < start:
                continue
            if not line.by_agent:
                heard = True
                continue
            text = plain(line.text.strip())
            # Before the customer has said a word nothing can be proposed; after a change they are being told of it.
            if text and (heard or start) and self.puts_forward(text):
                return True
        return False

    def amount_answered(self, after: int = -1) -> Exchange | None:
        """Where the customer gave a number of the call in answer to a price: "$2.50 a GB; how many?", "2, please".

        ``after``: only what the agent said after this turn counts.
        """
        before = ""
        for exchange in reversed(list(self.exchanges())):
            if exchange.proposed_at > after and self.gives_amount(exchange, before):
                return exchange
            before = exchange.proposed
        return None

    def gives_amount(self, exchange: Exchange, before: str = "") -> bool:
        """Whether an answer gives a number of the call where a price was told; ``before``: what was said earlier."""
        said = answer(exchange.said)
        wanted = (one for one in sentences(exchange.said) if one not in (*said.no, *said.wait))
        priced = _PRICE.search(f"{before}\n{exchange.proposed}") is not None
        return priced and any(map(self._call.numbers_in, wanted))

    def offered_since(self, turn: int) -> Exchange | None:
        """The customer's first answer after a turn to an offer of the call, or to a price with a number of the call."""
        later = [one for one in self.exchanges() if one.proposed_at > turn and not self._changed_in(one)]
        offered = [one for one in later if self.puts_forward(one.proposed)]
        return offered[-1] if offered else self.amount_answered(turn)

    def is_open(self, exchange: Exchange) -> bool:
        """Whether the customer has only asked about an offer of the call since it was made, and not said no.

        What the agent said in between proposed nothing else, and asked for no one's name.
        """
        spoken = [one for one in self.exchanges() if one.at <= exchange.at]
        for later, earlier in pairwise(spoken):
            wanted, said = read_question(later.proposed), answer(earlier.said)
            another = any(one not in wanted.action or self._call.other_action(one) for one in wanted.leave)
            another = another or bool(self._call.subject.others_in(later.proposed))
            changed = any(earlier.proposed_at < turn < exchange.at for turn in self._changes)
            if another or wanted.identity or (said.wait and not said.question) or changed:
                return False
            if self.gives_amount(earlier):
                return True
            if said.no:
                return False
            if self.puts_forward(earlier.proposed) or self.names_terms(earlier.proposed):
                return True
            if read_question(earlier.proposed).action and self.still_stands(earlier):
                return True
            if not (said.question or said.yes):
                return False
        return False

    def just_changed(self, exchange: Exchange) -> frozenset[str]:
        """The ids of what the agent changed right before it said a line, and reports there."""
        before = max(
            (one.turn for one in self._lines if not one.by_agent and one.turn < exchange.proposed_at), default=-1
        )
        made = (one.keys for one in self._all_changes if before < one.turn < exchange.proposed_at)
        return frozenset[str]().union(*made)

    def changed_since(self, exchange: Exchange, *, otherwise: bool = False) -> bool:
        """Whether something was changed after an answer; ``otherwise``: by another tool than the call's."""
        return any(turn > exchange.at for turn in self._changes if not (otherwise and turn in self._alike))

    def names_the_deed(self, text: str) -> bool:
        """Whether a line of the agent names what the call does, and to what."""
        return self._call.speaks(text) and self._call.subject.named_in(text)

    def is_about_it(self, text: str) -> bool:
        """Whether a line of the agent names what the call does to what, or the call's subject and values."""
        return self.names_the_deed(text) or self._names_its_values(text)

    def _names_its_values(self, text: str) -> bool:
        subject = self._call.subject
        if subject.facts_in(text) and self._is_known:
            return True
        named = subject.keys_in(text) if subject.keys else subject.named_in(text)
        return named and (subject.facts_in(text) or self._call.numbers_in(text) or self._call.names_in(text))

    @cached_property
    def _is_known(self) -> bool:
        """Whether anybody has named an id of the call: a telling value of it says enough then."""
        return any(self._call.subject.keys_in(plain(line.text)) for line in self._lines)

    def answered_since(self, turn: int | None) -> bool:
        """Whether the customer has answered a line about the call after that turn."""
        later = [one for one in self.exchanges() if turn is not None and one.at > turn]
        return any(
            self._names_its_values(one.proposed) or (self.names_the_deed(one.proposed) and not self.just_changed(one))
            for one in later
        )

    def told_before_the_answer(self) -> list[str]:
        """What the agent has said since the change before the customer's last line."""
        start = max((at for at in self._changes if at < self._last_answer), default=-1)
        return [*self._said_after(start)]

    def stands_open(self) -> bool:
        """Whether the agent has named what the call does to what, or its values, since anything was done to that."""
        start = max((at for at in self._made if at < self._last_answer), default=-1)
        return any(map(self.is_about_it, self._said_after(start)))

    def was_named(self) -> bool:
        """Whether any line of the agent was about the call since the last change, but for the menus among them."""
        start = max((at for at in self._changes if at < self._last_answer), default=-1)
        if any(self.is_about_it(text) and not self.is_menu(text) for text in self._said_after(start)):
            return True
        return any(one.proposed_at > start and self._takes_up(one) for one in self.exchanges())

    def _takes_up(self, exchange: Exchange) -> bool:
        """Whether a yes has the tool's own noun, after a line that speaks of the action: "Roaming yes, that's free"."""
        nouns = [noun for noun in self._nouns if len(noun) >= _OWN]
        yes = answer(exchange.said).yes
        return self._call.speaks(exchange.proposed) and any(noun in one.casefold() for one in yes for noun in nouns)

    def _said_after(self, turn: int) -> Iterator[str]:
        return (plain(one.text) for one in self._lines if one.by_agent and one.turn > turn)

    def ever_put_forward(self) -> bool:
        """Whether any line of the agent, but its greeting, may be about the call: in words for its action, or by name.

        Amounts that were told before anything was done were about that.
        """
        heard, changed = False, max(self._changes, default=-1)
        for line in self._lines:
            heard = heard or not line.by_agent
            if heard and line.by_agent and self._may_be_about_it(plain(line.text), line.turn > changed):
                return True
        return False

    def rest_stands(self) -> bool:
        """Whether the customer has taken something back and let all else that was wished stand."""
        return any(rest_stands(line.text) for line in self._lines if not line.by_agent)

    def _may_be_about_it(self, text: str, unchanged: bool) -> bool:
        call, subject = self._call, self._call.subject
        if subject.keys_in(text) or subject.objects_in(text) or (not subject.keys and subject.facts_in(text)):
            return True
        if call.numbers_in(text) or (unchanged and subject.amounts_in(text)):
            return True
        return call.speaks(text) and self._may_offer(text)

    def _may_offer(self, text: str) -> bool:
        """Whether a line with a word for the action may be about this one: "enable mobile data" is not about
        roaming."""
        if read_question(text).leave:
            return True
        verbs = spoken_of(self._call.verbs)
        for one in sentences(text):
            named = any(noun[:5] in one.casefold() for noun in self._nouns) and verbs.search(one)
            if named or (_PLANS.search(one) and self._call.speaks(one)):
                return True
        return False

    def is_menu(self, text: str) -> bool:
        """Whether a line lists things of the call's kind, some of which are none of the call's, and asks which."""
        if read_question(text).leave or open_questions(text) or not _WHICH.search(text):
            return False
        return bool(self._call.subject.others_in(text))

    def _changed_in(self, exchange: Exchange) -> bool:
        return any(exchange.proposed_at < turn < exchange.at for turn in self._changes)

    def names_terms(self, text: str) -> bool:
        """Whether a line of the agent speaks of the action and says what it costs, or that it costs nothing."""
        return _TERMS.search(text) is not None and self._call.speaks(text)

    def puts_forward(self, text: str) -> bool:
        """Whether a line of the agent offers the call, or says that it would be made."""
        if not (self._call.speaks(text) or self._call.subject.named_in(text)):
            return False
        plans = any((_PLANS.search(s) or _WILLING.search(s)) and self._call.speaks(s) for s in sentences(text))
        if read_question(text).action or plans:
            return True
        return bool(open_questions(text)) and not self._call.other_action(text)

    def said_before(self, exchange: Exchange) -> str:
        """All that both sides said before the answer of an exchange."""
        return "\n".join(plain(line.text.strip()) for line in self._lines if line.turn < exchange.at)

    def since_the_last_change(self, exchange: Exchange, *, agent_only: bool = False) -> str:
        """All that was said between the last change before a proposal and the answer to it."""
        start = max((at for at in self._changes if at < exchange.proposed_at), default=-1) + 1
        said = (line for line in self._lines if start <= line.turn < exchange.at and (line.by_agent or not agent_only))
        return "\n".join(plain(line.text.strip()) for line in said)


_OWN = 6  # letters of a noun that is a tool's own: "order" and "user" are in the names of many
_PLANS = lazy(r"\b(i('ll| will| can| could| would)|we (can|could|will|would)|would be|you can)\b", re.IGNORECASE)
_WILLING = lazy(r"\b(are|would) you (be )?(willing|happy|prepared|ready|able)\b|\b(can|will) you\b", re.IGNORECASE)
_WHICH = lazy(r"(?<!,)(?<!, )\b(?:which|what)\b", re.IGNORECASE)
_PRICE = lazy(r"[$€£] ?\d|\b\d+(\.\d+)? (dollars|euros|USD|EUR)\b", re.IGNORECASE)
_TERMS = lazy(
    r"[$€£] ?\d|\bfree\b|\b(?:no|without)(?: \w+)? (?:charge|cost|fee)s?\b|\bcosts? (?:you )?nothing\b", re.IGNORECASE
)
