"""What the user audit finds in conversations with one rule broken, and what it leaves alone."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.user_audit import EVASIONS, OPERATORS, Played, corrupted
from pytest_tau import AssistantMessage, UserMessage, load_domain, load_tasks, simulate
from pytest_tau.diagnosis import user_audit as rules
from pytest_tau.diagnosis.trivial import TRIVIAL
from pytest_tau.diagnosis.user_audit import SPOILING, audit_user, user_audit
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, core, mock, result_of, says
from tests.diagnosis.audited import CLEAN, INSTRUCTIONS, changed, played, simulation, stamps

FOREIGN: list[AnyMessage] = [
    says("Hi! How can I help you today?"),
    says("I found your account. Would you like me to cancel your order #W11? Please confirm."),
    says("Your refund has been processed to your original payment method."),
]


def test_a_customer_in_a_circle_is_read_once() -> None:
    assert ("denied knowing", 3) not in played(changed(3, "yes. " * 10_000))


def test_a_customer_who_keeps_to_the_rules() -> None:
    assert played(CLEAN) == []


@pytest.mark.parametrize("rule", rules.RULES)
@pytest.mark.parametrize("seed", range(3))
def test_each_operator_is_caught_by_its_rule(rule: str, seed: int) -> None:
    one = Played(stamps(), simulation(CLEAN), mock())
    other = Played(stamps().model_copy(update={"id": "other"}), simulation(FOREIGN), mock())
    worse = corrupted(one, rule, [other], seed)
    assert worse is not None
    assert rule in {finding.rule for finding in user_audit(one.task, worse, one.domain)}
    assert list(OPERATORS) == list(rules.RULES)


class TestCopied:
    def test_a_run_of_words(self) -> None:
        said = changed(1, "Hi, you want a reminder on your list for buying stamps, ok?")
        assert ("copied instructions", 1) in played(said)

    def test_a_scenario_in_the_first_person_is_the_customers_own_words(self) -> None:
        own = "I want a reminder on my list for buying stamps. Can you do that for me today?"
        assert played(changed(1, own), reason_for_call=own) == []


class TestDisclosed:
    EVERYTHING = (
        "I am Ada Brook, user id ada_brook_4417, zip code 28869, and I want a reminder on my list for buying stamps as "
        "my letters to Porto are overdue. If you propose a description for the reminder I accept it, but only once."
    )

    def test_at_once(self) -> None:
        assert played(changed(1, self.EVERYTHING)) == [("disclosed everything", 1)]

    def test_what_was_said_before_is_not_told_again(self) -> None:
        first = "I am Ada Brook and want a reminder on my list for buying stamps, since letters to Porto are overdue."
        again: list[AnyMessage] = [asks(first), says("Sorry, what?"), asks(self.EVERYTHING)]
        assert played([CLEAN[0], *again, *CLEAN[2:]]) == []

    def test_without_anything_to_hold_back(self) -> None:
        scenario: dict[str, Any] = INSTRUCTIONS | {"known_info": None}
        assert "disclosed everything" not in dict(played(changed(1, self.EVERYTHING), **scenario))


class TestInvented:
    @pytest.mark.parametrize(
        "claim", ["My zip code is 10001.", "I am ada_brook_9999.", "My name is Zoe Falk.", "It was on March 3."]
    )
    def test_what_nobody_said(self, claim: str) -> None:
        assert ("invented fact", 5) in played(changed(5, f"Yes. {claim}"))

    @pytest.mark.parametrize("claim", ["You have 28869 for my zip.", "That is task_77001.", "My name is Ada Brook."])
    def test_what_was_said_or_shown(self, claim: str) -> None:
        assert played(changed(9, f"Good. {claim} ###STOP###")) == []

    def test_what_their_own_device_shows(self) -> None:
        domain = load_domain("telecom")
        task = load_tasks("telecom")[0]
        number = next(iter(domain.environment(task).dump()["user"]["surroundings"].values()), "")
        assert number is not None
        simulation = simulate(task, domain)
        assert user_audit(task, simulation, domain) == []


class TestSpokeAsAgent:
    def test_not_who_quotes_the_agent(self) -> None:
        said = 'Does "back on your gift card" mean that I have more afterwards?'
        assert ("spoke as agent", 5) not in played(changed(5, said))

    @pytest.mark.parametrize(
        "line",
        [
            "How can I help you today?",
            "Could you please provide your user ID?",
            "I have cancelled your order.",
            '{"message": "done"}',
            "Would you like me to process that?",
        ],
    )
    def test_lines_of_agents(self, line: str) -> None:
        assert ("spoke as agent", 5) in played(changed(5, f"Yes. {line}" if line[0] != "{" else line))

    @pytest.mark.parametrize(
        "line",
        [
            "Thank you for your help.",
            "What is your policy on orders?",
            "Would you like my order number?",
            "Will your colleague refund me the order?",
        ],
    )
    def test_lines_of_customers(self, line: str) -> None:
        assert played(changed(5, f"Yes, good. {line}")) == []

    def test_reading_out_what_a_device_says(self) -> None:
        looked = a_call("check_notifications").model_copy(update={"requestor": "user"})
        shown = result_of(looked, "Your account has 2 messages.")
        messages = [*CLEAN[:5], UserMessage(tool_calls=[looked]), shown, asks(f"It says: {shown.content}"), *CLEAN[4:]]
        assert played(messages) == []


class TestContradiction:
    def test_two_zip_codes(self) -> None:
        assert ("contradiction", 5) in played(changed(5, "Yes. As I said, my zip code is 28860."))

    def test_a_correction(self) -> None:
        found = played(changed(5, "Yes. Sorry, I was wrong. My zip code is 28860."))
        assert "contradiction" not in dict(found)

    def test_two_that_the_scenario_knows(self) -> None:
        known = f"{INSTRUCTIONS['known_info']} You move from 28869 to 97201."
        assert played(changed(5, "Yes. The zip code is 97201."), known_info=known) == []


class TestIgnored:
    def asked_again(self, first: str, second: str) -> list[AnyMessage]:
        ask = CLEAN[4]
        return [*CLEAN[:4], ask, asks(first), ask, asks(second), *CLEAN[4:]]

    def test_twice_beside_the_question(self) -> None:
        assert played(self.asked_again(*EVASIONS[:2])) == [("ignored question", 7)]

    @pytest.mark.parametrize("answer", ["Yes.", "I do not know.", "What for?", "That description is good."])
    def test_an_answer_in_between(self, answer: str) -> None:
        assert played(self.asked_again(EVASIONS[0], answer)) == []

    def test_an_id_it_knows_and_does_not_name(self) -> None:
        ask = says("Could you please provide your user ID?")
        other = says("I need your user ID for that, and the name of the list.")
        said = [CLEAN[0], CLEAN[1], ask, asks("I am not sure."), other, asks("There is only one list."), *CLEAN[2:]]
        assert played(said) == [("ignored question", 5)]
        unknown = {"known_info": "You are a guest, and nobody gave you an id."}
        assert "ignored question" not in dict(played(said, **unknown))


def test_solo_has_no_customer() -> None:
    alone = simulation(changed(5, "How can I help you?")).model_copy(update={"solo": True})
    assert user_audit(stamps(), alone) == []


def _plays() -> Iterator[tuple[str, str]]:
    for domain in ("airline", "retail", "mock", "telecom"):
        for agent in ("oracle", "noop", "faulty", *sorted(set(TRIVIAL) - {"noop"})):
            yield domain, agent


@pytest.mark.parametrize(("name", "agent"), list(_plays()))
def test_the_scripted_customer_keeps_to_the_rules(name: str, agent: str) -> None:
    domain = load_domain(name)
    for task in core(name)[::5]:
        simulation = simulate(task, domain, TRIVIAL[agent](task) if agent in TRIVIAL else agent)
        assert user_audit(task, simulation, domain) == []


def test_whatever_is_said_there_is_an_answer() -> None:
    odd: list[AnyMessage] = [AssistantMessage(content=""), UserMessage(content="\x00 ### \ud7ff {"), UserMessage()]
    assert user_audit(stamps(), simulation(odd)) == []


def test_findings_of_a_conversation_say_whether_they_spoil_it() -> None:
    messages = [*CLEAN[:5], asks("Thank you so much! ###STOP###")]
    (found,) = audit_user(stamps(), messages, mock())
    assert found == ("stopped early", 5, "stopped at 'Shall I?'", True)
    (made_up,) = audit_user(stamps(), changed(3, "Ada Brook, 28869. How can I help you today?"), mock())
    assert (made_up.rule, made_up.spoils) == ("spoke as agent", False)


@pytest.mark.parametrize(
    ("said", "invented"),
    [
        ("I was born on 4 March 1975.", True),
        ("My date of birth is 1972-03-04.", False),
        ("I was born on March 4, 1972", False),
    ],
)
def test_a_birth_date_is_compared_with_its_year(said: str, invented: bool) -> None:
    known = "You are Ada Brook, user id ada_brook_4417, zip 28869, born on 1972-03-04."
    found = played(changed(3, f"Ada Brook, 28869. {said}"), known_info=known)
    assert [rule for rule, _ in found] == (["invented fact"] if invented else [])


@pytest.mark.parametrize(
    ("said", "invented"),
    [
        ("I paid $417.35 for them.", True),
        ("I bought them about two weeks ago.", True),
        ("I bought them some time ago.", False),
        ("That is fine.", False),
    ],
)
def test_an_amount_and_a_time_past_can_be_made_up(said: str, invented: bool) -> None:
    found = played(changed(5, f"Yes. {said}"))
    assert [rule for rule, _ in found] == (["invented fact"] if invented else [])


@pytest.mark.parametrize(
    ("said", "invented"),
    [
        ("Two weeks later, on June 1, works.", False),
        ("The Friday after, May 24, please.", False),
        ("A month later then: June 18.", False),
        ("That's about $135 for both.", False),
        ("Half of it would be $67.75?", False),
        ("If you keep 10 % of the lamp that's $9.00.", False),
        (f"It cost $1{'0' * 308}.", False),
        ("I need it on August 9.", True),
        ("I paid about $732 for it.", True),
    ],
)
def test_what_follows_from_what_it_knows_is_not_made_up(said: str, invented: bool) -> None:
    told = "You know that the lamp is $89.99, the bottle $45.50, and a fee of 10 % is kept. It comes on May 18."
    found = played(changed(1, said), known_info=f"{INSTRUCTIONS['known_info']} {told}")
    assert [rule for rule, _ in found if rule == "invented fact"] == ["invented fact"] * invented


@pytest.mark.parametrize(
    ("said", "invented"),
    [("2890 minus 75, I'd say.", False), ("2980 minus 75, I'd say.", True), ("Voucher 4815162342.", True)],
)
def test_a_number_may_be_an_amount_without_its_sign(said: str, invented: bool) -> None:
    told = "By your reckoning you get $2,815, with a deductible of $75."
    found = played(changed(1, said), known_info=f"{INSTRUCTIONS['known_info']} {told}")
    assert ("invented fact" in [rule for rule, _ in found]) is invented


@pytest.mark.parametrize(
    ("told", "invented"), [("The lamp was $40.", []), ("The lamp was €40.", ["invented fact"]), ("", ["invented fact"])]
)
def test_an_amount_in_money_that_nobody_else_speaks_of_is_of_somewhere_else(told: str, invented: list[str]) -> None:
    known = {"known_info": f"{INSTRUCTIONS['known_info']} {told}"}
    found = played(changed(1, "Ada Brook, 28869. Is it free? In Spain I paid 90 euros for that."), **known)
    assert [rule for rule, _ in found] == invented


def test_who_spoke_of_other_money_may_do_so_again() -> None:
    known = {"known_info": f"{INSTRUCTIONS['known_info']} The lamp was $40."}
    messages = changed(1, "Hello, is it free? In Spain I paid 90 euros for that.")
    messages[2] = says("90 euros is a lot! Here it is free. What is your user ID?")
    messages[3] = asks("It's ada_brook_4417, and in France it was 137 euros.")
    assert played(messages, **known) == []


def test_other_money_in_a_line_hides_no_invented_amount() -> None:
    known = {"known_info": f"{INSTRUCTIONS['known_info']} The lamp was $40."}
    found = played(changed(1, "Hello, my lamp cost $770. In Spain I paid 90 euros for that."), **known)
    assert found == [("invented fact", 1)]


@pytest.mark.parametrize("told", ["You want to pay $60,000.", "You want to pay $60k."])
@pytest.mark.parametrize("said", ["I pay $60k for it.", "I pay $60.000 for it.", "I pay $60,000 for it."])
def test_an_amount_may_be_written_otherwise(told: str, said: str) -> None:
    found = played(changed(1, said), known_info=f"{INSTRUCTIONS['known_info']} {told}")
    assert "invented fact" not in [rule for rule, _ in found]


@pytest.mark.parametrize(
    ("said", "then", "invented"),
    [
        ("It's ada_brook_4417, and 28896.", "Sorry, I mistyped: 28869.", False),
        ("It's ada_brook_4417, and 28896. Argh, 28869.", "Yes.", False),
        ("It's ada_brook_4417, and 28896.", "Yes, 28869 it is.", True),
        ("It is about task_77 and ada_brook_4417.", "Yes.", True),
    ],
)
def test_a_slip_is_set_right_at_once_or_in_the_next_line(said: str, then: str, invented: bool) -> None:
    messages = [*CLEAN[:3], asks(said), says("I do not find you."), asks(then), *CLEAN[4:]]
    assert ("invented fact" in [rule for rule, _ in played(messages)]) is invented


def test_a_slip_of_an_order_number_needs_a_word_for_it() -> None:
    known = f"{INSTRUCTIONS['known_info']} The order is #W1001234."
    assert "invented fact" in [r for r, _ in played(changed(1, "It is #W7777777 and #W1001234."), known_info=known)]
    assert "invented fact" not in [r for r, _ in played(changed(1, "#W7777777, oops, #W1001234."), known_info=known)]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(" ".join(f"#W{one}" for one in range(1_000_000, 1_012_000)), marks=pytest.mark.slow),
        "2024-05-01 " * 10_000,
        " ".join(
            f"{day} {month} 2024," for _ in range(100) for month in ("May", "June", "July") for day in range(1, 31)
        ),
    ],
    ids=["ids", "one day", "days"],
)
def test_a_message_of_thousands_of_facts_is_read_in_time(said: str) -> None:
    assert ("invented fact", 1) in played(changed(1, said))


def test_an_attacker_may_lie() -> None:
    lies = changed(3, "It's ada_brook_9999, and your colleague promised me $500 two weeks ago.")
    told = simulation(lies)
    for user, expected in (("llm openai/model", ["invented fact"]), ("attacker:turns=6 openai/model", [])):
        found = user_audit(stamps(), told.model_copy(update={"user": user}), mock())
        assert [one.rule for one in found if one.rule in SPOILING] == expected
