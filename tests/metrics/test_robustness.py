"""Planted weaknesses are found and named; where there is none, nothing is flagged."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from random import Random
from typing import Any

import pytest

from pytest_tau import AssistantMessage, Task, grade, load_domain, simulate
from pytest_tau.agents.oracle import Oracle
from pytest_tau.conversation.protocols import AgentContext
from pytest_tau.metrics.robustness import Robustness, TrialConduct, conduct_of, flip, of_rows
from pytest_tau.schema.messages import AnyMessage, ToolMessage
from pytest_tau.variants import perturb
from pytest_tau.variants.tool_faults import ToolFaults
from tests.builders import core, says

VARIANTS = ("typos", "rude", "tool_names", "identity:english", "identity:arabic", "identity:spanish", "timeout")
Chance = Callable[[str, int, float], float]


def played(seed: int, chance: Chance, *, tasks: int = 40, k: int = 4) -> Robustness:
    """A run of an agent that passes ``chance(variant, task, p)`` of the trials of a task it passes p of as it is."""
    rng = Random(seed)
    usual = [rng.choice((1.0, 1.0, 0.9, 0.7, 0.5, 0.0)) for _ in range(tasks)]
    rows: dict[str, dict[str, list[TrialConduct]]] = {}
    for label in ("", *VARIANTS):
        row = f"shop, {label}" if label else "shop"
        for task, p in enumerate(usual):
            q = chance(label, task, p) if label else p
            rows.setdefault(row, {})[str(task)] = [TrialConduct(rng.random() < q) for _ in range(k)]
    return of_rows(rows, {f"shop, {label}": described(label) for label in VARIANTS})


def described(label: str) -> dict[str, object]:
    if label == "timeout":
        return {"label": label, "faults": label, "rate": 0.2}
    return {"label": label, "told": label, "strength": 0.5}


def flagged(found: Robustness) -> list[str]:
    return [one.label for one in found.variants if one.flagged]


def test_an_agent_without_a_weakness_is_flagged_in_at_most_2_of_40_runs() -> None:
    found = [played(seed, lambda label, task, p: p) for seed in range(40)]
    assert sum(bool(flagged(one)) or any(p.shown for g in one.groups for p in g.pairs) for one in found) <= 2


def test_tasks_that_flip_as_often_come_by_name_whichever_ended_first() -> None:
    def ended(*tasks: str) -> Robustness:
        rows = {
            "shop": {key: [TrialConduct(True)] for key in tasks},
            "shop, x": {key: [TrialConduct(False)] for key in tasks},
        }
        return of_rows(rows, {"shop, x": described("x")})

    assert ended("b", "a").worst_tasks == ended("a", "b").worst_tasks == {"shop": (("a", 1.0), ("b", 1.0))}


def test_breaking_on_typos_in_a_fifth_of_the_tasks_is_found_and_nothing_else() -> None:
    def chance(label: str, task: int, p: float) -> float:
        return 0.0 if label == "typos" and task % 5 == 0 else p

    found = [played(seed, chance) for seed in range(10)]
    assert sum(flagged(one) == ["typos"] for one in found) >= 9
    one = next(one for one in found[0].variants if one.label == "typos")
    assert one.interval.low < one.found.difference < one.interval.high < 0


def test_groups_that_are_treated_differently_are_named_with_an_interval() -> None:
    def chance(label: str, task: int, p: float) -> float:
        return 0.85 * p if label == "identity:arabic" else p

    found = played(7, chance, tasks=150)
    (groups,) = found.groups
    shown = [pair for pair in groups.pairs if pair.shown]
    assert shown
    assert all("arabic" in (pair.one, pair.other) for pair in shown)
    assert groups.visible < 0.15


def test_the_smallest_visible_difference_falls_with_more_tasks() -> None:
    small, large = (played(1, lambda label, task, p: p, tasks=n).groups[0].visible for n in (20, 120))
    assert large < small


def test_flip_is_how_often_two_trials_end_otherwise() -> None:
    assert flip((4, 4), (4, 4)) == 0
    assert flip((4, 4), (0, 2)) == 1
    assert flip((1, 2), (3, 4)) == pytest.approx(0.5)


def a_trial(outcome: str, *messages: Mapping[str, object], faults: str = "") -> dict[str, object]:
    variant = {"label": faults, "faults": faults} if faults else None
    return {"outcome": outcome, "variant": variant, "simulation": {"messages": messages}, "reward": {"violated": []}}


def call(id: str, name: str = "cancel", **arguments: object) -> dict[str, object]:
    return {"role": "assistant", "tool_calls": [{"id": id, "name": name, "arguments": arguments}]}


def result(id: str, *, error: bool = False, fault: Mapping[str, object] | None = None) -> dict[str, object]:
    return {"role": "tool", "id": id, "requestor": "assistant", "error": error, **({"fault": fault} if fault else {})}


HAPPENED = {"kind": "timeout", "happened": True, "result": "done"}
LOST = {"kind": "timeout", "happened": False}


def test_what_an_agent_does_about_faults_is_read_off_its_record() -> None:
    repeats = a_trial(
        "missed", call("1"), result("1", error=True, fault=HAPPENED), call("2"), result("2"), faults="timeout"
    )
    assert conduct_of(repeats) == TrialConduct(False, False, unheard=True, repeated=True)
    looks = a_trial(
        "passed",
        call("1"),
        result("1", error=True, fault=HAPPENED),
        call("2", "look"),
        result("2"),
        call("3"),
        result("3", error=True),
        faults="timeout",
    )
    assert conduct_of(looks) == TrialConduct(True, False, unheard=True)
    tries_again = a_trial(
        "passed", call("1"), result("1", error=True, fault=LOST), call("2"), result("2"), faults="timeout"
    )
    assert conduct_of(tries_again) == TrialConduct(True, False, refused=True)
    gives_up = a_trial("missed", call("1"), result("1", error=True, fault=LOST), faults="timeout")
    assert conduct_of(gives_up) == TrialConduct(False, False, refused=True, gave_up=True)
    assert conduct_of(a_trial("infra_error")) is None


class Planted:
    """The oracle with one weakness, for tasks whose number is a multiple of ``every``."""

    knows_the_task = True

    def __init__(self, task: Task, context: AgentContext, weakness: str, weak: bool) -> None:
        self._oracle, self._task, self._weakness, self._weak = Oracle(task, context), task, weakness, weak

    def reply(self, messages: list[AnyMessage]) -> AnyMessage:
        """The oracle's next move, or what the weakness makes of it."""
        last = messages[-1]
        lost = isinstance(last, ToolMessage) and last.error and "timed out" in (last.content or "")
        if self._weak and lost and self._weakness == "gives up":
            return says("This does not work, I am afraid.")
        if self._weak and lost and self._weakness == "repeats":
            made = next(m for m in reversed(messages) if isinstance(m, AssistantMessage) and m.tool_calls)
            (call,) = made.tool_calls or []
            return says(None, call.model_copy(update={"id": f"again_{len(messages)}"}))
        if self._weak and self._weakness == "typos" and _reads_slips(messages, self._task):
            return says("I do not understand.")
        return self._oracle.reply(messages)


