"""An agent that takes the policy at its word: it plays the gold path as far as the rules, as they stand, lead there.

It reads each rule anew. Where a rule says what it always said, the agent does what the oracle does. Where it is gone,
turned round, or has other numbers, the rule's play changes the script: a change is not made because nothing allows it
any more, a wish is given in to because nothing forbids it, a look-up or a question is left out because nobody asks for
it, an amount is another. What a play does it works out from the rule's words and the world.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_tau.agents.oracle import DOCUMENT, READ_TOOL, TRANSFER_TOOL, Oracle
from pytest_tau.conversation.protocols import AgentContext
from pytest_tau.environment.domain import Domain
from pytest_tau.environment.environment import Environment
from pytest_tau.environment.rules import PolicyText
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import NotCalled, Reason
from pytest_tau.schema.task import EvaluationCriteria, Task
from pytest_tau.variants.policy import numbers_in, stands


@dataclass(frozen=True)
class Said:
    """What a rule says now, and what it said when its play was written; None: it is gone."""

    before: str
    now: str | None

    @cached_property
    def stands(self) -> bool:
        """Whether it is there and has not been turned round."""
        return stands(self.now, self.before)

    @property
    def numbers(self) -> list[float]:
        """Its numbers as they are now; none where it does not stand."""
        return numbers_in(self.now) if self.stands and self.now is not None else []

    @property
    def were(self) -> list[float]:
        """Its numbers as they were."""
        return numbers_in(self.before)

    @property
    def codes(self) -> list[str]:
        """What it quotes as code; none where it does not stand."""
        return re.findall(r"`([^`]+)`", self.now) if self.stands and self.now is not None else []

    @property
    def scale(self) -> float:
        """By how much its last number has grown; 1 where it does not stand."""
        return self.numbers[-1] / self.were[-1] if self.numbers and self.were and self.were[-1] else 1.0


class Script:
    """What the literal agent is going to do in a task; plays change it."""

    def __init__(self, task: Task, domain: Domain) -> None:
        criteria = task.evaluation_criteria or EvaluationCriteria()
        self.task, self.domain = task, domain
        self.steps = list(task.gold_actions)
        self.facts = list(criteria.communicate_info or [])
        self.checks = list(criteria.trajectory or [])
        self.documents = task.required_documents
        self.asks = True

    @cached_property
    def world(self) -> Environment:
        """The world in the task's initial state, to look at."""
        return self.domain.environment(self.task)

    def drop(self, *tools: str, where: Callable[[Action], bool] = lambda action: True) -> None:
        """Leave out the steps with these tools."""
        self.steps = [step for step in self.steps if step.name not in tools or not where(step)]

    def change(self, step: Action, **arguments: Any) -> None:
        """Take a step with other arguments."""
        other = step.model_copy(update={"arguments": {**step.arguments, **arguments}})
        self.steps = [other if one is step else one for one in self.steps]

    def forget_documents(self, which: Callable[[str], bool]) -> None:
        """Read some documents nowhere."""
        self.documents = [one for one in self.documents or () if not which(one)]
        self.drop(READ_TOOL, where=lambda step: which(str(step.arguments.get(DOCUMENT))))

    def say_no_reason(self) -> None:
        """Refuse nothing, and so give no reason."""
        self.checks = [check for check in self.checks if not isinstance(check, Reason)]

    def give_in(self, *tools: str) -> None:
        """Do what the task forbids, with these tools, instead of giving a reason."""
        self.say_no_reason()
        for number, check in enumerate(self.checks):
            if isinstance(check, NotCalled) and check.name in tools and check.requestor == "assistant":
                self.add(check.name, check.arguments, f"given_in_{number}")

    def add(self, tool: str, arguments: Mapping[str, Any], name: str = "added") -> None:
        """Call something at the end of it all."""
        before = [place for place, step in enumerate(self.steps) if step.name == TRANSFER_TOOL] or [len(self.steps)]
        self.steps.insert(before[0], Action(action_id=name, name=tool, arguments=dict(arguments)))

    def played(self) -> Task:
        """The task as the agent plays it."""
        criteria = self.task.evaluation_criteria or EvaluationCriteria()
        update: dict[str, Any] = {"actions": self.steps, "communicate_info": self.facts, "trajectory": self.checks}
        made = {"evaluation_criteria": criteria.model_copy(update=update), "required_documents": self.documents}
        return self.task.model_copy(update=made)

    @property
    def is_gold(self) -> bool:
        """Whether nothing has been changed."""
        return self.asks and self.played() == Script(self.task, self.domain).played()

    def agent(self, context: AgentContext) -> Oracle:
        """The player of the script."""
        return Oracle(self.played(), context, asks=self.asks)


Play = Callable[[Script, Said], None]


def said(rule: str, before: PolicyText, now: PolicyText) -> Said:
    """What a rule says now."""
    known, still = before.by_id[rule], now.by_id.get(rule)
    return Said("\n".join(before.parts(known)), None if still is None else "\n".join(now.parts(still)))


# ---- plays


def skips(*tools: str) -> Play:
    """A rule that asks for look-ups, or for other steps: they are left out where nobody asks for them."""
    return lambda script, rule: None if rule.stands else script.drop(*tools)


def refuses(*tools: str) -> Play:
    """A rule that allows changes: nothing allows them where it does not stand."""
    return skips(*tools)


def gives_in(*tools: str) -> Play:
    """A rule that forbids what a customer wishes: nothing forbids it where it does not stand."""
    return lambda script, rule: None if rule.stands else script.give_in(*tools)


def gives_no_reason(script: Script, rule: Said) -> None:
    """A rule that asks for reasons."""
    if not rule.stands:
        script.say_no_reason()


def asks_nothing(script: Script, rule: Said) -> None:
    """A rule that asks for a yes before a change."""
    if not rule.stands:
        script.asks = False


def tells_nothing(script: Script, rule: Said) -> None:
    """A rule that allows or asks to tell something."""
    if not rule.stands:
        script.facts = []


def hands_over(script: Script, rule: Said) -> None:
    """A rule that wants a refusal instead of a hand-over."""
    if not rule.stands:
        script.say_no_reason()
        script.add(TRANSFER_TOOL, {"summary": "The customer wants what the policy does not allow."})


def keeps_it(script: Script, rule: Said) -> None:
    """A rule that wants a hand-over."""
    if not rule.stands:
        script.drop(TRANSFER_TOOL)


def only_codes(argument: str, *tools: str) -> Play:
    """A rule that lists the values of an argument: a change with another value is not made."""

    def play(script: Script, rule: Said) -> None:
        if rule.stands:
            script.drop(*tools, where=lambda step: str(step.arguments.get(argument)) not in rule.codes)

    return play


def both(*plays: Play) -> Play:
    """Several plays, one after the other."""

    def play(script: Script, rule: Said) -> None:
        for one in plays:
            one(script, rule)

    return play


def where(claim: Callable[[Task], bool], play: Play) -> Play:
    """A play that is made only in some tasks, such as those in which the customer brings something up."""
    return lambda script, rule: play(script, rule) if claim(script.task) else None
