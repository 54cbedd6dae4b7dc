"""Whether the simulated customer kept to the rules, read off a finished conversation, by rule and without a model.

A customer that breaks them fails the agent for what it has not done, or helps it. What each rule can see, and how well
it did on recorded conversations of real models, stands in docs/accuracy.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ..environment.domain import Domain
from ..evaluation.judges.user_judge import OFF_SCENARIO
from ..evaluation.language.days import days_in
from ..evaluation.language.dialogue import says_no, says_yes
from ..evaluation.language.following import Numbers
from ..evaluation.language.phrases import (
    AGENT_VOICE,
    ANOTHER,
    ANSWERS,
    ASKS,
    CLOSING,
    CORRECTS,
)
from ..evaluation.language.terms.money import OTHERWISE_WRITTEN, currencies, money_in
from ..schema.messages import AnyMessage, ToolMessage, UserMessage
from ..schema.scenario import Instructions
from ..schema.simulation import Simulation, Termination, UserFinding
from ..schema.task import Task
from ..users.names import is_attacker
from .facts import IDENTITY, Fact, Known, birth_dates, facts
from .left_early import STOPPED, UNENDED, left_before_transfer, never_ended, stopped_early
from .other_choice import CONTRADICTED, find_other_choice
from .own_device import INVENTED, find_untrue_of_device
from .user_turns import TOKENS, Turn, alike, content_of, plain, sentences_in, short, turns_of, words_in
from .withheld import DENIED, find_denial, find_left_out, find_told_too_early

DISCLOSED, COPIED = "disclosed everything", "copied instructions"
AS_AGENT, IGNORED = "spoke as agent", "ignored question"
LOST = "fell out of its role"
RULES = (STOPPED, DISCLOSED, COPIED, INVENTED, AS_AGENT, CONTRADICTED, IGNORED)
"""Those that were measured with an operator for each; docs/grading.md lists all."""
SPOILING = (STOPPED, UNENDED, INVENTED, LOST, OFF_SCENARIO)
"""Where one of these is broken a trial says little about the agent. Of the others two make a task easier, not
meaningless; the rest are not known to be right often enough to take a trial out (docs/accuracy.md says how often). The
last is a judge's word (evaluation/judges/user_judge.py)."""

_FIRST_PERSON, _SECOND_PERSON = (
    {"i", "i'm", "i'd", "i've", "i'll", "my", "me", "mine"},
    {"you", "your", "you're", "yours"},
)
_COPIED_RUN = 8
_MOST = 60  # facts of a message
_DIGITS = 6  # of an amount of money; more are an id
_COPIED_SENTENCE = 6
_DISCLOSED = 0.65
_DISCLOSED_WORDS = 15


class Finding(NamedTuple):
    """A rule that the customer broke, the turn (from 0) that shows it, and whether that spoils the trial."""

    rule: str
    turn: int
    text: str
    spoils: bool


def audit_user(task: Task, messages: Sequence[AnyMessage], domain: Domain) -> list[Finding]:
    """What a simulated customer did against the rules in a conversation, whoever ended it.

    Args:
        task: the task that was played.
        messages: the conversation.
        domain: its domain.
    """
    simulation = Simulation(
        id="", domain=domain.name, task_id=task.id, messages=list(messages), termination_reason=Termination.USER_STOP
    )
    found = user_audit(task, simulation, domain)
    return [Finding(one.rule, one.turn, one.text, one.rule in SPOILING) for one in found]


def user_audit(task: Task, simulation: Simulation, domain: Domain | None = None) -> list[UserFinding]:
    """What the simulated customer did against the rules, at most one finding a rule.

    Args:
        task: the task that was played.
        simulation: the finished conversation; in solo there is no customer, and nothing is found.
        domain: its domain. With it, what the customer's own phone or device shows at the start is no invention.

    An attacker is told to lie, and nothing is found of what is untrue.
    """
    if simulation.solo:
        return []
    if simulation.episodes:
        return _of_each_episode(task, simulation, domain)
    turns = list(turns_of(simulation.messages))
    found = (
        stopped_early(task, simulation, turns, domain) or left_before_transfer(task, simulation, turns, domain),
        never_ended(task, simulation, turns, domain),
        _find_disclosure(task, turns),
        _find_copying(task, turns),
        _find_invention(task, simulation, domain) or find_untrue_of_device(task, simulation.messages, turns, domain),
        _as_agent(simulation.messages, turns),
        _find_contradiction(task, turns) or find_other_choice(task, simulation.messages, domain),
        _find_ignored_question(task, turns),
        _find_lost_message(simulation.messages),
        find_left_out(task, simulation, turns, domain),
        find_denial(task, turns),
        find_told_too_early(task, simulation, turns),
    )
    allowed = (INVENTED, CONTRADICTED, DENIED) if is_attacker(simulation.user) else ()
    return [finding for finding in found if finding is not None and finding.rule not in allowed]


