"""What airline's customers want makes sense: against their records, and one wish beside another."""

import re
from datetime import date, timedelta
from typing import Any

import pytest

from pytest_tau.environment.folders import builtin_folder
from pytest_tau.schema.calls import Action
from tests.builders import workshop_part
from tests.domains.test_atoms import plans
from tests.domains.wishes import me, names, steps, tables, wishes


def reservation(step: Action) -> Any:
    return tables("airline")["reservations"][step.arguments["reservation_id"]]


def others_between(user_id: str, people: set[str], first: str, last: str, but: str = "") -> list[str]:
    """Their trips on which one of some people is between two days."""
    trips = [tables("airline")["reservations"][n] for n in tables("airline")["users"][user_id]["reservations"]]
    return [
        trip["reservation_id"]
        for trip in trips
        if trip["reservation_id"] != but
        and people & names(trip["passengers"])
        and trip["flights"][0]["date"] <= last
        and trip["flights"][-1]["date"] >= first
    ]


@pytest.mark.slow
def test_nobody_books_a_trip_for_days_on_which_they_are_on_another() -> None:
    booked = list(steps("airline", "book_reservation"))
    assert len(booked) >= 20
    for user_id, _, step in booked:
        days = [date.fromisoformat(leg["date"]) for leg in step.arguments["flights"]]
        before, after = str(days[0] - timedelta(days=1)), str(days[-1] + timedelta(days=1))
        assert not others_between(user_id, names(step.arguments["passengers"]), before, after), step


def test_a_new_trip_goes_where_they_have_no_trip_yet() -> None:
    """ "My trip to Chicago" would mean either."""
    booked = list(steps("airline", "book_reservation"))
    assert len(booked) >= 20
    for user_id, _, step in booked:
        trips = [tables("airline")["reservations"][n] for n in tables("airline")["users"][user_id]["reservations"]]
        assert step.arguments["destination"] not in {trip["destination"] for trip in trips}, step


def test_nobody_moves_a_trip_to_a_day_on_which_they_are_on_another() -> None:
    moved = 0
    for user_id, _, step in steps("airline", "update_reservation_flights"):
        trip = reservation(step)
        before = {leg["date"] for leg in trip["flights"]}
        for day in {leg["date"] for leg in step.arguments["flights"]} - before:
            moved += 1
            assert not others_between(user_id, names(trip["passengers"]), day, day, trip["reservation_id"]), step
    assert moved >= 50


def test_nobody_takes_the_place_of_another_while_they_are_on_a_trip() -> None:
    placed = 0
    for user_id, atom, step in steps("airline", "update_reservation_passengers"):
        trip = reservation(step)
        days = [leg["date"] for leg in trip["flights"]]
        for new in names(step.arguments["passengers"]) - names(trip["passengers"]):
            placed += 1
            assert not others_between(user_id, {new}, days[0], days[-1]), (atom.intent, step)
    assert placed >= 50


@pytest.mark.slow
def test_two_wishes_send_nobody_to_two_places() -> None:
    sent: set[str] = set()
    for plan in plans("airline", 120)[1]:
        taken: set[str] = set()
        for wish in plan.wishes:
            travels = {token for token in wish.atom.touches if token.endswith(":travels")}
            assert not travels & taken
            taken |= travels
        sent |= taken
    assert sent


def test_a_day_or_a_place_that_is_refused_is_that_of_no_other_wish() -> None:
    refused = [atom for _, atom in wishes("airline") if atom.intent in {"move_basic_economy", "move_elsewhere"}]
    assert {atom.intent for atom in refused} == {"move_basic_economy", "move_elsewhere"}
    for atom in refused:
        ends = ":travels" if atom.intent == "move_basic_economy" else ":visited"
        assert any(token.endswith(ends) for token in atom.touches), atom.intent


def test_who_is_ill_or_fears_the_weather_is_on_the_trip() -> None:
    found = 0
    for user_id, atom in wishes("airline"):
        if re.fullmatch(r"cancel_(ill|weather)(_uninsured)?", atom.intent):
            step = next(step for step in atom.steps if step.name == "get_reservation_details")
            found += 1
            assert me(user_id) in names(reservation(step)["passengers"]), atom.says[0]
    assert found >= 20


def test_a_trip_that_its_owner_does_not_take_is_named_after_who_does() -> None:
    theirs = mine = 0
    for user_id, atom in wishes("airline"):
        for step in [step for step in atom.steps if step.name == "get_reservation_details"][:1]:
            hidden = (atom.refers or {}).get("trip")
            if hidden is None or hidden.hidden is None or reservation(step)["user_id"] != user_id:
                continue
            aboard = me(user_id) in names(reservation(step)["passengers"])
            assert hidden.hidden.startswith("my ") == aboard, hidden
            theirs, mine = theirs + (not aboard), mine + aboard
    assert theirs >= 20
    assert mine >= 20


