"""What the insurer's customers can want, for composed tasks: who calls, how they say who they are, and their wishes.

    pytest-tau generate insurance --n 60 --seed 5 -o tasks/insurance/composed.json

Every amount, day and ground in a gold path comes from ``rules.py``, of which the documents are written. A wish about a
claim is one only where an old edition or a neighbouring product would lead to something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial

from pytest_tau import Domain
from pytest_tau.environment.toolkit import tools_of
from pytest_tau.schema.checks import Confirmed, Identified, NotCalled
from tau_workshop.compose import Atom, Customer, Family, Introduction, look_up, phrases_of

from ..tools import InsuranceTools
from ..writing.phrases import long_day
from .about_changes import of_changes
from .about_claims import of_claims
from .about_ends import of_ends
from .about_procedures import of_procedures
from .asking import TRANSFER, Holder, holders

say = phrases_of(__file__)
FINDERS = ("find_customer_by_email", "find_customer_by_name")
NEEDED_FOR = [
    "get_customer",
    "get_contract",
    "get_claim",
    *(n for n, t in tools_of(InsuranceTools).items() if t.writes),
]


def atoms_of(holder: Holder) -> Sequence[Atom]:
    """Everything that a customer can want."""
    return [*of_claims(holder), *of_ends(holder), *of_changes(holder), *of_procedures(holder)]


def customers(domain: Domain) -> list[Customer]:
    """Everybody."""
    return [
        Customer(
            holder.customer["customer_id"],
            introductions(holder),
            partial(atoms_of, holder),
            search=(look_up("get_customer", customer_id=holder.customer["customer_id"]),),
        )
        for holder in holders(domain)
    ]


def introductions(holder: Holder) -> tuple[Introduction, Introduction]:
    """By e-mail address, or by name and date of birth."""
    row = holder.customer
    customer_id, email, name, born = row["customer_id"], row["email"], row["name"], row["date_of_birth"]
    day = long_day(date.fromisoformat(born))
    known = Identified(check="identified", by=list(FINDERS), needed_for=NEEDED_FOR, shows=customer_id)
    return (
        Introduction(
            say("by_email.says", email=email, name=name),
            (look_up("find_customer_by_email", email=email),),
            (known,),
        ),
        Introduction(
            say("by_name.says", name=name, day=day),
            (look_up("find_customer_by_name", name=name, date_of_birth=born),),
            (known,),
        ),
    )


family = Family(
    customers=customers,
    checks=(Confirmed(check="confirmed"), NotCalled(check="not_called", name=TRANSFER)),
    noun="contracts",
    seed=5,
    without_ids=say("family.without_ids"),
)
