"""Grades recorded runs again: τ² result files (one file, or a folder of runs), τ-bench v1's, and our journals."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from ..environment.domain import Domain, find_domain, load_domain, load_spec
from ..environment.folders import builtin_names, domain_name
from ..environment.tasks import load_tasks, read_task, suite_in
from ..environment.toolkit import tools_of
from ..environment.values import base_of
from ..errors import DomainError, RecordingError, SettingsError, TaskError, TauError, describe, reason
from ..evaluation.grade import grade
from ..files import decode, loads
from ..journal import FILE_NAME, LATEST, has_spools, journal_file, last_run, load_whole
from ..manifest import COMMIT, GRADED_AGAIN, PROGRAM, load_manifest
from ..printable import one_line
from ..schema.messages import AssistantMessage, UserMessage
from ..schema.problems import first_problem
from ..schema.record import TrialRecord, Variant
from ..schema.reward import Reward
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task
from ..scrub import public
from ..variants import apply_doses, builtin_kinds, read_doses
from .tau1 import read_tau1

# In τ² this variant of the policy makes a domain of its own, with the same tools and tasks.
_VARIANTS: dict[str, tuple[str, str | None]] = {"telecom-workflow": ("telecom", "workflow")}
SIMULATIONS = "simulations/*.json"  # beside a τ² file that does not hold them itself
_RETRIEVAL_OPTIONS = ("top_k", "grep_top_k", "case_sensitive", "reranker_min_score")

TasksOf = Literal["file", "today"]
Rescored = tuple[Task, Simulation, Reward, float | None]


@dataclass(frozen=True)
class Recording:
    """A simulation as it stands in a file, with its task, its domain and the reward it got then, if it got one.

    ``variant``: how its task was told or shown, where that was otherwise than as it is; then ``task`` is so as well.
    ``how``: under which settings its file was played, as far as the file says, for whoever quotes numbers about it.
    ``label``: which of several agents of a run has played it.
    """

    task: Task
    simulation: Simulation
    domain: Domain
    reward: float | None
    variant: Variant | None = None
    how: str = ""
    label: str = ""

    @property
    def broke_off(self) -> bool:
        """Whether it says nothing about the agent: its provider, its customer or the clock ended the conversation."""
        reason = self.simulation.termination_reason
        out_of_time = reason is Termination.TIMEOUT and self.reward is None  # with a reward it counts as a miss
        return out_of_time or reason in (Termination.INFRASTRUCTURE_ERROR, Termination.USER_ERROR)


class Library:
    """Where recordings find domains and tasks by name: what is built in, in the working folder, or public.

    Names stand in files from anywhere, so a path is refused with DomainError.
    """

    def __init__(self, data: str | Path | None = None) -> None:
        self._data = data

    def domain(self, name: str, policy: str | None, knowledge: str | None = None) -> Domain:
        """The domain of that name, under one of its policies, with that way to its documents."""
        return load_domain(_known(name), data=self._data, policy=policy, knowledge=knowledge)

    def tasks(self, name: str, file: str) -> list[Task]:
        """All tasks of that domain; ``file``: where a trial's node ID says that its task stands."""
        if self._data is None and (suite := suite_in(file, Path())) is not None:
            return load_tasks(suite)
        split = None if self._data is None else "full" if name == "telecom" else "base"
        return load_tasks(_known(name), data=self._data, split=split)

    def trying(self, task: Task, domain: Domain) -> AbstractContextManager[None]:
        """What watches over the domain's tools while the gold actions of a task are tried; it may raise DomainError."""
        return nullcontext()


def _known(name: str) -> str:
    """A domain's name out of a file, for what runs without pytest; raises DomainError where only pytest may know it."""
    domain_name(name)
    try:
        find_domain(name)
    except DomainError as error:
        alone = "one that a conftest.py registers is known to pytest alone: use pytest --tau-rescore"
        raise DomainError(f"{error}; {alone}") from None
    return name


