"""What the shop's tools stand on: records or a sentence why not, items and what they become, and where money goes."""

from typing import Literal

from pytest_tau.environment import Toolkit
from pytest_tau.environment.customer_side import DeskTools

from .schema import GiftCard, Order, OrderItem, Payment, PaymentMethod, Product, RetailDatabase, User, Variant

Swap = tuple[OrderItem, Variant]


class Desk(DeskTools, Toolkit):
    """The books, as every tool looks into them."""

    db: RetailDatabase

    def _order(self, order_id: str) -> Order:
        if order_id not in self.db.orders:
            raise ValueError("Order not found")
        return self.db.orders[order_id]

    def _changeable_order(self, order_id: str) -> Order:
        """An order whose address or payment can still change: also one whose items were changed."""
        order = self._order(order_id)
        if "pending" not in order.status:
            raise ValueError("Non-pending order cannot be modified")
        return order

    def _user(self, user_id: str) -> User:
        if user_id not in self.db.users:
            raise ValueError("User not found")
        return self.db.users[user_id]

    def _product(self, product_id: str) -> Product:
        """A product, to look at: no tool changes what is sold."""
        if product_id not in self.db.products:
            raise ValueError("Product not found")
        return self.db.products.read(product_id)

    def _payment_method(self, order: Order, payment_method_id: str) -> PaymentMethod:
        methods = self._user(order.user_id).payment_methods
        if payment_method_id not in methods:
            raise ValueError("Payment method not found")
        return methods[payment_method_id]

    def _refuse_empty(self, item_ids: list[str]) -> None:
        if not item_ids and not self.parity:
            raise ValueError("Name at least one item")

    def _not_in(self, order: Order, item_ids: list[str]) -> list[str]:
        """The items listed more often than the order holds them."""
        held = [item.item_id for item in order.items]
        return [item_id for item_id in item_ids if item_ids.count(item_id) > held.count(item_id)]

    def _swaps(self, order: Order, item_ids: list[str], new_item_ids: list[str], *, same_allowed: bool) -> list[Swap]:
        """Each item of the order with the variant it shall become; an item listed twice is taken twice."""
        left = list(order.items)
        swaps = []
        for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
            if item_id == new_item_id and not same_allowed:
                raise ValueError("The new item id should be different from the old item id")
            item = _first(left, item_id)
            left = [other for other in left if other is not item]
            swaps.append((item, self._available_variant(item.product_id, new_item_id)))
        return swaps

    def _available_variant(self, product_id: str, item_id: str) -> Variant:
        variants = self._product(product_id).variants
        if item_id not in variants:
            raise ValueError("Variant not found")
        if not variants[item_id].available:
            raise ValueError(f"New item {item_id} not found or available")
        return variants[item_id]

    def _refuse_poor_card(self, order: Order, payment_method_id: str, amount: float, purpose: str) -> None:
        method = self._payment_method(order, payment_method_id)
        if isinstance(method, GiftCard) and method.balance < amount:
            raise ValueError(f"Insufficient gift card balance to {purpose}")

    def _still_paid(self, order: Order) -> list[tuple[str, float]]:
        """What a cancelled order has to give back, by payment method."""
        if self.parity:
            # The reference gives back what it had given back already, after a change of payment.
            return [(entry.payment_method_id, entry.amount) for entry in order.payment_history]
        paid: dict[str, float] = {}
        for entry in order.payment_history:
            amount = entry.amount if entry.transaction_type == "payment" else -entry.amount
            paid[entry.payment_method_id] = round(paid.get(entry.payment_method_id, 0) + amount, 2)
        return [(method_id, amount) for method_id, amount in paid.items() if amount > 0]

    def _settle(self, order: Order, kind: Literal["payment", "refund"], amount: float, payment_method_id: str) -> None:
        """Write a payment or refund into the order's history, and move the money of a gift card."""
        method = self._payment_method(order, payment_method_id)
        order.payment_history.append(Payment(transaction_type=kind, amount=amount, payment_method_id=payment_method_id))
        if isinstance(method, GiftCard):
            method.balance = round(method.balance + (amount if kind == "refund" else -amount), 2)


def _first(items: list[OrderItem], item_id: str) -> OrderItem:
    for item in items:
        if item.item_id == item_id:
            return item
    raise ValueError(f"Item {item_id} not found")


def difference_of(swaps: list[Swap]) -> float:
    """What the new variants cost more than the old items did."""
    difference: float = 0
    for item, variant in swaps:  # one by one, as the reference does: sum() rounds otherwise from Python 3.12 on
        difference += variant.price - item.price
    return difference


def become(item: OrderItem, item_id: str, variant: Variant) -> None:
    """The item is the variant from now on, under this id."""
    item.item_id = item_id
    item.price = variant.price
    item.options = dict(variant.options)


def swap_like_the_reference(order: Order, item_ids: list[str], swaps: list[Swap]) -> None:
    """Every changed item gets the last variant's price and options, and is looked up anew after each change."""
    for item_id, (_, variant) in zip(item_ids, swaps, strict=True):
        become(_first(order.items, item_id), variant.item_id, swaps[-1][1])
