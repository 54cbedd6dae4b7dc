"""A domain under one set of values, as what composes its tasks sees it: the same wishes, with this world's answers.

Two worlds share words and differ in answers, so a plan of one is carried over into another by what its customer says.
That is how a ghost's task gets its gold path, and how a stub that has learnt the old policy by heart gets its own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from pytest_tau.agents.oracle import Oracle
from pytest_tau.environment.domain import Domain, load_domain
from pytest_tau.environment.values import CHANGES, VALUES
from pytest_tau.errors import TaskError
from pytest_tau.evaluation.grade import passes
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import NotCalled, Reason
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.task import EvaluationCriteria, Task
from pytest_tau.simulating import simulate

from .compose.atoms import Atom, Family
from .compose.building import build, fill_references, opening
from .compose.faults import unproven
from .compose.plans import Chosen, ComposeOptions, Plan, Planner, covers
from .parts import load_workshop_part

PLANS = 90  # of each half of the customers that are looked through


class PolicyWorld:
    """A domain's folder with what composes its tasks."""

    def __init__(self, folder: Path, called: str, seed: int) -> None:
        self.domain = load_domain(folder)
        self.called = called
        self.seed = seed
        self.own = getattr(load_workshop_part(folder, "generate"), "generate", None)
        found = getattr(load_workshop_part(folder, "atoms"), "family", None)
        if self.own is None and not isinstance(found, Family):
            raise TaskError(f"{folder}: its gold cannot be derived anew; describe its wishes as atoms")
        self._family = found
        self._atoms: dict[str, list[Atom]] = {}

    @property
    def family(self) -> Family:
        """What its tasks are composed of; raises TaskError where it generates them itself."""
        if not isinstance(self._family, Family):
            raise TaskError(f"domain '{self.called}' generates its tasks itself")
        return self._family

    @cached_property
    def planner(self) -> Planner:
        """Plans of both halves come from :meth:`plans`; this one knows what writes."""
        return Planner(self.family, self.domain, self.seed)

    @cached_property
    def _customers(self) -> dict[str, Any]:
        return {one.key: one for one in self.family.customers(self.domain)}

    def generated(self, n: int, *, proven: bool = False) -> dict[str, Task]:
        """The tasks that the domain generates itself, by id; proven only if they are to be played."""
        with nullcontext() if proven else unproven():
            halves = [self.own(self.domain, (n + 1) // 2, self.seed, part=part) for part in (0, 1)] if self.own else []
        return {task.id: in_domain(task, self.called) for half in halves for task in half}

    def plans(self) -> Iterator[Plan]:
        """The plans that the domain's suite was composed of, and more."""
        for part in (0, 1):
            planner = Planner(self.family, self.domain, self.seed, ComposeOptions(part=part))
            yield from islice(planner.plans(), PLANS)

    def single_wishes(self) -> Iterator[Plan]:
        """A plan for each wish of each customer, alone and in its first words."""
        persona = self.planner.personas[0]
        for customer in self._customers.values():
            for atom in self.atoms(customer.key):
                wish = (Chosen(atom, "kept", 0),)
                yield Plan(customer, customer.introductions[0], wish, False, False, persona, f"words {self.seed}")

    def atoms(self, customer: str) -> list[Atom]:
        """Everything that a customer can want in this world."""
        if customer not in self._atoms:
            self._atoms[customer] = list(self._customers[customer].atoms()) if customer in self._customers else []
        return self._atoms[customer]

    def same_words(self, one: Chosen, plan: Plan, *, wholly: bool = False) -> Atom | None:
        """The wish of this world that the same words would be; None where there is none.

        Some wishes of different kinds sound alike, so one of the same kind and path comes first. ``wholly``: all else
        that the customer knows and wants is the same as well, such as the card that pays.
        """
        said = opening(one, plan.hidden)
        alike = [
            atom
            for atom in self.atoms(plan.customer.key)
            if (one.mind != "revised" or _second_thoughts(atom) == _second_thoughts(one.atom))
            and len(atom.says) == len(one.atom.says)
            and opening(replace(one, atom=atom), plan.hidden) == said
            and not (wholly and (atom.known, atom.manner) != (one.atom.known, one.atom.manner))
        ]
        kind, steps = one.atom.intent, list(map(str, one.atom.steps))
        return min(alike, key=lambda atom: (atom.intent != kind, list(map(str, atom.steps)) != steps), default=None)

    def translate(self, plan: Plan) -> Plan | None:
        """The plan with the same words in this world."""
        wishes = []
        for one in plan.wishes:
            atom = self.same_words(one, plan)
            if atom is None:
                return None
            wishes.append(replace(one, atom=atom))
        return replace(plan, wishes=tuple(wishes))

    def built(self, plan: Plan) -> Task:
        """The task of a plan, not proven."""
        checked = bool(self.domain.spec.default_checks)
        return build(plan, self.family, self.called, self.planner.changes, checked=checked).task

    def by_heart(self, plan: Plan) -> Plan | None:
        """The plan as somebody carries it out who goes by this world's values; None where that is not clear."""
        wishes = []
        for one in plan.wishes:
            atom = self.same_words(one, plan, wholly=True) or self._other_answer(one, plan)
            if atom is None:
                return None
            wishes.append(replace(one, atom=atom))
        return replace(plan, wishes=tuple(wishes))

    def other_path(self, plan: Plan) -> Plan | None:
        """The plan by heart, if that takes another gold path; None where it is the same, or not clear."""
        believed = self.by_heart(plan)
        return None if believed is None or _paths(believed) == _paths(plan) else believed

    def _other_answer(self, one: Chosen, plan: Plan) -> Atom | None:
        """A wish that is turned down here and granted there, or the other way about: the same words, another answer.

        Turned down is also what the tools of this world refuse.
        """
        writes = [step for step in one.atom.steps if step.name in self.planner.changes]
        if one.mind != "kept":
            return None
        if writes and self._refused(writes):
            looks = tuple(step for step in one.atom.steps if step not in writes)
            return replace(one.atom, steps=looks, facts=())
        forbidden = [check for check in one.atom.checks if isinstance(check, NotCalled)]
        alike = [atom for atom in self.atoms(plan.customer.key) if about(atom, plan) == about(one.atom, plan)]
        if any(atom.intent == one.atom.intent for atom in alike):
            return None  # the same wish in words that are drawn otherwise: what would be done is not clear
        for atom in alike:
            theirs = [step for step in atom.steps if step.name in self.planner.changes]
            no = [check for check in atom.checks if isinstance(check, NotCalled)]
            if writes and not theirs and all(any(covers(check, step) for check in no) for step in writes):
                return atom
            if not writes and theirs and all(any(covers(check, step) for check in forbidden) for step in theirs):
                return atom
        return None

    def _refused(self, steps: Iterable[Action]) -> bool:
        env = self.domain.environment()
        return any(env.call(step.name, step.arguments, step.requestor).error for step in steps)


def _second_thoughts(atom: Atom) -> tuple[str, ...] | None:
    """What a customer says who has looked again; None where nobody does."""
    return None if atom.revision is None else atom.revision.then


def about(atom: Atom, plan: Plan) -> str:
    """What a wish is about, in the words of a plan."""
    return fill_references(atom.about, atom, plan.hidden)


def write_belief(ghost: Path, target: Path, source: Path, values: Mapping[str, Any]) -> None:
    """What an agent takes the ghost for: its books, under values of which some are the old ones."""
    target.mkdir(parents=True)
    lines = [f"base = {json.dumps(str(source))}", *(f"\n[{n}]\nvalue = {json.dumps(v)}" for n, v in values.items())]
    (target / VALUES).write_text("\n".join(lines) + "\n", "utf-8")
    if (ghost / CHANGES).is_file():
        shutil.copyfile(ghost / CHANGES, target / CHANGES)


def stub_task(task: Task, plan: Plan | None, belief: PolicyWorld, generated: Mapping[str, Task]) -> Task | None:
    """A ghost's task with the gold path of somebody who believes in other values; None where that is not clear, or the
    same."""
    if plan is None:
        gold = generated.get(task.id)
    else:
        believed = belief.other_path(plan)
        gold = None if believed is None else belief.built(believed)
    return None if gold is None else task.model_copy(update={"evaluation_criteria": gold.evaluation_criteria})


def _paths(plan: Plan) -> list[object]:
    """What the gold path of a plan is made of."""
    return [(one.atom.steps, one.atom.facts, one.atom.checks, one.atom.revision) for one in plan.wishes]


def plays(stub: Task, task: Task, domain: Domain) -> bool:
    """Whether an agent passes a task that goes by the gold path of a stub."""
    return passes(task, simulate(task, domain, lambda context: Oracle(stub, context)), domain)


def scenario_of(task: Task) -> str:
    """What a task's customer says and knows."""
    instructions = task.user_scenario.instructions
    told = instructions.reason_for_call if isinstance(instructions, Instructions) else instructions
    known = instructions.known_info if isinstance(instructions, Instructions) else ""
    return f"{told}\n{known}\n{[moment.say for moment in task.user_scenario.later]}"


def gold_of(task: Task) -> Any:
    """What is graded of a task."""
    criteria = task.evaluation_criteria or EvaluationCriteria()
    refusals = [one.model_dump_json() for one in criteria.trajectory or [] if not isinstance(one, Reason)]
    return [str(step) for step in task.gold_actions], criteria.communicate_info, refusals


def in_domain(task: Task, called: str) -> Task:
    """A generated task under the name of the domain."""
    said = task.user_scenario.instructions
    if isinstance(said, Instructions):
        moved = said.model_copy(update={"domain": called})
        task = task.model_copy(update={"user_scenario": task.user_scenario.model_copy(update={"instructions": moved})})
    return task.model_copy(update={"domain": called})
