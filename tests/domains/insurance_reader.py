"""A reader of the insurer's library: decides claims from the words of the documents, and knows nothing of the rules.

What it finds has to be what the gold paths say. It is given a claim and a contract as the agent sees them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

TODAY = date(2026, 3, 16)
Row = Mapping[str, Any]
_DAY = r"\d{1,2} [A-Z][a-z]+ \d{4}"
# What a heading in a document is about, by the names of events in the books; those that are not here are alike.
HEADINGS = {
    "escape_of_water": "Escape of water",
    "valuables_theft": "Theft of valuables",
    "bicycle_theft": "Theft of bicycles",
    "car_break_in": "Theft from cars",
    "glass_breakage": "Breakage of glass",
    "glass": "Broken glass",
    "animal": "Collision with animals",
    "marten_bite": "Marten bites",
    "key_loss": "Lost keys",
    "cancellation": "Cancelled trips",
    "interruption": "Interrupted trips",
    "medical_abroad": "Treatment abroad",
    "delay": "Delays",
    "dental": "Teeth",
    "accident_surgery": "Surgery after an accident",
    "illness_surgery": "Surgery for an illness",
    "accident_treatment": "Treatment after an accident",
    "illness_treatment": "Treatment of illnesses",
    "fall": "Falls and accidents",
    "accidental_damage": "Accidental damage",
    "liquid_damage": "Liquids",
    "device_theft": "Theft of the device",
}
PAPERS = {
    "police_report": "police report",
    "invoice": "invoice",
    "proof_of_purchase": "proof of purchase",
    "photos": "photos",
    "repair_estimate": "repair estimate",
    "medical_certificate": "medical certificate",
    "booking_confirmation": "booking confirmation",
    "carrier_report": "carrier's report",
    "vet_invoice": "vet's invoice",
    "vet_record": "vet's record",
}
# A condition in words, the fact that it is about, and whether a value meets the number in it.
_NUMBERS: list[tuple[str, str, Any]] = [
    (r"force (\d+) or more", "wind_force", lambda value, bound: value >= bound),
    (r"stood empty for more than (\d+) days", "days_unoccupied", lambda value, bound: value <= bound),
    (r"no more than (\d+) days after the trip was booked", "days_from_booking_to_cover", lambda v, bound: v <= bound),
    (r"planned for no more than (\d+) days", "trip_days", lambda value, bound: value <= bound),
    (r"arrival was (\d+) hours late", "hours_late", lambda value, bound: value >= bound),
    (r"lock had cost at least €(\d+)", "lock_price", lambda value, bound: value >= bound),
    (r"battery was no more than (\d+) months", "battery_age_months", lambda value, bound: value <= bound),
    (r"device was no more than (\d+) months", "device_age_months", lambda value, bound: value <= bound),
]
_FLAGS = {
    "traces of forced entry": ("forced_entry", True),
    "bicycle was locked to something": ("locked_to_fixed_object", True),
    "bicycle was locked(?! to)": ("locked", True),
    "outdoors between 10 pm": ("outdoors_at_night", False),
    "out of sight": ("out_of_sight", True),
    "not known before departure": ("known_before_departure", False),
    "watching over": ("supervised", True),
    "broken in an accident": ("tooth_broken_by_accident", True),
    "in a race": ("race", False),
    "left unattended": ("left_unattended", False),
}
_WORDS = {"wild_boar": "wild boar", "death_in_family": "death in the family", "job_loss": "loss of a job",
          "court_summons": "summons to court"}  # fmt: skip


@dataclass(frozen=True)
class Library:
    """The documents by id."""

    texts: Mapping[str, str]

    def edition(self, family: str, day: date) -> str:
        """The text of the edition of a family of documents that holds on a day, by its own first lines."""
        for name, text in self.texts.items():
            if re.fullmatch(rf"{family}-\d{{4}}-\d{{2}}", name) and _holds(text, day):
                return text
        raise LookupError(f"no edition of {family} holds on {day}")

    def decide(self, contract: Row, claim: Row) -> str:
        """The decision in words: an amount, a ground, the papers that are missing, or "adjuster"."""
        product = contract["product"].lower().replace(" ", "-")
        text = self.edition(f"{product}-terms", _edition_day(contract, claim))
        cover = _cover(text, _heading(contract, claim))
        if cover is None:
            return "not_insured"
        waiting = re.search(r"waiting period of (one|\d+) month", cover)
        months = 0 if waiting is None else 1 if waiting[1] == "one" else int(waiting[1])
        if _day(claim["event_date"]) < _later(_day(contract["cover_began"]), months):
            return "waiting_period"
        if not _conditions_met(cover, claim["facts"]):
            return "condition_not_met"
        line = {"home": "home", "drive": "motor", "trip": "travel", "paws": "pet"}.get(product.split("-")[0])
        sheet = self.edition(f"{line or product.split('-')[0]}-claims", TODAY)
        return _at_the_desk(sheet, cover, text, contract, claim)


def _at_the_desk(sheet: str, cover: str, text: str, contract: Row, claim: Row) -> str:
    heading = _heading(contract, claim)
    needed = re.search(rf"^\| {re.escape(heading)} \| (.*) \|$", sheet, re.MULTILINE)
    asked = "" if needed is None else needed[1]
    plain = asked.replace("vet's invoice", "")  # which is no other invoice
    names = [name for name, words in PAPERS.items() if words in (plain if name == "invoice" else asked)]
    if missing := sorted(set(names) - set(claim["papers"])):
        return " ".join(missing)
    large = re.search(r"If the loss is €([\d,]+) or more", sheet)
    if large and claim["loss"] >= _number(large[1]):
        return "adjuster"
    share = re.search(r"(?:Only|We take|\.) ?(\d+) % of the loss", cover)
    amount = claim["loss"] * (int(share[1]) if share else 100) / 100 - _deductible(cover, text, claim["loss"])
    amount = min(amount, _limit(cover, contract, claim))
    if amount <= 0:
        return "below_deductible"
    deadline, late = re.search(r"Within \*\*(\d+) days\*\*", sheet), re.search(r"(\d+) % are taken off", sheet)
    assert deadline is not None
    assert late is not None
    if (_day(claim["reported_on"]) - _day(claim["event_date"])).days > int(deadline[1]):
        amount *= (100 - int(late[1])) / 100
    return f"{amount:.2f}"


def _heading(contract: Row, claim: Row) -> str:
    car = {"theft": "Theft of the car", "storm": "Storm and hail"} if contract["product"].startswith("Drive") else {}
    event = str(claim["event"])
    return car.get(event) or HEADINGS.get(event) or event.capitalize()


def _cover(text: str, heading: str) -> str | None:
    """All lines about one event."""
    begins = re.compile(rf"(\| |- \*\*|\*\*|2\.\d+ ){re.escape(heading)}( \||\*\*:|\.\*\*|:)")
    return "\n".join(line for line in text.split("\n") if begins.match(line)) or None


def _deductible(cover: str, text: str, loss: float) -> float:
    cells = cover.split("|")
    words = cells[2] if cover.startswith("|") else cover
    if not cover.startswith("|") and not re.search(r"(?i)deductible", words):
        general = re.search(r"you bear the first €([\d,]+)", text)
        return _number(general[1]) if general else 0.0
    if percent := re.search(r"(\d+) %(?: of the loss, and|,) at least €([\d,]+)", words):
        return max(loss * int(percent[1]) / 100, _number(percent[2]))
    plain = re.search(r"deductible of €([\d,]+)", words) or re.search(r"^ €([\d,]+) $", words)
    return _number(plain[1]) if plain else 0.0


def _limit(cover: str, contract: Row, claim: Row) -> float:
    cells = cover.split("|")
    words = (
        cells[3]
        if cover.startswith("|")
        else "".join(re.findall(r"(?:limit of compensation is|pay no more than) [^.]*", cover))
    )
    if percent := re.search(r"(\d+) % of the sum insured", words):
        return float(contract["sum_insured"] * int(percent[1]) / 100)
    found = re.search(r"€([\d,]+)", words)
    if found is None:
        return float("inf")
    paid = (contract.get("paid_this_year") or {}).get(claim["event"], 0.0)
    return _number(found[1]) - (paid if "insurance year" in words else 0.0)


def _conditions_met(cover: str, facts: Row) -> bool:
    for pattern, fact, met in _NUMBERS:
        if (found := re.search(pattern, cover)) and not met(facts[fact], int(found[1])):
            return False
    for pattern, (fact, wanted) in _FLAGS.items():
        if re.search(pattern, cover) and facts[fact] is not wanted:
            return False
    for pattern, fact in ((r"the animal was ([^.]*)", "animal"), (r"the reason was ([^.]*)", "cause")):
        if (found := re.search(pattern, cover)) and _WORDS.get(facts[fact], str(facts[fact])) not in found[1]:
            return False
    return True


def _holds(text: str, day: date) -> bool:
    """By the first lines: "between A and B", "from A to B", "from A on", "since A"."""
    head = " ".join(text.split("\n\n")[1:2])
    days = [datetime.strptime(found, "%d %B %Y").date() for found in re.findall(_DAY, head)]
    ends = days[1] if re.search(rf"(between {_DAY} and|from {_DAY} to) {_DAY}", head) else None
    return days[0] <= day and (ends is None or day <= ends)


def _edition_day(contract: Row, claim: Row) -> date:
    """As the rule on which edition holds says it."""
    began, event = _day(contract["cover_began"]), _day(claim["event_date"])
    if contract["product"] == "Trip Single":
        return _day(contract["concluded"])
    if contract["product"].startswith("Paws"):
        return began
    years = event.year - began.year
    return _later(began, 12 * years) if _later(began, 12 * years) <= event else _later(began, 12 * (years - 1))


def _later(day: date, months: int) -> date:
    month = day.month - 1 + months
    for last in (day.day, 30, 29, 28):
        try:
            return date(day.year + month // 12, month % 12 + 1, last)
        except ValueError:
            continue
    raise AssertionError


def _day(value: Any) -> date:
    return value if isinstance(value, date) else date.fromisoformat(value)


def _number(text: str) -> float:
    return float(text.replace(",", ""))
