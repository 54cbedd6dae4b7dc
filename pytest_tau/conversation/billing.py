"""What a trial costs beside the messages of its record: replies that were none, searches, the agent's own calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ..environment.domain import Domain
from ..llm.protocol import ModelReply
from ..schema.messages import AnyMessage, AssistantMessage, Requestor, SpokenMessage, UserMessage
from ..schema.spending import Spending, total_spent
from .following import dump_messages, read
from .protocols import Endpoint
from .replies import cost, is_ours
from .turns import Role

M = TypeVar("M", AssistantMessage, UserMessage)


class Bill:
    """The bill of one trial; ``endpoint`` is what its agent asks models through, if it does."""

    def __init__(self, endpoint: Endpoint | None) -> None:
        self._endpoint = endpoint
        self._unsaid: list[SpokenMessage] = []  # wait for the message that bears them
        self._searched: list[SpokenMessage] = []
        self._aside: list[ModelReply] = []  # of the endpoint, for the agent's next message
        self._on_calls: list[int] = []  # turns since its last reply that bear some

    def copy(self) -> Bill:
        """A bill with the same on it."""
        twin = Bill(self._endpoint)
        twin._unsaid, twin._searched = [*self._unsaid], [*self._searched]
        twin._aside, twin._on_calls = [*self._aside], [*self._on_calls]
        return twin

    def close(self) -> None:
        """Let the agent ask for no more: the conversation is over."""
        if self._endpoint is not None:
            self._endpoint.close()

    def state(self) -> dict[str, Any]:
        """What is on it, as JSON."""
        return {"unsaid": dump_messages(self._unsaid), "searched": dump_messages(self._searched)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Put on it what another had."""
        self._unsaid, self._searched = read(state["unsaid"]), read(state["searched"])

    def said_nothing(self, message: SpokenMessage) -> None:
        """Note a reply that says nothing, or comes too late: it is in no record, its price is."""
        self._unsaid.append(message)

    def said_no_more(self, role: Role, player: Any, error: BaseException, said: Sequence[AnyMessage] = ()) -> None:
        """Note what the attempts at a reply that never came were billed; raises as :meth:`with_its_calls` does.

        A project's own player, which has ``said`` nothing whose cost it could have told, may have asked any model.
        """
        self._check(role)
        spoken = AssistantMessage if role == "agent" else UserMessage
        take_unbilled = getattr(player, "take_unbilled", None)
        told = getattr(error, "spent", None)  # by what a call of a model raises
        spent: list[Spending] = [*(told or ()), *(take_unbilled() if take_unbilled else ())]
        if spent:
            self._unsaid.append(spoken(**total_spent(spent)))
            return
        self.set_aside()
        known = told is not None or take_unbilled or is_ours(type(player))
        known = known or (role == "agent" and (self._aside or self.models_asked()))
        if not (known or any(isinstance(message, spoken) for message in [*said, *self._unsaid])):
            self._unsaid.append(spoken(cost=None))

    def why_unanswered(self, role: Role) -> str:
        """Why the endpoint has not answered the agent's latest request; empty where it has, or was not asked."""
        return self._endpoint.unanswered if self._endpoint is not None and role == "agent" else ""

    def add_search_costs(self, domain: Domain) -> None:
        """Note what a call of a tool has cost, where the domain's searching asks models."""
        if domain.models is not None:
            self._searched.append(AssistantMessage(cost=domain.models.take_cost()))

    def with_its_calls(self, message: SpokenMessage, before: list[AnyMessage]) -> SpokenMessage:
        """The message with what its player asked the endpoint for since the one before it.

        What the player says about the cost comes first: it is that of the whole turn, and the calls of the turn, which
        stand ``before``, bear none any more.
        """
        asked = self._new_answers("agent" if message.role == "assistant" else "user")
        if message.role != "assistant":
            return message
        on_calls, self._on_calls = self._on_calls, []
        if message.cost is None:
            if asked:
                return _bearing(message, asked)
            return message.model_copy(update={"cost": 0.0}) if on_calls else message
        for turn in on_calls:
            before[turn] = before[turn].model_copy(update={"cost": 0.0, "usage": None})
        return message

    def with_answers(self, message: AssistantMessage, turn: int) -> AssistantMessage:
        """A message of the agent's own loop with what it asked the endpoint for since the one before it."""
        self.set_aside()
        asked, self._aside = self._aside, []
        self._on_calls += [turn] * bool(asked)
        return _bearing(message, asked) if asked else message

    def set_aside(self) -> float | None:
        """Keep what the endpoint has answered by now for the message to come; returns what that has cost in USD."""
        fresh = [] if self._endpoint is None else self._endpoint.take_answers()
        self._aside += fresh
        cost: float | None = total_spent(fresh)["cost"]
        return cost

    def models_asked(self) -> dict[str, Any]:
        """What the endpoint knows of the agent's model, for an agent that does not say so itself."""
        asked = () if self._endpoint is None else self._endpoint.asked
        return {"model": ", ".join(asked)} if asked else {}

    def with_attempts(self, message: SpokenMessage) -> SpokenMessage:
        """The message with what the attempts before it cost."""
        if not self._unsaid:
            return message
        spent = total_spent([*self._unsaid, message])
        self._unsaid = []
        return message.model_copy(update=spent)

    def total(self, messages: Sequence[AnyMessage], role: Requestor) -> float | None:
        """What a side has cost in USD, None as soon as one part of it is unknown; searches are the agent's.

        What the endpoint has answered for a message that never came is among it, however its agent has ended.
        """
        self.set_aside()
        asked = [AssistantMessage(**total_spent(self._aside))] if self._aside else []
        return cost([*messages, *self._unsaid, *asked, *(self._searched if role == "assistant" else ())], role)

    def _new_answers(self, role: Role) -> Sequence[ModelReply]:
        """What the endpoint has answered since the agent's last message; raises what keeps the trial from counting."""
        self._check(role)
        if role != "agent":
            return []
        self.set_aside()
        asked, self._aside = self._aside, []
        return asked

    def _check(self, role: Role) -> None:
        """Raise what the endpoint met with for the agent that keeps the trial from counting."""
        if self._endpoint is not None and role == "agent" and self._endpoint.failure is not None:
            raise self._endpoint.failure from None


def _bearing(message: M, asked: Sequence[ModelReply]) -> M:
    """The message with the cost, the tokens and the time of these answers."""
    seconds = round(sum(reply.seconds for reply in asked), 6)
    return message.model_copy(update={"generation_time_seconds": seconds, **total_spent(asked)})
