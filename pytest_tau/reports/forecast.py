"""What a run will take, before its first call: model calls, tokens and USD, by what the gold paths of its tasks take.

A guess, on assumptions that the lines state. From twenty recorded runs of public tasks with real models come three of
them: a customer speaks about six times, an agent calls its tools three times for two calls of the gold path, and a
tool's result has about 230 tokens. That a text has 60 is an estimate.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ..conversation.attaching import Images
from ..environment.domain import Domain
from ..evaluation.explain import INSTRUCTIONS as EXPLAINER_INSTRUCTIONS
from ..evaluation.judges.nl_assertions import INSTRUCTIONS
from ..evaluation.judges.review import INSTRUCTIONS as REVIEW_INSTRUCTIONS
from ..evaluation.judges.user_judge import INSTRUCTIONS as USER_INSTRUCTIONS
from ..llm.pictures import picture_tokens
from ..llm.pricing import Price, forecast
from ..schema.checks import Reason
from ..schema.messages import Attachment, Requestor
from ..schema.task import Task

TURNS = 6
CALLS_PER_GOLD = 1.5
SAID = 60
CALLED = 270  # a call with its result
CHARACTERS = 4  # a token of English
_ASKED_FOR = 2 / 3  # of an agent's calls come after a picture that it has to ask for


@dataclass(frozen=True)
class Load:
    """Model calls of one side, and the tokens they read and write in all."""

    calls: float = 0.0
    read: float = 0.0
    written: float = 0.0

    def __add__(self, other: Load) -> Load:
        return Load(self.calls + other.calls, self.read + other.read, self.written + other.written)

    def __mul__(self, times: float) -> Load:
        return Load(self.calls * times, self.read * times, self.written * times)

    @property
    def tokens(self) -> float:
        """Read and written."""
        return self.read + self.written

    def usd(self, price: Price | None) -> float | None:
        """What it costs, None when nobody knows the price."""
        if price is None:
            return None
        return forecast(price, calls=1, prompt_tokens=self.read, completion_tokens=self.written)


@dataclass(frozen=True)
class Experience:
    """What trials took of the model of one side, beside what had been expected of them.

    ``counted``: whether tokens were told with every answer.
    """

    trials: int
    expected: Load
    taken: Load
    counted: bool = True

    def __add__(self, other: Experience) -> Experience:
        return Experience(
            self.trials + other.trials,
            self.expected + other.expected,
            self.taken + other.taken,
            self.counted and other.counted,
        )

    def correct(self, load: Load) -> Load:
        """A load, by how much more or less than expected the trials took."""
        expected, taken = self.expected, self.taken
        if not taken.calls or not expected.calls:
            return load
        calls = taken.calls / expected.calls
        if not self.counted or not expected.read or not expected.written:
            return load * calls
        read, written = taken.read / expected.read, taken.written / expected.written
        return Load(load.calls * calls, load.read * read, load.written * written)


class Expected:
    """What one trial of a task takes on each side.

    Args:
        task: the task.
        domain: its domain.
        solo: whether the agent works alone on a ticket.
    """

    def __init__(self, task: Task, domain: Domain, *, solo: bool = False) -> None:
        gold = task.gold_actions
        theirs = 0 if solo else sum(action.requestor == "user" for action in gold)
        self._task, self._domain, self._solo = task, domain, solo
        # Whatever the customer is to do, the agent has to ask for.
        self._turns = 0 if solo else TURNS + theirs
        self._calls: dict[Requestor, float] = {
            "assistant": CALLS_PER_GOLD * (len(gold) - theirs),
            "user": CALLS_PER_GOLD * theirs,
        }

    def agent(self, *, shown: int = 0, images: Images = "send") -> Load:
        """The agent's calls; ``shown`` characters stand in its prompt besides the policy."""
        fixed = len(self._policy()) + shown + self._tools("assistant")
        load = self._side("assistant", fixed, asks=1)
        return load + Load(0, load.calls * self._pictures(images), 0)

    @property
    def domain_name(self) -> str:
        """The name of the task's domain."""
        return self._domain.name

    @property
    def has_pictures(self) -> bool:
        """Whether the customer has pictures to send."""
        return bool(self._task.user_scenario.attachments) and not self._solo

    def _pictures(self, images: Images) -> float:
        """Tokens of the task's pictures that a call reads on average; one that is asked for comes after a third."""
        early = {one.image for one in self._task.user_scenario.attach or [] if one.when == "at_start"}
        pictures = self._task.user_scenario.attachments or [] if self.has_pictures else []
        return sum(_tokens(one, images) * (1.0 if one.id in early else _ASKED_FOR) for one in pictures)

    def user(self, *, guidelines: str, asks: int = 1) -> Load:
        """The customer's calls, ``asks`` for each message."""
        return self._side("user", len(guidelines) + self._scenario + self._tools("user"), asks=asks)

    def judge(self, *, votes: int = 1) -> Load:
        """The judge's calls, where the task has something to judge."""
        criteria = self._task.evaluation_criteria
        assertions = len((criteria and criteria.nl_assertions) or [])
        if not assertions:
            return Load()
        return self._judge_load(len(INSTRUCTIONS), SAID * assertions) * votes

    def review(self, *, votes: int = 1) -> Load:
        """The judge's calls about what no rule decides, where it is known before that there is something: a refusal."""
        refusals = sum(isinstance(check, Reason) for check in self._task.own_checks)
        if not refusals or self._domain.parity or self._solo:
            return Load()
        return self._judge_load(len(REVIEW_INSTRUCTIONS) + len(self._policy()), SAID * (refusals + 3)) * votes

    def user_judge(self, *, votes: int = 1) -> Load:
        """The judge's calls about the customer."""
        return self._judge_load(len(USER_INSTRUCTIONS) + self._scenario, SAID) * votes

    def explainer(self) -> Load:
        """The judge's call about a miss, which reads the policy as well."""
        return self._judge_load(len(EXPLAINER_INSTRUCTIONS) + self._scenario + len(self._policy()), 2 * SAID)

    def grown(self, side: Requestor) -> float:
        """Tokens of the whole conversation, as that side sees it."""
        return 2 * SAID * self._turns + CALLED * self._calls[side]

    def _policy(self) -> str:
        return self._domain.policy_for(solo=self._solo, task=self._task)

    @property
    def _scenario(self) -> int:
        return len(self._task.user_scenario.render())

    def _judge_load(self, fixed: int, written: int) -> Load:
        """One call that reads the whole conversation."""
        return Load(1, fixed / CHARACTERS + self.grown("assistant") + CALLED * self._calls["user"], written)

    def _side(self, side: Requestor, fixed: int, *, asks: int) -> Load:
        calls = max(1, self._turns) + self._calls[side]
        # Over a conversation, half of what it grows to is read on average.
        return Load(calls, calls * (fixed / CHARACTERS + self.grown(side) / 2), calls * SAID) * asks

    def _tools(self, side: Requestor) -> int:
        key = ("size of tools", side, self._solo)
        memo = self._domain.memo
        if key not in memo:
            specs = self._domain.environment(solo=self._solo).tool_specs(side)
            memo[key] = len(json.dumps([spec.schema for spec in specs]))
        size: int = memo[key]
        return size


