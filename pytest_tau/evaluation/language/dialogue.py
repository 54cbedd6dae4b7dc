"""What a line of the customer does, in English: says yes or no, puts off, wishes, asks. asked.py has the agent's lines.

Nothing here knows of calls. A line may do several things at once ("Yes, and could you also ..."); who reads them
(consent.py) decides what that means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ...patterns import any_of, lazy
from .text import sentences

_LEAD = (
    r"^\W*(?:\(?\d{1,2}[.):]\s*|[a-c][.):]\s+|(?:and|so|then|oh|ah|well|um+|uh+|hmm+|ugh|thanks|thank you|great"
    r"|perfect|ok|okay"
    r"|alright|all right|good|fine|hi|hello|look|listen|honestly|finally|just|for (?:god|heaven"
    r"|goodness)'?s? ?'?s? sake|my goodness"
    r"|option \w+|[a-z]+(?= [-–—:]+ ?yes)|oui|sí|si)\b\W*)*"
)
_YES = (
    r"(?:yes+|yeah+|yea|yep|yup|ya|aye|yessir|affirmative|absolutely|certainly|definitely|of course|agreed|confirmed"
    r"|confirm|approved|correct|exactly|indeed|that is correct|that's correct|by all means|please do|100 ?%|totally"
    r"|sure thing|will do|you may(?=\W*$|[,;:])|go)"
)
_STRONG_FIRST = lazy(rf"{_LEAD}{_YES}\b(?!\s+not\b)(?!\s*(?:\?|to (?:know|see|ask)))", re.IGNORECASE)
_CASUAL_FIRST = lazy(
    r"^\W*(?:sure|ok|okay|k|okey|alright|all right|fine|perfect|great|good|right(?! now)"
    r"|please(?! (?:leave|keep|wait|hold|stop|don't|do not|never)\b)|wonderful|excellent"
    r"|awesome"
    r"|cool"
    r"|deal|works|fair enough|very well|👍)(?!\w)",
    re.IGNORECASE,
)
# All of a sentence: "both are broken" agrees to nothing, and "keep both" to less.
_BOTH = lazy(
    r"\W*(?:(?:ok|okay|please|then|do|to)\W+){0,2}(?:both|all (?:two|three|four))(?: of th(?:em|[eo]se))?"
    r"(?:,? (?:please|ok|okay|thanks|go))?\W*",
    re.IGNORECASE,
)
_PHRASE = any_of(
    r"\b(go ahead|go for it|go 4 it|proceed|please do|do (it|that|so|this)|i (do |can |hereby |fully )?"
    r"(confirm|agree|approve|authori[sz]e|consent|accept)|i('m| am) (ok|okay|fine|happy|good|comfortable) with"
    r"|make it (so|happen)|get it done|carry on|move forward|let's do (it|this|that)|let's (go|proceed|move)"
    r"|you (can|may) (save|do|go|proceed|make|process|submit|cancel|book|change|apply)|finali[sz]e (it|this|that|the)"
    r"|you have my (ok|okay|permission|approval|consent|confirmation)"
    r"|(that|this|it|which|everything|all|both(?= are))( all)?"
    r"('s| is| are)? (is |all )?(fine|ok|okay|correct|right|good|great|perfect|acceptable|accurate)\b(?! (question"
    r"|point))"
    r"|(sounds?|looks?) (all )?(good|great|fine|right|perfect|correct|ok|okay)|(works?|fine|good|okay?) (for|with"
    r"|by) me"
    r"|that works|that('ll| will) (work|do)|all good|good to go|no objections?|none at all)\b"
)
# At the end of a clause: "the clock: yes", "that's within my limit, so yes please".
_YES_WITHIN = lazy(
    r"(?:(?<![\w-])yes+(?:,? (?:please|sir|ma'am))?|(?<=[,):] )agreed)(?= *(?:[.,;:!)]|$))", re.IGNORECASE
)
# A yes of somebody else, or of another time: "my wife said yes".
_REPORTED = lazy(
    r"\b(?:said|says|told|types?|wanted|asks?|asked|thought|depend\w*|(?:you|he|she|they)(?:'d|'ll)? (?:\w+ )?say)\b",
    re.IGNORECASE,
)
_BEFORE_PHRASE = lazy(
    r"\b(?:not|never|neither|none|nothing|no|before|until|unless|if|when|once|cannot|after|whether|how|why|what)\b"
    r"|n't\b",
    re.IGNORECASE,
)
_CONDITION = any_of(
    r"\b(only )?if\b(?! (you )?(please|anything|something|that's all|not))",
    r"\b(as|so) long as\b|\bprovided\b|\bunless\b|\bassuming\b|\bon (the )?condition\b|\bexcept (that|for the)\b",
)
_ONLY_IF = lazy(
    r"^\W*(?:and |though )?(?:(?:only|just) (?:if|when|once|after)|as long as|so long as|provided|on (?:the )?condition"
    r"|unless|only (?:for|with|without|under))\b",
    re.IGNORECASE,
)
_REFUSES_FIRST = lazy(
    rf"{_LEAD}(?:no+|nope|nah|negative|never ?mind|forget (?:it|that|about)|absolutely not|not yet|not now"
    rf"|not (?:really|quite)"
    r"|please (?:don't|do not)|don't|do not|i(?:'d| would) rather not|i(?:'d| would) rather (?:keep|leave|wait)"
    r"|rather not|i(?:'ve| have)? changed my mind|(?:please )?leave (?:it|things|everything)|keep (?:it|things) as"
    r"|i (?:don't|do not) (?:want|wish|agree|accept|think so)|i(?:'ll| will) (?:keep|leave|pass)|no thank)\b",
    re.IGNORECASE,
)
_NO_TROUBLE = lazy(
    rf"{_LEAD}no(?:t a|t an)? (?:problem|worries|rush|issue|trouble|objections?|doubt"
    r"|need to (?:wait|ask|hesitate)|complaints?|hurry|matter|(?:further|other|additional) \w+)\b",
    re.IGNORECASE,
)
_WAIT_FIRST = lazy(
    r"^\W*(?:(?:yes|okay|ok|oh|no|hmm|um|sorry|please|actually|but)\b\W*)*"
    r"(?:wait|stop|hold on|hold off|hang on|not yet|not so fast|one moment|actually,? (?:no|don't|do not|wait|never))\b"
    r"(?! (?:and|to) )",
    re.IGNORECASE,
)
_FORBIDS = any_of(
    r"\b(don't|do not|please not)\b( \w+)? (cancel|book|change|proceed|go ahead|do (it|that|this)|return|exchange"
    r"|make any|send|touch)"
    r"(?![^.?!]{0,40}\b(else|other|any more|more|additional|extra|without)\b)"
)
_LATER = any_of(
    r"\b(?:i'll|i will|before i|i'd) (?:then |gladly |happily )?(?:reply|respond|answer|confirm|approve|agree"
    r"|say yes|decide)\b",
    r"\b(?:before|until|once|after) i(?:'ve| have)? (?:confirm|approve|agree|decide|read|see|seen|check|think"
    r"|thought|talk)",
    r"\blet me (?:think|ask|check|see|look|talk)\b|\bi (?:need|want) to (?:think|ask|check)\b",
    r"\bgive me (?:a|some|one) (?:minute|moment|second|time)\b",
)
_WISH = any_of(
    r"\b(also|instead|another|as well|actually|on second thought|one more thing|additionally|in addition|next)\b",
    r"\bi changed my mind\b|\brather\b|\bdifferent\b|\bwhat about\b|\bhow about\b",
)
_REQUESTS = any_of(
    r"\bi(?:'d| would)? (?:also )?(?:like|want|need|wish|prefer)\b|\b(can|could|would|will) you\b|\bplease\b"
    r"|\bhow about\b"
    r"|\bwhat about\b|\blet's\b|\bmake (it|that)\b"
)


_URGES = any_of(r"\b(right now|now|immediately|right away|at once|asap|get (it|this) (done|over)|get on with)\b")


@dataclass(frozen=True)
class Answer:
    """What a line of the customer does; the texts are the sentences that do it.

    ``yes``: an explicit yes; ``casual``: "fine", "perfect", a yes only where one was asked for; ``conditional``: a yes
    with an if; ``no``: a refusal; ``wait``: stop, or later; ``wish``: something new is wanted; ``question``.
    """

    yes: tuple[str, ...] = ()
    casual: tuple[str, ...] = ()
    conditional: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    wait: tuple[str, ...] = ()
    wish: bool = False
    urges: bool = False
    question: bool = False
    last_word: str = ""


@lru_cache(maxsize=2048)
def answer(text: str) -> Answer:
    """What a line of the customer does."""
    found: dict[str, list[str]] = {"yes": [], "casual": [], "conditional": [], "no": [], "wait": []}
    last, wish = "", False
    for sentence in sentences(text):
        kind = _kind(sentence)
        if kind:
            found[kind].append(sentence)
            last = kind
        wish = wish or bool(_WISH.search(sentence) and _REQUESTS.search(sentence))
        if found["yes"] and _ONLY_IF.search(sentence):
            found["conditional"] += found["yes"]
            found["yes"] = []
    given = {kind: tuple(said) for kind, said in found.items()}
    return Answer(**given, wish=wish, urges=_URGES.search(text) is not None, question="?" in text, last_word=last)


def _kind(sentence: str) -> str:
    if _WAIT_FIRST.search(sentence) or _LATER.search(sentence):
        return "wait"
    affirms = _STRONG_FIRST.search(sentence) is not None or _phrase(sentence)
    if affirms and not (_REFUSES_FIRST.search(sentence) and not _NO_TROUBLE.search(sentence)):
        return "conditional" if _CONDITION.search(sentence) else "yes"
    if _NO_TROUBLE.search(sentence):
        return "casual"
    if _REFUSES_FIRST.search(sentence) or _FORBIDS.search(sentence):
        return "no"
    if _CASUAL_FIRST.search(sentence) or _BOTH.fullmatch(sentence):
        return "casual"
    return ""


def _phrase(sentence: str) -> bool:
    if "?" in sentence and not re.search(r"\b(please|just)\b", sentence, re.IGNORECASE):
        return False
    found = _PHRASE.search(sentence)
    if found is None and (found := _YES_WITHIN.search(sentence)) and _REPORTED.search(sentence[: found.start()]):
        return False
    return found is not None and not _BEFORE_PHRASE.search(sentence[: found.start()])


# --- whole lines ----------------------------------------------------------------------------------------------------


def says_yes(text: str) -> bool:
    """Whether a line holds a yes that nothing in it takes back; "fine" beside a question is none."""
    found = answer(text)
    return not found.wait and bool(found.yes or (found.casual and not found.question))


def only_refuses(text: str) -> bool:
    """Whether all of a line refuses or puts off, and no clause of it says yes; an order beside a mere no is more."""
    found = answer(text)
    affirmed = (*found.yes, *found.casual, *found.conditional)
    if not (found.no or found.wait) or any(not _REST.search(one) for one in affirmed):
        return False
    others = [one for one in sentences(text) if one not in (*found.no, *found.wait)]
    if not (found.wish or found.wait) and any(map(_ORDERS.match, others)):
        return False
    own = [one for one in sentences(text) if not _REST.search(one)]  # that the rest stands affirms the rest
    return not any(_clause_affirms(clause) for one in own for clause in _CLAUSES.split(one))


# A verb alone at the head of a sentence: "get rid of both", "Take the blue one".
_ORDERS = lazy(
    r"\W*(?:(?:so|then|just|please|ok|okay|and|but)\W+)*(?:get|take|give|make|put|send|go|do|use|enter|add|book|cancel|change"
    r"|return|exchange|switch|set|move|let's)\b(?! (?:not|it easy)\b)",
    re.IGNORECASE,
)


def _clause_affirms(clause: str) -> bool:
    if _REFUSES_FIRST.search(clause) or _FORBIDS.search(clause) or _LATER.search(clause):
        return False
    return _STRONG_FIRST.search(clause) is not None or _phrase(clause)


_CLAUSES = lazy(r"[,;:]\s|\s-+\s|[.!?]\s|\s(?:and|so|then)\s")
_REQUEST = lazy(
    r"^\W*(?:\w+\W+){0,3}?(?:(?:can|could|will|would) (?:you|we|i)\b(?! (?:please |first |kindly )*(?:tell|explain"
    r"|clarify|describe|say|show|remind))|shall we\b|why (?:not|don't)\b|let's\b)",
    re.IGNORECASE,
)
_COURTESY = lazy(
    r"^\W*(?:(?:hi|hello|hm+|oh|ah|um+|uh|thanks?|thank you|sorry|well|okay|ok|i see|one question|a question"
    r"|quick question|very much|so much|for (?:that|the \w+)|again)\W*)+$",
    re.IGNORECASE,
)


def only_asks(text: str) -> bool:
    """Whether all of a line is a question that wants to be told something: "What does that cost?"."""
    own = [one for one in sentences(text) if not _COURTESY.match(one)]
    found = answer(text)
    if not own or found.yes or found.casual or found.conditional or found.no or found.wait:
        return False
    return all("?" in one and not _REQUEST.search(one) and not re.search(r"\bplease\b", one, re.I) for one in own)


def says_no(text: str) -> bool:
    """Whether a line refuses, or asks to wait, and holds no yes."""
    found = answer(text)
    return bool(found.no or found.wait) and not says_yes(text)


def rest_stands(text: str) -> bool:
    """Whether a line that takes something back lets the rest stand: "Please go on with everything else."."""
    return any(_REST.search(one) and _AS_WISHED.search(one) and not _NEGATED.search(one) for one in sentences(text))


def decides(yes: str) -> bool:
    """Whether a yes is one to an act, not to a fact: "go ahead" and not "that's right"."""
    return _DECIDES.search(yes) is not None


_DECIDES = lazy(r"\b(go ahead|go (?:for|4) it|proceed|do (it|that|so)|please do|confirm|authori[sz]e)\b", re.IGNORECASE)


def speaks_of_several(text: str) -> bool:
    """Whether a line is about more than one of the changes that were put forward: "all three", "changes 1 to 3"."""
    return _SEVERAL.search(text) is not None


_SEVERAL = any_of(
    r"\b(both|everything|each of|along with|together with|the (rest|others?))\b",
    r"\ball( of)? (\d|two|three|four|five|six|seven|it\b|this\b|that\b|these|those|them|the|changes|steps|items)",
    r"\bas (listed|described|above|discussed|proposed|planned|agreed|before|said|outlined)\b|\bthese (changes|steps)\b",
    r"\b(other|first|last|remaining|next) (one|two|three|four|five|\d|changes|ones)\b",
    r"\b(changes|items|points|steps|numbers|nos?\.?|with) #?\d\b|\b\d (to|through|and|&) \d\b",
)
_REST = lazy(r"\b(?:(?:everything|all|what|anything)(?: \w+){0,3} else|the (?:rest|others?))\b", re.IGNORECASE)
_AS_WISHED = lazy(
    r"\bas (?:i|we|you|agreed|planned|discussed|said|asked)\b|\b(?:still )?stands?\b|\b(?:go|carry|keep) (?:on|going)\b"
    r"|\b(?:continue|proceed|go ahead|please|do|fine|good|okay|ok|yes|right)\b",
    re.IGNORECASE,
)
_NEGATED = lazy(r"\b(?:no|not|never|leave|keep the|unchanged)\b|n't\b|\bas (?:it|they) (?:is|are)\b", re.IGNORECASE)
