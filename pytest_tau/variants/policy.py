"""Policies with one rule changed: deleted, turned round, or with other numbers.

An edit is a text edit, and a pure function of the policy, the rule and the edit: what is left is a policy that somebody
could have written. :class:`PolicyView` shows it to an agent; grading knows nothing of it, so that a trial tells whether
the agent goes by the sentence or by what it knows anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ..conversation.view import AgentView
from ..environment.rules import PolicyRule, PolicyText, read_rules
from ..errors import SettingsError

OPERATIONS = ("delete", "invert", "rescale")
FACTOR = 2.0

# The first that fits turns a sentence round: what is forbidden is allowed, what is allowed is forbidden.
_NEGATIONS = (
    (r"\bcannot\b", "can"),
    (r"\b(can|may|must|do|does|is|are|has|have) (?:not|never)\b", r"\1"),
    (r"\b[Nn]ever\b", "always"),
    (r"\bnothing\b", "anything"),
    (r"\bNothing\b", "Anything"),
    (r"\b[Nn]obody\b", "anybody"),
    (r"\bnowhere else\b", "anywhere else"),
    (r"\b[Nn]o other\b", "any other"),
    (r"\bneither\b", "either"),
    (r"\b[Aa]t most\b", "at least"),
    (r"\b[Aa]t least\b", "at most"),
    (r"\bwithout\b", "with"),
    (r"\bOnly\b", "Not only"),
    (r"\bonly\b", "not only"),
    (r"\bnot\b", "also"),
    (r"\bNo (?=[a-z])", "Any "),
    (r"\bno (?=[a-z])", "any "),
)
_ASSERTIONS = (
    (r"\b(can|may|must|will)\b", r"\1 not"),
    (r"\b(?:has|have) to\b", "need not"),
    (r"\b(is|are)\b", r"\1 not"),
    (
        r"\b(costs?|works?|goes|moves|takes?|gets?|stays?|needs|becomes?|includes|confirms|names|belongs|works)\b",
        r"never \1",
    ),
)
_ORDER = re.compile(
    r"\W*(?:adapt|add|ask|call|check|decline|do|find|follow|give|hand|keep|locate|look|make|promise|put|read|remind|remove"
    r"|replace|say|see|send|serve|set|speak|state|stay|tell|then|use|wait)\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:cannot|not|never|nothing|nobody|nowhere|no|neither|nor|without|least)\b|n['’]t\b", re.IGNORECASE
)
_WORDS = {"three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_NUMBER = re.compile(rf"(?<![\w`:.-])(?:\d+(?:\.\d+)?|{'|'.join(_WORDS)})(?![\w`:-]|\.\d)", re.IGNORECASE)
_MONTH = re.compile(r"\s+(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)")


@dataclass(frozen=True)
class PolicyEdit:
    """A rule by its id, what is done to it, and by how much its numbers are changed."""

    rule: str
    operation: str
    factor: float = FACTOR

    def __str__(self) -> str:
        return f"{self.operation}:{self.rule}"


def edits_of(policy: PolicyText, operations: Sequence[str] = OPERATIONS) -> Iterator[PolicyEdit]:
    """All edits that change the text of a policy, rule by rule; rules that no task can guard are left out."""
    for rule, operation in product(policy.rules, operations):
        if rule.unguarded is None and can_edit(policy, rule, operation):
            yield PolicyEdit(rule.id, operation)


def can_edit(policy: PolicyText, rule: PolicyRule, operation: str) -> bool:
    """Whether an operation changes anything in the words of a rule."""
    return operation != "rescale" or any(numbers_in(part) for part in policy.parts(rule))


def edit_policy(policy: PolicyText, edit: PolicyEdit) -> PolicyText:
    """A policy after an edit, and its rules where they stand in it now.

    Raises:
        SettingsError: the policy has no such rule, or nothing in it that can be changed so.
    """
    rule = policy.by_id.get(edit.rule)
    if rule is None:
        raise SettingsError(f"{edit}: the policy has no rule '{edit.rule}'; pytest-tau audit --policy lists them")
    if not can_edit(policy, rule, edit.operation):
        raise SettingsError(f"{edit}: there is no number in the rule '{edit.rule}' to change")
    changes = [_change(policy.text, start, end, edit) for start, end in sorted(rule.spans)]
    text, last = "", 0
    for start, end, words in changes:
        text, last = text + policy.text[last:start] + words, end

    def shift(at: int) -> int:
        return at + sum(len(words) - (end - start) for start, end, words in changes if end <= at)

    rules = []
    for one in policy.rules:
        if one is not rule:
            rules.append(replace(one, spans=tuple((shift(start), shift(end)) for start, end in one.spans)))
        elif edit.operation != "delete":
            spans = tuple((shift(start), shift(start) + len(words)) for start, _, words in changes)
            rules.append(replace(one, spans=spans))
    return PolicyText(text + policy.text[last:], tuple(rules))


def _change(text: str, start: int, end: int, edit: PolicyEdit) -> tuple[int, int, str]:
    """A stretch of a policy and what stands there after an edit."""
    words = text[start:end]
    if edit.operation != "delete":
        return start, end, invert(words) if edit.operation == "invert" else rescale(words, edit.factor)
    # An item or a row of which nothing is left goes as a whole.
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text)
    lead = re.sub(r"^\s*(?:[-*+]|\d+[.)])\s", "", text[first:start])
    if not re.search(r"\w", lead) and not re.search(r"\w", text[end:last]):
        return first, last, ""
    return start, end + len(text[end:]) - len(text[end:].lstrip(" ")), ""


def invert(words: str) -> str:
    """A rule turned round, sentence by sentence: what it forbids is allowed, what it asks for is not to be done."""
    return "".join(_invert_sentence(sentence) for sentence in _sentences(words))


def _invert_sentence(sentence: str) -> str:
    orders = _ORDER.match(sentence) is not None and not re.match(r"\W*Do not\b", sentence)
    quoted = [found.span() for found in re.finditer(r"`[^`]*`", sentence)]
    for pattern, other in () if orders else (*_NEGATIONS, *_ASSERTIONS):
        for found in re.finditer(pattern, sentence):
            if not any(start <= found.start() < end for start, end in quoted):
                return sentence[: found.start()] + found.expand(other) + sentence[found.end() :]
    if sentence.startswith("|"):
        return re.sub(r"\| *([^|]*\|\s*)$", r"| not: \1", sentence)
    start = "Do not" if orders else "It is not so that"
    return re.sub(r"([A-Za-z])", lambda letter: f"{start} {letter[1].lower()}", sentence, count=1)


def stands(now: str | None, before: str) -> bool:
    """Whether a rule still says what it said: it is there, and most of its sentences have not been turned round."""
    if now is None:
        return False
    pairs = list(zip(_sentences(now), _sentences(before), strict=False))
    same = sum(polarity(one) == polarity(other) for one, other in pairs)
    return 2 * same > len(pairs)


def _sentences(words: str) -> list[str]:
    """The sentences of a rule, with the spaces that follow them."""
    return re.findall(r"(?:`[^`]*`|.)+?(?:[.!?][*_)]*(?:\s+|\Z)|\n|\Z)", words, re.DOTALL)


def polarity(words: str) -> bool:
    """Whether a text has an even number of negations; an edit that turns it round changes that."""
    return len(_NEGATIVE.findall(words)) % 2 == 0


def numbers_in(words: str) -> list[float]:
    """The numbers of a rule, in words or figures; dates, times and what is quoted as code are none."""
    return [_value(found[0]) for found in _numbers(words)]


def rescale(words: str, factor: float) -> str:
    """A rule whose numbers are others: each times the factor, whole numbers rounded and at least changed by 1."""
    for found in reversed(_numbers(words)):
        value = _value(found[0])
        other: float = value * factor
        if value == int(value):
            other = round(other) if round(other) != value else value + 1
        words = f"{words[: found.start()]}{other:g}{words[found.end() :]}"
    return words


def _numbers(words: str) -> list[re.Match[str]]:
    quoted = [found.span() for found in re.finditer(r"`[^`]*`|\d+ [A-Z][a-z]+ \d{4}", words)]
    return [
        found
        for found in _NUMBER.finditer(words)
        if not any(start <= found.start() < end for start, end in quoted) and not _MONTH.match(words, found.end())
    ]


def _value(text: str) -> float:
    return float(_WORDS.get(text.casefold(), 0) or text)


class PolicyView(AgentView):
    """The world as it is, under a policy with a rule changed. Other texts that an agent reads stay."""

    def __init__(self, edit: PolicyEdit, policy: PolicyText) -> None:
        self._edit, self._policy = edit, policy

    def policy(self, text: str) -> str:
        """The policy after the edit; what stands around it stays, and so does that of a role without the rule."""
        found, edit = in_text(text, self._policy), self._edit
        rule = found.by_id.get(edit.rule)
        if edit.rule in self._policy.by_id and (rule is None or not can_edit(found, rule, edit.operation)):
            return text
        return edit_policy(found, edit).text


def in_text(text: str, known: PolicyText) -> PolicyText:
    """A text with the rules of another one, each where its words stand."""
    found = []
    for rule in known.rules:
        spans = [(at, at + len(part)) for part in known.parts(rule) if (at := text.find(part)) >= 0]
        if spans:
            found.append(PolicyRule(rule.id, rule.number, rule.text, rule.section, tuple(spans), rule.named))
    return PolicyText(text, tuple(found)) if found else read_rules(text)
