"""Tasks in which something is wrong: small faults with their repairs, put together, and proven by execution.

A domain says which faults there are, which exclude each other, and what a customer sees when all is well again:

    family = FaultFamily(name="orders", groups=((late, lost), (overcharged,)), solved=(...,), unsolved=(...,))
    tasks = [compose(c, domain, describe) for c in sample(combinations(family, personas), 20, seed=42)]

Every composed task has been played: what must hold at the end does not hold before, nor before any step of the gold
path but after its last; where an atom has no solution, it never holds, and the gold path is to refuse.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from pytest_tau.environment.domain import Domain
from pytest_tau.environment.environment import Environment
from pytest_tau.errors import TaskError
from pytest_tau.schema.calls import Action, EnvAssertion, EnvFunctionCall
from pytest_tau.schema.scenario import Instructions, UserScenario
from pytest_tau.schema.task import Criterion, Description, EvaluationCriteria, InitialState, Task

from .personas import Persona


@dataclass(frozen=True)
class DeviceFault:
    """One thing that can be wrong.

    ``initialise``: the calls that bring it about; assertions among them must hold right there, and are not kept.
    ``solve``: the steps that put it right, or None if nothing does.
    ``asserts``: what must hold in the end besides what the family wants.
    """

    name: str
    initialise: tuple[EnvFunctionCall, ...]
    solve: tuple[Action, ...] | None
    asserts: tuple[EnvAssertion, ...] = ()


@dataclass(frozen=True)
class FaultFamily:
    """Tasks with the same complaint.

    ``groups``: a task has at most one atom of each. ``valid``: whether the names of some atoms make a task.
    ``solved`` and ``unsolved``: what holds when all is well, and what holds when it is not and cannot be.
    ``refusal``: the gold path of a task with an atom that has no solution. ``setting``: calls before all others.
    """

    name: str
    groups: tuple[tuple[DeviceFault, ...], ...]
    solved: tuple[EnvAssertion, ...]
    unsolved: tuple[EnvAssertion, ...] = ()
    refusal: tuple[Action, ...] = ()
    setting: tuple[EnvFunctionCall, ...] = ()
    valid: Callable[[tuple[str, ...]], bool] = bool


@dataclass(frozen=True)
class Combination:
    """Some atoms of a family, in the order of their names, and the customer who has them."""

    family: FaultFamily
    atoms: tuple[DeviceFault, ...]
    persona: Persona

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the atoms."""
        return tuple(atom.name for atom in self.atoms)

    @property
    def difficulty(self) -> int:
        """The number of atoms."""
        return len(self.atoms)

    @property
    def solvable(self) -> bool:
        """Whether every atom has a solution."""
        return all(atom.solve is not None for atom in self.atoms)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The gold path: all solutions one after the other, or the refusal."""
        if not self.solvable:
            return self.family.refusal
        steps = [step for atom in self.atoms for step in atom.solve or ()]
        return tuple(step.model_copy(update={"action_id": f"{step.name}_{i}"}) for i, step in enumerate(steps))

    @property
    def assertions(self) -> tuple[EnvAssertion, ...]:
        """What must hold in the end."""
        if not self.solvable:
            return self.family.unsolved
        return (*self.family.solved, *(assertion for atom in self.atoms for assertion in atom.asserts))

    def of_another(self, family: FaultFamily, persona: Persona) -> Combination:
        """The same atoms of another customer's family."""
        atoms = {atom.name: atom for group in family.groups for atom in group}
        return Combination(family, tuple(map(atoms.__getitem__, self.names)), persona)

    def __str__(self) -> str:
        names = " + ".join(self.names)
        return f"atom{'s' * (self.difficulty > 1)} {names} of {self.family.name}"


@dataclass(frozen=True)
class TaskTexts:
    """The words of a task, which only its domain knows."""

    id: str
    purpose: str
    reason_for_call: str
    known_info: str
    task_instructions: str
    ticket: str | None = None
    tags: list[str] = field(default_factory=list)


_PLAYED = ContextVar("played", default=True)
Describe = Callable[[Combination, Environment], TaskTexts]


def combinations(family: FaultFamily, personas: Sequence[Persona]) -> list[Combination]:
    """All tasks of a family, the easier first; personas are dealt out in turn."""
    atoms = {atom.name: atom for group in family.groups for atom in group}
    names = tuple(tuple(atom.name for atom in group) for group in family.groups)
    return [
        Combination(family, tuple(map(atoms.__getitem__, picked)), personas[i % len(personas)])
        for i, picked in enumerate(_pattern(names, family.valid))
    ]


@lru_cache(maxsize=16)
def _pattern(
    groups: tuple[tuple[str, ...], ...], valid: Callable[[tuple[str, ...]], bool]
) -> tuple[tuple[str, ...], ...]:
    """The names that can stand together, one of a group at most; the same for every customer of a family."""
    choices = product(*[(*group, None) for group in groups])
    picked = (tuple(sorted(name for name in choice if name)) for choice in choices)
    return tuple(sorted(filter(valid, picked), key=len))