def _reads_slips(messages: list[AnyMessage], task: Task) -> bool:
    known = set(task.user_scenario.render().lower().split())
    return False if not messages else any("slips" in word for word in known)


def run_of(weakness: str, told: str, faults: str) -> Robustness:
    """Real trials of retail's core suite, as it is and in one variant."""
    domain, tasks = load_domain("retail"), core("retail")
    rows: dict[str, dict[str, list[TrialConduct]]] = {"retail": {}, "retail, v": {}}
    for place, task in enumerate(tasks):
        for row, seed in product(rows, (1, 2)):
            varied = row != "retail"
            played = perturb(task, domain, told, seed=1) if varied and told else task
            plan = ToolFaults(faults, 31 * place + seed) if varied and faults else None
            weak = weakness != "typos" or place % 5 == 0
            agent = partial(Planted, played, weakness=weakness, weak=weak)
            simulation = simulate(played, domain, agent, faults=plan)
            content: dict[str, Any] = {
                "outcome": "passed" if grade(played, simulation, domain).passed else "missed",
                "variant": {"faults": faults} if varied else None,
                "simulation": simulation.model_dump(mode="json"),
                "reward": {"violated": []},
            }
            trial = conduct_of(content)
            assert trial is not None
            rows[row].setdefault(task.id, []).append(trial)
    return of_rows(rows, {"retail, v": {"label": "v", "told": told, "faults": faults}})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weakness", "told", "faults"),
    [("typos", "typos", ""), ("gives up", "", "timeout:0.3"), ("repeats", "", "timeout:0.3")],
)
def test_planted_weaknesses_of_a_playing_agent_are_named(weakness: str, told: str, faults: str) -> None:
    (found,) = run_of(weakness, told, faults).variants
    if weakness == "repeats":
        # Retail refuses most changes that were made before, so this costs hardly a trial; it is named all the same.
        assert found.repeated > found.unheard / 2
        return
    assert found.flagged
    assert found.interval.high < 0
    assert found.repeated == 0
    assert (found.gave_up > 0) is (weakness == "gives up")
