"""The records of the shop: what it sells, who buys, and what they ordered."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from pytest_tau.environment import Database, Table, owned_by
from pytest_tau.environment.customer_side import Protected

OrderStatus = Literal[
    "processed",
    "pending",
    "pending (item modified)",
    "delivered",
    "cancelled",
    "exchange requested",
    "return requested",
]


class Variant(BaseModel):
    """One version of a product; this is what has a price and can be ordered."""

    item_id: str
    options: dict[str, str]
    available: bool
    price: float


class Product(BaseModel):
    """A type of product with its variants by item id."""

    name: str
    product_id: str
    variants: dict[str, Variant]


class UserName(BaseModel):
    """What a customer is called."""

    first_name: str
    last_name: str


class UserAddress(BaseModel):
    """Where a customer lives, or where an order goes."""

    address1: str
    address2: str
    city: str
    country: str
    state: str
    zip: str


class CreditCard(BaseModel):
    """A card on file."""

    source: Literal["credit_card"]
    id: str
    brand: str
    last_four: str


class GiftCard(BaseModel):
    """A card with money on it."""

    source: Literal["gift_card"]
    id: str
    balance: float


class PayPal(BaseModel):
    """A PayPal account."""

    source: Literal["paypal"]
    id: str


PaymentMethod = Annotated[CreditCard | GiftCard | PayPal, Field(discriminator="source")]


class User(Protected, BaseModel):
    """A customer."""

    user_id: str
    name: UserName
    address: UserAddress
    email: str
    payment_methods: dict[str, PaymentMethod]
    orders: list[str]


class OrderItem(BaseModel):
    """One ordered piece, at the price it was bought for."""

    name: str
    product_id: str
    item_id: str
    price: float
    options: dict[str, str]


class Fulfillment(BaseModel):
    """A parcel."""

    tracking_id: list[str]
    item_ids: list[str]


class Payment(BaseModel):
    """Money that moved; the amount is positive in both directions."""

    transaction_type: Literal["payment", "refund"]
    amount: float
    payment_method_id: str


class Order(BaseModel):
    """An order with everything that was done to it."""

    order_id: str
    user_id: str
    address: UserAddress
    items: list[OrderItem]
    status: OrderStatus
    fulfillments: list[Fulfillment]
    payment_history: list[Payment]
    cancel_reason: str | None = None
    exchange_items: list[str] | None = None
    exchange_new_items: list[str] | None = None
    exchange_payment_method_id: str | None = None
    exchange_price_difference: float | None = None
    return_items: list[str] | None = None
    return_payment_method_id: str | None = None


class RetailDatabase(Database):
    """The shop's books."""

    products: Table[Product]
    users: Table[User] = owned_by("user_id")
    orders: Table[Order] = owned_by("user_id")
