"""Wishes to change a contract: extras, how it is paid, sums, addresses, distances."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from tau_workshop.compose import Atom, look_up, phrases_of

from ..contracts import Endorsement
from ..rules import TODAY, in_force
from ..servicing import ENDORSEMENTS, HOME_SUMS, INSTALMENTS, MILEAGE, ZONES, zone_of
from .asking import Holder, Json, because, grant, line, product, refusal, see

say = phrases_of(__file__)
INTERVALS = ("monthly", "quarterly", "half_yearly")
NEW_HOMES = [
    ("Weir Street 12", "22417", "Brakel"),
    ("Moor Path 3", "62180", "Karlum"),
    ("Mill Row 48", "42655", "Fahrdorf"),
    ("Station Road 9", "72330", "Mellin"),
    ("Church Walk 21", "71904", "Lunau"),
]


def of_changes(holder: Holder) -> Iterator[Atom]:
    """All of them."""
    for position, contract in enumerate(holder.active()):
        for editions in ENDORSEMENTS:
            if editions[0].line == line(contract):
                yield _extra(holder, contract, in_force(editions, TODAY))
        if not (line(contract) == "travel" and contract["details"]):
            yield _interval(holder, contract, position)
        if line(contract) == "home":
            yield from _home(holder, contract)
        if line(contract) == "motor":
            yield _miles(holder, contract)


def _extra(holder: Holder, contract: Json, extra: Endorsement) -> Atom:
    words = say("extra", title=extra.title)
    refers = {"contract": holder.contract_reference(contract)}
    details = {**contract["details"], "sum_insured": contract.get("sum_insured")}
    contract_id = contract["contract_id"]
    touches = frozenset({contract_id})
    if extra.is_refused(product(contract), details):
        return refusal(
            "extra_refused",
            see(contract),
            ("add_extra", {"contract_id": contract_id, "code": extra.code}),
            because(**say("extra.because", title=extra.title)),
            [extra.document],
            **words,
            refers=refers,
            touches=touches,
        )
    price = extra.prices[product(contract)]
    begins = extra.first_day(date.fromisoformat(contract["insurance_year_ends"]))
    act = look_up("add_extra", contract_id=contract_id, code=extra.code, begins=str(begins), annual_price=float(price))
    return grant(
        "extra",
        see(contract),
        [act],
        [extra.document],
        **words,
        **say("extra.kept"),
        refers=refers,
        touches=touches,
        facts=(str(price),),
        follows=(str(begins),),
        rank=20,
    )


def _interval(holder: Holder, contract: Json, position: int) -> Atom:
    others = [one for one in INTERVALS if one != contract["payment"]]
    interval = others[(position + len(holder.contracts)) % len(others)]
    tariff = INSTALMENTS[-1]
    instalment = tariff.instalment(line(contract), contract["annual_premium"], interval)
    act = look_up(
        "change_payment_interval", contract_id=contract["contract_id"], interval=interval, instalment=instalment
    )
    return grant(
        "interval",
        see(contract),
        [act],
        [tariff.document],
        **say("interval"),
        **say(f"interval_{interval}"),
        **say("premium"),
        refers={"contract": holder.contract_reference(contract)},
        touches=frozenset({contract["contract_id"]}),
        facts=(f"{instalment:.2f}",),
        rank=15,
    )


def _home(holder: Holder, contract: Json) -> Iterator[Atom]:
    refers = {"contract": holder.contract_reference(contract)}
    contract_id, tariff = contract["contract_id"], HOME_SUMS[-1]
    zones = f"tariff-home-zones-{ZONES[-1][0]:%Y-%m}"
    customer = holder.customer
    sum_insured = contract["sum_insured"] + 1000 * (4 + len(contract_id) + int(contract_id[-1]))
    premium = tariff.premium(product(contract), zone_of(customer["postcode"], TODAY), sum_insured)
    act = look_up("change_sum_insured", contract_id=contract_id, sum_insured=sum_insured, annual_premium=premium)
    yield grant(
        "sum_insured",
        [look_up("get_customer", customer_id=customer["customer_id"]), *see(contract)],
        [act],
        [tariff.document, zones],
        **say("sum_insured", sum=f"{sum_insured:,}"),
        **say("premium"),
        refers=refers,
        touches=frozenset({contract_id, customer["customer_id"]}),
        facts=(f"{premium:.2f}",),
        rank=15,
    )
    households = holder.active("home")
    street, postcode, city = NEW_HOMES[int(contract_id[-1]) % len(NEW_HOMES)]
    if len(households) > 1 or customer["postcode"][:2] == postcode[:2]:
        return
    premium = tariff.premium(product(contract), zone_of(postcode, TODAY), contract["sum_insured"])
    acts = [
        look_up("update_address", customer_id=customer["customer_id"], street=street, postcode=postcode, city=city),
        look_up(
            "change_sum_insured", contract_id=contract_id, sum_insured=contract["sum_insured"], annual_premium=premium
        ),
    ]
    yield grant(
        "move",
        [look_up("get_customer", customer_id=customer["customer_id"]), *see(contract)],
        acts,
        [zones, tariff.document],
        **say("move", street=street, postcode=postcode, city=city),
        refers=refers,
        facts=(f"{premium:.2f}",),
        rank=12,
        touches=frozenset({contract_id, customer["customer_id"]}),
    )


def _miles(holder: Holder, contract: Json) -> Atom:
    tariff, details = MILEAGE[-1], contract["details"]
    # 5,500 and 22,000 are in other bands of the old tariff than of the present one.
    kilometres = 5500 if details["kilometres"] > 9000 else 22000
    premium = tariff.premium(details["base_premium"], kilometres)
    act = look_up("change_mileage", contract_id=contract["contract_id"], kilometres=kilometres, annual_premium=premium)
    return grant(
        "mileage",
        see(contract),
        [act],
        [tariff.document],
        **say("mileage", kilometres=f"{kilometres:,}"),
        **say("premium"),
        touches=frozenset({contract["contract_id"]}),
        refers={"contract": holder.contract_reference(contract)},
        facts=(f"{premium:.2f}",),
        rank=15,
    )