def _tokens(one: Attachment, images: Images) -> float:
    if images == "send":
        return picture_tokens(*one.size) if all(one.size) else 0.0
    return len(one.alt or "") / CHARACTERS if images == "alt" else 0.0


def mean(loads: Iterable[tuple[Load, int]]) -> Load:
    """The mean of loads, each with its weight; no load where there is none."""
    pairs = list(loads)
    weight = sum(number for _, number in pairs)
    return sum((load * number for load, number in pairs), Load()) * (1 / weight if weight else 0.0)


def forecast_lines(
    trials: int,
    loads: Mapping[str, Load],
    prices: Mapping[str, Price | None],
    *,
    usd: float | None,
    tokens: int | None,
    explained: bool = False,
    pictures: bool = False,
    source: str = "",
    guessed: Collection[str] = (),
) -> list[str]:
    """What a run takes, and on which assumptions.

    Args:
        trials: how many there are.
        loads: what all of them take, by side.
        prices: what the model of each side costs.
        usd: the run's budget in USD.
        tokens: the run's budget in tokens.
        explained: whether the loads have an explanation for every trial, as if all missed.
        pictures: whether agents are sent pictures.
        source: which trials the loads come from; "" for none: they are guesses.
        guessed: the sides whose loads are guesses nevertheless.
    """
    whole = sum(loads.values(), Load())
    costs = {side: load.usd(prices[side]) for side, load in loads.items()}
    known = [cost for cost in costs.values() if cost is not None]
    cost = sum(known) if len(known) == len(costs) else None
    apart = ", ".join(f"{side} {_usd(part)}" for side, part in costs.items())
    parts = [
        f"forecast: {_tally(trials, 'trial')}, about {round_guess(whole.calls)} model calls, "
        f"{round_guess(whole.tokens)} tokens, cost {_usd(cost)}" + (f" ({apart})" if len(costs) > 1 else "")
    ]
    share = min(
        usd / cost if usd is not None and cost else 1.0,
        tokens / whole.tokens if tokens is not None and whole.tokens else 1.0,
    )
    if share < 1.0:
        parts.append(f"the budget is enough for about {100 * share:.0f} % of it")
    more = ", every trial explained as a miss" * explained + ", pictures at high detail" * pictures
    if source:
        besides = f"; for the {' and the '.join(guessed)} it is a guess{more}" if guessed else more
        return ["; ".join(parts), f"forecast: by {source}{besides}"]
    return [
        "; ".join(parts),
        f"forecast: a guess: {TURNS} turns of the customer, {CALLS_PER_GOLD:g} model calls for each call of the gold "
        f"path, no hidden thoughts, no cached prompts (pytest-tau doctor measures them){more}",
    ]


def round_guess(number: float) -> str:
    """A guess with two digits that count: 1,234 is 1,200."""
    whole = round(number)
    return f"{round(whole, 2 - len(str(whole))):,}"


def _usd(value: float | None) -> str:
    if value is None:
        return "unknown"
    if 0.0 < value < 0.01:
        return "less than $0.01"
    return f"${round_guess(value)}" if value >= 9.5 else f"${value:.2f}"


def _tally(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
