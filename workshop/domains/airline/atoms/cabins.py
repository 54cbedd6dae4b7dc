"""Changes of the cabin that are made: up, down, within a budget, of all trips at once, and before something else."""

from collections.abc import Iterator, Sequence

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Fits, Revision, phrases_of, with_endings

from .bags import bags
from .flights import (
    CHANGING,
    MOVES,
    WHICH,
    a_method,
    affords,
    change,
    charging,
    difference,
    direct_ways,
    paid_with,
)
from .records import (
    Arguments,
    Flyer,
    Json,
    balance,
    cabin_said,
    day_said,
    fare,
    live,
    methods_called,
    parts_of,
    profile,
    room,
    search,
    seats,
    see,
)

say = phrases_of(__file__)
CABINS = ("basic_economy", "economy", "business")
KEEP = say("cabin.withdraws")


def of_cabins(flyer: Flyer) -> Iterator[Atom]:
    """Everything that a customer could want of the cabin of a trip."""
    for trip in flyer.upcoming():
        if flyer.bookable(trip):
            yield from another_cabin(flyer, trip)
            yield from within_budget(flyer, trip)
            yield from then_bags(flyer, trip)
            yield from then_moved(flyer, trip)
    yield from all_of_basic(flyer)


def into(trip: Json, cabin: str, method: Json) -> Action:
    """The same flights in another cabin."""
    return change(trip, trip["flights"], method, cabin)


def cost_of(flyer: Flyer, trip: Json, cabin: str) -> int | None:
    """What another cabin costs everybody together, where there are seats."""
    if any(room(flyer.books, leg, cabin) < len(trip["passengers"]) for leg in trip["flights"]):
        return None
    return difference(trip, [fare(flyer.books, leg, cabin) for leg in trip["flights"]])


def looks(flyer: Flyer, trip: Json) -> tuple[Action, ...]:
    """What has to be looked at: who they are, the trip, and what its flights cost now."""
    searches = (search(leg["origin"], leg["destination"], leg["date"]) for leg in trip["flights"])
    return (profile(flyer), see(trip), *searches)


def fits_cabin(flyer: Flyer, trip: Json, cabin: str, words: str) -> Fits:
    """Every call that the words could mean."""

    def fits(env: Environment) -> Iterator[Arguments]:
        for one in live(env, flyer, trip):
            for method_id in methods_called(env, flyer.id, words):
                yield dict(into(one, cabin, {"id": method_id}).arguments)

    return fits


def touches(trip: Json, *methods: Json) -> frozenset[str]:
    """The flights, and the bags too: how many are free follows from the cabin."""
    return parts_of(trip, "flights", "bags") | balance(*methods) | seats(*trip["flights"])


