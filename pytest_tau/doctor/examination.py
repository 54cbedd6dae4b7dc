"""The order of the checks: what every model is asked, then what its part in the run needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, replace

from ..errors import TauError
from ..llm.retry import ProviderError
from ..users.prompts import Guidelines
from .agent import LongestPrompt, calls_tools, holds_the_prompt
from .customer import plays_the_customer
from .findings import DoctorFinding
from .general import answers, bounds, costs, manners, not_asked_finding, samples, writes
from .judge import judges
from .line import ModelLine


@dataclass(frozen=True)
class Case:
    """What a model is for in the run.

    Attributes:
        line: the model; its ``sides`` say what it is for.
        agent: the agent's name, where it plays one; what is neither ``act`` nor ``react`` needs native calls.
        longest: what an agent reads at the start of the suite's longest task; None where nobody knows.
        guidelines: the customer's, where it plays one.
    """

    line: ModelLine
    agent: str = "llm"
    longest: LongestPrompt | None = None
    guidelines: Guidelines | None = None


async def examine(case: Case, begins: Callable[[str], None] = lambda check: None) -> AsyncIterator[DoctorFinding]:
    """What there is to say about one model, as it is found out; ``begins`` is told of each check before it is made."""
    line = case.line
    begins("answers")
    reached = await _ask(line, "answers", lambda: _one(answers(line)))
    for finding in reached:
        yield finding
    if reached[0].status == "failed":
        return
    plays_agent = any(side.startswith("agent") for side in line.sides)
    checks: list[tuple[str, Callable[[], Awaitable[list[DoctorFinding]]]]] = [("whole answers", lambda: writes(line))]
    if plays_agent:
        checks.append(("tool calls", lambda: calls_tools(line, case.agent)))
        if (longest := case.longest) is not None:
            checks.append(("context window", lambda: _prompt(line, longest)))
    if (guidelines := case.guidelines) is not None and "user" in line.sides:
        checks.append(("role", lambda: plays_the_customer(line, guidelines)))
    if "judge" in line.sides:
        checks.append(("verdicts", lambda: _one(judges(line))))
    checks += [("max_tokens", lambda: _one(bounds(line))), ("seed", lambda: samples(line))]
    for name, check in checks:
        begins(name)
        for finding in await _ask(line, name, check):
            yield finding
    for finding in (*costs(line), *manners(line)):
        yield finding


async def _prompt(line: ModelLine, longest: LongestPrompt) -> list[DoctorFinding]:
    if line.refuses_tools:  # said once is enough
        longest = replace(longest, tools=())
    return (await holds_the_prompt(line, longest))[0]


async def _one(check: Awaitable[DoctorFinding]) -> list[DoctorFinding]:
    return [await check]


async def _ask(line: ModelLine, name: str, check: Callable[[], Awaitable[list[DoctorFinding]]]) -> list[DoctorFinding]:
    if line.too_slow:
        return []
    try:
        return await check()
    except TauError as error:
        line.too_slow = isinstance(error, ProviderError) and error.kind == "time-out"
        return [not_asked_finding(line, name, error)]


def report(findings: Iterable[DoctorFinding]) -> str:
    """The sum of all findings, in a sentence."""
    counts = Counter(one.status for one in findings)
    verdict = "the run would be worthless" if counts["failed"] else "ready"
    return f"{verdict}: {counts['failed']} failed, {counts['warning']} warnings, {counts['ok']} ok"
