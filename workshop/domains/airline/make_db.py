"""Makes ``db.json``: an invented airline in May 2024, from a fixed seed. Run it to write the file anew.

The clock stands at 15:00 on the 15th: flights of earlier dates are over, later ones can be booked, and today's are
wherever their schedule and luck have brought them.
"""

import json
from datetime import date, datetime, timedelta
from math import isqrt
from random import Random
from typing import Any

from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.values import declared_values

Json = dict[str, Any]

SEED = 20240515
NOW = datetime(2024, 5, 15, 15)
DAYS = [date(2024, 5, 1) + timedelta(days=number) for number in range(30)]
FLIGHTS, USERS, RESERVATIONS = 300, 500, 2000
CABINS = ("basic_economy", "economy", "business")
MORE = {"cancelled": 140, "delayed": 90, "on time": 30, "available": 140}  # by how their first flight stands
VALUES = {name: one.value for name, one in declared_values(builtin_folder("domains", "airline")).items()}
FREE_BAGS = {tier: tuple(VALUES[f"free_bags_{tier}"]) for tier in ("regular", "silver", "gold")}

# Latitude and longitude west in tenths of a degree: what durations and fares come from.
PLACES = {
    "SFO": (376, 1224), "JFK": (406, 738), "LAX": (339, 1184), "ORD": (420, 879), "DFW": (329, 970),
    "DEN": (399, 1047), "SEA": (474, 1223), "ATL": (336, 844), "MIA": (258, 803), "BOS": (424, 710),
    "PHX": (334, 1120), "IAH": (300, 953), "LAS": (361, 1152), "MCO": (284, 813), "EWR": (407, 742),
    "CLT": (352, 809), "MSP": (449, 932), "DTW": (422, 834), "PHL": (399, 752), "LGA": (408, 739),
}  # fmt: skip
HUBS = ("ORD", "DFW", "ATL", "DEN", "EWR", "LAX")
ROUTES = 58

FIRST_NAMES = """Anouk Bastian Calista Dagny Emeka Farah Gideon Hanneke Idris Jolanta Kasper Leonie Marisol Nnamdi
Oriana Pavel Quincy Rosalba Stellan Tamsin Ulrich Violeta Wendell Xiomara Yannick Zelda Ambrose Brigid Cosima Desmond
Elodie Fergus Ginevra Hollis Imogen Jarek""".split()  # noqa: SIM905 (a wall of quotes otherwise)
LAST_NAMES = """Abernathy Bergstrom Castellano Drummond Eriksen Fontaine Galanis Hartigan Iwasaki Jablonski Kowalczyk
Lindqvist Marchetti Norwood Okonkwo Pemberton Quintero Rasmussen Silverstein Thornbury Underhill Vasquez Whitlock
Yamamoto Zimmerman Achterberg Boateng Cavanaugh Delacroix Esposito Fitzroy Grimaldi Holloway Ivanova
Jankowski""".split()  # noqa: SIM905 (a wall of quotes otherwise)
STREETS = """Alder Birchwood Clover Dogwood Elderberry Foxglove Goldfinch Hazel Ironwood Juniper Kestrel Larkspur
Meadowlark Nutmeg Orchard Poplar Quarry Rosewood Sycamore Thistle""".split()  # noqa: SIM905 (a wall of quotes otherwise)
CITIES = [
    ("Oakland", "CA", 946), ("Brooklyn", "NY", 112), ("Pasadena", "CA", 911), ("Evanston", "IL", 602),
    ("Fort Worth", "TX", 761), ("Boulder", "CO", 803), ("Tacoma", "WA", 984), ("Decatur", "GA", 300),
    ("Hialeah", "FL", 330), ("Cambridge", "MA", 21), ("Tempe", "AZ", 852), ("Galveston", "TX", 775),
    ("Henderson", "NV", 890), ("Kissimmee", "FL", 347), ("Hoboken", "NJ", 70), ("Gastonia", "NC", 280),
    ("Saint Paul", "MN", 551), ("Ann Arbor", "MI", 481), ("Camden", "NJ", 81), ("Yonkers", "NY", 107),
]  # fmt: skip


