"""How well the user audit tells customers that keep to the rules from customers that do not.

The rules were written on recordings of τ-bench v1 and of τ²'s airline; measured are recordings of τ²'s retail. Clean
are the conversations as they were recorded; corrupted are the same ones with one rule broken by an operator below.
"""

from __future__ import annotations

import argparse
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_tau import load_domain, rescore
from pytest_tau.diagnosis import user_audit as rules
from pytest_tau.diagnosis.facts import IDENTITY, Fact, facts
from pytest_tau.diagnosis.left_early import STOPPED
from pytest_tau.diagnosis.other_choice import CONTRADICTED
from pytest_tau.diagnosis.own_device import INVENTED
from pytest_tau.diagnosis.user_audit import user_audit
from pytest_tau.environment.domain import Domain
from pytest_tau.metrics.intervals import wilson
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, SpokenMessage, UserMessage
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.simulation import Simulation, Termination
from pytest_tau.schema.task import Task

SEEDS = 3
HELD_OUT = "tau2_results_retail.json"
CAUGHT, FALSE_ALARMS = 0.90, 0.05


class Played(NamedTuple):
    """A recorded conversation with its task and domain."""

    task: Task
    simulation: Simulation
    domain: Domain


class Corruption(NamedTuple):
    """What an operator has to work with; ``others`` are the conversations of other tasks."""

    task: Task
    messages: list[AnyMessage]
    others: Sequence[Sequence[AnyMessage]]
    rng: random.Random


Operator = Callable[[Corruption], list[AnyMessage] | None]


