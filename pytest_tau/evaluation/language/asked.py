"""What a line of the agent asks for, in English: leave to act, who somebody is, whether there is anything else.

Nothing here knows of calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ...patterns import any_of, lazy
from .actions import READS, spoken_of
from .text import content_words, sentences

# One "\b" for all that begin at a word: at most places of a line that one test is all there is to do.
_AT_A_WORD = (
    r"(shall|should|may|can|could|might) (i|we)\b(?! (have|get|ask|know|help|assist|see|please have|do for))",
    r"(would|do|did) you (still |also )?(like|want|wish|prefer|need|care) (me |us |for me )?to\b",
    r"would you (still )?like (that|this|it)\b|do you (still )?want (that|this|it)\b",
    r"want me to\b",
    r"okay? (to|if i|for me to)\b|okay? with you\b|fine with you\b|mind if i\b",
    r"(do|can|could|would|will) you (please |kindly |also )*(confirm|agree|consent|approve|accept|authori[sz]e)",
    r"(please|kindly|and|to|just) (also |then |explicitly |first |now |kindly )*(confirm|approve|authori[sz]e)\b",
    r"(proceed|go ahead)\b[^.?!]{0,80}\?",
    r"yes/no\b|yes or no\b|(reply|respond|answer|say|type|write)\b[^.?!\n]{0,25}\W(yes|confirm|proceed"
    r"|go ahead)\b",
    r"let me know (if|whether|when) (you('d| would)?( still)? (like|want|wish|agree|are ready|'re ready|prefer)|"
    r"(that|this|it|everything)('s| is| looks| works| sounds)|i (can|should|may))",
    r"(is|are|does|do|would|will) (that|this|it|these|those|everything|all( of)? (this|that)"
    r"|the above)\b[^.?!\n]{0,60}"
    r"\b(ok|okay|alright|all right|fine|good|acceptable|agreeable|work|suit|sound|look|be ok)\b",
    r"(is|are) (that|this|it|these|everything)\b[^.?!\n]{0,30}\b(correct|right|as you want|what you want)\b",
    r"(sounds?|looks?) (good|right|ok|okay|fine)\s*\?",
    r"(have|need|await|require|get|give) (i |me |us )?(your|explicit) [^.?!\n]{0,20}"
    r"(confirmation|approval|consent|permission|go[- ]ahead|ok|agreement)",
    r"ready (for me )?to (proceed|go|book|confirm|move)|ready for me to \w+",
    r"(once|if|when|as soon as|after) (you('ve| have)? |i (have|get|receive) your )?"
    r"(confirm|approv|agree|everything (is|looks)|that('s| is| looks) (ok|okay|correct|right|good|fine))",
    r"any objections?\b|do you agree\b|agreed\s*\?|(ok|okay|alright|all right)\s*\?$",
)
_ASKS_LEAVE = any_of(
    rf"\b(?:{'|'.join(_AT_A_WORD)})",
    r"^\W*(quick )?confirm\b",
    r"^\W*deal\s*\?",
    r"^\W*\w+( (it|that|this|them))?( right)? now\s*\?",
    r"^\W*(is )?(all )?(ok|okay|alright|all right|fine|good)( (so|then|now|to go|with you|for you))?\s*\?",
)
_IDENTITY = (
    r"(e-?mail|user ?(id|name)|zip|post(al)? ?code|phone|identity|full name|first name|last name|your name|birth"
    r"|(order|reservation|booking|confirmation) (id|number|code)|reason)"
)
_ASKS_IDENTITY = any_of(
    rf"\b(confirm|verify|provide|share|tell|give)\b[^.?!\n]{{0,40}}\b{_IDENTITY}\b",
    # "There is something on the phone" asks for nobody's number; "what I need is your phone number" does.
    rf"\b(is|are|was)\b[^.?!\n]{{0,30}}\b(?!phone\b(?! number)[^?]*$){_IDENTITY}\b",
)
_GENERIC = any_of(
    r"\b(proceed|go ahead|confirm|correct|right|alright|okay|ok|fine|good to go|agree|do (this|that|it|so)"
    r"|make (this|these|the|that|it))\b",
    r"\byes\b|\bapply|\bsubmit|\benter\b|\bfinali[sz]e|\bcomplete|\bprocess|\bhandle|\bsave"
    r"|\bwould you like (that|this|it)\b|\bmay i\b",
    r"\bwork for you|\bsound|\blook(s|ing)? (good|right)|\bobjection|\bi do\b|\bshall i\s*\?|\bshould i\s*\?"
    r"|\bwant (that|this|it)\b",
)
_READS = spoken_of(tuple(verb for verb in READS if verb not in ("get", "is", "done", "run", "read", "show", "view")))
_ALSO_READS = any_of(
    r"\b(shall|should|may|can|could|like|want)\b( (i|we|me|us|to))*( quickly| please| first)? "
    r"(read|show|get|view|pull|see|hand|connect|explain|describe|e-?mail|send you|tell|give you|help|assist|share"
    r"|walk)\b"
)
CLOSING = any_of(
    r"\b(?:any|some)thing else\b|\bwhat else\b|\bany(thing)? (other|further|more)\b|\bany(thing)? (you"
    r"|that)\b[^.?!]*\belse\b",
    r"\b(any|other|more|additional|further) (questions?|items?|changes?|requests?|orders?|products?|things?"
    r"|concerns?)\b",
    r"\b(is|are|was|were) (that|this|those|these|it) (all(?! right)|everything|the only)\b|\bfurther (help|assist)"
    r"|\bhelp you with\b",
    r"\ball the items?\b|\bevery item\b|\ball (of )?(the )?items?\b",
)


_LEAVE_BESIDE = lazy(r"\b(may i|shall i|should i|go ahead|proceed|yes)\b", re.IGNORECASE)
# "Shall I cancel it, or is there anything else?"
_OR_ELSE = lazy(
    r"^(?P<offer>.+?),? or (?:(?:is|was) there|do you (?:have|need|want)|anything|something)\b", re.IGNORECASE
)
_HINT = lazy(r"\W*(?:please )?(?:(?:reply|answer|say)\W+)?yes(?:/| or )no\W*", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """What a line of the agent asks for.

    ``leave``: the sentences that ask for a yes to something the agent would do; ``action``: those of them that are not
    only about looking something up or handing over; ``identity``: it asks who or which one; ``closing``: whether there
    is anything else; ``question``: it wants an answer at all.
    """

    leave: tuple[str, ...]
    action: tuple[str, ...]
    identity: bool
    closing: bool
    question: bool


@lru_cache(maxsize=2048)
def read_question(text: str) -> Asked:
    """What a line of the agent asks for."""
    leave, action, identity, closing, question = [], [], False, False, False
    for sentence in sentences(text):
        if question and _HINT.fullmatch(sentence):
            continue  # how to answer what was asked before it
        asks_leave = _ASKS_LEAVE.search(sentence) is not None
        question = question or asks_leave or "?" in sentence
        closes, part = CLOSING.search(sentence), sentence
        if closes is not None and ("?" in sentence or "let me know" in sentence.casefold()):
            closing = True
            beside = _OR_ELSE.search(sentence)
            if beside is not None and _ASKS_LEAVE.search(beside["offer"]):
                part = beside["offer"]
            elif not _LEAVE_BESIDE.search(CLOSING.sub(" ", sentence)):
                continue
        if _ASKS_IDENTITY.search(sentence) and not re.search(r"\b(proceed|go ahead|yes)\b", sentence, re.IGNORECASE):
            identity = True
            continue
        if asks_leave:
            leave.append(sentence)
            if not _only_reads(part):
                action.append(sentence)
    return Asked(tuple(leave), tuple(action), identity, closing, question)


@lru_cache(maxsize=2048)
def open_questions(text: str) -> tuple[str, ...]:
    """The questions of a line that are not about who somebody is, nor about whether there is anything else."""
    return tuple(
        one
        for one in sentences(text)
        if "?" in one and not CLOSING.search(one) and not _ASKS_IDENTITY.search(one) and not _HINT.fullmatch(one)
    )


def says_little(sentence: str) -> bool:
    """Whether a question has hardly a word of its own, so that it is about what was said before: "Happy with it?"."""
    return len(content_words(sentence)) <= 1


def generic(sentence: str) -> bool:
    """Whether a sentence asks for a yes without saying to what ("shall I go ahead?")."""
    return _GENERIC.search(sentence) is not None


def _only_reads(sentence: str) -> bool:
    looks = _READS.search(sentence) or _ALSO_READS.search(sentence)
    return looks is not None and not _OTHER_ACTIONS.search(sentence)


_OTHER_ACTIONS = any_of(
    r"\b(cancel|return|refund|exchange|modify|change|updat|upgrad|downgrad|book(?!s\b)|replac|swap|switch|add(?!res)"
    r"|remov|issue"
    r"|proceed|go ahead|appl(y|ies)|submit|process)"
)
