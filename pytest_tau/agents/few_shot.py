"""The tool-calling agent with transcripts of other conversations in its prompt, a fresh sample for every trial.

They come from a file in JSONL, one conversation a line, with the transcript as a text under ``messages_display``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from ..conversation.protocols import AgentContext, AgentFactory
from ..errors import SettingsError
from ..llm.protocol import ModelClient
from .llm import LLMAgent
from .prompts import system_prompt

SHOWN = 5
_KEY = "messages_display"


def few_shot_agent(client: ModelClient, displays: Sequence[str]) -> AgentFactory:
    """Agents that are shown ``SHOWN`` of the transcripts (all, where there are fewer), drawn by the trial's seed."""
    if not displays:
        raise SettingsError("the few-shot agent needs at least one transcript")

    def few_shot(context: AgentContext) -> LLMAgent:
        drawn = random.Random(context.seed).sample(displays, min(SHOWN, len(displays)))
        return LLMAgent(client, context, system_prompt(context, examples=drawn))

    return few_shot


def read_displays(file: Path) -> list[str]:
    """The transcripts of a file; raises SettingsError."""
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise SettingsError(f"few-shot file {file}: {reason}") from None
    displays = [_display(line, f"{file}:{number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not displays:
        raise SettingsError(f"few-shot file {file} is empty: give one JSON object a line, with the key '{_KEY}'")
    return displays


def _display(line: str, where: str) -> str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    display = value.get(_KEY) if isinstance(value, dict) else None
    if not isinstance(display, str):
        raise SettingsError(f"few-shot file {where}: must be a JSON object with a text under '{_KEY}'")
    return display
