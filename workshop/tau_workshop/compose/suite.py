"""From a domain's name to a suite of proven tasks, and to its file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pytest_tau.environment.domain import Domain, find_domain, load_domain
from pytest_tau.environment.folders import suggestion
from pytest_tau.environment.spec import COMPOSED_TAG, DUAL
from pytest_tau.environment.tasks import SPLITS, read_splits, read_tasks, task_files_in
from pytest_tau.errors import DomainError, TaskError
from pytest_tau.files import write_whole
from pytest_tau.garbage import lasting
from pytest_tau.schema.task import Task

from ..parts import load_workshop_part, workshop_folder
from ..policy.book import with_rules
from .atoms import Family
from .long import compose_long, proven_long
from .plans import ComposeOptions, Planner
from .proof import MUTANTS, proven_task

COMPOSED = "composed.json"
CORE = 30
HARD = {"withdrawn", "revised", *(f"writes_{n}" for n in range(3, 7)), *(f"atoms_{n}" for n in range(4, 12))}

Rejected = Callable[[TaskError], None]


def generate(name: str | Path, n: int = 114, seed: int = 42, options: ComposeOptions | None = None) -> list[Task]:
    """Compose ``n`` proven tasks of a domain, the same for the same seed on every machine.

    Args:
        name: a built-in domain, a folder under ``./domains``, or the path of a domain folder.
        n: the number of tasks.
        seed: the seed of the random choice among all possible tasks.
        options: the properties of the tasks; by default a mixture.

    Raises:
        DomainError: there is no such domain, or it has nothing to compose tasks from.
        TaskError: fewer such tasks are possible, or ``n`` is no number of tasks.
    """
    _refuse_number(n)
    folder = find_domain(name).resolve()
    domain = load_domain(folder)
    chosen = options or ComposeOptions()
    own = getattr(load_workshop_part(folder, "generate"), "generate", None)
    if callable(own):
        if chosen != ComposeOptions(part=chosen.part):
            raise TaskError(f"domain '{domain.name}' composes its tasks of faults, which these options do not apply to")
        made: list[Task] = own(domain, n, seed, **({} if chosen.part is None else {"part": chosen.part}))
        return [with_rules(task, domain) for task in made]
    _set_world_aside(domain)
    return compose_tasks(_family(folder), domain, n, seed, chosen)


def generate_long(name: str | Path, n: int = 30, seed: int = 42) -> list[Task]:
    """Compose ``n`` proven long episodes of a domain, the same for the same seed; raises as :func:`generate`.

    A domain that composes its tasks of faults has them in ``long.py``.
    """
    _refuse_number(n)
    folder = find_domain(name).resolve()
    domain = load_domain(folder)
    part = load_workshop_part(folder, "long")
    if part is None:
        _set_world_aside(domain)
        return [with_rules(task, domain) for task in compose_long(_family(folder), domain, n, seed)]
    found: dict[str, Task] = {}
    failed = None
    for task in islice(part.long_tasks(domain, seed), 20 * n):
        try:
            found.setdefault(task.id, proven_long(task, domain, every_change=False))
        except TaskError as error:
            failed = error
        if len(found) == n:
            return [with_rules(task, domain) for task in found.values()]
    why = f"; others did not prove, such as {failed}" if failed else ""
    raise TaskError(f"{n} long tasks were asked for, but only {len(found)} can be composed{why}")


def _refuse_number(n: int) -> None:
    if not isinstance(n, int) or n < 1:
        raise TaskError(f"n={n!r}: at least one task is to be composed")


def _know_tags(family: Family, domain: Domain, options: ComposeOptions) -> None:
    """Raise TaskError where a tag is asked for that no wish has; slow, so only where tasks are missing."""
    wishes = [atom for one in family.customers(domain) for atom in (*one.atoms(), *one.dual())]
    known = sorted({DUAL}.union(*(atom.tags for atom in wishes)))
    for tag in options.demands:
        if tag not in known:
            there_are = f"{suggestion(tag, known)}; there are {', '.join(known)}"
            raise TaskError(f"no wish of domain '{domain.name}' has the tag '{tag}'{there_are}")


def _set_world_aside(domain: Domain) -> None:
    """Parse a domain's base, and keep the garbage collector from visiting it from then on.

    It has hundreds of thousands of objects that stay. To visit them again and again takes a fifth of the time.
    """
    with lasting():
        domain.environment()


def _family(folder: Path) -> Family:
    family = getattr(load_workshop_part(folder, "atoms"), "family", None)
    if not isinstance(family, Family):
        where = workshop_folder(folder)
        raise DomainError(f"{folder}: tasks cannot be composed; write 'family = Family(...)' into {where / 'atoms.py'}")
    return family


def compose_tasks(
    family: Family,
    domain: Domain,
    n: int,
    seed: int,
    options: ComposeOptions | None = None,
    *,
    mutants: int = MUTANTS,
    rejected: Rejected | None = None,
) -> list[Task]:
    """As :func:`generate`, of a family; ``rejected`` is told of every plan that did not prove."""
    failed: list[TaskError] = []

    def note(error: TaskError) -> None:
        failed.append(error)
        if rejected is not None:
            rejected(error)

    tasks = list(islice(composing(family, domain, seed, options, mutants=mutants, rejected=note), n))
    if len(tasks) < n:
        _know_tags(family, domain, options or ComposeOptions())
        why = f"; others did not prove, such as {failed[0]}" if failed else ""
        raise TaskError(f"{n} tasks were asked for, but only {len(tasks)} like these can be composed{why}")
    return tasks


def composing(
    family: Family,
    domain: Domain,
    seed: int,
    options: ComposeOptions | None = None,
    *,
    mutants: int = MUTANTS,
    rejected: Rejected | None = None,
) -> Iterator[Task]:
    """Proven tasks of a family, one after the other, until there are no more."""
    planner = Planner(family, domain, seed, options or ComposeOptions())
    ids: Counter[str] = Counter()
    for plan in planner.plans():
        try:
            task = proven_task(plan, family, domain, planner, mutants=mutants)
        except TaskError as error:
            if rejected is not None:
                rejected(error)
            continue
        ids[task.id] += 1
        task = with_rules(task, domain)
        yield task if ids[task.id] == 1 else task.model_copy(update={"id": f"{task.id}.{ids[task.id]}"})


def freeze(
    name: str | Path, n: int, seed: int, target: Path, options: ComposeOptions | None = None
) -> dict[str, list[str]]:
    """Write ``n`` composed tasks and all splits into the folder of a suite, or into a file of it; gives the splits.

    ``composed.json``, or that file, holds the tasks: ``train`` and ``test`` are half of them each, without common
    customers or words.
    The other files of the folder are its written tasks. ``base`` is all, ``hard`` what takes three or more changes
    (or four faults) or a change of mind, and ``core`` up to 30 for a first try: the written ones, some of ``train``.
    Where there are composed tasks in another file already, these join the splits, and ``core`` stays as it is. Splits
    of other names keep the tasks that are still there.
    """
    path = target if target.suffix == ".json" else target / COMPOSED
    refuse_other_files(path)
    folder = path.parent
    files = [file for file in task_files_in(folder) if file != path]
    others = [task for file in files for task in read_tasks(file)]
    before = _splits_of(path, {task.id for task in others if COMPOSED_TAG in task.tags})
    written = [task.id for task in others if COMPOSED_TAG not in task.tags]
    each = (n + 1) // 2
    halves = [generate(name, each, seed, replace(options or ComposeOptions(), part=part)) for part in (0, 1)]
    taken = {task.id for task in others}
    halves = [[_apart(task, taken) for task in half] for half in (halves[0], halves[1][: n - each])]
    composed = [task for half in halves for task in half]
    hard = [task.id for task in composed if HARD & set(task.tags)]
    # Where there are written tasks, which are readable and rather easy, hard ones stand beside them.
    among = [task.id for task in halves[0] if not written or task.id in hard]
    number = max(CORE // 5, CORE - len(written))
    some = among[:: max(1, len(among) // number)][:number]
    there = taken.issuperset(before["core"])  # which they are not where this file had some of them
    splits = {
        "core": (there and before["core"]) or [*written[: CORE - len(some)], *some],
        "base": [*(task.id for task in others), *(task.id for task in composed)],
        "hard": [*before["hard"], *hard],
        "train": [*before["train"], *(task.id for task in halves[0])],
        "test": [*before["test"], *(task.id for task in halves[1])],
    }
    write(composed, path)
    there_now = set(splits["base"])
    own = {
        split: left
        for split, ids in (read_splits(path) or {}).items()
        if split not in splits and (left := [task_id for task_id in ids if task_id in there_now])
    }
    text = json.dumps({**splits, **own}, indent=2, ensure_ascii=False)
    write_whole(folder / SPLITS, f"{text}\n")
    return splits


def _splits_of(path: Path, composed: set[str]) -> dict[str, list[str]]:
    """What the splits say of composed tasks in other files, and ``core`` where there are any."""
    found = (read_splits(path) if composed else None) or {}
    kept = {name: [task_id for task_id in found.get(name, []) if task_id in composed] for name in ("train", "test")}
    hard = [task_id for task_id in found.get("hard", []) if task_id in composed]
    return {**kept, "hard": hard, "core": list(found.get("core", []))}


def _apart(task: Task, taken: set[str]) -> Task:
    """The task under an id that no other file has."""
    number = 2
    fresh = task.id
    while fresh in taken:
        fresh, number = f"{task.id}.{number}", number + 1
    taken.add(fresh)
    return task if fresh == task.id else task.model_copy(update={"id": fresh})


def refuse_other_files(path: Path) -> None:
    """Raise TaskError where tasks would take the place of a file that holds something else."""
    if path.is_file() and path.stat().st_size:
        try:
            read_tasks(path)
        except TaskError as error:
            raise TaskError(f"{error}; tasks would take its place: name another file, or remove this one") from None


def write(tasks: Sequence[Task], path: Path) -> None:
    """Write a suite as a task file, the same bytes for the same tasks."""
    data = [task.model_dump(mode="json", exclude_unset=True) for task in tasks]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
