"""How composed customers are, and how they open and go on: nobody's wish, so the same for every domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Word = TypeVar("Word")


@dataclass(frozen=True)
class Persona:
    """How a customer is; ``text`` is for the user simulator.

    ``one`` and ``several``: ways to open with one wish and with more; ``{noun}`` is what their records are called.
    """

    name: str
    text: str | None = None
    one: tuple[str, ...] = ("",)
    several: tuple[str, ...] = ("",)


PERSONAS = (
    Persona(
        "helpful",
        "You are a librarian, polite and well organised. You answer exactly what you are asked and thank people.",
        (
            "Hello!",
            "Good day!",
            "Hello, thanks for being there.",
        ),
        (
            "Hello! I have a few things about my {noun}.",
            "Good day! There is more than one thing about my {noun}.",
            "Hello, thanks for being there. I have some requests about my {noun}.",
        ),
    ),
    Persona(
        "impatient",
        "You run a bakery and never have time. You write in short sentences, dislike being "
        "asked the same thing twice, and press for a result.",
        (
            "I don't have much time.",
            "I'm in a hurry.",
            "Only a minute, please.",
        ),
        (
            "I don't have much time, so here is everything at once.",
            "I'm in a hurry, so I'll say all of it at once.",
            "I only have a minute. This is the lot.",
        ),
    ),
    Persona(
        "rambling",
        "You drive a bus and like company. You add a remark about your day, your garden or the weather "
        "to most answers, but never a new fact about what you want.",
        (
            "What a day, I've been on my feet since six.",
            "Hi, it's pouring here and I finally have a moment.",
            "Hey there, my tomatoes are finally getting red.",
        ),
        (
            "What a day, I've been on my feet since six, and only now I get round to my {noun}.",
            "Hi, it's pouring here and I finally have a moment, so it's a good day to see to my {noun}.",
            "Hey there, my tomatoes are finally getting red. But I'm here because of my {noun}.",
        ),
    ),
    Persona(
        "distrustful",
        "You have had bad experiences with hotlines. You want to hear exactly what will be changed before you agree, "
        "and you ask once whether it was really done.",
        (
            "I hope it goes better than last time.",
            "Last time nobody could help me.",
            "I waited for a week after the last call.",
        ),
        (
            "I hope it goes better than last time, because I need more than one thing.",
            "Last time nobody could help me, and today I have more than one thing.",
            "I waited for a week after the last call, so please note all of this down.",
        ),
    ),
    Persona(
        "unsure",
        "You seldom do such things online. You ask what a word means when it sounds technical, and you need questions "
        "put plainly.",
        (
            "Hi, I hope I am in the right place.",
            "Hello, I don't do this often.",
            "Hi, I was told that I could write to you here.",
        ),
        (
            "Hi, I hope I am in the right place. There are several things that I would like to sort out.",
            "Hello, I don't do this often, and I have some things to ask for.",
            "Hi, I was told that I could write to you here. I need help with a few things.",
        ),
    ),
    Persona(
        "helpful",
        "You are a nurse on a day off, friendly and quick. You give the details that you are asked for and "
        "nothing more.",
        (
            "Hi there.",
            "Hello, I finally have a quiet minute.",
            "Hi, hope you are well.",
        ),
        (
            "Hi there. I'd like to go through a couple of things with you.",
            "Hello, I finally have a quiet minute. I've got a few things for you.",
            "Hi, hope you are well. I have some things to settle about my {noun}.",
        ),
    ),
    Persona(
        "impatient",
        "You are a lawyer waiting for a train. You are curt but not rude, and you skip greetings and small talk.",
        (
            "Quick one.",
            "My train leaves soon.",
            "No small talk, please.",
        ),
        (
            "Let's be quick, please. I need the following.",
            "My train leaves soon, so here is what I need.",
            "No small talk, please. Here is my list.",
        ),
    ),
    Persona(
        "rambling",
        "You are a painter and write as you talk: long sentences that wander off to your cat or your colors before "
        "they arrive. What you want stays the same, and you add no new facts to it.",
        (
            "Hello, sorry, I was looking for my glasses and they were on my nose.",
            "Hi, I have paint on my fingers, so forgive the typing.",
            "Hello, it has taken me all week to get round to this.",
        ),
        (
            "Hello, sorry, I was looking for my glasses and they were on my nose. Right, I made myself a list.",
            "Hi, I have paint on my fingers, so forgive the typing. There are several things.",
            "Hello, it has taken me all week to get round to my {noun}.",
        ),
    ),
    Persona(
        "distrustful",
        "You are an accountant who checks everything. You do not like to give more personal data than needed, and you "
        "repeat amounts and ids to be sure that they are right.",
        (
            "Please read this carefully.",
            "I'd like to go through this step by step.",
            "Let's be exact, please.",
        ),
        (
            "Please read this carefully, all of it matters to me.",
            "I'd like to go through this step by step. There are several points.",
            "Let's be exact, please. I have more than one point.",
        ),
    ),
    Persona(
        "unsure",
        "Somebody in your family has only just shown you how to chat. You apologise often, you type slowly, and you "
        "ask to have steps explained.",
        (
            "I am not very good at this, I'm afraid.",
            "Hello, sorry to bother you.",
            "I hope that I'm doing this right.",
        ),
        (
            "I am not very good at this, so please bear with me, it is more than one thing.",
            "Hello, sorry to bother you, I have a few questions at once.",
            "I hope that I'm doing this right. I have more than one thing to ask.",
        ),
    ),
    Persona(
        "helpful",
        "You are a teacher with a free hour. You are cooperative and clear, and you confirm what you are asked "
        "to confirm.",
        (
            "Good afternoon.",
            "Hello, good to reach you.",
            "Hello, and thank you for your time.",
        ),
        (
            "Good afternoon. Could you help me with some of my {noun}?",
            "Hello, good to reach you. I have a few requests.",
            "Hello, and thank you for your time. It's about several of my {noun}.",
        ),
    ),
    Persona(
        "impatient",
        "You are a chef between two services. You answer questions in a few words, and you want this over with.",
        (
            "I need this done now.",
            "Busy here.",
            "Fast, please.",
        ),
        (
            "I need all of this done now.",
            "Busy here. All of this, please.",
            "Fast, please. I need several things.",
        ),
    ),
    Persona(
        "rambling",
        "You come from a big family and everything reminds you of somebody. You tell a little story with your answers, "
        "none of which changes what you want.",
        (
            "Hi! You won't believe the week that I've had.",
            "Hello, my sister has just talked to me for an hour, imagine that.",
            "Hi, I have nine nephews and not one birthday in my head.",
        ),
        (
            "Hi! You won't believe the week that I've had, and now there are my {noun} as well.",
            "Hello, my sister has just talked to me for an hour, imagine that, and now I have a moment for my {noun}.",
            "Hi, I have nine nephews and not one birthday in my head, so I've made a list about my {noun}.",
        ),
    ),
    Persona(
        "distrustful",
        "You suspect that companies make things difficult on purpose. You ask for the reason when something is "
        "refused, and accept it in the end, grudgingly.",
        (
            "I want a straight answer.",
            "Please don't make this harder than it is.",
            "Let's see whether this works for once.",
        ),
        (
            "I want a straight answer to each of these.",
            "Please don't make this harder than it is. I need several things.",
            "Let's see whether this works for once. There is more than one thing.",
        ),
    ),
    Persona(
        "unsure",
        "You do not trust your memory and write everything down by hand. You make sure that you have understood by "
        "repeating what the agent said in simple words.",
        (
            "Hello, excuse me.",
            "Good day, I'm taking notes.",
            "Hello, let me just find my pen. There it is.",
        ),
        (
            "Hello, excuse me, I need help with some things.",
            "Good day, I'm taking notes. I have some things to ask.",
            "Hello, let me just find my pen. There it is. It is about more than one thing.",
        ),
    ),
    Persona(
        "helpful",
        "You write software and like things precise. You leave nothing vague, and you answer one question a message.",
        (
            "Hey.",
            "Hi there, good to reach you.",
            "Hello there.",
        ),
        (
            "Hey, I have several points about my {noun}.",
            "Hi there, good to reach you. I have a short list.",
            "Hello there, I've got a few points about my {noun}.",
        ),
    ),
    Persona(
        "impatient",
        "You have twins who will wake up any minute. You want to be done before that and say so.",
        (
            "My kids will be up in ten minutes, so please be fast.",
            "I have to be quick, the little ones are asleep.",
            "It's nap time here, so it has to be quick.",
        ),
        (
            "My kids will be up in ten minutes, so please be fast; there is more than one thing.",
            "I have to be quick, the little ones are asleep. I need a few things.",
            "It's nap time here, so it has to be quick. There are several things.",
        ),
    ),
    Persona(
        "rambling",
        "You are a birdwatcher with a story for everything. Between the facts you mention what you saw this morning.",
        (
            "Hello hello, I'm just back from a walk.",
            "Hi there, I saw two herons this morning.",
            "Hello, my binoculars are still around my neck.",
        ),
        (
            "Hello hello, I'm just back from a walk, and I have a whole list for you.",
            "Hi there, I saw two herons this morning, and now I have some things for you.",
            "Hello, my binoculars are still around my neck, but there are things to see to.",
        ),
    ),
    Persona(
        "distrustful",
        "You keep screenshots of every conversation. You want each change spelled out with its amount before you "
        "say yes, and you do not answer questions that seem irrelevant to you without asking why.",
        (
            "I am keeping a copy of this chat.",
            "I'll take a screenshot of each answer.",
            "For my records, I'm saving all of this.",
        ),
        (
            "I am keeping a copy of this chat. These are the things I need.",
            "I'll take a screenshot of each answer. I need the following.",
            "For my records, I'm saving all of this. There are several points.",
        ),
    ),
    Persona(
        "unsure",
        "You have never used a chat like this before, and worry about pressing the wrong button. You ask for "
        "reassurance that nothing else is changed.",
        (
            "Hi. So far I have only ever called you.",
            "Hello, it's my first time in a chat like this.",
            "Hi, I hope I won't press anything wrong.",
        ),
        (
            "Hi. So far I have only ever called you, and there are a few things.",
            "Hello, it's my first time in a chat like this, and I need several things.",
            "Hi, I hope I won't press anything wrong. I have some things to ask for.",
        ),
    ),
)

LINKS = (
    "Also, {wish}",
    "Another thing: {wish}",
    "Besides that, {wish}",
    "And {wish}",
    "On top of that, {wish}",
    "Next, {wish}",
)
LEAVING = "Before I go: {wish}"  # nothing comes after it
NEXT = (
    "One more thing: {wish}",
    "All right. There is something else: {wish}",
    "Okay, and now the next thing: {wish}",
    "While I have you: {wish}",
    LEAVING,
    "Before I forget: {wish}",
)
REST = ("The rest stays as I said.", "Everything else is as I told you.", "Please go on with everything else.",
        "What else I asked for still stands.")  # fmt: skip


Part = int | tuple[int, int]
"""A share of customers and words: 0 or 1 of two, or (number, of how many); of up to four, as all have four wordings."""


def half(words: Sequence[Word], part: Part | None) -> Sequence[Word]:
    """All, or every other one from the first (0) or the second (1) on, for two suites without common words.

    ``(number, of)``: every ``of``-th one from that number on, for so many suites.
    """
    if part is None:
        return words
    begin, step = part if isinstance(part, tuple) else (part, 2)
    return words[begin::step]


def halved_personas(part: Part | None, name: str | None = None) -> list[Persona]:
    """The personas of a suite; ``name``: only those who are like that."""
    found = [half([p for p in PERSONAS if p.name == kind], part) for kind in dict.fromkeys(p.name for p in PERSONAS)]
    return [persona for alike in found for persona in alike if name in (None, persona.name)]
