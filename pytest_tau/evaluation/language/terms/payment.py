"""How it is paid: the payment method of the call beside the last one that was named."""

from __future__ import annotations

import re
from functools import lru_cache

from ....patterns import lazy
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
_A_METHOD = lazy(r"^([a-z]+(?:_[a-z]+)*)_\d+$")
_MIXED = lazy(
    r"\b(?:rest|remaining|remainder|balance|split|first|then|instead|(?:an)?statt|bisher|plutôt|lieu|lugar|vez)\b",
    re.IGNORECASE,
)
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
    for turn, _, text in found.last_exchange if found.sole else ():
        if _MIXED.search(text):
            return None
        text, named = _named_in(text)
        if not named:
            continue
        if _AS_BEFORE.search(text) or any(value in text for value in written):
            return None
        other = next((value for value, kind in written.items() if kind not in named), None)
        if other is not None:
            return Breach("payment method", " or ".join(sorted(named)).replace("_", " "), other, turn)
        ids = {
            one
            for one in re.findall(r"\b[a-z]+(?:_[a-z]+)*_\d+\b", text)
            if (kind := _A_METHOD.match(one)) and kind[1] in _METHODS
        }
        if len(ids) == 1 and len(written) == 1 and ids.isdisjoint(written):
            return Breach("payment method", next(iter(ids)), next(iter(written)), turn)
        return None
    return None


@lru_cache(maxsize=4096)  # calls that were proposed together are read beside the same lines
def _named_in(text: str) -> tuple[str, frozenset[str]]:
    """A text without the sentences that deny something, and the methods that it names."""
    text = " ".join(one for one in sentences(text) if not _DENIES.search(one))
    return text, frozenset(kind for kind, words in _METHODS.items() if words.search(text))
