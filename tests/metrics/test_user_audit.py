"""What the user audit finds in conversations with one rule broken, and what it leaves alone."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.user_audit import EVASIONS, OPERATORS, Played, corrupted
from pytest_tau import AssistantMessage, Task, UserMessage, load_domain, load_tasks, simulate
from pytest_tau.generation.trivial import TRIVIAL
from pytest_tau.metrics import user_audit as rules
from pytest_tau.metrics.user_audit import audit_user, user_audit
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.simulation import Simulation, Termination
from tests.builders import a_call, action, asks, core, mock, result_of, says

INSTRUCTIONS = {
    "domain": "mock",
    "reason_for_call": "You want a reminder on your list for buying stamps, because your letters to Porto are overdue.",
    "known_info": "You are Ada Brook. Your user id is ada_brook_4417 and your zip code is 28869.",
    "task_instructions": "If the agent proposes a description for the reminder, you accept it. You want it only once.",
}
WRITE = a_call("create_task", user_id="ada_brook_4417", title="Buy stamps")
CLEAN: list[AnyMessage] = [
    says("Hi! How can I help you today?"),
    asks("Hello, could somebody remind me to get stamps? I owe people in Porto some letters."),
    says("Gladly. Could you please provide your user ID and zip code?"),
    asks("It's ada_brook_4417, and 28869."),
    says(
        "Thank you, Ada. I would add 'Buy stamps', with the description 'for Porto'. Shall I? Please confirm with yes."
    ),
    asks("Yes, that sounds good."),
    says(None, WRITE),
    result_of(WRITE, '{"task_id": "task_77001"}'),
    says("Your reminder task_77001 has been added. Is there anything else I can help you with?"),
    asks("No, that was everything. Thank you! ###STOP###"),
]
FOREIGN: list[AnyMessage] = [
    says("Hi! How can I help you today?"),
    says("I found your account. Would you like me to cancel your order #W11? Please confirm."),
    says("Your refund has been processed to your original payment method."),
]


def played(messages: list[AnyMessage], *, ended: str = "user_stop", **instructions: str) -> list[tuple[str, int]]:
    found = user_audit(_task(**instructions), _simulation(messages, ended), mock())
    return [(finding.rule, finding.turn) for finding in found]


def _task(**instructions: str) -> Task:
    criteria = {"actions": [action("create_task", **WRITE.arguments)]}
    scenario = {"instructions": INSTRUCTIONS | instructions}
    return Task.model_validate(
        {"id": "stamps", "domain": "mock", "user_scenario": scenario, "evaluation_criteria": criteria}
    )


def _simulation(messages: list[AnyMessage], ended: str = "user_stop") -> Simulation:
    return Simulation(id="x", domain="mock", task_id="stamps", messages=messages, termination_reason=Termination(ended))


def changed(at: int, text: str) -> list[AnyMessage]:
    return [*CLEAN[:at], asks(text), *CLEAN[at + 1 :]]


def test_a_customer_who_keeps_to_the_rules() -> None:
    assert played(CLEAN) == []


@pytest.mark.parametrize("rule", rules.RULES)
@pytest.mark.parametrize("seed", range(3))
def test_each_operator_is_caught_by_its_rule(rule: str, seed: int) -> None:
    one = Played(_task(), _simulation(CLEAN), mock())
    other = Played(_task().model_copy(update={"id": "other"}), _simulation(FOREIGN), mock())
    simulation = corrupted(one, rule, [other], seed)
    assert simulation is not None
    assert rule in {finding.rule for finding in user_audit(one.task, simulation, one.domain)}
    assert list(OPERATORS) == list(rules.RULES)


class TestStopped:
    def test_names_the_turn_and_the_question(self) -> None:
        messages = [*CLEAN[:5], asks("Thank you so much! ###STOP###")]
        (found,) = user_audit(_task(), _simulation(messages))
        assert (found.rule, found.turn) == ("stopped early", 5)
        assert found.text == "stopped at 'Shall I?'"

    @pytest.mark.parametrize(
        "last", ["No, thank you. ###STOP###", "I'll think about it. ###STOP###", "Never mind, bye. ###STOP###"]
    )
    def test_who_declines_has_answered(self, last: str) -> None:
        assert played([*CLEAN[:5], asks(last)]) == []

    def test_once_the_gold_writes_are_made_anybody_may_go(self) -> None:
        assert played([*CLEAN[:8], says("Done. What else, please tell me?"), asks("Bye. ###STOP###")]) == []

    def test_a_refusal_without_a_question(self) -> None:
        messages = [*CLEAN[:4], says("I am sorry, I cannot do that."), asks("Too bad. ###STOP###")]
        assert played(messages) == []

    def test_who_is_asked_in_circles_may_go(self) -> None:
        circle: list[AnyMessage] = [CLEAN[4], asks("Yes."), CLEAN[4], asks("Yes!"), CLEAN[4], asks("Fine. ###STOP###")]
        assert played([*CLEAN[:4], *circle]) == []

    def test_transferred_without_a_transfer(self) -> None:
        assert played([*CLEAN[:4], says("One second."), asks("###TRANSFER###")]) == [("stopped early", 5)]
        assert played([*CLEAN[:4], says("I am transferring you now."), asks("###TRANSFER###")]) == []

    def test_the_agent_or_the_clock_ended_it(self) -> None:
        assert played([*CLEAN[:5], asks("Bye ###STOP###")], ended="max_steps") == []


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
        "line", ["Thank you for your help.", "What is your policy on orders?", "Would you like my order number?"]
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
    simulation = _simulation(changed(5, "How can I help you?")).model_copy(update={"solo": True})
    assert user_audit(_task(), simulation) == []


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
    assert user_audit(_task(), _simulation(odd)) == []


def test_findings_of_a_conversation_say_whether_they_spoil_it() -> None:
    messages = [*CLEAN[:5], asks("Thank you so much! ###STOP###")]
    (found,) = audit_user(_task(), messages, mock())
    assert found == ("stopped early", 5, "stopped at 'Shall I?'", True)
    (made_up,) = audit_user(_task(), changed(3, "Ada Brook, 28869. How can I help you today?"), mock())
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
    ("asked", "last", "early"),
    [
        ("Do you approve the change? Please reply yes.", "Yes, go ahead. ###STOP###", True),
        ("Do you approve the change? Please reply yes.", "###STOP###", True),
        ("What is the address?", "I will send it later, no rush. ###STOP###", True),
        ("Would you like me to change it?", "No need, leave it as is. ###STOP###", False),
        ("If you'd like, I can list more. Tell me which.", "Thanks! ###STOP###", False),
        ("Please check with your bank.", "###STOP###", False),
        ("Reply yes, or say transfer and I will get a human agent.", "Transfer me. ###TRANSFER###", False),
    ],
)
def test_where_a_conversation_may_stop(asked: str, last: str, early: bool) -> None:
    found = played([*CLEAN[:4], says(asked), asks(last)])
    assert [rule for rule, _ in found] == (["stopped early"] if early else [])
