"""New trips: one way and there and back, alone and together, with bags and insurance, paid in one way or in several."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Fits, look_up, phrases_of

from ..make_db import CABINS
from ..values import BAG_FEE, FREE_BAGS, INSURANCE_FEE
from .bags import NUMBERS
from .flights import WHICH, days
from .records import (
    CITY,
    PLACE,
    TODAY,
    Arguments,
    Books,
    Flyer,
    Json,
    away,
    balance,
    cabin_said,
    day_said,
    enumeration,
    full,
    info,
    later,
    live_flights,
    profile,
    search,
    seats,
    seats_on,
    span,
    travelling,
    visiting,
)

say = phrases_of(__file__)
BOOKING = "Booking"
BOOKS = 5
LEAST = 10  # nobody remembers a gift card with less, in USD


@dataclass(frozen=True)
class Journey:
    """A trip that somebody wants: the cheapest direct flight each way, with all that has to be said of it."""

    origin: str
    destination: str
    out: str
    back: str | None
    cabin: str
    people: Sequence[Json]
    bags: int
    insured: bool
    flights: Sequence[Json] = field(default=())
    price: int = 0
    nonfree: int = 0

    def route(self) -> Iterator[tuple[str, str, str]]:
        """Where from, where to and when, each way."""
        yield self.origin, self.destination, self.out
        if self.back:
            yield self.destination, self.origin, self.back

    def arguments(self, user_id: str, payments: Sequence[tuple[str, int]]) -> dict[str, Any]:
        """The call that books it."""
        names = ("first_name", "last_name", "dob")
        return {
            "user_id": user_id,
            "origin": self.origin,
            "destination": self.destination,
            "flight_type": "round_trip" if self.back else "one_way",
            "cabin": self.cabin,
            "flights": [info(leg) for leg in self.flights],
            "passengers": [{name: person[name] for name in names} for person in self.people],
            "payment_methods": [{"payment_id": method_id, "amount": amount} for method_id, amount in payments],
            "total_baggages": self.bags,
            "nonfree_baggages": self.nonfree,
            "insurance": "yes" if self.insured else "no",
        }


def of_bookings(flyer: Flyer) -> Iterator[Atom]:
    """Some trips that they could want, and every way in which they could pay for them."""
    for number, (intent, split) in enumerate(_splits(flyer)):
        for attempt in range(2):
            rng = Random(f"{flyer.id} books {number} {attempt}")
            wanted = a_journey(rng, flyer)
            if wanted is not None and (payments := _split_payment(wanted.price, split)) is not None:
                yield _booking(flyer, intent, wanted, split, payments)


def book(journey: Journey, flyer: Flyer, payments: Sequence[tuple[str, int]]) -> Action:
    """The booking."""
    return look_up("book_reservation", **journey.arguments(flyer.id, payments))


def a_journey(rng: Random, flyer: Flyer) -> Journey | None:
    """A trip for them, if each way has one cheapest direct flight."""
    books = flyer.books
    # Where they have a trip to a city, "my trip to Chicago" would mean either once the new one is booked.
    known = {trip["destination"] for trip in flyer.trips()}
    origin, destination = rng.choice(sorted(way for way in books.routes if way[1] not in known))
    out = rng.choice(days(later(TODAY, 2), later(TODAY, 10)))
    back = later(out, rng.randrange(2, 5)) if rng.random() < 0.5 else None
    me = {**flyer.row["name"], "dob": flyer.row["dob"]}
    saved = [one for one in flyer.row["saved_passengers"] if full(one) != full(me)]
    people = [me, *rng.sample(saved, rng.choice((0, 0, min(1, len(saved)), len(saved))))]
    cabin = rng.choice(("basic_economy", "economy", "economy", "business"))
    free = FREE_BAGS[flyer.membership][CABINS.index(cabin)] * len(people)
    bags = rng.choice((0, 0, min(free, 2), free + 1 if free < 6 else 1))
    journey = Journey(origin, destination, out, back, cabin, people, bags, rng.random() < 0.4)
    return None if _flies_already(flyer, journey) else with_price(journey, flyer, books)


def _flies_already(flyer: Flyer, journey: Journey) -> bool:
    """Whether somebody on the journey is on another trip then, or a day before or after: nobody books that."""
    days = span(list(_legs(journey)))
    days |= {later(min(days), -1), later(max(days), 1)}
    return bool(days & away(flyer.trips(), journey.people))


def with_price(journey: Journey, flyer: Flyer, books: Books) -> Journey | None:
    """With its flights and what it costs."""
    legs: list[Json] = []
    for origin, destination, day in journey.route():
        offers = seats_on(books.routes.get((origin, destination), []), day, journey.cabin, len(journey.people))
        best = WHICH["cheapest"](offers) if offers else []
        if len(best) != 1:
            return None
        legs.append({"flight_number": best[0][2]["flight_number"], "date": day, "price": best[0][0]})
    free = FREE_BAGS[flyer.membership][CABINS.index(journey.cabin)] * len(journey.people)
    nonfree = max(0, journey.bags - free)
    each = sum(leg["price"] for leg in legs) + (INSURANCE_FEE if journey.insured else 0)
    total = each * len(journey.people) + BAG_FEE * nonfree
    return Journey(**{**vars(journey), "flights": tuple(legs), "price": total, "nonfree": nonfree})


def _splits(flyer: Flyer) -> Iterator[tuple[str, list[tuple[Json, str]]]]:
    """What pays, in order; the last one takes what is left."""
    named = [(m, w) for m in flyer.methods() if (w := flyer.named_method(m)) and m.get("amount", LEAST) >= LEAST]
    cards = [one for one in named if one[0]["source"] == "credit_card"]
    gifts = [one for one in named if one[0]["source"] == "gift_card"]
    certificates = [one for one in named if one[0]["source"] == "certificate"]
    if not cards:
        return
    card = flyer.rng.choice(cards)
    yield "book_by_card", [card]
    yield "book_by_card", [card]
    if gifts:
        yield "book_split_gift_card", [flyer.rng.choice(gifts), card]
    if certificates:
        yield "book_split_certificate", [flyer.rng.choice(certificates), card]
    if gifts and certificates:
        yield "book_split_three_ways", [flyer.rng.choice(certificates), flyer.rng.choice(gifts), card]
    if len(gifts) > 1:
        yield "book_split_gift_cards", [*flyer.rng.sample(gifts, 2), card]


def _split_payment(price: int, split: Sequence[tuple[Json, str]]) -> list[tuple[str, int]] | None:
    """Who pays how much; None where the last one would have nothing to pay."""
    payments, left = [], price
    for method, _ in split[:-1]:
        payments.append((str(method["id"]), int(method["amount"])))
        left -= int(method["amount"])
    return [*payments, (str(split[-1][0]["id"]), left)] if left > 0 else None


def paying(split: Sequence[tuple[Json, str]], rng: Random) -> str:
    """How they want to pay, in words."""
    names = [words for _, words in split]
    if len(names) == 1:
        return str(rng.choice(say("paying.one", method=names[0])))
    first, last = say("paying.then").join(names[:-1]), names[-1]
    return str(rng.choice(say("paying.several" if len(names) > 2 else "paying.two", first=first, last=last)))


def describes(journey: Journey, rng: Random) -> dict[str, str]:
    """The parts of a trip in words."""
    bags = say(f"booked_bags.{('none', 'one', 'some')[min(journey.bags, 2)]}", number=NUMBERS[journey.bags])
    out, back = day_said(journey.out), day_said(journey.back) if journey.back else ""
    words: dict[str, str] = say("there_and_back" if back else "one_way", out=out, back=back)
    others = enumeration(["me", *(full(one) for one in journey.people[1:])])
    extras = say("insured" if journey.insured else "uninsured", bags=bags)
    return words | {
        "from": CITY[journey.origin],
        "to": CITY[journey.destination],
        "day": out,
        "cabin": cabin_said(journey.cabin),
        "who": say("travelling.together" if len(journey.people) > 1 else "travelling.alone", people=others),
        "extras": rng.choice(extras["says"]),
    }


def fits_booking(flyer: Flyer, journey: Journey, split: Sequence[tuple[Json, str]]) -> Fits:
    """Every booking that the words could mean: each way's cheapest flights with seats, as they are then."""

    def fits(env: Environment) -> Iterator[Arguments]:
        routes = {(one, other): live_flights(env, one, other) for one, other, _ in journey.route()}
        now = with_price(journey, flyer, Books({}, {}, {}, routes))
        payments = None if now is None else _split_payment(now.price, split)
        if now is not None and payments is not None:
            yield now.arguments(flyer.id, payments)

    return fits


