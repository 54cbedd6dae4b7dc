"""Makes a task of a plan: who says what and when, the gold path, and what is graded."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

from pytest_tau.environment.spec import COMPOSED_TAG
from pytest_tau.errors import DomainError
from pytest_tau.schema.calls import Action, EnvFunctionCall
from pytest_tau.schema.checks import NotCalled, TrajectoryCheck
from pytest_tau.schema.scenario import Instructions, Later, UserScenario
from pytest_tau.schema.task import Criterion, Description, EvaluationCriteria, InitialState, Task

from .atoms import Atom, Family
from .personas import LEAVING, LINKS, NEXT, REST, half
from .phrases import phrases_of
from .plans import Chosen, Plan, covers, shared_records

say = phrases_of(__file__)
_OPENS = {"Can", "Could", "From", "For", "In", "Of", "On", "Please", "The", "Use", "With"}  # also before a name
_STAYS = {"I", "I'd", "I'm", "I've", "I'll"}


@dataclass(frozen=True)
class Built:
    """A task, and for each wish the position in the gold path where what it changes begins."""

    task: Task
    begins: tuple[int, ...]


class _GoldPath:
    """The gold path while it grows, and the moments in it at which the customer says something."""

    def __init__(self, changes: Iterable[str]) -> None:
        self.steps: list[Action] = []
        self._moments: list[tuple[int, dict[str, Any]]] = []
        self._changes = set(changes)
        self._seen: set[str] = set()

    def add(self, steps: Iterable[Action]) -> None:
        """Append steps; what was looked up since the last change is not looked up again."""
        for step in steps:
            if step.name in self._changes or step.requestor == "user":
                self._seen.clear()
            elif str(step) in self._seen:
                continue
            else:
                self._seen.add(str(step))
            self.steps.append(step)

    def moment(self, **fields: Any) -> None:
        """Let the customer say something here."""
        self._moments.append((len(self.steps), fields))

    def finish(self) -> tuple[list[Action], list[Later]]:
        """The steps with ids, and the moments that name them."""
        steps = [step.model_copy(update={"action_id": f"{step.name}_{i}"}) for i, step in enumerate(self.steps)]
        later = [
            Later(**fields, **({"before": steps[at].action_id} if at < len(steps) else {}))
            for at, fields in self._moments
        ]
        return steps, later


def build(plan: Plan, family: Family, domain_name: str, changes: set[str], *, checked: bool = False) -> Built:
    """The task of a plan; ``checked``: the domain makes checks of its own, which are to count."""
    rng = random.Random(plan.words)
    path = _GoldPath(changes)
    path.add(plan.introduction.steps)
    if plan.hidden:
        path.add(plan.customer.search)
    opening, begins = (_in_turn if plan.in_turn else _at_once)(plan, family, path, rng)
    steps, later = path.finish()
    atoms = [one.atom for one in plan.wishes]
    instructions: dict[str, Any] = {
        "domain": domain_name,
        "reason_for_call": opening,
        "known_info": _known_text(plan, family, rng),
        "task_instructions": _manner(plan, rng),
    }
    if later:
        instructions["later"] = later
    task: dict[str, Any] = {
        "id": f"{plan.customer.key}.{'+'.join(dict.fromkeys(atom.intent for atom in atoms))}",
        "domain": domain_name,
        "tags": _tags(plan, steps, changes),
        "description": _description(plan),
        "user_scenario": UserScenario(persona=plan.persona.text, instructions=Instructions(**instructions)),
        "evaluation_criteria": EvaluationCriteria(**_criteria(plan, family, steps, changes, checked)),
    }
    if documents := list(dict.fromkeys(document for atom in atoms for document in atom.documents)):
        task["required_documents"] = documents
    if initial := [call for atom in atoms for call in atom.initialise if isinstance(call, EnvFunctionCall)]:
        task["initial_state"] = InitialState(initialization_actions=initial)
    return Built(Task(**task), tuple(begins))


def _at_once(plan: Plan, family: Family, path: _GoldPath, rng: random.Random) -> tuple[str, list[int]]:
    """Everything is said in the opening; the agent looks everything up, proposes, and acts."""
    for one in plan.wishes:
        path.add(_cut(one.atom, path)[0])
    start = len(path.steps)
    for one in plan.wishes:
        _change_of_mind(one, plan, path, rng)
    begins = []
    for one in plan.wishes:
        begins.append(len(path.steps) if one.mind != "withdrawn" else start)
        path.add(_acts(one, path))
    said = [opening(one, plan.hidden) for one in plan.wishes]
    rng.shuffle(said)
    opens = plan.persona.one if len(said) == 1 else plan.persona.several
    greeting = rng.choice(opens).format(noun=family.noun)
    links = rng.sample(half(LINKS, plan.part), min(len(said) - 1, len(half(LINKS, plan.part))))
    joined = [said[0]]
    for position, wish in enumerate(said[1:]):
        link = links[position % len(links)]
        joined.append(link.format(wish=inside(wish)))
    return " ".join(filter(None, [greeting, *joined])), begins


def _in_turn(plan: Plan, family: Family, path: _GoldPath, rng: random.Random) -> tuple[str, list[int]]:
    """One wish in the opening, each further one when the last is settled."""
    begins = []
    nexts = list(half(NEXT, plan.part))
    rng.shuffle(nexts)
    going_on = [link for link in nexts if link != LEAVING]
    for position, one in enumerate(plan.wishes):
        if position:
            last = position == len(plan.wishes) - 1
            leaves = nexts[position % len(nexts)] == LEAVING or position > len(going_on) < len(nexts)
            link = LEAVING if last and leaves else going_on[position % len(going_on)]
            path.moment(when="done", say=link.format(wish=inside(opening(one, plan.hidden))))
        path.add(_cut(one.atom, path)[0])
        _change_of_mind(one, plan, path, rng)
        begins.append(len(path.steps))
        path.add(_acts(one, path))
    return " ".join(filter(None, [rng.choice(plan.persona.one), opening(plan.wishes[0], plan.hidden)])), begins


def _change_of_mind(one: Chosen, plan: Plan, path: _GoldPath, rng: random.Random) -> None:
    if one.mind == "kept":
        return
    revised = one.atom.revision if one.mind == "revised" else None
    words = revised.then if revised else one.atom.withdraws
    path.add(revised.looks if revised else ())
    say = fill_references(words[one.wording % len(words)], one.atom, plan.hidden)
    if not plan.in_turn and len(plan.wishes) > 1:
        say = f"{say} {rng.choice(half(REST, plan.part))}"
    proposal = revised.proposal if revised else next(step for step in one.atom.steps if step.name in path._changes)
    about = _to_customer(fill_references(one.atom.about, one.atom, plan.hidden))
    path.moment(when="proposed", say=say, about=about, proposal=proposal)


def _cut(atom: Atom, path: _GoldPath) -> tuple[list[Action], list[Action]]:
    """What an atom looks up first, and the steps from its first change on."""
    steps = list(atom.steps)
    acts = [i for i, step in enumerate(steps) if step.name in path._changes or step.requestor == "user"]
    at = acts[0] if acts else len(steps)
    if atom.last and not acts:
        at = max(0, len(steps) - 1)
    return steps[:at], steps[at:]


def _acts(one: Chosen, path: _GoldPath) -> list[Action]:
    return [] if one.mind == "withdrawn" else _cut(one.atom, path)[1]


def opening(one: Chosen, hidden: bool) -> str:
    """The words in which a wish is first told."""
    revised = one.atom.revision if one.mind == "revised" else None
    words = revised.says if revised else one.atom.says
    return fill_references(words[one.wording % len(words)], one.atom, hidden)


def put_into(words: str, texts: Mapping[str, str]) -> str:
    """Words with the texts that names in braces stand for; raises KeyError, ValueError or IndexError for others."""
    for _, name, form, _ in Formatter().parse(words):
        if name and ("{" in (form or "") or not name.isidentifier()):  # {order.title} would be a method of the text
            raise KeyError(name)
    return words.format_map(texts)


def fill_references(words: str, atom: Atom, hidden: bool) -> str:
    """Words with the names of the records in them; raises DomainError where one stands for nothing."""
    try:
        return put_into(words, {name: ref.text(hidden) for name, ref in (atom.refers or {}).items()})
    except (KeyError, ValueError, IndexError) as error:
        raise DomainError(f"atom '{atom.intent}': {error} is no reference of it, in the words {words!r}") from None


def _to_customer(text: str) -> str:
    """Words of the customer's inside of words to them: "my lamp that I ordered" is theirs."""
    return re.sub(r"\bmy\b", "your", re.sub(r"\bI\b", "you", text))


