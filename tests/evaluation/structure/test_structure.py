"""What structure shows of a conversation: the kinds together, and among the violations of a grade."""

from pytest_tau import grade, load_domain
from pytest_tau.evaluation.structure import KINDS, findings
from pytest_tau.schema.messages import AnyMessage, ToolCall
from pytest_tau.schema.simulation import Simulation, Termination
from tests.builders import a_call, asks, result_of, says, task

TELECOM = load_domain("telecom")
LOOK = ToolCall(id="c0", name="get_details_by_id", arguments={"id": "L2105"})
ROAMING = a_call("enable_roaming", customer_id="C2103", line_id="L2105")
CONVERSATION: list[AnyMessage] = [
    says("Hi"),
    asks("Pictures fail. My number is 555-000-0000. (I am C2103, with the line L2105.)"),
    says(None, LOOK),
    result_of(LOOK, '{"line_id": "L2105", "phone_number": "555-123-2001", "status": "Active"}'),
    says("I can enable roaming on your line 555-000-0000 for $7.77. Shall I?"),
    asks("Yes."),
    says(None, ROAMING),
    result_of(ROAMING, "Roaming enabled successfully"),
    says("I have enabled roaming. Your line is active abroad."),
    asks("Thank you. ###STOP###"),
]


def test_each_kind_with_its_turn() -> None:
    found = findings(task(criteria={}, domain="telecom"), CONVERSATION, TELECOM)
    assert [(one.kind, one.turn) for one in found] == [("figures", 4), ("terms", 6), ("claims", 8)]
    assert "555-123-2001" in found[1].why
    assert {one.kind for one in found} <= set(KINDS)


def test_a_loop_and_an_act_that_nobody_agreed_to() -> None:
    loop = [message for _ in range(5) for message in CONVERSATION[2:4]]
    found = findings(task(criteria={}, domain="telecom"), [*CONVERSATION[:2], *loop, *CONVERSATION[6:8]], TELECOM)
    assert {one.kind for one in found} == {"stalled", "consent"}


def test_a_clean_conversation_has_none() -> None:
    look = result_of(LOOK, '{"line_id": "L2105", "phone_number": "555-000-0000", "status": "Active"}')
    proposal = says("I can enable roaming on your line 555-000-0000 for free. Shall I?")
    clean = [*CONVERSATION[:3], look, proposal, *CONVERSATION[5:]]
    assert not findings(task(criteria={}, domain="telecom"), clean, TELECOM)


def test_claims_stand_among_the_violations() -> None:
    played = Simulation(
        id="s", domain="telecom", task_id="t", messages=CONVERSATION, termination_reason=Termination.USER_STOP
    )
    reward = grade(task(criteria={}, domain="telecom"), played, TELECOM, strict=False)
    told = next(one for one in reward.violations if one.dimension == "claims")
    assert told.turn == 8
    assert "never looked at" in told.text
