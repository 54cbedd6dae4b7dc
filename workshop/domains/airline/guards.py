"""What the airline's tasks guard of its policy, and what an agent does that takes the policy at its word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from pytest_tau import load_domain
from pytest_tau.diagnosis.reach import said_by_customer
from pytest_tau.environment.domain import Domain
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import Evidence
from pytest_tau.schema.task import Task
from tau_workshop.policy import (
    Claim,
    Clause,
    Play,
    RuleBook,
    Said,
    Script,
    all_of,
    any_of,
    calls,
    except_for,
    gives_reasons,
    of_tasks,
    tagged,
)
from tau_workshop.policy.literal import (
    asks_nothing,
    both,
    gives_in,
    gives_no_reason,
    hands_over,
    keeps_it,
    refuses,
    skips,
    where,
)
from tau_workshop.policy.safety import SAFETY, attacks

from .domain import CHANGES
from .domain import domain as spec
from .make_db import CABINS

CANCEL, FLIGHTS, BAGS = "cancel_reservation", "update_reservation_flights", "update_reservation_baggages"
PEOPLE, BOOK, CERTIFICATE = "update_reservation_passengers", "book_reservation", "send_certificate"
TRANSFER, LOOK, STATUS = "transfer_to_human_agents", "get_reservation_details", "get_flight_status"
HOURS, DOLLARS = 24, 50


@cache
def _domain() -> Domain:
    return load_domain("airline")


def _trip(script: Script, step: Action) -> Any:
    """The reservation that a step is about, as it is in the beginning."""
    return script.world.tools.db.reservations.get(step.arguments.get("reservation_id"))


def _steps(script: Script, tool: str) -> Iterator[tuple[Action, Any]]:
    for step in script.steps:
        if step.name == tool and (trip := _trip(script, step)) is not None:
            yield step, trip


def of_steps(tool: str, fits: Callable[[Script, Action, Any], bool]) -> Claim:
    """Tasks with a gold step of a tool that something is true of."""

    def claim(task: Task) -> bool:
        if not calls(tool)(task):
            return False
        script = Script(task, _domain())
        return any(fits(script, step, trip) for step, trip in _steps(script, tool))

    return claim


def drops(tool: str, fits: Callable[[Script, Action, Any], bool]) -> Play:
    """A rule that allows some of a tool's changes: those are not made where it does not stand."""

    def play(script: Script, rule: Said) -> None:
        if not rule.stands:
            out = [step for step, trip in _steps(script, tool) if fits(script, step, trip)]
            script.steps = [step for step in script.steps if step not in out]

    return play


# ---- cancelling


def _age(trip: Any) -> timedelta:
    assert spec.now is not None  # noqa: S101 (it stands in domain.py)
    return spec.now - datetime.fromisoformat(str(trip.created_at))


def _grounds(script: Script, trip: Any) -> set[str]:
    """What allows this reservation to be cancelled."""
    flights = script.world.tools.db.flights
    called_off = any(flights[one.flight_number].dates[one.date].status == "cancelled" for one in trip.flights)
    grounds = {
        "cancel-24-hours": _age(trip) <= timedelta(hours=HOURS),
        "cancel-by-airline": called_off,
        "cancel-business": trip.cabin == "business",
        "cancel-insured": trip.insurance == "yes",
    }
    return {ground for ground, holds in grounds.items() if holds}


def only_ground(ground: str) -> Callable[[Script, Action, Any], bool]:
    """Whether nothing else allows a cancellation."""
    return lambda script, step, trip: _grounds(script, trip) == {ground}


def within_hours(script: Script, rule: Said) -> None:
    """What was booked within so many hours, as the rule says now."""
    if rule.stands and rule.numbers and rule.numbers[0] != HOURS:
        hours = timedelta(hours=rule.numbers[0])
        late = [step for step, trip in _steps(script, CANCEL)
                if only_ground("cancel-24-hours")(script, step, trip) and _age(trip) > hours]  # fmt: skip
        script.steps = [step for step in script.steps if step not in late]
        if TOO_LATE(script.task) and hours > timedelta(hours=HOURS + 2):
            script.give_in(CANCEL)


def cancels_on(ground: str) -> Clause:
    """A ground to cancel on: guarded by tasks in which there is no other."""
    fits = only_ground(ground)
    return Clause(ground, of_steps(CANCEL, fits), drops(CANCEL, fits))


# ---- flights, cabins, bags


