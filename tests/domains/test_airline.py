"""The airline's own world: where its tools are better than the reference's, and what holds for every task."""

import json
import re
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import Domain, Environment, Task, grade, load_domain, simulate
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.table_base import TableBase
from pytest_tau.environment.toolkit import tools_of
from pytest_tau.schema.checks import Evidence, NotCalled, Reason
from tests.builders import core

USER = "calista_fitzroy_3886"
CARD, CERTIFICATE, GIFT_CARD = "credit_card_2632064", "certificate_6138534", "gift_card_7824674"
RESERVATION = "E1DA3Q"  # one passenger in economy on TAU174 of 22 May, without bags
OWNER_CARD = "credit_card_7968528"


@cache
def airline(parity: bool = False) -> Domain:
    return load_domain("airline", parity=parity)


def booking(**changes: Any) -> dict[str, Any]:
    """Arguments that book Denver to Charlotte for 154 dollars, with changes."""
    return {
        "user_id": USER,
        "origin": "DEN",
        "destination": "CLT",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [{"flight_number": "TAU154", "date": "2024-05-22"}],
        "passengers": [{"first_name": "Calista", "last_name": "Fitzroy", "dob": "1973-08-03"}],
        "payment_methods": paid((CARD, 154)),
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
        **changes,
    }


def paid(*payments: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"payment_id": payment_id, "amount": amount} for payment_id, amount in payments]


def bags(total: int, nonfree: int) -> dict[str, Any]:
    return {
        "reservation_id": RESERVATION,
        "total_baggages": total,
        "nonfree_baggages": nonfree,
        "payment_id": OWNER_CARD,
    }


def moved(*flights: tuple[str, str]) -> dict[str, Any]:
    named = [{"flight_number": number, "date": date} for number, date in flights]
    return {"reservation_id": RESERVATION, "cabin": "economy", "flights": named, "payment_id": OWNER_CARD}


def ok(env: Environment, name: str, arguments: dict[str, Any]) -> str:
    result = env.call(name, arguments)
    assert not result.error, result.content
    return result.content


def seats(env: Environment, flight: str, date: str) -> int:
    free: int = env.tools.db.flights.read(flight).model_dump()["dates"][date]["available_seats"]["economy"]
    return free


TWICE = [{"flight_number": "TAU154", "date": "2024-05-22"}] * 2
REFUSED = {
    "certificate named twice": (
        "book_reservation",
        booking(payment_methods=paid((CERTIFICATE, 54), (CERTIFICATE, 100))),
    ),
    "gift card named twice": ("book_reservation", booking(payment_methods=paid((GIFT_CARD, 77), (GIFT_CARD, 77)))),
    "flight booked twice": ("book_reservation", booking(flights=TWICE, payment_methods=paid((CARD, 308)))),
    "booking without flights": ("book_reservation", booking(flights=[], payment_methods=[])),
    "booking without passengers": ("book_reservation", booking(passengers=[], payment_methods=[])),
    "negative payment": ("book_reservation", booking(payment_methods=paid((CARD, 200), (GIFT_CARD, -46)))),
    "negative bags pay": (
        "book_reservation",
        booking(total_baggages=0, nonfree_baggages=-1, payment_methods=paid((CARD, 104))),
    ),
    "more paid bags than bags": ("update_reservation_baggages", bags(0, 1)),
    "negative bags": ("update_reservation_baggages", bags(-1, -1)),
    "negative certificate": ("send_certificate", {"user_id": USER, "amount": -100}),
    "no flights left": ("update_reservation_flights", moved()),
    "flight changed twice": ("update_reservation_flights", moved(("TAU174", "2024-05-22"), ("TAU174", "2024-05-22"))),
}


@pytest.mark.parametrize(("name", "arguments"), REFUSED.values(), ids=REFUSED)
def test_nonsense_that_the_reference_accepts_is_refused_with_no_trace(name: str, arguments: dict[str, Any]) -> None:
    parity, mended = airline(parity=True).environment(), airline().environment()
    parity.call(name, arguments)
    assert parity.changes() != []
    assert mended.call(name, arguments).error
    assert mended.changes() == []


def test_a_gift_card_named_twice_is_overdrawn_under_parity() -> None:
    env = airline(parity=True).environment()
    ok(env, "book_reservation", booking(payment_methods=paid((GIFT_CARD, 77), (GIFT_CARD, 77))))
    user = json.loads(ok(env, "get_user_details", {"user_id": USER}))
    assert user["payment_methods"][GIFT_CARD]["amount"] == 106 - 154


