"""A customer who follows a script: no model, no surprises.

Opens with the reason for the call, tells what they know when asked, agrees to what is proposed, says what the scenario
keeps for later at its moment, sends the pictures whose moment has come, does on their own side what they are told,
waits where the agent only says what it is about to do, greets or repeats, and ends with a stop token when there is
nothing left to answer.

What an agent's line asks for is read as consent.py reads it: a proposal is a line that asks for leave to do something
("shall I go ahead?", "let me know if I may cancel it"), with or without the cue ``(yes/no)``. A tool of theirs they use
when it is named, as :func:`instruct` names it with its arguments or in words ("please check the status bar").

Where the scenario's ``manner`` is ``people`` (``scripted:people``), each trial draws a person (people.py) who says the
same in their own way. They open with as much as people do and tell the rest of what they want when the agent asks, all
of it before they agree to anything or leave. They tell facts one by one, the one that is asked for first. The trial's
seed draws the person, the place in the conversation what is drawn of it: the same seed gives the same bytes.

Where the scenario is in another language, what the script itself says is in it as well, and the agent's lines are read
in it beside English (evaluation/language/languages.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..conversation.protocols import UserContext
from ..environment.attachments import MARK
from ..environment.gists import Gists
from ..evaluation.language.asked import read_question
from ..evaluation.language.languages import language_named
from ..evaluation.language.narration import announces, is_call_text, is_last_word
from ..patterns import lazy
from ..schema.messages import USER_STOP_TOKENS, AnyMessage, ToolCall, ToolMessage, UserMessage, attachments_of
from ..schema.scenario import Instructions, Later, UserScenario
from .people import Person, draw_person
from .phone import OnThePhone

CONFIRM_CUE = "(yes/no)"
PATIENCE = 5
WAITS = 2
"""How many statements in a row that are no last word (see narration.py) they wait for an act."""
NOTHING_LEFT = "I have told you what I know. Yes, please go ahead with what I asked for."
_DONE = "I have done that. It says:"
_NO_SUCH_TOOL = "I would not know how to do that, as there is no such thing here:"

_INSTRUCTION = lazy(r"on your side: (\w+) (\{.*\})")
# Instructions in one text tell when to end the conversation, with the word that ends it.
_END = lazy("|".join(map(re.escape, USER_STOP_TOKENS)))
# "I cannot have you transferred" hands nobody over, "you will be transferred" not yet: the call may still come.
_TRANSFERRED = lazy(r"transferred", re.IGNORECASE)
_HANDS_OVER = lazy(
    r"\btransferring\b|\b(?:will|'ll|let me|going to|'m|am)(?: \w+){0,3} transfer(?:red)?\b"
    r"|\b(?:connect|hand|pass|put)(?:ing|ting)? you (?:over|through|on|to)\b|\bconnecting you\b",
    re.IGNORECASE,
)
_NO_TRANSFER = lazy(r"(?:\b(?:not|never|cannot|nobody)|n't)(?: \w+){0,2} transferr(?:ed|ing)", re.IGNORECASE)
_ID = lazy(r"#?\b\w*\d\w*")
# What many agents end each turn with asks for nothing.
_CLOSING = lazy(
    r"\b(?:any|some)thing (?:else|more|further)\b|\bwhat (?:else|more) (?:can|could|may) (?:i|we)\b"
    r"|\b(?:other|further|more|additional) (?:help|assistance|questions?|requests?|wishes|changes|concerns?|things?)\b"
    r"|^\W*(?:what(?:'s| is) )?next\s*$",
    re.IGNORECASE,
)
# "Please provide your e-mail address.", "I'll need your number." ask as a question does.
_WANTS = lazy(
    r"\b(?:please|kindly)(?: \w+)? (?:provide|share|tell|give|send|state|enter|let me know|confirm|verify)\b"
    r"|\b(?:i|we)(?:'ll| will|'d| would)?(?: \w+)? need (?:you to|to know|your|the|an?)\b|\bwith your\b",
    re.IGNORECASE,
)
# Sentence by sentence, so that a long text costs no more than its length.
_QUESTION = lazy(r"(?:^|(?<=[.!?\n]))([^.!?\n]*)\?")
# Whether a line asks for leave is looked at closely only where it may, and at its end, where such questions stand.
_MAY_ASK = lazy(r"\?|confirm|approv|authori|\byes\b|\bproceed|\bgo ahead|\bagree|let me know", re.IGNORECASE)
_LAST_WORDS = 2000  # characters
_SENTENCE_END = lazy(r"[.!?;\n]")
_WORD = lazy(r"\w+")
_NEGATED = lazy(r"n't\b", re.IGNORECASE)
_NOT_NOW = {"not", "no", "never", "without", "instead"}
_PICTURE = lazy(r"\b(photos?|photographs?|pictures?|images?|screenshots?|scans?)\b", re.IGNORECASE)
# Who asks for a picture says so: "could you send me …", "please attach …", "do you have …?". Others only speak of one.
_ASKS_FOR = lazy(r"\b(send|share|show|attach|upload|provide|need|take|have)\b", re.IGNORECASE)


# What an agent asks for, and what tells that a piece is it.
_ASKED = tuple(
    (lazy(rf"\b(?:{asked})", re.IGNORECASE), lazy(told))
    for asked, told in (
        (r"e-?mail", r"@"),
        (r"(?:order|reservation|booking|claim|contract|policy)\b[^.?]*\b(?:id|number|code)\b",
         r"#\w|\b[A-Z]-?\d{4,}|\b(?=\w*\d)[A-Z\d]{6}\b"),
        (r"zip|postal", r"\bzip\b"),
        (r"phone|number", r"\d{3}-\d{3}-\d{4}"),
        (r"(?:user|customer) id\b", r"\b[a-z]+_[a-z]+_\d+"),
        (r"name\b", r"\bname\b|\b(?:I am|I'm|called) [A-Z]"),
        (r"born\b|birth", r"\bborn\b|\bbirth"),
        (r"address\b", r"\baddress\b|\b\d+ [A-Z]\w+ (?:Street|Road|Lane|Avenue|Drive)"),
        (r"pay|card|refund", r"card|PayPal|paypal|\bpay\b"),
    )
)  # fmt: skip


def instruct(name: str, arguments: dict[str, Any]) -> str:
    """A request to the customer to use one of their tools, in words that the scripted one understands."""
    return f"Please do this on your side: {name} {json.dumps(arguments)}"


class Scripted:
    """Plays a task's customer from its scenario; gives up after ``PATIENCE`` questions that lead nowhere."""

    def __init__(self, context: UserContext) -> None:
        instructions = self._scenario = context.scenario.instructions
        self._reason = instructions.reason_for_call if isinstance(instructions, Instructions) else instructions
        self._wish: list[str] = []  # what is still to be told of the reason, before they agree to anything or leave
        self._known = _pieces(instructions) if isinstance(instructions, Instructions) else []
        self._later = context.scenario.later
        self._spoken = " ".join([self._reason, *(moment.say for moment in self._later)])
        self._pictures = context.scenario.attach or []
        self._attach = list(self._pictures)
        self._tools: dict[str, bool] = {tool["function"]["name"]: _needs_nothing(tool) for tool in context.tools}
        self._opened = self._holds = False
        self._questions = self._waited = 0
        self._person: Person | None = None
        self._language = language_named(context.scenario.language)
        english = context.scenario.language is None
        if context.scenario.manner == "people" and english and isinstance(instructions, Instructions):
            self._become(draw_person(context.seed), context.gists())
        self._phone = OnThePhone(_spoken_texts(context.scenario)) if context.scenario.line == "phone" else None
        self._patience = PATIENCE + max(0, len(self._wish) + len(self._known) - 1)

    def _become(self, person: Person, gists: Gists) -> None:
        """Take on a person's way of telling."""
        self._person = person
        self._reason, *self._wish = person.parts(self._reason, self._known, gists)
        self._known = person.facts(self._known)

    def reply(self, messages: list[AnyMessage]) -> UserMessage:
        """The next line of the script."""
        opened, wish, line = self._opened, len(self._wish), self._line(messages)
        if self._language is not None and line.content:
            return _say(self._language.say(line.content))
        if self._person is None or not opened or not line.content:
            return line
        end = _END.search(line.content)
        # The rest of a wish may answer a proposal: nothing around it, so that it is heard as no answer.
        told = len(self._wish) < wish and not self._wish
        text = self._person.write(_END.sub("", line.content).strip(), len(messages), padded=not told)
        return _say(f"{text} {end[0]}" if end else text)

    def _line(self, messages: list[AnyMessage]) -> UserMessage:
        """The next line as it is written."""
        last = messages[-1] if messages else None
        if not self._opened:
            self._opened = True
            return _say(" ".join([_END.sub("", self._reason), *self._due("at_start")]))
        if isinstance(last, ToolMessage):
            shown = self._due("after_call", _tool_of(messages, last))
            return _say(f"I have done that. Here is what I see. {shown[0]}" if shown else f"{_DONE} {last.content}")
        heard = [one.text for one in messages if isinstance(one, UserMessage) and one.text]
        return self._answer(last.text if last is not None else "", heard, len(messages))

    def resume(self, messages: list[AnyMessage], begin: int) -> None:
        """Take up a conversation in its middle, also one in which somebody else has played this customer so far.

        Args:
            messages: all that the customer has seen and said.
            begin: the first of them that does not belong to the task's past.
        """
        spoken = [at for at in range(begin, len(messages)) if isinstance(messages[at], UserMessage)]
        if any(not _alike(self.reply(messages[:at]), messages[at]) for at in spoken):
            sent = {picture.id for at in spoken for picture in attachments_of(messages[at])}
            self._attach = [one for one in self._pictures if one.image not in sent]
            self._take_over("\n".join((messages[at].content or "").casefold() for at in spoken))

    def _take_over(self, told: str) -> None:
        """Go on from what another has told: what they know can be asked again, what was said for later is said."""
        instructions = self._scenario
        self._questions, self._wish = 0, []
        if isinstance(instructions, Instructions):
            self._known = _pieces(instructions)
            self._later = [moment for moment in instructions.later or [] if moment.say.casefold() not in told]

    def _answer(self, text: str, heard: list[str], position: int) -> UserMessage:
        waited, self._waited = self._waited, 0
        held, self._holds = self._holds, False  # where somebody goes on, a second hand-over may follow
        if self._phone is not None and CONFIRM_CUE not in text and (about_id := self._phone.answer(text)):
            return _say(about_id)
        if request := _INSTRUCTION.search(text):
            return self._obey(request, position)
        if CONFIRM_CUE in text or _proposes(text) or (self._language is not None and self._language.asks_leave(text)):
            if self._wish:
                return _say(self._rest_of_wish())
            turns = not self._later or self._is_proposed(self._later[0], text)
            return _say((self._take("proposed") if turns else None) or "Yes, please go ahead.")
        if handed_over := self._handed_over(_NO_TRANSFER.sub("", text), held=held):
            return _say(handed_over)
        if name := self._named_in(text):
            return self._use(name, {}, position)
        if self._attach and _PICTURE.search(text) and _ASKS_FOR.search(text) and (shown := self._asked_for(text)):
            return _say(f"Here you are. {shown}")
        asks = "?" in text and any(not self._closes(question) for question in _QUESTION.findall(text))
        wants = _WANTS.search(text) is not None or self._does("wants", text)
        asks = asks or bool(self._known and wants)
        if not asks and "?" not in text and waited < WAITS and not is_last_word(text, heard):
            self._waited = waited + 1
            return _say(self._wait(text, wants=wants))
        self._questions += 1
        over = not asks or self._questions > self._patience
        if self._wish:
            return _say(self._rest_of_wish() if over else self._fitting(text, [*self._wish[:1], *self._known]))
        if over and (next_wish := self._next_wish()):
            self._questions = 0
            return _say(next_wish)
        if over:
            return _say("Thank you, that is all. ###STOP###")
        if self._known:
            return _say(self._fitting(text, self._known))
        return _say(NOTHING_LEFT)

    def _wait(self, text: str, *, wants: bool) -> str:
        """What they say to a line that leaves them nothing to answer."""
        if is_call_text(text):
            return "Sorry, I do not understand what that means."
        if self._wish and not (announces(text) or self._does("announces", text)):
            return self._rest_of_wish()
        return NOTHING_LEFT if wants else "OK."

    def _does(self, what: str, text: str) -> bool:
        """Whether a line in the customer's own language does something."""
        return self._language is not None and self._language.does(what, text)

    def _closes(self, question: str) -> bool:
        return _CLOSING.search(question) is not None or self._does("closing", question)

    def _rest_of_wish(self) -> str:
        rest, self._wish = " ".join(self._wish), []
        return rest

    def _fitting(self, text: str, pieces: list[str]) -> str:
        """The piece to tell now of those that are left; a person tells the one that is asked for."""
        wanted = [told for asked, told in _ASKED if asked.search(text)] if self._person else []
        fits = (piece for piece in pieces if any(told.search(piece) for told in wanted))
        return self._tell_piece(next(fits, pieces[0]))

    def _tell_piece(self, piece: str) -> str:
        (self._wish if piece in self._wish else self._known).remove(piece)
        return piece

    def _handed_over(self, text: str, *, held: bool) -> str | None:
        """The answer to a hand-over: who is told that it will come waits for it once, as the call may follow."""
        comes = _HANDS_OVER.search(text) is not None or self._does("hands_over", text)
        if not comes and not _TRANSFERRED.search(text):
            return None
        if comes and not held:
            self._holds = True
            return "All right, please do."
        return "All right, I will hold. ###TRANSFER###"

    def _due(self, when: str, call: str | None = None) -> list[str]:
        """The marks of the pictures whose moment has come."""
        due = [one for one in self._attach if one.when == when and one.call in (None, call)]
        due = due[:1] if when == "after_call" else due
        self._attach = [one for one in self._attach if one not in due]
        return [f"[attach: {one.image}]" for one in due]

    def _asked_for(self, text: str) -> str | None:
        """The mark of the picture that is asked for: the one whose name is said, or else the next."""
        waiting = [one for one in self._attach if one.when == "asked_for"]
        if not waiting:
            return None
        named = (one for one in waiting if re.sub(r"[_.-]", " ", one.image).casefold() in text.casefold())
        chosen = next(named, waiting[0])
        self._attach.remove(chosen)
        return f"[attach: {chosen.image}]"

    def _take(self, when: str) -> str | None:
        """What is to be said now, if its moment has come."""
        return self._later.pop(0).say if self._later and self._later[0].when == when else None

    def _is_proposed(self, moment: Later, text: str) -> bool:
        """Whether a proposal can be about a moment's record: not if it names another one of theirs in its place."""
        about = moment.about or ""
        named = next((value for value in _arguments(moment) if value in about), None)
        if named is None or named in text:
            return True
        others = {word for word in _ID.findall(self._spoken) if len(word) == len(named)} - {named}
        return not any(other in text for other in others)

    def _next_wish(self) -> str | None:
        """The next wish; a change of mind about what was never proposed is passed over."""
        while self._later and self._later[0].when == "proposed":
            self._later.pop(0)
        return self._take("done")

    def _obey(self, request: re.Match[str], position: int) -> UserMessage:
        name = request[1]
        if name not in self._tools:
            return _say(f"{_NO_SUCH_TOOL} {name}")
        try:
            return self._use(name, json.loads(request[2]), position)
        except (ValueError, RecursionError):
            return _say("I did not understand what exactly to do. Could you say it again?")

    def _named_in(self, text: str) -> str | None:
        """The tool without arguments that a sentence names, or whose words it has ("check your SIM's status")."""
        if not self._tools:
            return None
        for sentence in _SENTENCE_END.split(text):
            words = set(_WORD.findall(sentence.casefold()))
            named = [name for name, ready in self._tools.items() if ready and (name in words or _all_in(name, words))]
            if named and not words & _NOT_NOW and not _NEGATED.search(sentence):
                return max(named, key=_length)
        return None

    def _use(self, name: str, arguments: Any, position: int) -> UserMessage:
        """The call of a tool of their own."""
        call = ToolCall(id=f"user_{position}", name=name, arguments=arguments, requestor="user")
        return UserMessage(tool_calls=[call], cost=0.0)


