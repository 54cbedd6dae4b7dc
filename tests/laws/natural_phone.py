"""Conversations of an agent that repairs a phone with its owner, in the words of people.

It offers what it may change, each in one of several wordings, asks the customer for the steps on the phone, and says at
the end what was done.
"""

import re
from random import Random
from typing import Any

from pytest_tau import Domain, Simulation, Task
from pytest_tau.agents.oracle import TRANSFER_TOOL, what_to_tell
from pytest_tau.schema.messages import AnyMessage, Requestor, ToolCall, ToolMessage
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.simulation import Termination
from tests.builders import asks, result_of, says

OFFERS: dict[str, tuple[tuple[str, str], ...]] = {
    "refuel_data": (
        ("More data costs $2.50 per GB, up to 2 GB, on your next bill. How much would you like?", "{gb} GB, please."),
        ("Would you like {gb} GB more? That is $2.50 for each, on your next bill.", "Okay, {gb} GB."),
        ("Your data is used up. I can add up to 2 GB at $2.50 each. How much do you want?", "I take {gb} GB."),
        ("You can buy up to 2 GB more at $2.50 each. Shall I add them?", "Yes, {gb} GB please."),
        ("A top-up costs $2.50 per GB. 1 or 2 GB?", "Then {gb} GB. I don't want another plan."),
        ("Data is used up; extra data is $2.50 per GB. Which would you prefer, 1 GB or 2 GB?", "Please add {gb} GB."),
    ),
    "enable_roaming": (
        ("Roaming isn't enabled for your line. I can enable it free of charge. May I?", "Yes, please."),
        ("Your line has no roaming yet; it costs nothing to have it. Is that okay?", "Sure."),
        ("For your line to work abroad it has to be opened for roaming. OK?", "OK."),
        ("Roaming is off on our side. Shall I change that? It is free.", "Please do."),
        ("I'll switch roaming on for your line if you agree.", "I agree."),
        ("May I unlock your line for use abroad? No charge.", "Yes, go ahead."),
    ),
    "send_payment_request": (
        ("There is an overdue bill. Would you like to pay it now?", "Yes."),
        ("I can send you a payment request for the overdue bill. Shall I?", "Yes, I'll pay."),
        ("A bill is unpaid, which is why your line is suspended. Are you willing to pay it?", "Yes, of course."),
        ("To get you going again, the overdue bill has to be settled. Do you want to pay it on your phone?", "Sure."),
        ("Bill {bill_id} is overdue. Do you agree to a payment request?", "I agree."),
    ),
    "resume_line": (
        ("Thank you, it is paid. Shall I resume your line now?", "Yes, please."),
        ("That worked. May I reactivate your line?", "Please do."),
        ("The bill is settled, so I can lift the suspension now. OK?", "Yes."),
    ),
}
BOTH = {"refuel_data", "enable_roaming"}
JOINT = (
    ("I can enable roaming for free and add up to 2 GB at $2.50 each. Do you want both, and how much?", "Both, 2 GB."),
    ("Two things: roaming isn't enabled (free), and your data is used up ($2.50 per GB, up to 2 GB). Shall I enable "
     "roaming, and how much data do you want?", "Yes to roaming. 2 GB."),
    ("There are two things I can do: enable roaming on your line (free) and add up to 2 GB of data ($2.50 per GB). "
     "Would you like me to do both, and how many GB should I add?", "Yes please, 2 GB."),
    ("1. Enable roaming: free. 2. Add data: $2.50 per GB, at most 2 GB. Please confirm the first, and tell me how many "
     "GB for the second.", "1. yes 2. 2 GB"),
)  # fmt: skip
BEFORE = (
    ("Do you have the phone in your hand?", "Yes, I do."),
    ("Let's look at the settings together. Are you ready?", "Yes."),
    ("Would you like me to look at your account first?", "Yes, please."),
    ("Is that your own line?", "Yes, it is."),
)
WORRIES = (
    ("Can that be undone?", "Yes, at any time. Shall I go ahead?", "Yes."),
    ("Are my photographs safe?", "Nothing on your phone is touched. Is that okay?", "Yes, that is okay."),
    ("Why is that needed?", "Without it your phone stays as it is now.", "I see. Then do it."),
    ("Does that delete anything?", "No, nothing on your phone is deleted.", "Then yes."),
    ("And my plan stays as it is?", "Yes, your plan stays as it is.", "Yes, do it then."),
    ("Is it safe?", "Completely safe. May I?", "All right."),
    ("What does that mean?", "It is only a setting on our side. Would you like me to do it?", "Yes, thank you."),
    ("Is anything that I have saved in danger? Quite sure?", "No, everything stays as it is.", "Good. Then go ahead."),
)
TOLD = {
    "refuel_data": ("I've added {gb} GB to your line.", "Done, {gb} GB have been added.", "That's done."),
    "enable_roaming": ("Roaming is now enabled on your line.", "I've enabled roaming.", "Done."),
    "send_payment_request": ("I've sent you the request; please pay it on your phone.", "It is on its way."),
    "resume_line": ("Your line is active again.", "I've resumed your line. Please restart the phone.", "Done."),
}
PLEASE = ("Please do that on your phone now: {step}.", "Next: {step}. Tell me what you see.", "Could you {step}?")
SEEN = ("Done.", "Okay, done. What now?", "It says so: done.", "I did that.")
ENDS = (
    "Wonderful! Your service has been restored. Is there anything else I can help you with?",
    "Great to hear that it works again. We've fixed it together. Anything else?",
    "Perfect. In short: we changed what was wrong in your settings, and your phone has been set up correctly now.",
    "I'm glad we've got that sorted. Your connection has been restored.",
    "Excellent, everything is back to normal. Have a good day!",
)


