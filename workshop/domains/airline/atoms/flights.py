"""Changes of flights: the cheapest, earliest or latest of another day, a day later, after a call-off."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Fits, Revision, look_up, phrases_of, with_endings

from .records import (
    TODAY,
    Arguments,
    Flyer,
    Json,
    balance,
    called_off,
    capital,
    day_said,
    fare,
    info,
    later,
    live,
    live_flights,
    look_at,
    methods_called,
    parts_of,
    profile,
    search,
    seats,
    seats_on,
    see,
    travelling,
    ways,
)

say = phrases_of(__file__)
CHANGING = "Changing a reservation"
MOVES = 2
LAST_DAY = "2024-05-30"
Offers = Sequence[tuple[int, str, Json]]  # fare, time of departure, flight
Pick = Callable[[Offers], list[tuple[int, str, Json]]]
WHICH: dict[str, Pick] = {
    "cheapest": lambda found: [one for one in found if one[0] == min(fare for fare, _, _ in found)],
    "earliest": lambda found: [one for one in found if one[1] == min(time for _, time, _ in found)],
    "latest": lambda found: [one for one in found if one[1] == max(time for _, time, _ in found)],
}
KEEP = say("flights.withdraws")


def _stays(trip: Json) -> str:
    """What is not to change with the flights that they want changed."""
    return say.text("flights.only_one" if len(trip["flights"]) == 1 else "flights.others")


def of_flights(flyer: Flyer) -> Iterator[Atom]:
    """Everything that a customer could want of the flights of a reservation."""
    for trip in flyer.trips():
        if trip["cabin"] != "basic_economy" and trip["flights"][-1]["date"] > TODAY:
            yield from a_day_later(flyer, trip)
            # Afterwards everything that stays must still fit together.
            for way in direct_ways(flyer, trip):
                if way.leg["date"] > TODAY and "cancelled" not in flyer.statuses(trip):
                    yield from to_another_day(flyer, way)
                yield from after_a_call_off(flyer, way)


def change(trip: Json, legs: Sequence[Json], method: Json, cabin: str | None = None) -> Action:
    """Other flights for a reservation, or another cabin."""
    return look_up(
        "update_reservation_flights",
        reservation_id=trip["reservation_id"],
        cabin=cabin or trip["cabin"],
        flights=[info(leg) for leg in legs],
        payment_id=method["id"],
    )


def difference(trip: Json, prices: Sequence[int]) -> int:
    """What a change costs everybody together; negative where it brings money back."""
    return (sum(prices) - sum(int(leg["price"]) for leg in trip["flights"])) * len(trip["passengers"])


def able(flyer: Flyer, cost: int) -> list[tuple[Json, str]]:
    """The methods that could pay a difference, with their names."""
    named = [(method, flyer.named_method(method)) for method in flyer.methods("credit_card", "gift_card")]
    return [(method, name) for method, name in named if name and affords(method, cost)]


def affords(method: Json, cost: int) -> bool:
    """Whether a method can pay a difference; one that brings money back, any can."""
    return bool(method["source"] == "credit_card" or method["amount"] >= max(1, cost))


def charging(method: Json, cost: int) -> tuple[str, float] | None:
    """What a change takes from a card, if it does."""
    return (method["id"], cost) if cost > 0 and method["source"] == "credit_card" else None


def a_method(flyer: Flyer, cost: int) -> tuple[Json, str] | None:
    """One of them."""
    found = able(flyer, cost)
    return flyer.rng.choice(found) if found else None


@dataclass(frozen=True)
class DirectFlight:
    """One direct flight of a trip: ``called`` in their words, its ``place`` in the reservation, where it can move."""

    trip: Json
    called: str
    place: int
    days: Sequence[str]

    @property
    def leg(self) -> Json:
        """The flight as it is booked."""
        found: Json = self.trip["flights"][self.place]
        return found

    def put(self, flight: Json, day: str) -> list[Json]:
        """The flights of the trip with another one in its place."""
        legs = list(self.trip["flights"])
        legs[self.place] = {"flight_number": flight["flight_number"], "date": day}
        return legs

    def touches(self, method: Json, *days: str) -> frozenset[str]:
        """What a change touches: the flights, what pays, and the seats of then and now."""
        on = [{**self.leg, "date": day} for day in (self.leg["date"], *days)]
        journeys = (travelling(self.trip["passengers"], self.put(leg, leg["date"])) for leg in on[1:])
        return parts_of(self.trip, "flights").union(balance(method), seats(*on), *journeys)

    def cost(self, fare: int) -> int:
        """What the change to a flight of this fare costs everybody together."""
        return (fare - int(self.leg["price"])) * len(self.trip["passengers"])

    def best(self, flyer: Flyer, day: str, pick: Pick) -> tuple[int, str, Json] | None:
        """The flight of a day that is meant, where it is one."""
        route = flyer.books.routes[self.leg["origin"], self.leg["destination"]]
        found = seats_on(route, day, self.trip["cabin"], len(self.trip["passengers"]))
        chosen = pick(found) if found else []
        return chosen[0] if len(chosen) == 1 else None

    def fits(self, flyer: Flyer, day: str, pick: Pick, words: str) -> Fits:
        """Every call that the words could mean: the trip, the best flights of that day, the methods."""

        def fits(env: Environment) -> Iterator[Arguments]:
            for one in live(env, flyer, self.trip):
                route = live_flights(env, self.leg["origin"], self.leg["destination"])
                found = seats_on(route, day, one["cabin"], len(one["passengers"]))
                for _, _, flight in pick(found) if found else ():
                    for method_id in methods_called(env, flyer.id, words):
                        yield dict(change(one, self.put(flight, day), {"id": method_id}).arguments)

        return fits


def direct_ways(flyer: Flyer, trip: Json) -> Iterator[DirectFlight]:
    """The direct ways of a trip that are still ahead, with the days on which nobody has another trip."""
    there, back = ways(trip)
    found = []
    if len(there) == 1 and there[0]["date"] >= TODAY:
        last = later(back[0]["date"], -1) if back else LAST_DAY
        found.append(DirectFlight(trip, say("flights.outbound") if back else "{trip}", 0, days(later(TODAY, 1), last)))
    if len(back) == 1 and back[0]["date"] >= TODAY:
        first = later(max(TODAY, there[-1]["date"]), 1)
        found.append(DirectFlight(trip, say("flights.return"), len(there), days(first, LAST_DAY)))
    for way in found:
        yield replace(way, days=[day for day in way.days if flyer.free_for(trip, way.put(way.leg, day))])


def days(first: str, last: str) -> list[str]:
    """Every day from one to another."""
    return [day for n in range(30) if (day := later(first, n)) <= last]


def to_another_day(flyer: Flyer, way: DirectFlight) -> Iterator[Atom]:
    """The cheapest, earliest or latest direct flight of another day."""
    for kind, pick in WHICH.items():
        found = {day: best for day in way.days if day != way.leg["date"] and (best := way.best(flyer, day, pick))}
        if not found:
            continue
        day = flyer.rng.choice(list(found))
        cost = way.cost(found[day][0])
        chosen = a_method(flyer, cost)
        if chosen is None:
            continue
        method, words = chosen
        asks = bool(cost) and flyer.rng.random() < 0.5
        first = next((d for d in found if d != day and affords(method, way.cost(found[d][0]))), None)
        revision = None
        if first is not None and not asks:
            wanted = say("moving.again", kind=kind)
            revision = Revision(
                _moving(way, kind, first, words),
                **say("move.revision", other_day=day_said(first), day=day_said(day), wanted=wanted),
                proposal=change(way.trip, way.put(found[first][2], first), method),
                looks=(search(*_route(way), first),),
            )
        says = _moving(way, kind, day, words)
        yield Atom(
            f"move_{kind}",
            with_endings(says, say("difference.asks")) if asks else says,
            (
                profile(flyer),
                see(way.trip),
                search(*_route(way), day),
                change(way.trip, way.put(found[day][2], day), method),
            ),
            way.touches(method, day),
            **say("move"),
            rank=MOVES,
            refers=flyer.names_of(way.trip),
            manner=(_stays(way.trip),),
            fits=way.fits(flyer, day, pick, words),
            facts=(str(abs(cost)),) if asks else (),
            follows=(day, first or day),
            withdraws=KEEP,
            revision=revision,
            charges=charging(method, cost),
            tags=("superlative",),
            policies=(CHANGING,),
        )


def _route(way: DirectFlight) -> tuple[str, str]:
    return way.leg["origin"], way.leg["destination"]


def _moving(way: DirectFlight, kind: str, day: str, words: str) -> tuple[str, ...]:
    what, on = way.called, day_said(day)
    return paid_with(say("moving.says", what=what, on=on, kind=kind), words)


def paid_with(says: Sequence[str], words: str) -> tuple[str, ...]:
    """Wordings of a change, with what pays the difference."""
    return with_endings(says, say("difference.pay", method=words))


def a_day_later(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """All flights with the same numbers, one or two days later or a day earlier."""
    legs = trip["flights"]
    if trip["flight_type"] != "one_way" or legs[0]["date"] <= TODAY:
        return
    for days_later, how in ((1, "later"), (2, "two_later"), (-1, "earlier")):
        moved = [{**leg, "date": later(leg["date"], days_later)} for leg in legs]
        if moved[0]["date"] <= TODAY or moved[-1]["date"] > LAST_DAY:
            continue
        if not (all(_has_room(flyer, leg, trip) for leg in moved) and flyer.free_for(trip, moved)):
            continue
        cost = difference(trip, [fare(flyer.books, leg, trip["cabin"]) for leg in moved])
        chosen = a_method(flyer, cost)
        if chosen is None:
            continue
        method, words = chosen
        asks = bool(cost) and flyer.rng.random() < 0.5
        said = say("move_by_days.one" if len(legs) == 1 else "move_by_days.several")
        texts = say("moving_by_days.says", same=said["same"], how=say(f"by_days.{how}"))
        says = paid_with(texts, words)
        searches = [search(leg["origin"], leg["destination"], leg["date"]) for leg in moved]
        yield Atom(
            "move_by_days",
            with_endings(says, say("difference.asks")) if asks else says,
            (profile(flyer), see(trip), *searches, change(trip, moved, method)),
            parts_of(trip, "flights").union(
                balance(method), seats(*legs, *moved), travelling(trip["passengers"], moved)
            ),
            **say("move_by_days"),
            manner=said["manner"],
            rank=MOVES,
            refers=flyer.names_of(trip),
            fits=_fits_moved(flyer, trip, days_later, words),
            facts=(str(abs(cost)),) if asks else (),
            follows=tuple(leg["date"] for leg in moved),
            withdraws=KEEP,
            policies=(CHANGING,),
        )


def _has_room(flyer: Flyer, leg: Json, trip: Json) -> bool:
    day = flyer.books.flights[leg["flight_number"]]["dates"][leg["date"]]
    seats = day["available_seats"][trip["cabin"]] if day["status"] == "available" else 0
    return bool(seats >= len(trip["passengers"]))


def _fits_moved(flyer: Flyer, trip: Json, days_later: int, words: str) -> Fits:
    def fits(env: Environment) -> Iterator[Arguments]:
        for one in live(env, flyer, trip):
            moved = [{**leg, "date": later(leg["date"], days_later)} for leg in one["flights"]]
            for method_id in methods_called(env, flyer.id, words):
                yield dict(change(one, moved, {"id": method_id}).arguments)

    return fits


def after_a_call_off(flyer: Flyer, way: DirectFlight) -> Iterator[Atom]:
    """The airline has cancelled the flight; they take the cheapest of the next day on which there is one."""
    if flyer.status(way.leg) != "cancelled" or not flyer.called_off_once(way.trip):
        return
    pick = WHICH["cheapest"]
    day = next((day for day in way.days if day > way.leg["date"] and way.best(flyer, day, pick)), None)
    best = way.best(flyer, day, pick) if day else None
    if day is None or best is None:
        return
    cost = way.cost(best[0])
    chosen = a_method(flyer, cost)
    if chosen is None:
        return
    method, words = chosen
    gone = called_off(way.trip)
    texts = say("after_call_off.says", gone=gone, day=day_said(day), Gone=capital(gone))
    yield Atom(
        "move_after_call_off",
        paid_with(texts, words),
        (
            profile(flyer),
            see(way.trip),
            *map(look_at, way.trip["flights"]),
            search(*_route(way), day),
            change(way.trip, way.put(best[2], day), method),
        ),
        way.touches(method, day),
        **say("move_after_call_off"),
        rank=MOVES,
        refers=flyer.names_of(way.trip),
        fits=way.fits(flyer, day, pick, words),
        follows=(day,),
        policies=(CHANGING,),
    )
