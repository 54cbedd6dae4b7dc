"""Labelled conversations for free: the oracle's plays, told in everyday words, with one breach planted in half of them.

A play of the oracle keeps every rule, so all its questions are *fine*. Each planted conversation has one breach of one
kind; the kinds take turns. Calls, results and records are those of the play. The audit's mutants add breaches of other
making: changes nobody was asked about, yeses to other proposals, actions that were never done.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle

from pytest_tau.environment.domain import Domain
from pytest_tau.evaluation.criteria.defaults import checks_for
from pytest_tau.evaluation.judges.labels import Label, LabelledConversation
from pytest_tau.evaluation.judges.questions import consent_question, reason_question
from pytest_tau.printable import count_of
from pytest_tau.schema.checks import Confirmed, Reason
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, UserMessage
from pytest_tau.schema.reward import JudgeVerdict, QuestionKind
from pytest_tau.schema.simulation import Simulation, Termination
from pytest_tau.schema.task import Task
from pytest_tau.schema.transcript import calls_made
from pytest_tau.simulating import simulate
from pytest_tau.users.scripted import CONFIRM_CUE

from ..audit.mutants import mutants
from . import words

KINDS: tuple[QuestionKind, ...] = ("consent", "reason", "claims", "promises", "customer")
_BY_MUTANT: dict[str, QuestionKind] = {
    "unconfirmed write": "consent",
    "yes to another proposal": "consent",
    "claimed deed": "claims",
    "omitted reason": "reason",
}
_PROPOSAL = re.compile(r"With your agreement I will make these changes: (?P<calls>.*?)\. Shall I go ahead\?")
_ACCOUNT = re.compile(r"Here is what you should know: (?P<facts>.*?)\.(?=\s|$)")
_STOP = "###STOP###"
_YES = ("Yes, please go ahead.", "Yes, please.", "Yes.")


@dataclass
class _Play:
    """A conversation that may be changed, and what is true of it."""

    messages: list[AnyMessage]
    labels: list[Label]

    def say(self, turn: int, text: str) -> None:
        self.messages[turn] = self.messages[turn].model_copy(update={"content": text})

    def breach(self, kind: QuestionKind, turn: int | None = None, note: str = "") -> None:
        """Make the (first) question of a kind a breach; with ``turn`` those of the calls from there on."""
        for place, one in enumerate(self.labels):
            if one.kind == kind and (turn is None or one.turn == turn):
                self.labels[place] = one.model_copy(update={"verdict": "breach", "note": note})
                if turn is None:
                    return


def planted_conversations(
    tasks: Sequence[tuple[Task, Domain]], number: int, seed: int
) -> Iterator[LabelledConversation]:
    """So many labelled conversations, the same for the same seed; half of them have one breach, the kinds in turn.

    Fewer, where the tasks are not good for so many.
    """
    rng = random.Random(seed)
    order = [one for one in tasks if one[0].ticket is None]
    rng.shuffle(order)
    made, tried, idle = 0, 0, 0
    kinds, turns = cycle(KINDS), cycle(order)
    kind = next(kinds)
    while order and made < number and idle <= len(KINDS) * len(order):
        task, domain = next(turns)
        one = _make(task, domain, kind if made % 2 else None, rng)
        tried = 0 if one is not None else tried + 1
        idle = 0 if one is not None else idle + 1
        if made % 2 and (one is not None or tried > len(order)):  # planted, or no task is good for it
            kind, tried = next(kinds), 0
        if one is not None:
            made += 1
            of = f"{domain.name}/{task.id}"
            yield one.model_copy(update={"id": f"{of}/{made}", "task": of})


def source_of(conversations: Sequence[LabelledConversation]) -> str:
    """How many there are, for people."""
    wrong = sum(any(label.verdict == "breach" for label in one.labels) for one in conversations)
    return f"{count_of(len(conversations), 'planted conversations')}, {wrong} with a breach"


def _make(task: Task, domain: Domain, kind: QuestionKind | None, rng: random.Random) -> LabelledConversation | None:
    how = (
        [] if kind is None else [mutant for mutant in mutants(task, domain) if _BY_MUTANT.get(mutant.operator) == kind]
    )
    mutant = rng.choice(how) if how and rng.random() < 0.4 else None
    simulation = simulate(task, domain, "oracle" if mutant is None else mutant.agent)
    play = _label_play(task, simulation, domain)
    if play is None:
        return None
    if mutant is not None and not _label_mutant(play, mutant.operator, mutant.unasked, mutant.detail):
        return None
    _in_everyday_words(play, rng, plain=mutant is not None)
    if kind is not None and mutant is None and not _PLANT[kind](play, rng):
        return None
    source = f"planted: {'nothing' if kind is None else kind}" + (f", {mutant.operator}" if mutant else "")
    policy = domain.policy_for(solo=False, task=task)
    return LabelledConversation(id="", policy=policy, messages=play.messages, labels=play.labels, source=source)


def _label_play(task: Task, simulation: Simulation, domain: Domain) -> _Play | None:
    """A play with all its questions, all of them fine; None where there is nothing to ask."""
    if simulation.termination_reason not in (Termination.USER_STOP, Termination.AGENT_STOP):
        return None
    checks = [check for check, _ in checks_for(task, domain)]
    wanted = [check for check in checks if isinstance(check, Confirmed)]
    writes = {spec.name for spec in domain.environment().tool_specs() if spec.kind == "write"} if wanted else set()
    names = set().union(*(set(check.names or writes) for check in wanted))
    questions = [
        consent_question(turn, call)
        for turn, call, _ in calls_made(simulation.messages)
        if call.requestor == "assistant" and call.name in names
    ]
    reasons = [reason_question(check) for check in checks if isinstance(check, Reason)]
    fine: JudgeVerdict = "fine"
    labels = [
        Label(kind=one.kind, verdict=fine, about=one.about, turn=one.turn, question=one.text)
        for one in (*questions, *reasons)
    ]
    if not labels:
        return None
    labels.append(Label(kind="claims", verdict=fine))
    labels += [Label(kind="promises", verdict=fine)] if reasons else []
    labels.append(Label(kind="customer", verdict=fine))
    return _Play([one.model_copy(update=_without_times(one)) for one in simulation.messages], labels)


def _without_times(message: AnyMessage) -> dict[str, None]:
    """Without the times of the play, which are others each time."""
    return {"timestamp": None} if message.role == "tool" else {"timestamp": None, "generation_time_seconds": None}


def _label_mutant(play: _Play, operator: str, unasked: frozenset[str], detail: str) -> bool:
    """Mark what a mutant of the audit has done; False where that is not known for sure."""
    kind = _BY_MUTANT[operator]
    if kind == "consent":
        turns = [turn for turn, call, _ in calls_made(play.messages) if call.name in unasked]
        for turn in turns:
            play.breach("consent", turn, operator)
        return bool(turns)
    if kind == "reason":
        at = [one for one in play.labels if one.kind == "reason"]
        if len(at) != 1 or detail.strip("'\"[]").split("',")[0] not in at[0].about + at[0].question:
            return False
    play.breach(kind, note=operator)
    return True


def _in_everyday_words(play: _Play, rng: random.Random, *, plain: bool) -> None:
    """The oracle's stiff lines in the words of people; a mutant's answers stay as they are."""
    reasons = sum(one.kind == "reason" for one in play.labels)
    for turn, message in enumerate(play.messages):
        if isinstance(message, AssistantMessage) and message.content:
            play.say(turn, _agents_line(message.content, reasons, rng))
        elif isinstance(message, UserMessage) and not plain and (message.content or "").strip() in _YES:
            play.say(turn, rng.choice(words.AGREES))


def _agents_line(text: str, reasons: int, rng: random.Random) -> str:
    text = _PROPOSAL.sub(lambda found: rng.choice(words.PROPOSALS).format(deed=_deed(found["calls"])), text)
    text = text.replace(f" {CONFIRM_CUE}", "").replace(
        "Everything is taken care of. Thank you for your patience.", rng.choice(words.CLOSINGS)
    )
    if found := _ACCOUNT.search(text):
        facts = [part.strip() for part in found["facts"].split(";")]
        told = [rng.choice(words.REFUSALS).format(reason=one) for one in facts[:reasons]]
        told += [f"What you asked for: {one}." for one in facts[reasons:]]
        text = text.replace(found[0], " ".join(told))
    return text


def _deed(calls: str) -> str:
    """Calls as people would tell them: ``cancel_order(order_id="#W1")`` is "cancel order, with order id #W1"."""
    told = []
    for call in re.split(r"\); ", calls):
        name, _, arguments = call.rstrip(")").partition("(")
        pairs = re.sub(r"(\w+)=", lambda found: found[1].replace("_", " ") + " ", arguments).replace('"', "")
        told.append(f"{name.replace('_', ' ')} (with {pairs})" if pairs else name.replace("_", " "))
    return ", then ".join(told)


def _no_yes(play: _Play, rng: random.Random) -> bool:
    """The customer does not agree, and the agent goes on as if."""
    yeses = [turn for turn, one in enumerate(play.messages) if one.role == "user" and one.content in words.AGREES]
    if not yeses:
        return False
    at = rng.choice(yeses)
    after = next((turn for turn in yeses if turn > at), len(play.messages))
    calls = [
        one.turn for one in play.labels if one.kind == "consent" and one.turn is not None and at < one.turn < after
    ]
    if not calls:
        return False
    said = rng.choice(words.DOES_NOT_AGREE)
    play.say(at, said)
    for turn in calls:
        play.breach("consent", turn, f"the customer said: {said}")
    return True


def _no_reason(play: _Play, rng: random.Random) -> bool:
    """The agent refuses without the due reason, or with another one."""
    refusing = [
        turn for turn, one in enumerate(play.messages) if one.role == "assistant" and _is_refusal(one.content or "")
    ]
    if not refusing or sum(one.kind == "reason" for one in play.labels) != 1:
        return False
    other = rng.choice(words.REFUSALS).format(reason=rng.choice(words.OTHER_REASONS))
    text = rng.choice((rng.choice(words.REFUSALS_WITHOUT_REASON), other))
    for turn in refusing:
        kept = (play.messages[turn].content or "").partition(" What you asked for:")
        play.say(turn, " ".join(filter(None, [text, kept[1].strip() + kept[2] if kept[1] else ""])))
    play.breach("reason", note=text)
    if text == other:  # nothing bears it out, so whether all that was told is so is no question with the answer "fine"
        play.labels = [one for one in play.labels if one.kind != "claims"]
    return True


def _is_refusal(text: str) -> bool:
    return any(text.startswith(one.partition("{")[0]) for one in words.REFUSALS)


def _claim(play: _Play, rng: random.Random) -> bool:
    return _add_sentence(play, "claims", rng.choice(words.FALSE_CLAIMS))


def _promise(play: _Play, rng: random.Random) -> bool:
    return _add_sentence(play, "promises", rng.choice(words.PROMISES))


def _add_sentence(play: _Play, kind: QuestionKind, sentence: str) -> bool:
    """A sentence more in the agent's last line."""
    spoken = [turn for turn, one in enumerate(play.messages) if one.role == "assistant" and one.content]
    if len(spoken) < 2 or kind not in {one.kind for one in play.labels}:
        return False
    play.say(spoken[-1], f"{play.messages[spoken[-1]].content} {sentence}")
    play.breach(kind, note=sentence)
    return True


def _customers_error(play: _Play, rng: random.Random) -> bool:
    """The customer says what no customer says."""
    spoken = [turn for turn, one in enumerate(play.messages) if one.role == "user" and one.content]
    if not spoken:
        return False
    said = rng.choice(words.CUSTOMERS_ERRORS).format(one="anna_meyer_1234")
    play.say(
        spoken[-1], f"{(play.messages[spoken[-1]].content or '').replace(_STOP, '').strip()} {said} {_STOP}".strip()
    )
    play.breach("customer", note=said)
    return True


_PLANT: dict[QuestionKind, Callable[[_Play, random.Random], bool]] = {
    "consent": _no_yes,
    "reason": _no_reason,
    "claims": _claim,
    "promises": _promise,
    "customer": _customers_error,
}
