"""Conversations with planted personal values of ten kinds: in fields, in texts, in pieces over turns, and spelled."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

FIRST = ["Ottoline", "Casimir", "Henrietta", "Leopold", "Araminta", "Barnaby", "Philippa", "Rupert", "Saskia", "Tobias"]
LAST = ["Featherstone", "Kowalczyk", "Abernathy", "Okonkwo", "Lindqvist", "Montalbano", "Vasquez", "Zimmermann"]
STREETS = ["Rosewood", "Harbour", "Juniper", "Mulberry", "Willow", "Chestnut", "Granite", "Heather"]
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


@dataclass
class Planted:
    """A log of one conversation, and what was planted in it by kind."""

    conversation: dict[str, Any]
    values: dict[str, str] = field(default_factory=dict)


def planted(number: int) -> Planted:
    """A conversation with about seven values; which are split or spelled depends on its number."""
    rng = random.Random(f"people {number}")

    def digits(count: int) -> str:
        return str(rng.randrange(1, 10)) + "".join(str(rng.randrange(10)) for _ in range(count - 1))

    first, last = rng.choice(FIRST), rng.choice(LAST)
    email = f"{first.lower()}.{last.lower()}{rng.randrange(10, 99)}@mail-{rng.choice('abc')}.net"
    born = date(1950, 1, 1) + timedelta(days=rng.randrange(18000))
    values = {
        "name": f"{first} {last}",
        "email": email,
        "phone": f"+1 {digits(3)} {digits(3)} {digits(4)}",
        "address": f"{rng.randrange(1, 999)} {rng.choice(STREETS)} {rng.choice(['Lane', 'Street', 'Avenue'])}",
        "postal": digits(5),
        "card": " ".join(digits(4) for _ in range(4)),
        "iban": f"DE{digits(2)} {digits(4)} {digits(4)} {digits(4)} {digits(4)} {digits(2)}",
        "birth": born.isoformat(),
        "order": f"#W{digits(7)}",
        "account": f"{first.lower()}_{last.lower()}_{digits(4)}",
    }
    record = {
        "order_id": values["order"],
        "user_id": values["account"],
        "name": {"first_name": first, "last_name": last},
        "email": email,
        "phone": values["phone"],
        "address": {"address1": values["address"], "zip": values["postal"], "city": "Springfield"},
        "dob": values["birth"],
        "status": "pending",
        "total": 99.5,
    }
    card, iban = values["card"], values["iban"]
    told = [f"My name is {first} {last}.", f"The order is {values['order']}."]
    style = number % 4
    if style == 0:  # in pieces over turns
        told += [f"The card begins with {card[:9]}", f"and ends with {card[10:]}."]
    elif style == 1:  # in words
        told += [
            "The card: " + " ".join(WORDS[int(one)] for one in card if one.isdigit()),
            f"I was born on {born:%B} {born.day}, {born.year}.",
        ]
    elif style == 2:  # spelled
        told += [
            "It is " + email.replace("@", " at ").replace(".", " dot ") + ".",
            "That is " + "-".join(first.upper()) + ".",
        ]
    else:
        told += [f"Pay it back to {iban}, please.", f"Call me at {values['phone']}."]
    planted_kinds = {"name", "email", "phone", "address", "postal", "birth", "order", "account"}
    planted_kinds |= {"card"} if style < 2 else {"iban"} if style == 3 else set()
    lines: list[dict[str, Any]] = [
        {"role": "user", "content": f"Hello, this is {first}. I want to cancel something that I bought by mistake."}
    ]
    for text in told:
        lines += [{"role": "assistant", "content": "Please go on."}, {"role": "user", "content": text}]
    lines += [
        {"call": "find_user", "arguments": {"email": email}, "result": values["account"]},
        {"call": "get_order", "arguments": {"order_id": values["order"]}, "result": record},
        {
            "role": "assistant",
            "content": f"{first}, shall I cancel order {values['order']}, sent to {values['address']}?",
        },
        {"role": "user", "content": "Yes, go ahead."},
        {
            "call": "cancel_order",
            "arguments": {"order_id": values["order"]},
            "result": {**record, "status": "cancelled"},
        },
        {
            "call": "refund",
            "arguments": {"order_id": values["order"], "card_number": card.replace(" ", "")},
            "result": "Refunded to the card " + card,
        }
        if style < 2
        else {
            "call": "get_order",
            "arguments": {"order_id": values["order"]},
            "result": {**record, "status": "cancelled"},
        },
        {"role": "assistant", "content": f"It is done, {first} {last}. You get a mail to {email}."},
        {"role": "user", "content": "Thank you!"},
    ]
    made = {"id": f"call-{number}", "conversation": lines, "reward": 1.0}
    return Planted(json.loads(json.dumps(made)), {kind: values[kind] for kind in sorted(planted_kinds)})
