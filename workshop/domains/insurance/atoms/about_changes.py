"""Wishes to change a contract: extras, how it is paid, sums, addresses, distances."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from tau_workshop.compose import Atom, look_up

from ..contracts import Endorsement
from ..rules import TODAY, in_force
from ..servicing import ENDORSEMENTS, HOME_SUMS, INSTALMENTS, MILEAGE, ZONES, zone_of
from .asking import Holder, Json, because, grant, line, product, refusal, see

EXTRA = (
    "I want to add the extra '{title}' to {contract}.",
    "Please add '{title}' to {contract}, and tell me what it costs a year.",
    "For {contract} I would like to have the extra '{title}'.",
    "Can you put '{title}' on {contract}? I want it as soon as it can begin.",
    "I'd like '{title}' on top of {contract}.",
)
INTERVAL = {
    "monthly": (
        "From now on I would like to pay {contract} every month.",
        "Please change {contract} to monthly payments.",
        "I want to pay {contract} by the month instead.",
        "Can I pay {contract} monthly? If so, please switch it over.",
    ),
    "quarterly": (
        "From now on I would like to pay {contract} four times a year.",
        "Please change {contract} to quarterly payments.",
        "I want to pay {contract} every quarter instead.",
        "Can I pay {contract} each quarter? If so, please switch it over.",
    ),
    "half_yearly": (
        "From now on I would like to pay {contract} twice a year.",
        "Please change {contract} to half-yearly payments.",
        "I want to pay {contract} every six months instead.",
        "Can I pay {contract} in two parts a year? If so, please switch it over.",
    ),
}
SUM = (
    "Please set the sum insured of {contract} to €{sum}.",
    "We have bought furniture, so {contract} should insure €{sum} from now on.",
    "I want the sum insured of {contract} changed to €{sum}.",
    "I need {contract} to be for a sum of €{sum}. What does it cost then? Please change it.",
)
MOVE = (
    "I have moved to {street}, {postcode} {city}. Please change my address and bring {contract} into line with it.",
    "My new address is {street}, {postcode} {city}. Please put it into my record and adjust {contract}.",
    "We live at {street}, {postcode} {city} now. Change the address, please, and the premium of {contract} if need be.",
    "Please note that I now live at {street}, {postcode} {city}, and have {contract} follow me there.",
)
MILES = (
    "I will drive {kilometres} km a year with the car of {contract} from now on. Please adjust it.",
    "Please change {contract} to {kilometres} km a year.",
    "The distance in {contract} is not right any more; make it {kilometres} km a year.",
    "For {contract} I need {kilometres} km a year. Please enter it and tell me the new premium.",
)
CANNOT: list[str | list[str]] = [
    *("is not available", "isn't available", "not offered", "only be added", "only available", "only offered"),
    *("not eligible", "does not qualify", "doesn't qualify", "does not meet", "doesn't meet"),
]
# Words that take a wish back when it was set out.
NEVER_MIND = {
    "extra": (
        "No, please don't add it to {contract}. That is more than I thought.",
        "No. Now that I hear it, {contract} can do without that extra.",
        "No, leave that extra out of {contract}. I have changed my mind.",
        "No, I don't want it for {contract} after all.",
    ),
    "premium": (
        "No, please leave {contract} as it is. I hadn't thought of that.",
        "No. On reflection I'd rather keep {contract} as it was.",
        "No, don't change {contract}. I have thought better of it.",
        "No, then {contract} shall stay as it is.",
    ),
}
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
    says = tuple(text.replace("{title}", extra.title) for text in EXTRA)
    refers = {"contract": holder.contract_reference(contract)}
    details = {**contract["details"], "sum_insured": contract.get("sum_insured")}
    contract_id = contract["contract_id"]
    touches = frozenset({contract_id})
    if extra.is_refused(product(contract), details):
        return refusal(
            "extra_refused",
            says,
            see(contract),
            ("add_extra", {"contract_id": contract_id, "code": extra.code}),
            [*CANNOT, *because(extra.title, "extra")],
            [extra.document],
            about=f"the extra '{extra.title}' for {{contract}}",
            refers=refers,
            touches=touches,
        )
    price = extra.prices[product(contract)]
    begins = extra.first_day(date.fromisoformat(contract["insurance_year_ends"]))
    act = look_up("add_extra", contract_id=contract_id, code=extra.code, begins=str(begins), annual_price=float(price))
    return grant(
        "extra",
        says,
        see(contract),
        [act],
        [extra.document],
        about=f"the extra '{extra.title}' for {{contract}}",
        refers=refers,
        touches=touches,
        facts=(str(price),),
        follows=(str(begins),),
        rank=20,
        withdraws=NEVER_MIND["extra"],
    )


def _interval(holder: Holder, contract: Json, position: int) -> Atom:
    others = [one for one in INTERVAL if one != contract["payment"]]
    interval = others[(position + len(holder.contracts)) % len(others)]
    tariff = INSTALMENTS[-1]
    instalment = tariff.instalment(line(contract), contract["annual_premium"], interval)
    act = look_up(
        "change_payment_interval", contract_id=contract["contract_id"], interval=interval, instalment=instalment
    )
    return grant(
        "interval",
        INTERVAL[interval],
        see(contract),
        [act],
        [tariff.document],
        about="how {contract} is paid",
        refers={"contract": holder.contract_reference(contract)},
        touches=frozenset({contract["contract_id"]}),
        facts=(f"{instalment:.2f}",),
        rank=15,
        withdraws=NEVER_MIND["premium"],
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
        tuple(text.replace("{sum}", f"{sum_insured:,}") for text in SUM),
        [look_up("get_customer", customer_id=customer["customer_id"]), *see(contract)],
        [act],
        [tariff.document, zones],
        about="the sum insured of {contract}",
        refers=refers,
        touches=frozenset({contract_id, customer["customer_id"]}),
        facts=(f"{premium:.2f}",),
        rank=15,
        withdraws=NEVER_MIND["premium"],
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
    says = tuple(
        text.replace("{street}", street).replace("{postcode}", postcode).replace("{city}", city) for text in MOVE
    )
    yield grant(
        "move",
        says,
        [look_up("get_customer", customer_id=customer["customer_id"]), *see(contract)],
        acts,
        [zones, tariff.document],
        about="the new address",
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
        tuple(text.replace("{kilometres}", f"{kilometres:,}") for text in MILES),
        see(contract),
        [act],
        [tariff.document],
        about="the distance of {contract}",
        touches=frozenset({contract["contract_id"]}),
        refers={"contract": holder.contract_reference(contract)},
        facts=(f"{premium:.2f}",),
        rank=15,
        withdraws=NEVER_MIND["premium"],
    )
