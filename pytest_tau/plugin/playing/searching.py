"""The models that an agent's searching asks in a run: under its limits and prices, recorded with its cassettes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from ..run import Run

if TYPE_CHECKING:
    from ...environment.documents.store import Documents
    from ...environment.documents.vectors import Text
    from ...llm.cassette import Mode
    from ...llm.searching import SearchModels

FOLDER = "searches"


class Searching:
    """RetrievalModels that are made when a search first asks one: most runs never do."""

    def __init__(self, run: Run) -> None:
        self._run = run

    @cached_property
    def _models(self) -> SearchModels:
        from ...llm.searching import SearchModels
        from .models import cassettes_folder, models

        chosen, made = self._run.settings, models(self._run)
        off = chosen.cassette == "off"
        return SearchModels(
            made.search_client,
            made.embedding_client,
            recordings=None if off else cassettes_folder(self._run) / FOLDER,
            mode="auto" if off else cast("Mode", chosen.cassette),
        )

    def nearest(
        self, model: str, documents: Documents, text: Text, query: str, number: int
    ) -> Sequence[tuple[int, float]]:
        """The positions of the documents nearest to a query under a model, with the cosine, nearest first."""
        return self._models.nearest(model, documents, text, query, number)

    def ratings(self, model: str, query: str, texts: Sequence[str]) -> Sequence[float | None]:
        """How well each text answers a query, from 0 to 10."""
        return self._models.ratings(model, query, texts)

    def take_cost(self) -> float | None:
        """What this thread's searches have cost since it was asked last."""
        return self._models.take_cost() if "_models" in vars(self) else 0.0
