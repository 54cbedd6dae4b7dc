"""One walk back through what was said before a call, the latest first: consent.py says by which rules."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from .agreement import Agreement
from .asked import Asked, generic, open_questions, read_question, says_little
from .dialogue import Answer, answer, decides, only_asks, only_refuses, rest_stands, speaks_of_several
from .naming import Subject
from .orders import orders
from .proposals import Exchange, Proposals
from .spoken import SpokenCall
from .text import content_words, sentences

_NO_CLEAR_PROPOSAL = "answers no clear proposal"
_TO_AN_EARLIER_ONE = "may be to what the customer asked about before it"
_ABOUT = "is about"
_CONFIRMS = "confirms who or what is meant, and nothing was proposed"
_NOTHING = "nothing like it was proposed to the customer"


class WalkBack:
    """One walk back through what was said before a call."""

    def __init__(self, proposals: Proposals, call: SpokenCall) -> None:
        self._proposals = proposals
        self._call = call

    def verdict(self) -> Agreement:
        """What structure shows overrules what was read from words."""
        found = self._walked_back()
        if found == "yes":
            return found
        if (asking := self._only_asked()) is not None:
            return Agreement("no", f"the customer only asks in turn {asking}", asking)
        open_yes = found.why.endswith((_NO_CLEAR_PROPOSAL, _TO_AN_EARLIER_ONE)) or self._proposals.rest_stands()
        named = self._proposals.ever_put_forward() or self._proposals.was_named()
        if found == "unclear" and not open_yes and not named:
            return Agreement("no", _NOTHING)
        if found == "no" and (answered := self._answered_since(found)) is not None:
            return Agreement("unclear", f"what the customer answered in turn {answered} is no explicit yes", answered)
        if (chosen := self._only_chose()) is not None:
            why = f"turn {chosen} chooses among several, and what was chosen was not put forward"
            return Agreement("no", why, chosen)
        return found

    def _walked_back(self) -> Agreement:
        wished: int | None = None
        for exchange in self._proposals.exchanges():
            if (found := self._decide(exchange, wished)) is not None:
                return found
            if answer(exchange.said).wish:
                wished = exchange.at
        if wished is not None and self._proposals.any_like_it():
            return Agreement("unclear", f"after what the customer wished in turn {wished} there is no yes", wished)
        if self._proposals.any_like_it():
            return Agreement("unclear", "what the customer answered to the proposal is no explicit yes")
        if (given := self._proposals.amount_answered()) is not None:
            return Agreement("unclear", f"turn {given.at} says how much, in answer to a price", given.at)
        if self._proposals.was_named() and self._leaves_it_open():
            return Agreement("unclear", "what the customer said to it is no explicit yes")
        return Agreement("no", _NOTHING)

    def _leaves_it_open(self) -> bool:
        """Whether the last answer does more than refuse, or refuses something else."""
        last = self._proposals.last
        if last is None:
            return False
        said = answer(last.said)
        return not {*said.no, *said.wait}.issuperset(sentences(last.said)) or self._means_it(last)

    def _answered_since(self, denied: Agreement) -> int | None:
        """The last answer, where an earlier one denies the call, and this one neither refuses, nor asks, nor wishes.

        An earlier refusal counts no longer then; nor does a yes to something else, if a line about the call came after.
        """
        last = self._proposals.last
        if last is None:
            return None
        said = answer(last.said)
        if denied.turn == last.at or said.no or said.wait or said.question or said.wish or _REPORTS.match(last.said):
            return None
        subject = self._call.subject
        refused_it = any(
            one.at == denied.turn
            and (answer(one.said).no or answer(one.said).wait)
            and (subject.keys_in(one.proposed) or not subject.others_in(one.proposed))
            for one in self._proposals.exchanges()
        )
        return last.at if refused_it or self._proposals.answered_since(denied.turn) else None

    def _only_asked(self) -> int | None:
        """The turn of the last answer, where all of it is a question about what was put forward before it."""
        exchange = self._proposals.last
        if exchange is None or not only_asks(exchange.said) or not self._proposals.puts_forward(exchange.proposed):
            return None
        return exchange.at

    def _only_chose(self) -> int | None:
        """The turn of the last answer, where it picks from a list and the agent asked for no leave to act."""
        exchange = self._proposals.last
        if exchange is None or not self._proposals.is_menu(exchange.proposed):
            return None
        said = answer(exchange.said)
        requests = all(_PLEASE.match(one) for one in said.casual)  # "Please cancel both" is no yes
        affirms = said.yes or not requests or said.conditional or said.question
        return None if affirms or self._proposals.changed_since(exchange, otherwise=True) else exchange.at

    def _decide(self, exchange: Exchange, wished: int | None) -> Agreement | None:
        """What an answer says about the call; None where it says nothing, so that an earlier one counts."""
        said, wanted = answer(exchange.said), self._asked_for(exchange.proposed)
        if not exchange.proposed:
            return None
        if (taken := self._refusal(exchange, said, wanted)) is not None:
            return taken
        if self._affirms(exchange, said, wanted):
            if self._only_informs(exchange, wanted):
                return None
            found = self._decide_yes(exchange, said, wanted, wished)
            if found == "yes" and self._proposals.is_left_out(exchange):
                why = f"the yes in turn {exchange.at} names another of the changes that were listed"
                return Agreement("unclear", why, exchange.at)
            return self._open_beside(exchange) or found if found == "no" else found
        if self._proposals.names_terms(exchange.proposed) and self._orders(exchange.said):
            return Agreement("unclear", f"turn {exchange.at} asks for what was named before", exchange.at)
        if wanted.action and self._proposals.concerns(exchange) != "other":
            if said.conditional:
                return Agreement("unclear", f"the yes in turn {exchange.at} has a condition", exchange.at)
            if not read_question(exchange.proposed).action:
                return None  # which of several ways, perhaps: an earlier yes stands
            if not wanted.closing and (said.question or said.wish or self._proposals.concerns(exchange) == "this"):
                return self._no_explicit_yes(exchange)
        return None

    def _asked_for(self, proposed: str) -> Asked:
        """What a line of the agent asks for: who names the action and its subject, or its values, asks about that,
        whatever the words."""
        wanted = read_question(proposed)
        if not wanted.action and (offered := tuple(filter(self._call.is_offered, wanted.leave))):
            return replace(wanted, action=offered)
        if wanted.action or not self._proposals.is_about_it(proposed):
            return wanted
        questions = open_questions(proposed)
        return replace(wanted, leave=questions, action=questions) if questions and not wanted.leave else wanted

    def _no_explicit_yes(self, exchange: Exchange) -> Agreement | None:
        why = f"what the customer answered in turn {exchange.at} is no explicit yes"
        return Agreement("unclear", why, exchange.at)

    # --- refusals

    def _refusal(self, exchange: Exchange, said: Answer, wanted: Asked) -> Agreement | None:
        if not said.no and not said.wait:
            return self._exception(exchange, said)
        at = exchange.at
        if said.yes and said.last_word not in ("no", "wait"):
            # "Let me think … yes, cancel it", "… yes, both please"; "wait with X; the other one, yes please" is less
            please = not rest_stands(exchange.said) and any(map(_AND_PLEASE.search, said.yes))
            decided = not said.wait or please or any(map(self._call.speaks, said.yes))
            return None if decided else Agreement("unclear", f"turn {at} says both wait and yes", at)
        sentence = (said.wait or said.no)[-1]
        if rest_stands(exchange.said) and not any(map(self._call.is_named, (*said.wait, *said.no))):
            return Agreement("unclear", f"turn {at} takes something back and lets the rest stand", at)
        if said.yes:
            if said.wait:
                return Agreement("unclear", f"turn {at} says yes and then to wait", at)
            return self._exception(exchange, said)
        if self._proposals.concerns(exchange) == "other" and not self._call.subject.keys_in(sentence):
            return None
        if not only_refuses(exchange.said) and not self._call.subject.keys_in(sentence):
            return Agreement("unclear", f"turn {at} does not only refuse", at)
        if said.wait:
            return Agreement("no", f"the customer put it off in turn {at}", at)
        offered = wanted.question and self._proposals.puts_forward(exchange.proposed)
        if wanted.closing or not (wanted.leave or offered or self._call.speaks(sentence) or _forbids(sentence)):
            return None
        if not (wanted.action or offered) and not self._call.speaks(sentence):
            return None
        others = [s for s in sentences(exchange.proposed) if "?" in s and s not in wanted.leave]
        if others and not re.fullmatch(r".{0,200}", sentence):
            return None
        if self._wanted_beside(exchange):
            return Agreement("unclear", f"turn {at} says both no and what is wanted", at)
        return Agreement("no", f"the customer said no in turn {at}", at)

    def _wanted_beside(self, exchange: Exchange) -> bool:
        """Whether the line of a no also asks for what was proposed: "the bag, please, and no insurance"."""
        parts = [part for one in sentences(exchange.said) if "?" not in one for part in one.split(",")]
        known = content_words(exchange.proposed)
        return any(
            not _DENIES.search(part)
            and (self._call.speaks(part) or self._call.is_named(part) or not known.isdisjoint(content_words(part)))
            for part in parts
        )

    def _exception(self, exchange: Exchange, said: Answer) -> Agreement | None:
        """Whether the call is what a yes leaves out: "all of them except X"."""
        keys = self._call.subject.keys
        for sentence in sentences(exchange.said):
            found = _EXCEPT.search(sentence)
            if found is None or not (said.yes or said.casual or said.no):
                continue
            rest = sentence[found.end() :]
            if any(re.search(rf"(?<!\w){re.escape(key.lstrip('#'))}(?!\w)", rest) for key in keys) and not any(
                re.search(rf"(?<!\w){re.escape(key.lstrip('#'))}(?!\w)", s)
                for key in keys
                for s in (*said.yes, sentence[: found.start()])
                if s is not sentence
            ):
                return Agreement("no", f"the customer left it out in turn {exchange.at}", exchange.at)
        return None

    # --- yeses

    def _affirms(self, exchange: Exchange, said: Answer, wanted: Asked) -> bool:
        if said.yes:
            return True
        if said.casual and not said.question and wanted.leave:
            return True
        if not wanted.action or said.conditional or said.no or said.wait:
            return False
        return self._orders_it(exchange, wanted) or (said.urges and not said.question and not said.wish)

    def _orders(self, said: str) -> bool:
        """Whether a line asks for the action, and does not ask about it: "2 GB please, and turn roaming on"."""
        return any(self._call.speaks(one) and "?" not in one and not _DENIES.search(one) for one in sentences(said))

    def _orders_it(self, exchange: Exchange, wanted: Asked) -> bool:
        """Whether the customer orders the action itself in answer to the proposal: "book them now"."""
        asked = sentences(exchange.proposed) if all(map(says_little, wanted.action)) else wanted.action
        ordered = orders(exchange.said, asked, (*self._call.verbs, *self._call.told))
        return any(not self._call.subject.others_in(one) for one in ordered)

    def _decide_yes(self, exchange: Exchange, said: Answer, wanted: Asked, wished: int | None) -> Agreement:
        """A yes was given: whether it was one to this call."""
        at = exchange.at
        why = self._to_something_else(exchange, wanted) or self._to_nothing(exchange, wanted)
        if why is not None and self._may_be_to_more(exchange, wanted):
            if not wanted.question and speaks_of_several(exchange.said) and self._proposals.still_stands(exchange):
                return Agreement("yes", "", at)  # "then yes, both", once the agent has answered a question
            return Agreement("unclear", f"the yes in turn {at} may be to what was proposed before it as well", at)
        also = why == _CONFIRMS or (why is not None and why.startswith(_ABOUT) and self._means_it(exchange))
        if also and self._proposals.stands_open():
            return Agreement("unclear", f"the yes in turn {at} may be to what was named before", at)
        if why is not None:
            return Agreement("no", f"the yes in turn {at} {why}", at)
        if wished is not None:
            return Agreement("unclear", f"after the yes in turn {at} the customer wished something else", at)
        both = f"{exchange.proposed}\n{exchange.said}"
        subject, speaks = self._call.subject, self._call.speaks
        named = subject.named_in(both) or (subject.amounts_in(both) and self._offers_by_amount(exchange, wanted))
        if not wanted.action:
            since = self._proposals.since_the_last_change(exchange, agent_only=True)
            put = speaks(exchange.proposed) and subject.named_in(since)
            offered = (
                exchange.proposed if not self._call.numbers_in(exchange.proposed) else f"{since}\n{exchange.proposed}"
            )
            if self._proposals.gives_amount(exchange, offered) and speaks(offered):
                return Agreement("yes", "", at)
            if self._orders(exchange.said) and self._proposals.is_open(exchange):
                return Agreement("yes", "", at)
            if wanted.leave or not (put and any(map(decides, said.yes))):
                return Agreement("unclear", f"the yes in turn {at} {_NO_CLEAR_PROPOSAL}", at)
        if self._used_up(exchange, both):
            return Agreement("unclear", f"the yes in turn {at} was to what was done since", at)
        if named and (speaks(both) or any(generic(s) for s in wanted.action)):
            return Agreement("yes", "", at)
        since = self._proposals.since_the_last_change(exchange)
        if subject.named_in(since) and speaks(f"{since}\n{both}"):
            spoken = speaks(exchange.proposed) or bool(wanted.action)
            if spoken:
                return Agreement("yes", "", at)
        if wanted.action and speaks(exchange.proposed) and subject.alone_in(self._proposals.said_before(exchange)):
            return Agreement("yes", "", at)
        if not self._call.is_named(f"{since}\n{both}") and not speaks(both):
            return Agreement("no", f"the yes in turn {at} answers a proposal that named nothing of this", at)
        return Agreement("unclear", f"what was agreed to in turn {at} is not plainly this", at)

    def _offers_by_amount(self, exchange: Exchange, wanted: Asked) -> bool:
        """Whether a line offers the action, or names it beside a number of its record alone."""
        if any(map(self._call.is_offered, wanted.leave)):
            return True
        parts = sentences(exchange.proposed)
        return any(self._call.speaks(one) and self._call.subject.amounts_alone_in(one) for one in parts)

    def _means_it(self, exchange: Exchange) -> bool:
        """Whether an answer has one of the call's values, or its action where the line it answers has none of it."""
        said, call = exchange.said, self._call
        own = call.speaks(said) and not call.speaks(exchange.proposed)
        return own or call.numbers_in(said) or call.subject.named_in(said)

    def _used_up(self, exchange: Exchange, both: str) -> bool:
        """Whether something else was done upon a yes, and neither it nor what it answers speaks of this action."""
        if self._call.speaks(both) or self._call.subject.keys_in(both):
            return False
        return self._proposals.changed_since(exchange) and not speaks_of_several(both)

    def _only_informs(self, exchange: Exchange, wanted: Asked) -> bool:
        """Whether a yes tells the agent something that it asked for, and nothing of the call: "is it in your hand?"."""
        both = f"{exchange.proposed}\n{exchange.said}"
        about = self._call.speaks(both) or self._call.is_named(both)
        return wanted.question and not wanted.leave and not wanted.identity and not about

    def _open_beside(self, exchange: Exchange) -> Agreement | None:
        """What is to be said beside a yes to something else, where the call was offered after or before it."""
        if (given := self._proposals.offered_since(exchange.at)) is not None:
            return Agreement("unclear", f"what the customer answered in turn {given.at} is no explicit yes", given.at)
        if self._proposals.is_open(exchange):
            return Agreement("unclear", f"the yes in turn {exchange.at} {_TO_AN_EARLIER_ONE}", exchange.at)
        return None

    def _may_be_to_more(self, exchange: Exchange, wanted: Asked) -> bool:
        """Whether a yes to one thing may be one to what was proposed with it."""
        if self._proposals.is_listed(exchange, wanted):
            return True
        asks_for_more = wanted.action or speaks_of_several(f"{exchange.proposed}\n{exchange.said}")
        return bool(asks_for_more) and self._proposals.still_stands(exchange)

    def _to_something_else(self, exchange: Exchange, wanted: Asked) -> str | None:
        subject = self._call.subject
        both = f"{_without_what_stays(exchange.proposed, subject)}\n{exchange.said}"
        if wanted.leave and not wanted.action and not self._call.speaks(exchange.said):
            put = self._call.speaks(exchange.proposed) and subject.named_in(exchange.proposed)
            return None if put else "answers the offer of something else"
        others = set() if subject.keys_in(both) or subject.objects_in(both) else subject.others_in(both)
        others -= self._proposals.just_changed(exchange)
        # "I send a request for bill B1, and when it is paid I resume your line" is about both.
        if others and not (self._call.speaks(both) and subject.are_of_another_kind(others)):
            return f"{_ABOUT} {', '.join(sorted(others)[:2])}"
        spoken = self._call.speaks(both) or self._call.names_in(both) or self._call.sums_in(both)
        if wanted.action and not spoken and all(map(self._is_another_action, wanted.action)):
            return "is one to doing something else"
        if (wanted.identity or not wanted.question) and not wanted.leave and not self._call.speaks(both):
            return _CONFIRMS
        return None

    def _to_nothing(self, exchange: Exchange, wanted: Asked) -> str | None:
        named = self._call.subject.named_in(f"{exchange.proposed}\n{exchange.said}")
        blank = not named and wanted.action and all(_BLANK.search(s) for s in wanted.action)
        return "answers a proposal that named nothing" if blank else None

    def _is_another_action(self, sentence: str) -> bool:
        """Whether a question is about another action alone.

        A list of what to go ahead with has nouns for actions; and who sends an order to an address changes it.
        """
        subject = self._call.subject
        if subject.keys_in(sentence) and _GOES_AHEAD_WITH.search(sentence):
            return False
        sentence = _THE_CHANGES.sub(" ", sentence)
        return self._call.other_action(sentence, plainly=subject.keys_in(sentence) and subject.facts_in(sentence))


