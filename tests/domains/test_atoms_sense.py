"""What customers say of what they want makes sense: its words, and one wish beside another."""

import re
from collections.abc import Iterator

import pytest

from pytest_tau.environment.folders import builtin_folder
from tau_workshop.compose import Atom
from tau_workshop.compose.personas import PERSONAS
from tests.builders import workshop_part
from tests.domains.wishes import wishes


def worded(atom: Atom) -> Iterator[str]:
    """Everything that a customer could say about a wish, with and without the numbers of records."""
    revised = (*atom.revision.says, *atom.revision.then) if atom.revision else ()
    for hidden in (False, True):
        told = {name: reference.text(hidden) for name, reference in (atom.refers or {}).items()}
        yield from (text.format_map(told) for text in (*atom.says, *atom.withdraws, *revised, *atom.known))


def test_no_persona_has_an_age_that_a_profile_could_contradict() -> None:
    telecom = workshop_part(builtin_folder("domains", "telecom"), "words")
    texts = [one.text for half in (PERSONAS, *telecom.PERSONAS) for one in half if one.text]
    assert len(texts) >= 24
    for text in texts:
        assert not re.search(r"\d|\b(retired|grand\w+|she|he|her|his)\b", text), text


@pytest.mark.parametrize("name", ["retail", "airline"])
def test_what_is_said_has_no_slip_of_the_pen(name: str) -> None:
    slips = r"\b(\w+) \1\b|\ba [aeio]\w+|\bone more \w+s\b|flights? of it\b|  | [,.?!]|[.?!] [a-z]|[^.?!]$"
    for text in {text for _, atom in wishes(name) for text in worded(atom)}:
        assert not re.search(slips, text), text


@pytest.mark.parametrize("name", ["retail", "airline"])
def test_what_a_customer_is_told_is_sentences(name: str) -> None:
    for text in {text for _, atom in wishes(name) for text in (*atom.manner, atom.about)}:
        assert not re.search(r"[()\[\]]|  | [,.?!]", text), text


@pytest.mark.parametrize("name", ["retail", "airline"])
def test_instructions_mean_the_same_beside_those_of_another_wish(name: str) -> None:
    """ "The same order" is another one where the instructions of another wish come before."""
    told = [text for _, atom in wishes(name) for text in atom.manner]
    assert told
    assert not [text for text in told if re.match(r"[^.]*\bsame (order|trip|reservation)\b", text)]
