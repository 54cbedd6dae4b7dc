"""Ghost policies: a domain under other fees, limits, windows, tiers and methods, against policies learnt by heart.

A ghost is a folder whose ``values.toml`` names the domain as its base and holds the values that were drawn anew;
policy, tools and atoms read their numbers there, so all of it changes at once. What the books have by the old values is
corrected (``revalue.py`` of the domain's workshop), documents are written again (``make_documents.py``).

Its suite is composed of the wishes of the original: the same customer says the same words, and the gold path is that of
the ghost's atoms, proven as every composed task is. A task is in it only if an agent that has learnt the old policy by
heart misses it: :func:`stub_task` makes the path that the old value would lead to, and it is played in the ghost.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pytest_tau.agents.oracle import TRANSFER_TOOL
from pytest_tau.diagnosis.trivial import trivial_passes
from pytest_tau.environment.domain import Domain, find_domain, load_domain
from pytest_tau.environment.folders import builtin_root
from pytest_tau.environment.spec import COMPOSED_TAG
from pytest_tau.environment.tasks import SPLITS, load_tasks
from pytest_tau.environment.toolkit import tools_of
from pytest_tau.environment.values import CHANGES, VALUES, DeclaredValue, declared_values, fill
from pytest_tau.errors import SettingsError, TaskError, TauError
from pytest_tau.schema.checks import NotCalled, OwnRecords, Reason, TrajectoryCheck
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.task import Description, EvaluationCriteria, Task

from .compose.atoms import Family
from .compose.plans import Plan
from .compose.proof import proven_task
from .compose.suite import COMPOSED, CORE
from .parts import load_workshop_part
from .policy.book import with_rules
from .rebrand_worlds import PolicyWorld, gold_of, plays, scenario_of, stub_task, write_belief
from .scaffold import refuse_builtin

SOME = 60  # tasks that a domain generates where it has no suite yet
MANY = 24  # tasks after which no more are looked for that hang on a value
ENOUGH = 3  # tasks that a value has, before those that hang on it alone are left out


@dataclass(frozen=True)
class Ghost:
    """A ghost: what was changed from what to what, what was left, its tasks, and which of them hang on a value.

    A value is left as it is where no task would show another one, such as a limit that other new values keep out of
    reach.
    """

    domain: Domain
    changed: dict[str, tuple[Any, Any]]
    left: dict[str, Any]
    tasks: list[Task]
    paired: set[str]
    caught: dict[str, list[str]]


@dataclass(frozen=True)
class _Candidate:
    """A task of the ghost, not proven yet, with the plan that it is composed of; a generated one has none."""

    task: Task
    plan: Plan | None
    paired: bool


@dataclass(frozen=True)
class _Drawing:
    """The values that were drawn for a domain, the old ones, and how many tasks its suite has."""

    source: Path
    drawn: Mapping[str, Any]
    old: Mapping[str, Any]
    suite: int

    @contextmanager
    def belief(self, value: str, ghost: PolicyWorld) -> Iterator[PolicyWorld]:
        """The ghost as an agent takes it that has learnt this value by heart."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch).resolve() / ghost.called
            write_belief(ghost.domain.folder, folder, self.source, {**self.drawn, value: self.old[value]})
            yield PolicyWorld(folder, ghost.called, ghost.seed)