def rescore(path: str | Path, *, data: str | Path | None = None, tasks: TasksOf = "file") -> list[Rescored]:
    """Grade every recorded simulation again, with the current tools.

    Recorded tool results may differ from what the tools return now: the calls count, not their recorded results.

    Args:
        path: a τ² ``results.json`` or its folder, a results file of τ-bench v1, or a journal (file, run folder, or
            results folder: its latest run that is not itself a rescored one).
        data: the root of the public τ²-bench data, for runs on it.
        tasks: grade a results file by the tasks in the file ("file"), or by the domain's current tasks with the same
            ids ("today"). A journal contains no tasks, so its trials are always graded by the current ones.

    Returns:
        (task, simulation, reward, recorded reward) for each, in the order of the file. Trials of a journal without a
        simulation are left out.

    Raises:
        RecordingError: the file cannot be read, or has none of these formats; or the messages of a conversation are not
            in order.
        TauError: the domain or one of its tasks cannot be loaded.
    """
    found = read_recordings(recorded_file(path), Library(data), tasks)
    return [(r.task, r.simulation, _grade(r, path), r.reward) for r in found]


def _grade(recording: Recording, where: str | Path) -> Reward:
    try:
        return grade(recording.task, recording.simulation, recording.domain, strict=False)
    except RecordingError as error:
        trial = f"task '{one_line(recording.task.id)}', trial {recording.simulation.trial}"
        raise RecordingError(f"{where}: {trial}: {error}") from None


def recorded_file(path: str | Path) -> Path:
    """The file that holds the recordings of a results folder, a run's folder or a τ² folder; a file is that file.

    Raises:
        RecordingError: there is no journal where a journal should be.
    """
    path = Path(path)
    if _is_journal(path):
        return journal_file(_latest_played(path))
    return path / "results.json" if path.is_dir() else path


def _latest_played(path: Path) -> Path:
    """Of a folder of runs the latest that was played: one that was graded again names no tasks of its own."""
    if (latest := last_run(path)) is None:
        return path
    runs = sorted((file.parent for file in path.glob(f"2*/{FILE_NAME}")), reverse=True)
    return next((run for run in (latest, *runs) if not _graded_again(run)), latest)


def _graded_again(run: Path) -> bool:
    try:
        return GRADED_AGAIN in load_manifest(run).about
    except RecordingError:
        return False


def read_recordings(file: Path, library: Library, tasks: TasksOf = "file") -> Iterator[Recording]:
    """The recordings of a file, in its order; ``tasks`` as for :func:`rescore`.

    Raises:
        RecordingError: the file cannot be read, or is of none of the known formats.
        TauError: a domain or a task cannot be loaded.
    """
    if _is_journal(file):
        yield from _journal(file, library)
        return
    content = _read(file)
    if not isinstance(content, list):
        yield from _tau2(file, content, library, tasks)
    elif not content:
        return
    elif all(isinstance(run, dict) and "messages" in run and "task_id" in run for run in content):
        yield from _bare(file, content, library)
    elif tasks == "today":
        raise RecordingError(f"{file}: the tasks of τ-bench v1 stand in its files alone: grade them by those")
    else:
        yield from _tau1(file, content, library)


def _is_journal(path: Path) -> bool:
    return path.suffix == ".jsonl" or (path / FILE_NAME).is_file() or (path / LATEST).exists()


def _journal(path: Path, library: Library) -> Iterator[Recording]:
    tasks: dict[tuple[str, str], dict[str, Task]] = {}
    how = _how_played(path)
    # What only a spool has, because all processes were killed, is part of the run as well.
    whole = path.parent if path.name == FILE_NAME and has_spools(path.parent) else path
    for record in load_whole(whole):
        if record.simulation is None:
            continue
        if record.recorded_reward is not None:
            raise RecordingError(
                f"{path}: holds trials that were graded again themselves: give the file they came from"
            )
        name, file = record.domain, record.nodeid.partition("::")[0]
        if (name, file) not in tasks:
            tasks[name, file] = {task.id: task for task in library.tasks(name, file)}
        if record.task_id not in tasks[name, file]:
            raise TaskError(f"{path}: the tasks of '{name}' have no '{record.task_id}' (any more)")
        task, domain = tasks[name, file][record.task_id], library.domain(name, None, record.simulation.knowledge)
        reward, told = record.reward.value if record.reward else None, _as_told(path, task, domain, record)
        yield Recording(told, record.simulation, domain, reward, record.variant, how, record.label or "")


def _how_played(journal: Path) -> str:
    try:
        manifest = load_manifest(journal.parent)
    except RecordingError:
        return ""  # a journal that was moved can still be graded
    return _how({**manifest.options, "pytest-tau": manifest.content.get(PROGRAM), "commit": manifest.about.get(COMMIT)})


