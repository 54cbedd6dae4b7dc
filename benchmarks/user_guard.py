"""How often the guard of a model customer, and the stall rule, find something in recorded conversations.

python -m benchmarks.user_guard [FILE …]: results of τ² or τ-bench v1, or journals of ours; by default the recordings in
PYTEST_TAU_SHARED. In recordings of models that play customers well, what is found is nearly all a false alarm; ``-v``
prints it.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_tau import load_tasks
from pytest_tau.conversation.stalling import STALL, Circles
from pytest_tau.conversation.turns import seen_by_user
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolMessage, UserMessage
from pytest_tau.schema.scenario import UserScenario
from pytest_tau.schema.task import Task
from pytest_tau.users.guard import slip, with_end_mark

KINDS: dict[str, type[AnyMessage]] = {"assistant": AssistantMessage, "user": UserMessage, "tool": ToolMessage}
Conversation = tuple[UserScenario, float, list[AnyMessage]]


def conversations(file: Path) -> Iterator[Conversation]:
    """The scenario, the reward and the messages of each run in a file."""
    if file.suffix == ".jsonl":
        yield from _of_journal(file)
        return
    content = json.loads(file.read_text(encoding="utf-8"))
    if isinstance(content, dict) and "simulations" in content:
        tasks = {task["id"]: task for task in content["tasks"]}
        for run in content["simulations"]:
            scenario = Task.model_validate(tasks[run["task_id"]]).user_scenario
            yield scenario, (run["reward_info"] or {}).get("reward") or 0.0, _messages(run["messages"])
    elif isinstance(content, list):
        for run in content:
            told = run.get("info", {}).get("task", {}).get("instruction")
            if told:
                yield UserScenario(instructions=told), run.get("reward") or 0.0, _messages_of_v1(run["traj"])


def _of_journal(file: Path) -> Iterator[Conversation]:
    for line in file.read_text(encoding="utf-8").splitlines():
        trial = json.loads(line)
        if trial.get("simulation"):
            tasks = {task.id: task for task in load_tasks(builtin_folder("tasks", trial["domain"]))}
            reward = 1.0 if trial["outcome"] == "passed" else 0.0
            yield tasks[trial["task_id"]].user_scenario, reward, _messages(trial["simulation"]["messages"])


def _messages(found: Sequence[dict[str, Any]]) -> list[AnyMessage]:
    return [KINDS[one["role"]].model_validate(one) for one in found if one["role"] in KINDS]


def _messages_of_v1(found: Sequence[dict[str, Any]]) -> list[AnyMessage]:
    """What is said; version 1 has no tools on the customer's side."""
    spoken = [one for one in found if one["role"] in ("assistant", "user") and one.get("content")]
    return _messages([{"role": one["role"], "content": one["content"]} for one in spoken if not one.get("tool_calls")])


def main() -> None:
    """Count, a line for each group of files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("-v", action="store_true", help="print what is found")
    chosen = parser.parse_args()
    shared = Path(os.environ.get("PYTEST_TAU_SHARED", ".")) / "recordings"
    groups = (
        {"files": chosen.files}
        if chosen.files
        else {kind: sorted(shared.glob(f"{kind}_*.json")) for kind in ("tau1", "tau2")}
    )
    for name, files in groups.items():
        found, runs, passed, said, stalled = Counter[str](), 0, 0, 0, Counter[bool]()
        for scenario, reward, messages in (one for file in files for one in conversations(file)):
            runs += 1
            passed += reward == 1.0
            stalled[reward == 1.0] += Circles(STALL, lambda name, side: True).find(messages) is not None
            for at, message in enumerate(messages):
                if isinstance(message, UserMessage) and message.text and not message.tool_calls:
                    said += 1
                    wrong = slip(message.text, scenario, seen_by_user(messages[:at]))
                    what = wrong.what if wrong else "end mark" if with_end_mark(message.text) != message.text else ""
                    found.update([what] if what else [])
                    if what and chosen.v:
                        print(f"  {what}: {' '.join(message.text.split())[:200]}")
        alarms = ", ".join(f"{what} {number}" for what, number in found.most_common()) or "nothing"
        print(f"{name}: {runs} runs, {said} messages of customers: {alarms}")
        ended = f"{stalled[True]} of {passed} that passed, {stalled[False]} of {runs - passed} others"
        print(f"{name}: stalled at {STALL}: {ended}")


if __name__ == "__main__":
    main()