@lru_cache(maxsize=1024)  # the trials of a scripted agent say the same
def _proposes(text: str) -> bool:
    """Whether a line asks for leave to do something, and not only whether to look or whether that is all."""
    if not _MAY_ASK.search(text):
        return False
    wanted = read_question(text[-_LAST_WORDS:])
    return any(not _CLOSING.search(one) for one in wanted.action)


def _length(name: str) -> int:
    return len(name.split("_"))


def _all_in(name: str, words: set[str]) -> bool:
    parts = name.casefold().split("_")
    return len(parts) > 1 and words.issuperset(parts)


def _needs_nothing(tool: Mapping[str, Any]) -> bool:
    return not tool["function"].get("parameters", {}).get("required")


def _arguments(moment: Later) -> list[str]:
    """The texts that a proposal is made of."""
    values = moment.proposal.arguments.values() if moment.proposal else ()
    return [value for value in values if isinstance(value, str) and value]


def _alike(one: UserMessage, other: AnyMessage) -> bool:
    """Whether a line of the script is a message that was said; there its marks are pictures."""
    text, calls = one.content or "", one.tool_calls
    marks = [picture.id for picture in attachments_of(other)]
    said = (_plain(text), calls, MARK.findall(text))
    return isinstance(other, UserMessage) and said == (_plain(other.content or ""), other.tool_calls, marks)


def _plain(text: str) -> str:
    return " ".join(MARK.sub("", text).split())


def _tool_of(messages: list[AnyMessage], result: ToolMessage) -> str | None:
    """The tool that a result is of."""
    calls = (call for message in messages if isinstance(message, UserMessage) for call in message.tool_calls or [])
    return next((call.name for call in calls if call.id == result.id), None)


def _spoken_texts(scenario: UserScenario) -> list[str]:
    told = scenario.instructions
    texts = [told] if isinstance(told, str) else [told.reason_for_call, told.known_info or ""]
    return [*texts, *(moment.say for moment in scenario.later)]


def _pieces(instructions: Instructions) -> list[str]:
    """What the customer knows, in the pieces in which they tell it."""
    if instructions.known_info is None:
        return []
    pieces = instructions.known_info.splitlines() if instructions.piecemeal else [instructions.known_info]
    return [piece for piece in pieces if piece.strip()] or [instructions.known_info]


def _say(text: str) -> UserMessage:
    return UserMessage(content=text, cost=0.0)
