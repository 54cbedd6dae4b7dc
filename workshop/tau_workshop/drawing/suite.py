"""What the three suites share: a task as it is thought of, and how it becomes a file with its pictures."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_tau import Task, load_domain
from pytest_tau.environment.folders import builtin_root

from ..policy.book import with_rules
from .canvas import CAMERAS, Camera

PICTURES = "pictures"


def camera_for(number: int) -> Camera:
    """How the photograph of a suite's task with this number is taken: clear ones and hard ones take turns."""
    return CAMERAS[number % len(CAMERAS)]


def how_hard(number: int) -> str:
    """The tag for that."""
    return ("clear", "tilted", "hard_to_read")[number % len(CAMERAS)]


@dataclass(frozen=True)
class Photo:
    """A picture of a task: what draws it, what it shows in words, what it decides, and when the customer sends it."""

    id: str
    draw: Callable[[], bytes]
    alt: str
    decides: Sequence[str]
    when: str = "asked_for"
    call: str | None = None


@dataclass(frozen=True)
class Draft:
    """A task as it is thought of; ``calls`` are gold actions as (tool, arguments) or (tool, arguments, "user")."""

    id: str
    tags: Sequence[str]
    purpose: str
    policies: str
    reason: str
    known: str
    instructions: str
    photos: Sequence[Photo]
    calls: Sequence[tuple[Any, ...]]
    checks: Sequence[dict[str, Any]] = ()
    more: dict[str, Any] = field(default_factory=dict)
    basis: Sequence[str] = ("DB", "TRAJECTORY")
    communicate: Sequence[str] = ()


def refusal(*phrasings: Any) -> dict[str, Any]:
    """The check for the reason why something is not done."""
    return {"check": "reason", "any_of": list(phrasings)}


def never(tool: str) -> dict[str, Any]:
    """The check that a tool was not called."""
    return {"check": "not_called", "name": tool}


def write(name: str, domain: str, drafts: Sequence[Draft]) -> Path:
    """Write a suite anew: a file for each task, and the pictures in a folder beside them."""
    folder = builtin_root("tasks") / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / PICTURES).mkdir(parents=True)
    for draft in drafts:
        drawn: dict[str, bytes] = {}
        for photo in draft.photos:
            drawn[photo.id] = photo.draw()
            (folder / _path(draft, photo)).write_bytes(drawn[photo.id])
        text = json.dumps(task_of(draft, domain, drawn), indent=2, ensure_ascii=False)
        (folder / f"{draft.id}.json").write_text(text + "\n", encoding="utf-8")
    return folder


def _path(draft: Draft, photo: Photo) -> str:
    return f"{PICTURES}/{draft.id}.{photo.id}.png"


def task_of(draft: Draft, domain: str, drawn: Mapping[str, bytes]) -> dict[str, Any]:
    """A task as its file has it; ``drawn`` are its pictures, or those of which the hashes are wanted."""
    attachments = [
        {
            "id": photo.id,
            "path": _path(draft, photo),
            **({"sha256": hashlib.sha256(drawn[photo.id]).hexdigest()} if photo.id in drawn else {}),
            "alt": photo.alt,
            "decides": list(photo.decides),
        }
        for photo in draft.photos
    ]
    attach = [
        {"when": photo.when, "image": photo.id, **({"call": photo.call} if photo.call else {})}
        for photo in draft.photos
    ]
    actions = []
    for number, (name, arguments, *side) in enumerate(draft.calls):
        actions.append(
            {
                "action_id": f"{draft.id}_{number}",
                "name": name,
                "arguments": arguments,
                **({"requestor": side[0]} if side else {}),
            }
        )
    criteria: dict[str, Any] = {"actions": actions}
    if draft.communicate:
        criteria["communicate_info"] = list(draft.communicate)
    if draft.checks:
        criteria["trajectory"] = list(draft.checks)
    criteria["reward_basis"] = list(draft.basis)
    fields: dict[str, Any] = {
        "id": draft.id,
        "domain": domain,
        "tags": ["images", *draft.tags],
        "description": {"purpose": draft.purpose, "relevant_policies": draft.policies},
        "user_scenario": {
            "instructions": {
                "domain": domain,
                "reason_for_call": draft.reason,
                "known_info": draft.known,
                "task_instructions": draft.instructions,
            },
            "attachments": attachments,
            "attach": attach,
        },
        **draft.more,
        "evaluation_criteria": criteria,
    }
    rules = with_rules(Task.model_validate(fields), load_domain(domain)).rules
    head = {name: fields.pop(name) for name in ("id", "domain", "tags", "description")}
    return {**head, **({"rules": rules} if rules else {}), **fields}
