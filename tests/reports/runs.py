"""Trials to report on: a small honest run, and one whose every text means harm."""

from collections.abc import Iterator
from typing import Any

from pytest_tau import Task
from pytest_tau.schema.messages import ToolMessage
from pytest_tau.schema.record import Fault, FaultKind, Outcome, TrialRecord
from pytest_tau.schema.reward import Check, CriterionResult, Difference, Reward
from pytest_tau.schema.simulation import Simulation, Termination
from pytest_tau.schema.spending import Usage
from tests.builders import a_call, asks, result_of, says, task

TITLE = "A quiet run"
WRONG = Fault(kind=FaultKind.PARTLY_DONE, evidence="1 of 1 changes not made", turn=4)
HOSTILE = (
    "<script>document.title='owned'</script>",
    "</script><script>document.title='owned'</script>",
    "<!--<script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "javascript:document.title='owned'",
    "'\"><svg onload=document.title='owned'>",
    "{{ 7 * 7 }}{% raw %}",
    "`${document.title='owned'}`",
    "null \x00 bell \x07 escape \x1b[31m",
    "right \u202e to left \u2066 and \u200f marks",
    "line \u2028 and \u2029 separators\r\n",
    "long " + "x" * 50_000,
)


def record(
    task_id: str = "t", trial: int = 1, outcome: Outcome = Outcome.PASSED, *, domain: str = "mock", **fields: Any
) -> TrialRecord:
    """A trial of a task; the conversation says the task's id and the trial."""
    if outcome is Outcome.MISSED:
        fields.setdefault("fault", WRONG)
    value = {Outcome.PASSED: 1.0, Outcome.MISSED: 0.0}.get(outcome)
    played = fields.pop("simulation", simulation(task_id, trial, domain=domain))
    reward = fields.pop("reward", Reward(value=value, basis=["DB"], results=[_database(value)]))
    return TrialRecord(
        nodeid=f"tasks/{domain}/{task_id}.json::test_task[trial{trial}]",
        domain=domain,
        task_id=task_id,
        trial=trial,
        outcome=outcome,
        reward=reward,
        simulation=played,
        **fields,
    )


def _database(value: float | None) -> CriterionResult:
    wrong = Difference(side="agent", table="tasks", key="task_1", path="status", expected="completed", actual="pending")
    return CriterionResult(criterion="DB", value=value, differences=[] if value else [wrong])


def simulation(task_id: str = "t", trial: int = 1, *, domain: str = "mock", **fields: Any) -> Simulation:
    """A conversation with one call in it."""
    call = a_call("get_users")
    spoken = says(None, call, cost=0.01).model_copy(
        update={"usage": Usage(prompt_tokens=1000, completion_tokens=20), "timestamp": "2025-01-01T00:00:02.500000"}
    )
    messages = [
        says("Hi!").model_copy(update={"timestamp": "2025-01-01T00:00:00"}),
        asks(f"This is about {task_id}, trial {trial}."),
        spoken,
        result_of(call, '[{"user_id": "user_1"}]'),
        says("Done."),
        asks("###STOP###"),
    ]
    made = {"id": f"{task_id}-{trial}", "messages": messages, "agent": "mine:Agent", "user": "scripted", "steps": 5}
    costs = {"agent_cost": 0.01, "user_cost": 0.0, "duration": 12.0, "termination_reason": Termination.USER_STOP}
    return Simulation(domain=domain, task_id=task_id, trial=trial, **{**made, **costs, **fields})


def small_run() -> list[TrialRecord]:
    """Two tasks of mock and one of shop: passed always, sometimes and never, with a trial that broke."""
    outcomes = {"always": (Outcome.PASSED, Outcome.PASSED), "sometimes": (Outcome.MISSED, Outcome.PASSED)}
    run = [record(name, i + 1, outcome) for name, both in outcomes.items() for i, outcome in enumerate(both)]
    run.append(record("never", 1, Outcome.MISSED, domain="shop"))
    broken = record("never", 2, Outcome.INFRA_ERROR, domain="shop", reward=None, simulation=None, note="RateLimitError")
    return [*run, broken]


def small_tasks() -> dict[tuple[str, str], Task]:
    """The tasks of the small run."""
    return {
        ("mock", "always"): task(id="always", tags=["easy"]),
        ("mock", "sometimes"): task(id="sometimes", tags=["hard"]),
        ("shop", "never"): task(id="never", tags=["hard"]),
    }


def hostile_run() -> Iterator[TrialRecord]:
    """A trial for each hostile text, which stands in every field that holds text."""
    for text in HOSTILE:
        call = a_call(text, id=text, **{text: [text, {text: text}]})
        messages = [
            says(text),
            asks(text, cost=None).model_copy(update={"timestamp": text, "raw_data": {text: text}}),
            says(text, call, a_call("noted", id="second", text=text)),
            ToolMessage(id=text, content=text, error=True),
            ToolMessage(id="second", content=f'{{"content": {text!r}}}'),
        ]
        played = simulation(
            text, domain=text, messages=messages, agent=text, user=text, agent_parameters={text: text}, note=text
        )
        result = CriterionResult(
            criterion=text,
            value=0.0,
            checks=[Check(name=text, met=False, explanation=text), Check(name=text)],
            differences=[Difference(side=text, table=text, key=text, path=text, expected=text, actual={text: text})],
            note=text,
        )
        fault = Fault(kind=FaultKind.OTHER, evidence=text)
        reward = Reward(value=0.0, basis=[text], results=[result], note=text)
        yield record(text, 1, Outcome.MISSED, domain=text, simulation=played, reward=reward, note=text, fault=fault)


def hostile_tasks() -> dict[tuple[str, str], Task]:
    """The tasks of the hostile run."""
    return {
        (text, text): task(
            id=text, description={"purpose": text}, ticket=text, user_scenario={"persona": text, "instructions": text}
        )
        for text in HOSTILE
    }
