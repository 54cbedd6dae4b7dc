"""The documents of a domain: read when somebody first needs them, once a process, and indexed once more lazily.

``documents/*.md``: a document a file, its id the file's name without the suffix, its title the first heading.
``documents/*.json``: an object or a list of objects with ``id``, ``title`` and ``text`` (or ``content``).
Documents stand in the order of their files' names by code point, those of one file in its order.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from ...errors import DomainError, reason
from ...patterns import UNSPACED
from ..values import layers
from .bm25 import Idf, Index, plus_one

T = TypeVar("T")

# From here on an index is worth keeping on disk: smaller ones are built in less than a second.
KEPT_FROM = 5_000


@dataclass(frozen=True)
class Document:
    """One document of a knowledge base; ``text`` is all of it, in Markdown or plain text."""

    id: str
    title: str
    text: str


def words(text: str) -> list[str]:
    """The words and numbers of a text, whatever their case and the punctuation around them.

    Each letter counts as a word in scripts that put no blank between words.
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")


def title_and_text(document: Document) -> str:
    """What a search looks at by default."""
    return f"{document.title}\n{document.text}"


class Documents:
    """All documents of one folder, in order.

    ``tokens``, ``idf``, ``indexed``: how texts are cut into words, what words weigh, what of a document is searched.
    ``memo``: what is made of the documents once a process, such as their vectors under a model.
    """

    def __init__(
        self,
        folder: Path,
        *,
        tokens: Callable[[str], list[str]] = words,
        idf: Idf = plus_one,
        indexed: Callable[[Document], str] = title_and_text,
    ) -> None:
        self.folder = folder
        self.tokens = tokens
        self._idf = idf
        self._indexed = indexed
        self.memo: dict[Any, Any] = {}
        self._lock = RLock()  # trials run in threads, and the first of them reads and indexes

    @property
    def _all(self) -> tuple[Document, ...]:
        return self._once("documents", lambda: tuple(_read(self.folder)))

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """What is made of the documents, once: the first of several threads that ask makes it."""
        with self._lock:
            if name not in self.memo:
                self.memo[name] = make()
            made: T = self.memo[name]
        return made

    @cached_property
    def by_id(self) -> dict[str, Document]:
        """The documents by id."""
        return {document.id: document for document in self._all}

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, position: int) -> Document:
        return self._all[position]

    def __iter__(self) -> Iterator[Document]:
        return iter(self._all)

    @cached_property
    def content_hash(self) -> str:
        """The hash of all ids, titles and texts, in order."""
        digest = hashlib.sha256()
        for document in self._all:
            for part in (document.id, document.title, document.text):
                raw = part.encode("utf-8", "surrogatepass")
                digest.update(len(raw).to_bytes(8, "little"))
                digest.update(raw)
        return digest.hexdigest()

    def cache_key(self, made: str, *functions: Callable[..., Any]) -> str:
        """A name for a file of what was made of these documents by these functions."""
        ways = " ".join(f"{function.__module__}.{function.__qualname__}" for function in functions)
        return hashlib.sha256(f"{self.content_hash} {made} {ways}".encode()).hexdigest()

    @property
    def index(self) -> Index:
        """The BM25 index: built once a process, or read from disk where another process has built it."""
        return self._once("bm25", lambda: self._build_index() if len(self) < KEPT_FROM else self._load_index())

    def _build_index(self) -> Index:
        return Index.build((self.tokens(self._indexed(document)) for document in self), self._idf)

    def _load_index(self) -> Index:
        path = cache_folder() / f"{self.cache_key('bm25 2', self.tokens, self._idf, self._indexed)}.bm25"
        try:
            index = Index.load(path)
            if index.size == len(self):
                return index
        except (OSError, ValueError):
            pass  # it is built anew
        index = self._build_index()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            index.save(path)
        except OSError:
            pass  # a disk that is full or read-only costs the next process some seconds, and nobody a result
        return index

    def search(self, query: str, number: int) -> list[tuple[Document, float]]:
        """The best documents for a query with their scores, best first; only those that share a word with it."""
        best = self.index.best(self.tokens(query), number)
        return [(self._all[position], score) for position, score in best if score > 0]


def cache_folder() -> Path:
    """Where indexes are kept: ``pytest-tau/documents`` in the user's cache folder, as XDG names it."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "pytest-tau" / "documents"


def _read(folder: Path) -> Iterator[Document]:
    # A ghost of a domain holds only the documents that differ.
    folders = [below for layer in reversed(layers(folder.parent)) if (below := layer / folder.name).is_dir()] or [
        folder
    ]
    try:
        paths = {name: below / name for below in folders for name in os.listdir(below)}
    except OSError as error:
        raise DomainError(f"{folder}: the documents cannot be read: {reason(error)}") from None
    names = sorted(name for name in paths if name.endswith((".md", ".json")) and name[0] != ".")
    if not names:
        raise DomainError(f"{folder}: there are no documents (*.md or *.json) in it")
    seen: dict[str, Path] = {}
    for name in names:
        for written in _of_file(path := paths[name]):
            # One and the same letter may be written as one sign or as two, and others write it the other way.
            parts = (written.id, written.title, written.text)
            document = Document(*(unicodedata.normalize("NFC", part) for part in parts))
            # A result names a document on a line of its own, from which grading takes the id without blanks around it.
            if [document.id] != document.id.strip().splitlines():
                where = f"{path}: the id {document.id!r} has a blank at an end or a line break in it"
                raise DomainError(f"{where}, so nobody could tell that it was found; take that out of the id")
            if document.id in seen:
                where = " and ".join(dict.fromkeys((seen[document.id].name, name)))
                raise DomainError(f"{folder}: two documents have the id '{document.id}', in {where}; ids must differ")
            seen[document.id] = path
            yield document


def _of_file(path: Path) -> Iterator[Document]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DomainError(f"{path}: the document cannot be read: {reason(error)}") from None
    if path.suffix == ".md":
        yield Document(path.stem, _heading(text) or path.stem, text)
    else:
        yield from _objects(text, path)


def _heading(text: str) -> str | None:
    found = re.search(r"^#+[ \t]+(.+?)[ \t#]*$", text, re.MULTILINE)
    return found[1] if found else None


def _objects(text: str, path: Path) -> Iterator[Document]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DomainError(f"{path}: not valid JSON: {error}") from None
    for position, item in enumerate(content if isinstance(content, list) else [content]):
        where = f"{path}[{position}]" if isinstance(content, list) else str(path)
        if not isinstance(item, dict):
            raise DomainError(f"{where}: a document must be an object with id, title and text")
        body = item.get("text", item.get("content"))
        for key, value in (("id", item.get("id")), ("title", item.get("title", "")), ("text", body)):
            if not isinstance(value, str) or (key == "id" and not value):
                raise DomainError(f"{where}: a document needs a text '{key}'")
        yield Document(item["id"], item.get("title", ""), body or "")
