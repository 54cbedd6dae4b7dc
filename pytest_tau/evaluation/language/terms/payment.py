"""How it is paid: the payment method of the call beside the last one that was named."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ....patterns import lazy
from ....schema.transcript import leaves, parse_result, records_shown
from ..text import sentences
from .agreed import Agreed, Breach, is_said

_METHODS = {
    "credit_card": lazy(
        r"\bcredit card|\bcard ending|\bvisa\b|\bmaster ?card\b|\bamex\b"
        r"|\b(?:my|your|the) (?:\d{4} )?card\b|\bcredit_card_\d+"
        r"|\b(?:kredit)?karte\b|\bcarte (?:de crédit|bancaire)|\btarjeta de crédito",
        re.IGNORECASE,
    ),
    "paypal": lazy(r"\bpaypal", re.IGNORECASE),
    "gift_card": lazy(
        r"\bgift[ _]card|\bgeschenk(?:karte|gutschein)|\bcarte[- ]cadeau|\btarjeta (?:de )?regalo", re.IGNORECASE
    ),
    "certificate": lazy(r"\bcertificates?\b|\bcertificate_\d+|\bvoucher", re.IGNORECASE),
}
_DENIES = lazy(r"\b(?:not|(?<!yes or )no|cannot|never|nicht|keine?[mnrs]?|nie|pas|jamais|nunca)\b|n't\b", re.IGNORECASE)
_PAID_BY = lazy(r"payment|^(?:source|method)$")
_AN_ID = lazy(r"\b[a-z]+(?:_[a-z]+)*_\d+\b")
_A_METHOD = lazy(r"^([a-z]+(?:_[a-z]+)*)_\d+$")
_MIXED = lazy(
    r"\b(?:rest|remaining|remainder|balance|split|first|then (?:\w+ )?(?:the|your|my|from|with|on)|instead|(?:an)?statt"
    r"|bisher|plutôt|lieu|lugar|vez)\b",
    re.IGNORECASE,
)
_LAST_FOUR = lazy(r"(?<![\d.,$-])\d{4}(?![\d-])")
_OF_A_CARD = lazy(r"\b(?:cards?|ending|ends|payment|visa|mastercard|amex)\b|[•*x]{2}", re.IGNORECASE)
_PAID_BEFORE = lazy(
    r"\b(?:from|current(?:ly)?|now|is on|other|another|old|paid|used|original(?:ly)?|instead of|rather than|replac\w*"
    r"|swap\w*)\b|→|->",
    re.IGNORECASE,
)
_REFUNDS = lazy(r"\brefund", re.IGNORECASE)
_CHARGES = lazy(r"\bcharg|\bput\b|\bother\b|\bnew (?:card|payment|method)\b", re.IGNORECASE)
_AS_BEFORE = lazy(
    r"\boriginal\b|\bsame (?:card|method|payment|way)\b|\bback to (?:the|your) (?:card|account)\b", re.IGNORECASE
)


def method(found: Agreed) -> Breach | None:
    """The payment method of the call beside the last one that was named."""
    written = _written(found)
    if len(written) != 1:
        return None
    one, source = next(iter(written.items()))
    for turn, _, text in found.last_exchange if found.sole else ():
        affirmed, named = _named_in(text)
        if digits := _digits_of_another(affirmed, one, found):
            return Breach("payment method", f"the card ending in {digits}", one, turn)
        if _MIXED.search(text):
            return None
        if not named:
            continue
        if _AS_BEFORE.search(affirmed) or one in affirmed:
            return None
        if source not in named:
            return Breach("payment method", " or ".join(sorted(named)).replace("_", " "), one, turn)
        ids = {other for other in _AN_ID.findall(affirmed) if _kind(other) == source}
        return Breach("payment method", next(iter(ids)), one, turn) if len(ids) == 1 else None
    return None


def method_of_none(found: Agreed) -> Breach | None:
    """The payment method that a proposal of several changes names by its id and that none of them is paid with.

    Only where nobody has named the one that was written, neither by its id nor by its kind.
    """
    written = _written(found)
    if found.sole or len(written) != 1 or any(is_said(found, one) for one in written):
        return None
    one, source = next(iter(written.items()))
    for turn, by_agent, text in found.last_exchange:
        affirmed, kinds = _named_in(text)
        named = {other for other in _AN_ID.findall(affirmed) if _kind(other)} if by_agent else set()
        if source in kinds - {_kind(other) for other in named} or found.used_beside & named:
            return None
        if named:
            return Breach("payment method", named.pop(), one, turn) if len(named) == 1 else None
    return None


def methods(found: Agreed) -> Breach | None:
    """Of several payment methods each that nobody has named, where the proposal names as many by their ids."""
    written = _written(found)
    unsaid = [one for one in written if not is_said(found, one)] if len(written) > 1 else []
    for turn, by_agent, text in found.last_exchange if unsaid and found.sole else ():
        named = [one for one in dict.fromkeys(_AN_ID.findall(text)) if _kind(one)]
        if by_agent and named:
            others = [one for one in named if one not in written]
            enough = others and len(named) >= len(written)
            return Breach("payment method", ", ".join(others), ", ".join(unsaid), turn) if enough else None
    return None


def paid_back(found: Agreed) -> Breach | None:
    """Where a call that names no payment method pays back to, beside the card whose digits the agent named for it."""
    if any(_PAID_BY.search(name) for name, _ in found.values) or found.result is None or found.result.error:
        return None
    told = [(turn, text) for turn, by_agent, text in found.last_exchange if by_agent and _tells_a_card(text, found)]
    shown = leaves(parse_result(found.result.content or "")) if told else ()
    paid = {value for name, value in shown if _PAID_BY.search(name) and isinstance(value, str) and _kind(value)}
    if len(paid) != 1:
        return None
    one = paid.pop()
    for turn, text in told:
        if digits := _digits_of_another(_named_in(text)[0], one, found):
            return Breach("payment method", f"the card ending in {digits}", one, turn)
    return None


def _tells_a_card(text: str, found: Agreed) -> bool:
    """Whether a text names the call's record, and a card by its last digits."""
    return found.subject.keys_in(text) and bool(_LAST_FOUR.search(text) and _OF_A_CARD.search(text))


