"""Conversations that rules leave open: a yes in another language, and a refusal; with their tasks."""

from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.simulation import Simulation
from tests.builders import CREATE, a_call, action, asks, finished, mock, played_calls, says, task

PLAYED = task(
    criteria={
        "actions": [action("create_task", **CREATE)],
        "trajectory": [{"check": "confirmed"}],
        "reward_basis": ["DB", "TRAJECTORY"],
    }
)
REFUSED = task(
    criteria={"trajectory": [{"check": "reason", "any_of": ["too late"]}], "reward_basis": ["DB", "TRAJECTORY"]}
)
CREATED = a_call("create_task", **CREATE)
YES = "Wie Sie meinen."


def conversation(last: str = YES) -> Simulation:
    said: list[AnyMessage] = [
        says("Hi!"),
        asks("Bitte tragen Sie Buy stamps ein."),
        says("I will add 'Buy stamps'. Shall I?"),
        asks(last),
    ]
    return finished([*said, *played_calls(mock(), CREATED), says("It is on your list."), asks("###STOP###")])


def refusal(words: str) -> Simulation:
    return finished([says("Hi!"), asks("Add it to yesterday."), says(words), asks("OK ###STOP###")])
