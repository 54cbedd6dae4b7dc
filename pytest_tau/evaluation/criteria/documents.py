"""What an agent found and read of a domain's documents, from the results of the tools that show them.

A result names every document it shows on a line ``ID: …``; the tool says whether that is to find it or to read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from ...environment.documents.knowledge import shown_documents
from ...environment.documents.store import Document, Documents
from ...environment.domain import Domain
from ...environment.environment import Environment
from ...environment.toolkit import tools_of
from ...schema.checks import ReadBefore
from ...schema.messages import AnyMessage
from ...schema.reward import Check, Retrieval
from ...schema.task import Task
from ...schema.transcript import calls_done, calls_made

_ID = re.compile(r" *(ID: (.+?))\s*")

Seen = tuple[int, str, Literal["found", "read"]]
"""The turn of the call, from 0, a document's id, and what the call showed of it."""


def documents_seen(messages: Sequence[AnyMessage], domain: Domain) -> Iterator[Seen]:
    """Every document that a call of the agent showed, in order."""
    if domain.documents is None:
        return
    tools = tools_of(domain.spec.tools)
    for turn, call, result in calls_done(messages):
        tool = tools.get(call.name) if call.requestor == "assistant" else None
        if tool is None or tool.documents is None:
            continue
        for document in _named(result.content or "", domain.documents):
            yield turn, document.id, tool.documents


def _named(result: str, documents: Documents) -> Iterator[Document]:
    """The documents that a result shows; such a line may also stand in the text of one of them, and shows nothing."""
    shown = None
    for before, line in pairwise(["", *result.split("\n")]):
        written = _ID.fullmatch(line)
        document = documents.by_id.get(written[2]) if written is not None else None
        if written is None or document is None:
            continue
        under_its_title = before and before.endswith(document.title)
        if shown is None or under_its_title or written[1] not in shown.text:
            shown = document
            yield document


def retrieval(task: Task, messages: Sequence[AnyMessage], domain: Domain) -> Retrieval | None:
    """What was found beside what is required; None where nothing is, or the agent had no tools to search with."""
    knowledge = domain.knowledge
    if not task.required_documents or knowledge is None or not any(map(_shows_documents, knowledge.tools)):
        return None
    seen = list(documents_seen(messages, domain))
    return Retrieval(
        required=list(dict.fromkeys(task.required_documents)),
        found=list(dict.fromkeys(one for _, one, _ in seen)),
        read=list(dict.fromkeys(one for _, one, how in seen if how == "read")),
    )


def _shows_documents(toolkit: type) -> bool:
    return any(tool.documents is not None for tool in tools_of(toolkit).values())


def read_before(
    check: ReadBefore, task: Task, messages: Sequence[AnyMessage], env: Environment | None, writes: Sequence[str]
) -> Check:
    """Whether the agent had read the documents before it acted; ``writes``: the tools meant when none are named."""
    wanted = check.documents or task.required_documents or []
    name = f"read before {', '.join(check.names) if check.names else 'the first write'}: {', '.join(wanted)}"
    if env is None or env.domain.documents is None or env.domain.knowledge is None:
        return Check(name=name, met=False, explanation="the domain has no documents")
    known = {document.id for document in shown_documents(env.domain.knowledge, env.domain.documents, task)}
    read = {one: turn for turn, one, how in reversed(list(documents_seen(messages, env.domain))) if how == "read"}
    names = check.names or writes
    acted = next(
        (
            (turn, call.name)
            for turn, call, _ in calls_made(messages)
            if call.requestor == "assistant" and call.name in names
        ),
        None,
    )
    for one in wanted:
        if one in known:
            continue
        if one not in read:
            return Check(name=name, met=False, explanation=f"{one} was never read")
        if acted is not None and read[one] >= acted[0]:
            why = f"{one} was read in turn {read[one]}, after {acted[1]} was called in turn {acted[0]}"
            return Check(name=name, met=False, explanation=why, turn=acted[0])
    return Check(name=name, met=True)