def rebrand_policy(
    name: str | Path, folder: Path, *, seed: int, called: str | None = None, n: int = 40, composed: int | None = None
) -> Ghost:
    """Write a domain under other values, and its suite: ``folder/domains/NAME`` and ``folder/tasks/NAME``.

    Args:
        name: a domain that declares values and has something to compose tasks from.
        folder: where to write.
        seed: of the values.
        called: the ghost's name; by default the domain's with ``_ghost_`` and the seed.
        n: the number of tasks at most, those that ask for a value aside.
        composed: the seed with which the original's suite was composed: only its tasks can be paired; by default that
            of the domain's family.

    Raises:
        SettingsError: it cannot be written, or stands there already, or a built-in domain has the name.
        TauError: the domain declares no values, or no task hangs on any of them.
    """
    source = find_domain(name).resolve()
    called = called or f"{source.name}_ghost_{seed}"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", called):
        raise SettingsError(f"'{called}' cannot be the name of a domain: use small letters, digits and underscores")
    refuse_builtin(called)
    if composed is None:
        composed = getattr(load_workshop_part(source, "atoms"), "family", Family).seed
    target, suite = folder / "domains" / called, folder / "tasks" / called
    if target.exists() or suite.exists():
        raise SettingsError(f"{target if target.exists() else suite} already exists; give another folder")
    if not _is_builtin(source) and target.parent.resolve() != source.parent:
        raise SettingsError(
            f"{source}: its ghost takes code and data from there and has to stand beside it: -o {source.parent.parent}"
        )
    declared = declared_values(source)
    drawn = draw_values(declared, seed)
    if not drawn:
        raise TauError(f"{source / VALUES}: no value has a range or choices; declare those that the policy states")
    try:
        while drawn:
            with tempfile.TemporaryDirectory() as scratch:  # a folder of its own each time, as a domain is read once
                made = _made(source, Path(scratch).resolve() / "domains" / called, drawn, n, composed)
                if isinstance(made, Ghost):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copytree(made.domain.folder, target, ignore=shutil.ignore_patterns("__pycache__"))
                    values = (target / VALUES).read_text("utf-8")
                    values = values.replace(_base_line(str(source)), _base_line(source.name), 1)
                    (target / VALUES).write_text(values, "utf-8")
                    _write_suite(made.tasks, made.paired, suite)
                    return replace(made, domain=load_domain(target.resolve()))
            drawn = {value: new for value, new in drawn.items() if value not in made}
    except OSError as error:
        raise SettingsError(f"{folder}: cannot be written: {error.strerror}") from None
    raise TauError(
        f"{source / VALUES}: no task hangs on any of the values that were drawn: give them a question (ask, answers)"
    )


def _made(source: Path, target: Path, drawn: Mapping[str, Any], n: int, composed: int) -> Ghost | set[str]:
    """A ghost under some values, in a folder, with its tasks; or the values that no task shows."""
    write_ghost(source, target, drawn)
    declared, called = declared_values(source), target.name
    ghost, frozen = PolicyWorld(target, called, composed), _frozen(source)
    candidates = list(islice(_candidates(PolicyWorld(source, called, composed), ghost, frozen), 4 * n))
    drawing = _Drawing(source, drawn, {name: one.value for name, one in declared.items()}, len(frozen))
    caught = {value: _hang_on(value, candidates, ghost, drawing) for value in drawn}
    for value in [value for value, ids in caught.items() if not ids and not declared[value].ask]:
        sought = _sought(value, ghost, drawing)
        candidates += sought
        caught[value] = [one.task.id for one in sought]
    if idle := {value for value, ids in caught.items() if not ids and not declared[value].ask}:
        return idle
    candidates = _chosen(candidates, caught, n, ghost)
    candidates += _questions(declared, drawn, caught, candidates, ghost)
    tasks = [with_rules(one.task, ghost.domain) for one in candidates]
    chosen = {task.id for task in tasks}
    caught = {value: [one for one in ids if one in chosen] for value, ids in caught.items()}
    if idle := {value for value, ids in caught.items() if not ids}:
        return idle
    changed = {value: (declared[value].value, new) for value, new in drawn.items()}
    left = {value: one.value for value, one in declared.items() if value not in drawn}
    return Ghost(ghost.domain, changed, left, tasks, {one.task.id for one in candidates if one.paired}, caught)


def draw_values(declared: Mapping[str, DeclaredValue], seed: int) -> dict[str, Any]:
    """For each value that could be another one, another one."""
    found = {}
    for name, one in sorted(declared.items()):
        others = [choice for choice in one.choices if choice != one.value]
        if others:
            found[name] = random.Random(f"ghost {name} {seed}").choice(others)
    return found


def _is_builtin(source: Path) -> bool:
    return builtin_root("domains").resolve() == source.parent


def _base_line(base: str) -> str:
    return f"base = {json.dumps(base)}"


def write_ghost(source: Path, target: Path, drawn: Mapping[str, Any]) -> None:
    """The folder of a domain under other values: what differs from its base."""
    lines = [_base_line(source.name if _is_builtin(source) else str(source))]
    lines += [f"\n[{name}]\nvalue = {json.dumps(value)}" for name, value in drawn.items()]
    target.mkdir(parents=True)
    (target / VALUES).write_text("\n".join(lines) + "\n", "utf-8")
    revalue = load_workshop_part(target, "revalue")
    if revalue is not None:
        old = {name: one.value for name, one in declared_values(source).items()}
        tables = load_domain(source).environment().dump()["agent"]
        changes = revalue.database(tables, old, {**old, **drawn})
        if any(changes.values()):
            lines = [f'"{table}": {{\n{_records(records)}\n}}' for table, records in changes.items() if records]
            (target / CHANGES).write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    writer = load_workshop_part(target, "make_documents")
    if writer is not None:
        for name, text in writer.documents().items():
            path = source / "documents" / f"{name}.md"
            if not path.is_file() or path.read_text("utf-8") != text:
                (target / "documents").mkdir(exist_ok=True)
                (target / "documents" / path.name).write_text(text, "utf-8")


