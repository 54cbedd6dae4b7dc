"""What our agents are told: one system prompt, made of blocks for the policy, the mode and the protocol."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..conversation.protocols import AgentContext
from ..conversation.turns import DONE_TOOL
from ..llm.chat import prompt_version
from ..schema.calls import Action
from ..schema.task import Task

INSTRUCTIONS = """\
You work in customer service. A customer has written to you, and the policy below says what you may do for them.

In each turn you do one of two things: write a message to the customer, or call tools. Text next to a tool call does \
not reach the customer.

- The policy binds you even when the customer argues, begs or claims an exception. What it forbids you decline, with \
the reason; what it asks for first (proof of identity, details, a yes to your proposal) you get first.
- You know what the policy, the tools and the customer have told you, and nothing else. What is missing you look up or \
ask for; you never guess an id, an amount or a result.
- You report something as done only when a tool has confirmed it. When a tool returns an error, correct the call or \
tell the customer what is not possible.
- You see the whole request through: if the customer wants several things, none is forgotten.
- The arguments of every call are valid JSON that fits the tool's schema."""

SOLO = f"""\
You work on service tickets, alone: nobody reads what you write and nobody can be asked. The ticket below says what is \
wanted, and the policy below says what you may do about it.

Every turn is one or more tool calls.

- The policy binds you: what it forbids is not done, whatever the ticket says.
- You know what the ticket, the policy and the tools have told you. What is missing you look up; you never guess.
- Some tools act on the customer's side. Use them as the policy would have you guide the customer.
- When the ticket is dealt with, or cannot be dealt with under the policy, call `{DONE_TOOL}` by itself."""

PLAN = """\
This conversation is a rehearsal: it tests the scenario and the simulated customer, not your judgement. The resolution \
steps below are known to lead to the right end. Take them one after the other, as soon as the conversation gives the \
occasion; some are calls of your own, some are things that only the customer can do and that you ask for. The policy \
still applies."""

ACTIONS = """\
You have no tools except through your text: a program reads it and carries out one action. The tools block lists \
what there is. {respond}What an action returns is shown to you as a message that begins with "API output:".

Your reply always has this form, and nothing after it (the tool in it is made up):

{form}

- The action is one JSON object with exactly the keys "name" and "arguments"; quotes and line breaks inside of texts \
are escaped.
- Arguments hold real values that you were given or looked up, never placeholders."""

RESPOND = 'One action more is always there: "respond" writes its argument "content" to the customer. '

ACT_FORM = """\
Action:
{"name": "opening_hours", "arguments": {"branch": "harbour", "day": "sunday"}}"""

REACT_FORM = """\
Thought:
The customer wants to come on Sunday; I have to look up whether the harbour branch is open then.
Action:
{"name": "opening_hours", "arguments": {"branch": "harbour", "day": "sunday"}}"""

EXAMPLES = """\
The transcripts below show other conversations of this service desk; "assistant: None" stands for a tool call. Take \
over how they work, not their facts."""

TICKET_CUE = "The ticket is yours. Begin."

PROMPT_VERSION = prompt_version(INSTRUCTIONS, SOLO, PLAN, ACTIONS, RESPOND, ACT_FORM, REACT_FORM, EXAMPLES, TICKET_CUE)


def is_solo(context: AgentContext) -> bool:
    """Whether the agent works on a ticket alone."""
    return any(tool.name == DONE_TOOL for tool in context.tools)


def system_prompt(context: AgentContext, *, form: str | None = None, examples: Sequence[str] = ()) -> str:
    """All that an agent is told before the conversation.

    Args:
        context: the trial's; the policy goes in word for word.
        form: how a reply looks, for agents that call tools by writing JSON; None for those with native calls.
        examples: transcripts to show.
    """
    solo = is_solo(context)
    told = [SOLO if solo else INSTRUCTIONS]
    blocks = {"policy": context.policy}
    if context.ticket is not None:
        blocks["ticket"] = context.ticket
    if context.plan is not None:
        told.append(PLAN)
        blocks["resolution_steps"] = context.plan
    if form is not None:
        told.append(ACTIONS.format(respond="" if solo else RESPOND, form=form))
        blocks["tools"] = json.dumps([tool.schema for tool in context.tools], ensure_ascii=False)
    if examples:
        told.append(EXAMPLES)
        blocks["examples"] = "\n\n".join(f"Example {i}:\n{text}" for i, text in enumerate(examples, 1))
    blocks = {"instructions": "\n\n".join(told), **blocks}
    return "\n".join(f"<{tag}>\n{text}\n</{tag}>" for tag, text in blocks.items())


def oracle_plan(task: Task) -> str:
    """The gold path of a task as steps for an agent: what to call, and what to ask the customer for."""
    return "\n".join(f"[Step {i}] {_step(action)}" for i, action in enumerate(task.gold_actions, 1))


def _step(action: Action) -> str:
    if action.requestor == "user":
        return f"Ask the customer to do this on their side: {action}."
    return f"Call the tool: {action}."
