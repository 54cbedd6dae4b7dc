"""The agent's tools over the shop's books.

Every check comes before the first effect, and in the order in which the reference makes them, because that decides
which message the agent reads. What the reference does against its own description is kept under ``self.parity``.
"""

import json
from collections.abc import Mapping
from typing import Any

from pytest_tau.environment import tool
from pytest_tau.environment.arithmetic import calculate

from .desk import Desk, become, difference_of, swap_like_the_reference
from .schema import (
    GiftCard,
    Order,
    Product,
    User,
    UserAddress,
    Variant,
)
from .values import MISTAKE, REFUND_ALSO, UNNEEDED, VALUES

CANCEL_REASONS = {UNNEEDED, MISTAKE}


class RetailTools(Desk):
    """What the agent can do."""

    values = VALUES

    @tool
    def calculate(self, expression: str) -> str:
        """Work out an arithmetic expression; the result is rounded to two decimal places.

        Args:
            expression: Numbers, parentheses and the operators + - * /, such as "3 * (19.99 + 5)".
        """
        return calculate(expression)

    @tool(writes=True, told_by=("refund",))
    def cancel_pending_order(self, order_id: str, reason: str) -> Order:
        """Cancel a whole order that is still pending, and refund it to the way it was paid.

        A gift card has the money back at once; other payment methods take {refund_days.0} to {refund_days.1} business
        days. An order that was processed, shipped, or had its items changed cannot be cancelled. First tell the
        customer what will happen and get an explicit yes.

        Args:
            order_id: The order with its leading '#', such as "#W0000000".
            reason: Why, as the customer gave it: either "{reason_unneeded}" or "{reason_mistake}".
        """
        order = self._order(order_id)
        if order.status != "pending":
            raise ValueError("Non-pending order cannot be cancelled")
        if reason not in CANCEL_REASONS:
            raise ValueError("Invalid reason")
        for method_id, amount in self._still_paid(order):
            self._settle(order, "refund", amount, method_id)
        order.status = "cancelled"
        order.cancel_reason = reason
        return order

    @tool(writes=True, told_by=("refund",))
    def exchange_delivered_order_items(
        self, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> Order:
        """Ask for items of a delivered order to be exchanged for other variants of the same products.

        There is one exchange or return per delivered order, so name all items in this one call. The customer is told
        by e-mail how to send the old items in, and the price difference is settled when they arrive. First tell the
        customer what will happen and get an explicit yes.

        Args:
            order_id: The order with its leading '#', such as "#W0000000".
            item_ids: The items to give back, by item id (not product id). An item ordered twice may be listed twice.
            new_item_ids: What to get instead, by item id: the first for the first of item_ids, and so on. Each has to
                be an available variant of the same product.
            payment_method_id: How the difference is paid or refunded, such as "gift_card_0000000" or
                "credit_card_0000000", from the customer's profile.
        """
        order = self._order(order_id)
        if order.status != "delivered":
            raise ValueError("Non-delivered order cannot be exchanged")
        self._refuse_empty(item_ids)
        if missing := self._not_in(order, item_ids):
            raise ValueError(f"Number of {missing[0]} not found.")
        if len(item_ids) != len(new_item_ids):
            raise ValueError("The number of items to be exchanged should match.")
        swaps = self._swaps(order, item_ids, new_item_ids, same_allowed=self.parity)
        difference = round(difference_of(swaps), 2)
        self._refuse_poor_card(order, payment_method_id, difference, "pay for the price difference")
        order.status = "exchange requested"
        order.exchange_items = sorted(item_ids)
        order.exchange_new_items = sorted(new_item_ids)
        order.exchange_payment_method_id = payment_method_id
        order.exchange_price_difference = difference
        return order

    @tool(reads=True)
    def find_user_id_by_name_zip(self, first_name: str, last_name: str, zip: str) -> str:
        """Find a customer's user id by name and zip code, for those who cannot be found by e-mail.

        Args:
            first_name: The first name, such as "Mina".
            last_name: The last name, such as "Falk".
            zip: The five digits of the zip code, such as "00000".
        """
        for user in self.db.users.having(_first_name, first_name.lower()):
            if user["name"]["last_name"].lower() == last_name.lower() and user["address"]["zip"] == zip:
                return str(user["user_id"])
        raise ValueError("User not found")

    @tool(reads=True)
    def find_user_id_by_email(self, email: str) -> str:
        """Find a customer's user id by e-mail address; try this first.

        Args:
            email: The address, such as "somebody@example.com".
        """
        for user in self.db.users.having(_email, email.lower()):
            return str(user["user_id"])
        raise ValueError("User not found")

    @tool(reads=True)
    def get_order_details(self, order_id: str) -> Order:
        """Look up an order: its status, items, address, parcels and payments.

        Args:
            order_id: The order with its leading '#', such as "#W0000000".
        """
        if order_id not in self.db.orders:
            raise ValueError("Order not found")
        return self.db.orders.read(order_id)

    @tool(reads=True)
    def get_product_details(self, product_id: str) -> Product:
        """Look up a product: its variants with item ids, options, prices and whether they are available.

        Args:
            product_id: The product, ten digits; an item id is something else.
        """
        return self._product(product_id)

    @tool(reads=True)
    def get_item_details(self, item_id: str) -> Variant:
        """Look up one variant of a product: its options, its price and whether it is available.

        Args:
            item_id: The item, ten digits; a product id is something else.
        """
        for product in self.db.products.scan():
            if item_id in product["variants"]:
                return self._product(product["product_id"]).variants[item_id]
        raise ValueError("Item not found")

    @tool(reads=True)
    def get_user_details(self, user_id: str) -> User:
        """Look up a customer: name, address, e-mail, payment methods and orders.

        Args:
            user_id: The customer, such as "mina_falk_0000".
        """
        if user_id not in self.db.users:
            raise ValueError("User not found")
        return self.db.users.read(user_id)

    @tool(reads=True)
    def list_all_product_types(self) -> str:
        """List the names and product ids of everything the shop sells: 50 types of product."""
        return json.dumps(
            {product["name"]: product["product_id"] for product in self.db.products.scan()}, sort_keys=True
        )

    @tool(writes=True)
    def modify_pending_order_address(
        self, order_id: str, address1: str, address2: str, city: str, state: str, country: str, zip: str
    ) -> Order:
        """Send a pending order to another address; the address in the customer's profile stays as it is.

        First tell the customer what will happen and get an explicit yes.

        Args:
            order_id: The order with its leading '#', such as "#W0000000".
            address1: House number and street, such as "1 Any Street".
            address2: The rest of the address, such as "Apt 2", or an empty text.
            city: The city.
            state: The state in two letters, such as "OR".
            country: The country, such as "USA".
            zip: The five digits of the zip code, such as "00000".
        """
        order = self._changeable_order(order_id)
        order.address = UserAddress(
            address1=address1, address2=address2, city=city, state=state, country=country, zip=zip
        )
        return order

    @tool(writes=True, told_by=("refund", "exchange"))
    def modify_pending_order_items(
        self, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> Order:
        """Change items of a pending order to other variants of the same products, and settle the difference at once.

        This works once for an order, so name all items in this one call. First tell the customer what will happen
        and get an explicit yes.

        Args:
            order_id: The order with its leading '#', such as "#W0000000".
            item_ids: The items to change, by item id (not product id). An item ordered twice may be listed twice.
            new_item_ids: What to get instead, by item id: the first for the first of item_ids, and so on. Each has to
                be an available variant of the same product.
            payment_method_id: How the difference is paid or refunded, such as "gift_card_0000000" or
                "credit_card_0000000", from the customer's profile.
        """
        order = self._order(order_id)
        if order.status != "pending":
            raise ValueError("Non-pending order cannot be modified")
        self._refuse_empty(item_ids)
        if missing := self._not_in(order, item_ids):
            raise ValueError(f"{missing[0]} not found")
        if len(item_ids) != len(new_item_ids):
            raise ValueError("The number of items to be exchanged should match")
        swaps = self._swaps(order, item_ids, new_item_ids, same_allowed=False)
        difference = difference_of(swaps) if self.parity else round(difference_of(swaps), 2)
        self._refuse_poor_card(order, payment_method_id, difference, "pay for the new item")
        if difference or self.parity:
            self._settle(order, "payment" if difference > 0 else "refund", abs(difference), payment_method_id)
        if self.parity:
            swap_like_the_reference(order, item_ids, swaps)
        else:
            for item, variant in swaps:
                become(item, variant.item_id, variant)
        order.status = "pending (item modified)"
        return order

    @tool(writes=True, told_by=("refund",))
    def modify_pending_order_payment(self, order_id: str, payment_method_id: str) -> Order:
        """Pay a pending order with another payment method, and refund the one it was paid with.

        A gift card has to hold the whole total. First tell the customer what will happen and get an explicit yes.

        Args:
            order_id: The order with its leading '#', such as "#W0000000".
            payment_method_id: The new method, such as "gift_card_0000000" or "credit_card_0000000", from the
                customer's profile.
        """
        order = self._changeable_order(order_id)
        method = self._payment_method(order, payment_method_id)
        paid = order.payment_history[0] if len(order.payment_history) == 1 else None
        if paid is None or paid.transaction_type != "payment":
            raise ValueError("There should be exactly one payment for a pending order")
        if paid.payment_method_id == payment_method_id:
            raise ValueError("The new payment method should be different from the current one")
        if isinstance(method, GiftCard) and method.balance < paid.amount:
            raise ValueError("Insufficient gift card balance to pay for the order")
        self._settle(order, "payment", paid.amount, payment_method_id)
        self._settle(order, "refund", paid.amount, paid.payment_method_id)
        return order

    @tool(writes=True, told_by=("save",))
    def modify_user_address(
        self, user_id: str, address1: str, address2: str, city: str, state: str, country: str, zip: str
    ) -> User:
        """Change the address in a customer's profile; orders that exist keep theirs.

        First tell the customer what will happen and get an explicit yes.

        Args:
            user_id: The customer, such as "mina_falk_0000".
            address1: House number and street, such as "1 Any Street".
            address2: The rest of the address, such as "Apt 2", or an empty text.
            city: The city.
            state: The state in two letters, such as "OR".
            country: The country, such as "USA".
            zip: The five digits of the zip code, such as "00000".
        """
        user = self._user(user_id)
        user.address = UserAddress(
            address1=address1, address2=address2, city=city, state=state, country=country, zip=zip
        )
        return user

    @tool(writes=True, told_by=("refund",), sets=("item_ids",))
    def return_delivered_order_items(self, order_id: str, item_ids: list[str], payment_method_id: str) -> Order:
        """Ask for items of a delivered order to be returned.

        There is one exchange or return per delivered order, so name all items in this one call. The customer is told
        by e-mail how to send the items in, and is refunded when they arrive. First tell the customer what will happen
        and get an explicit yes.

        Args:
            order_id: The order with its leading '#', such as "#W0000000".
            item_ids: The items to give back, by item id (not product id). An item ordered twice may be listed twice.
            payment_method_id: Where the refund goes, such as "gift_card_0000000" or "credit_card_0000000": the method
                the order was paid with, or {refund_also_said} in the customer's profile.
        """
        order = self._order(order_id)
        if order.status != "delivered":
            raise ValueError("Non-delivered order cannot be returned")
        method = self._payment_method(order, payment_method_id)
        if method.source != REFUND_ALSO and payment_method_id != order.payment_history[0].payment_method_id:
            raise ValueError("Payment method should be the original payment method")
        self._refuse_empty(item_ids)
        if self._not_in(order, item_ids):
            raise ValueError("Some item not found")
        order.status = "return requested"
        order.return_items = sorted(item_ids)
        order.return_payment_method_id = payment_method_id
        return order

    @tool
    def transfer_to_human_agents(self, summary: str) -> str:
        """Hand the conversation over to a person, with a summary of it.

        Only when the customer asks for a person, or when the policy and the tools offer no way to help.

        Args:
            summary: What the customer wants and what has been done so far.
        """
        return "Transfer successful"


def _email(user: Mapping[str, Any]) -> str:
    return str(user["email"]).lower()


def _first_name(user: Mapping[str, Any]) -> str:
    return str(user["name"]["first_name"]).lower()