def _of_each_episode(task: Task, simulation: Simulation, domain: Domain | None) -> list[UserFinding]:
    """The findings of a trial with several conversations, each with its own customer; a rule once."""
    begins = [0, *simulation.episodes]
    found: dict[str, UserFinding] = {}
    for number, (begin, end) in enumerate(zip(begins, [*begins[1:], None], strict=True), start=1):
        part = simulation.model_copy(update={"messages": simulation.messages[begin:end], "episodes": []})
        for one in user_audit(task.in_episode(number), part, domain):
            found.setdefault(one.rule, one.model_copy(update={"turn": one.turn + begin}))
    return list(found.values())


# --- disclosed everything, copied instructions ---------------------------------------------------------------------


def _sections(scenario: str | Instructions) -> tuple[str, ...]:
    if isinstance(scenario, str):
        return _plain_all((scenario,))
    return _plain_all((scenario.reason_for_call, scenario.known_info, scenario.task_instructions))


@lru_cache(maxsize=256)
def _plain_all(parts: tuple[str | None, ...]) -> tuple[str, ...]:
    return tuple(plain(part) for part in parts if part)


def _find_disclosure(task: Task, turns: Sequence[Turn]) -> UserFinding | None:
    """Nearly all of the scenario's words, what it knows and what it wants alike, for the first time in one message."""
    scenario = task.user_scenario.instructions
    if isinstance(scenario, Instructions) and scenario.known_info is None:
        return None
    parts = [words for section in _sections(scenario) if (words := content_of(section))]
    everything = set().union(*parts)
    if len(everything) < _DISCLOSED_WORDS:
        return None
    before: set[str] = set()
    for turn in turns:
        said = content_of(turn.text) - before
        before |= said | content_of(turn.asked)
        share = len(said & everything) / len(everything)
        if share >= _DISCLOSED and all(len(said & part) / len(part) >= _DISCLOSED / 2 for part in parts):
            return UserFinding(
                rule=DISCLOSED, turn=turn.at, text=f"{100 * share:.0f} % of the scenario's words in one message"
            )
    return None


@lru_cache(maxsize=256)
def _copies(sections: tuple[str, ...]) -> tuple[frozenset[tuple[str, ...]], tuple[str, ...]]:
    """Runs of words and whole sentences that address the simulator. Sections in the first person are its own words."""
    runs: set[tuple[str, ...]] = set()
    whole = []
    for section in sections:
        words = words_in(section)
        if sum(word in _FIRST_PERSON for word in words) >= sum(word in _SECOND_PERSON for word in words):
            continue
        found = (tuple(words[i : i + _COPIED_RUN]) for i in range(len(words) - _COPIED_RUN + 1))
        runs.update(run for run in found if _SECOND_PERSON & set(run))
        sentences = [words_in(sentence) for sentence in sentences_in(section)]
        whole += [" ".join(words) for words in sentences if len(words) >= _COPIED_SENTENCE]
    return frozenset(runs), tuple(whole)


def _find_copying(task: Task, turns: Sequence[Turn]) -> UserFinding | None:
    runs, whole = _copies(_sections(task.user_scenario.instructions))
    for turn in turns:
        words = words_in(turn.text)
        text = f" {' '.join(words)} "
        run = next((r for i in range(len(words)) if (r := tuple(words[i : i + _COPIED_RUN])) in runs), None)
        copied = " ".join(run) if run else next((sentence for sentence in whole if f" {sentence} " in text), None)
        if copied:
            return UserFinding(rule=COPIED, turn=turn.at, text=f"says '{short(copied)}', as the scenario does")
    return None


# --- invented fact, contradiction ----------------------------------------------------------------------------------


