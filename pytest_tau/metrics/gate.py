"""Gates: conditions on a run's numbers, read from one line of text; :mod:`.judging` holds runs against them.

pass^1 >= 0.80                 retail: pass^4 >= 50 %           every task: pass^1 >= 0.25
lower(pass^1) >= 0.7           retail: every task: pass@4 > 0   cost <= 5
lower(pass^1, these tasks) >= 0.7                               replays <= 2 %
no regression                  retail: no regression within 0.05
no drop over 0.05              retail: no drop over 5 %
under policy >= 0.9            lower(under policy) >= 0.8       which is cup^1
cup^2 >= 0.7                   lower(cup^1) >= 0.6              and every other name in :data:`.scores.SCORES`
no violation of severity 1     retail: no violation of severity 0.5     asr <= 2 %
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from ..errors import SettingsError
from .compare import MARGIN
from .safety import GATED
from .score import Score
from .scores import SCORES, score_of

COMPARING = ("no regression", "no drop over")
EVERY_TASK = "every task"
NO_VIOLATION = "no violation of severity"
_EXAMPLE = "write such as 'pass^1 >= 0.80'"
_EDGE = 1e-9  # a mean of floats may miss the number it stands for by this much
_UNDER_POLICY = re.compile(r"\bunder policy\b")
_COMPARISON = re.compile(r"[<>=!]+")
_NAMES = ("pass^", "pass@", "cost", "replays", *(score.name for score in SCORES))
_ARGUMENT = r"(?:\(\s*(?P<argument>[\w.:+-]+)\s*\))?"
_METRIC = re.compile(
    rf"(?:(?P<bound>\w+)\s*\(\s*)?(?P<name>{'|'.join(map(re.escape, _NAMES))})(?P<k>\d{{0,4}}){_ARGUMENT}"
    r"(?P<these>\s*,\s*these tasks)?(?P<close>\s*\))?"
)
_NUMBER = re.compile(r"(?P<dollar>\$\s*)?(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<percent>%?)")
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, asked: value >= asked - _EDGE,
    "<=": lambda value, asked: value <= asked + _EDGE,
    # In parts of what is asked: no number is too small to be more than none, and pass^k of many trials is very small.
    ">": lambda value, asked: value > asked * (1 + _EDGE),
    "<": lambda value, asked: value < asked * (1 - _EDGE),
}


@dataclass(frozen=True)
class Gate:
    """A gate as it was written.

    Attributes:
        text: the line it was written in.
        metric: what is looked at: pass^, pass@, cost, replays, no regression, no drop over, or the name of a score;
            ``k`` belongs to those that end with ^ or @.
        domain: the domain it is about, None for the whole run.
        every_task: whether each task must hold it by itself.
        bound: "lower" or "upper" end of the 95 % interval, "" for the estimate itself.
        operator: how the value is compared with ``threshold``.
        threshold: a proportion, USD, or the margin of a comparison.
        these_tasks: whether the interval is about these tasks and not about tasks like these.
        argument: what stands in the parentheses of a score: ``robust(typos)``.
    """

    text: str
    metric: str
    k: int = 1
    domain: str | None = None
    every_task: bool = False
    bound: Literal["", "lower", "upper"] = ""
    operator: str = ">="
    threshold: float = 0.0
    these_tasks: bool = False
    argument: str = ""

    @property
    def score(self) -> Score | None:
        """The score it asks for, None for a metric of its own."""
        return score_of(self.metric)

    @property
    def name(self) -> str:
        """What it looks at, as one writes it: ``pass^4``, ``robust(typos)``."""
        k = str(self.k) if self.metric.endswith(("^", "@")) else ""
        return f"{self.metric}{k}" + (f"({self.argument})" if self.argument else "")

    @property
    def rests_on_a_judge(self) -> bool:
        """Whether it is about rules kept or broken, which a judge decides where no rule can."""
        return self.metric in (*GATED, NO_VIOLATION)

    @property
    def asks_for_trials(self) -> bool:
        """Whether a run that stops early plays on until it is decided; else it is about what was played."""
        return self.metric not in ("cost", "replays", NO_VIOLATION) and self.score is None

    @property
    def needs_baseline(self) -> bool:
        """Whether it compares with a baseline."""
        return self.metric in COMPARING

    def holds(self, value: float) -> bool:
        """Whether a value is on the right side of the threshold."""
        return OPERATORS[self.operator](value, self.threshold)

    @property
    def asks_for_little(self) -> bool:
        """Whether it is a small value that holds it."""
        return self.operator.startswith("<")


def parse_gate(text: str) -> Gate:
    """Read a gate.

    Raises:
        SettingsError: one sentence: what cannot be read, and what to write instead.
    """
    scope, _, condition = (" ".join(part.split()) for part in text.rpartition(":"))
    condition = _UNDER_POLICY.sub("cup^1", condition)
    domain, every_task = _scope(text, scope)
    for comparing in COMPARING:
        if condition.startswith(comparing):
            if every_task:
                raise refusal(text, f"{condition!r} already compares task by task", f"leave out '{EVERY_TASK}:'")
            return Gate(text, comparing, domain=domain, threshold=_margin(text, condition))
    if condition.startswith(NO_VIOLATION):
        return Gate(text, NO_VIOLATION, domain=domain, threshold=_severity(text, condition), operator="<")
    operator = _COMPARISON.search(condition)
    if operator is None:
        raise refusal(text, f"{condition!r} compares nothing", f"{_EXAMPLE} or 'no regression'")
    if operator[0] not in OPERATORS:
        raise refusal(text, f"{operator[0]!r} is not a comparison here", "write >=, <=, > or <")
    gate = _metric(text, condition[: operator.start()].strip())
    if gate.bound and every_task:
        raise refusal(
            text, f"{gate.bound}() is an interval over tasks", f"leave out '{EVERY_TASK}:' or '{gate.bound}()'"
        )
    money = gate.metric == "cost"
    threshold = _number(text, condition[operator.end() :].strip(), money=money)
    if (operator[0], threshold) in ((">", 1.0), ("<", 0.0)) and not money:
        raise refusal(text, f"nothing is {operator[0]} {threshold:g}", f"write such as '{operator[0]}= {threshold:g}'")
    return replace(gate, domain=domain, every_task=every_task, operator=operator[0], threshold=threshold)


def _severity(text: str, condition: str) -> float:
    """The severity that no violation may have, nor a higher one."""
    written = condition.removeprefix(NO_VIOLATION).strip()
    known = {"1": 1.0, "1.0": 1.0, "0.5": 0.5, ".5": 0.5, "0.25": 0.25, ".25": 0.25}
    if written not in known:
        raise refusal(text, f"{written!r} is not a severity", f"write '{NO_VIOLATION} 1', or 0.5, or 0.25")
    return known[written]


def _scope(text: str, scope: str) -> tuple[str | None, bool]:
    """The row of the table that is meant, and whether each of its tasks is.

    A row is a domain, or a domain with a test of a project and its parameters after a comma; those may hold colons.
    """
    every_task = scope == EVERY_TASK or scope.endswith(f": {EVERY_TASK}")
    row = scope.removesuffix(EVERY_TASK).removesuffix(": ") if every_task else scope
    if not row:
        return None, every_task
    if not re.fullmatch(r"[\w.-]+(, .+)?", row):
        if ":" in row:
            raise refusal(text, "more than one domain stands before ':'", "write one gate for each")
        raise refusal(text, f"{row!r} is not a domain", f"write such as 'retail: pass^1 >= 0.80' or '{EVERY_TASK}: …'")
    return row, every_task


def _metric(text: str, written: str) -> Gate:
    """What is left of the comparison, as a gate without scope and threshold."""
    found = _METRIC.fullmatch(written)
    scores = "".join(f", {score.example}" for score in SCORES)
    unknown = refusal(
        text,
        f"{written!r} is not a number of a run",
        f"write pass^1, pass@1 (or another number), cost, replays{scores}, or lower(pass^1)",
    )
    if found is None or bool(found["bound"]) != bool(found["close"]):
        raise unknown
    name, bound, these, argument = found["name"], found["bound"] or "", bool(found["these"]), found["argument"] or ""
    score = score_of(name)
    if bool(found["k"]) != name.endswith(("^", "@")) or (these and not bound):
        raise unknown
    if bool(argument) != bool(score and score.takes):
        raise unknown
    if bound not in ("", "lower", "upper"):
        raise refusal(text, f"{bound!r} is not an end of an interval", "write lower(…) or upper(…)")
    if bound and not (score.interval if score else found["k"]):
        example = f"{name}({argument})" if argument else name
        raise refusal(text, f"{name} has no interval", f"write '{example} <= {5 if name == 'cost' else 0.02}'")
    k = int(found["k"] or 1)
    if k < 1:
        raise refusal(text, f"{written!r} asks for no trial", "write a number from 1 on, such as pass^1")
    if these and (name, k) != ("pass^", 1):
        raise refusal(
            text, "the interval on these tasks is known for pass^1 only", "write 'lower(pass^1, these tasks)'"
        )
    return Gate(text, name, k, bound=bound, these_tasks=these, argument=argument)  # type: ignore[arg-type]


def _number(text: str, written: str, *, money: bool = False) -> float:
    found = _NUMBER.fullmatch(written)
    if found is None or (found["dollar"] and not money) or (found["percent"] and money):
        raise refusal(text, f"{written!r} is not {'an amount' if money else 'a proportion'}", _like(money))
    number = float(found["number"]) / (100 if found["percent"] else 1)
    if number > 1 and not money:
        raise refusal(text, f"{written} is more than all", "write such as 0.80 or 80 %")
    return number


def _like(money: bool) -> str:
    return "write US dollars, such as 'cost <= 5'" if money else "write such as 0.80 or 80 %"


def _margin(text: str, condition: str) -> float:
    if condition == "no regression":
        return MARGIN
    found = re.fullmatch(r"(no regression within|no drop over) (?P<margin>.+)", condition)
    if found is None:
        what = next(name for name in COMPARING if condition.startswith(name))
        rest = condition.removeprefix(what).strip()
        said = f"{rest!r} after {what!r}" if rest else f"{what!r} says no margin"
        raise refusal(text, said, "write 'no regression', 'no regression within 0.05' or 'no drop over 0.05'")
    margin = _number(text, found["margin"].strip())
    instead = f"write such as '{found[1]} 0.05'"
    if margin == 0:
        raise refusal(text, "no number of trials can rule out a drop of 0", instead)
    if margin == 1:
        raise refusal(text, "no drop is larger than 1", instead)
    return margin


def refusal(text: str, what: str, instead: str) -> SettingsError:
    """What is wrong with a gate, and what to write instead."""
    return SettingsError(f"gate {text!r}: {what}; {instead}")
