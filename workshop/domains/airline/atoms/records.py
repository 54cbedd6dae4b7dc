"""The airline's books as atoms need them: who flies where, how they would name it, and what may be done with it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Any

from pytest_tau import Domain, Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Reference, look_up, phrases_of

from ..make_db import CABINS
from ..schema import AIRPORTS
from ..values import CANCEL_HOURS, FREE_BAGS, NOW

say = phrases_of(__file__)
Json = Mapping[str, Any]
Arguments = Mapping[str, Any]

TODAY = str(NOW.date())
RECENT_SINCE = f"{NOW - timedelta(hours=CANCEL_HOURS):%Y-%m-%dT%H:%M:%S}"
PLACE = {airport.iata: airport.city for airport in AIRPORTS} | {"LGA": "New York"}
CITY = PLACE | {"JFK": "New York JFK", "LGA": "New York LaGuardia"}
FLOWN = {"flying", "landed"}


@dataclass(frozen=True)
class Books:
    """The tables as the file has them, and the flights by where they go."""

    flights: Mapping[str, Json]
    users: Mapping[str, Json]
    reservations: Mapping[str, Json]
    routes: Mapping[tuple[str, str], list[Json]]

    @classmethod
    def of(cls, domain: Domain) -> "Books":
        """The books of a fresh world."""
        tables = domain.environment().dump()["agent"]
        routes: dict[tuple[str, str], list[Json]] = {}
        for flight in tables["flights"].values():
            routes.setdefault((flight["origin"], flight["destination"]), []).append(flight)
        return cls(tables["flights"], tables["users"], tables["reservations"], routes)


@dataclass(frozen=True)
class Flyer:
    """A customer with their trips; ``rng`` is theirs alone, so that one's draws do not shift another's."""

    books: Books
    row: Json
    rng: Random = field(compare=False)

    @property
    def id(self) -> str:
        """The user id."""
        return str(self.row["user_id"])

    @property
    def membership(self) -> str:
        """``regular``, ``silver`` or ``gold``."""
        return str(self.row["membership"])

    def trips(self) -> list[Json]:
        """All of their reservations."""
        return [self.books.reservations[number] for number in self.row["reservations"]]

    def status(self, leg: Json) -> str:
        """How a flight of a reservation stands."""
        return str(self.books.flights[leg["flight_number"]]["dates"][leg["date"]]["status"])

    def statuses(self, trip: Json) -> list[str]:
        """How the flights of a reservation stand."""
        return [self.status(leg) for leg in trip["flights"]]

    def called_off_once(self, trip: Json) -> bool:
        """Whether the airline has cancelled just one of its flights, as customers say of such a trip."""
        return self.statuses(trip).count("cancelled") == 1

    def upcoming(self) -> list[Json]:
        """Reservations of which every flight leaves after today, and none was called off: that would come first."""
        ahead = [trip for trip in self.trips() if trip["flights"][0]["date"] > TODAY]
        return [trip for trip in ahead if "cancelled" not in self.statuses(trip)]

    def under_way(self) -> bool:
        """Whether there is a trip that has begun, or begins today, so that "coming trips" could be taken either way."""
        return any(trip["flights"][0]["date"] <= TODAY <= trip["flights"][-1]["date"] for trip in self.trips())

    def bookable(self, trip: Json) -> bool:
        """Whether every flight of a reservation can be booked today, as a change of cabin needs it."""
        return set(self.statuses(trip)) == {"available"}

    def free_bags(self, trip: Json, cabin: str | None = None) -> int:
        """How many bags a reservation has free, in its own cabin or another."""
        return FREE_BAGS[self.membership][CABINS.index(cabin or trip["cabin"])] * len(trip["passengers"])

    def bags_stay(self, trip: Json, cabin: str) -> bool:
        """Whether no bag that is free now would cost something in another cabin."""
        return int(trip["total_baggages"] - trip["nonfree_baggages"]) <= self.free_bags(trip, cabin)

    def grounds(self, trip: Json) -> set[str]:
        """On what grounds a reservation may be cancelled, if no flight of it has been flown."""
        found = {"recent"} if trip["created_at"] >= RECENT_SINCE else set()
        found |= {"business"} if trip["cabin"] == "business" else set()
        found |= {"insured"} if trip["insurance"] == "yes" else set()
        return found | ({"airline"} if "cancelled" in self.statuses(trip) else set())

    def may_be_compensated(self, trip: Json) -> bool:
        """Whether compensation is for them at all."""
        return self.membership != "regular" or trip["insurance"] == "yes" or trip["cabin"] == "business"

    def aboard(self, trip: Json) -> bool:
        """Whether they travel on a reservation themselves."""
        return full(self.row["name"]) in map(full, trip["passengers"])

    def free_for(self, trip: Json, legs: Sequence[Json]) -> bool:
        """Whether a trip can have these flights, and none of its people is then on two trips at once."""
        others = [other for other in self.trips() if other["reservation_id"] != trip["reservation_id"]]
        before = {(leg["flight_number"], leg["date"]) for leg in trip["flights"]}
        moved = {leg["date"] for leg in legs if (leg["flight_number"], leg["date"]) not in before}
        return not (span(legs) - span(trip["flights"]) | moved) & away(others, trip["passengers"])

    def names_of(self, trip: Json, name: str = "trip") -> dict[str, Reference]:
        """A reservation by its number, or by who goes where and when; for the middle and the beginning of a sentence.

        Who travels is said where its owner does not.
        """
        others = [other for other in self.trips() if other is not trip]
        start, to, day = trip["origin"], trip["destination"], trip["flights"][0]["date"]
        whose = say("trips.mine") if self.aboard(trip) else possessive(full(trip["passengers"][0]))
        told = {"whose": whose, "start": CITY[start], "to": CITY[to], "day": day_said(day)}
        hidden = None
        if all(other["destination"] != to for other in others):
            hidden = say("trips.to", **told)
        elif all((other["origin"], other["destination"]) != (start, to) for other in others):
            hidden = say("trips.from_to", **told)
        elif all((other["destination"], other["flights"][0]["date"]) != (to, day) for other in others):
            hidden = say("trips.to_on", **told)
        said = say("trips.reservation", number=trip["reservation_id"])
        return {
            name: Reference(said, hidden),
            name.capitalize(): Reference(capital(said), None if hidden is None else capital(hidden)),
        }

    def methods(self, *sources: str) -> list[Json]:
        """Their payment methods, all or those of some sources."""
        return [m for m in self.row["payment_methods"].values() if not sources or m["source"] in sources]

    def named_method(self, method: Json) -> str | None:
        """A payment method in their words."""
        return method_named(method, self.methods())


def method_named(method: Json, among: Sequence[Json]) -> str | None:
    """A payment method in its owner's words: "my Visa", "my gift card with 120 dollars"; None where none are clear."""
    alike = [other for other in among if other["source"] == method["source"]]
    words = f"methods.{method['source']}"
    if len(alike) == 1:
        return say.text(f"{words}.alone")
    if method["source"] == "credit_card":
        same = [other["brand"] for other in alike].count(method["brand"])
        found = say(words, last_four=method["last_four"])
        return str(found[method["brand"] if same == 1 else f"{method['brand']}_of_several"])
    if [other["amount"] for other in alike].count(method["amount"]) > 1:
        return None
    return say.text(f"{words}.{'of_one' if method['amount'] == 1 else 'of'}", amount=f"{method['amount']:.0f}")