def _records(records: Mapping[str, Any]) -> str:
    return ",\n".join(f"{json.dumps(key)}: {json.dumps(record, ensure_ascii=False)}" for key, record in records.items())


def _candidates(base: PolicyWorld, ghost: PolicyWorld, frozen: Mapping[str, str]) -> Iterator[_Candidate]:
    """Tasks of the ghost whose gold is another than the original's; after them some of the ghost's own plans."""
    if ghost.own is not None:
        before = base.generated(len(frozen) or SOME)
        for task in ghost.generated(len(frozen) or SOME, proven=True).values():
            if task.id in before and gold_of(task) != gold_of(before[task.id]):
                yield _Candidate(task, None, task.id in frozen.values())
        return
    ids: Counter[str] = Counter()
    seen = set()

    def candidate(plan: Plan, pair: str | None) -> _Candidate:
        task = ghost.built(plan)
        ids[task.id] += 1
        own = task.id if ids[task.id] == 1 else f"{task.id}.{ids[task.id]}"
        own = own if pair or own not in frozen.values() else f"{own}.ghost"
        return _Candidate(task.model_copy(update={"id": pair or own}), plan, pair is not None)

    for plan in base.plans():
        there = ghost.translate(plan)
        if there is not None and gold_of(old := base.built(plan)) != gold_of(ghost.built(there)):
            seen.add(there.key)
            yield candidate(there, frozen.get(scenario_of(old)))
    for plan in ghost.plans():
        if plan.key not in seen:
            yield candidate(plan, None)


def _frozen(source: Path) -> dict[str, str]:
    """The ids of the original's composed tasks by what their customers say."""
    suite = source.parent.parent / "tasks" / source.name
    tasks = load_tasks(suite) if suite.exists() else []
    return {scenario_of(task): task.id for task in tasks if "dual" not in task.tags}


def _proven(one: _Candidate, world: PolicyWorld) -> Task | None:
    """The task with its proof; None where it has none, or only if it is told otherwise."""
    if one.plan is None:
        return one.task
    try:
        task = proven_task(one.plan, world.family, world.domain, world.planner)
    except TaskError:
        return None
    return task.model_copy(update={"id": one.task.id}) if scenario_of(task) == scenario_of(one.task) else None


def _hang_on(value: str, candidates: Iterable[_Candidate], ghost: PolicyWorld, drawing: _Drawing) -> list[str]:
    """Tasks that fail an agent which takes one value for the old one and knows all others, up to MANY."""
    with drawing.belief(value, ghost) as belief:
        generated = belief.generated(drawing.suite or SOME)
        stubs = ((one.task, stub_task(one.task, one.plan, belief, generated)) for one in candidates)
        return [task.id for task in islice((task for task, stub in stubs if _fails(stub, task, ghost)), MANY)]


def _sought(value: str, ghost: PolicyWorld, drawing: _Drawing) -> list[_Candidate]:
    """For a value on which nothing hangs yet: single wishes whose answer it changes."""
    if ghost.own is not None:
        return []
    with drawing.belief(value, ghost) as belief:
        wishes = (plan for plan in ghost.single_wishes() if belief.other_path(plan) is not None)
        told = (_Candidate(ghost.built(plan), plan, False) for plan in wishes)
        hang = (one for one in told if _fails(stub_task(one.task, one.plan, belief, {}), one.task, ghost))
        found = list(islice(hang, 2 * ENOUGH))
    return [
        replace(one, task=one.task.model_copy(update={"id": f"{one.task.id}.{value}{n}"}))
        for n, one in enumerate(found)
    ]


def _fails(stub: Task | None, task: Task, ghost: PolicyWorld) -> bool:
    return stub is not None and gold_of(stub) != gold_of(task) and not plays(stub, task, ghost.domain)