def stop_early(given: Corruption) -> list[AnyMessage] | None:
    """Ends the conversation before its first write call, or in its first half, at a turn of the customer."""
    spoken = _spoken(given.messages, UserMessage)
    chosen = given.rng.choice(spoken[1 : max(2, len(spoken) // 2)] or spoken[:1])
    said = given.messages[chosen].content or ""
    ending = given.rng.choice(
        [f"{said} ###STOP###", "Thank you so much for your help! ###STOP###", "Great. ###STOP###"]
    )
    return [*given.messages[:chosen], _user(ending)]


def disclose(given: Corruption) -> list[AnyMessage] | None:
    """Opens with the whole scenario, in the first person and in another order."""
    sentences = _scenario_sentences(given.task)
    given.rng.shuffle(sentences)
    text = " ".join(sentences)
    for pattern, word in ((r"\byou are\b", "I am"), (r"\byour\b", "my"), (r"\byou\b", "I")):
        text = re.sub(pattern, word, text, flags=re.IGNORECASE)
    return _replaced(given.messages, _spoken(given.messages, UserMessage)[0], text)


def copy(given: Corruption) -> list[AnyMessage] | None:
    """Adds a sentence of the scenario to a message, as it stands."""
    sentences = [sentence for sentence in _scenario_sentences(given.task) if len(sentence.split()) >= 6]
    if not sentences:
        return None
    return _added(given, given.rng.choice(sentences))


def invent(given: Corruption) -> list[AnyMessage] | None:
    """Adds an id, a number, a name, an address or a day that nobody has mentioned."""
    rng = given.rng
    digits = [str(rng.randrange(10**n, 10 ** (n + 1))) for n in range(10)]
    code = "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") + rng.choice("23456789") for _ in range(3))
    first, last = rng.choice(["Wilhelmina", "Thaddeus", "Oluwaseun"]), rng.choice(["Quackenbush", "Featherstone"])
    claims = [
        f"The order number is #W{digits[6]}.",
        f"My zip code is {digits[4]}.",
        f"My email is {first.lower()}.{digits[2]}@example.org.",
        f"The confirmation code is {code}.",
        f"My name is {first} {last}.",
        f"My user ID is {first.lower()}_{last.lower()}_{digits[3]}.",
        f"You can reach me at 555-{digits[2]}-{digits[3]}.",
        f"It was on {rng.choice(['February', 'September', 'December'])} {rng.randrange(10, 27)}.",
    ]
    return _added(given, rng.choice(claims))


def speak_as_agent(given: Corruption) -> list[AnyMessage] | None:
    """Says instead of its own line what a real agent said in another conversation."""
    foreign = [
        message for messages in given.others for message in messages[1:] if isinstance(message, AssistantMessage)
    ]
    lines = [message.content for message in foreign if message.text and not message.tool_calls]
    return _replaced(
        given.messages, given.rng.choice(_spoken(given.messages, UserMessage)[:-1]), given.rng.choice(lines) or ""
    )


def contradict(given: Corruption) -> list[AnyMessage] | None:
    """Says another value later for a part of its identity that it has named."""
    stated: list[tuple[int, Fact]] = []
    spoken = _spoken(given.messages, UserMessage)
    for index in spoken[:-2]:
        stated += [(index, fact) for fact in facts(given.messages[index].content or "") if fact.kind in IDENTITY]
    if not stated:
        return None
    index, fact = given.rng.choice(stated)
    value = fact.value
    if fact.kind == "name":
        value = given.rng.choice(["Wilhelmina Quackenbush", "Thaddeus Featherstone"])
    else:
        digits = [place for place, character in enumerate(value) if character.isdigit()]
        if digits:
            place = given.rng.choice(digits)
            value = value[:place] + str((int(value[place]) + given.rng.randrange(1, 10)) % 10) + value[place + 1 :]
        else:
            value = "x" + value
    place = given.rng.choice([later for later in spoken[:-1] if later > index])
    lead = given.rng.choice(["As I said, my", "Just so that it is clear: my", "My"])
    said = given.messages[place].content or ""
    return _replaced(given.messages, place, f"{said} {lead} {fact.kind} is {value}.")


EVASIONS = (
    "I have had such a long day already.",
    "The weather here is terrible this week.",
    "My brother recommended your company to me.",
    "I am really looking forward to the weekend.",
    "I hope we can get through this quickly.",
    "It is quite noisy where I am sitting.",
    "People keep telling me to be more patient.",
    "I used to work in customer service myself.",
)


def ignore(given: Corruption) -> list[AnyMessage] | None:
    """Puts two answers that say nothing before the real one; the agent asks again. Who is asked whether
    there is anything else may say what they like.
    """
    asked = [
        (before, index)
        for before, index in _exchanges(given.messages)
        if "?" in (text := given.messages[before].content or "") and "nything else" not in text and before > 0
    ]
    if not asked:
        return None
    before, index = given.rng.choice(asked)
    question = given.messages[before].content or ""
    again = given.rng.choice([question, f"I see. {question}", f"Thank you for sharing that. {question}"])
    first, second = given.rng.sample(EVASIONS, 2)
    inserted: list[AnyMessage] = [_user(first), _agent(again), _user(second), _agent(again)]
    return [*given.messages[:index], *inserted, *given.messages[index:]]


OPERATORS: dict[str, Operator] = {
    STOPPED: stop_early,
    rules.DISCLOSED: disclose,
    rules.COPIED: copy,
    INVENTED: invent,
    rules.AS_AGENT: speak_as_agent,
    CONTRADICTED: contradict,
    rules.IGNORED: ignore,
}


def corrupted(played: Played, rule: str, others: Sequence[Played], seed: int) -> Simulation | None:
    """The conversation with this rule broken; None where there is nothing to break it with."""
    rng = random.Random(f"{seed} {rule} {played.simulation.domain} {played.task.id}")
    foreign = [other.simulation.messages for other in others if other.task.id != played.task.id]
    messages = OPERATORS[rule](Corruption(played.task, list(played.simulation.messages), foreign, rng))
    if messages is None:
        return None
    ended = Termination.USER_STOP if rule == STOPPED else played.simulation.termination_reason
    return played.simulation.model_copy(update={"messages": messages, "termination_reason": ended})


def recordings(files: Sequence[Path], data: Path) -> Iterator[Played]:
    """The conversations of recorded runs."""
    for file in files:
        for task, simulation, _, _ in rescore(file, data=data):
            yield Played(task, simulation, load_domain(simulation.domain, data=data))


def _spoken(messages: Sequence[AnyMessage], kind: type[SpokenMessage]) -> list[int]:
    return [i for i, m in enumerate(messages) if isinstance(m, kind) and m.text and not m.tool_calls]


def _exchanges(messages: Sequence[AnyMessage]) -> Iterator[tuple[int, int]]:
    agent = set(_spoken(messages, AssistantMessage))
    return ((index - 1, index) for index in _spoken(messages, UserMessage) if index - 1 in agent)


def _scenario_sentences(task: Task) -> list[str]:
    scenario = task.user_scenario.instructions
    parts = (
        [scenario]
        if isinstance(scenario, str)
        else [scenario.reason_for_call, scenario.known_info or "", scenario.task_instructions]
    )
    assert isinstance(scenario, (str, Instructions))
    return [found.strip() for part in parts for found in re.split(r"(?<=[.!?])\s+|\n+", part) if found.strip()]


def beginnings(one: Played) -> Iterator[Played]:
    """A conversation up to each turn of its customer: as clean as the whole, though not independent of one another."""
    messages = one.simulation.messages
    for index in _spoken(messages, UserMessage):
        changes: dict[str, object] = {"messages": messages[: index + 1]}
        if index + 1 < len(messages):
            changes["termination_reason"] = Termination.MAX_STEPS
        yield one._replace(simulation=one.simulation.model_copy(update=changes))


def _added(given: Corruption, text: str) -> list[AnyMessage]:
    chosen = given.rng.choice(_spoken(given.messages, UserMessage)[:-1])
    return _replaced(given.messages, chosen, f"{given.messages[chosen].content} {text}")


def _replaced(messages: Sequence[AnyMessage], index: int, text: str) -> list[AnyMessage]:
    return [*messages[:index], _user(text), *messages[index + 1 :]]


def _user(text: str) -> UserMessage:
    return UserMessage(content=text)


def _agent(text: str) -> AssistantMessage:
    return AssistantMessage(content=text)


def main() -> None:
    """Print what share was caught, rule by rule, and how many clean conversations raised an alarm."""
    shared = os.environ.get("PYTEST_TAU_SHARED")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tau-data", type=Path, default=Path(shared) / "tau2" if shared else None)
    parser.add_argument("--samples", type=Path, default=Path(shared) / "samples" if shared else None)
    parser.add_argument("--files", default=HELD_OUT, help="which recordings (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="name what was missed and what was found in clean ones")
    chosen = parser.parse_args()
    if chosen.samples is None or chosen.tau_data is None:
        print("user audit: not measured, without recorded conversations (--samples DIR --tau-data DIR)")
        return
    played = list(recordings(sorted(chosen.samples.glob(chosen.files)), chosen.tau_data))
    alarmed = [(one, found) for one in played if (found := user_audit(one.task, one.simulation, one.domain))]
    total = caught = 0
    for rule in OPERATORS:
        made = hit = 0
        for one in played:
            for seed in range(SEEDS):
                simulation = corrupted(one, rule, played, seed)
                if simulation is None:
                    continue
                made += 1
                noticed = any(found.rule == rule for found in user_audit(one.task, simulation, one.domain))
                hit += noticed
                if chosen.list and not noticed:
                    at = [i for i, m in enumerate(simulation.messages) if m not in one.simulation.messages]
                    shown = [(m.content or "")[-300:] for i in at for m in simulation.messages[i - 1 : i + 1]]
                    print("missed:", rule, one.simulation.domain, one.task.id, seed, shown)
        total, caught = total + made, caught + hit
        print(f"user audit, {rule:<22} {hit:>4} of {made:>4} corrupted conversations caught")
    if chosen.list:
        for one, found in alarmed:
            print("alarm:", one.simulation.domain, one.task.id, found)
    low, high = wilson(caught / total, total)
    verdict = "ok" if caught >= CAUGHT * total else "UNDER"
    print(
        f"user audit: caught {caught} of {total} corrupted conversations = {caught / total:.1%} "
        f"[{low:.0%}-{high:.0%}], at least 90 %: {verdict}"
    )
    low, high = wilson(len(alarmed) / len(played), len(played))
    verdict = "ok" if len(alarmed) <= FALSE_ALARMS * len(played) else "OVER"
    print(
        f"user audit: alarms in {len(alarmed)} of {len(played)} clean conversations [{low:.0%}-{high:.0%}], "
        f"at most 5 %: {verdict}"
    )
    begun = [part for one in played for part in beginnings(one)]
    alarms = sum(bool(user_audit(part.task, part.simulation, part.domain)) for part in begun)
    print(
        f"user audit: alarms in {alarms} of {len(begun)} beginnings of them, one for each turn of a customer "
        f"= {alarms / len(begun):.1%}, at most 5 %: {'ok' if alarms <= FALSE_ALARMS * len(begun) else 'OVER'}"
    )


if __name__ == "__main__":
    main()