def methods_called(env: Environment, user_id: str, words: str) -> list[str]:
    """The payment methods in a profile that a customer's words could mean."""
    methods = [method.model_dump() for method in env.tools.db.users[user_id].payment_methods.values()]
    return [str(method["id"]) for method in methods if method_named(method, methods) == words]


def live(env: Environment, flyer: Flyer, like: Json) -> Iterator[Json]:
    """Their reservations, as they stand now, that go from where to where and when this one goes."""
    for number in env.tools.db.users[flyer.id].reservations:
        trip = env.tools.db.reservations[number].model_dump()
        same = all(trip[end] == like[end] for end in ("origin", "destination"))
        if same and trip["status"] is None and trip["flights"][0]["date"] == like["flights"][0]["date"]:
            yield trip


def seats_on(
    flights: Sequence[Json], day: str, cabin: str, travellers: int
) -> list[tuple[int, str, Json]]:  # fmt: skip
    """Flights that can be booked for a day and have the seats: fare, time of departure, and the flight."""
    found = []
    for flight in flights:
        on = flight["dates"].get(day)
        if on is not None and on["status"] == "available" and on["available_seats"][cabin] >= travellers:
            found.append((on["prices"][cabin], flight["scheduled_departure_time_est"], flight))
    return found


def live_flights(env: Environment, origin: str, destination: str) -> list[Json]:
    """The flights from one airport to another as they are now."""
    return list(env.tools.db.flights.where(origin=origin, destination=destination))


def fare(books: Books, leg: Json, cabin: str) -> int:
    """What a flight costs one person today."""
    return int(books.flights[leg["flight_number"]]["dates"][leg["date"]]["prices"][cabin])