def _how(settings: Mapping[str, Any]) -> str:
    names = ("mode", "seed", "max_steps", "max_errors", "timeout", "pytest-tau", "commit")
    told = ((name, settings.get(name)) for name in names)
    return ", ".join(f"{name} {one_line(str(value))}" for name, value in told if value not in (None, "", "unknown"))


def _as_told(path: Path, task: Task, domain: Domain, record: TrialRecord) -> Task:
    """The task as it was told in a trial: made anew, from what the record says of its variant."""
    if record.variant is None or not record.variant.told:
        return task
    known = builtin_kinds()
    try:
        found = apply_doses(
            task, domain, read_doses(record.variant.told, known), record.variant.seed, known, number=record.trial
        )
    except SettingsError as error:
        raise RecordingError(
            f"{path}: {record.nodeid}: {error}; perturbations from plugins cannot be made again"
        ) from None
    return task if found is None else found.task


def _tau1(path: Path, runs: list[Any], library: Library) -> Iterator[Recording]:
    name, found = read_tau1(runs, str(path))
    read = list(found)
    domain = library.domain(name, None)
    _check_fit(path, {task.id: task for task, _, _ in read}, domain, library)
    for task, simulation, recorded in read:
        yield Recording(task, simulation, domain, _reward(recorded))