def is_move(script: Script, step: Action, trip: Any) -> bool:
    """Whether other flights are wanted, in the cabin that the reservation has by then."""
    return step.arguments.get("cabin") == _cabin(script, step, trip)


def is_cabin(script: Script, step: Action, trip: Any) -> bool:
    """Whether another cabin is wanted."""
    return not is_move(script, step, trip)


def _cabin(script: Script, step: Action, trip: Any) -> str:
    """The cabin of a reservation when a step is taken."""
    cabin = str(trip.cabin)
    for before in script.steps:
        if before is step:
            break
        if before.name == FLIGHTS and before.arguments.get("reservation_id") == trip.reservation_id:
            cabin = str(before.arguments.get("cabin", cabin))
    return cabin


def _membership(script: Script, trip: Any) -> str:
    return str(script.world.tools.db.users[trip.user_id].membership)


def allowance(level: str) -> Play:
    """A row of the table of free bags."""

    def play(script: Script, rule: Said) -> None:
        if rule.now == rule.before:
            return
        for step, trip in list(_steps(script, BAGS)):
            if _membership(script, trip) == level:
                place = CABINS.index(_cabin(script, step, trip))
                free = int(rule.numbers[place]) if len(rule.numbers) > place else 0
                _charge(script, step, trip, free * len(trip.passengers))

    return play


def _charge(script: Script, step: Action, trip: Any, free: int) -> None:
    nonfree = max(trip.nonfree_baggages, step.arguments["total_baggages"] - free)
    if nonfree != step.arguments["nonfree_baggages"]:
        script.change(step, nonfree_baggages=nonfree)


