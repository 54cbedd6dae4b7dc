"""Whether a task can be trusted: what an honest agent passes and nobody else does, and whose goal can be known.

for found in audit(load_tasks("retail"), load_domain("retail")):
    print(found.task_id, found.score, found.findings)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_tau.agents.plausible import with_actions
from pytest_tau.conversation.attaching import Images
from pytest_tau.diagnosis.reach import reach, said_by_customer
from pytest_tau.diagnosis.trivial import trivial_finding, trivial_passes
from pytest_tau.environment.domain import Domain
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.errors import TauError
from pytest_tau.evaluation.criteria.communicate import mentions
from pytest_tau.evaluation.criteria.defaults import checks_for
from pytest_tau.evaluation.grade import grade
from pytest_tau.evaluation.language.persons import second_person
from pytest_tau.printable import columns_of, count_of, padding
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import Called, CallPattern, Evidence, NotCalled, NotSaid, Reason
from pytest_tau.schema.record import TaskWorth
from pytest_tau.schema.task import EvaluationCriteria, Task
from pytest_tau.schema.transcript import readable
from pytest_tau.simulating import DEFAULT_SEED, simulate

from ..check_task import oracle_faults
from .mutants import MUTANTS, MutationScore, mutation_score

_NAMED = 6
TREATMENTS: dict[Images, str] = {"send": "seeing", "alt": "told", "drop": "blind"}
"""How pictures reach an agent, and what to call who has to do with that."""
_GUESSES: dict[Images, int] = {"send": 1, "alt": 1, "drop": 3}


@dataclass(frozen=True)
class TaskAudit:
    """What the audit of one task found; ``findings`` is a sentence for each fault, survivors among them.

    ``pictures``: of a task with pictures, who passes it: the oracle that is shown them ("send"), that is told what they
    show ("alt"), that guesses ("drop"). ``guards``: the kinds of TRAJECTORY checks that hold for it, its domain's own
    among them.
    """

    task_id: str
    findings: list[str] = field(default_factory=list)
    trivial: list[str] = field(default_factory=list)
    pictures: list[str] | None = None
    mutation: MutationScore = field(default_factory=MutationScore)
    guards: list[str] = field(default_factory=list)

    @property
    def score(self) -> str:
        """Mutants noticed of those made."""
        return f"{self.mutation.killed}/{self.mutation.made}"


def audit_trial(task: Task, domain: Domain) -> TaskWorth:
    """What ``--tau-audit`` tells of a task beside its first trial: the entry point ``pytest_tau.auditors``."""
    found = audit_task(task, domain)
    return TaskWorth(
        trivial=found.trivial,
        pictures=found.pictures,
        mutants=found.mutation.made,
        noticed=found.mutation.killed,
        findings=found.findings,
    )


def audit(
    tasks: Iterable[Task], domain: Domain, *, number: int = MUTANTS, seed: int = DEFAULT_SEED
) -> Iterator[TaskAudit]:
    """Audit tasks one by one, each with up to ``number`` mutants."""
    for task in tasks:
        yield audit_task(task, domain, number=number, seed=seed)


def audit_task(task: Task, domain: Domain, *, number: int = MUTANTS, seed: int = DEFAULT_SEED) -> TaskAudit:
    """Everything there is to say about one task. What cannot be played is not played."""
    findings = [*task_problems(task, domain), *_criteria_findings(task), *_policy_findings(task, domain)]
    try:
        findings += [*_replay_findings(task, domain), *_unknowable(task, domain), *oracle_faults(task, domain)]
        pictures = picture_passes(task, domain)
        findings += _picture_findings(task, pictures)
        trivial = list(trivial_passes(task, domain))
        mutation = mutation_score(task, domain, number=number, seed=seed)
    except TauError as error:
        return TaskAudit(task.id, [*findings, str(error)], guards=_guards(task, domain))
    findings += map(trivial_finding, trivial)
    findings += dict.fromkeys(map(str, mutation.survivors))  # some differ in their moment alone
    return TaskAudit(task.id, findings, trivial, pictures, mutation, _guards(task, domain))


def picture_passes(task: Task, domain: Domain) -> list[str] | None:
    """Of "send", "alt" and "drop" those treatments of pictures under which the oracle passes; None without pictures."""
    if not task.user_scenario.attachments:
        return None
    return [how for how in TREATMENTS if any(_passes(task, domain, how, seed) for seed in range(_GUESSES[how]))]


def _passes(task: Task, domain: Domain, how: Images, seed: int) -> bool:
    return grade(task, simulate(task, domain, images=how, seed=DEFAULT_SEED + seed), domain).passed


def _picture_findings(task: Task, passed: Sequence[str] | None) -> Iterator[str]:
    """Whether the pictures are needed, and can be understood."""
    if passed is None:
        return
    for position, one in enumerate(task.user_scenario.attachments or []):
        where = f"user_scenario.attachments[{position}]: the picture '{one.id}'"
        if not one.alt:
            yield f"{where} has no alt, so nobody can say whether the task can be solved without seeing"
        if not one.decides:
            yield f"{where} decides nothing, so the oracle does not need it"
        told = said_by_customer(task)
        given = [(name, action.arguments.get(name)) for action in task.gold_actions for name in one.decides or []]
        for name, value in sorted({(name, value) for name, value in given if isinstance(value, str)}):
            if len(value) > 2 and value in told:
                yield f"{where} is to tell {name} '{value}', which the customer says anyway"
    if "drop" in passed:
        yield "an agent that does not see the pictures and guesses passes"
    if "alt" not in passed:
        yield "an agent that is told what the pictures show misses"


def _guards(task: Task, domain: Domain) -> list[str]:
    """The kinds of checks whose breach costs the trial."""
    criteria = task.evaluation_criteria
    if domain.parity or criteria is None or "TRAJECTORY" not in criteria.reward_basis:
        return []
    return list(dict.fromkeys(check.check for check, _ in checks_for(task, domain)))


def render(suite: str, audits: Sequence[TaskAudit]) -> Iterator[str]:
    """The table of a suite, its totals, and under it the findings."""
    width = max([len("task"), *(columns_of(found.task_id[:60]) for found in audits)])
    yield f"{'task':{width}}  trivial     mutants  findings"
    for found in audits:
        trivial = ",".join(found.trivial) or "-"
        name = found.task_id[:60]
        yield f"{name}{padding(name, width)}  {trivial:<10}  {found.score:>7}  {len(found.findings) or '-':>8}"
    made = sum(found.mutation.made for found in audits)
    killed = sum(found.mutation.killed for found in audits)
    passed = sum(bool(found.trivial) for found in audits)
    score = f"{100 * killed / made:.1f} % ({killed} of {made})" if made else "none made"
    shown = [found.pictures for found in audits if found.pictures is not None]
    floor = f"{100 * passed / len(audits):.1f} %" if audits else "no tasks"
    count = sum(len(found.findings) for found in audits)
    yield ""
    yield f"{suite}: {count_of(len(audits), 'tasks')}; trivial floor {floor}; mutation score {score}"
    if shown:
        counts = ", ".join(
            f"{text} {sum(how in treatments for treatments in shown)}" for how, text in TREATMENTS.items()
        )
        yield f"pictures: {count_of(len(shown), 'tasks')}; passed {counts}"
    yield from _guard_lines(audits)
    for found in audits:
        yield from (f"{found.task_id}: {finding}" for finding in found.findings)
    yield f"{suite}: " + (f"{count} finding{'s' * (count > 1)}" if count else "no findings")


def _guard_lines(audits: Sequence[TaskAudit]) -> Iterator[str]:
    """Which checks guard which tasks, a line for each kind of check."""
    for kind in dict.fromkeys(kind for found in audits for kind in found.guards):
        out = [found.task_id for found in audits if kind not in found.guards]
        count = len(audits) - len(out)
        fewer = out if len(out) <= count else [found.task_id for found in audits if kind in found.guards]
        named = f"{', '.join(fewer[:_NAMED])}{', …' if len(fewer) > _NAMED else ''}"
        which = "" if not out else f", all but {named}" if fewer is out else f": {named}"
        yield f"guarded by {kind}: {count} of {count_of(len(audits), 'tasks')}{which}"


def _replay_findings(task: Task, domain: Domain) -> Iterator[str]:
    """Tools have to be functions of the state and their arguments, and only those that declare it may write."""
    first, second = domain.environment(task), domain.environment(task)
    for position, action in enumerate(task.gold_actions):
        before = None if first.writes(action.name, action.requestor) else first.state()
        results = [env.call(action.name, action.arguments, action.requestor) for env in (first, second)]
        where = f"evaluation_criteria.actions[{position}]: {action.name}"
        if results[0].error:
            yield f"{where} fails: {results[0].content}"
        if results[0] != results[1]:
            yield f"{where} returns something else when it is called again in the same state"
        if before is not None and first.state() != before:
            yield f"{where} changes the world, but does not declare writes=True"
    if first.state() != second.state():
        yield "the gold actions lead to another state when they are executed again"


def _unknowable(task: Task, domain: Domain) -> Iterator[str]:
    """Ids that a gold write needs, and that the customer does not say and no look-up shows."""
    env = domain.environment(task)
    pictures = "\n".join(one.alt or "" for one in task.user_scenario.attachments or [])
    shown, wide = f"{said_by_customer(task)}\n{pictures}", ""
    # Without the writes, whose own ids would otherwise be among those to look up.
    reads = with_actions(
        task, [action for action in task.gold_actions if not env.writes(action.name, action.requestor)]
    )
    for position, action in enumerate(task.gold_actions):
        for name, value in _ids(action) if env.writes(action.name) and action.requestor == "assistant" else ():
            if value in shown:
                continue
            wide = wide or reach(reads, domain, far=True).texts
            if value not in wide:
                where = f"evaluation_criteria.actions[{position}]"
                why = "is neither said by the customer nor returned by a look-up that was tried"
                yield f"{where}: {name} '{value}' {why}"
        result = env.call(action.name, action.arguments, action.requestor)
        shown += "" if result.error else "\n" + readable(result.content)


def _ids(action: Action) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, Any]] = list(action.arguments.items())
    while waiting:
        name, value = waiting.pop(0)
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += [(name, inner) for inner in value]
        elif isinstance(value, str) and re.search(r"(^|_)(ids?|numbers?)$", name):
            yield name, value


def _policy_findings(task: Task, domain: Domain) -> Iterator[str]:
    """Sections named as ``Heading: Heading (Lead-in, Lead-in); Heading``, or some words of the policy."""
    named = task.description.relevant_policies if task.description else None
    flat = _flat(domain.policy)
    titles = re.findall(r"^#+ (.+?)\s*$|^\s*(?:[-*\d.]+ )?\*\*(.+?)[.:]?\*\*", domain.policy, re.MULTILINE)
    known = {_flat(heading or lead) for heading, lead in titles}
    for section in re.split(r";\s*", named or ""):
        outer, _, inner = section.partition("(")
        parts = re.split(r":\s+", outer) + (re.split(r",\s*", inner.rstrip(") ")) if inner else [])
        for part in filter(None, map(_flat, parts)):
            if part not in known and (len(part.split()) < 3 or part not in flat):
                yield f"description.relevant_policies: the policy has no section '{part}'"


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[`*]", "", text)).strip().casefold().rstrip(".")


def _criteria_findings(task: Task) -> Iterator[str]:
    criteria = task.evaluation_criteria
    if criteria is None:
        yield "has no evaluation_criteria, so everybody passes"
        return
    used = {
        "ENV_ASSERTION": ("env_assertions", criteria.env_assertions),
        "NL_ASSERTION": ("nl_assertions", criteria.nl_assertions),
        "COMMUNICATE": ("communicate_info", criteria.communicate_info),
        "TRAJECTORY": ("trajectory", criteria.trajectory),
    }
    for criterion, (name, items) in used.items():
        if items and criterion not in criteria.reward_basis:
            yield f"{name} has no effect, because {criterion} is not in the reward_basis"
        yield from (f"{name} holds {item} twice" for item in _twice(items or []))
    yield from _contradictions(task, criteria)
    yield from second_person(task.user_scenario)


def _twice(items: Iterable[Any]) -> Iterator[str]:
    counts = Counter(item if isinstance(item, str) else item.model_dump_json() for item in items)
    yield from (item for item, count in counts.items() if count > 1)


def _contradictions(task: Task, criteria: EvaluationCriteria) -> Iterator[str]:
    checks = criteria.trajectory or []
    facts = criteria.communicate_info or []
    for position, check in enumerate(checks):
        where = f"evaluation_criteria.trajectory[{position}]"
        if isinstance(check, NotCalled):
            if any(_covers(check, action) for action in task.gold_actions):
                yield f"{where}: forbids {check.name}, which is a gold action"
            if any(isinstance(other, (Called, Evidence)) and _covers(check, other) for other in checks):
                yield f"{where}: forbids {check.name}, which another check demands"
        elif isinstance(check, NotSaid) and not check.until:
            wanted = [*facts, *(_phrases(other) for other in checks if isinstance(other, Reason))]
            for text in [text for text in check.texts if any(mentions(said, text) for said in wanted)]:
                yield f"{where}: forbids to say '{text}', which has to be said"
    assertions: dict[str, bool] = {}
    for assertion in criteria.env_assertions or []:
        call = str(assertion).rpartition(" is ")[0]
        if assertions.setdefault(call, assertion.assert_value) != assertion.assert_value:
            yield f"env_assertions demand both that {call} holds and that it does not"


def _covers(check: NotCalled, call: CallPattern | Action) -> bool:
    same = check.name == call.name and check.requestor == call.requestor
    return same and all(call.arguments.get(name) == value for name, value in check.arguments.items())


def _phrases(reason: Reason) -> str:
    """The phrasing that the oracle uses; another one may do without the text."""
    first = reason.any_of[0]
    return first if isinstance(first, str) else " ".join(first)