def _chosen(
    candidates: list[_Candidate], caught: Mapping[str, list[str]], n: int, ghost: PolicyWorld
) -> list[_Candidate]:
    """Up to ``n`` proven tasks that hang on a value: first some for each value, paired ones before others."""
    left = sorted(candidates, key=lambda one: not one.paired)
    hangs = {one.task.id: {value for value, ids in caught.items() if one.task.id in ids} for one in left}
    count: Counter[str] = Counter()
    chosen: dict[str, _Candidate] = {}
    for wanted in (1, ENOUGH, len(left)):
        for one in list(left):
            values = hangs[one.task.id]
            if any(count[value] < wanted for value in values) and (len(chosen) < n or wanted == 1):
                left.remove(one)
                if (task := _proven(one, ghost)) is not None:
                    chosen[one.task.id] = _tagged(replace(one, task=task), values)
                    count.update(values)
    return list(chosen.values())


def _tagged(one: _Candidate, values: Iterable[str]) -> _Candidate:
    tags = [*one.task.tags, "ghost", *(f"value_{value}" for value in sorted(values))]
    return replace(one, task=one.task.model_copy(update={"tags": tags}))


def _questions(
    declared: Mapping[str, DeclaredValue],
    drawn: Mapping[str, Any],
    caught: dict[str, list[str]],
    candidates: list[_Candidate],
    ghost: PolicyWorld,
) -> Iterator[_Candidate]:
    """For each value on which nothing hangs: somebody asks for it, of whom nothing is known that is about a wish."""
    candidates = [one for one in candidates if one.plan is None or not any(w.atom.known for w in one.plan.wishes)]
    asked = [declared[value] for value in drawn if not caught[value] and declared[value].ask]
    for number, one in enumerate(asked):
        new = _question(one, drawn[one.name], number, candidates, ghost)
        stub = _question(one, one.value, number, candidates, ghost)
        if plays(stub, new, ghost.domain) or not plays(new, new, ghost.domain):
            continue
        if any(trivial_passes(new, ghost.domain)):
            continue
        caught[one.name] = [new.id]
        yield _tagged(_Candidate(new, None, False), [one.name])


def _question(one: DeclaredValue, value: Any, number: int, candidates: list[_Candidate], ghost: PolicyWorld) -> Task:
    """A customer of another task, who is found by its first look-up, wants to know a value and nothing else."""
    donor = candidates[number % len(candidates)].task
    criteria = donor.evaluation_criteria or EvaluationCriteria()
    said = donor.user_scenario.instructions
    known = said.known_info if isinstance(said, Instructions) else None
    answers = [fill(answer, {one.name: value}) for answer in one.answers or (str(value),)]
    checks: list[TrajectoryCheck] = [
        check for check in criteria.trajectory or [] if check.check in ("identified", "confirmed")
    ]
    if any(check.get("check") == "own_records" for check in ghost.domain.spec.checks):
        checks.append(OwnRecords(check="own_records"))
    if TRANSFER_TOOL in tools_of(ghost.domain.spec.tools):
        checks.append(NotCalled(check="not_called", name=TRANSFER_TOOL))
    return Task(
        id=f"ask.{one.name}",
        domain=ghost.called,
        tags=[COMPOSED_TAG, "information"],
        description=Description(purpose=f"Ask for a value: {one.unit}."),
        user_scenario=donor.user_scenario.model_copy(
            update={
                "instructions": Instructions(
                    domain=ghost.called,
                    reason_for_call=f"Hello. I have a question. {one.ask}",
                    known_info=known,
                    task_instructions="You want nothing else.",
                )
            }
        ),
        evaluation_criteria=EvaluationCriteria(
            actions=donor.gold_actions[:1],
            trajectory=[*checks, Reason(check="reason", any_of=list(answers))],
            reward_basis=["DB", "TRAJECTORY"],
        ),
    )


def _write_suite(tasks: list[Task], paired: set[str], suite: Path) -> None:
    """One task a line, as a ghost's are many and nobody writes them by hand; and the splits."""
    suite.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(task.model_dump(mode="json", exclude_unset=True), ensure_ascii=False) for task in tasks]
    (suite / COMPOSED).write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
    ids = [task.id for task in tasks]
    splits = {"core": ids[:CORE], "base": ids, "paired": [one for one in ids if one in paired]}
    (suite / SPLITS).write_text(json.dumps(splits, indent=2, ensure_ascii=False) + "\n", "utf-8")