class World:
    """Everything that is generated, in the order in which the random numbers are drawn."""

    def __init__(self, seed: int = SEED) -> None:
        self.rng = Random(seed)
        self.routes = self._routes()
        self.flights = self._flights()
        self.departures: dict[str, list[Json]] = {}
        for flight in self.flights.values():
            self.departures.setdefault(flight["origin"], []).append(flight)
        self.users = dict(self._user() for _ in range(USERS))
        self.reservations: dict[str, Json] = {}
        while len(self.reservations) < RESERVATIONS:
            self._reserve()
        # What goes wrong, and what was booked yesterday, is too rare among these; so there are some more of each.
        self.rng = Random(f"{seed} more")
        for status, number in MORE.items():
            self._reserve_more(status, number)
        self.rng = Random(f"{seed} apart")
        for user in self.users.values():
            self._keep_apart(user)

    def _routes(self) -> list[tuple[str, str]]:
        """Pairs of airports with flights both ways: every airport has at least one, hubs have many."""
        pairs = []
        for place in PLACES:
            hub = self.rng.choice([hub for hub in HUBS if miles(place, hub) > 150])
            pairs.append(tuple(sorted((place, hub))))
        while len(set(pairs)) < ROUTES:
            one, other = self.rng.choice(HUBS), self.rng.choice(list(PLACES))
            if miles(one, other) > 150:
                pairs.append(tuple(sorted((one, other))))
        return [(one, other) for one, other in dict.fromkeys(pairs)]

    def _flights(self) -> dict[str, Json]:
        directed = [leg for one, other in self.routes for leg in ((one, other), (other, one))]
        legs = directed * 2 + [self.rng.choice(directed) for _ in range(FLIGHTS - 2 * len(directed))]
        self.rng.shuffle(legs)
        return {f"TAU{101 + n}": self._flight(f"TAU{101 + n}", *leg) for n, leg in enumerate(legs)}

    def _flight(self, number: str, origin: str, destination: str) -> Json:
        minutes = self.rng.randrange(5 * 60, 24 * 60, 5)
        departure = datetime.combine(DAYS[0], datetime.min.time()) + timedelta(minutes=minutes)
        arrival = departure + duration(origin, destination)
        return {
            "flight_number": number,
            "origin": origin,
            "destination": destination,
            "scheduled_departure_time_est": f"{departure:%H:%M:%S}",
            "scheduled_arrival_time_est": f"{arrival:%H:%M:%S}{'+1' if arrival.date() > departure.date() else ''}",
            "dates": {
                str(day): self._day(departure + timedelta(days=n), origin, destination) for n, day in enumerate(DAYS)
            },
        }

    def _day(self, departure: datetime, origin: str, destination: str) -> Json:
        rng = self.rng
        ahead = (departure.date() - NOW.date()).days
        if rng.random() < (0.08 if ahead < 0 else 0.04 if ahead < 4 else 0):
            return {"status": "cancelled"}
        if ahead > 0:
            fares = self._fares(origin, destination)
            seats = {cabin: 0 if rng.random() < 0.03 else rng.randint(0, 20) for cabin in CABINS}
            return {"status": "available", "available_seats": seats, "prices": fares}
        late = timedelta(minutes=rng.randrange(-5, 31))
        if ahead == 0 and NOW - departure < timedelta(hours=1) and rng.random() < 0.35:
            late = timedelta(minutes=rng.randrange(70, 211, 5))
        leaves, lands = departure + late, departure + duration(origin, destination) + late
        if lands <= NOW:
            return {"status": "landed", **times("actual", "actual", leaves, lands)}
        if leaves <= NOW:
            return {"status": "flying", **times("actual", "estimated", leaves, lands)}
        status = "delayed" if late >= timedelta(hours=1) else "on time"
        return {"status": status, **times("estimated", "estimated", leaves, lands)}

    def _fares(self, origin: str, destination: str) -> dict[str, int]:
        far = miles(origin, destination)
        basic = 50 + far // 80 + self.rng.randrange(0, 25)
        economy = basic + 45 + far // 60 + self.rng.randrange(0, 40)
        return {"basic_economy": basic, "economy": economy, "business": 2 * economy + self.rng.randrange(20, 160)}

    def _user(self) -> tuple[str, Json]:
        rng = self.rng
        first, last = rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)
        user_id = f"{first}_{last}_{rng.randint(1000, 9999)}".lower()
        city, state, zip_code = rng.choice(CITIES)
        methods = [self._method(rng.choice(("credit_card", "gift_card")))]
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 3, 4, 5))):
            methods.append(self._method(rng.choice(("credit_card", "gift_card", "certificate"))))
        return user_id, {
            "user_id": user_id,
            "name": {"first_name": first, "last_name": last},
            "address": {
                "address1": f"{rng.randint(10, 990)} {rng.choice(STREETS)} {rng.choice(('Street', 'Lane', 'Avenue'))}",
                "address2": f"Apt {rng.randint(1, 60)}" if rng.random() < 0.6 else None,
                "city": city,
                "country": "USA",
                "state": state,
                "zip": f"{zip_code:03}{rng.randint(1, 99):02}",
            },
            "email": f"{first}.{last}{rng.randint(1000, 9999)}@example.com".lower(),
            "dob": self._birthday(),
            "payment_methods": {method["id"]: method for method in methods},
            "saved_passengers": [self._person() for _ in range(rng.choice((1, 1, 2)))],
            "membership": rng.choice(("gold", "silver", "regular")),
            "reservations": [],
        }

    def _method(self, source: str) -> Json:
        rng = self.rng
        method: Json = {"source": source, "id": f"{source}_{rng.randint(1000000, 9999999)}"}
        if source == "credit_card":
            return {**method, "brand": rng.choice(("visa", "mastercard")), "last_four": f"{rng.randint(0, 9999):04}"}
        amount = rng.choice((100, 150, 250, 500)) if source == "certificate" else rng.randint(0, 300)
        return {**method, "amount": amount}

    def _person(self) -> dict[str, str]:
        first, last = self.rng.choice(FIRST_NAMES), self.rng.choice(LAST_NAMES)
        return {"first_name": first, "last_name": last, "dob": self._birthday()}

    def _birthday(self) -> str:
        return str(date(1950, 1, 1) + timedelta(days=self.rng.randrange(51 * 365)))

    def _reserve(self) -> None:
        """Add one reservation, unless the trip that was drawn cannot be flown."""
        rng = self.rng
        out = self._journey(rng.choice(list(PLACES)), rng.choice(list(PLACES)), rng.choice(DAYS))
        back: list[Json] = []
        if out and rng.random() < 0.48:
            day = date.fromisoformat(out[-1]["date"]) + timedelta(days=rng.randint(1, 9))
            back = self._journey(out[-1]["destination"], out[0]["origin"], day)
            if not back:
                return
        if out:
            user = rng.choice(list(self.users.values()))
            reservation = self._reservation(user, out, back)
            self.reservations[reservation["reservation_id"]] = reservation
            user["reservations"].append(reservation["reservation_id"])

    def _reserve_more(self, status: str, number: int) -> None:
        """Add reservations of direct trips that begin with a flight of such a status; the bookable ones are new."""
        rng = self.rng
        dates = [
            (flight, day)
            for flight in self.flights.values()
            for day in DAYS
            if day >= NOW.date() and flight["dates"][str(day)]["status"] == status
        ]
        for _ in range(number):
            flight, day = rng.choice(dates)
            out = [_leg(flight, day)]
            back = []
            if rng.random() < 0.4 and (later := day + timedelta(days=rng.randint(2, 6))) <= DAYS[-1]:
                back = self._journey(flight["destination"], flight["origin"], later)
            user = rng.choice([user for user in self.users.values() if len(user["reservations"]) < 7])
            reservation = self._reservation(user, out, back)
            if status == "available":
                booked = NOW - timedelta(seconds=rng.randrange(3600, 24 * 3600))
                reservation["created_at"] = booked.isoformat()
            self.reservations[reservation["reservation_id"]] = reservation
            user["reservations"].append(reservation["reservation_id"])

    def _journey(self, origin: str, destination: str, day: date) -> list[Json]:
        """One flight from here to there, else two, or nothing."""
        ways: list[list[tuple[Json, date]]] = []
        for first in self.departures[origin]:
            if first["destination"] == destination:
                ways.append([(first, day)])
                continue
            overnight = first["scheduled_arrival_time_est"].endswith("+1")
            for second in self.departures[first["destination"]]:
                early = second["scheduled_departure_time_est"] < first["scheduled_arrival_time_est"][:8]
                if second["destination"] == destination and not early:
                    ways.append([(first, day), (second, day + timedelta(days=overnight))])
        ways = [way for way in ways if way[-1][1] <= DAYS[-1]]
        if miles(origin, destination) <= 150 or not ways:
            return []
        direct = [way for way in ways if len(way) == 1]
        return [_leg(flight, on) for flight, on in self.rng.choice(direct or ways)]

    def _reservation(self, user: Json, out: list[Json], back: list[Json]) -> Json:
        rng = self.rng
        cabin = rng.choice(CABINS)
        legs = [{**leg, "price": self._fares(leg["origin"], leg["destination"])[cabin]} for leg in out + back]
        people = self._travellers(user)
        free = FREE_BAGS[user["membership"]][CABINS.index(cabin)] * len(people)
        extra = rng.randint(1, 2) if rng.random() < 0.04 else 0
        bags = free + extra if extra else rng.choice((0, 0, rng.randint(0, min(free, 6))))
        insurance = rng.choice(("yes", "no"))
        price = sum(leg["price"] for leg in legs) + (VALUES["insurance_fee"] if insurance == "yes" else 0)
        cards = [method["id"] for method in user["payment_methods"].values() if method["source"] != "certificate"]
        return {
            "reservation_id": self._reservation_id(),
            "user_id": user["user_id"],
            "origin": out[0]["origin"],
            "destination": out[-1]["destination"],
            "flight_type": "round_trip" if back else "one_way",
            "cabin": cabin,
            "flights": legs,
            "passengers": people,
            "payment_history": [
                {"payment_id": rng.choice(cards), "amount": price * len(people) + VALUES["bag_fee"] * extra}
            ],
            "created_at": self._creation_time(date.fromisoformat(legs[0]["date"])),
            "total_baggages": bags,
            "nonfree_baggages": extra,
            "insurance": insurance,
            "status": None,
        }

    def _travellers(self, user: Json) -> list[dict[str, str]]:
        """The user, as a rule, with people from the profile and others."""
        number = self.rng.choices((1, 2, 3, 4), (46, 33, 16, 5))[0]
        others = [*user["saved_passengers"], *(self._person() for _ in range(3))]
        if self.rng.random() < 0.2:
            return others[:number]
        return [{**user["name"], "dob": user["dob"]}, *others][:number]

    def _keep_apart(self, user: Json) -> None:
        """Let nobody be on two trips of a user at once, or twice on one: somebody else goes on the one booked later.

        That is somebody from the profile, or a new person; so the number of people and all prices stay.
        """
        trips = sorted((self.reservations[id_] for id_ in user["reservations"]), key=lambda trip: trip["created_at"])
        away: dict[str, set[str]] = {}
        known = {_name(person) for trip in trips for person in trip["passengers"]} | {_name(user["name"])}
        for trip in trips:
            legs, people = trip["flights"], trip["passengers"]
            first, last = (date.fromisoformat(legs[end]["date"]) for end in (0, -1))
            days = {str(first + timedelta(days=n)) for n in range((last - first).days + 1)}
            aboard = {_name(person) for person in people}
            for seat, person in enumerate(people):
                twice = _name(person) in map(_name, people[:seat])
                if twice or days & away.get(_name(person), set()):
                    saved = [one for one in user["saved_passengers"] if not days & away.get(_name(one), set())]
                    free = [one for one in saved if _name(one) not in aboard]
                    people[seat] = free[0] if free else self._somebody_but(known)
                    aboard.add(_name(people[seat]))
            for person in people:
                away.setdefault(_name(person), set()).update(days)

    def _somebody_but(self, known: set[str]) -> Json:
        while _name(person := self._person()) in known:
            pass
        known.add(_name(person))
        return person

    def _creation_time(self, first: date) -> str:
        """Up to two weeks before the trip; some trips of the coming days were booked only yesterday."""
        latest = min(NOW.replace(hour=0), datetime.combine(first, datetime.min.time()))
        hours = 16 if first > NOW.date() and self.rng.random() < 0.1 else 14 * 24
        return (latest - timedelta(seconds=self.rng.randrange(1, hours * 3600))).isoformat()

    def _reservation_id(self) -> str:
        while True:
            new = "".join(self.rng.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=6))
            # The tools number new reservations NEW001 and so on.
            if new not in self.reservations and not new.startswith("NEW"):
                return new


