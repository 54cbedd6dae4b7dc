"""The tools of the public retrieval settings, and what each setting is.

The public tools say at their end how many milliseconds they took. Here that is always 0: a search takes less, and a
result that differs from run to run would make every recording of a conversation useless.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_tau.environment import Document, Documents, DomainError, Knowledge, Toolkit, tool
from pytest_tau.environment.documents.bm25 import okapi
from pytest_tau.environment.documents.knowledge import split_setting, with_defaults
from pytest_tau.environment.documents.tools import DocumentTools
from pytest_tau.environment.documents.vectors import require_models

from .bank import told_as
from .patterns import matches

OPENAI = "openai/text-embedding-3-large"
QWEN = "openrouter/qwen/qwen3-embedding-8b"
RERANKER = "openai/gpt-5.2"
OPTIONS = {"top_k": 10, "grep_top_k": 10, "case_sensitive": False, "reranker_min_score": 5.0}
QWEN_TASK = "Given a customer service question, retrieve the passages of the knowledge base that answer it"

Hit = tuple[Document, float]


def read(folder: Path) -> Documents:
    """The documents, indexed as the public BM25 does it: contents only, cut at blanks."""
    return Documents(folder, tokens=_tokens, idf=okapi, indexed=_content)


def _tokens(text: str) -> list[str]:
    return text.lower().split()


def _content(document: Document) -> str:
    return document.text


class Retrieval(DocumentTools):
    """What the retrieval tools share."""

    def _bm25(self, query: str) -> list[Hit]:
        if not query or not query.strip():
            return []
        documents, number = self.documents, self._option("top_k")
        return [(documents[position], score) for position, score in documents.index.best(_tokens(query), number)]

    def _dense(self, query: str) -> list[Hit]:
        if not query or not query.strip():
            return []
        model = str(self.knowledge.model)
        models, documents = require_models(model, self.models), self.documents
        if model == QWEN:
            query = f"Instruct: {QWEN_TASK}\nQuery:{query}"
        best = models.nearest(model, documents, _content, query, self._option("top_k"))
        return [(documents[position], score) for position, score in best]

    def _rerank(self, query: str, hits: list[Hit]) -> list[Hit]:
        if not hits:
            return []
        ratings = require_models(RERANKER, self.models).ratings(
            RERANKER, query, [document.text for document, _ in hits]
        )
        rated = [
            (document, float(rating))
            for (document, _), rating in zip(hits, ratings, strict=True)
            if rating is not None and rating >= self._option("reranker_min_score")
        ]
        return sorted(rated, key=lambda hit: -hit[1])

    def _option(self, name: str) -> Any:
        return self.knowledge.options[name]


@told_as("KBSearchMixin")
class KBSearch(Retrieval):
    """One search, by words or by meaning as the setting says."""

    @tool(reads=True, documents="read")
    def KB_search(self, query: str) -> str:
        """Search the knowledge base; gives the whole text of the best documents.

        Args:
            query: What the documents are to be about.
        """
        hits = self._dense(query) if self.knowledge.model else self._bm25(query)
        if not self.knowledge.options.get("reranker"):
            return _hits_text(hits)
        return _hits_text(self._rerank(query, hits), reranked=True)


class KBSearchBM25(Retrieval):
    """Search by words, beside a search by meaning."""

    @tool(reads=True, documents="read")
    def KB_search_bm25(self, query: str, k: int = 10) -> str:
        """Search the knowledge base by words; gives the whole text of the best documents.

        Args:
            query: Words that the documents hold.
            k: How many documents, ten at most.
        """
        return _hits_text(self._bm25(query)[:k])


class KBSearchDense(Retrieval):
    """Search by meaning, beside a search by words."""

    @tool(reads=True, documents="read")
    def KB_search_dense(self, query: str, k: int = 10) -> str:
        """Search the knowledge base by meaning; gives the whole text of the best documents.

        Args:
            query: What the documents are to be about.
            k: How many documents, ten at most.
        """
        return _hits_text(self._dense(query)[:k])


@told_as("GrepMixin")
class Grep(Retrieval):
    """Search by a pattern."""

    @tool(reads=True, documents="read")
    def grep(self, pattern: str) -> str:
        """Find the documents of the knowledge base that match a regular expression; gives their whole text.

        Args:
            pattern: A regular expression of Python, or a text.
        """
        if not pattern or not pattern.strip():
            return f"No matches found for pattern: {pattern}"
        texts = [document.text for document in self.documents]
        counts = matches(pattern, texts, ignore_case=not self._option("case_sensitive"))
        counted = [(document, float(count)) for document, count in zip(self.documents, counts, strict=True)]
        hits = sorted((hit for hit in counted if hit[1]), key=lambda hit: -hit[1])[: self._option("grep_top_k")]
        return _entries(hits) if hits else f"No matches found for pattern: {pattern}"


class Shell(Retrieval):
    """A shell over the documents as files: known, so that its setting can be read, but never run."""

    @tool(reads=True)
    def shell(self, command: str) -> str:
        """Run a shell command in a folder that holds the documents of the knowledge base as files.

        Args:
            command: The command.
        """
        raise DomainError(NO_SHELL)


NO_SHELL = (
    "this knowledge setting gives the agent a shell, and pytest-tau runs no commands of a model; "
    "choose bm25, bm25_grep or grep_only"
)


def _entries(hits: Sequence[Hit]) -> str:
    return "\n".join(
        f"{number}. {document.title}\n   ID: {document.id}\n   Score: {score:.4f}\n   Content: {document.text}\n"
        for number, (document, score) in enumerate(hits, 1)
    )


def _hits_text(hits: Sequence[Hit], *, reranked: bool = False) -> str:
    reranking = ", reranking=0ms" if reranked else ""
    told = _entries(hits) if hits else "No relevant documents found."
    return f"{told}\n\n[Timing: retrieval=0ms{reranking}, total=0ms]"


_SEARCH: tuple[type[Toolkit], ...] = (KBSearch,)
_BOTH: tuple[type[Toolkit], ...] = (KBSearch, Grep)
_SHELL: tuple[type[Toolkit], ...] = (Shell,)
_ALL: tuple[type[Toolkit], ...] = (KBSearchBM25, KBSearchDense, Shell)


def _settings() -> dict[str, tuple[str, Knowledge]]:
    """Each public setting with the file of its prompt."""
    found = {
        "no_knowledge": ("no_knowledge.md", Knowledge("no_knowledge")),
        "full_kb": ("full_kb.md", Knowledge("full_kb", shown="all")),
        "golden_retrieval": ("required_docs.md", Knowledge("golden_retrieval", shown="required")),
        "grep_only": ("grep_only.md", Knowledge("grep_only", (Grep,))),
        "terminal_use": ("agentic_search.md", Knowledge("terminal_use", _SHELL)),
        "terminal_use_write": ("agentic_search_write.md", Knowledge("terminal_use_write", _SHELL)),
        "alltools": ("all_tools.md", Knowledge("alltools", _ALL, model=OPENAI)),
        "alltools-qwen": ("all_tools.md", Knowledge("alltools-qwen", _ALL, model=QWEN)),
    }
    for name, prompt, model in (
        ("bm25", "classic_rag_bm25", None),
        ("openai_embeddings", "classic_rag_openai", OPENAI),
        ("qwen_embeddings", "classic_rag_qwen", QWEN),
    ):
        for reranker in ("", "_reranker"):
            options = {"reranker": bool(reranker)}
            alone, both = f"{name}{reranker}", f"{name}{reranker}_grep"
            found[alone] = (f"{prompt}_no_grep.md", Knowledge(alone, _SEARCH, model=model, options=options))
            found[both] = (f"{prompt}.md", Knowledge(both, _BOTH, model=model, options=options))
    return found


SETTINGS = _settings()
# The names that every domain with documents has, and one the public data has for itself.
ALIASES = {
    "none": "no_knowledge",
    "full": "full_kb",
    "golden": "golden_retrieval",
    "grep": "grep_only",
    "AllTools": "alltools",
    "embeddings:text-embedding-3-large": "openai_embeddings",
    f"embeddings:{OPENAI}": "openai_embeddings",
    "embeddings:qwen3-embedding-8b": "qwen_embeddings",
    f"embeddings:{QWEN}": "qwen_embeddings",
}


def settings(setting: str) -> Knowledge:
    """What a setting means; raises DomainError."""
    name, options = split_setting(setting)
    name = ALIASES.get(name, name)
    if name not in SETTINGS:
        raise DomainError(f"Unknown retrieval variant: '{name}'. Available: {sorted(SETTINGS)}")
    known = SETTINGS[name][1]
    chosen = with_defaults(OPTIONS, options, setting)
    return replace(known, options={**chosen, **known.options}, unplayable=NO_SHELL if Shell in known.tools else None)
