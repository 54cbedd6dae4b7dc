"""Actions an agent tells of: conversations written against the rule, and single lines."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told.deeds import Claim, first_false, verbs
from pytest_tau.schema.messages import AnyMessage
from tests.builders import CREATE, a_call, asks, mock, played_calls, result_of, says, u_call
from tests.evaluation.written import Written, check_in, read, retail_check

RETAIL = load_domain("retail")


@pytest.mark.parametrize("written", read("claims"), ids=lambda written: written.name)
def test_conversations(written: Written) -> None:
    check = retail_check(written, "claims")
    assert check.met is (written.verdict == "met"), check.explanation
    assert (check.turn is None) is check.met


@pytest.mark.parametrize("written", read("summaries"), ids=lambda written: written.name)
def test_summaries(written: Written) -> None:
    check = check_in(written.fields.get("domain", "retail"), written.messages, "claims")
    assert check.met is (written.verdict == "met"), check.explanation


CLAIMS = [
    "I've cancelled your order.",
    "Your order has been cancelled.",
    "Your order is now cancelled.",
    "I just cancelled your order.",
    "It was successfully returned.",
    "Your return has been processed.",
    "I have completed the exchange.",
    'I have cancelled your "lamp" order.',
    'You wrote "cancel it", and I have cancelled your order ("#W1").',
]


@pytest.mark.parametrize("line", CLAIMS)
def test_a_deed_that_was_told_and_not_done(line: str) -> None:
    assert first_false([asks("Hi"), says(line)], RETAIL.environment()) == (True, Claim(1, line))


@pytest.mark.parametrize(
    "line",
    [
        *(line.replace(".", "?") for line in CLAIMS),
        *(f"If {line}" for line in CLAIMS),
        "I have not cancelled your order.",
        "I've changed nothing on your account.",
        "I've cancelled none of them.",
        "I have cancelled you no order.",
        "I will have cancelled it by then.",
        "Your order has already been cancelled.",
        "I see that it has been cancelled.",
        "The airline has cancelled it.",
        "I have made sure that an exchange is possible.",
        "I've added up the two items: $41.20 in all.",
        "I have added together what the lamp and the rug cost.",
        'You wrote "I have cancelled my other order", and I found none.',
        "In your words, “my refund has been processed by PayPal”; let me look.",
    ],
)
def test_no_claim(line: str) -> None:
    assert first_false([asks("Hi"), says(line)], RETAIL.environment()) == (False, None)


def test_of_what_no_tool_does_the_agent_must_say_that_it_did_it() -> None:
    env = RETAIL.environment()
    assert first_false([says("You have been reimbursed.")], env) == (False, None)
    assert first_false([says("I have reimbursed you.")], env) == (True, Claim(0, "I have reimbursed you."))


def test_a_deed_that_was_done_is_no_false_claim() -> None:
    told = says("I have created the task.")
    done = played_calls(mock(), a_call("create_task", **CREATE))
    assert first_false([*done, told], mock().environment()) == (True, None)


@pytest.mark.parametrize(
    ("domain", "name", "arguments", "line"),
    [
        ("retail", "modify_pending_order_items", {"order_id": "#W1"}, "I've exchanged the lamp in your pending order."),
        ("telecom", "refuel_data", {"line_id": "L2107"}, "I've booked 2 GB for you."),
        ("insurance", "settle_claim", {"claim_id": "CL-1"}, "I've transferred 250 euros to your account."),
    ],
)
def test_everyday_verbs_tell_of_a_deed(domain: str, name: str, arguments: dict[str, str], line: str) -> None:
    env, call = load_domain(domain).environment(), a_call(name, **arguments)
    assert first_false([asks("Hi"), says(None, call), result_of(call, "{}"), says(line)], env) == (True, None)
    assert first_false([asks("Hi"), says(line)], env) == (True, Claim(1, line))


@pytest.mark.parametrize(
    "line",
    [
        "Your service has been restored.",
        "I'm glad we've restored your service.",
        "We've turned mobile data on and switched Wi-Fi calling off.",
        "The access point settings have been updated and mobile data has been enabled.",
    ],
)
def test_what_the_customer_may_have_done_is_no_false_claim(line: str) -> None:
    env, switched = load_domain("telecom").environment(), u_call("toggle_data")
    before: list[AnyMessage] = [asks("Hi"), says("Please turn data on.")]
    acted: list[AnyMessage] = [asks(None, switched), result_of(switched, "Mobile data is ON.")]
    assert first_false([*before, says(line)], env)[1] is not None
    assert first_false([*before, *acted, says(line)], env)[1] is None


@pytest.mark.parametrize(
    "line", ["I've enabled roaming.", "Your line has been restored.", "2 GB have been added.", "I've restored it."]
)
def test_what_only_the_agent_can_have_done_stays_a_claim(line: str) -> None:
    env, switched = load_domain("telecom").environment(), u_call("toggle_data")
    acted: list[AnyMessage] = [asks(None, switched), result_of(switched, "Mobile data is ON.")]
    assert first_false([asks("Hi"), says("Turn data on."), *acted, says(line)], env)[1] is not None


def test_a_call_that_failed_did_nothing() -> None:
    told = says("I have created the task.")
    failed = played_calls(mock(), a_call("create_task", user_id="nobody", title="Buy stamps"))
    assert first_false([*failed, told], mock().environment()) == (True, Claim(2, told.text))


def test_the_customers_words_and_texts_beside_calls_claim_nothing() -> None:
    line = "I have created the task."
    messages: list[AnyMessage] = [asks(line), says(line, a_call())]
    assert first_false(messages, mock().environment()) == (False, None)


def test_the_first_of_several_false_claims_is_told() -> None:
    lines = [says("I have removed it."), says("I have created the task."), says("I have created it again.")]
    assert first_false(lines, mock().environment()) == (True, Claim(0, "I have removed it."))


def test_a_tool_is_told_by_its_own_verbs_and_those_of_its_name() -> None:
    specs = {spec.name: spec for spec in RETAIL.environment().tool_specs("assistant")}
    assert list(verbs(specs["cancel_pending_order"])) == ["refund", "cancel", "call off"]
