"""Composes tasks: out of what customers want (``atoms.py`` tells a domain author how), or out of what can be wrong
with their things (``faults.py``, as telecom does).

    tasks = generate("retail", n=500, seed=7)

Each task has been proven by playing it (``proof.py``).
"""

from .atoms import (
    Atom,
    Customer,
    Family,
    Fits,
    Introduction,
    Reference,
    Revision,
    look_up,
    on_their_side,
    same_half,
)
from .dual import at_home, home_of, number_in_mail, with_both_sides
from .faults import Combination, Describe, DeviceFault, FaultFamily, TaskTexts, combinations, compose, prove, sample
from .long import Length, compose_long, join, proven_long
from .personas import Part, Persona, half
from .phrases import phrases_of, read_words, with_endings
from .plans import ComposeOptions
from .refusals import because, not_yours, refusing
from .suite import compose_tasks, composing, freeze, generate, generate_long, refuse_other_files, write

__all__ = [
    "Atom",
    "Combination",
    "ComposeOptions",
    "Customer",
    "Describe",
    "DeviceFault",
    "Family",
    "FaultFamily",
    "Fits",
    "Introduction",
    "Length",
    "Part",
    "Persona",
    "Reference",
    "Revision",
    "TaskTexts",
    "at_home",
    "because",
    "combinations",
    "compose",
    "compose_long",
    "compose_tasks",
    "composing",
    "freeze",
    "generate",
    "generate_long",
    "half",
    "home_of",
    "join",
    "look_up",
    "not_yours",
    "number_in_mail",
    "on_their_side",
    "phrases_of",
    "prove",
    "proven_long",
    "read_words",
    "refuse_other_files",
    "refusing",
    "same_half",
    "sample",
    "with_both_sides",
    "with_endings",
    "write",
]


def __getattr__(name: str) -> object:
    """The name that ``ComposeOptions`` had before; to go with the next release."""
    if name == "Knobs":
        import warnings

        warnings.warn("Knobs is ComposeOptions now", DeprecationWarning, stacklevel=2)
        return ComposeOptions
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
