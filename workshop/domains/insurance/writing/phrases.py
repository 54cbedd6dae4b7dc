"""Words for the things that rules are made of: days, money, perils, conditions, lists."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from ..rules import Requirement

# line -> peril -> (heading, what it is)
PERILS: dict[str, dict[str, tuple[str, str]]] = {
    "home": {
        "fire": ("Fire", "fire, lightning and explosion, and the smoke and soot that they leave behind"),
        "escape_of_water": ("Escape of water", "water that runs out of pipes, heating, washing machines or aquariums"),
        "storm": ("Storm", "storm and hail, also where rain comes in through an opening that the storm has torn"),
        "burglary": ("Burglary", "things stolen or broken by somebody who breaks into the home"),
        "valuables_theft": ("Theft of valuables", "jewellery, coins, stamps and works of art stolen from the home"),
        "bicycle_theft": ("Theft of bicycles", "bicycles without a number plate, stolen anywhere in the country"),
        "car_break_in": ("Theft from cars", "belongings stolen from a locked car"),
        "glass_breakage": ("Breakage of glass", "broken glass in furniture, pictures and kitchen appliances"),
    },
    "motor": {
        "collision": ("Collision", "damage to your own car in an accident, whoever is to blame"),
        "theft": ("Theft of the car", "the loss of the car or of its fixed parts by theft or robbery"),
        "glass": ("Broken glass", "windscreen, windows, lamps and mirrors"),
        "storm": ("Storm and hail", "damage by storm and hail and by what the wind throws against the car"),
        "animal": ("Collision with animals", "damage from running into an animal"),
        "marten_bite": ("Marten bites", "bitten cables, hoses and rubber parts, and the damage that follows in the engine"),
        "vandalism": ("Vandalism", "damage done on purpose by strangers"),
        "key_loss": ("Lost keys", "new keys and locks after keys were lost or stolen"),
    },
    "travel": {
        "cancellation": ("Cancelled trips", "the costs that the operator keeps when you cannot set out"),
        "interruption": ("Interrupted trips", "the part of a trip that is lost when you have to come home early"),
        "medical_abroad": ("Treatment abroad", "doctors, hospitals and medicine outside the country"),
        "baggage": ("Baggage", "baggage that is lost, stolen or damaged on the way"),
        "delay": ("Delays", "meals, lodging and taxis when train, ship or aircraft arrives late"),
    },
    "pet": {
        "accident_surgery": ("Surgery after an accident", "operations that an accident makes necessary"),
        "illness_surgery": ("Surgery for an illness", "operations for illnesses that begin after the waiting period"),
        "accident_treatment": ("Treatment after an accident", "visits, medicine and bandages after an accident, without an operation"),
        "illness_treatment": ("Treatment of illnesses", "visits, medicine and laboratory tests for illnesses"),
        "dental": ("Teeth", "the treatment of teeth"),
        "prevention": ("Prevention", "vaccination, worming and the yearly check"),
    },
    "cycle": {
        "theft": ("Theft", "the loss of the bicycle by theft, robbery or burglary"),
        "vandalism": ("Vandalism", "wilful damage by people you do not know"),
        "fall": ("Falls and accidents", "damage to the bicycle from a fall or an accident"),
        "battery": ("Battery", "a battery that fails or is damaged by damp or a short circuit"),
    },
    "gadget": {
        "accidental_damage": ("Accidental damage", "drops, knocks and cracked screens"),
        "liquid_damage": ("Liquids", "damage by water and other liquids"),
        "device_theft": ("Theft of the device", "theft, robbery and burglary"),
    },
}  # fmt: skip

_VALUES = {
    "wild_boar": "wild boar",
    "death_in_family": "a death in the family",
    "illness": "sudden illness",
    "job_loss": "the loss of a job",
    "court_summons": "a summons to court",
}
_CONDITIONS = {
    "wind_force": "the wind reached force {n} or more at the nearest weather station",
    "days_unoccupied": "the home had not stood empty for more than {n} days",
    "forced_entry": "there are traces of forced entry",
    "locked": "the bicycle was locked",
    "outdoors_at_night": "the bicycle did not stand outdoors between 10 pm and 6 am",
    "out_of_sight": "the things lay out of sight in the car",
    "days_from_booking_to_cover": "the cover was bought no more than {n} days after the trip was booked",
    "trip_days": "the trip was planned for no more than {n} days",
    "known_before_departure": "the illness was not known before departure",
    "supervised": "somebody was watching over the baggage",
    "hours_late": "the arrival was {n} hours late or more",
    "tooth_broken_by_accident": "the tooth was broken in an accident",
    "lock_price": "the lock had cost at least {euro}",
    "locked_to_fixed_object": "the bicycle was locked to something that cannot be moved",
    "race": "it did not happen in a race",
    "battery_age_months": "the battery was no more than {n} months old",
    "device_age_months": "the device was no more than {n} months old",
    "left_unattended": "the device had not been left unattended",
}
EVIDENCE = {
    "police_report": "the police report",
    "invoice": "the invoice",
    "proof_of_purchase": "proof of purchase",
    "photos": "photos of the damage",
    "repair_estimate": "a repair estimate",
    "medical_certificate": "a medical certificate",
    "booking_confirmation": "the booking confirmation",
    "carrier_report": "the carrier's report",
    "vet_invoice": "the vet's invoice",
    "vet_record": "the vet's record of treatment",
}


def long_day(day: date | None) -> str:
    """``1 July 2025``; None is a day that has not come."""
    if day is None:
        return "further notice"
    return f"{day.day} {day:%B %Y}"


def month(day: date) -> str:
    """``July 2025``."""
    return f"{day:%B %Y}"


def euro(amount: float) -> str:
    """``€1,500`` or ``€3.20``."""
    return f"€{amount:,.0f}" if float(amount).is_integer() else f"€{amount:,.2f}"


def listing(texts: Sequence[str], last: str = "and") -> str:
    """``a, b and c``."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def sentence(text: str) -> str:
    """With a capital at the front."""
    return text[0].upper() + text[1:]


def article(noun: str) -> str:
    """``a deer``, with the article where there is none yet."""
    if noun.partition(" ")[0] in ("a", "the", "sudden"):
        return noun
    return f"a {noun}"


def condition(requirement: Requirement) -> str:
    """A condition as a clause that follows ``provided that``."""
    if requirement.fact == "animal":
        names = [article(_VALUES.get(name, name)) for name in requirement.among]
        return f"the animal was {listing(names, 'or')}"
    if requirement.fact == "cause":
        return f"the reason was {listing([_VALUES.get(name, name) for name in requirement.among], 'or')}"
    number = requirement.at_least if requirement.at_least is not None else requirement.at_most
    return _CONDITIONS[requirement.fact].format(n=number, euro=euro(number or 0))


def span(start: date, end: date | None) -> str:
    """``from 1 July 2025 on``, or the days between which something was in force."""
    if end is None:
        return f"from {long_day(start)} on"
    return f"between {long_day(start)} and {long_day(end)}"


def next_edition(end: date | None) -> str:
    """The month of the edition that came after one that is not in force any more."""
    return month((end or date.min) + timedelta(days=1))


def months(number: int) -> str:
    """``one month``, ``3 months``."""
    return "one month" if number == 1 else f"{number} months"