def test_nobody_is_replaced_on_a_trip_that_is_called_after_them() -> None:
    """ "Replace Marisol on Marisol's trip": the words would name her twice."""
    others = 0
    for user_id, atom, step in steps("airline", "update_reservation_passengers"):
        before = reservation(step)["passengers"]
        if atom.intent in ("replace_passenger", "replace_by_saved") and me(user_id) not in names(before):
            others += 1
            assert names(before[:1]) <= names(step.arguments["passengers"]), atom.says[0]
    assert others >= 10


def test_one_flight_is_not_called_one_of_several() -> None:
    several = {True: 0, False: 0}
    for _, atom in wishes("airline"):
        looked_at = [step for step in atom.steps if step.name == "get_reservation_details"]
        if len(looked_at) == 1 and re.search(r"call_off|called_off|airline|regular", atom.intent):
            single = len(reservation(looked_at[0])["flights"]) == 1
            several[single] += 1
            assert any("one of the flights" in text.lower() for text in atom.says) != single, atom.says
    assert all(several.values())


def test_a_cheaper_cabin_leaves_no_bag_that_would_have_to_be_paid() -> None:
    free = workshop_part(builtin_folder("domains", "airline"), "make_db").FREE_BAGS
    cabins = ["basic_economy", "economy", "business"]
    kept = 0
    for user_id, atom, step in steps("airline", "update_reservation_flights"):
        trip = reservation(step)
        if atom.intent == "downgrade" and trip["total_baggages"]:
            each = free[tables("airline")["users"][user_id]["membership"]][cabins.index(step.arguments["cabin"])]
            kept += 1
            assert trip["total_baggages"] - trip["nonfree_baggages"] <= each * len(trip["passengers"]), step
    assert kept


def test_a_budget_is_said_to_be_for_what_is_paid_on_top() -> None:
    texts = [text for _, atom in wishes("airline") if "condition" in atom.tags for text in atom.says]
    assert texts
    assert all(re.search(r"difference|another \d+|on top", text) for text in texts)


def test_a_delay_is_refused_compensation_for_itself_only_where_more_could_bring_some() -> None:
    found = [(key, atom) for key, atom in wishes("airline") if atom.intent == "compensation_delay_only"]
    for key, atom in found:
        user = tables("airline")["users"][key]
        seen = {step.arguments["reservation_id"] for step in atom.steps if "reservation_id" in step.arguments}
        trip = tables("airline")["reservations"][seen.pop()]
        assert user["membership"] != "regular" or trip["insurance"] == "yes" or trip["cabin"] == "business"
    assert found


def test_a_trip_that_was_called_off_is_not_kept_for_good() -> None:
    found = {text for _, atom in wishes("airline") if atom.intent == "cancel_airline" for text in atom.withdraws}
    assert found
    assert not any(re.search("keep|I do want", text) for text in found)


@pytest.mark.parametrize(("amount", "said"), [(1, "my gift card with 1 dollar"), (2, "my gift card with 2 dollars")])
def test_one_dollar(amount: int, said: str) -> None:
    records = workshop_part(builtin_folder("domains", "airline"), "atoms.records")
    card = {"source": "gift_card", "amount": amount}
    assert records.method_named(card, [card, {"source": "gift_card", "amount": 7}]) == said


@pytest.mark.parametrize(("day", "far"), [("2024-05-17", False), ("2024-05-28", True)])
def test_weather_weeks_ahead_is_no_warning(day: str, far: bool) -> None:
    cancelling = workshop_part(builtin_folder("domains", "airline"), "atoms.cancelling")
    legs = [{"date": day}]
    says = cancelling.sayings("weather", {"destination": "SEA", "flights": legs})
    assert any("weeks" in text for text in says) == far
    assert any("warning" in text for text in says) != far


def test_nobody_wants_to_go_where_they_fear_the_weather() -> None:
    place = workshop_part(builtin_folder("domains", "airline"), "atoms.records").PLACE
    found = 0
    for key, atom in wishes("airline"):
        if not atom.intent.startswith("cancel_weather"):
            continue
        trip = next(reservation(step) for step in atom.steps if "reservation_id" in step.arguments)
        for owner, other in wishes("airline"):
            step = other.steps[-1]
            if owner == key and step.name == "book_reservation":
                ends = {place[step.arguments["origin"]], place[step.arguments["destination"]]}
                found += place[trip["destination"]] in ends
                assert place[trip["destination"]] not in ends or atom.touches & other.touches
        for number in tables("airline")["users"][key]["reservations"]:
            one = tables("airline")["reservations"][number]
            if place[trip["destination"]] in (place[one["origin"]], place[one["destination"]]):
                assert f"{number}:comfort" in atom.touches
    assert found


def test_who_is_ill_goes_on_no_earlier_trip() -> None:
    for key, atom in wishes("airline"):
        if not atom.intent.startswith("cancel_ill"):
            continue
        trip = next(reservation(step) for step in atom.steps if "reservation_id" in step.arguments)
        name = tables("airline")["users"][key]["name"]
        for number in tables("airline")["users"][key]["reservations"]:
            one = tables("airline")["reservations"][number]
            aboard = name in [{part: person[part] for part in name} for person in one["passengers"]]
            if aboard and "2024-05-15" <= one["flights"][0]["date"] <= trip["flights"][0]["date"]:
                assert f"{number}:flights" in atom.touches
        assert f"2024-05-15 {' '.join(name.values())}:travels" in atom.touches


