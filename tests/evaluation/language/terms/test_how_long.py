"""A number of months that both sides named, beside the call's."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, says


def are_other_months(said: list[AnyMessage]) -> bool:
    """Whether a pause of three months is for another time than was agreed."""
    pause = a_call("run_procedure", procedure="payment_pause", details={"contract_id": "K-29121", "months": 3})
    env = load_domain("insurance").environment()
    return agreement([*said, says(None, pause)], len(said), pause, env=env).other_terms


@pytest.mark.parametrize(
    ("wish", "proposal", "breach"),
    [
        ("Then rather two months.", "I'd enter a pause of two months for K-29121. Do you agree?", True),
        ("Two months.", "K-29121 pauses for 2 months, shared out over the next 12 months. Do you agree?", True),
        ("Two months or, well, three months.", "I'd enter a pause of two months for K-29121. Do you agree?", False),
        ("Three months.", "K-29121 pauses, and that is shared out over twelve months. Do you agree?", False),
        ("As long as possible.", "I'd enter a pause of two months for K-29121. Do you agree?", False),
        ("Two months.", "K-29121 pauses for two months, or three months at most. Do you agree?", False),
        ("Please pause it for two months.", "Shall I pause K-29121 for two months?", True),
        ("I've been ill for two months.", "Ill for two months, I see. I'd pause K-29121 for a quarter. Okay?", False),
        ("A quarter; two months are paid.", "Two months are paid, and K-29121 pauses for a quarter. Okay?", False),
        ("Two months plus one.", "K-29121 pauses for two months plus one. Okay?", False),
        ("Two months each.", "K-29121 pauses for two months each. Okay?", False),
        ("In two months.", "K-29121 pauses in two months. Okay?", False),
        ("Two months.", "Two months for K-29121 cost $5, the most nothing. Do you agree to the most?", False),
        ("Two months, no, a quarter.", "Two months, no, a quarter for K-29121. Okay?", False),
    ],
    ids=[
        *("agreed", "beside another", "taken back", "of something else", "not the customer's", "left open"),
        *("ordered", "how long ago", "paid", "and one", "each", "in", "leave to another", "corrected"),
    ],
)
def test_how_long_both_sides_named_last(wish: str, proposal: str, breach: bool) -> None:
    said: list[AnyMessage] = [asks("A pause, please."), says("How long?"), asks(wish), says(proposal), asks("Yes.")]
    assert are_other_months(said) is breach


@pytest.mark.parametrize(
    ("said", "breach"), [("Yes.", True), ("Yes, but make it three.", False), ("The maximum then, yes.", False)]
)
def test_how_long_an_answer_makes_it(said: str, breach: bool) -> None:
    wish, proposal = "A pause of two months, please.", "I pause K-29121 for two months. Okay?"
    assert are_other_months([asks(wish), says(proposal), asks(said)]) is breach
