"""The ready-made tools over a domain's documents, each with a limit on what it gives at once.

A result names each document it shows on a line of its own, ``ID: …``, which is how grading knows what was found.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from itertools import islice
from typing import Any

from ...printable import count_of, cut
from ..toolkit import Toolkit, tool
from .store import Document, Documents, title_and_text, words
from .vectors import RetrievalModels, require_models

QUERY = 400  # characters of a query that are looked at; a longer one is a mistake
EXCERPT = 300  # characters of a document that a search shows
LINES = 3  # lines of a document that grep_documents shows
PAGE = 8_000  # characters of a document that read_document gives at once


class DocumentTools(Toolkit):
    """What the tools over documents share.

    ``documents``, ``knowledge``: of the domain, set on the toolkit that it is equipped with. ``models``: whom a search
    asks, where the knowledge setting needs a model for that.
    """

    documents: Documents
    knowledge: Any  # a Knowledge; tools and settings know each other
    models: RetrievalModels | None


class SearchDocuments(DocumentTools):
    """Search by words."""

    @tool(reads=True, documents="found")
    def search_documents(self, query: str) -> str:
        """Search the knowledge base for documents about something. Gives the best matches with an excerpt of each.

        Read a document with read_document before you rely on it.

        Args:
            query: A few words that such a document holds.
        """
        return _hits(query, [document for document, _ in self.documents.search(_query(query), _limit(self))])


class SearchByMeaning(DocumentTools):
    """Search by meaning, with vectors that a model gives."""

    @tool(reads=True, documents="found")
    def search_documents(self, query: str) -> str:
        """Search the knowledge base for documents about something. Gives the best matches with an excerpt of each.

        Read a document with read_document before you rely on it.

        Args:
            query: What such a document is about, in a few words or a sentence.
        """
        models, documents = require_models(self.knowledge.model, self.models), self.documents
        best = models.nearest(self.knowledge.model, documents, title_and_text, _query(query), _limit(self))
        return _hits(query, [documents[position] for position, _ in best])


class GrepDocuments(DocumentTools):
    """Search for exact texts."""

    @tool(reads=True, documents="found")
    def grep_documents(self, text: str) -> str:
        """Find the documents that hold a text exactly as given, but for case. Shows the lines where it stands.

        Args:
            text: A word, number or phrase; several are separated by |, and any of them counts.
        """
        wanted = [part.strip() for part in _query(text).split("|") if part.strip()]
        if not wanted:
            raise ValueError("Say which text to look for.")
        # The parts are texts, not patterns: a pattern from outside could keep the machine busy for hours.
        pattern = re.compile("|".join(r"\s+".join(map(re.escape, part.split())) for part in wanted), re.IGNORECASE)
        found = [document for document in self.documents if pattern.search(document.text)]
        limit = self.knowledge.options["grep_top_k"]
        entries = [_entry(number, one, _lines(one.text, pattern)) for number, one in enumerate(found[:limit], 1)]
        if not entries:
            return f"No document holds '{text}'."
        more = len(found) - limit
        return "\n\n".join([*entries, f"{more} more documents hold it; be more specific."] if more > 0 else entries)


class ReadDocument(DocumentTools):
    """Read a document."""

    @tool(reads=True, documents="read")
    def read_document(self, document_id: str, page: int = 1) -> str:
        """Read a document of the knowledge base. A long one comes in pages.

        Args:
            document_id: The document's ID, as a search gives it.
            page: Which page, from 1.
        """
        document = self.documents.by_id.get(document_id)
        if document is None:
            close = difflib.get_close_matches(document_id, self.documents.by_id, n=3)
            raise ValueError(
                f"There is no document '{document_id}'." + (f" Close to it: {', '.join(close)}." * bool(close))
            )
        pages = [document.text[start : start + PAGE] for start in range(0, len(document.text), PAGE)] or [""]
        if not 1 <= page <= len(pages):
            raise ValueError(f"Document '{document_id}' has {count_of(len(pages), 'pages')}.")
        of = f"\n   Page: {page} of {len(pages)}" if len(pages) > 1 else ""
        return f"{document.title}\n   ID: {document.id}{of}\n\n{pages[page - 1]}"


def _query(query: str) -> str:
    if not query.strip():
        raise ValueError("Say what to look for.")
    if len(query) > QUERY:
        raise ValueError(f"The query is too long: {QUERY} characters are enough.")
    return unicodedata.normalize("NFC", query)  # as the documents are


def _limit(toolkit: DocumentTools) -> int:
    limit: int = toolkit.knowledge.options["top_k"]
    return limit


def _hits(query: str, found: Sequence[Document]) -> str:
    if not found:
        return f"No document matches '{query}'. Try other words."
    return "\n\n".join(_entry(number, one, _excerpt(one, query)) for number, one in enumerate(found, 1))


def _entry(number: int, document: Document, shown: str) -> str:
    return f"{number}. {document.title}\n   ID: {document.id}\n{shown}"


def _excerpt(document: Document, query: str) -> str:
    """The line that holds most words of the query, cut to fit."""
    wanted = set(words(query))
    lines = [line.strip() for line in document.text.splitlines() if line.strip() and not line.startswith("#")]
    best = max(lines, key=lambda line: len(wanted & set(words(line))), default="")
    return f"   {cut(best, EXCERPT, ' …')}"


def _lines(text: str, pattern: re.Pattern[str]) -> str:
    found: dict[int, str] = {}
    for match in pattern.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        # What a line break divides is shown as one line.
        found.setdefault(start, " ".join(text[start : len(text) if end < 0 else end].split("\n")))
    return "\n".join(f"   {cut(line.strip(), EXCERPT, ' …')}" for line in islice(found.values(), LINES))