def test_the_plans_of_others_are_not_called_mine() -> None:
    found = [
        (key, atom) for key, atom in wishes("airline")
        if re.fullmatch("cancel_(business|recent|no_ground|as_gold|too_late)", atom.intent) and atom.revision is None
    ]  # fmt: skip
    told = set()
    for key, atom in found:
        trip = next(reservation(step) for step in atom.steps if "reservation_id" in step.arguments)
        name = tables("airline")["users"][key]["name"]
        aboard = name in [{part: person[part] for part in name} for person in trip["passengers"]]
        told.add(aboard)
        assert any(re.search(r"\b[Mm]y plans", text) for text in atom.says) == aboard
    assert told == {True, False}


def test_who_travels_alone_knows_it() -> None:
    for _, atom in wishes("airline"):
        if atom.intent == "compensation_wrong_number":
            trip = next(reservation(step) for step in atom.steps if "reservation_id" in step.arguments)
            assert len(trip["passengers"]) > 1


def test_nobody_adds_more_bags_than_people_travel_with() -> None:
    found = 0
    for _, atom in wishes("airline"):
        if atom.intent.startswith("bags_"):
            trip, total = reservation(atom.steps[-1]), atom.steps[-1].arguments["total_baggages"]
            found += 1
            assert total <= 2 * len(trip["passengers"]) + 2
    assert found


def test_nobody_speaks_of_themselves_by_name() -> None:
    found = 0
    for key, atom in wishes("airline"):
        if atom.intent in {"cabin_for_one", "replace_passenger", "replace_by_saved"}:
            name = " ".join(tables("airline")["users"][key]["name"].values())
            found += 1
            assert not any(name in text for text in (*atom.says, *atom.manner))
    assert found


def test_who_travels_instead_has_another_first_name_than_everybody_aboard() -> None:
    found = 0
    for _, atom in wishes("airline"):
        if atom.intent == "replace_passenger":
            before = reservation(atom.steps[-1])["passengers"]
            first = {person["first_name"] for person in before}
            new = [one for one in atom.steps[-1].arguments["passengers"] if one not in before]
            found += 1
            assert not first & {one["first_name"] for one in new}
    assert found


def test_three_people_are_listed_with_one_and() -> None:
    found = [text for _, atom in wishes("airline") if atom.intent.startswith("book") for text in atom.says]
    assert any(re.search(r"for me, \w+ \w+ and \w+ \w+ from my profile", text) for text in found)
    assert not any(re.search(r"for me and \w+ \w+ and", text) for text in found)


def test_of_several_flights_that_were_called_off_nobody_says_one() -> None:
    airline, found = tables("airline"), 0
    for _, atom in wishes("airline"):
        told = " ".join(atom.says)
        if not re.search(
            r"you (?:have )?(?:cancelled|called off) (?:the|one of the|its|one of its) flight", told, re.I
        ):
            continue
        trip = next(reservation(step) for step in atom.steps if "reservation_id" in step.arguments)
        dates = [airline["flights"][leg["flight_number"]]["dates"][leg["date"]] for leg in trip["flights"]]
        found += 1
        assert [day["status"] for day in dates].count("cancelled") == 1, (atom.intent, trip["reservation_id"])
    assert found


def test_who_will_not_be_well_again_in_time_flies_neither_today_nor_tomorrow() -> None:
    found = [atom for _, atom in wishes("airline") if atom.intent.startswith("cancel_ill")]
    assert found
    for atom in found:
        trip = next(reservation(step) for step in atom.steps if "reservation_id" in step.arguments)
        assert trip["flights"][0]["date"] > "2024-05-16"


def test_who_has_a_reason_of_their_own_is_on_the_trip() -> None:
    found = 0
    for key, atom in wishes("airline"):
        if re.fullmatch("(move|cancel)_delayed_compensation|compensation_delay_only|cancel_not_covered", atom.intent):
            trip = next(reservation(step) for step in atom.steps if "reservation_id" in step.arguments)
            name = tables("airline")["users"][key]["name"]
            found += 1
            assert name in [{part: person[part] for part in name} for person in trip["passengers"]]
    assert found


def test_who_gets_another_cabin_is_not_replaced_beside_it() -> None:
    found = [atom for _, atom in wishes("airline") if atom.intent == "cabin_for_one"]
    for atom in found:
        number = next(step.arguments["reservation_id"] for step in atom.steps if "reservation_id" in step.arguments)
        assert f"{number}:people" in atom.touches
    assert found


def test_no_wish_begins_with_a_city() -> None:
    say = workshop_part(builtin_folder("domains", "airline"), "atoms.cancelling").say
    says = [text for why in ("weather", "weather_later") for text in say(f"cancel_{why}.says")]
    assert len(says) == 10
    assert not [text for text in says if text.startswith("{place}")]
