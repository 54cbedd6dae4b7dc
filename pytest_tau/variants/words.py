"""Kinds that change the customer's words: how they are put, written and ordered. Nothing they want or know changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from ..environment.domain import Domain
from ..schema.scenario import Instructions
from ..schema.task import Task
from ..users.people import slip
from ..users.pieces import facts, sentences
from .kinds import Dose, Kind, draws
from .reworded import with_words
from .texts import Part, exact_values, free_words, is_sectioned, retold, words_of

# For a number that stands nowhere: of one with four digits, a large database has nearly all.
_TRIES = 200
# Of a word with slips at strength 1.
_MOST_SLIPS = 0.6

_CHATTER = (
    "The weather has been all over the place here.",
    "My neighbour is mowing the lawn again, so it is rather loud.",
    "I have just put the kettle on.",
    "My dog is asleep under the desk.",
    "I have been meaning to write for a while.",
    "Sorry, somebody was at the door.",
    "It has been a long week, I can tell you.",
    "I was humming a song all morning and cannot say which.",
    "The coffee machine here makes terrible noises.",
    "My sister says that I should have written a letter.",
    "There is a lovely bird on the balcony right now.",
    "I have hardly slept, the moon was so bright.",
)
_POLITE = (
    ("Good day, I hope that you are well.", "Thank you very much in advance for your kindness."),
    ("Hello, and thank you for taking the time.", "I would be very grateful, if it is not too much trouble."),
    ("Good day to you.", "Many thanks indeed for your help and your patience."),
    ("Hello there, I do appreciate that you are here for us.", "With my warmest thanks."),
)
_RUDE = (
    ("Finally somebody. You people are useless.", "And don't waste my time with your stupid questions."),
    ("I have had it with this company.", "Get it right for once, will you."),
    ("Listen, because I say this one time only.", "Even you should manage that."),
    ("What a joke of a service.", "Move it."),
)
_VERBOSE = (
    "To be quite honest with you, and I say this after having thought about it for some time:",
    "Now, so that you can follow me, and I do want to be as clear as I possibly can be about this:",
    "What I mean to say, in case that was not entirely obvious from what I have written so far, is this.",
    "Let me put it this way, since I always find that it helps to go through things slowly and in full:",
    "As far as I can tell, and I may be repeating myself here, for which I do apologise, it is like this.",
    "If you will allow me to explain, and please do stop me when I go on for too long:",
)
_FILLED = re.compile(
    r"\b(?:please|kindly|just|actually|really|also|very|quite|thank you(?: very much)?|thanks(?: a lot)?)\b,?\s*",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"^(?:hello|hi|hey|good (?:morning|afternoon|evening|day))(?: there| hello)?[!,.]\s*", re.IGNORECASE
)
_SHORTER = (
    (re.compile(r"\bI(?: would|'d) like (?:to )?", re.IGNORECASE), "want to ", "want "),
    (re.compile(r"\bI want to ", re.IGNORECASE), "want to ", "want to "),
    (re.compile(r"\bI need to ", re.IGNORECASE), "need to ", "need to "),
)
# A sentence that begins so leans on the one before it.
_LEANS = re.compile(
    r"(?:first|second|third|fourth|then|also|besides|and|but|so|or|it|its|they|their|them|this|that|these|those|he|she"
    r"|his|her|both|one|another|the (?:other|others|rest|same|first|second|latter|former|difference)|neither|either"
    r"|if|otherwise|because|however|instead|else|therefore|next|finally|after|before|in (?:that|this) case|same|such"
    r"|here|there|once|until|when|while|only|no|yes|not|all|everything|otherwise|you (?:then|also))\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"(?<![^\s(\"“])#?[\w@/-]+(?:\.[\w@-]+)*")


def _typos(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    rng, exact = draws(dose, seed), exact_values(task)

    def say(text: str, part: Part) -> str:
        candidates = _long(free_words(text, exact))
        chosen = [place for place in candidates if rng.random() < dose.strength * _MOST_SLIPS]
        if candidates and not chosen:
            chosen = [rng.choice(candidates)]
        for start, end in reversed(chosen):
            text = text[:start] + slip(text[start:end], rng) + text[end:]
        return text

    often = "now and then" if dose.strength < 0.35 else "in every sentence" if dose.strength < 0.75 else "all the time"
    return retold(
        task,
        say,
        f"You type fast and make slips {often}: neighbouring keys, letters left out or swapped. You never do in names, "
        "ids, numbers, dates, addresses and e-mail addresses, nor in a plain yes or no.",
    )


def _long(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(start, end) for start, end in places if end - start >= 4]


def _reorder(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    rng = draws(dose, seed)
    return retold(task, lambda text, part: _in_other_order(text, rng) if part in ("reason", "known") else text)


def _has_order(task: Task, domain: Domain) -> bool:
    instructions = task.user_scenario.instructions
    if isinstance(instructions, str):
        return False
    return any(len(_blocks(text)) > 1 for text in (instructions.reason_for_call, instructions.known_info or ""))


def _in_other_order(text: str, rng: Random) -> str:
    """The text with its facts in another order; a sentence that leans on the one before it stays behind it."""
    blocks = _blocks(text)
    if len(blocks) < 2:
        return text
    order = list(range(len(blocks)))
    while order == list(range(len(blocks))):
        rng.shuffle(order)
    return " ".join(blocks[place] for place in order)


def _blocks(text: str) -> list[str]:
    """Facts that stand for themselves, each with the sentences that lean on it."""
    blocks: list[str] = []
    for sentence in sentences(text):
        if blocks and _LEANS.match(sentence):
            blocks[-1] += f" {sentence}"
        else:
            blocks.append(sentence)
    return [fact for block in blocks for fact in facts(block)]


def _piecemeal(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    instructions = task.user_scenario.instructions
    if not isinstance(instructions, Instructions) or not instructions.known_info:
        return task
    known = [fact for sentence in sentences(instructions.known_info) for fact in facts(sentence)]
    changed = instructions.model_copy(update={"piecemeal": True, "known_info": "\n".join(known)})
    scenario = task.user_scenario.model_copy(update={"instructions": changed})
    return task.model_copy(update={"user_scenario": scenario})


def _has_known(task: Task, domain: Domain) -> bool:
    instructions = task.user_scenario.instructions
    return isinstance(instructions, Instructions) and bool(instructions.known_info)


def _chatter(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    rng = draws(dose, seed)
    most = max(1, round(4 * dose.strength))

    def say(text: str, part: Part) -> str:
        if part == "ticket":
            return text
        parts = sentences(text)
        for remark in rng.sample(_CHATTER, most if part == "reason" else max(1, most // 2)):
            place = rng.randrange(len(parts) + 1)
            while place < len(parts) and _LEANS.match(parts[place]):
                place += 1  # a remark must not come between two sentences that belong together
            parts.insert(place, remark)
        return " ".join(parts)

    return retold(
        task,
        say,
        f"You put {most} remark{'s' * (most > 1)} about your day, the weather or your pets into each message. "
        "They have nothing to do with what you want, add no facts and ask for nothing. A plain yes or no stays plain.",
    )


def _set_tone(pairs: Sequence[tuple[str, str]], note: str, dose: Dose, seed: int, task: Task) -> Task:
    rng = draws(dose, seed)

    def say(text: str, part: Part) -> str:
        before, after = rng.choice(pairs)
        if part == "ticket" or (part != "reason" and rng.random() > dose.strength):
            return text
        return f"{before} {text} {after}" if part == "reason" else f"{text} {after}"

    return retold(task, say, note)


def _polite(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    note = "You are exceedingly polite: you greet, ask for things with please, and thank for every answer."
    return _set_tone(_POLITE, note, dose, seed, task)


def _rude(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    note = "You are rude: you scold the agent and the company, without threats, and still give what you are asked for."
    return _set_tone(_RUDE, note, dose, seed, task)


def _terse(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    rng, exact = draws(dose, seed), exact_values(task)

    def say(text: str, part: Part) -> str:
        return " ".join(
            _short(one, exact) if rng.random() <= max(dose.strength, 0.5) else one for one in sentences(text)
        )

    return retold(task, say, "You write telegrams: a few words where they do, no greeting, no thanks, no explanation.")


def _short(sentence: str, exact: set[str]) -> str:
    """A sentence without what politeness put into it; as it is where that would touch what must stay."""
    short = _FILLED.sub("", _GREETING.sub("", sentence))
    for pattern, with_verb, with_noun in _SHORTER:
        found = pattern.search(short)
        if found is not None:
            short = (
                short[: found.start()] + (with_verb if found[0].endswith("to ") else with_noun) + short[found.end() :]
            )
            break
    short = re.sub(r"[\s,]*([.;?!])(?!\S)|\s+(?=[,.;?!])", r"\1", short).strip(" ,")
    if not re.search(r"\w", short) or any(value in sentence and value not in short for value in exact):
        return sentence
    return short[0].upper() + short[1:]


def _verbose(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    rng = draws(dose, seed)

    def say(text: str, part: Part) -> str:
        if part == "ticket":
            return text
        told = []
        for place, sentence in enumerate(sentences(text)):
            if place == 0 or (rng.random() < dose.strength and not _LEANS.match(sentence)):
                told.append(rng.choice(_VERBOSE))
            told.append(sentence)
        return " ".join(told)

    return retold(
        task,
        say,
        "You write long, winding messages: you explain why you say what you say, and repeat it in other words. You add "
        "no facts. A plain yes or no comes in one clear sentence.",
    )


def _correction(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    rng, exact = draws(dose, seed), exact_values(task)
    done = False

    def say(text: str, part: Part) -> str:
        nonlocal done
        found = _ids(text, exact)
        if done or not found or part == "ticket":
            return text
        right = rng.choice(found)
        wrong = _wrong(right[0], domain, rng)
        if wrong is None:
            return text
        done = True
        return f"{text[: right.start()]}{wrong}, no, sorry, I mean {right[0]}{text[right.end() :]}"

    return retold(
        task,
        say,
        "Now and then you give a number wrongly and correct it at once, in the same message; what counts is the second "
        "one, which is the one you know.",
    )


def _has_id(task: Task, domain: Domain) -> bool:
    exact = exact_values(task)
    return is_sectioned(task) and any(_ids(text, exact) for text in words_of(task))


def _ids(text: str, exact: set[str]) -> list[re.Match[str]]:
    """The ids and numbers of a text that are no part of a longer value, such as an address."""
    longer = [found.span() for value in exact if " " in value for found in re.finditer(re.escape(value), text)]
    found = (one for one in _TOKEN.finditer(text) if _is_id(one[0]))
    return [one for one in found if not any(start <= one.start() and one.end() <= end for start, end in longer)]


def _is_id(word: str) -> bool:
    """Whether a word is an id, a phone number or a zip code: digits enough, and no year, date or amount."""
    digits = sum(map(str.isdigit, word))
    code = digits > 0 and len(word) > 4 and word.isalnum() and word.isupper()
    return (digits > 3 or code) and not re.fullmatch(r"(?:19|20)\d\d(?:-\d\d-\d\d.*)?|\d\d?/\d\d?/\d{4}|.*@.*", word)


def _wrong(right: str, domain: Domain, rng: Random) -> str | None:
    """A number like another, that stands nowhere in the domain's data; None where a short one has no such."""
    known = _data_text(domain)
    digits = [place for place, letter in enumerate(right) if letter.isdigit()]
    for _ in range(_TRIES):
        at = rng.choice(digits)
        wrong = right[:at] + rng.choice("123456789".replace(right[at], "")) + right[at + 1 :]
        if wrong not in known:
            return wrong
    return None