_THE_CHANGES = re.compile(
    r"\b(?:this|that|these|those|the|all|both)(?: \w+)? changes?\b|\bchange (?:this|that)\b(?! \w)", re.IGNORECASE
)
_GOES_AHEAD_WITH = re.compile(r"\b(?:go ahead|proceed|carry on|continue) with\b", re.IGNORECASE)
# Who was asked to do something, and tells that it is done, agrees to nothing.
_REPORTS = re.compile(
    r"\W*(?:ok(?:ay)?\W+)?(?:i(?:'ve| have)? (?:just )?(?:done|did)|it (?:says|shows|said))\b", re.IGNORECASE
)
_AND_PLEASE = re.compile(
    r"\b(?:it|that|this|them|these|those|both|all|everything|yes)\W+please(?: do)?(?!\w)", re.IGNORECASE
)
_PLEASE = re.compile(r"\W*please \w", re.IGNORECASE)
_STAYS = re.compile(
    r"\b(?:stays?|remains?|keep|kept|leave|left|unchanged|skip|(?:not|won't|no) (?:be )?(?:touch|change)\w*)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:no|not|never|instead|rather|keep|leave|stays?)\b|n't\b", re.IGNORECASE)
_EXCEPT = re.compile(r"\b(except|but not|other than|apart from|aside from|excluding|not)\b", re.IGNORECASE)
_FORBIDS = re.compile(r"\b(don't|do not|never ?mind|forget it|changed my mind|leave (it|things)|keep)\b", re.IGNORECASE)
_BLANK = re.compile(
    r"\b(whatever|any changes?|all (the )?changes|anything (that|you)|everything (that|you))\b", re.IGNORECASE
)


def _without_what_stays(text: str, subject: Subject) -> str:
    """A line without the sentences in front of its questions that say what else is left alone."""
    if not _says_it_stays(text):
        return text
    return " ".join(one for one in sentences(text) if "?" in one or subject.keys_in(one) or not _says_it_stays(one))


@lru_cache(maxsize=4096)  # calls that were proposed together are read beside the same lines
def _says_it_stays(text: str) -> bool:
    return _STAYS.search(text) is not None


def _forbids(sentence: str) -> bool:
    return _FORBIDS.search(sentence) is not None
