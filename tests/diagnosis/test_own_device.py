"""What customers tell of their own device, beside the calls on it and what these have shown."""

import pytest

from pytest_tau import load_domain, load_tasks
from pytest_tau.diagnosis.own_device import find_untrue_of_device
from pytest_tau.diagnosis.user_turns import turns_of
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says, u_call


def found_in(messages: list[AnyMessage], domain: str = "telecom") -> str | None:
    """What is said to be untrue in a conversation about the first task of a domain."""
    finding = find_untrue_of_device(load_tasks(domain)[0], messages, list(turns_of(messages)), load_domain(domain))
    return None if finding is None else finding.text


@pytest.mark.parametrize(
    ("domain", "said", "ran", "invented"),
    [
        ("telecom", "I just ran it again, and it is slow.", False, True),
        ("telecom", "I've just restarted the phone. Nothing.", False, True),
        ("telecom", "I just ran it again, and it is slow.", True, False),
        ("telecom", "I've just put my glasses on, the letters are tiny.", False, False),
        ("telecom", "If I just turned it off, would I lose my photos?", False, False),
        ("telecom", "I just wanted to know whether it helps.", False, False),
        ("retail", "I just ran to the door, and there is no parcel.", False, False),
    ],
    ids=["a test", "a restart", "done", "nothing of the phone", "supposed", "a wish", "no device"],
)
def test_what_they_say_to_have_just_done(domain: str, said: str, ran: bool, invented: bool) -> None:
    test = u_call("run_speed_test")
    did: list[AnyMessage] = [asks(None, test), result_of(test, "0.05 Mbps")] if ran else []
    before: list[AnyMessage] = [says("Hi!"), asks("It's slow."), says("Go ahead and run a speed test.")]
    found = found_in([*before, *did, asks(said)], domain=domain)
    assert (found is not None and "has done nothing" in found) is invented


@pytest.mark.parametrize(
    ("said", "ran", "invented"),
    [
        ("I entered my SIM PIN, and there is still no signal.", "check_status_bar", True),
        ("I've entered the PIN now.", None, True),
        ("I entered my SIM PIN, and there is still no signal.", "toggle_data", False),
        ("I checked my SIM, it says locked.", "check_sim_status", False),
        ("Shall I say that I entered my PIN?", None, False),
        ("I ordered this SIM last year.", None, False),
        ("I entered my PIN earlier, and it took it.", None, False),
        ("I entered the wrong street in my order.", None, False),
    ],
)
def test_what_is_said_in_the_agents_own_words_to_be_done(said: str, ran: str | None, invented: bool) -> None:
    call = u_call(ran or "")
    did: list[AnyMessage] = [asks(None, call), result_of(call, "No Signal")] if ran else []
    order = says("Please enter your SIM PIN, and check the status bar. I'll wait.")
    found = found_in([says("Hi!"), asks("No signal."), order, *did, asks(said)])
    assert (found is not None and "as it was told to" in found) is invented


def test_whose_phone_refused_has_tried() -> None:
    call = u_call("toggle_data")
    did: list[AnyMessage] = [asks(None, call), result_of(call, "Error: busy", error=True)]
    order = says("Please toggle your mobile data.")
    assert found_in([says("Hi!"), asks("No data."), order, *did, asks("I toggled my mobile data, nothing.")]) is None


@pytest.mark.parametrize(
    ("asked", "said", "invented"),
    [
        ("Please toggle airplane mode.", "Okay. Turned it on and off.", True),
        ("Please restart your phone.", "Restarted. Nothing.", True),
        ("Please reset the APN, then tell me.", "Okay, I reset it.", True),
        ("Could you please confirm that it's off now?", "Yes, I turned it off.", False),
        ("Can you try a restart?", "Restarted this morning already, no use.", False),
        ("Please reset the APN.", "Okay. Reset what exactly?", False),
        ("Do you agree that I turn on roaming now?", "Yes. Put it on.", False),
        ("Can you confirm that I may reset it now?", "Sure. Reset it.", False),
        ("Now please try again.", "Set it up for me, can't you?", False),
    ],
)
def test_what_is_said_to_be_done_as_told(asked: str, said: str, invented: bool) -> None:
    toggle = u_call("toggle_airplane_mode")
    did: list[AnyMessage] = [asks("No data."), says("Switch it off."), asks(None, toggle), result_of(toggle)]
    messages = [says("Hi!"), *did, asks("Okay."), says(asked), asks(said)]
    found = found_in(messages, domain="telecom")
    assert (found is not None and "has done nothing" in found) is invented


