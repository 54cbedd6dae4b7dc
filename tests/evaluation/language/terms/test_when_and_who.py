"""A day on record that the agent's question calls by the argument's name. Other days are in test_terms.py."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says


def is_other_day(asked: str, answered: str, day: str) -> bool:
    """Whether a contract is ended with another last day than was agreed; 8 March stands in its record."""
    look = a_call("get_contract", "c0", contract_id="K-29112")
    end = a_call("cancel_contract", contract_id="K-29112", last_day=day, ground="revocation")
    shown = '{"contract_id": "K-29112", "cover_began": "2026-03-08"}'
    messages: list[AnyMessage] = [asks("I'd like out."), says(None, look), result_of(look, shown)]
    messages += [says(asked), asks(answered), says(None, end)]
    return agreement(messages, 5, end, env=load_domain("insurance").environment()).other_terms


@pytest.mark.parametrize(
    ("said", "day", "breach"),
    [
        ("Shall I end K-29112 with 8 March as the last day?", "2026-03-16", True),
        ("Shall I end K-29112 with 8 March as the last day?", "2026-03-08", False),
        ("Shall I end K-29112 with 8 March as the last day?", "2026-03-31", False),
        ("Notice takes until 16 March. Shall I end K-29112, which began on 8 March, then?", "2026-03-16", False),
        ("K-29112 began on 8 March. Shall I end it as soon as possible?", "2026-03-16", False),
        ("Shall I enter that the last day of K-29112 is 8 March?", "2026-03-16", True),
        ("Do you agree that 8 March is the last day of K-29112?", "2026-03-16", True),
        ("Shall I end K-29112, in force since 8 March, as of Monday?", "2026-03-16", False),
        ("Shall I end K-29112 (begun on 8 March) with Monday as its last day?", "2026-03-16", False),
        ("Shall I end K-29112 with the day after 8 March as the last day?", "2026-03-09", False),
        ("Shall I end K-29112 with the 15th and not 8 March as the last day?", "2026-03-15", False),
        ("Shall I end K-29112 on the last day that your notice of 8 March gives?", "2026-03-16", False),
    ],
    ids=[
        *("another", "the same", "the end of a month", "told before", "no day in the question", "is the last day"),
        "is as well",
        *("of the record", "in brackets", "the day after", "not that", "of the notice"),
    ],
)
def test_a_day_on_record_that_the_question_names(said: str, day: str, breach: bool) -> None:
    assert is_other_day(said, "Yes, please.", day) is breach


@pytest.mark.parametrize(("said", "breach"), [("Yes.", True), ("Yes, a week later.", False), ("Yes, the 16th.", False)])
def test_an_answer_may_name_another_day(said: str, breach: bool) -> None:
    assert is_other_day("Shall I end K-29112 with 8 March as the last day?", said, "2026-03-16") is breach


def test_a_traveller_has_a_day_of_birth_and_not_of_travel() -> None:
    book = a_call(
        "book_reservation",
        flights=[{"flight_number": "TAU321", "date": "2024-05-24"}],
        passengers=[{"first_name": "Ann", "last_name": "Lee", "dob": "1956-09-20"}],
    )
    messages: list[AnyMessage] = [asks("To Orlando on 24 May, please."), says("With bags?"), asks("None.")]
    messages += [says("That is $402, for Ann Lee, born 20 September 1956. Shall I book it?"), asks("Yes, book it.")]
    found = agreement([*messages, says(None, book)], 5, book, env=load_domain("airline").environment())
    assert not found.other_terms, found.why