def _find_invention(task: Task, simulation: Simulation, domain: Domain | None) -> UserFinding | None:
    known = Known()
    device: Known | None = None
    scenario = plain(task.user_scenario.render())
    known.add(scenario)
    amounts = Numbers()
    amounts.add(scenario)
    heard, foreign = currencies(scenario), frozenset[str]()
    for index, message in enumerate(simulation.messages):
        text = plain(message.content or "")
        if isinstance(message, UserMessage):
            # Euros in a world of dollars are of somewhere else, and remain so when the agent takes them up.
            foreign |= currencies(text) - heard if heard else frozenset()
            parts = sentences_in(text) if foreign else [text]
            of_here = "\n".join(part for part in parts if foreign.isdisjoint(currencies(part)))
            if (made_up := _amount(of_here, amounts, scenario)) is not None:
                return UserFinding(rule=INVENTED, turn=index, text=f"nobody told it the amount {made_up:g}")
            if (made_up_time := _time_past(text, scenario)) is not None:
                return UserFinding(rule=INVENTED, turn=index, text=f"nobody told it the time '{made_up_time}'")
            stated: list[Fact | date] = [*facts(text), *birth_dates(text), *days_in(text)]
            claims = list(dict.fromkeys(stated))[:_MOST]
            beside = f"{text}\n{scenario}"
            new = [claim for claim in claims if not (known.holds(claim, beside) or _adds_up(claim, amounts, text))]
            if new := [claim for claim in new if not _is_slip(claim, simulation.messages[index:], known)]:
                device = device or _device(task, domain)
                new = [claim for claim in new if not (_on_a_device(claim) and device.holds(claim))]
            if new:
                what = f"day {new[0]:%B} {new[0].day}" if isinstance(new[0], date) else f"{new[0].kind} {new[0].value}"
                return UserFinding(rule=INVENTED, turn=index, text=f"nobody told it the {what}")
        known.add(text)
        amounts.add(text)
        heard |= currencies(text) - foreign
    return None


def _adds_up(claim: Fact | date, amounts: Numbers, text: str) -> bool:
    """Whether a number is an amount without its sign: "2890 minus 75", where the scenario has $2,815 and $75."""
    if not isinstance(claim, Fact) or claim.kind != "number" or len(claim.value) > _DIGITS:
        return False
    return not any(amounts.unknown([float(claim.value)], text))


def _is_slip(claim: Fact | date, messages: Sequence[AnyMessage], known: Known) -> bool:
    """Whether the customer corrects itself with the right value, in the first of these messages or its next one."""
    if isinstance(claim, date):
        return False
    said = [plain(one.content or "") for one in messages if isinstance(one, UserMessage)]
    own, later = facts(said[0]), facts(said[1]) if said[1:] and CORRECTS.search(said[1]) else ()
    at_once = claim in own and (claim.kind in IDENTITY or CORRECTS.search(said[0]))
    after = own[own.index(claim) + 1 :] if at_once else ()
    return any(one.kind == claim.kind and known.holds(one) for one in (*after, *later))


_AGO = re.compile(
    r"\b(?:\d+|an?|one|two|three|four|five|six|few|couple of|several) (day|week|month|year)s? ago\b"
    r"|\blast (week|month|year)\b",
    re.IGNORECASE,
)


def _amount(text: str, known: Numbers, scenario: str) -> float | None:
    """An amount of money that follows from none that was told."""
    told = () if OTHERWISE_WRITTEN.search(scenario) else money_in(OTHERWISE_WRITTEN.sub(" ", text))
    return next(iter(known.unknown(told, text)), None)


def _time_past(text: str, scenario: str) -> str | None:
    """A time past where the scenario tells of none."""
    found = _AGO.search(text)
    if found is None or re.search(rf"\b{found[1] or found[2]}s?\b|\bago\b", scenario, re.IGNORECASE):
        return None
    return found[0]


def _on_a_device(claim: Fact | date) -> bool:
    return isinstance(claim, date) or claim.kind != "birth date"


def _device(task: Task, domain: Domain | None) -> Known:
    """What the customer sees on their own side at the start."""
    shown = Known()
    if domain is not None and (tools := domain.environment(task).user_tools) is not None:
        shown.add(str(tools.db.state()))
    return shown