def test_what_was_done_before_the_agent_spoke_a_second_time() -> None:
    toggle = u_call("toggle_airplane_mode")
    did: list[AnyMessage] = [asks("No data."), says("Toggle it."), asks(None, toggle), result_of(toggle)]
    messages = [says("Hi!"), *did, says("And then try the test."), asks("I've just done that.")]
    found = found_in(messages, domain="telecom")
    assert found is None


def test_what_the_agent_did_is_no_deed_of_the_customer() -> None:
    look = a_call("get_customer_by_phone", phone_number="555-284-8846")
    did: list[AnyMessage] = [asks("It's slow."), says(None, look), result_of(look), says("Please run a speed test.")]
    found = found_in([says("Hi!"), *did, asks("I just ran it.")], domain="telecom")
    assert found == "says 'I just ran it.' and has done nothing"


@pytest.mark.parametrize(
    ("said", "untrue"),
    [
        ("I ran it, it says 12 Mbps, fair.", "nothing has shown it 12 mbps"),
        ("It says 275 Mbps.", "nothing has shown it 275 mbps"),  # before it does
        ("My last phone had 5G, and 64 GB.", None),
        ("So it is under 1.5 Mbps, I guess.", None),
        ("Even 100 Mbps would have been fine.", None),
        ("It works 100% of the time, at 64%.", None),
    ],
)
def test_a_reading(said: str, untrue: str | None) -> None:
    slow, fast = u_call("run_speed_test"), u_call("run_speed_test")
    told: list[AnyMessage] = [
        says("Hi!"),
        asks("It's slow."),
        says("Below 1.5 Mbps is poor. Please run a speed test."),
        asks(None, slow),
        result_of(slow, "No Connection."),
        asks(said),
        says("And now?"),
        asks(None, fast),
        result_of(fast, "275.00 Mbps (Excellent)"),
        asks("It says 275 Mbps."),
    ]
    assert found_in(told) == untrue


@pytest.mark.parametrize(
    "said",
    [
        "15.02 Mbps. Is 5 Mbps what one should see?",
        "Somewhere between 10 and 20 Mbps.",
        "It should be 100 Mbps, I think.",
        "I need 25 Mbps for my films.",
        "It's not 100 Mbps, that's for certain.",
        "It's like 2 on a scale to ten.",
    ],
)
def test_a_number_that_is_no_reading(said: str) -> None:
    test = u_call("run_speed_test")
    began: list[AnyMessage] = [says("Hi!"), asks("It's slow."), says("Please run a speed test.")]
    assert found_in([*began, asks(None, test), result_of(test, "15.02 Mbps, 3 on a scale to 5"), asks(said)]) is None


@pytest.mark.parametrize(
    ("shown", "said", "untrue"),
    [("0.27", "0.3", False), ("1.38", "1", False), ("0.05", "0.1", False), ("0.27", "0.4", True), ("3", "2", True)],
)
def test_a_reading_to_fewer_places(shown: str, said: str, untrue: bool) -> None:
    test = u_call("run_speed_test")
    began: list[AnyMessage] = [says("Hi!"), asks("It's slow."), says("Please run a speed test.")]
    found = found_in([*began, asks(None, test), result_of(test, f"{shown} Mbps"), asks(f"It's {said} Mbps.")])
    assert found == (f"nothing has shown it {said} mbps" if untrue else None)


def test_a_reading_that_is_rounded() -> None:
    test = u_call("run_speed_test")
    began: list[AnyMessage] = [says("Hi!"), asks("It's slow."), says("Please run a speed test.")]
    told = [*began, asks(None, test), result_of(test, "48.20 Mbps (Fair)")]
    assert found_in([*told, asks("About 50 Mbps.")]) is None
    assert found_in([*told, asks("About 80 Mbps.")]) == "nothing has shown it 80 mbps"
