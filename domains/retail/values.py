"""The shop's values: the one place from which code and policy have them."""

from typing import Any

from pytest_tau.environment import values_of

METHODS = {"gift_card": "a gift card", "paypal": "a PayPal account", "credit_card": "a credit card"}
_OWN = values_of(__package__)
REFUND_ALSO: str = _OWN["refund_also"]
VALUES: dict[str, Any] = {**_OWN, "refund_also_said": METHODS[REFUND_ALSO]}
UNNEEDED: str = VALUES["reason_unneeded"]
MISTAKE: str = VALUES["reason_mistake"]