def _data_text(domain: Domain) -> str:
    """All of the agent's data as one text."""
    memo = domain.memo
    if "dumped" not in memo:
        memo["dumped"] = repr({name: table.raw for name, table in domain.base.tables.items()})
    text: str = memo["dumped"]
    return text


_LANGUAGES = {
    "de": "German", "es": "Spanish", "fr": "French", "it": "Italian", "pt": "Portuguese", "nl": "Dutch", "pl": "Polish",
    "tr": "Turkish", "ja": "Japanese", "zh": "Chinese", "hi": "Hindi", "ar": "Arabic",
}  # fmt: skip


def _language(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    """The task in the customer's words in a language, where somebody wrote them; a model is told to write it."""
    written = sorted({words.language for words in task.reworded or [] if words.language in _LANGUAGES})
    code = dose.choice or draws(dose, seed).choice(written or sorted(_LANGUAGES))
    name, words = _LANGUAGES[code], task.wordings(code)
    return retold(
        with_words(task, words[(dose.number - 1) % len(words)]) if words else task,
        None,
        f"You write in {name}, and in no other language, whatever language the agent writes in, which you understand. "
        "Names, ids, numbers and e-mail addresses stay as they are.",
    )


def _is_written(task: Task, choice: str) -> bool:
    return any(words.language in ([choice] if choice else _LANGUAGES) for words in task.reworded or [])


WORDS = (
    Kind("reordered", "words", "the facts come in another order", _reorder, _has_order),
    Kind("piecemeal", "words", "facts are told one by one, only when asked", _piecemeal, _has_known),
    Kind("typos", "words", "slips of the keyboard, never in ids, names, numbers", _typos),
    Kind("chatter", "words", "remarks that have nothing to do with it", _chatter),
    Kind("polite", "words", "very polite", _polite),
    Kind("rude", "words", "rude", _rude),
    Kind("terse", "words", "as few words as possible", _terse),
    Kind("verbose", "words", "many words", _verbose),
    Kind("correction", "words", "a wrong number first, corrected at once", _correction, _has_id),
    Kind(
        "language",
        "words",
        "another language",
        _language,
        choices=tuple(_LANGUAGES),
        needs_model=True,
        written=_is_written,
    ),
)