def _name(person: Json) -> str:
    return f"{person['first_name']} {person['last_name']}"


def _leg(flight: Json, on: date) -> Json:
    return {
        "flight_number": flight["flight_number"],
        "origin": flight["origin"],
        "destination": flight["destination"],
        "date": str(on),
    }


def miles(one: str, other: str) -> int:
    """About how far two airports are apart."""
    north, west = (a - b for a, b in zip(PLACES[one], PLACES[other], strict=True))
    return isqrt((69 * north) ** 2 + (53 * west) ** 2) // 10


def duration(one: str, other: str) -> timedelta:
    """How long a flight takes, in steps of five minutes."""
    return timedelta(minutes=(45 + miles(one, other) // 8) // 5 * 5)


def times(leaving: str, landing: str, departure: datetime, arrival: datetime) -> dict[str, str]:
    """A date's two times, each "actual" or "estimated"."""
    return {
        f"{leaving}_departure_time_est": departure.isoformat(),
        f"{landing}_arrival_time_est": arrival.isoformat(),
    }


def text() -> str:
    """The file's content: one record a line, so that a change shows as the records it changes."""
    world = World()
    tables = {"flights": world.flights, "users": world.users, "reservations": world.reservations}
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {_table(records)}" for name, records in tables.items()) + "\n}\n"


def _table(records: dict[str, Json]) -> str:
    lines = [f"{json.dumps(key)}: {json.dumps(record, separators=(',', ':'))}" for key, record in records.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


if __name__ == "__main__":
    path = builtin_folder("domains", "airline") / "db.json"
    path.write_text(text(), encoding="utf-8")
    print(f"wrote {path} ({path.stat().st_size:,} bytes)")