def _tau2(path: Path, content: Any, library: Library, tasks_of: TasksOf) -> Iterator[Recording]:
    try:
        info, tasks, runs = content["info"], list(content["tasks"]), content.get("simulations")
        if runs is None:
            runs = [_read(file) for file in sorted(path.parent.glob(SIMULATIONS))]
        name = str(info["environment_info"]["domain_name"])
        runs = list(runs)
    except (TypeError, KeyError, AttributeError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else describe(error)
        raise RecordingError(f"{path}: neither a journal nor a τ² results file ({why})") from None
    name, policy = _VARIANTS.get(name, (name, None))
    own = tasks_of == "file"
    read = (read_task(item, f"{path}: tasks[{i}]") for i, item in enumerate(tasks)) if own else library.tasks(name, "")
    by_id = {task.id: task for task in read}
    domain = library.domain(name, policy, _knowledge(info))
    if own:
        _check_fit(path, by_id, domain, library)
    solo = _part(info, "agent_info").get("implementation") == "llm_agent_solo"
    how = _how({**info, "commit": info.get("git_commit")})
    for position, run in enumerate(runs):
        where = f"{path}: simulations[{position}]"
        task_id = run.get("task_id") if isinstance(run, dict) else None
        task = by_id.get(str(task_id))
        if task is None:
            whose = "the file's tasks" if own else f"the tasks that '{name}' has now"
            raise RecordingError(f"{where}: its task '{task_id}' is not among {whose}")
        simulation = _simulation(run, info, domain, solo=solo, where=where)
        yield Recording(task, simulation, domain, _reward(_part(run, "reward_info").get("reward")), how=how)


def _reward(recorded: Any) -> float | None:
    """What a file says that a trial earned; None where that is no number, or one that no record can hold."""
    return recorded if isinstance(recorded, (int, float)) and abs(recorded) <= sys.float_info.max else None


def _bare(path: Path, runs: list[dict[str, Any]], library: Library) -> Iterator[Recording]:
    """A list of τ² simulations without their file: the tools called tell the domain, whose tasks of today grade it."""
    called = Counter(
        str(call.get("name"))
        for run in runs
        for message in (run["messages"] if isinstance(run["messages"], list) else [])
        if isinstance(message, dict) and isinstance(message.get("tool_calls"), list)
        for call in message["tool_calls"]
        if isinstance(call, dict)
    )
    names = (name for name in builtin_names("domains") if base_of(find_domain(name)) is None)  # of the others, the base
    known = {name: sum(called[tool] for tool in _tools(name)) for name in names}
    best = max(known, key=lambda name: known[name])
    if not known[best] or list(known.values()).count(known[best]) > 1:
        raise RecordingError(
            f"{path}: a list of simulations, whose calls do not tell their domain: give the results file they are from"
        )
    tasks = [task.model_dump(mode="json") for task in library.tasks(best, "")]
    content = {"info": {"environment_info": {"domain_name": best}}, "tasks": tasks, "simulations": runs}
    yield from _tau2(path, content, library, "file")


def _tools(name: str) -> set[str]:
    spec = load_spec(find_domain(name))
    return {tool for toolkit in (spec.tools, spec.user_tools) if toolkit for tool in tools_of(toolkit)}


def _check_fit(path: Path, tasks: Mapping[str, Task], domain: Domain, library: Library) -> None:
    """Refuse tasks of another domain that has the same name: verdicts on its records would mean nothing.

    They are taken for such when the gold actions of more than half of those that can be tried fail here.
    """
    tried = [failure for task in tasks.values() if (failure := _failing_gold_action(task, domain, library)) is not None]
    failing = [failure for failure in tried if failure]
    if 2 * len(failing) > len(tried):
        whose = "" if domain.parity else "; recordings on the public data need the public data (--tau-data DIR, data=)"
        raise RecordingError(
            f"{path}: its tasks are not about this '{domain.name}': gold actions fail in {len(failing)} of "
            f"{len(tried)} of them, such as {failing[0]}{whose}"
        )


def _failing_gold_action(task: Task, domain: Domain, library: Library) -> str | None:
    try:
        with library.trying(task, domain):
            return _failing_action(task, domain)
    except DomainError:
        return None  # a tool that does not return; grading says so


def _failing_action(task: Task, domain: Domain) -> str | None:
    """A gold action that fails, with what it returns, where at least half of them do; "" where more of them succeed.

    None where that cannot be tried. A look-up of a public task may fail on purpose, as its agent's first guess.
    """
    actions = (task.evaluation_criteria and task.evaluation_criteria.actions) or []
    failing: list[str] = []
    try:
        env = domain.environment(task)
    except TauError:
        return None  # grading says why
    for action in actions:
        try:
            result = env.execute(action.name, action.arguments, action.requestor)
        except DomainError as error:
            failing.append(f"{one_line(str(action))}: {error}")
        except TauError:
            return None  # a search whose model does not answer
        else:
            failing += [one_line(f"{action}: {result.content}")] if result.error else []
    if 2 * len(failing) < len(actions):
        return ""
    return failing[0] if failing else None


def _knowledge(info: dict[str, Any]) -> str | None:
    """The setting that a file says its agent had, as ours is written."""
    name, options = info.get("retrieval_config"), _part(info, "retrieval_config_kwargs")
    if not isinstance(name, str):
        return None
    # The reference ignores all others, so a run may have been made with them.
    known = {key: options[key] for key in _RETRIEVAL_OPTIONS if options.get(key) is not None}
    return ",".join([name, *(f"{key}={json.dumps(value)}" for key, value in known.items())])


def _part(content: dict[str, Any], key: str) -> dict[str, Any]:
    """An object inside of another; an empty one where it is missing or something else."""
    part = content.get(key)
    return part if isinstance(part, dict) else {}


def _simulation(run: dict[str, Any], info: dict[str, Any], domain: Domain, *, solo: bool, where: str) -> Simulation:
    values = {
        **run,
        "domain": domain.name,
        "trial": trial + 1 if isinstance(trial := run.get("trial"), int) else 1,  # τ² counts trials from 0
        "solo": solo,
        "agent": _part(info, "agent_info").get("llm") or "",
        "user": _part(info, "user_info").get("llm") or "",
        "agent_parameters": public(_part(_part(info, "agent_info"), "llm_args")),
        "user_parameters": public(_part(_part(info, "user_info"), "llm_args")),
        "knowledge": domain.knowledge.setting if domain.knowledge else None,
    }
    try:
        read = Simulation.model_validate({key: value for key, value in values.items() if value is not None})
    except ValidationError as error:
        raise RecordingError(f"{where}: {first_problem(error)}") from None
    # τ² does not count them; the agent's greeting, which nobody asked it for, is none.
    first, second = (*read.messages[:2], None, None)[:2]
    greeted = isinstance(first, AssistantMessage) and not first.tool_calls and isinstance(second, UserMessage)
    return read if read.steps else read.model_copy(update={"steps": len(read.messages) - greeted})


def _read(path: Path) -> Any:
    try:
        return loads(decode(path.read_bytes()))
    except (OSError, ValueError, RecursionError) as error:
        raise RecordingError(f"{path}: cannot be read: {reason(error)}") from None