AFTERWARDS = {
    "cancel_reservation": {"reservation_id": RESERVATION},
    "update_reservation_baggages": bags(2, 1),
    "update_reservation_flights": moved(("TAU374", "2024-05-22")),
    "update_reservation_passengers": {
        "reservation_id": RESERVATION,
        "passengers": [{"first_name": "Noor", "last_name": "Haddad", "dob": "1990-01-01"}],
    },
}


@pytest.mark.parametrize(("name", "arguments"), AFTERWARDS.items(), ids=AFTERWARDS)
def test_a_cancelled_reservation_stays_as_it_is(name: str, arguments: dict[str, Any]) -> None:
    ok(airline().environment(), name, arguments)
    for parity in (True, False):
        env = airline(parity=parity).environment()
        ok(env, "cancel_reservation", {"reservation_id": RESERVATION})
        result = env.call(name, arguments)
        assert result.error is not parity
    assert result.content == f"Error: Reservation {RESERVATION} is already cancelled"


def test_bookings_and_certificates_do_not_run_out_of_ids() -> None:
    for parity, last in ((True, "Error: Too many reservations"), (False, "NEW004")):
        env = airline(parity=parity).environment()
        assert last in [env.call("book_reservation", booking()).content for _ in range(4)][-1]
    for parity, last in ((True, "Error: Too many certificates"), (False, "certificate_3221325 added")):
        env = airline(parity=parity).environment()
        assert last in [env.call("send_certificate", {"user_id": USER, "amount": 50}).content for _ in range(4)][-1]


THREE = [
    {"first_name": first, "last_name": last, "dob": dob}
    for first, last, dob in (("Pavel", "Quintero", "1969-03-03"), ("Cosima", "Norwood", "1950-11-05"),
                             ("Noor", "Haddad", "1990-01-01"))
]  # fmt: skip
OF_THREE = "JMNRRA"  # Pavel, Cosima and Stellan


@given(order=st.permutations(THREE))
def test_no_order_of_passengers_and_payments_makes_a_difference(order: list[dict[str, str]]) -> None:
    payments = paid((CARD, 462 - 77), (GIFT_CARD, 77))
    states = []
    for people, methods in ((THREE, payments), (order, payments[::-1])):
        env = airline().environment()
        ok(env, "book_reservation", booking(passengers=people, payment_methods=methods))
        ok(env, "update_reservation_passengers", {"reservation_id": OF_THREE, "passengers": people})
        states.append(env.state())
    assert states[0] == states[1] != airline().environment().state()


def test_under_parity_the_order_of_passengers_is_kept() -> None:
    env = airline(parity=True).environment()
    ok(env, "update_reservation_passengers", {"reservation_id": OF_THREE, "passengers": THREE})
    assert env.dump()["agent"]["reservations"][OF_THREE]["passengers"] == THREE


def test_the_same_passengers_in_another_order_change_nothing() -> None:
    env = airline().environment()
    before = env.dump()["agent"]["reservations"][OF_THREE]["passengers"]
    ok(env, "update_reservation_passengers", {"reservation_id": OF_THREE, "passengers": before[::-1]})
    assert env.changes() == []


def test_a_failed_booking_uses_no_id_up() -> None:
    env = airline().environment()
    assert env.call("book_reservation", booking(payment_methods=paid((CARD, 1)))).error
    assert '"NEW001"' in ok(env, "book_reservation", booking())


def test_seats_follow_cancellations_and_changes() -> None:
    for parity, back in ((True, 0), (False, 1)):
        env = airline(parity=parity).environment()
        before = seats(env, "TAU174", "2024-05-22"), seats(env, "TAU374", "2024-05-22")
        ok(env, "update_reservation_flights", moved(("TAU374", "2024-05-22")))
        assert (seats(env, "TAU174", "2024-05-22"), seats(env, "TAU374", "2024-05-22")) == (
            before[0] + back,
            before[1] - back,
        )
        ok(env, "cancel_reservation", {"reservation_id": RESERVATION})
        assert seats(env, "TAU374", "2024-05-22") == before[1]


def test_booking_takes_a_seat_for_each_passenger() -> None:
    env = airline().environment()
    before = seats(env, "TAU154", "2024-05-22")
    ok(env, "book_reservation", booking())
    assert seats(env, "TAU154", "2024-05-22") == before - 1


def onestop(env: Environment, date: str) -> list[list[tuple[str, str]]]:
    content = ok(env, "search_onestop_flight", {"origin": "SFO", "destination": "MSP", "date": date})
    return [[(flight["flight_number"], flight["date"]) for flight in pair] for pair in json.loads(content)]


