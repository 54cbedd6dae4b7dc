"""What our simulated customers are told: guidelines, the manner they take on, and the forms of the older strategies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import SettingsError
from ..evaluation.language.phrases import ASKS, TRANSFER, WORKING
from ..llm.chat import prompt_version
from ..schema.messages import AnyMessage, AssistantMessage, ToolMessage, UserMessage, with_names
from ..schema.scenario import UserScenario
from .people import MANNERS, draw_person

_ROLE = """\
# You are the customer

You write to a customer service agent. The scenario at the end says who you are, what you want and what you know. You \
are that person for the whole conversation: you never play the agent, and you never speak about the scenario.

## How you write
- Each of your messages is what the customer says next: short, plain, one step at a time.
- You open with what brings you here. Details come when the agent asks for them, and only those it asks for.
- You use your own words, except for names, numbers and ids: those you give exactly.
- What neither the scenario nor the agent has told you, you do not know, and you say so. You never fill a gap with \
something that sounds right.
- You want what the scenario wants. Another offer you accept only where the scenario lets you, and you ask for nothing \
on top."""

_ACTING = """\
## What you do yourself
- You have tools for what only you can do or see on your side. In one turn you either call a tool or write; text next \
to a call does not reach the agent.
- You call a tool when the agent asks you to do something or to look something up, or when you need it to answer; not \
on your own idea. When it is unclear what to do, you ask.
- You do one thing at a time. Asked for several at once, you say so and ask where to begin.
- What you report comes from a tool's result, never from what you expect. When a call fails, you correct it and try \
again."""

_ENDING = """\
## How it ends
Three marks end the conversation at once; the agent cannot answer any more. Put one at the end of your last message.
- ###STOP###: everything in the scenario is settled. A yes to a proposal settles nothing yet: wait until the agent \
says that it is done, or that it finally cannot be done.
- ###TRANSFER###: the agent has told you that you are being handed over to somebody else.
- ###OUT-OF-SCOPE###: the scenario gives you nothing to go on with.
Until then you keep the conversation going."""

STYLES = {
    "minimal": "You are terse. A word or two where they do, else a phrase; no greetings, no thanks, no small talk.",
    "talkative": "You like to talk: with each answer comes a remark about your day or your mood, but never a new fact.",
    "impatient": "You are in a hurry and let it show: you press for results and dislike being asked things twice.",
    "unsure": "You are not good with such things: you ask what words mean and want to have each step explained.",
}

PEOPLE = "people"
"""The style of somebody else each time, drawn from the profile of people."""

REACT = """\
## The form of your messages
Before you write, you think. A message has two labelled lines, of which the agent sees only what follows the second:

Thought: what the agent wants, what the scenario says about it, what you therefore answer
User Response: what the customer says"""

_SUPERVISOR = """\
You supervise a simulated customer who talks to a customer service agent. A response of the customer is satisfactory \
when it is what this customer would say at this point: true to the scenario, without invented facts, without giving \
away everything at once, and ending the conversation (###STOP###, ###TRANSFER###, ###OUT-OF-SCOPE###) only when it is \
over."""

_VERIFY = """\
Is the response satisfactory? Answer with one word, true or false."""

_REFLECT = """\
The response is not satisfactory. Say briefly what is wrong with it, then propose a better one, in this form:

Reflection: what is wrong
Response: what the customer should say"""

HINT = """\
(Not from the agent.) What you were about to say does not fit the scenario. It would fit better to say something like \
this, in your own form and words:
"""

# Asked to be a person, a small model stays the assistant; asked to write for one, it has no role to fall out of.
GUARD_HINT = """\
(Not from the agent.) {line}

{answer}

Write my answer for me, as I would say it. Only the answer.{hint}"""
_WITH = 'I would like to answer with what fits of this: "{wish}"'
# Shown its wish again where nothing is left to say, it recites that until a limit ends the conversation.
_NOTHING_LEFT = "I have told all that I want. My answer is: Thank you, goodbye. ###STOP###"

PROMPT_VERSION = prompt_version(
    _ROLE,
    _ACTING,
    _ENDING,
    *STYLES.values(),
    REACT,
    _SUPERVISOR,
    _VERIFY,
    _REFLECT,
    HINT,
    GUARD_HINT,
    _WITH,
    _NOTHING_LEFT,
)

_QUOTED = 600
_TOLD = 0.6  # of the words
_PLACEHOLDER = "<PERSONA_GUIDELINES>"


