"""The customer's own tools for domains in which both sides act: an e-mail inbox and a payment app.

A domain uses them with

    class User(Protected, BaseModel): ...            # its customers, so that they can be protected and pay by request
    class ShopTools(DeskTools, Toolkit): ...         # the agent can send codes and requests
    DomainSpec(..., user_tools=CustomerTools, sync=sync, dual_only=True)

a ``policy_dual.md``, and a ``user_db.json`` with ``{"owner": {}, "mails": {}, "payments": {}}``. Only tasks tagged
``dual`` have them; their initial state says which customer they belong to (``belongs_to``).

How the sides interact: a code that the agent sends arrives as a mail. Only the customer can read it, and the agent
needs its content to check the code. A payment request appears in the customer's app, and the customer's answer appears
in their profile. The code is computed from the customer and the number of codes sent, so no record that the agent can
read contains a secret.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Literal

from pydantic import BaseModel, Field, SerializerFunctionWrapHandler, model_serializer

from .database import Database, Record
from .table import Table
from .toolkit import Toolkit, tool


class PaymentRequest(BaseModel):
    """A payment that waits for the customer's approval."""

    request_id: str
    payment_method_id: str
    amount: float
    status: Literal["open", "approved", "declined"] = "open"


class Unmentioned(BaseModel):
    """A record with fields that are told of only where they say something, so that other worlds look as ever."""

    @model_serializer(mode="wrap")
    def _without_the_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        shown: dict[str, Any] = handler(self)
        return {name: value for name, value in shown.items() if value or name not in self.unmentioned()}

    @classmethod
    def unmentioned(cls) -> frozenset[str]:
        """The fields that are left out where they are empty."""
        return frozenset()


class Protected(Unmentioned):
    """A customer's record: whether changes need a code, what became of codes, and the payments asked for."""

    protected: bool = False
    codes_sent: int = 0
    verified: bool = False
    payment_requests: list[PaymentRequest] = Field(default_factory=list)

    @classmethod
    def unmentioned(cls) -> frozenset[str]:
        """All of these."""
        return _OF_PROTECTION


_OF_PROTECTION = frozenset(Protected.model_fields)


class DeskTools(Toolkit):
    """The agent's part: codes and requests."""

    @tool(writes=True, dual=True)
    def send_code(self, user_id: str) -> str:
        """Send a one-time code to the e-mail address of a customer. Only the customer can read it.

        Args:
            user_id: The customer.
        """
        user = self._customer(user_id)
        user.codes_sent += 1
        user.verified = False
        return f"A code was sent to {user.email}."

    @tool(writes=True, dual=True)
    def check_code(self, user_id: str, code: str) -> str:
        """Check the one-time code that a customer has read out.

        Args:
            user_id: The customer.
            code: The six digits of the latest code, such as "123456".
        """
        user = self._customer(user_id)
        if not user.codes_sent:
            raise ValueError("No code has been sent yet")
        if code != code_of(user_id, user.codes_sent):
            raise ValueError("This is not the latest code")
        user.verified = True
        return "The code is right."

    @tool(writes=True, dual=True)
    def request_payment(self, user_id: str, payment_method_id: str, amount: float) -> str:
        """Ask a customer to approve a payment in their payment app. Their profile shows what they answer.

        Args:
            user_id: The customer.
            payment_method_id: The payment method of their profile that will be charged.
            amount: What is to be paid, in dollars.
        """
        user = self._customer(user_id)
        if payment_method_id not in user.payment_methods:
            raise ValueError("Payment method not found")
        if amount <= 0:
            raise ValueError("The amount must be positive")
        request_id = f"request_{len(user.payment_requests) + 1}"
        asked = PaymentRequest(request_id=request_id, payment_method_id=payment_method_id, amount=amount)
        user.payment_requests.append(asked)
        return f"The request {request_id} was sent to the customer's payment app."

    def protect(self, user_id: str) -> None:
        """Let a customer's account need a code before anything is changed; for the initial state of a task."""
        self._customer(user_id).protected = True

    def _customer(self, user_id: str) -> Any:
        if user_id not in self.db.users:
            raise ValueError(f"User {user_id} not found")
        return self.db.users[user_id]


class _Owner(BaseModel):
    """Whose home it is."""

    user_id: str | None = None


class Mail(BaseModel):
    """A message in the inbox."""

    mail_id: str
    subject: str
    text: str
    read: bool = False
    notice: bool = False  # whether it only confirms something, so that reading it means nothing


class Heading(BaseModel):
    """A mail as the inbox lists it."""

    mail_id: str
    subject: str
    read: bool


