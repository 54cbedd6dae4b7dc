"""Finds and imports what a domain's author has written for the workshop: atoms, attacks, generators.

It lies under ``workshop/`` beside ``domains/``, at the domain's own path: ``workshop/domains/shop/atoms.py`` belongs to
``domains/shop/``. It is imported as a part of the domain's package, so ``from .tools import ShopTools`` means the
domain's own file.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from types import ModuleType

from pytest_tau.environment.domain import domain_package, load_part
from pytest_tau.environment.folders import builtin_root
from pytest_tau.environment.values import layers

_HERE = Path(__file__).resolve().parent


def has_part(folder: Path, part: str) -> bool:
    """Whether the workshop of a domain folder has this part, as a file or as a folder."""
    return _place_of(folder, part) is not None


def load_workshop_part(folder: Path, part: str) -> ModuleType | None:
    """Import a part of a domain's workshop; None if it has none of that name. Raises DomainError.

    Warns:
        DeprecationWarning: the part still lies in the domain folder itself.
    """
    place = _place_of(folder, part)
    if place is None:
        return None
    if place in layers(folder):
        new = workshop_folder(folder)
        message = f"{folder / part}: what makes tasks is read from {new} now; move it there, this place goes in 0.2"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
    else:
        package = domain_package(folder)
        for near in map(workshop_folder, layers(folder)):  # in this order, or the base's parts hide the domain's own
            if near.is_dir() and str(near) not in package.__path__:
                package.__path__.append(str(near))
    return load_part(folder, part)


def workshop_folder(folder: Path) -> Path:
    """Where the workshop of a domain folder is, or would be."""
    if folder.parent != builtin_root("domains").resolve():
        return folder.parent.parent / "workshop" / folder.parent.name / folder.name
    inside = _HERE / "domains"  # in a wheel; in a checkout they lie beside this package
    return (inside if inside.is_dir() else _HERE.parent / "domains") / folder.name


def _place_of(folder: Path, part: str) -> Path | None:
    file = part.partition(".")[0]
    for place in (place for layer in layers(folder) for place in (workshop_folder(layer), layer)):
        if (place / f"{file}.py").is_file() or (place / file / "__init__.py").is_file():
            return place
    return None
