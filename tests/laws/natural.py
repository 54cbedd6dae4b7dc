"""Conversations of an agent that does all that is right, in the words of people: it lists every change at once.

What it lists and asks, and how the customer says yes, is drawn from several wordings. When the customer takes something
back or corrects it, the agent puts forward that one thing, or all of them again.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from pytest_tau import Domain, Simulation, Task
from pytest_tau.agents.oracle import TRANSFER_TOOL, what_to_tell
from pytest_tau.schema.calls import Action
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.simulation import Termination
from tests.builders import a_call, asks, result_of, says

ASKS = (
    "Shall I go ahead with all of this (yes/no)?",
    "Do you confirm these changes?",
    "May I proceed?",
    "Is that all right with you?",
    "Would you like me to go ahead?",
    "Please confirm with yes and I'll do it.",
    "OK?",
)
YES = (
    "Yes.",
    "Yes, please.",
    "Sure, go ahead.",
    "Please do.",
    "Yes, that's right.",
    "Okay, do it.",
    "Perfect, thank you, yes.",
    "That all sounds right. Go ahead.",
)
WONDERS = ("Wait, how much is that?", "What will it cost me?", "Sorry, what happens with the first one?")
WORRIES = (
    ("Can that be undone later?", "No, that would be final. Shall I go ahead?"),
    ("And nothing else changes, does it?", "No, nothing else changes. May I proceed?"),
    ("Do I get a mail about that?", "Yes, you will get one. Is that all right?"),
    ("How long does that take?", "It is done at once."),
    ("Is that safe?", "Yes, quite safe. Would you like me to do it?"),
    ("Are you sure about that?", "Yes, I am. OK?"),
    ("Why do you ask?", "Because I may not do it without your yes."),
)
ALL_OF_IT = ("Shall I go ahead with all of it?", "Do you confirm everything?", "Shall I proceed with all changes?")
STAND = ("The rest stays as listed. ", "Everything else is as above. ", "Along with the other changes. ", "")
PROCEED = ("Shall I go ahead with everything?", "Do you confirm?", "Shall I proceed?")
LEFT = ("All right, {it} stays as it is. ", "Understood, I'll leave that one. ", "OK, I won't touch {it}. ")
THE_REST = (
    "I'll do the rest now. Is that okay?",
    "Shall I go ahead with everything else?",
    "Shall I proceed with the rest?",
    "May I carry out the other changes?",
)
METHODS = {
    "credit_card": "credit card",
    "gift_card": "gift card",
    "certificate": "certificate",
    "paypal": "PayPal account",
}
LINES: dict[str, tuple[str, ...]] = {
    "cancel_reservation": (
        "Cancel reservation {reservation_id}",
        "{reservation_id}: cancel it, refund to the original payment method",
        "Reservation {reservation_id} gets cancelled",
    ),
    "update_reservation_baggages": (
        "{reservation_id}: {total_baggages} checked bags in total, {nonfree_baggages} of them paid",
        "Add bags to reservation {reservation_id}, {total_baggages} in total",
    ),
    "update_reservation_flights": (
        "{reservation_id}: {cabin}, flights {flights}, difference on {method}",
        "Change reservation {reservation_id} to {flights} in {cabin}",
    ),
    "update_reservation_passengers": (
        "{reservation_id}: passengers will be {passengers}",
        "Change the passengers of {reservation_id} to {passengers}",
    ),
    "book_reservation": (
        "Book a new trip from {origin} to {destination} in {cabin}: {flights}, {total_baggages} bags",
    ),
    "send_certificate": ("Send you a certificate of ${amount} as compensation",),
    "cancel_pending_order": ("Cancel order {order_id} ({reason})", "{order_id}: cancelled, refunded as it was paid"),
    "return_delivered_order_items": (
        "Return these items of {order_id}: {item_ids}, refund to {method}",
        "{order_id}: return of {item_ids}, money back on {method}",
    ),
    "exchange_delivered_order_items": (
        "Exchange {item_ids} of {order_id} for {new_item_ids}, difference on {method}",
        "{order_id}: {new_item_ids} for the old ones, difference on {method}",
    ),
    "modify_pending_order_items": (
        "Change {item_ids} of {order_id} to {new_item_ids}, difference on {method}",
        "{order_id}: the new item instead of the old one ({new_item_ids}), difference on {method}",
    ),
    "modify_pending_order_address": (
        "Send order {order_id} to {address1}, {city}",
        "{order_id}: new address {address1}, {city} {zip}",
    ),
    "modify_pending_order_payment": ("Pay order {order_id} with {method}", "{order_id}: payment moved to {method}"),
    "modify_user_address": ("Your address in the profile becomes {address1}, {city}",),
}
TOLD: dict[str, tuple[str, ...]] = {
    "cancel_reservation": (
        "I've cancelled reservation {reservation_id} and the refund goes back to how you paid",
        "Your reservation {reservation_id} has been cancelled",
        "{reservation_id} is now cancelled",
    ),
    "update_reservation_baggages": (
        "I've added the bags to {reservation_id}",
        "Your reservation {reservation_id} now has {total_baggages} checked bags",
    ),
    "update_reservation_flights": (
        "I've moved {reservation_id} to the new flights",
        "{reservation_id} has been changed to {cabin}, and the difference was charged to {method}",
        "Your flights have been updated",
    ),
    "update_reservation_passengers": (
        "I've updated the passengers of {reservation_id}",
        "The passengers have been replaced",
        "Everybody's name has been changed as you asked",
    ),
    "book_reservation": (
        "I've booked your new trip from {origin} to {destination}",
        "Your trip to {destination} has been booked",
    ),
    "send_certificate": (
        "I've issued a certificate of ${amount}",
        "A ${amount} certificate has been added to your account",
    ),
    "cancel_pending_order": (
        "I've cancelled {order_id} and refunded it",
        "Order {order_id} has been cancelled; the money is on its way",
    ),
    "return_delivered_order_items": (
        "I've requested the return from {order_id}",
        "Your return has been set up, and the refund will go to {method}",
        "The return of these items has been processed",
    ),
    "exchange_delivered_order_items": (
        "I've arranged the exchange in {order_id}",
        "The exchange has been requested",
        "We've swapped the item for the one that you wanted",
    ),
    "modify_pending_order_items": (
        "I've changed the items of {order_id}",
        "Order {order_id} has been modified",
        "We've replaced it with the new one",
    ),
    "modify_pending_order_address": (
        "I've updated the address of {order_id}",
        "{order_id} will now be sent to {address1}",
        "The shipping address has been changed",
    ),
    "modify_pending_order_payment": (
        "{order_id} has been switched to {method}",
        "I've changed the payment of {order_id}",
    ),
    "modify_user_address": ("I've updated your profile", "Your address has been changed in your profile"),
}


def conversation(task: Task, domain: Domain, seed: int) -> Simulation | None:
    """A right conversation of a task; None for one whose customer acts, or that asks for no change."""
    env = domain.environment()
    writes = {spec.name for spec in env.tool_specs() if spec.kind == "write"}
    changes = [action for action in task.gold_actions if action.name in writes]
    told = task.user_scenario.instructions
    if not isinstance(told, Instructions) or any(action.requestor == "user" for action in task.gold_actions):
        return None
    if not changes:
        return None
    if task.initial_state:
        env.set_up(task)
    talk = _Talk(task, changes, Random(f"{task.id} {seed}"))
    messages: list[AnyMessage] = [says("Hi! How can I help you today?"), *talk.wishes()]
    steps = [action for action in task.gold_actions if action.name not in {*writes, TRANSFER_TOOL}]
    after = [*changes, *(action for action in task.gold_actions if action.name == TRANSFER_TOOL)]
    for action in (*steps, None, *after):
        if action is None:
            messages += talk.agreement()
            continue
        call = a_call(action.name, f"c{len(messages)}", **action.arguments)
        found = env.call(call.name, call.arguments, "assistant")
        messages += [says(None, call), result_of(call, found.content, error=found.error)]
    facts = " ".join(f"{one}." for one in what_to_tell(task))
    messages += [says(f"Done. {talk.summary()} {facts}"), asks("Thanks, that's all. ###STOP###")]
    reason = Termination.USER_STOP
    return Simulation(id="s", domain=domain.name, task_id=task.id, messages=messages, termination_reason=reason)


class _Talk:
    """What is said in one conversation, but for the calls."""

    def __init__(self, task: Task, changes: Sequence[Action], rng: Random) -> None:
        self._task = task
        self._changes = changes
        self._one_of = rng.choice
        self._rng = rng

    def wishes(self) -> list[AnyMessage]:
        """The customer says everything that they want."""
        told = self._task.user_scenario.instructions
        assert isinstance(told, Instructions)
        wishes = [later.say for later in self._task.user_scenario.later if later.proposal is None]
        said = [told.reason_for_call, told.known_info or "That is all I have.", *wishes]
        agent = ["Happy to help. What can you tell me?", *("Noted. What else?" for _ in wishes), None]
        return [message for text, reply in zip(said, agent, strict=True) for message in (asks(text), *self._if(reply))]

    @staticmethod
    def _if(text: str | None) -> list[AnyMessage]:
        return [] if text is None else [says(text)]

    def agreement(self) -> list[AnyMessage]:
        """Everything is put forward, something may be corrected, and there is a yes."""
        revised = [later for later in self._task.user_scenario.later if later.proposal is not None]
        before = {later.before: later.proposal for later in revised}
        first: list[Action] = []
        for change in self._changes:
            at_first = before.pop(change.action_id, None)
            alike = at_first is not None and at_first.name == change.name
            first += [one for one in (at_first, None if alike else change) if one is not None]
        first += [one for one in before.values() if one is not None]
        refusals = " ".join(f"About the other: {one}." for one in what_to_tell(self._task))
        listed = f"{self._list(first)}{self._one_of([' ', chr(10), chr(10) * 2])}{self._one_of(ASKS)}"
        messages: list[AnyMessage] = [says(f"{refusals}\n{listed}" if self._rng.random() < 0.5 else listed)]
        for later in revised:
            assert later.proposal is not None
            messages += [asks(later.say), says(self._corrected(later.before, later.proposal))]
        if not revised and self._rng.random() < 0.3:
            one = self._line(self._one_of(self._changes))
            messages += [asks(self._one_of(WONDERS)), says(f"{one}. {self._one_of(ALL_OF_IT)}")]
        if self._rng.random() < 0.3:
            worry, calmed = self._one_of(WORRIES)
            messages += [asks(worry), says(calmed)]
        return [*messages, asks(self._one_of(YES))]

    def _corrected(self, before: str | None, proposal: Action) -> str:
        """What the agent puts forward after the customer has corrected one of the changes."""
        if self._rng.random() < 0.2:
            return f"Of course. {self._list(self._changes)}\n{self._one_of(ASKS)}"
        new = next((one for one in self._changes if one.action_id == before and one.name == proposal.name), None)
        if new is not None:
            return f"No problem. {self._line(new)}. {self._one_of(STAND)}{self._one_of(PROCEED)}"
        ids = (str(proposal.arguments[name]) for name in ("reservation_id", "order_id") if name in proposal.arguments)
        return self._one_of(LEFT).format(it=next(ids, "that")) + self._one_of(THE_REST)

    def _list(self, changes: Sequence[Action]) -> str:
        lines = [self._line(one) for one in changes]
        if len(lines) == 1:
            return f"I would do this: {lines[0]}."
        return self._one_of([
            "Here is what I would do:\n" + "\n".join(f"{place}. {line}" for place, line in enumerate(lines, 1)),
            "I can do the following for you:\n" + "\n".join(f"- **{line}**" for line in lines),
            f"So: {'; '.join(lines)}.",
        ])  # fmt: skip

    def summary(self) -> str:
        """What the agent says it has done."""
        told = [self._line(change, TOLD) for change in self._changes]
        listed = "\n".join(f"- {line}." for line in told)
        return self._one_of([f"{'. '.join(told)}.", listed, f"{'; '.join(told)}.", ""])

    def _line(self, change: Action, lines: dict[str, tuple[str, ...]] = LINES) -> str:
        given: dict[str, Any] = {name: _in_words(value) for name, value in change.arguments.items()}
        paid = str(change.arguments.get("payment_id") or change.arguments.get("payment_method_id") or "")
        kind = next((words for method, words in METHODS.items() if paid.startswith(method)), "card")
        return self._one_of(lines[change.name]).format(**given, method=f"your {kind}")


def _in_words(value: Any) -> str:
    if not isinstance(value, list):
        return str(value).replace("_", " ") if value in ("basic_economy", "economy", "business") else str(value)
    return ", ".join(map(_one_in_words, value))


def _one_in_words(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    if "flight_number" in value:
        return f"{value['flight_number']} on {value['date']}"
    return f"{value['first_name']} {value['last_name']}" if "first_name" in value else str(value)