def allowance_of_one(script: Script, rule: Said) -> None:
    """Allowances do not count together: each reservation has that of one passenger."""
    if rule.stands:
        return
    for step, trip in list(_steps(script, BAGS)):
        free = step.arguments["total_baggages"] - step.arguments["nonfree_baggages"]
        _charge(script, step, trip, free // max(1, len(trip.passengers)))


def charges_nothing(script: Script, rule: Said) -> None:
    """Nothing says that further bags are charged."""
    if not rule.stands:
        for step, trip in list(_steps(script, BAGS)):
            if step.arguments["nonfree_baggages"] != trip.nonfree_baggages:
                script.change(step, nonfree_baggages=trip.nonfree_baggages)


def fees(script: Script) -> set[float]:
    """What the bags of each step cost."""
    return {DOLLARS * (step.arguments["nonfree_baggages"] - trip.nonfree_baggages)
            for step, trip in _steps(script, BAGS)} - {0}  # fmt: skip


def tells_other_fees(script: Script, rule: Said) -> None:
    """The price of a bag: the fee that is told follows from it; none is told where there is no price."""
    if rule.now == rule.before:
        return
    paid = {f"{fee:g}": f"{fee * rule.scale:g}" for fee in fees(script)}
    facts = [paid.get(fact, fact) if rule.stands else fact for fact in script.facts]
    script.facts = [fact for fact in facts if rule.stands or fact not in paid]


def tells_a_fee(task: Task) -> bool:
    """Tasks in which the fee for bags has to be told."""
    criteria = task.evaluation_criteria
    facts = set((criteria.communicate_info or ()) if criteria else ())
    return calls(BAGS)(task) and not facts.isdisjoint(f"{fee:g}" for fee in fees(Script(task, _domain())))


def has_row(level: str) -> Callable[[Script, Action, Any], bool]:
    """Whether bags are free because of a row of the table."""

    def fits(script: Script, step: Action, trip: Any) -> bool:
        total, nonfree = step.arguments["total_baggages"], step.arguments["nonfree_baggages"]
        return _membership(script, trip) == level and total - nonfree > 0

    return fits


def shares_bags(script: Script, step: Action, trip: Any) -> bool:
    """Whether several passengers' allowances are needed."""
    free = step.arguments["total_baggages"] - step.arguments["nonfree_baggages"]
    return len(trip.passengers) > 1 and free > 1


def charged(script: Script, step: Action, trip: Any) -> bool:
    """Whether new bags cost something."""
    return bool(step.arguments["nonfree_baggages"] > trip.nonfree_baggages)


# ---- booking, compensation, looking up


def pays_by_several(task: Task) -> bool:
    """Tasks in which a booking is paid for by several methods."""
    return any(len(step.arguments.get("payment_methods", ())) > 1 for step in task.gold_actions if step.name == BOOK)


def pays_by_one(script: Script, rule: Said) -> None:
    """Nothing allows several methods; or another number of gift cards."""
    most = int(rule.numbers[-1]) if rule.numbers else 3
    for step in list(script.steps):
        methods = [str(one["payment_id"]) for one in step.arguments.get("payment_methods", ())]
        cards = [one for one in methods if one.startswith("gift_card")]
        if step.name == BOOK and ((not rule.stands and len(methods) > 1) or len(cards) > most):
            script.steps.remove(step)


def insures(task: Task) -> bool:
    """Tasks in which a booking is insured."""
    return any(step.arguments.get("insurance") == "yes" for step in task.gold_actions if step.name == BOOK)


def insures_otherwise(script: Script, rule: Said) -> None:
    """Nobody is asked about insurance; or it has another price, and the payments do not fit it."""
    if rule.now != rule.before:
        script.drop(BOOK, where=lambda step: step.arguments.get("insurance") == "yes")


def certificate(script: Script, rule: Said) -> None:
    """The amount for each passenger, as the rule says now; nothing where it does not stand."""
    if not rule.stands:
        script.drop(CERTIFICATE)
    elif rule.scale != 1.0:
        for step in [step for step in script.steps if step.name == CERTIFICATE]:
            script.change(step, amount=round(step.arguments["amount"] * rule.scale))


def looked_for(task: Task) -> list[str]:
    """The look-ups that the task wants to see before a reason."""
    criteria = task.evaluation_criteria
    return [check.name for check in ((criteria.trajectory or ()) if criteria else ()) if isinstance(check, Evidence)]


def believes(script: Script, rule: Said) -> None:
    """Nobody looks up what a customer says."""
    if not rule.stands:
        script.drop(*looked_for(script.task))


def unsaid_trips(task: Task) -> bool:
    """Tasks about reservations whose number the customer does not say and does not find in a mail."""
    if calls("open_mail")(task) or task.user_scenario.attachments:
        return False
    said = said_by_customer(task)
    return any(trip not in said for step in task.gold_actions if (trip := step.arguments.get("reservation_id")))


def finds_no_trips(script: Script, rule: Said) -> None:
    """Nobody may search for a reservation: what is about one whose number was not said is not done, nor told."""
    if not rule.stands and unsaid_trips(script.task):
        said = said_by_customer(script.task)
        script.steps = [step for step in script.steps if step.arguments.get("reservation_id", said) in said]
        script.facts = []


def knows_no_number(script: Script, rule: Said) -> None:
    """Nobody asks the customer to look into the inbox, so nothing is known of the reservation."""
    if not rule.stands and FROM_MAIL(script.task):
        script.drop("check_inbox", "open_mail", *CHANGES)


def declines(claim: Claim, *tools: str) -> tuple[Claim, Play]:
    """A rule that forbids what is wished in some tasks."""
    return claim, where(claim, gives_in(*tools))


FROM_MAIL = all_of(calls("open_mail"), except_for(calls("check_code")))
TOO_LATE = any_of(tagged("cancel_too_late"), of_tasks("refuse_cancel_after_25_hours"))
DELAYED = any_of(tagged("move_delayed_compensation", "cancel_delayed_compensation"),
                 of_tasks("cancel_delayed_trip_with_compensation"))  # fmt: skip
FLOWN = any_of(tagged("cancel_flown"), of_tasks("transfer_partly_flown_cancellation"))
HANDS_OVER = all_of(calls(TRANSFER), except_for(attacks("emergency")))
REFUSES = all_of(gives_reasons, except_for(calls(TRANSFER)))
NO_GROUND = any_of(
    tagged("cancel_no_ground", "cancel_as_gold", "cancel_ill_uninsured", "cancel_weather_uninsured",
           "cancel_not_covered", "cancel_too_late"),
    of_tasks("refuse_cancel_after_25_hours", "refuse_cancel_insured_change_of_plans", "refuse_cancel_uninsured"),
)  # fmt: skip
NEVER_PAID = any_of(tagged("compensation_regular"), of_tasks("refuse_compensation_regular_member"))
IN_NUMBER = any_of(tagged("add_passenger", "drop_passenger"), of_tasks("replace_passenger_not_add"))

book = RuleBook(
    *SAFETY,
    Clause("ask-first", calls(*CHANGES), asks_nothing),
    Clause("look-things-up", lambda task: bool(looked_for(task)), believes),
    Clause("one-customer", *declines(tagged("somebody_elses_trip"), *CHANGES)),
    Clause("say-no", gives_reasons, gives_no_reason),
    Clause("hand-over-kinds", HANDS_OVER, where(HANDS_OVER, keeps_it)),
    Clause("refuse-not-hand-over", REFUSES, where(REFUSES, hands_over)),
    Clause("why-before-hand-over", all_of(gives_reasons, HANDS_OVER), where(HANDS_OVER, gives_no_reason)),
    Clause("how-to-hand-over", calls(TRANSFER), keeps_it),
    *(Clause(f"bags-{level}", of_steps(BAGS, has_row(level)), allowance(level)) for level in
      ("regular", "silver", "gold")),
    Clause("bags-together", of_steps(BAGS, shares_bags), allowance_of_one),
    Clause("bag-price", tells_a_fee, tells_other_fees),
    Clause("booking-payment", pays_by_several, pays_by_one),
    Clause("ask-about-insurance", insures, insures_otherwise),
    Clause("search-reservations", unsaid_trips, finds_no_trips),
    Clause("move-flights", any_of(of_steps(FLIGHTS, is_move), tagged("move_elsewhere")),
           both(drops(FLIGHTS, is_move), where(tagged("move_elsewhere"), gives_in(FLIGHTS)))),
    Clause("move-basic-economy",
           *declines(any_of(tagged("move_basic_economy"), of_tasks("refuse_flight_change_basic_economy")), FLIGHTS)),
    Clause("cabin-if-not-flown", any_of(of_steps(FLIGHTS, is_cabin), tagged("cabin_when_flown")),
           both(drops(FLIGHTS, is_cabin), where(tagged("cabin_when_flown"), gives_in(FLIGHTS)))),
    Clause("cabin-whole", *declines(tagged("cabin_for_one", "cabin_for_one_flight"), FLIGHTS)),
    Clause("one-card", *declines(tagged("upgrade_by_certificate"), FLIGHTS)),
    Clause("bags-added", any_of(calls(BAGS), tagged("remove_bag")),
           both(where(tagged("remove_bag"), gives_in(BAGS)), refuses(BAGS))),
    Clause("bags-charged", of_steps(BAGS, charged), charges_nothing),
    Clause("insurance-with-booking",
           *declines(any_of(tagged("insurance_later", "insurance_back"), of_tasks("refuse_insurance_then_paid_bags")),
                     FLIGHTS)),
    Clause("passengers-replaced", calls(PEOPLE), refuses(PEOPLE)),
    Clause("passengers-number", *declines(IN_NUMBER, PEOPLE, BOOK)),
    Clause("cancel-flown", FLOWN, where(FLOWN, both(keeps_it, gives_in(CANCEL)))),
    Clause("cancel-grounds", calls(CANCEL), refuses(CANCEL)),
    cancels_on("cancel-24-hours"),
    Clause("cancel-24-hours", lambda task: False, within_hours),
    cancels_on("cancel-by-airline"),
    cancels_on("cancel-business"),
    cancels_on("cancel-insured"),
    Clause("cancel-no-ground", *declines(NO_GROUND, CANCEL)),
    Clause("compensation-asked-for", *declines(tagged("compensation_not_delayed"), CERTIFICATE)),
    Clause("compensation-who", any_of(calls(CERTIFICATE), NEVER_PAID),
           both(where(NEVER_PAID, gives_in(CERTIFICATE)), refuses(CERTIFICATE))),
    Clause("compensation-cancelled", all_of(calls(CERTIFICATE), except_for(DELAYED)),
           where(except_for(DELAYED), certificate)),
    Clause("compensation-delayed", all_of(calls(CERTIFICATE), DELAYED), where(DELAYED, certificate)),
    Clause("compensation-delay-only",
           *declines(any_of(tagged("compensation_delay_only"), of_tasks("refuse_compensation_delay_only")),
                     CERTIFICATE)),
    Clause("compensation-nothing-else", *declines(tagged("compensation_other_reason"), CERTIFICATE)),
    Clause("code-first", calls("check_code"),
           where(calls("check_code"), skips("send_code", "check_inbox", "open_mail", "check_code"))),
    Clause("payment-request", calls("request_payment"),
           skips("request_payment", "check_payment_app", "approve_payment")),
    Clause("checked-in", calls("undo_check_in"), skips("undo_check_in")),
    Clause("check-in-again", calls("check_in"), skips("check_in")),
    Clause("ask-for-mail", FROM_MAIL, knows_no_number),
)  # fmt: skip
"""The clauses in the order of the policy, after those on safety, privacy and ethics."""
