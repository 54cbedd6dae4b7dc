"""Draws the insurer's books from one seeded sequence: customers, contracts, claims.

A claim is drawn until another edition or a neighbouring product would decide it otherwise, where that can be had: such
cases are what a library with many editions is about.
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

from .cases import DocumentedDecision, case_of, wrong_decisions
from .products import EDITIONS
from .rules import PRODUCTS, TODAY, ClaimCase, Requirement, line_of, period_of, plus_months, products_of
from .servicing import HOME_SUMS, INSTALMENTS, MILEAGE, SHEETS, zone_of

JSON = dict[str, Any]
CUSTOMERS = 120
# Days in which bulletins set rules aside, which the drawn claims keep out of.
QUIET = (date(2026, 1, 1), date(2026, 2, 28))

FIRST_NAMES = """
Alma Anselm Birgit Bogdan Carola Cosmo Dagny Dario Elin Emeric Fenja Florin Gerda Goran Hedda Henrik Ilka Ivo Jolanda
Julius Katinka Kasimir Linnea Lorenz Malin Marek Nele Norbert Ottilie Oskar Paula Pius Ragna Ruben Sanna Severin Thekla
Tibor Ulla Urban Verena Viktor Wilma Wenzel Ylva Zeno
"""
LAST_NAMES = """
Ackermann Bergfeld Castellan Dorn Eckhout Falkner Grothe Hallgrim Isbrand Jessen Kallweit Lorentz Marwitz Nordin
Oelrich Pastor Quandt Rosenow Steenbock Thalberg Uhlig Voss Wegener Ziegler Amsel Brodersen Clausen Detlev Engel
"""
STREETS = ["Ash Lane", "Bridge Street", "Chapel Road", "Dyke Road", "Elm Walk", "Ferry Street", "Garden Row",
           "Harbour Street", "Kiln Lane", "Linden Square", "Market Street", "Orchard Way"]  # fmt: skip
TOWNS = [("21", "Altmoor"), ("22", "Brakel"), ("23", "Dannau"), ("41", "Eilsen"), ("42", "Fahrdorf"), ("44", "Gellen"),
         ("50", "Heidby"), ("61", "Immenau"), ("62", "Karlum"), ("71", "Lunau"), ("72", "Mellin")]  # fmt: skip
VEHICLES = ["Corvane Lynx", "Halden 4", "Miralo Break", "Sorrel City", "Tandem Vario", "Veloce 2.0"]
PETS = [("dog", "Bruno"), ("dog", "Frieda"), ("cat", "Mohr"), ("cat", "Pippa"), ("dog", "Asta"), ("cat", "Kuno"),
        ("dog", "Balu"), ("cat", "Lotte")]  # fmt: skip
JOURNEYS = ["Lisbon", "the Lofoten", "Crete", "Edinburgh", "Tallinn", "the Azores", "Sicily", "Kyoto"]
DEVICES = ["telephone", "tablet", "portable computer", "camera"]
# Premiums a year from which the drawn ones are not far.
PRICES = {
    "drive-liability": 310, "drive-partial": 420, "drive-full": 690, "trip-single": 48, "trip-annual": 96,
    "trip-family": 158, "paws-surgery": 168, "paws-care": 324, "paws-care-plus": 516, "cycle-city": 72,
    "cycle-electric": 132, "gadget-basic": 54, "gadget-plus": 96,
}  # fmt: skip
LOSSES = {
    "home": (150, 4500), "motor": (150, 5000), "travel": (120, 3800), "pet": (90, 4800), "cycle": (150, 4600),
    "gadget": (90, 1700),
}  # fmt: skip
# What no product of a line insures.
EXCLUDED = {"home": ("flood",), "pet": ("breeding",)}
# What is to become of the drawn claims, and how often.
KINDS = {
    "settled": 50,
    "not_insured": 8,
    "waiting_period": 8,
    "condition_not_met": 14,
    "below_deductible": 5,
    "papers": 10,
    "adjuster": 9,
}


class World:
    """Draws the books from one seeded sequence."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.customers: JSON = {}
        self.contracts: JSON = {}
        self.claims: JSON = {}

    def draw_all(self) -> None:
        """Customers with contracts and claims, and what has happened before."""
        products = list(PRODUCTS)
        for number in range(CUSTOMERS):
            customer = self.customer(number)
            chosen = [products[number % len(products)], *self.rng.sample(products, self.rng.choice([1, 2, 2]))]
            for product in dict.fromkeys(chosen):
                self.contract(customer, product)
        for contract in list(self.contracts.values()):
            for _ in range(self.rng.choice([0, 1, 1])):
                self.claim(contract)
        self.past()

    def customer(self, number: int) -> JSON:
        """A customer without contracts yet."""
        rng = self.rng
        first, last = FIRST_NAMES.split(), LAST_NAMES.split()
        name = f"{first[number % len(first)]} {last[number * 7 % len(last)]}"
        prefix, town = rng.choice(TOWNS)
        since = date(2014, 1, 1) + timedelta(days=rng.randrange(3900))
        record: JSON = {
            "customer_id": f"C-{1001 + number * 7}",
            "name": name,
            "date_of_birth": str(date(1948, 1, 1) + timedelta(days=rng.randrange(19000))),
            "email": f"{name.replace(' ', '.').lower()}@example.com",
            "street": f"{rng.choice(STREETS)} {rng.randrange(1, 90)}",
            "postcode": f"{prefix}{rng.randrange(100, 1000)}",
            "city": town,
            "customer_since": str(since),
            "contract_ids": [],
        }
        self.customers[record["customer_id"]] = record
        return record

    def contract(self, customer: JSON, product: str) -> None:
        """A contract of a customer."""
        rng = self.rng
        since = max(date.fromisoformat(customer["customer_since"]), date(2022, 7, 1))
        if product == "trip-single":
            concluded = TODAY - timedelta(days=rng.randrange(3, 600))
        else:
            days = (TODAY - since).days
            concluded = since + timedelta(days=rng.randrange(max(1, days - 5)))
        began = concluded + timedelta(days=1) if product == "trip-single" else self.first_day(concluded)
        ends = self.year_end(began)
        contract_id = f"K-{20011 + len(self.contracts) * 13}"
        contract: JSON = {
            "contract_id": contract_id,
            "customer_id": customer["customer_id"],
            "product": PRODUCTS[product],
            "concluded": str(concluded),
            "cover_began": str(began),
            "insurance_year_ends": str(ends),
            "annual_premium": 0.0,
            "payment": "yearly"
            if product == "trip-single"
            else rng.choice(["yearly", "yearly", "quarterly", "monthly"]),
            "instalment": 0.0,
            "details": self.details(product, concluded, customer),
        }
        if line_of(product) == "home":
            contract["sum_insured"] = rng.randrange(20, 90) * 1000
            contract["details"]["flood_class"] = rng.choice([1, 1, 2, 3, 4])
        contract["annual_premium"] = self.premium(product, contract, customer)
        line = line_of(product)
        contract["instalment"] = INSTALMENTS[1].instalment(line, contract["annual_premium"], contract["payment"])
        self.journey(contract)
        self.contracts[contract_id] = contract
        customer["contract_ids"].append(contract_id)

    def journey(self, contract: JSON) -> None:
        """A single journey is insured until its last day, and over after that."""
        if last := contract["details"].get("journey_last_day"):
            contract["insurance_year_ends"] = last
            if last < str(TODAY):
                contract["status"] = "ended"

    def first_day(self, concluded: date) -> date:
        """The cover begins some days after the signature, often with a month."""
        day = concluded + timedelta(days=self.rng.randrange(1, 25))
        if self.rng.random() < 0.5:
            day = plus_months(day.replace(day=1), 1)
        return min(day, TODAY)

    def year_end(self, began: date) -> date:
        """The last day of the insurance year that is running."""
        years = TODAY.year - began.year + 1
        last = plus_months(began, 12 * years) - timedelta(days=1)
        return (
            last
            if plus_months(began, 12 * (years - 1)) <= TODAY
            else plus_months(began, 12 * (years - 1)) - timedelta(days=1)
        )

    def details(self, product: str, concluded: date, customer: JSON) -> JSON:
        """What is insured."""
        rng, line = self.rng, line_of(product)
        if line == "motor":
            adult = date.fromisoformat(customer["date_of_birth"]).year + 19
            licence = TODAY.year - max(adult, 1968)
            return {
                "vehicle": rng.choice(VEHICLES),
                "vehicle_age": rng.randrange(1, 12),
                "kilometres": rng.choice([4000, 8000, 11000, 14000, 18000, 24000]),
                "base_premium": PRICES[product] + 20 * rng.randrange(-3, 8),
                "no_claims_years": min(rng.randrange(0, 16), licence - 1),
                "licence_years": licence,
            }
        if line == "travel" and product == "trip-single":
            first = concluded + timedelta(days=rng.randrange(10, 80))
            last = first + timedelta(days=rng.randrange(5, 22))
            return {"journey_to": rng.choice(JOURNEYS), "journey_first_day": str(first), "journey_last_day": str(last)}
        if line == "pet":
            kind, name = rng.choice(PETS)
            return {"animal": kind, "animal_name": name, "pet_age": rng.randrange(2, 12)}
        if line == "cycle":
            return {"frame_number": f"FR{rng.randrange(100000, 999999)}"}
        if line == "gadget":
            return {"device": rng.choice(DEVICES), "serial_number": f"SN{rng.randrange(100000, 999999)}"}
        return {}

    def premium(self, product: str, contract: JSON, customer: JSON) -> float:
        """The annual premium by the tariffs of last year."""
        if line_of(product) == "home":
            zone = zone_of(customer["postcode"], date(2025, 3, 1))
            return HOME_SUMS[1].premium(product, zone, contract["sum_insured"])
        if line_of(product) == "motor":
            return MILEAGE[-1].premium(contract["details"]["base_premium"], contract["details"]["kilometres"])
        return float(PRICES[product] + 4 * self.rng.randrange(-3, 6))

    # -- claims -------------------------------------------------------------------------------------------------------

    def claim(self, contract: JSON) -> None:
        """An open claim; of some draws the first that a wrong document would decide otherwise."""
        began = date.fromisoformat(contract["cover_began"])
        if (TODAY - began).days < 40:
            return
        product = next(key for key, name in PRODUCTS.items() if name == contract["product"])
        wanted = self.rng.choices(list(KINDS), weights=list(KINDS.values()))[0]
        best: tuple[int, JSON] | None = None
        for _ in range(60):
            drawn = self.draw(contract, product, began, large=wanted == "adjuster")
            if drawn is None:
                continue
            case, right = self.case(contract, drawn)
            value = len({mistake.kind for mistake in wrong_decisions(case, right.decision)})
            value += 3 if right.decision.kind == wanted else 0
            if best is None or value > best[0]:
                best = (value, drawn)
            if value == 5:
                break
        if best is not None:
            self.file(contract, best[1])

    def case(self, contract: JSON, drawn: JSON) -> tuple[ClaimCase, DocumentedDecision]:
        """A drawn claim as a case, and what is right."""
        return case_of(contract, drawn, self.customers[contract["customer_id"]]["postcode"])

    def draw(self, contract: JSON, product: str, began: date, *, large: bool = False) -> JSON | None:
        """A claim as it might be."""
        rng, line = self.rng, line_of(product)
        earliest = max(began, date(2025, 5, 1))
        perils = sorted({cover.peril for one in products_of(line) for e in EDITIONS[one] for cover in e.covers})
        peril, latest = rng.choice(perils), date(2026, 3, 8)
        if product == "trip-single":
            first, last = (date.fromisoformat(contract["details"][f"journey_{end}_day"]) for end in ("first", "last"))
            earliest, latest = (began, min(first, latest)) if peril == "cancellation" else (first, min(last, latest))
        event = earliest + timedelta(days=rng.randrange(max(1, (latest - earliest).days)))
        if QUIET[0] <= event <= QUIET[1] or event > latest:
            return None
        low, high = LOSSES[line]
        loss = float(rng.randrange(low, high, 10) + (4000 if large else 0))
        if peril in ("delay", "prevention", "key_loss", "glass_breakage", "battery"):
            loss = float(rng.randrange(60, 900, 10))
        sheets = SHEETS[line]
        wait = rng.choice([1, 2, 3, 5, sheets[-1].deadline - 1, sheets[1].deadline + 1, sheets[-1].deadline + 3])
        reported = min(event + timedelta(days=max(1, wait)), TODAY - timedelta(days=1))
        papers = sorted({paper for sheet in sheets for paper in sheet.evidence.get(peril, ())})
        if papers and rng.random() < 0.15:
            papers.remove(rng.choice(papers))
        if peril in contract.get("paid_this_year", {}):
            return None
        facts = self.facts(line, peril)
        if product == "trip-single" and "trip_days" in facts:
            facts["trip_days"] = (last - first).days + 1
        return {
            "event": peril,
            "event_date": str(event),
            "reported_on": str(reported),
            "loss": loss,
            "facts": facts,
            "papers": papers,
        }

    def facts(self, line: str, peril: str) -> JSON:
        """A value for each fact that any edition of any product of the line asks for."""
        return {fact: self.fact(requirements) for fact, requirements in self.asked(line, peril).items()}

    def asked(self, line: str, peril: str) -> dict[str, list[Requirement]]:
        """The facts that any edition of any product of the line asks for, with what they ask."""
        asked: dict[str, list[Requirement]] = {}
        for product in products_of(line):
            for edition in EDITIONS[product]:
                for cover in edition.covers:
                    for requirement in cover.requires if cover.peril == peril else ():
                        asked.setdefault(requirement.fact, []).append(requirement)
        return asked

    def fact(self, asked: list[Requirement]) -> bool | int | str:
        """A value near the bounds that there are; mostly one with which the conditions are met."""
        rng, first = self.rng, asked[0]
        if first.equals is not None:
            return first.equals if rng.random() < 0.8 else not first.equals
        if first.among:
            return rng.choice([name for one in asked for name in one.among])
        bounds = sorted({one.at_least if one.at_least is not None else one.at_most or 0 for one in asked})
        step = 5 if first.fact == "lock_price" else 1
        return max(0, rng.choice(bounds) + step * rng.choice([-3, -1, 0, 0, 1, 2]))

    def file(self, contract: JSON, drawn: JSON) -> JSON:
        """Put a claim into the books."""
        claim = {"claim_id": f"S-{30007 + len(self.claims) * 11}", "contract_id": contract["contract_id"], **drawn}
        self.claims[claim["claim_id"]] = claim
        contract.setdefault("claim_ids", []).append(claim["claim_id"])
        return claim

    # -- what has happened before ------------------------------------------------------------------------------------

    def past(self) -> None:
        """Some claims are decided, some contracts have lapsed, animals have had treatments, families have children."""
        rng = self.rng
        for number, contract in enumerate(list(self.contracts.values())):
            line = line_of(next(key for key, name in PRODUCTS.items() if name == contract["product"]))
            open_claims = [self.claims[claim_id] for claim_id in contract.get("claim_ids", [])]
            if line == "pet" and open_claims and rng.random() < 0.6:
                self.paid_before(contract, open_claims[0])
            if number % 3 == 2:
                self.decide(contract, line)
            if number % 5 == 4 and contract["payment"] != "yearly" and not open_claims:
                contract["status"] = "lapsed"
                contract["lapsed_on"] = str(TODAY - timedelta(days=rng.choice([35, 62, 75, 88, 96, 120])))
                if contract["lapsed_on"] < contract["cover_began"]:  # in its second year, as it had begun by then
                    for day in ("concluded", "cover_began"):
                        contract[day] = str(plus_months(date.fromisoformat(str(contract[day])), -12))
                contract["open_instalments"] = round(contract["instalment"] * rng.choice([1, 2]), 2)
        people = sorted(self.customers.values(), key=lambda one: str(one["date_of_birth"]))
        for parent, child in zip(people[:18], people[-18:], strict=True):
            parent["relatives"] = {child["customer_id"]: "child"}
            child["relatives"] = {parent["customer_id"]: "parent"}

    def paid_before(self, contract: JSON, claim: JSON) -> None:
        """Something was paid in this insurance year for what an open claim is about; that lessens its limit."""
        case, verdict = self.case(contract, claim)
        cover = verdict.edition.cover(case.peril)
        if cover is not None and cover.limit is not None and self.in_this_year(contract, claim):
            part = self.rng.choice([0.3, 0.5, 0.6, 0.75, 0.8])
            contract["paid_this_year"] = {claim["event"]: float(round(cover.limit * part, -1))}

    def forget_what_was_not_covered(self) -> None:
        """Nothing can have been paid for a cover whose waiting period an open claim has shown to run."""
        for claim in self.claims.values():
            contract = self.contracts[claim["contract_id"]]
            paid = claim["event"] in contract.get("paid_this_year", {})
            if paid and self.case(contract, claim)[1].decision.kind == "waiting_period":
                del contract["paid_this_year"]

    def in_this_year(self, contract: JSON, claim: JSON) -> bool:
        """Whether a claim falls in the insurance year that is running."""
        period = period_of(date.fromisoformat(contract["cover_began"]), date.fromisoformat(claim["event_date"]))
        return str(plus_months(period, 12) - timedelta(days=1)) == str(contract["insurance_year_ends"])

    def decide(self, contract: JSON, line: str) -> None:
        """A claim that was closed some time ago."""
        rng = self.rng
        began = date.fromisoformat(contract["cover_began"])
        product = next(key for key, name in PRODUCTS.items() if name == contract["product"])
        if (TODAY - began).days < 150 or product == "trip-single":
            return
        draws = (self.draw(contract, product, began) for _ in range(20))
        drawn = next(
            (one for one in draws if one is not None and self.case(contract, one)[1].decision.kind == "settled"), None
        )
        if drawn is None:
            return
        decided = TODAY - timedelta(days=rng.choice([9, 20, 26, 37, 41, 55, 70, 200, 320, 400]))
        event = decided - timedelta(days=rng.randrange(6, 20))
        if event < began or QUIET[0] <= event <= QUIET[1]:
            return
        before = self.case(contract, drawn)[1].decision.settle
        drawn |= {"event_date": str(event), "reported_on": str(event + timedelta(days=2)), "decided_on": str(decided)}
        if rng.random() < 0.55:
            drawn |= {"status": "settled", "settlement": self.case(contract, drawn)[1].decision.settle or before}
        else:
            ground = rng.choice(["condition_not_met", "condition_not_met", "not_insured"])
            drawn |= {"status": "rejected", **self.rightly_rejected(contract, drawn, ground)}
        self.file(contract, drawn)

    def rightly_rejected(self, contract: JSON, drawn: JSON, ground: str) -> JSON:
        """What makes the rejection of a claim right: its own event or another, other facts, or a small loss."""
        line = line_of(self.case(contract, drawn)[0].product)
        events = [drawn["event"], *sorted(SHEETS[line][-1].evidence), *EXCLUDED.get(line, ())]
        made = (
            {"event": event, "facts": facts, "papers": papers, "loss": loss, "ground": why}
            for why, loss in ((ground, drawn["loss"]), ("below_deductible", 20.0), ("not_insured", drawn["loss"]))
            for event in events
            for papers in [sorted({paper for sheet in SHEETS[line] for paper in sheet.evidence.get(event, ())})]
            for facts in _near(self.asked(line, event))
        )
        return next(one for one in made if self.case(contract, {**drawn, **one})[1].decision.kind == one["ground"])


def _near(asked: dict[str, list[Requirement]]) -> list[JSON]:
    """Facts that meet what is asked of each, and those of which one does not."""
    met = {fact: _bound(requirements[0], met=True) for fact, requirements in asked.items()}
    return [met, *({**met, fact: _bound(one, met=False)} for fact, some in asked.items() for one in some)]


def _bound(one: Requirement, *, met: bool) -> bool | int | str:
    """A value that just meets a requirement, or just does not."""
    if one.equals is not None:
        return one.equals if met else not one.equals
    if one.at_least is not None:
        return one.at_least if met else one.at_least - 1
    if one.at_most is not None:
        return one.at_most if met else one.at_most + 1
    return one.among[0] if met else "other"
