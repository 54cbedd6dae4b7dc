"""The customer of a task: who they are, what they want and know, and what they say when."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from .calls import Action
from .messages import Attachments
from .values import Frozen


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is blank, and a customer who speaks says something")
    return text


Words = Annotated[str, Field(min_length=1), AfterValidator(_not_blank)]


class Later(Frozen):
    """Something that the customer says only later: the next wish, or a change of mind."""

    when: Literal["proposed", "done"]
    """`done`: when the agent has told them the result of everything they have asked for so far. `proposed`: when the
    agent proposes `about` and asks for their yes; they then refuse."""
    say: Words
    """The customer's words."""
    about: str | None = None
    """What the agent proposes then, as a noun phrase."""
    before: str | None = None
    """For the oracle: the `action_id` of the gold action before which they say it; by default after the last."""
    proposal: Action | None = None
    """For the oracle: the call that the agent proposes then and must not make."""

    def render(self) -> str:
        """The moment and the words, for whoever plays the customer."""
        if self.when == "done":
            return (
                "When the agent has told you how everything that you have asked for so far ended, done or refused, "
                f'and not before, say: "{self.say}"'
            )
        about = self.about or "what you have asked for"
        return (
            f"When the agent has set out {about} and asks for your agreement, do not agree. You have changed your "
            f'mind; until then you have not, and you do not hint at it. Say: "{self.say}"'
        )


_PIECEMEAL = (
    "You give one line of the known info in a message, the one that is asked for, and wait to be asked for the next. "
    "Asked for several at once, you give the first."
)


class Instructions(Frozen):
    """What the simulated customer knows and wants, in sections."""

    domain: str
    """The domain's name."""
    reason_for_call: str
    """What the customer wants, in the first or third person."""
    task_instructions: str
    """How the customer behaves: what they accept, what they insist on, when they stop."""
    known_info: str | None = None
    """What the customer knows and may say, in the first person: name, e-mail, order numbers."""
    unknown_info: str | None = None
    """What the customer does not know and must not invent."""
    piecemeal: bool | None = None
    """Whether the customer says `known_info` one line at a time, only when asked."""
    later: list[Later] | None = None
    """What the customer says later in the conversation, in this order."""

    def render(self) -> str:
        """The sections as the user simulator reads them."""
        sections = [
            ("Reason for call", self.reason_for_call),
            ("Known info", self.known_info),
            ("Unknown info", self.unknown_info),
            ("Task instructions", self.task_instructions),
        ]
        lines = [f"Domain: {self.domain}"]
        for title, text in sections:
            if text is not None:
                lines += [f"{title}:", indent(text)]
        if self.piecemeal:
            lines += ["How to tell what you know:", indent(_PIECEMEAL)]
        if self.later:
            moments = [f"{number}. {moment.render()}" for number, moment in enumerate(self.later, start=1)]
            lines += ["Later, in this order:", indent("\n".join(moments))]
        return "\n".join(lines)


class Attach(Frozen):
    """When the scripted customer sends a picture."""

    when: Literal["asked_for", "at_start", "after_call"]
    """`at_start`: with the first message. `asked_for`: when the agent asks for a picture. `after_call`: in place of the
    result of a call on the customer's own side."""
    image: str
    """The `id` of the picture."""
    call: str | None = None
    """With `after_call`: the customer's tool; by default any of them."""

    @property
    def moment(self) -> str:
        """When, for whoever plays the customer."""
        if self.when == "after_call":
            return f", after you have called {self.call or 'a tool of yours'}, instead of telling what it returned"
        return ", with your first message" if self.when == "at_start" else ", when the agent asks to see it"


_PICTURES = """\
Pictures that you can send. You send one by writing its mark, brackets and all, once in your message; the agent then \
sees it. You do not describe it or read it out, you send it. There are no others:"""


class Interrupt(Frozen):
    """What the customer says while the agent works: after the first success of a call, before the agent continues."""

    after_call: Annotated[str, Field(min_length=1)]
    """The agent's tool. If one message makes several calls, the customer speaks after the last."""
    say: Words
    """The customer's words."""


class Patience(Frozen):
    """When the customer loses patience and leaves; the agent has then missed."""

    turns: int | None = Field(default=None, ge=1)
    """After this many messages of the customer."""
    seconds: float | None = Field(default=None, gt=0)
    """After this many virtual seconds of the conversation; the domain says how long calls and replies take."""
    say: Words = "I have waited long enough. Goodbye."
    """The customer's last words."""


class UserScenario(Frozen):
    """The customer: an optional persona, the instructions, and their pictures."""

    persona: str | None = None
    """The customer's manner: impatient, unsure, talkative."""
    manner: Literal["people"] | None = None
    """`people`: each trial's customer writes as a person drawn from the profile of people does."""
    language: str | None = None
    """The code of the language that the customer writes: "de". By default English."""
    line: Literal["phone"] | None = None
    """`phone`: the customer is on the telephone; the scripted one repeats, spells and confirms ids when asked."""
    heard: dict[str, str] | None = None
    """What a recogniser made of the customer's lines, by the line; for the perturbation `spoken`."""
    instructions: Instructions | str
    """What the customer knows and wants: one text, or sections."""
    attachments: Attachments = None
    """The pictures that the customer can send, by writing `[attach: id]`."""
    attach: list[Attach] | None = None
    """When the scripted customer sends which picture."""
    interrupts: list[Interrupt] | None = None
    """What the customer says while the agent is working."""
    patience: Patience | None = None
    """When the customer leaves; by default never."""

    @property
    def later(self) -> list[Later]:
        """What the customer brings up later, in order."""
        return [] if isinstance(self.instructions, str) else list(self.instructions.later or [])

    def render(self) -> str:
        """The scenario as the user simulator reads it (τ²'s layout: sections indented by tabs)."""
        lines = [] if self.persona is None else ["Persona:", indent(self.persona)]
        text = self.instructions if isinstance(self.instructions, str) else self.instructions.render()
        lines += ["Instructions:", indent(text)]
        if self.attachments:
            moments = {one.image: one.moment for one in self.attach or []}
            marks = (f"[attach: {one.id}]{moments.get(one.id, '')}" for one in self.attachments)
            lines += [_PICTURES, indent("\n".join(marks))]
        return "\n".join(lines)


class Rewording(Frozen):
    """A paraphrase of what the customer says and knows, or the same in another language, and nothing else."""

    language: str | None = None
    """The code of its language, for the perturbation `language`: "de". By default English, for `reworded`."""

    reason_for_call: Annotated[str, Field(min_length=1)]
    """Replaces the scenario's, or instructions that are one text."""
    known_info: str | None = None
    """Replaces the scenario's; omit it to keep that."""
    later: list[Words] | None = None
    """Replaces what the customer says later, one text for each of the scenario's; omit it to keep those."""


def indent(text: str) -> str:
    """Indent every line that is not blank by one tab."""
    return "\n".join(f"\t{line}" if line.strip() else "" for line in text.split("\n"))
