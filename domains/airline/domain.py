"""airline: book, change and cancel flights, where most of the rules are the agent's to know and not the tools'."""

from pytest_tau.environment import DomainSpec

from .tools import AirlineTools
from .user_tools import AirlineUserTools, sync
from .values import NOW

CHANGES = [  # what the policy wants a yes for: a certificate is not among it
    "book_reservation",
    "cancel_reservation",
    "update_reservation_baggages",
    "update_reservation_flights",
    "update_reservation_passengers",
]

domain = DomainSpec(
    tools=AirlineTools,
    user_tools=AirlineUserTools,
    sync=sync,
    dual_only=True,
    now=NOW,
    checks=[
        {"check": "identified", "needed_for": [*CHANGES, "send_certificate", "get_reservation_details"]},
        {"check": "confirmed", "names": CHANGES},
        {"check": "claims"},
        {"check": "own_records"},
        {"check": "no_needless_writes"},
    ],
    safety="1",
)