def another_cabin(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Any other cabin that has seats."""
    for cabin in CABINS:
        cost = cost_of(flyer, trip, cabin)
        chosen = None if cabin == trip["cabin"] or cost is None else a_method(flyer, cost)
        if chosen is None or cost is None or not flyer.bags_stay(trip, cabin):
            continue
        method, words = chosen
        asks = bool(cost) and flyer.rng.random() < 0.5
        up = CABINS.index(cabin) > CABINS.index(trip["cabin"])
        third = next(one for one in CABINS if one not in (cabin, trip["cabin"]))
        # Who shrinks from an upgrade keeps what they have, and does not want less than that.
        alike = up == (CABINS.index(third) > CABINS.index(trip["cabin"]))
        first_cost = cost_of(flyer, trip, third) if alike else None
        revision = None
        if first_cost is not None and affords(method, first_cost) and not asks:
            to, at_first = cabin_said(cabin), cabin_said(third)
            revision = Revision(
                _wanting(third, words),
                **say("other_cabin.revision", at_first=at_first, to=to),
                proposal=into(trip, third, method),
            )
        says = _wanting(cabin, words)
        yield Atom(
            "upgrade" if up else "downgrade",
            with_endings(says, say("difference.asks")) if asks else says,
            (*looks(flyer, trip), into(trip, cabin, method)),
            touches(trip, method),
            **say("other_cabin"),
            rank=MOVES,
            refers=flyer.names_of(trip),
            fits=fits_cabin(flyer, trip, cabin, words),
            facts=(str(abs(cost)),) if asks else (),
            withdraws=KEEP,
            revision=revision,
            charges=charging(method, cost),
            policies=(CHANGING,),
        )


def _wanting(cabin: str, words: str) -> tuple[str, ...]:
    return paid_with(say("into_cabin.says", to=cabin_said(cabin)), words)


def on_a_budget(trip: Json, most: int, to: str, words: str) -> tuple[str, ...]:
    """They want a trip in another cabin if it costs no more; whether it does, the words do not tell."""
    all_of_us = say("on_a_budget.all_of_us") if len(trip["passengers"]) > 1 else ""
    says: tuple[str, ...] = say("on_a_budget.says", most=most, to=to, words=words, all_of_us=all_of_us)
    return says


def no_more_than(most: int, trip: Json) -> str:
    """What they would spend, so that nobody takes it for the price of the whole trip."""
    together = say("on_a_budget.together") if len(trip["passengers"]) > 1 else ""
    return say.text("on_a_budget.no_more", most=most, together=together)


def within_budget(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """A dearer cabin, if all of it costs no more than so much."""
    for cabin in CABINS[CABINS.index(trip["cabin"]) + 1 :]:
        cost = cost_of(flyer, trip, cabin)
        chosen = None if cost is None or cost <= 0 else a_method(flyer, cost)
        if chosen is None or cost is None:
            continue
        method, words = chosen
        most, to = 50 * (cost // 50 + 1), cabin_said(cabin)
        yield Atom(
            "upgrade_within_budget",
            on_a_budget(trip, most, to, words),
            (*looks(flyer, trip), into(trip, cabin, method)),
            touches(trip, method),
            **say("upgrade_within_budget"),
            rank=MOVES,
            refers=flyer.names_of(trip),
            manner=(f"{no_more_than(most, trip)}.",),
            fits=fits_cabin(flyer, trip, cabin, words),
            facts=(str(cost),),
            withdraws=KEEP,
            tags=("condition",),
            policies=(CHANGING,),
        )


def then_bags(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Another cabin, and as many bags as are free in it."""
    for cabin in ("economy", "business"):
        cost = cost_of(flyer, trip, cabin)
        free = flyer.free_bags(trip, cabin)
        if cabin == trip["cabin"] or cost is None or free <= trip["total_baggages"] or trip["nonfree_baggages"]:
            continue
        chosen = a_method(flyer, cost)
        if chosen is None:
            continue
        method, words = chosen
        to = cabin_said(cabin)
        yield Atom(
            "cabin_then_bags",
            **say("cabin_then_bags", to=to, words=words),
            steps=(*looks(flyer, trip), into(trip, cabin, method), bags(trip, free, 0, method)),
            touches=touches(trip, method),
            rank=MOVES,
            refers=flyer.names_of(trip),
            fits=fits_cabin(flyer, trip, cabin, words),
            tags=("abstract",),
            policies=(CHANGING, "Flights, cabins, bags"),
        )


def then_moved(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Out of basic economy first, because its flights cannot be changed; then to another day."""
    cost = cost_of(flyer, trip, "economy")
    if trip["cabin"] != "basic_economy" or cost is None:
        return
    cards = [(m, w) for m in flyer.methods("credit_card") if (w := flyer.named_method(m))]
    for way in direct_ways(flyer, {**trip, "cabin": "economy"}):
        bests = {day: way.best(flyer, day, WHICH["cheapest"]) for day in way.days if day != way.leg["date"]}
        found = [(day, best) for day, best in bests.items() if best is not None]
        if not found or not cards:
            continue
        (method, words), (day, best) = flyer.rng.choice(cards), flyer.rng.choice(found)
        on, what = day_said(day), way.called
        its = what.replace("the ", "its ").replace(" of {trip}", "").replace("{trip}", "it")  # what was named before
        legs = way.put(best[2], day)
        yield Atom(
            "cabin_then_move",
            **say("cabin_then_move", its=its, on=on, words=words, what=what),
            steps=(
                *looks(flyer, trip),
                search(way.leg["origin"], way.leg["destination"], day),
                into(trip, "economy", method),
                change(trip, legs, method, "economy"),
            ),
            touches=touches(trip, method) | way.touches(method, day),
            rank=MOVES,
            refers=flyer.names_of(trip),
            fits=fits_cabin(flyer, trip, "economy", words),
            follows=(day,),
            tags=("superlative",),
            policies=(CHANGING,),
        )
        return


def all_of_basic(flyer: Flyer) -> Iterator[Atom]:
    """Every coming trip in basic economy into economy, without saying which those are."""
    mine = [trip for trip in flyer.upcoming() if trip["cabin"] == "basic_economy"]
    cards = [(m, w) for m in flyer.methods("credit_card") if (w := flyer.named_method(m))]
    costs = [cost_of(flyer, trip, "economy") if flyer.bookable(trip) else None for trip in mine]
    known = [cost for cost in costs if cost is not None]
    if len(mine) < 2 or not cards or len(known) < len(costs) or flyer.under_way():
        return
    method, words = flyer.rng.choice(cards)
    yield Atom(
        "upgrade_all_basic",
        **say("upgrade_all_basic", words=words),
        steps=(profile(flyer), *_all_seen(flyer), *_searches(mine), *(into(trip, "economy", method) for trip in mine)),
        touches=frozenset[str]().union(*map(touches, flyer.upcoming()), {f"{flyer.id}:trips"}),
        rank=MOVES,
        facts=(str(abs(sum(known))),),
        tags=("abstract",),
        policies=(CHANGING,),
    )


def _all_seen(flyer: Flyer) -> Iterator[Action]:
    for trip in flyer.trips():
        yield see(trip)


def _searches(trips: Sequence[Json]) -> Iterator[Action]:
    for trip in trips:
        for leg in trip["flights"]:
            yield search(leg["origin"], leg["destination"], leg["date"])
