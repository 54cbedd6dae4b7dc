"""Changes what an agent sees of its world, such as names of tools and forms of results.

The conversation, its record, replay and grading use only the true names and results. Translation happens in one place,
between a trial and its agent: :func:`disguise_factory` wraps an agent's factory. What goes to the agent (policy, tools,
messages) is translated into the view. What comes from it (messages, calls of its own tool loop) is translated back into
true names before the conversation sees it. So a trial played under a view is stored, replayed and graded like any
other.

An agent that is made with the whole task, such as the oracle, uses true names and declares it with ``knows_the_task``.
Its messages are first translated into the view, so that they go through the same two translations as all others;
results it reads as they are.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce, update_wrapper, wraps
from typing import Any

from ..environment.results import FAILED
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from .protocols import AgentContext, AgentFactory, ContextTool


@dataclass(frozen=True)
class ShownTool:
    """A tool as the agent sees it: its shown name, its true name, and its chat-completions definition."""

    name: str
    true_name: str
    schema: Mapping[str, Any]


class AgentView:
    """The unchanged world. A subclass overrides what it shows differently; each method is a pure function.

    ``extra``: additional tools by name, each with the text that every call of it returns. Pass them to the environment
    (``domain.environment(extra=…)``); :meth:`tools` shows them.
    """

    extra: Mapping[str, str] = {}

    def text(self, text: str) -> str:
        """Policy, ticket or plan, as the agent reads it."""
        return text

    def policy(self, text: str) -> str:
        """The policy as the agent reads it."""
        return self.text(text)

    def tools(self, tools: Sequence[ShownTool]) -> Sequence[ShownTool]:
        """The tools in the order and the words in which they are shown."""
        return tools

    def name(self, true_name: str) -> str:
        """A tool's name as the agent knows it."""
        return true_name

    def true_name(self, name: str) -> str:
        """The true name of a tool; an unknown name is returned unchanged."""
        return name

    def result(self, content: str) -> str:
        """The result of a call that did not fail."""
        return content

    def error(self, content: str) -> str:
        """The text of a call that failed."""
        return content

    def message(self, message: AnyMessage) -> AnyMessage:
        """Any other message that the agent reads, such as one of the customer's."""
        return message


class Views(AgentView):
    """Several views, one over the other; the first is nearest to the world."""

    def __init__(self, views: Sequence[AgentView]) -> None:
        self._views = list(views)
        self.extra = {name: text for view in self._views for name, text in view.extra.items()}

    def text(self, text: str) -> str:
        """As each view puts it, one after the other."""
        return reduce(lambda seen, view: view.text(seen), self._views, text)

    def policy(self, text: str) -> str:
        """As each view puts it, one after the other."""
        return reduce(lambda seen, view: view.policy(seen), self._views, text)

    def tools(self, tools: Sequence[ShownTool]) -> Sequence[ShownTool]:
        """As each view shows them."""
        return reduce(lambda seen, view: view.tools(seen), self._views, tools)

    def name(self, true_name: str) -> str:
        """Through all views."""
        return reduce(lambda seen, view: view.name(seen), self._views, true_name)

    def true_name(self, name: str) -> str:
        """Back through all views."""
        return reduce(lambda seen, view: view.true_name(seen), reversed(self._views), name)

    def result(self, content: str) -> str:
        """Through all views."""
        return reduce(lambda seen, view: view.result(seen), self._views, content)

    def error(self, content: str) -> str:
        """Through all views."""
        return reduce(lambda seen, view: view.error(seen), self._views, content)

    def message(self, message: AnyMessage) -> AnyMessage:
        """Through all views."""
        return reduce(lambda seen, view: view.message(seen), self._views, message)


def disguise_factory(factory: AgentFactory, view: AgentView) -> AgentFactory:
    """The agents of a factory, each of which sees its trial through a view."""

    def make(context: AgentContext) -> Any:
        seen = shown_context(context, view)
        agent = factory(seen)
        reply = getattr(agent, "reply", agent)
        if not callable(reply):
            return agent  # no player at all; whoever asked for one says so
        if getattr(agent, "knows_the_task", False):
            close = getattr(agent, "close", None)
            if callable(close) and not inspect.iscoroutinefunction(close):
                close()
            agent = factory(context)  # another one, made for the true names
            return _Disguised(agent, _Insider(agent.reply, view).reply, view, knows_results=True)
        return _Disguised(agent, reply, view)

    make.__qualname__ = getattr(factory, "__qualname__", repr(factory))
    return update_wrapper(make, factory, (), ())  # what is said of it is about what it wraps


def as_seen(message: AnyMessage, view: AgentView) -> AnyMessage:
    """A message of the record, as the agent reads it."""
    if isinstance(message, ToolMessage):
        if message.content is None or message.requestor != "assistant":
            return message
        shown = _answer_seen(message.content, view, failed=message.error)
        return message if shown == message.content else message.model_copy(update={"content": shown})
    if isinstance(message, AssistantMessage) and message.tool_calls:
        return _with_call_names(message, [view.name(call.name) for call in message.tool_calls])
    return view.message(message)