def conversation(task: Task, domain: Domain, seed: int) -> Simulation:
    """A right conversation of a task of telecom."""
    rng, env = Random(f"{task.id} {seed}"), domain.environment()
    env.set_up(task)
    writes = {spec.name for spec in env.tool_specs() if spec.kind == "write"}
    told = task.user_scenario.instructions
    assert isinstance(told, Instructions)
    assert told.known_info is not None
    messages: list[AnyMessage] = [
        *(says("Hi! How can I help you today?"), asks(told.reason_for_call)),
        *(says("I'm sorry to hear that. What is the number of your phone, and where are you?"), asks(told.known_info)),
    ]

    def does(name: str, arguments: dict[str, Any], *, customer: bool = False) -> None:
        side: Requestor = "user" if customer else "assistant"
        call = ToolCall(id=f"c{len(messages)}", name=name, arguments=arguments, requestor=side)
        found = env.call(name, arguments, side)
        said: AnyMessage = asks(None, call) if customer else says(None, call)
        shown: ToolMessage = result_of(call, found.content, error=found.error)
        messages.extend([said, shown])

    number = re.search(r"\d{3}-\d{3}-\d{4}", told.known_info)
    assert number is not None
    does("get_customer_by_phone", {"phone_number": number[0]})
    if rng.random() < 0.5:
        question, yes = rng.choice(BEFORE)
        messages += [says(question), asks(yes)]
    offered = False
    jointly = {action.name for action in task.gold_actions} >= BOTH and rng.random() < 0.6
    for action in task.gold_actions:
        given = {**action.arguments, "gb": f"{action.arguments.get('gb_amount', 0):g}"}
        if action.requestor == "user":
            step = action.name.replace("_", " ")
            messages += [says(rng.choice(PLEASE).format(step=step))]
            does(action.name, action.arguments, customer=True)
            messages += [asks(rng.choice(SEEN))]
        elif action.name in writes:
            offer, answer = rng.choice(JOINT if jointly and action.name in BOTH else OFFERS[action.name])
            if not (jointly and action.name in BOTH and offered):
                messages += [says(offer.format(**given)), *_answered(answer.format(**given), rng)]
            offered = offered or action.name in BOTH
            does(action.name, action.arguments)
            messages += [says(rng.choice(TOLD[action.name]).format(**given)), asks("Thank you.")]
        elif action.name == TRANSFER_TOOL:
            why = " ".join(f"{one[:1].upper()}{one[1:]}." for one in what_to_tell(task))
            messages += [says(f"{why} I'll hand you over to a colleague."), asks("All right.")]
            does(action.name, action.arguments)
        else:
            does(action.name, action.arguments)
    if all(action.name != TRANSFER_TOOL for action in task.gold_actions):
        messages += [says(rng.choice(ENDS)), asks("No, that's all. ###STOP###")]
    reason = Termination.USER_STOP
    return Simulation(id="s", domain=domain.name, task_id=task.id, messages=messages, termination_reason=reason)


def _answered(answer: str, rng: Random) -> list[AnyMessage]:
    """The customer's answer to an offer, sometimes after a question of theirs about it."""
    if rng.random() < 0.6:
        return [asks(answer)]
    worry, calmed, yes = rng.choice(WORRIES)
    first = f"{answer} {worry}" if "GB" in answer else worry
    return [asks(first), says(calmed), asks(yes)]
