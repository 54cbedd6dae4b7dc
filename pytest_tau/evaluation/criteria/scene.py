"""What a check of TRAJECTORY is held against, and the calls that a pattern finds in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...environment.environment import Environment
from ...schema.checks import CallPattern, Evidence, TrajectoryCheck
from ...schema.messages import AnyMessage, ToolCall, ToolMessage
from ...schema.reward import JudgeReview
from ...schema.task import Task
from ...schema.transcript import calls_done, calls_made, shows


@dataclass(frozen=True)
class Scene:
    """A conversation, or a part of it, with what is known about it.

    Attributes:
        task: the task.
        messages: what was said and done.
        checks: all checks that are held, for those that depend on others.
        env: a world of the task's domain; None where it is not known, and tools that read and write are not told apart.
        review: what a judge says of what no rule decides.
        solo: whether there is no customer; the side of a call does not matter then.
    """

    task: Task
    messages: Sequence[AnyMessage]
    checks: Sequence[TrajectoryCheck]
    env: Environment | None
    review: JudgeReview | None = None
    solo: bool = False

    def tools(self, *kinds: str) -> list[str]:
        """The agent's tools of these kinds; to look into the documents is neither to read nor to write."""
        if self.env is None:
            return []
        return [spec.name for spec in self.env.tool_specs() if spec.kind in kinds and not spec.documents]

    def matching_calls(self, pattern: CallPattern) -> list[tuple[int, ToolMessage | None]]:
        """The turns of such calls, each with its result if it succeeded."""
        return [
            (turn, None if result is None or result.error else result)
            for turn, call, result in calls_made(self.messages)
            if call.name == pattern.name and pattern_matches(pattern, call, self.solo, self.messages, turn, self.env)
        ]


def turns_showing(
    evidence: Evidence, messages: Sequence[AnyMessage], solo: bool, env: Environment | None = None
) -> Iterator[int]:
    """The turns of calls that showed a fact, in their order."""
    ways = (evidence, *evidence.alternatives)
    for turn, call, result in calls_done(messages):
        fit = (way for way in ways if shows(result, way.shows))
        if any(pattern_matches(way, call, solo, messages, turn, env) for way in fit):
            yield turn


def pattern_matches(
    check: CallPattern,
    call: ToolCall,
    solo: bool,
    messages: Sequence[AnyMessage],
    turn: int,
    env: Environment | None = None,
) -> bool:
    """Whether a call of this turn, or with a result of it, is one that a check asks for; in solo whoever makes it."""
    if check.name != call.name or (check.requestor != call.requestor and not solo):
        return False
    if check.author is not None and not _by(check.author, messages[: turn + 1]):
        return False
    return all(has_argument(call, name, wanted, env) for name, wanted in check.arguments.items())


def has_argument(call: ToolCall, name: str, wanted: Any, env: Environment | None) -> bool:
    """Whether a call has this argument, as it is written or, where its world is known, as the tool takes it."""
    if name in call.arguments and _same(wanted, call.arguments[name]):
        return True
    return taken_as(call, name, wanted, env)


def taken_as(call: ToolCall, name: str, wanted: Any, env: Environment | None) -> bool:
    """Whether the tool of a call takes this argument as it takes ``wanted``, and one of the two is no text."""
    both_texts = isinstance(wanted, str) and isinstance(call.arguments.get(name), str)
    if env is None or env.domain.parity or both_texts:
        return False
    tool = env.tool_named(call.name, call.requestor)
    return tool is not None and tool.takes_as(call.arguments, name, wanted)


def _by(wanted: str, messages: Sequence[AnyMessage]) -> bool:
    """Whether the agent's last message is of this author, or of any other for ``!author``."""
    author = next((message.author for message in reversed(messages) if message.role == "assistant"), None)
    return author != wanted[1:] if wanted.startswith("!") else author == wanted


def _same(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, str) and isinstance(got, str):
        return wanted.casefold() == got.casefold()
    return bool(wanted == got)
