"""The generator of the airline's world: the committed file is what it makes, and what it makes fits together."""

import json
from collections import Counter
from datetime import date
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.environment.folders import builtin_folder
from tests.builders import workshop_part

FOLDER = builtin_folder("domains", "airline")


def generator() -> ModuleType:
    return workshop_part(FOLDER, "make_db")


@cache
def world() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = json.loads((FOLDER / "db.json").read_text(encoding="utf-8"))
    return loaded


def test_the_committed_file_is_what_the_generator_makes() -> None:
    # Not as a comparison of texts, whose difference would take pytest minutes to show.
    same = generator().text() == (FOLDER / "db.json").read_text(encoding="utf-8")
    assert same, "run python workshop/domains/airline/make_db.py, then check the tasks of the suite"


@pytest.mark.slow
def test_another_seed_makes_another_world() -> None:
    assert generator().World(seed=1).users != world()["users"]


def test_every_record_fits_its_model_and_keeps_its_key() -> None:
    assert list(load_domain("airline").base.problems()) == []
    for table, key in (("flights", "flight_number"), ("users", "user_id"), ("reservations", "reservation_id")):
        assert all(record[key] == name for name, record in world()[table].items())


def test_the_size_and_shape_of_the_world() -> None:
    assert len(world()["users"]) >= 500
    assert len(world()["flights"]) == 300
    assert len(world()["reservations"]) == 2400
    assert (FOLDER / "db.json").stat().st_size < 7_000_000
    reservations = world()["reservations"].values()
    for field in ("cabin", "insurance", "flight_type"):
        shares = Counter(reservation[field] for reservation in reservations)
        assert min(shares.values()) > 2400 / len(shares) * 0.8, shares
    assert {len(reservation["passengers"]) for reservation in reservations} == {1, 2, 3, 4}
    assert sum(reservation["created_at"] >= "2024-05-14T15" for reservation in reservations) >= 150


def test_airports_are_the_tools_own() -> None:
    airports = {
        airport["iata"]
        for airport in json.loads(load_domain("airline").environment().call("list_all_airports", {}).content)
    }
    assert set(generator().PLACES) == airports
    served = {flight[end] for flight in world()["flights"].values() for end in ("origin", "destination")}
    assert served == airports


def test_each_flight_has_a_record_for_each_of_30_days_that_fits_the_clock() -> None:
    over, ahead = {"landed", "cancelled"}, {"available", "cancelled"}
    today = over | {"flying", "on time", "delayed"}
    for flight in world()["flights"].values():
        assert len(flight["dates"]) == 30
        for day, record in flight["dates"].items():
            expected = over if day < "2024-05-15" else today if day == "2024-05-15" else ahead
            assert record["status"] in expected, (flight["flight_number"], day)
            for name, time in record.items():
                if name.startswith("actual"):
                    assert time <= "2024-05-15T15:00:00"
                elif name.startswith("estimated"):
                    assert time > "2024-05-15T15:00:00"


def test_users_and_reservations_point_at_each_other() -> None:
    users, reservations = world()["users"], world()["reservations"]
    assert all(reservations[id_]["user_id"] == user for user, record in users.items() for id_ in record["reservations"])
    assert sum(len(user["reservations"]) for user in users.values()) == len(reservations)


def test_reservations_lead_where_they_say_on_flights_that_exist() -> None:
    for reservation in world()["reservations"].values():
        legs = reservation["flights"]
        for leg in legs:
            flight = world()["flights"][leg["flight_number"]]
            assert (leg["origin"], leg["destination"]) == (flight["origin"], flight["destination"])
            assert leg["date"] in flight["dates"]
        assert legs[0]["origin"] == reservation["origin"]
        assert reservation["destination"] in [leg["destination"] for leg in legs]
        assert all(one["destination"] == next_["origin"] for one, next_ in pairwise(legs))
        end = reservation["origin"] if reservation["flight_type"] == "round_trip" else reservation["destination"]
        assert legs[-1]["destination"] == end
        assert [leg["date"] for leg in legs] == sorted(leg["date"] for leg in legs)
        assert reservation["created_at"] < min(legs[0]["date"], "2024-05-15T15:00:00")


def test_nobody_is_on_two_trips_of_a_user_at_once() -> None:
    for user in world()["users"].values():
        seen: Counter[tuple[str, ...]] = Counter()
        for reservation in map(world()["reservations"].__getitem__, user["reservations"]):
            days = [date.fromisoformat(reservation["flights"][end]["date"]) for end in (0, -1)]
            people = [(person["first_name"], person["last_name"]) for person in reservation["passengers"]]
            assert len(set(people)) == len(people), reservation["reservation_id"]
            for day in range(days[0].toordinal(), days[1].toordinal() + 1):
                seen.update((str(day), *person) for person in people)
        assert not [where for where, times in seen.items() if times > 1], user["user_id"]


def test_reservations_are_paid_as_their_bags_and_insurance_say() -> None:
    free = {"regular": (0, 1, 2), "silver": (1, 2, 3), "gold": (2, 3, 4)}
    for reservation in world()["reservations"].values():
        user, people = world()["users"][reservation["user_id"]], len(reservation["passengers"])
        fares = sum(leg["price"] for leg in reservation["flights"]) * people
        insurance = 30 * people if reservation["insurance"] == "yes" else 0
        [payment] = reservation["payment_history"]
        assert payment["amount"] == fares + insurance + 50 * reservation["nonfree_baggages"]
        assert user["payment_methods"][payment["payment_id"]]["source"] != "certificate"
        allowance = (
            free[user["membership"]][("basic_economy", "economy", "business").index(reservation["cabin"])] * people
        )
        assert reservation["nonfree_baggages"] == max(0, reservation["total_baggages"] - allowance)
