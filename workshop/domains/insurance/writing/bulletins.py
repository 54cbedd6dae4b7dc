"""Bulletins, which set a rule aside for a while, and product guides, which decide nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tau_workshop.compose import phrases_of

write = phrases_of(__file__, "documents.toml")


def bulletins() -> Iterator[tuple[str, str]]:
    """The id and text of every bulletin."""
    yield from write("bulletins").items()


def guides() -> Iterator[tuple[str, str]]:
    """The id and text of every product guide."""
    yield from write("guides").items()
