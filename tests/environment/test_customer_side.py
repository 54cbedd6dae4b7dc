"""The customer's inbox and apps: who sees what, how the sides meet, and that other tasks see none of it."""

import json
from typing import Any

import pytest

from pytest_tau import Domain, Environment, Task, load_domain
from pytest_tau.environment.customer_side import code_of
from tests.builders import task

USER, MASTERCARD = "calista_fitzroy_3886", "credit_card_2632064"


def dual(*, protected: bool = False, mail: tuple[str, str] | None = None, tags: tuple[str, ...] = ("dual",)) -> Task:
    calls = [{"env_type": "user", "func_name": "belongs_to", "arguments": {"user_id": USER}}]
    if protected:
        calls.append({"env_type": "assistant", "func_name": "protect", "arguments": {"user_id": USER}})
    if mail:
        calls.append({"env_type": "user", "func_name": "receive", "arguments": {"subject": mail[0], "text": mail[1]}})
    return task(tags=list(tags), initial_state={"initialization_actions": calls})


def airline() -> Domain:
    return load_domain("airline")


def called(env: Environment, name: str, side: Any = "assistant", **arguments: Any) -> str:
    result = env.call(name, arguments, side)
    assert not result.error, result.content
    return result.content


def names(env: Environment, side: Any = "assistant") -> set[str]:
    return {spec.name for spec in env.tool_specs(side)}


@pytest.mark.parametrize("name", ["retail", "airline"])
def test_only_dual_tasks_have_another_side(name: str) -> None:
    domain = load_domain(name)
    plain, both = domain.environment(task()), domain.environment(task(tags=["dual"]))
    assert names(both) - names(plain) == {"send_code", "check_code", "request_payment"}
    assert names(plain) < names(both)
    assert names(plain, "user") == set()
    assert {"check_inbox", "open_mail", "approve_payment"} <= names(both, "user")
    assert "Protected accounts" in both.policy
    assert "Protected accounts" not in plain.policy
    assert plain.call("check_inbox", {}, "user").content == "Error: User tools not available"


def test_a_code_is_in_the_customers_inbox_alone() -> None:
    env = airline().environment(dual(protected=True))
    assert '"protected": true' in called(env, "get_user_details", user_id=USER)
    assert env.call("check_code", {"user_id": USER, "code": "123456"}).content == "Error: No code has been sent yet"
    code = code_of(USER, 1)
    assert code not in called(env, "send_code", user_id=USER) + called(env, "get_user_details", user_id=USER)
    assert json.loads(called(env, "check_inbox", "user"))[0]["mail_id"] == "code_1"
    assert code in called(env, "open_mail", "user", mail_id="code_1")
    assert env.call("check_code", {"user_id": USER, "code": "000000"}).error
    called(env, "check_code", user_id=USER, code=code)
    assert '"verified": true' in called(env, "get_user_details", user_id=USER)
    called(env, "send_code", user_id=USER)
    assert env.call("check_code", {"user_id": USER, "code": code}).content == "Error: This is not the latest code"
    assert code_of(USER, 2) != code


def test_what_nobody_has_used_is_not_told_of() -> None:
    env = airline().environment(dual())
    profile = json.loads(called(env, "get_user_details", user_id=USER))
    assert not {"protected", "codes_sent", "verified", "payment_requests"} & set(profile)
    assert "checked_in" not in json.loads(called(env, "get_reservation_details", reservation_id="E1DA3Q"))


def test_a_payment_waits_for_the_customer() -> None:
    env = airline().environment(dual())
    asked = {"user_id": USER, "payment_method_id": MASTERCARD, "amount": 120.0}
    assert "request_1" in called(env, "request_payment", **asked)
    assert json.loads(called(env, "check_payment_app", "user"))[0]["status"] == "open"
    assert "120.00 dollars is approved" in called(env, "approve_payment", "user", request_id="request_1")
    assert '"status": "approved"' in called(env, "get_user_details", user_id=USER)
    assert env.call("decline_payment", {"request_id": "request_1"}, "user").error
    assert env.call("request_payment", {**asked, "amount": 0}).error
    assert env.call("request_payment", {**asked, "payment_method_id": "x"}).error
    called(env, "request_payment", **asked)
    called(env, "decline_payment", "user", request_id="request_2")
    assert '"status": "declined"' in called(env, "get_user_details", user_id=USER)


def test_reading_a_mail_shows_in_the_state_but_reading_a_confirmation_does_not() -> None:
    domain = airline()
    env = domain.environment(dual(mail=("Your booking", "It has the number ABC123.")))
    before = env.state()
    assert "ABC123" in called(env, "open_mail", "user", mail_id="mail_1")
    assert env.state() != before
    owner = domain.base.tables["users"].raw[USER]["reservations"][0]
    called(env, "cancel_reservation", reservation_id=owner)
    before = env.state()
    assert "has been cancelled" in called(env, "open_mail", "user", mail_id=f"cancelled_{owner}")
    assert env.state() == before
    assert env.call("open_mail", {"mail_id": "nope"}, "user").error


def test_who_has_checked_in_has_to_undo_it_first() -> None:
    domain = airline()
    found = next(t for t in domain.base.tables["reservations"].raw.values() if _leaves_soon(domain, t))
    user_id, number = found["user_id"], found["reservation_id"]
    calls = [{"env_type": "user", "func_name": "belongs_to", "arguments": {"user_id": user_id}}]
    env = domain.environment(task(tags=["dual"], initial_state={"initialization_actions": calls}))
    called(env, "check_in", "user", reservation_id=number)
    assert env.call("check_in", {"reservation_id": number}, "user").error
    assert '"checked_in": true' in called(env, "get_reservation_details", reservation_id=number)
    assert number in called(env, "show_trips", "user")
    assert "is checked in" in env.call("cancel_reservation", {"reservation_id": number}).content
    fork = env.copy()
    called(env, "undo_check_in", "user", reservation_id=number)
    called(env, "cancel_reservation", reservation_id=number)
    assert "opens 24 hours before" in env.call("check_in", {"reservation_id": number}, "user").content
    assert fork.call("cancel_reservation", {"reservation_id": number}).error


def _leaves_soon(domain: Domain, trip: Any) -> bool:
    leg = trip["flights"][0]
    flight = domain.base.tables["flights"].raw[leg["flight_number"]]
    return (
        leg["date"] == "2024-05-16"
        and flight["scheduled_departure_time_est"] < "15:00:00"
        and flight["dates"][leg["date"]]["status"] == "available"
        and all(one["date"] > "2024-05-16" for one in trip["flights"][1:])
    )
