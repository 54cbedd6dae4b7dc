"""Wishes in which the passenger looks into a mail for a number, or uses the airline's app on the phone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import cycle

from pytest_tau.schema.calls import EnvFunctionCall
from tau_workshop.compose import Atom, at_home, home_of, number_in_mail, on_their_side, phrases_of

from ..domain import CHANGES
from ..user_tools import OPEN_FOR
from ..values import NOW
from .cancelling import granted_atoms
from .people import somebody_new
from .records import CITY, Flyer, Json, parts_of

say = phrases_of(__file__)


def of_mails(flyer: Flyer) -> Iterator[Atom]:
    """A cancellation, or another passenger."""
    for trip in flyer.upcoming():
        number = trip["reservation_id"]
        route = say("in_mail.route", origin=CITY[trip["origin"]], destination=CITY[trip["destination"]])
        text = say("in_mail.text", route=route, number=number)
        for atom in (*granted_atoms(flyer, trip), *somebody_new(flyer, trip)):
            yield number_in_mail(atom, flyer.id, say("in_mail.called"), say("in_mail.subject"), text, parts_of(trip))


def of_check_in(flyer: Flyer, atoms: Sequence[Atom]) -> Iterator[Atom]:
    """What is to be changed of a trip for which they have checked in, or are about to."""
    soon = {trip["reservation_id"] for trip in flyer.upcoming() if leaves_soon(flyer, trip)}
    for atom in atoms:
        number = str(atom.steps[-1].arguments.get("reservation_id")) if atom.steps else ""
        if number not in soon or sum(step.name in CHANGES for step in atom.steps) != 1:
            continue
        if atom.steps[-1].name not in ("update_reservation_baggages", "cancel_reservation"):
            yield then_check_in(atom, flyer, number)
        if atom.steps[-1].name != "update_reservation_baggages":
            yield checked_in(atom, flyer, number)


def leaves_soon(flyer: Flyer, trip: Json) -> bool:
    """Whether its first flight leaves within 24 hours, and none is called off."""
    leg = trip["flights"][0]
    at = flyer.books.flights[leg["flight_number"]]["scheduled_departure_time_est"]
    leaves = datetime.fromisoformat(f"{leg['date']}T{at}")
    return NOW < leaves <= NOW + OPEN_FOR and set(flyer.statuses(trip)) == {"available"}


def checked_in(atom: Atom, flyer: Flyer, number: str) -> Atom:
    """They have checked in, and have to take that back first."""
    *looks, act = atom.steps
    before = EnvFunctionCall(env_type="user", func_name="check_in", arguments={"reservation_id": number})
    return replace(
        atom,
        intent="checked_in",
        steps=(*looks, on_their_side("undo_check_in", reservation_id=number), act),
        touches=atom.touches | at_home(flyer.id),
        manner=(*atom.manner, say("checked_in.told")),
        initialise=(*atom.initialise, *home_of(flyer.id, before)),
        tags=(*atom.tags, atom.intent, "dual", "phone"),
        withdraws=(),
        revision=None,
    )


def then_check_in(atom: Atom, flyer: Flyer, number: str) -> Atom:
    """Afterwards they want to check in, which they can only do themselves."""
    moved = atom.intent.startswith("move")
    return (
        replace(
            atom,
            intent="then_check_in",
            says=tuple(f"{text} {ask}" for text, ask in zip(atom.says, cycle(say("then_check_in.asks")), strict=False)),
            steps=(*atom.steps, on_their_side("check_in", reservation_id=number)),
            touches=atom.touches | at_home(flyer.id),
            manner=(*atom.manner, say("then_check_in.told")),
            initialise=(*atom.initialise, *home_of(flyer.id)),
            tags=(*atom.tags, atom.intent, "dual", "phone"),
            withdraws=(),
            revision=None,
        )
        if not moved
        else checked_in(atom, flyer, number)
    )