def _find_contradiction(task: Task, turns: Sequence[Turn]) -> UserFinding | None:
    """Two values of what one has only one of, without a word of correction."""
    scenario = Known()
    scenario.add(task.user_scenario.render())
    said: dict[str, Fact] = {}
    for turn in turns:
        sentences = sentences_in(turn.text)
        for place, sentence in enumerate(sentences):
            before_it = sentences[place - 1] if place else ""
            corrected = CORRECTS.search(f"{before_it} {sentence}") or ANOTHER.search(sentence)
            for fact in facts(sentence):
                before = said.setdefault(fact.kind, fact)
                if fact.kind not in IDENTITY or corrected or _same(before, fact) or not _of_oneself(sentence):
                    continue
                if not (scenario.holds(before) and scenario.holds(fact)):
                    text = f"the {fact.kind} is {fact.value} now, and was {before.value}"
                    return UserFinding(rule=CONTRADICTED, turn=turn.at, text=text)
    return None


def _of_oneself(sentence: str) -> bool:
    return bool(_FIRST_PERSON & set(words_in(sentence)))


def _same(one: Fact, other: Fact) -> bool:
    if one.kind == "name":
        first, second = set(one.value.split()), set(other.value.split())
        return first <= second or second <= first
    return one == other


# --- spoke as agent ------------------------------------------------------------------------------------------------


_QUOTED = re.compile(r'"[^"\n]{1,200}"|“[^”\n]{1,200}”')


def _as_agent(messages: Sequence[AnyMessage], turns: Sequence[Turn]) -> UserFinding | None:
    for turn in turns:
        text = turn.text
        for message in messages[: turn.at]:
            if isinstance(message, ToolMessage) and message.requestor == "user" and message.content:
                text = text.replace(plain(message.content), " ")  # reads out what its phone says
        text = text if text.lstrip().startswith("{") else _QUOTED.sub(" ", text)
        if found := AGENT_VOICE.search(text):
            return UserFinding(rule=AS_AGENT, turn=turn.at, text=f"'{short(text[found.start() :])}'")
    return None


# --- fell out of its role ------------------------------------------------------------------------------------------


def _find_lost_message(messages: Sequence[AnyMessage]) -> UserFinding | None:
    """A message that the guard (users/guard.py) still found wrong after it had been asked for again."""
    for index, message in enumerate(messages):
        if isinstance(message, UserMessage) and message.role_lost:
            return UserFinding(rule=LOST, turn=index, text=f"{message.role_lost}: '{short(message.text)}'")
    return None


# --- ignored question ----------------------------------------------------------------------------------------------

_SLOT = re.compile(r"user ?id\b|e-?mail|zip|phone number")


def _find_ignored_question(task: Task, turns: Sequence[Turn]) -> UserFinding | None:
    """Twice in a row an answer that has nothing to do with a question; or twice no word on an id that was asked for."""
    for before, turn in pairwise(turns):
        asked = list(_questions(turn.asked))
        if asked and alike(before.asked, turn.asked) and _beside(before, asked) and _beside(turn, asked):
            return UserFinding(rule=IGNORED, turn=turn.at, text=f"twice no answer to '{short(asked[0])}'")
    return _find_missing_identity(task, turns)


def _questions(text: str) -> Iterator[str]:
    """The sentences that ask for something, each with the one before it, which often says about what."""
    for before, sentence in pairwise(["", *sentences_in(text)]):
        if ASKS.search(sentence) and not CLOSING.search(sentence):
            yield f"{before} {sentence}".strip()


def _beside(turn: Turn, asked: Sequence[str]) -> bool:
    said = TOKENS.sub("", turn.text)
    answers = ANSWERS.search(said) or says_yes(said) or says_no(said) or any(True for _ in facts(said))
    return not answers and not content_of(" ".join(asked)) & content_of(said)


def _find_missing_identity(task: Task, turns: Sequence[Turn]) -> UserFinding | None:
    """Asked twice for a part of the identity that the scenario gives, without naming it or any other part."""
    if not any(fact.kind in IDENTITY for fact in facts(plain(task.user_scenario.render()))):
        return None
    missed: Counter[str] = Counter()
    for turn in turns:
        asked = _slots(" ".join(part for part in sentences_in(turn.asked) if ASKS.search(part)))
        if any(fact.kind in IDENTITY for fact in facts(turn.text)):
            missed.clear()
            continue
        missed.update(asked)
        for named in _slots(turn.text):
            del missed[named]
        if any(missed[slot] == 2 for slot in asked):
            text = f"was asked twice for what it knows, '{short(turn.asked)}'"
            return UserFinding(rule=IGNORED, turn=turn.at, text=text)
    return None


def _slots(text: str) -> set[str]:
    return {re.sub(r"\W", "", slot) for slot in _SLOT.findall(text.casefold())}