class CustomerDatabase(Database):
    """What the customer has."""

    owner: Record[_Owner]
    mails: Table[Mail]
    payments: Table[PaymentRequest]


class CustomerTools(Toolkit):
    """What the customer can do at home."""

    db: CustomerDatabase

    @tool(reads=True)
    def check_inbox(self) -> list[Heading]:
        """See what mails are in your inbox, the oldest first."""
        return [Heading(mail_id=m["mail_id"], subject=m["subject"], read=m["read"]) for m in self._mails()]

    @tool(writes=True)
    def open_mail(self, mail_id: str) -> str:
        """Open a mail of your inbox and read it.

        Args:
            mail_id: The mail, such as "mail_1".
        """
        if mail_id not in self.db.mails:
            raise ValueError(f"There is no mail {mail_id}")
        mail = self.db.mails[mail_id]
        mail.read = not mail.notice
        return f"{mail.subject}: {mail.text}"

    @tool(reads=True)
    def check_payment_app(self) -> list[PaymentRequest]:
        """See the requests for payments in your payment app."""
        return [PaymentRequest.model_validate(dict(request)) for request in self.db.payments.scan()]

    @tool(writes=True)
    def approve_payment(self, request_id: str) -> str:
        """Approve a request for a payment in your payment app.

        Args:
            request_id: The request, such as "request_1".
        """
        return self._answer(request_id, "approved")

    @tool(writes=True)
    def decline_payment(self, request_id: str) -> str:
        """Decline a request for a payment in your payment app.

        Args:
            request_id: The request, such as "request_1".
        """
        return self._answer(request_id, "declined")

    def belongs_to(self, user_id: str) -> None:
        """Say whose home it is; for the initial state of a task."""
        self.db.owner.user_id = user_id

    def receive(self, subject: str, text: str) -> None:
        """Put a mail into the inbox; for the initial state of a task."""
        deliver(self.db, f"mail_{len(self.db.mails) + 1}", subject, text)

    def _mails(self) -> Iterable[Any]:
        return self.db.mails.scan()

    def _answer(self, request_id: str, answer: Literal["approved", "declined"]) -> str:
        if request_id not in self.db.payments:
            raise ValueError(f"There is no request {request_id}")
        request = self.db.payments[request_id]
        if request.status != "open":
            raise ValueError(f"Request {request_id} is already {request.status}")
        request.status = answer
        return f"Request {request_id} over {request.amount:.2f} dollars is {answer}."


def code_of(user_id: str, number: int) -> str:
    """The code that a customer gets as their first, second, … of a conversation."""
    return f"{int(hashlib.sha256(f'{user_id} {number}'.encode()).hexdigest(), 16) % 900_000 + 100_000}"


def codes_of(before: str, after: str) -> dict[str, str]:
    """The codes of a customer who goes by another id, by what they were under the one before."""
    return {code_of(before, number): code_of(after, number) for number in range(1, 10)}


def deliver(db: CustomerDatabase, mail_id: str, subject: str, text: str, *, notice: bool = False) -> None:
    """Put a mail into the inbox, unless it is there."""
    if mail_id not in db.mails:
        db.mails[mail_id] = Mail(mail_id=mail_id, subject=subject, text=text, notice=notice)


def owner_of(home: CustomerTools | None) -> str | None:
    """Whose home it is, if it is anybody's in this task."""
    if home is None:
        return None
    owner: _Owner = home.db.tables["owner"].read("")
    return owner.user_id


Confirmations = Callable[[Any, str], Iterable[tuple[str, str, str]]]


def meeting(confirmations: Confirmations) -> Callable[[Any, Any], None]:
    """The rule by which the sides of a domain meet, for ``DomainSpec(sync=…)``.

    ``confirmations(tools, user_id)``: the mails about what has been changed since the beginning: id, subject, text.
    """

    def sync(tools: DeskTools, home: CustomerTools | None) -> None:
        if (user_id := owner_of(home)) is None or home is None:
            return
        user = tools.db.users[user_id]
        for number in range(1, user.codes_sent + 1):
            text = f"{code_of(user_id, number)} is your code. Give it to nobody but the agent who has sent it."
            deliver(home.db, f"code_{number}", "Your one-time code", text)
        for request in user.payment_requests:
            if request.request_id not in home.db.payments:
                home.db.payments[request.request_id] = request.model_copy()
            request.status = home.db.payments[request.request_id].status
        for mail in confirmations(tools, user_id):
            deliver(home.db, *mail, notice=True)

    return sync