def test_an_overnight_connection_goes_by_the_calendar() -> None:
    day = airline().base.tables["flights"].raw["TAU322"]["dates"]["2024-05-20"]
    changes = {"TAU322": {"dates": {"2024-05-31": day}}, "TAU101": {"dates": {"2024-06-01": day}}}
    for parity in (True, False):
        env = airline(parity=parity).environment()
        env.tools.db.patch({"flights": changes}, where="test")
        found = onestop(env, "2024-05-31")
        assert found == ([] if parity else [[("TAU322", "2024-05-31"), ("TAU101", "2024-06-01")]])


def test_an_overnight_connection_may_leave_at_the_very_minute_of_arrival() -> None:
    pair = [("TAU322", "2024-05-20"), ("TAU101", "2024-05-21")]
    for parity in (True, False):
        env = airline(parity=parity).environment()
        assert pair in onestop(env, "2024-05-20")
        env.tools.db.patch({"flights": {"TAU101": {"scheduled_departure_time_est": "00:05:00"}}}, where="test")
        assert (pair in onestop(env, "2024-05-20")) is not parity


def test_searches_do_not_validate_or_copy_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(table: TableBase, key: str) -> None:
        raise AssertionError(f"{table.name} {key} was copied")

    monkeypatch.setattr(TableBase, "fresh", fail)
    env = airline().environment()
    assert json.loads(ok(env, "search_direct_flight", {"origin": "DEN", "destination": "CLT", "date": "2024-05-22"}))
    assert onestop(env, "2024-05-20")


def test_a_wrong_argument_is_named() -> None:
    env = airline().environment()
    wrong = env.call("book_reservation", booking(payment_methods=[{"payment_id": CARD, "amount": 1.5}])).content
    assert "'payment_methods' of book_reservation is not valid at 0.amount" in wrong
    assert "'cabin' of book_reservation" in env.call("book_reservation", booking(cabin="first")).content


TASKS = [task for task in core("airline") if "composed" not in task.tags]
each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)


def test_there_is_a_task_for_every_write_and_for_what_the_policy_is_about() -> None:
    assert len(TASKS) >= 20
    writes = {name for name, spec in tools_of(airline().spec.tools).items() if spec.writes and not spec.dual}
    assert writes < {action.name for task in TASKS for action in task.gold_actions}
    topics = {"bags", "cabin", "compensation", "insurance", "certificate", "gift_card", "refusal", "transfer"}
    assert topics < {tag for task in TASKS for tag in task.tags}


@each_task
def test_the_gold_path_runs_and_its_writes_change_something(task: Task) -> None:
    env = airline().environment(task)
    for action in task.gold_actions:
        before = env.state()
        ok(env, action.name, action.arguments)
        assert (env.state() != before) is env.writes(action.name), str(action)


@each_task
def test_the_gold_path_gathers_the_evidence(task: Task) -> None:
    env = airline().environment(task)
    seen = [(a.name, a.arguments, ok(env, a.name, a.arguments)) for a in task.gold_actions]
    for check in _trajectory(task):
        if isinstance(check, Evidence):
            assert any(
                name == check.name and check.arguments.items() <= arguments.items() and (check.shows or "") in content
                for name, arguments, content in seen
            ), check
        if isinstance(check, NotCalled):
            assert check.name not in [name for name, _, _ in seen]


@each_task
def test_a_refusal_or_transfer_demands_evidence_and_a_reason(task: Task) -> None:
    if {"refusal", "transfer"} & set(task.tags):
        assert {Evidence, Reason} <= {type(check) for check in _trajectory(task)}
        assert task.evaluation_criteria is not None
        assert "TRAJECTORY" in task.evaluation_criteria.reward_basis
    transfers = "transfer_to_human_agents" in [action.name for action in task.gold_actions]
    assert transfers is ("transfer" in task.tags)


@each_task
def test_only_the_one_who_knows_passes(task: Task) -> None:
    rewards = {
        agent: grade(task, simulate(task, airline(), agent=agent, user="scripted"), airline())
        for agent in ("oracle", "noop")
    }
    assert {agent: reward.passed for agent, reward in rewards.items()} == {"oracle": True, "noop": False}


@each_task
def test_a_task_is_well_formed(task: Task) -> None:
    assert (builtin_folder("tasks", "airline") / f"{task.id}.json").is_file()
    # The id of a new reservation depends on the order of bookings, which an agent may choose.
    assert [action.name for action in task.gold_actions].count("book_reservation") <= 1
    assert task.description is not None
    headings = re.findall(r"^## (.+)$", airline().policy, flags=re.MULTILINE)
    for section in (task.description.relevant_policies or "").split(";"):
        assert section.split(" (")[0].strip() in headings


def _trajectory(task: Task) -> list[Any]:
    criteria = task.evaluation_criteria
    return list(criteria.trajectory or []) if criteria else []
