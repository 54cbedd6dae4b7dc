"""Checked bags that are added: free ones, ones that cost something, and as many as are free."""

from collections.abc import Iterator

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Fits, Revision, look_up

from ..values import BAG_FEE
from .flights import able, charging
from .records import Arguments, Flyer, Json, balance, live, methods_called, parts_of, profile, see

CHANGING = "Changing a reservation"
ALLOWANCE = "Flights, cabins, bags"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ADDS = 1
MUCH = 2  # bags that a person has, and as many more for all of them: nobody believes in more
KEEP = (
    "Wait, no more bags for {trip} after all. Nothing has to be added.",
    "Hold on, leave the bags of {trip} as they are.",
    "Stop, I won't need any on {trip} after all. Don't add anything.",
    "No, actually, {trip} can stay without the extra luggage.",
)


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
    some = f"{NUMBERS[number]} checked {noun(number)}"
    has = bool(trip["total_baggages"])
    extra, besides = (
        (f"{NUMBERS[number]} more checked {noun(number)}", ", on top of what it has now") if has else (some, "")
    )
    return (
        f"Please add {some} to {{trip}}. If that costs anything, use {words}.",
        f"I need {extra} on {{trip}}{besides}. Any fee can go on {words}.",
        f"Could you add {some} to {{trip}}? Should there be a charge, take {words}.",
        f"There is luggage that I had not counted: {extra} for {{trip}}, please. {words[0].upper() + words[1:]} "
        "is for the fee, if there is one.",
        f"I'd like to have {extra} on {{trip}}. Charge {words} if it isn't free.",
    )


ASK = (
    "What does it cost?",
    "And tell me what I pay for it.",
    "How much is it?",
    "How much will that be?",
    "What will you charge me?",
)


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
                (
                    f"Wait, I've counted again: it is {NUMBERS[number]} more for {{trip}}, not {NUMBERS[other]}.",
                    f"Hold on, {NUMBERS[number]} instead of {NUMBERS[other]}, please, for {{trip}}.",
                    f"Sorry, make that {NUMBERS[number]} more {noun(number)} on {{trip}}, not {NUMBERS[other]}.",
                    f"Actually, no, not {NUMBERS[other]}. I need {NUMBERS[number]} more on {{trip}}.",
                ),
                bags(trip, at_first[0], at_first[1], method),
            )
        asks = bool(fee) and revision is None
        says = _adding(trip, number, words)
        yield Atom(
            "bags_paid" if fee else "bags_free",
            tuple(f"{text} {ask}" for text, ask in zip(says, ASK, strict=True)) if asks else says,
            (profile(flyer), see(trip), bags(trip, total, nonfree, method)),
            parts_of(trip, "bags") | balance(method),
            about="the bags for {trip}",
            rank=ADDS,
            refers=flyer.names_of(trip),
            manner=("On {trip} you want no bags beyond those that you ask for, free or not.",),
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
        (
            f"Please put as many checked bags on {{trip}} as are free, and no more. If you need a payment "
            f"method, use {words}.",
            f"I'd like to use up the free checked bags on {{trip}}, all that are left of them. {words[0].upper()}"
            f"{words[1:]} is the payment method, but it shouldn't cost anything.",
            f"How many checked bags can there be on {{trip}} without paying? Register that number, please, with "
            f"{words} as the payment method.",
            f"I'd like to take all the checked bags on {{trip}} that don't cost anything. Please set their number to "
            f"the most that are free; should anything have to be named as payment, "
            f"it's {words}.",
        ),
        (profile(flyer), see(trip), bags(trip, trip["total_baggages"] + number, 0, method)),
        parts_of(trip, "bags") | balance(method),
        about="the free bags for {trip}",
        rank=ADDS,
        refers=flyer.names_of(trip),
        manner=("You do not want to pay for any bag on {trip}.",),
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
    some, extra = f"{NUMBERS[number]} checked {noun(number)}", f"{NUMBERS[number]} more checked {noun(number)}"
    claim = "I've been a gold member for years" if flyer.membership == "gold" else "I'm a gold member"
    yield Atom(
        "bags_believed_free",
        (
            f"{claim}, so bags are free for me. Please add {some} to {{trip}}.",
            f"Please add {some} to {{trip}}. That doesn't cost anything, as {claim}.",
            f"I need {extra} on {{trip}}. {claim}, so there is nothing to pay.",
            f"Could you put {extra} on {{trip}}? They come free with my status: {claim}.",
        ),
        (profile(flyer), see(trip), bags(trip, total, nonfree, method)),
        parts_of(trip, "bags") | balance(method),
        about="the bags for {trip}",
        rank=ADDS,
        refers=flyer.names_of(trip),
        manner=(
            f"If you are told that bags on {{trip}} cost something, you are surprised and ask how much; then you "
            f"pay for it with {words}: you still want the {noun(number)} that you asked for.",
        ),
        fits=fits_bags(flyer, trip, number, words),
        facts=(str(fee),),
        tags=("false_belief",),
        policies=(CHANGING, ALLOWANCE),
    )
