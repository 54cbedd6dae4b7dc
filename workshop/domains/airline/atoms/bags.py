"""Checked bags that are added: free ones, ones that cost something, and as many as are free."""

from collections.abc import Iterator

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Fits, Revision, look_up, phrases_of, with_endings

from ..values import BAG_FEE
from .flights import able, charging
from .records import Arguments, Flyer, Json, balance, capital, live, methods_called, parts_of, profile, see

say = phrases_of(__file__)
CHANGING = "Changing a reservation"
ALLOWANCE = "Flights, cabins, bags"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ADDS = 1
MUCH = 2  # bags that a person has, and as many more for all of them: nobody believes in more
KEEP = say("bags.withdraws")


def of_bags(flyer: Flyer) -> Iterator[Atom]:
    """Everything that a customer could want of the bags of a trip."""
    for trip in flyer.upcoming():
        yield from more(flyer, trip)
        yield from all_that_are_free(flyer, trip)
        yield from believed_free(flyer, trip)


def bags(trip: Json, total: int, nonfree: int, method: Json) -> Action:
    """Other numbers of bags for a reservation."""
    return look_up(
        "update_reservation_baggages",
        reservation_id=trip["reservation_id"],
        total_baggages=total,
        nonfree_baggages=nonfree,
        payment_id=method["id"],
    )


def after(flyer: Flyer, trip: Json, number: int) -> tuple[int, int, int]:
    """All bags when some are added, those that cost something, and what the new ones cost."""
    total = trip["total_baggages"] + number
    nonfree = max(trip["nonfree_baggages"], total - flyer.free_bags(trip))
    return total, nonfree, BAG_FEE * (nonfree - trip["nonfree_baggages"])


def too_many(trip: Json, total: int) -> bool:
    """Whether so many bags would be more than people travel with."""
    return total > MUCH * (len(trip["passengers"]) + 1)


def fits_bags(flyer: Flyer, trip: Json, number: int, words: str) -> Fits:
    """Every call that the words could mean."""

    def fits(env: Environment) -> Iterator[Arguments]:
        for one in live(env, flyer, trip):
            for method_id in methods_called(env, flyer.id, words):
                total, nonfree, _ = after(flyer, one, number)
                yield dict(bags(one, total, nonfree, {"id": method_id}).arguments)

    return fits


def noun(number: int) -> str:
    """ "bag", or "bags"."""
    return "bag" if number == 1 else "bags"


def _adding(trip: Json, number: int, words: str) -> tuple[str, ...]:
    some = say("adding.some", number=NUMBERS[number], bags=noun(number))
    has = bool(trip["total_baggages"])
    extra, besides = say("adding.more", number=NUMBERS[number], bags=noun(number)) if has else (some, "")
    told = {"some": some, "extra": extra, "besides": besides, "words": words, "Words": capital(words)}
    return tuple(say("adding.says", **told))


def more(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """One to three more; how many of them are free, the agent has to work out."""
    for number in (1, 2, 3):
        total, nonfree, fee = after(flyer, trip, number)
        found = able(flyer, fee)
        if not found or too_many(trip, total):
            continue
        method, words = flyer.rng.choice(found)
        other = number % 3 + 1
        at_first = after(flyer, trip, other)
        revision = None
        if (
            flyer.rng.random() < 0.6
            and not too_many(trip, at_first[0])
            and (method["source"] == "credit_card" or method["amount"] >= at_first[2])
        ):
            revision = Revision(
                _adding(trip, other, words),
                **say("more_bags.revision", number=NUMBERS[number], other=NUMBERS[other], bags=noun(number)),
                proposal=bags(trip, at_first[0], at_first[1], method),
            )
        asks = bool(fee) and revision is None
        says = _adding(trip, number, words)
        yield Atom(
            "bags_paid" if fee else "bags_free",
            with_endings(says, say("adding.asks")) if asks else says,
            (profile(flyer), see(trip), bags(trip, total, nonfree, method)),
            parts_of(trip, "bags") | balance(method),
            **say("more_bags"),
            rank=ADDS,
            refers=flyer.names_of(trip),
            fits=fits_bags(flyer, trip, number, words),
            facts=(str(fee),) if asks else (),
            withdraws=KEEP,
            revision=revision,
            charges=charging(method, fee),
            policies=(CHANGING, ALLOWANCE),
        )


def all_that_are_free(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """As many as do not cost anything, which the agent has to make concrete."""
    number = flyer.free_bags(trip) - trip["total_baggages"]
    found = able(flyer, 50)  # nobody names a gift card with a dollar left
    if number <= 0 or too_many(trip, flyer.free_bags(trip)) or trip["nonfree_baggages"] or not found:
        return
    method, words = flyer.rng.choice(found)
    yield Atom(
        "bags_all_free",
        **say("bags_all_free", words=words, Words=capital(words)),
        steps=(profile(flyer), see(trip), bags(trip, trip["total_baggages"] + number, 0, method)),
        touches=parts_of(trip, "bags") | balance(method),
        rank=ADDS,
        refers=flyer.names_of(trip),
        fits=fits_bags(flyer, trip, number, words),
        withdraws=KEEP,
        tags=("abstract",),
        policies=(CHANGING, ALLOWANCE),
    )


def believed_free(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """They think that their bags are free, because of a membership that they do not have or that gives fewer."""
    free = flyer.free_bags(trip)
    number = max(1, free - trip["total_baggages"] + 1)
    total, nonfree, fee = after(flyer, trip, number)
    found = [(m, w) for m, w in able(flyer, fee) if m["source"] == "credit_card"]
    if number > 4 or too_many(trip, total) or fee == 0 or not found:
        return
    method, words = flyer.rng.choice(found)
    some = say("adding.some", number=NUMBERS[number], bags=noun(number))
    extra, _ = say("adding.more", number=NUMBERS[number], bags=noun(number))
    claim = say("gold.for_years" if flyer.membership == "gold" else "gold.claimed")
    yield Atom(
        "bags_believed_free",
        **say("bags_believed_free", claim=claim, some=some, extra=extra, words=words, bags=noun(number)),
        steps=(profile(flyer), see(trip), bags(trip, total, nonfree, method)),
        touches=parts_of(trip, "bags") | balance(method),
        rank=ADDS,
        refers=flyer.names_of(trip),
        fits=fits_bags(flyer, trip, number, words),
        facts=(str(fee),),
        tags=("false_belief",),
        policies=(CHANGING, ALLOWANCE),
    )