def inside(sentence: str) -> str:
    """A sentence as it goes on after other words."""
    first, *others = sentence.split(maxsplit=2)
    proper = bool(others) and others[0][0].isupper() and not others[0].isupper()  # all capitals: a reservation's number
    name = proper and others[0] not in _STAYS and first not in _OPENS
    first = first.rstrip(",")
    keeps = name or first in _STAYS or not first[0].isalpha() or any(letter.isupper() for letter in first[1:])
    return sentence if keeps else sentence[0].lower() + sentence[1:]


def _known_text(plan: Plan, family: Family, rng: random.Random) -> str:
    says = half(plan.introduction.says, plan.part) or plan.introduction.says
    parts = [rng.choice(list(says))]
    parts += [fill_references(text, one.atom, plan.hidden) for one in plan.wishes for text in one.atom.known]
    if plan.hidden and family.without_ids:
        parts.append(rng.choice(list(half(family.without_ids, plan.part) or family.without_ids)))
    return " ".join(dict.fromkeys(parts))


def _manner(plan: Plan, rng: random.Random) -> str:
    parts = [
        _to_customer(fill_references(text, one.atom, plan.hidden)) for one in plan.wishes for text in one.atom.manner
    ]
    if not plan.in_turn and len(plan.wishes) > 1:
        parts.append(rng.choice(say("told.any_order")))
    parts.append(rng.choice(say("told.nothing_else")))
    return " ".join(dict.fromkeys(parts))


