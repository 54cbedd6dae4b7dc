"""How it is paid: the payment method of the call beside the last one that was named."""

from __future__ import annotations

import re
from functools import lru_cache

from ....patterns import lazy
from ...calls import records_shown
from ..text import sentences
from .agreed import Agreed, Breach

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
_DENIES = lazy(r"\b(?:not|no|cannot|never|nicht|keine?[mnrs]?|nie|pas|jamais|nunca)\b|n't\b", re.IGNORECASE)
_PAID_BY = lazy(r"payment|^(?:source|method)$")
_AN_ID = lazy(r"\b[a-z]+(?:_[a-z]+)*_\d+\b")
_A_METHOD = lazy(r"^([a-z]+(?:_[a-z]+)*)_\d+$")
_MIXED = lazy(
    r"\b(?:rest|remaining|remainder|balance|split|first|then|instead|(?:an)?statt|bisher|plutôt|lieu|lugar|vez)\b",
    re.IGNORECASE,
)
_LAST_FOUR = lazy(r"(?<![\d.,$-])\d{4}(?![\d-])")
_PAID_BEFORE = lazy(r"\b(?:from|current(?:ly)?|other|another|old|paid|used|original(?:ly)?)\b", re.IGNORECASE)
_AS_BEFORE = lazy(
    r"\boriginal\b|\bsame (?:card|method|payment|way)\b|\bback to (?:the|your) (?:card|account)\b", re.IGNORECASE
)


def method(found: Agreed) -> Breach | None:
    """The payment method of the call beside the last one that was named."""
    written = {
        value: kind[1]
        for name, value in found.values
        if isinstance(value, str) and _PAID_BY.search(name) and (kind := _A_METHOD.match(value)) and kind[1] in _METHODS
    }
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
        ids = {
            other for other in _AN_ID.findall(affirmed) if (known := _A_METHOD.match(other)) and known[1] in _METHODS
        }
        return Breach("payment method", next(iter(ids)), one, turn) if len(ids) == 1 else None
    return None


def _digits_of_another(text: str, written: str, found: Agreed) -> str | None:
    """The digits by which a text names another of the customer's methods, and the written one nowhere."""
    said = frozenset(_LAST_FOUR.findall(text))
    own, others = _digits_beside(written, found) if said else (None, frozenset())
    named = said & others
    if own is None or own in said or len(named) != 1:
        return None
    digits = next(iter(named))
    of_before = any(_PAID_BEFORE.search(sentence) for sentence in sentences(text) if digits in sentence)
    return None if of_before else digits


def _digits_beside(written: str, found: Agreed) -> tuple[str | None, frozenset[str]]:
    """The last digits of a method as the latest result shows them, and those of the methods beside it."""
    for turn, record, _ in reversed(records_shown(found.conversation)):
        for group in record.values() if turn < found.turn else ():
            if isinstance(group, dict) and isinstance(group.get(written), dict):
                digits = {name: one.get("last_four") for name, one in group.items() if isinstance(one, dict)}
                own = digits.pop(written)
                return own, frozenset(one for one in digits.values() if isinstance(one, str) and one != own)
    return None, frozenset()


@lru_cache(maxsize=4096)  # calls that were proposed together are read beside the same lines
def _named_in(text: str) -> tuple[str, frozenset[str]]:
    """A text without the sentences that deny something, and the methods that it names."""
    text = " ".join(one for one in sentences(text) if not _DENIES.search(one))
    return text, frozenset(kind for kind, words in _METHODS.items() if words.search(text))
