"""A conversation in which the customer keeps to the rules, and what the audit finds in others."""

from pytest_tau import Task
from pytest_tau.diagnosis.user_audit import user_audit
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.simulation import Simulation, Termination
from tests.builders import a_call, action, asks, mock, result_of, says

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


def played(messages: list[AnyMessage], *, ended: str = "user_stop", **instructions: str) -> list[tuple[str, int]]:
    """The rules that were broken, each with the turn."""
    found = user_audit(stamps(**instructions), simulation(messages, ended), mock())
    return [(finding.rule, finding.turn) for finding in found]


def stamps(**instructions: str) -> Task:
    """The task that is played, with other words in its scenario."""
    criteria = {"actions": [action("create_task", **WRITE.arguments)]}
    scenario = {"instructions": INSTRUCTIONS | instructions}
    return Task.model_validate(
        {"id": "stamps", "domain": "mock", "user_scenario": scenario, "evaluation_criteria": criteria}
    )


def simulation(messages: list[AnyMessage], ended: str = "user_stop") -> Simulation:
    """These messages as a conversation that ended so."""
    return Simulation(id="x", domain="mock", task_id="stamps", messages=messages, termination_reason=Termination(ended))


def changed(at: int, text: str) -> list[AnyMessage]:
    """The conversation with another line of the customer's."""
    return [*CLEAN[:at], asks(text), *CLEAN[at + 1 :]]