def sample(among: Sequence[Combination], number: int, seed: int) -> list[Combination]:
    """Choose some, spread as evenly as possible over families, difficulties and personas; keeps their order.

    Raises TaskError when there are not that many.
    """
    if number > len(among):
        raise TaskError(f"{number} tasks were asked for, but only {len(among)} can be composed")
    rng = random.Random(seed)
    bins: dict[tuple[str, int, str], list[int]] = {}
    for position, one in enumerate(among):
        bins.setdefault((one.family.name, one.difficulty, one.persona.name), []).append(position)
    chosen: list[int] = []
    while len(chosen) < number:
        filled = [positions for positions in bins.values() if positions]
        for positions in rng.sample(filled, min(len(filled), number - len(chosen))):
            chosen.append(positions.pop(rng.randrange(len(positions))))
    return [among[position] for position in sorted(chosen)]


def prove(combination: Combination, domain: Domain) -> None:
    """Play a combination, and before it each of its atoms by itself; raises TaskError for the first that fails."""
    proven = domain.memo.setdefault("proven atoms", {})
    for atom in combination.atoms:
        key = id(combination.family), id(atom)
        if key not in proven:
            _prove_atom(Combination(combination.family, (atom,), combination.persona), domain)
            proven[key] = combination.family, atom  # kept, so that no others get their ids
    env = _begin(combination, domain)
    if not combination.solvable:
        _require(combination, env, combination.assertions, "from the start")
    for action in combination.actions:
        _refuse_solved(combination, env, f"before {action}")
        _perform(combination, env, action)
    if not combination.solvable:
        _refuse_solved(combination, env, "although it has no solution")
    _require(combination, env, combination.assertions, "at the end of the gold path")


@contextmanager
def unproven() -> Iterator[None]:
    """While tasks are made only to read their gold paths, :func:`compose` plays none."""
    token = _PLAYED.set(False)
    try:
        yield
    finally:
        _PLAYED.reset(token)


def compose(combination: Combination, domain: Domain, describe: Describe) -> Task:
    """Make the task of a combination; raises TaskError when it cannot be solved as it says."""
    if _PLAYED.get():
        prove(combination, domain)
    env = _begin(combination, domain)
    texts = describe(combination, env)
    kept = [call for call in _initialisation(combination) if not isinstance(call, EnvAssertion)]
    basis: list[Criterion] = ["ENV_ASSERTION"] if combination.solvable else ["ENV_ASSERTION", "ACTION"]
    return Task(
        id=texts.id,
        domain=domain.name,
        tags=texts.tags,
        description=Description(purpose=texts.purpose),
        user_scenario=UserScenario(
            persona=combination.persona.text,
            instructions=Instructions(
                domain=domain.name,
                reason_for_call=texts.reason_for_call,
                known_info=texts.known_info,
                task_instructions=texts.task_instructions,
            ),
        ),
        ticket=texts.ticket,
        initial_state=InitialState(initialization_actions=kept),
        evaluation_criteria=EvaluationCriteria(
            actions=list(combination.actions), env_assertions=list(combination.assertions), reward_basis=basis
        ),
    )


def _prove_atom(alone: Combination, domain: Domain) -> None:
    """An atom's solution must solve it, whatever else a task may hold."""
    _require(alone, domain.environment(), alone.family.solved, "before anything is wrong")
    env = _begin(alone, domain)
    for action in alone.actions:
        _perform(alone, env, action)
    end = "after its solution" if alone.solvable else "although it has no solution"
    _require(alone, env, alone.assertions, end)


def _initialisation(combination: Combination) -> Iterator[EnvFunctionCall]:
    yield from combination.family.setting
    for atom in combination.atoms:
        yield from atom.initialise


def _begin(combination: Combination, domain: Domain) -> Environment:
    """The world in which everything of a combination is wrong."""
    env = domain.environment()
    for call in _initialisation(combination):
        if isinstance(call, EnvAssertion):
            _require(combination, env, [call], "after it was brought about")
            continue
        try:
            env.run(call)
        except Exception as error:
            raise TaskError(f"{combination}: {call.func_name} failed: {error}") from error
    return env


def _perform(combination: Combination, env: Environment, action: Action) -> None:
    result = env.call(action.name, action.arguments, action.requestor)
    if result.error:
        raise TaskError(f"{combination}: {action} failed: {result.content}")


def _require(combination: Combination, env: Environment, assertions: Iterable[EnvAssertion], when: str) -> None:
    for assertion in assertions:
        try:
            met = env.check(assertion)
        except Exception as error:
            raise TaskError(f"{combination}: {when}, {assertion.func_name} failed: {error}") from error
        if not met:
            raise TaskError(f"{combination}: {when}, it does not hold that {assertion}")


def _refuse_solved(combination: Combination, env: Environment, when: str) -> None:
    if all(env.check(assertion) for assertion in combination.family.solved):
        raise TaskError(f"{combination}: {when}, all is well already")