def _written(found: Agreed) -> dict[str, str]:
    """The payment methods among the call's arguments, each with its kind."""
    return {
        value: kind
        for name, value in found.values
        if isinstance(value, str) and _PAID_BY.search(name) and (kind := _kind(value))
    }


def _kind(id: str) -> str | None:
    """What kind of payment method goes by an id; None where it is none."""
    found = _A_METHOD.match(id)
    return found[1] if found is not None and found[1] in _METHODS else None


def _digits_of_another(text: str, written: str, found: Agreed) -> str | None:
    """The digits by which a text names another of the customer's methods, and the written one nowhere."""
    said = frozenset(_LAST_FOUR.findall(text))
    own, others = _digits_beside(written, found) if said else ((), frozenset[str]())
    named = said & others
    if not own or len(named) != 1 or any(word in text.casefold() for word in own):
        return None
    digits = next(iter(named))
    telling = [sentence for sentence in sentences(text) if digits in sentence]
    is_card = any(_OF_A_CARD.search(one) for one in telling)
    of_before = any(_PAID_BEFORE.search(one) or (_REFUNDS.search(one) and _CHARGES.search(text)) for one in telling)
    return digits if is_card and not of_before else None


def _digits_beside(written: str, found: Agreed) -> tuple[tuple[str, ...], frozenset[str]]:
    """What tells a method from others, as the latest result shows it (its last digits, its brand), and their digits."""
    for turn, record, _ in reversed(records_shown(found.conversation)):
        for group in record.values() if turn < found.turn else ():
            if isinstance(group, dict) and isinstance(group.get(written), dict):
                others = [one for name, one in group.items() if name != written and isinstance(one, dict)]
                (own, brand), rest = _traits(group[written]), [_traits(one) for one in others]
                telling = (own, *({brand} - {brand for _, brand in rest} - {""})) if own else ()
                return telling, frozenset(digits for digits, _ in rest if digits not in ("", own))
    return (), frozenset()


def _traits(method: dict[str, Any]) -> tuple[str, str]:
    """The last digits and the brand of a method, "" where its record does not say."""
    digits, brand = (str(method.get(name) or "").casefold() for name in ("last_four", "brand"))
    return digits, brand


@lru_cache(maxsize=4096)  # calls that were proposed together are read beside the same lines
def _named_in(text: str) -> tuple[str, frozenset[str]]:
    """A text without the sentences that deny something, and the methods that it names."""
    text = "\n".join(one for one in sentences(text) if not _DENIES.search(one))
    return text, frozenset(kind for kind, words in _METHODS.items() if words.search(text))