def with_heard(message: AnyMessage, view: AgentView) -> AnyMessage:
    """A message of the customer with what the agent reads in its place, where that is something else."""
    if not isinstance(message, UserMessage) or not message.content:
        return message
    heard = view.message(message).content
    return message if heard == message.content else message.model_copy(update={"heard": heard})


def as_meant(message: AssistantMessage, view: AgentView) -> AssistantMessage:
    """A message of the agent, as the record has it."""
    if not message.tool_calls:
        return message
    return _with_call_names(message, [view.true_name(call.name) for call in message.tool_calls])


class _Disguised:
    """An agent behind a view. What else it has, such as ``close`` and ``parameters``, is its own.

    ``knows_results``: it gets results as they are, as it compares them with those of a world of its own.
    """

    def __init__(self, agent: Any, reply: Any, view: AgentView, *, knows_results: bool = False) -> None:
        self._agent = agent
        self._seen = partial(_all_seen, view=view, known=ToolMessage if knows_results else ())
        self.reply = _translated(reply, self._seen, view)

    def __getattr__(self, name: str) -> Any:
        """What the agent has under this name; a conversation that it takes up is translated as any other."""
        found = getattr(vars(self).get("_agent"), name)
        return partial(self._resume, found) if name == "resume" else found

    def _resume(self, resume: Callable[[list[AnyMessage], int], None], messages: list[AnyMessage], begin: int) -> None:
        resume(self._seen(messages), begin)


def _all_seen(messages: list[AnyMessage], *, view: AgentView, known: type[ToolMessage] | tuple[()]) -> list[AnyMessage]:
    return [message if isinstance(message, known) else as_seen(message, view) for message in messages]


def _translated(
    reply: Callable[[list[AnyMessage]], Any], seen: Callable[[list[AnyMessage]], list[AnyMessage]], view: AgentView
) -> Callable[[list[AnyMessage]], Any]:
    """An agent's ``reply`` that answers in true names; it keeps its own name, for what is said of it."""

    def meant(answer: Any) -> Any:
        return as_meant(answer, view) if isinstance(answer, AssistantMessage) else answer

    async def later(answer: Awaitable[Any]) -> Any:
        return meant(await answer)

    @wraps(reply)
    def translated(messages: list[AnyMessage]) -> Any:
        answer = reply(seen(messages))
        return later(answer) if inspect.isawaitable(answer) else meant(answer)

    return translated


class _Insider:
    """What an agent that speaks true names says, as one that sees the view would say it."""

    def __init__(self, reply: Any, view: AgentView) -> None:
        self._reply, self._view = reply, view

    def reply(self, messages: list[AnyMessage]) -> Any:
        back = [as_meant(m, self._view) if isinstance(m, AssistantMessage) else m for m in messages]
        answer = self._reply(back)
        return as_seen(answer, self._view) if isinstance(answer, AssistantMessage) and answer.tool_calls else answer


def shown_context(context: AgentContext, view: AgentView) -> AgentContext:
    """What an agent is made with, as it sees it; a call of one of its tools goes by the true name."""
    true = {tool.name: tool for tool in context.tools}
    tools = view.tools([ShownTool(tool.name, tool.name, tool.schema) for tool in context.tools])

    def run(name: str, arguments: dict[str, Any]) -> str:
        tool = next((tool for tool in tools if tool.name == name), None)
        chosen = view.true_name(name) if tool is None else tool.true_name
        return _answer_seen(context.tools[0].run(chosen, arguments), view)  # each of them runs what it is told

    return replace(
        context,
        policy=view.policy(context.policy),
        ticket=None if context.ticket is None else view.text(context.ticket),
        plan=None if context.plan is None else view.text(context.plan),
        tools=tuple(
            ContextTool(tool.name, tool.schema, tool.true_name in true and true[tool.true_name].writes, run)
            for tool in tools
        ),
        roles={
            name: replace(role, tools=[view.name(tool) for tool in role.tools], policy=view.policy(role.policy))
            for name, role in context.roles.items()
        },
    )


def _answer_seen(content: str, view: AgentView, *, failed: bool = False) -> str:
    """What a call answered, as the agent reads it; an agent's own loop knows by the text alone that it failed."""
    return view.error(content) if failed or content.startswith(FAILED) else view.result(content)


def _with_call_names(message: AssistantMessage, names: Sequence[str]) -> AssistantMessage:
    calls: list[ToolCall] = message.tool_calls or []
    if [call.name for call in calls] == list(names):
        return message
    renamed = [call.model_copy(update={"name": name}) for call, name in zip(calls, names, strict=True)]
    return message.model_copy(update={"tool_calls": renamed})