def _legs(journey: Journey) -> Iterator[Json]:
    for origin, destination, day in journey.route():
        yield {"origin": origin, "destination": destination, "date": day}


def _booking(
    flyer: Flyer, intent: str, journey: Journey, split: Sequence[tuple[Json, str]], payments: Sequence[tuple[str, int]]
) -> Atom:
    rng = Random(f"{flyer.id} {journey.out} {journey.origin}{journey.destination} {intent}")
    said = describes(journey, rng)
    pay = paying(split, rng)
    methods = [method for method, _ in split]
    return Atom(
        intent,
        **say("booking", **said, pay=pay),
        steps=(
            profile(flyer),
            look_up("list_all_airports"),
            *(search(*way) for way in journey.route()),
            book(journey, flyer, payments),
        ),
        touches=frozenset({f"{flyer.id}:booking", f"{flyer.id}:trips"}).union(
            balance(*methods),
            # "My travel certificate" would mean either, once another has come for a cancelled flight.
            {f"{flyer.id}:certificate" for method in methods if method["source"] == "certificate"},
            seats(*_legs(journey)),
            travelling(journey.people, list(_legs(journey))),
            visiting(PLACE[journey.origin], PLACE[journey.destination]),
        ),
        rank=BOOKS,
        manner=say("born.together" if len(journey.people) > 1 else "born.alone"),
        fits=fits_booking(flyer, journey, split),
        facts=(str(journey.price),),
        follows=tuple(day for _, _, day in journey.route()),
        policies=(BOOKING,),
    )
