"""How composed customers are, and which of them and their words belong to which suite."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_workshop.compose.personas import LINKS, NEXT, PERSONAS, REST, Part, Persona, half, halved_personas
from tau_workshop.dataset.making import PARTS

KINDS = ("helpful", "impatient", "rambling", "distrustful", "unsure")
QUARTERS: list[Part] = [(0, 4), (1, 4), (2, 4), (3, 4)]


@given(st.lists(st.integers()), st.integers(1, 4))
def test_the_parts_together_are_all_and_no_two_have_one_in_common(words: list[int], of: int) -> None:
    parts = [half(words, (number, of)) for number in range(of)]
    assert Counter(word for part in parts for word in part) == Counter(words)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert (half(words, 0), half(words, 1)) == (half(words, (0, 2)), half(words, (1, 2)))
    assert half(words, None) == words


def test_the_splits_of_a_data_set_have_no_word_in_common() -> None:
    places = [half(range(100), part) for part in PARTS.values()]
    assert sum(map(len, places)) == 100
    assert len({place for own in places for place in own}) == 100


def test_there_are_as_many_of_each_kind() -> None:
    assert Counter(persona.name for persona in PERSONAS) == dict.fromkeys(KINDS, 4)


@pytest.mark.parametrize("part", QUARTERS)
def test_each_of_four_suites_has_one_of_each_kind(part: Part) -> None:
    assert Counter(persona.name for persona in halved_personas(part)) == dict.fromkeys(KINDS, 1)
    assert [persona.name for persona in halved_personas(part, "unsure")] == ["unsure"]


def test_no_two_suites_have_a_persona_in_common() -> None:
    texts = [persona.text for part in QUARTERS for persona in halved_personas(part)]
    assert sorted(map(str, texts)) == sorted(str(persona.text) for persona in PERSONAS)
    assert halved_personas(None, "rude") == []


def test_no_two_suites_have_an_opening_in_common() -> None:
    opened = [{re.split(r"(?<=[.!?])", text)[0] for text in (*one.one, *one.several)} for one in PERSONAS]
    shared = [(a, b) for place, a in enumerate(opened) for b in opened[:place] if a & b]
    assert shared == []


@pytest.mark.parametrize("words", [LINKS, NEXT, REST], ids=["links", "next", "rest"])
def test_each_of_four_suites_has_words_to_go_on_with(words: tuple[str, ...]) -> None:
    assert all(half(words, part) for part in QUARTERS)
    assert len(set(words)) == len(words)


def test_what_goes_on_takes_the_wish() -> None:
    assert all(word.count("{wish}") == 1 and word.endswith("{wish}") for word in (*LINKS, *NEXT))
    assert not any("{" in word for word in REST)


@pytest.mark.parametrize("persona", PERSONAS, ids=lambda persona: persona.name)
def test_an_opening_is_a_sentence_and_names_records_alone(persona: Persona) -> None:
    assert all(set(re.findall(r"{\w+}", text)) <= {"{noun}"} for text in persona.several)
    assert all(text[-1] in ".!" and "{" not in text for text in persona.one)
    assert all(text[-1] in ".!?" for text in persona.several)


def test_everybody_opens_in_ways_of_their_own() -> None:
    for openings in ([one.one for one in PERSONAS], [one.several for one in PERSONAS]):
        assert {len(own) for own in openings} == {3}
        assert len({text for own in openings for text in own}) == 3 * len(PERSONAS)
