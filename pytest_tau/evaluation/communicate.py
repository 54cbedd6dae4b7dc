"""COMMUNICATE: the agent told the customer what had to be told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..schema.messages import AnyMessage, AssistantMessage
from ..schema.reward import Check, CriterionResult
from ..schema.task import Task


def communicate(task: Task, messages: Sequence[AnyMessage], *, parity: bool, in_basis: bool) -> CriterionResult:
    """Each item must stand in some text of the agent, the greeting and texts beside calls included."""
    criteria = task.evaluation_criteria
    wanted = (criteria.communicate_info if criteria else None) or []
    texts = [message.text for message in messages if isinstance(message, AssistantMessage) and message.text]
    says = _contains if parity else _mentions
    checks = []
    for info in wanted:
        found = next((text for text in texts if says(text, info)), None)
        explanation = "no message of the agent says it" if found is None else f"said in: {found[:200]}"
        checks.append(Check(name=info, met=found is not None, explanation=explanation))
    return CriterionResult(
        criterion="COMMUNICATE",
        value=1.0 if all(check.met for check in checks) else 0.0,
        in_basis=in_basis,
        checks=checks,
        note=None if wanted else "No communicate_info to evaluate",
    )


def _contains(text: str, info: str) -> bool:
    """The reference's rule: a substring, whatever stands around it, of the text without its commas."""
    return info.lower() in text.lower().replace(",", "")


def _mentions(text: str, info: str) -> bool:
    """Our rule: the same, but as whole words and numbers. "4" is not in "42" or "4.50"; "1,234.50" is "1234.50"."""
    pattern = re.escape(_flat(info))
    return re.search(rf"(?<![\w.]){pattern}(?!\w|\.\d)", _flat(text)) is not None


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"(?<=\d),(?=\d{3})", "", text.casefold())).strip()
