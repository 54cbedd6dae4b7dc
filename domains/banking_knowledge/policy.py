"""Puts the policy of a retrieval setting together from the prompts in the public data."""

import re
from pathlib import Path

from pytest_tau.environment import Document, Documents, Knowledge, Task
from pytest_tau.environment.policy import load_policy

from .retrieval import SETTINGS

NO_DOCUMENTS = "(No documents provided)"
# How the prompts call the provider and the model of the vectors.
DENSE = {
    "alltools": ("OpenAI API", "text-embedding-3-large"),
    "alltools-qwen": ("OpenRouter", "qwen3-embedding-8b"),
}


def policy(folder: Path, knowledge: Knowledge, documents: Documents, task: Task | None) -> str:
    """The policy of a setting; raises DomainError when a prompt is missing."""
    prompts = folder / "prompts"
    text = re.sub(
        r"\{\{component:(\w+)\}\}",
        lambda found: load_policy(prompts / "components" / f"{found[1]}.md"),
        load_policy(prompts / SETTINGS[knowledge.name][0]),
    )
    if knowledge.shown == "all":
        text = text.replace("{{full_knowledge_base}}", _join(list(documents)))
    if knowledge.shown == "required":
        required = (task.required_documents if task else None) or []
        text = text.replace("{{required_documents}}", _join(_documents_named(documents, required)) or NO_DOCUMENTS)
    if knowledge.name in DENSE:
        provider, model = DENSE[knowledge.name]
        told = f"The `KB_search_dense` tool uses **{provider}** with embedding model `{model}` for dense retrieval."
        text = text.replace("{{all_tools_dense_instructions}}", told)
    return text


def _documents_named(documents: Documents, names: list[str]) -> list[Document]:
    """The documents of these titles or else ids; unknown ones are left out."""
    titles = {document.title: document for document in reversed(list(documents))}
    found = (titles.get(name) or documents.by_id.get(name) for name in names)
    return [document for document in found if document is not None]


def _join(documents: list[Document]) -> str:
    return "\n\n---\n\n".join(f"## {document.title}\n\n{document.text}" for document in documents)