def _description(plan: Plan) -> Description:
    atoms = [one.atom for one in plan.wishes]
    wishes = "; ".join(
        _to_customer(fill_references(one.atom.about, one.atom, False))
        + ("" if one.mind == "kept" else f" ({one.mind} after the proposal)")
        for one in plan.wishes
    )
    policies = dict.fromkeys(section for atom in atoms for section in atom.policies)
    fields = {"purpose": wishes[0].upper() + wishes[1:] + "."}
    if policies:
        fields["relevant_policies"] = "; ".join(policies)
    return Description(**fields)


def _tags(plan: Plan, steps: Sequence[Action], changes: set[str]) -> list[str]:
    atoms = [one.atom for one in plan.wishes]
    writes = sum(step.name in changes and step.requestor == "assistant" for step in steps)
    refused = any("refusal" in atom.tags for atom in atoms)
    found = [COMPOSED_TAG, *(atom.intent for atom in atoms), f"writes_{writes}"]
    found += ["mixed"] if refused and writes else []
    found += ["ids_hidden" if plan.hidden else "ids_said"]
    found += [("in_turn" if plan.in_turn else "at_once")] if len(atoms) > 1 else []
    found += [one.mind for one in plan.wishes if one.mind != "kept"]
    # What is taken back in time is not tried: no result shows whether the cheapest was found.
    found += [tag for one in plan.wishes if one.mind != "withdrawn" for tag in one.atom.tags]
    found += ["same_record"] if shared_records(atoms) else []
    found.append(f"persona_{plan.persona.name}")
    return list(dict.fromkeys(found))


def _criteria(plan: Plan, family: Family, steps: list[Action], changes: set[str], checked: bool) -> dict[str, Any]:
    atoms = [one.atom for one in plan.wishes]
    checks: list[TrajectoryCheck] = [*plan.introduction.checks, *family.checks]
    for one in plan.wishes:
        checks += one.atom.checks
        if one.mind == "withdrawn":
            write = next(step for step in one.atom.steps if step.name in changes)
            record = dict(list(write.arguments.items())[:1])
            checks.append(NotCalled(check="not_called", name=write.name, arguments=record))
        if one.mind == "revised" and one.atom.revision is not None:
            first = one.atom.revision.proposal
            checks.append(NotCalled(check="not_called", name=first.name, arguments=first.arguments))
    kept = [c for c in checks if not (isinstance(c, NotCalled) and any(covers(c, step) for step in steps))]
    unique = list({check.model_dump_json(): check for check in kept}.values())
    facts = list(dict.fromkeys(fact for one in plan.wishes if one.mind != "withdrawn" for fact in one.atom.facts))
    asserts = [assertion for atom in atoms for assertion in atom.asserts]
    basis: list[Criterion] = ["DB"] if family.state else []
    basis += ["ENV_ASSERTION"] if asserts else []
    basis += ["COMMUNICATE"] if facts else []
    basis += ["TRAJECTORY"] if unique or checked else []
    criteria: dict[str, Any] = {"actions": steps}
    criteria |= {"env_assertions": asserts} if asserts else {}
    criteria |= {"communicate_info": facts} if facts else {}
    criteria |= {"trajectory": unique} if unique else {}
    return criteria | {"reward_basis": basis}
