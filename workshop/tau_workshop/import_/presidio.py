"""Presidio as a finder of what tells of people: names and places by a spaCy model, and numbers that we do not know.

``pip install "pytest-tau[privacy]"`` brings the library. The models for languages are downloads of their own, and
nothing is downloaded here: those that are installed are used.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
from collections.abc import Mapping

from pytest_tau.errors import SettingsError, from_where

# What our own patterns look for (the library's check of an e-mail address asks the network), and what tells of nobody
# or is seen everywhere.
_LEFT_OUT = {"EMAIL_ADDRESS", "PHONE_NUMBER", "CREDIT_CARD", "IBAN_CODE", "URL", "DATE_TIME", "UUID", "ORGANIZATION"}
_KINDS = {"PERSON": "name", "LOCATION": "place"}
_SURE = 0.5  # of 1; below are numbers that any number may be
_AT_ONCE, _OVERLAP = 100_000, 200  # characters
_SIZES = ("sm", "md", "lg", "trf")


class Presidio:
    """The library, ready to be asked; ``find`` is a ``pytest_tau_find_personal``.

    Attributes:
        models: names of spaCy models, or folders of such, by the code of their language. With none, only patterns for
            English are used.
    """

    def __init__(self, models: Mapping[str, str]) -> None:
        """Load the library and the models.

        Raises:
            SettingsError: the library is not installed, or a model cannot be loaded.
        """
        self.models = dict(models)
        logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
        try:
            spacy, library = importlib.import_module("spacy"), importlib.import_module("presidio_analyzer")
            engine = importlib.import_module("presidio_analyzer.nlp_engine").SpacyNlpEngine()
            # Loaded here, as the engine would download what is missing.
            engine.nlp = {code: spacy.load(name) for code, name in models.items()} or {"en": spacy.blank("en")}
            self._engine = library.AnalyzerEngine(nlp_engine=engine, supported_languages=list(engine.nlp))
            self._wanted = {
                code: sorted({*self._engine.get_supported_entities(code)} - _LEFT_OUT) for code in engine.nlp
            }
        except ImportError as error:
            raise SettingsError(f'Presidio is not there: {error}; pip install "pytest-tau[privacy]"') from None
        except Exception as error:  # of a model of somebody's own
            raise SettingsError(
                f"Presidio with {', '.join(models.values()) or 'no model'}: {from_where(error)}"
            ) from None

    def find(self, text: str) -> list[tuple[str, str]]:
        """Kind and value of what tells of people in a text."""
        found = []
        for begin in range(0, len(text), _AT_ONCE):
            part = text[begin : begin + _AT_ONCE + _OVERLAP]
            for code, entities in self._wanted.items():
                for one in self._engine.analyze(part, code, entities=entities, score_threshold=_SURE):
                    kind = _KINDS.get(one.entity_type, one.entity_type.lower())
                    found.append((kind, part[one.start : one.end]))
        return found

    @property
    def told(self) -> str:
        """What was looked for with it and what was not, as the import says it."""
        if self.models:
            return f"also by Presidio with {', '.join(self.models.values())}; not looked for: employers and health"
        return "also by Presidio; no spaCy model is installed, so not looked for: cities, employers, health, and names"


def installed_presidio() -> Presidio | None:
    """The library with the largest installed model of each language; None where it is not installed."""
    if importlib.util.find_spec("presidio_analyzer") is None:
        return None
    names = importlib.import_module("spacy").util.get_installed_models()
    by_size = sorted(names, key=lambda name: next((n for n, size in enumerate(_SIZES) if name.endswith(size)), -1))
    return Presidio({name.partition("_")[0]: name for name in by_size})
