"""How an agent gets at a domain's documents: which tools it has for them, and which of them stand in its policy.

A setting is a name, with options behind it where it has any: ``bm25``, ``embeddings:openai/text-embedding-3-small``,
``bm25,top_k=3``. The names here are those of a domain of one's own; a domain may have others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ...errors import DomainError
from ...schema.task import Task
from ..fitting import Fitting
from ..toolkit import Toolkit, tools_of
from .store import Document, Documents
from .tools import GrepDocuments, ReadDocument, SearchByMeaning, SearchDocuments
from .vectors import RetrievalModels

OPTIONS = {"top_k": 5, "grep_top_k": 10}


@dataclass(frozen=True)
class Knowledge:
    """One way to the documents.

    ``tools``: toolkits whose tools an agent has before the domain's own. ``shown``: which documents stand in its
    policy. ``model``: of the embeddings that a tool searches by. ``options``: what the tools read there.
    ``unplayable``: why no conversation can be played with it, for one that is known for recordings' sake.
    ``setting``: as the user wrote it.
    """

    name: str
    tools: tuple[type[Toolkit], ...] = ()
    shown: Literal["none", "all", "required"] = "none"
    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    unplayable: str | None = None
    setting: str = ""

    @property
    def asks_models(self) -> bool:
        """Whether its tools ask models, for vectors or to rate what was found."""
        return bool(self.model or self.options.get("reranker"))

    @property
    def chosen_options(self) -> dict[str, Any]:
        """The options that stand in the setting, as the user wrote them."""
        return split_setting(self.setting)[1]


def own_knowledge(setting: str) -> Knowledge:
    """The settings of a domain of one's own; raises DomainError."""
    name, options = split_setting(setting)
    kind, _, model = name.partition(":")
    ways: dict[str, Knowledge] = {
        "none": Knowledge(name),
        "full": Knowledge(name, shown="all"),
        "golden": Knowledge(name, shown="required"),
        "grep": Knowledge(name, (GrepDocuments, ReadDocument)),
        "bm25": Knowledge(name, (SearchDocuments, GrepDocuments, ReadDocument)),
        "embeddings": Knowledge(name, (SearchByMeaning, GrepDocuments, ReadDocument), model=model),
    }
    if kind not in ways or bool(model) != (kind == "embeddings"):
        raise DomainError(f"unknown knowledge setting '{name}'; use none, full, golden, grep, bm25 or embeddings:MODEL")
    way = ways[kind]
    return replace(way, options=with_defaults(OPTIONS, options, setting))


def split_setting(setting: str) -> tuple[str, dict[str, Any]]:
    """The name and the options of a setting such as ``bm25,top_k=3``; raises DomainError."""
    name, *rest = setting.split(",")
    options: dict[str, Any] = {}
    for part in rest:
        key, equals, value = part.partition("=")
        try:
            options[key.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            equals = ""
        if not equals:
            raise DomainError(f"knowledge '{setting}': write options as key=value, such as top_k=3, not '{part}'")
    return name.strip(), options


def with_defaults(defaults: Mapping[str, Any], options: Mapping[str, Any], setting: str) -> dict[str, Any]:
    """The options of a setting and the defaults of others, which say what an option takes; raises DomainError."""
    for key, value in options.items():
        if key not in defaults:
            raise DomainError(f"knowledge '{setting}': unknown option '{key}'; use one of {', '.join(defaults)}")
        kind = type(defaults[key])
        if kind is bool and type(value) is not bool:
            raise DomainError(f"knowledge '{setting}': {key} must be true or false")
        if kind is int and (type(value) is not int or value < 1):
            raise DomainError(f"knowledge '{setting}': {key} must be a whole number from 1")
        if kind is float and type(value) not in (int, float):
            raise DomainError(f"knowledge '{setting}': {key} must be a number")
    return {**defaults, **options}


@dataclass(frozen=True)
class KnowledgeBase(Fitting):
    """What a domain says of its documents; for most, ``DomainSpec(documents=KnowledgeBase())`` is all of it.

    ``folder``: where they are, in the domain's folder. ``default``: the setting when none is given.
    ``settings``: what the settings mean. ``read``: makes the Documents of a folder.
    ``policy``: makes the policy from the folder of the domain's texts, the way to the documents, the documents and the
    task, where it is more than ``policy.md`` with documents behind it.
    """

    folder: str = "documents"
    default: str = "bm25"
    settings: Callable[[str], Knowledge] = own_knowledge
    read: Callable[[Path], Documents] = Documents
    policy: Callable[[Path, Knowledge, Documents, Task | None], str] | None = None


def with_documents(policy: str, documents: Sequence[Document]) -> str:
    """A policy with documents behind it."""
    parts = [f"## {document.title}\n\nID: {document.id}\n\n{document.text.strip()}" for document in documents]
    return "\n\n".join([policy.rstrip(), "# Documents", *parts]) if parts else policy


def shown_documents(knowledge: Knowledge, documents: Documents, task: Task | None) -> list[Document]:
    """The documents that stand in the policy."""
    if knowledge.shown == "all":
        return list(documents)
    if knowledge.shown == "required" and task is not None:
        return [documents.by_id[one] for one in task.required_documents or [] if one in documents.by_id]
    return []


def equip(
    toolkit: type[Toolkit], knowledge: Knowledge, documents: Documents, models: RetrievalModels | None
) -> type[Toolkit]:
    """The agent's toolkit with the tools of a way to the documents before its own; raises DomainError for one name."""
    if not knowledge.tools:
        return toolkit
    own = tools_of(toolkit)
    for name, one in (pair for kit in knowledge.tools for pair in tools_of(kit).items()):
        if name in own and own[name].function is not one.function:
            what = f"{toolkit.__name__} has a tool '{name}', and so has the knowledge setting '{knowledge.name}'"
            raise DomainError(f"{what}; name the tool otherwise, or choose the setting none")
    members = {"documents": documents, "knowledge": knowledge, "models": models}
    made: type[Toolkit] = type(
        toolkit.__name__, (*knowledge.tools, toolkit), {"__module__": toolkit.__module__, **members}
    )
    return made
