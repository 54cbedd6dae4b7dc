"""The words in which an action is spoken of: before it is done, as an order, and after."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.actions import base_forms, participle, reads, spoken_of, to_be_done, verbs_of


@pytest.mark.parametrize(
    ("verb", "spoken", "coming", "ordered"),
    [
        ("cancel", "cancel", True, True),
        ("cancel", "Cancels", True, False),
        ("cancel", "cancelling", True, False),
        ("cancel", "cancellation", True, False),
        ("cancel", "canceled", False, False),
        ("cancel", "cancelled", False, False),
        ("modify", "modifies", True, False),
        ("modify", "modified", False, False),
        ("change", "changing", True, False),
        ("change", "changed", False, False),
        ("pay", "paid", False, False),
        ("ship", "shipping", True, False),
        ("ship", "shipped", False, False),
        ("send back", "send it back", True, True),
        ("send back", "sending the two items back", True, False),
        ("send back", "sent them back", False, False),
        ("take off", "took it off", False, False),
    ],
)
def test_forms(verb: str, spoken: str, coming: bool, ordered: bool) -> None:
    assert spoken_of((verb,)).fullmatch(spoken)
    assert (to_be_done((verb,)).fullmatch(spoken) is not None) is coming
    assert (base_forms((verb,)).fullmatch(spoken) is not None) is ordered


@pytest.mark.parametrize(
    ("verb", "other"),
    [
        ("cancel", "uncancelled"),
        ("cancel", "canceller"),
        ("add", "address"),
        ("change", "exchange"),
        ("book", "booklet"),
        ("send back", "send"),
        ("send back", "send all four of the items back"),
    ],
)
def test_other_words(verb: str, other: str) -> None:
    assert spoken_of((verb,)).search(other) is None


def test_any_of_several_verbs() -> None:
    assert [found[0] for found in spoken_of(("refund", "pay back")).finditer("refunded, then paid it back")] == [
        "refunded",
        "paid it back",
    ]


def test_a_participle_is_a_pattern() -> None:
    assert (participle("carry"), participle("buy"), participle("play")) == ("carried", "bought", "playy?ed")


def test_a_tools_verbs_follow_from_its_name() -> None:
    assert verbs_of("cancel_pending_order") == ("cancel", "call off")
    assert verbs_of("Update_user") == verbs_of("modify")
    assert "rebook" in verbs_of("modify")
    assert verbs_of("frobnicate_it") == ("frobnicate",)


def test_what_only_reads() -> None:
    assert reads("get_order")
    assert reads("GET")
    assert not reads("getaway")
    assert not reads("cancel_order")


@pytest.mark.parametrize("name", ["retail", "airline", "mock", "telecom"])
def test_no_tool_that_writes_is_named_like_one_that_reads(name: str) -> None:
    writing = [spec.name for spec in load_domain(name).environment().tool_specs("assistant") if spec.kind == "write"]
    assert writing
    assert not [tool for tool in writing if reads(tool)]


@pytest.mark.parametrize(
    ("text", "is_verb"),
    [
        ("I can issue a certificate", True),
        ("3) Issue $200 to you", True),
        ("then I credit you the difference", True),
        ("shall I email it to you", True),
        ("we are issuing it", True),
        ("the phone with the issue", False),
        ("I will look into your network issue.", False),
        ("paid by credit card", False),
        ("is your email still right", False),
        ("the confirmation goes to the email on file", False),
    ],
)
def test_what_is_a_noun_as_well(text: str, is_verb: bool) -> None:
    assert (spoken_of(verbs_of("send_certificate")).search(text) is not None) is is_verb
