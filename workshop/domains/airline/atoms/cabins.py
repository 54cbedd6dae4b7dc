"""Changes of the cabin that are made: up, down, within a budget, of all trips at once, and before something else."""

from collections.abc import Iterator, Sequence

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Fits, Revision

from .bags import bags
from .flights import (
    CHANGING,
    HOW_MUCH,
    MOVES,
    PAY,
    WHICH,
    a_method,
    affords,
    change,
    charging,
    difference,
    direct_ways,
)
from .flights import ROOM as WITH_SEATS
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

CABINS = ("basic_economy", "economy", "business")
KEEP = (
    "Wait, leave {trip} in the cabin that it is in. I've thought better of it.",
    "Hold on, please don't change the cabin of {trip} after all.",
    "Stop, {trip} can stay in its cabin.",
    "No, actually, keep {trip} in the cabin that I booked.",
)


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
                (
                    f"Wait, {at_first} isn't what I want after all. Put {{trip}} into {to} instead.",
                    f"Hold on, make it {to} instead of {at_first} for {{trip}}, please.",
                    f"Sorry, I meant {to} for {{trip}}, not {at_first}.",
                    f"Actually, no. I'd rather have {{trip}} in {to}.",
                ),
                into(trip, third, method),
            )
        says = _wanting(cabin, words)
        yield Atom(
            "upgrade" if up else "downgrade",
            tuple(f"{text} {ask}" for text, ask in zip(says, HOW_MUCH, strict=True)) if asks else says,
            (*looks(flyer, trip), into(trip, cabin, method)),
            touches(trip, method),
            about="the new cabin for {trip}",
            rank=MOVES,
            refers=flyer.names_of(trip),
            manner=("The flights of {trip} stay the same; only the cabin changes, for everybody.",),
            fits=fits_cabin(flyer, trip, cabin, words),
            facts=(str(abs(cost)),) if asks else (),
            withdraws=KEEP,
            revision=revision,
            charges=charging(method, cost),
            policies=(CHANGING,),
        )


def _wanting(cabin: str, words: str) -> tuple[str, ...]:
    to = cabin_said(cabin)
    says = (
        f"I'd like to have {{trip}} in {to}.",
        f"Please change {{trip}} to {to}.",
        f"Could you put {{trip}} into {to}?",
        f"{{Trip}} should be in {to} instead of the cabin that I booked.",
        f"I'd rather have {to} for {{trip}}, so please change that.",
    )
    return tuple(f"{text} {pay.format(method=words)}" for text, pay in zip(says, PAY, strict=True))


def on_a_budget(trip: Json, most: int, to: str, words: str) -> tuple[str, ...]:
    """They want a trip in another cabin if it costs no more; whether it does, the words do not tell."""
    all_of_us = " for everybody" if len(trip["passengers"]) > 1 else ""
    return (
        f"If the difference is no more than {most} dollars in all, I'd like {{trip}} in {to}, paid with {words}. "
        "How much is it?",
        f"I can spend another {most} dollars on having {{trip}} in {to}. If that is enough{all_of_us}, do it "
        f"and charge {words}. Tell me what it costs on top.",
        f"What would the difference be to have {{trip}} in {to}? If it is at most {most} dollars in total, please do "
        f"it and charge {words}.",
        f"Please change {{trip}} to {to}, provided that the difference in price is {most} dollars or less altogether. "
        f"Charge {words} for it, and let me know the amount.",
    )


def no_more_than(most: int, trip: Json) -> str:
    """What they would spend, so that nobody takes it for the price of the whole trip."""
    together = " for everybody together" if len(trip["passengers"]) > 1 else ""
    return f"You would not pay more than {most} dollars{together} on top of what {{trip}} has cost so far"


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
            about="the better cabin for {trip}",
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
            (
                f"Please put {{trip}} into {to}, and then add as many checked bags as are free there. The "
                f"difference goes on {words}.",
                f"I'd like {{trip}} in {to}, with the difference on {words}, and after that I want all the checked "
                "bags on it that are free in that cabin.",
                f"I want {{trip}} changed to {to}; take {words} for it. Once that is done, register the largest number "
                "of checked bags that doesn't cost anything.",
                f"{{Trip}} should be in {to}, with the difference on {words}. And then use up the free checked bags "
                "that come with that.",
            ),
            (*looks(flyer, trip), into(trip, cabin, method), bags(trip, free, 0, method)),
            touches(trip, method),
            about="the new cabin and the bags for {trip}",
            rank=MOVES,
            refers=flyer.names_of(trip),
            manner=("On {trip} you want exactly as many bags as are free of charge, and none that costs something.",),
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
            (
                f"I know that flights in basic economy can't be changed. So first put {{trip}} into economy, and when "
                f"that is done, move {its} to the cheapest direct flight of {on} {WITH_SEATS}. Both go on {words}.",
                f"Two steps, please, both on {words}: change {{trip}} from basic economy to economy as it is, and "
                f"only then move {its} to the cheapest direct flight on {on} {WITH_SEATS}.",
                f"Please upgrade {{trip}} to economy first. Afterwards, as that is possible then, move {its} to "
                f"{on}, on the cheapest direct flight {WITH_SEATS}. Charge {words} each time.",
                f"I'd like {what} to be on {on}, and I was told that economy is needed for that. So put "
                f"{{trip}} into economy first, then take the cheapest direct flight of that day {WITH_SEATS}. Use "
                f"{words} for both.",
            ),
            (
                *looks(flyer, trip),
                search(way.leg["origin"], way.leg["destination"], day),
                into(trip, "economy", method),
                change(trip, legs, method, "economy"),
            ),
            touches(trip, method) | way.touches(method, day),
            about="the new cabin and the new flight for {trip}",
            rank=MOVES,
            refers=flyer.names_of(trip),
            manner=("For {trip} you want the cabin changed first, with the flights as they are, and then the flight.",),
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
        (
            f"Please put all of my coming trips that are in basic economy into economy and charge {words}. What is the "
            "total for all of them?",
            "I don't want to fly in basic economy any more. Change every upcoming reservation of mine in that cabin "
            f"to economy, charge {words}, and tell me the sum.",
            f"Whatever I have coming up in basic economy should be in economy instead. Use {words}; how much is it "
            "altogether?",
            f"Could you go through my upcoming reservations and change those in basic economy to economy? The "
            f"difference for each goes on {words}, and I'd like to know the overall amount.",
        ),
        (profile(flyer), *_all_seen(flyer), *_searches(mine), *(into(trip, "economy", method) for trip in mine)),
        frozenset[str]().union(*map(touches, flyer.upcoming()), {f"{flyer.id}:trips"}),
        about="economy for all your trips in basic economy",
        rank=MOVES,
        manner=("You leave it to the agent to find out which trips are in basic economy.",),
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