@dataclass(frozen=True)
class Guidelines:
    """How to play a customer, one text for those without tools and one for those with."""

    text: str = f"{_ROLE}\n\n{_ENDING}\n"
    with_tools: str = f"{_ROLE}\n\n{_ACTING}\n\n{_ENDING}\n"

    @classmethod
    def read(cls, folder: Path) -> Guidelines:
        """The guidelines in a folder such as ``user_simulator`` of the public data; raises SettingsError."""
        texts = []
        for name in ("simulation_guidelines.md", "simulation_guidelines_tools.md"):
            try:
                texts.append((folder / name).read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError) as error:
                reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
                raise SettingsError(f"user guidelines {folder / name}: {reason}") from None
        return cls(*texts)

    @property
    def version(self) -> str:
        """A short name for the guidelines together with our own prompts."""
        return self.version_for(None)

    def version_for(self, style: str | None) -> str:
        """The same, together with what a style of people says."""
        manners = MANNERS.values() if style == PEOPLE else ()
        return prompt_version(PROMPT_VERSION, self.text, self.with_tools, *manners)


def check_style(style: str | None) -> None:
    """Raise SettingsError for a style that there is not."""
    if style is not None and style not in (*STYLES, PEOPLE):
        raise SettingsError(f"there is no user style '{style}': use {', '.join((*STYLES, PEOPLE))}")


def _style_text(style: str | None, seed: int) -> str:
    """How the customer is to write; ``people``: as somebody whom the seed draws from the profile."""
    if style == PEOPLE:
        return draw_person(seed).describe()
    return "" if style is None else STYLES[style]


def system_prompt(
    scenario: UserScenario,
    guidelines: Guidelines,
    *,
    tools: bool,
    style: str | None = None,
    form: str | None = None,
    seed: int = 0,
) -> str:
    """Guidelines, then the scenario; ``style`` names a manner, ``form`` describes a form of messages.

    ``seed``: draws the person where the style is ``people``.
    """
    text = guidelines.with_tools if tools else guidelines.text
    told = _style_text(style, seed)
    manner = f"## Your manner\n{told}" if told else ""
    if _PLACEHOLDER in text:
        text, manner = text.replace(_PLACEHOLDER, manner), ""
    sections = "".join(f"\n{section}\n" for section in (manner, form) if section)
    return f"{text}{sections}\n\n<scenario>\n{scenario.render()}\n</scenario>"


def guard_hint(scenario: UserScenario, messages: Sequence[AnyMessage], hint: str) -> str:
    """What asks again for a reply out of the role: the agent's last words, and what the customer is there for.

    Args:
        scenario: what is played.
        messages: the conversation as the customer sees it.
        hint: what else to heed, "" for nothing.
    """
    said = next((one.text for one in reversed(messages) if isinstance(one, AssistantMessage) and one.text), "")
    line = f'The agent writes to me: "{said[:_QUOTED]}"' if said else "I am to say something to the agent."
    wish = _wish(scenario)
    answer = _NOTHING_LEFT if said and _nothing_left(wish, said, messages) else _WITH.format(wish=wish)
    return GUARD_HINT.format(line=line, answer=answer, hint=f" {hint}" if hint else "")


def _nothing_left(wish: str, said: str, messages: Sequence[AnyMessage]) -> bool:
    """Whether the customer has told its wish, and the agent neither asks for anything nor is at work on it."""
    if ASKS.search(said) or (WORKING.search(said) and not TRANSFER.search(said)):
        return False
    told = {word for one in messages if isinstance(one, UserMessage) for word in one.text.casefold().split()}
    wished = set(wish.casefold().split())
    return len(wished & told) >= _TOLD * len(wished)


def _wish(scenario: UserScenario) -> str:
    """What the customer wants and knows at the beginning; later wishes stay where they are."""
    told = scenario.instructions
    if isinstance(told, str):
        return told[:_QUOTED]
    return " ".join(part[:_QUOTED].strip() for part in (told.reason_for_call, told.known_info or "") if part)


def verify_prompt(scenario: UserScenario, messages: Sequence[AnyMessage], response: str) -> str:
    """The question to the supervisor whether a response is good."""
    return f"{_case(scenario, messages, response)}\n\n{_VERIFY}"


def reflect_prompt(scenario: UserScenario, messages: Sequence[AnyMessage], response: str) -> str:
    """The question to the supervisor what would be better."""
    return f"{_case(scenario, messages, response)}\n\n{_REFLECT}"


def _case(scenario: UserScenario, messages: Sequence[AnyMessage], response: str) -> str:
    blocks = {
        "scenario": scenario.render(),
        "transcript": "\n".join(_line(message) for message in messages),
        "response": response,
    }
    return "\n\n".join([_SUPERVISOR, *(f"<{tag}>\n{text}\n</{tag}>" for tag, text in blocks.items())])


def _line(message: AnyMessage) -> str:
    if isinstance(message, ToolMessage):
        return f"Result on the customer's side: {message.content}"
    if message.tool_calls:
        return "Customer calls: " + ", ".join(call.name for call in message.tool_calls)
    return f"{'Agent' if message.role == 'assistant' else 'Customer'}: {with_names(message)}"