def room(books: Books, leg: Json, cabin: str) -> int:
    """How many seats a flight has left."""
    return int(books.flights[leg["flight_number"]]["dates"][leg["date"]]["available_seats"][cabin])


def total_paid(trip: Json) -> int:
    """All that was paid for a reservation."""
    return sum(payment["amount"] for payment in trip["payment_history"])


def ways(trip: Json) -> tuple[list[Json], list[Json]]:
    """The flights of the way there, and those of the way back."""
    legs = list(trip["flights"])
    if trip["flight_type"] == "one_way":
        return legs, []
    turn = next(i for i, leg in enumerate(legs, start=1) if leg["destination"] == trip["destination"])
    return legs[:turn], legs[turn:]


def span(legs: Sequence[Json]) -> set[str]:
    """Every day from the first flight to the last."""
    first, last = legs[0]["date"], legs[-1]["date"]
    length = (date.fromisoformat(last) - date.fromisoformat(first)).days
    return {later(first, n) for n in range(length + 1)}


def away(trips: Sequence[Json], people: Sequence[Json]) -> set[str]:
    """The days on which one of some people is on one of these trips."""
    names = set(map(full, people))
    return set[str]().union(*(span(trip["flights"]) for trip in trips if names & set(map(full, trip["passengers"]))))


def called_off(trip: Json) -> str:
    """What the airline has cancelled of a trip: its flight, or one of its flights."""
    return say.text("called_off.flight" if len(trip["flights"]) == 1 else "called_off.flights")


def its_flight(trip: Json) -> str:
    """The same, where the trip has been named."""
    return say.text("called_off.its" if len(trip["flights"]) == 1 else "called_off.of_its")


def info(leg: Json) -> dict[str, str]:
    """A flight as an argument."""
    return {"flight_number": leg["flight_number"], "date": leg["date"]}


def capital(text: str) -> str:
    """With a capital letter."""
    return text[0].upper() + text[1:]


def day_said(day: str) -> str:
    """ "2024-05-22" as people say it: "22 May"."""
    found = date.fromisoformat(day)
    return f"{found.day} {found:%B}"


def later(day: str, days: int) -> str:
    """Some days after, or before."""
    return str(date.fromisoformat(day) + timedelta(days=days))


def birthday(day: str) -> str:
    """A birthday in words."""
    found = date.fromisoformat(day)
    return f"{found.day} {found:%B %Y}"


def full(person: Json) -> str:
    """First and last name."""
    return f"{person['first_name']} {person['last_name']}"


def possessive(name: str) -> str:
    """ "Ada's", "Fergus'"."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def enumeration(parts: Sequence[str]) -> str:
    """ "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def cabin_said(cabin: str) -> str:
    """A cabin as people say it."""
    return cabin.replace("_", " ")


def profile(flyer: Flyer) -> Action:
    """Look at who they are, what they are, and how they can pay."""
    return look_up("get_user_details", user_id=flyer.id)


def see(trip: Json) -> Action:
    """Look at a reservation."""
    return look_up("get_reservation_details", reservation_id=trip["reservation_id"])


def look_at(leg: Json) -> Action:
    """Look how a flight stands."""
    return look_up("get_flight_status", flight_number=leg["flight_number"], date=leg["date"])


def search(origin: str, destination: str, day: str) -> Action:
    """Look for direct flights."""
    return look_up("search_direct_flight", origin=origin, destination=destination, date=day)


def parts_of(trip: Json, *parts: str) -> frozenset[str]:
    """Parts of a reservation that one wish of a task may be about; all without any."""
    return frozenset(f"{trip['reservation_id']}:{part}" for part in parts or ("flights", "bags", "people", "comfort"))


def seats(*flights: Json) -> frozenset[str]:
    """Where seats are taken or given back: no other wish of a task may look for flights there."""
    return frozenset(f"{leg['origin']}-{leg['destination']} {leg['date']}:seats" for leg in flights)


def travelling(people: Sequence[Json], legs: Sequence[Json]) -> frozenset[str]:
    """Where people are from the first flight to the last: no other wish of a task may send them elsewhere."""
    return frozenset(f"{day} {full(person)}:travels" for day in span(legs) for person in people)


def visiting(*places: str) -> frozenset[str]:
    """Cities that one wish of a task is about: no other may go there while a storm does."""
    return frozenset(f"{place}:visited" for place in places)


def balance(*methods: Json) -> frozenset[str]:
    """Gift cards and certificates whose amount moves."""
    return frozenset(f"{method['id']}:balance" for method in methods if method["source"] != "credit_card")
