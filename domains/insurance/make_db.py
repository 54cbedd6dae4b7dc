"""Writes db.json: invented customers with contracts and claims, the same on every machine.

    python -m domains.insurance.make_db

A claim is drawn until another edition or a neighbouring product would decide it otherwise, where that can be had: such
cases are what a library with many editions is about. Tasks and their numbers depend on the result, so a change here
means checking every task of the suite again.
"""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from .cases import Verdict, case_of, wrong_decisions
from .products import EDITIONS
from .rules import PRODUCTS, TODAY, Case, Requirement, line_of, plus_months, products_of
from .servicing import HOME_SUMS, INSTALMENTS, MILEAGE, SHEETS, zone_of

SEED = 23
CUSTOMERS = 120
JSON = dict[str, Any]
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

    def build(self) -> JSON:
        """The whole database."""
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
        self.cast()
        tables = {"customers": self.customers, "contracts": self.contracts, "claims": self.claims}
        return {**tables, "procedure_runs": {}}

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
        self.contracts[contract_id] = contract
        customer["contract_ids"].append(contract_id)

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
            return {
                "vehicle": rng.choice(VEHICLES),
                "vehicle_age": rng.randrange(1, 12),
                "kilometres": rng.choice([4000, 8000, 11000, 14000, 18000, 24000]),
                "base_premium": PRICES[product] + 20 * rng.randrange(-3, 8),
                "no_claims_years": rng.randrange(0, 16),
                "licence_years": TODAY.year - max(adult, 1968),
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

    def case(self, contract: JSON, drawn: JSON) -> tuple[Case, Verdict]:
        """A drawn claim as a case, and what is right."""
        return case_of(contract, drawn, self.customers[contract["customer_id"]]["postcode"])

    def draw(self, contract: JSON, product: str, began: date, *, large: bool = False) -> JSON | None:
        """A claim as it might be."""
        rng, line = self.rng, line_of(product)
        earliest = max(began, date(2025, 5, 1))
        perils = sorted({cover.peril for one in products_of(line) for e in EDITIONS[one] for cover in e.covers})
        event = earliest + timedelta(days=rng.randrange(max(1, (date(2026, 3, 8) - earliest).days)))
        if QUIET[0] <= event <= QUIET[1]:
            return None
        peril = rng.choice(perils)
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
        return {
            "event": peril,
            "event_date": str(event),
            "reported_on": str(reported),
            "loss": loss,
            "facts": self.facts(line, peril),
            "papers": papers,
        }

    def facts(self, line: str, peril: str) -> JSON:
        """The facts that any edition of any product of the line asks for."""
        asked: dict[str, list[Requirement]] = {}
        for product in products_of(line):
            for edition in EDITIONS[product]:
                for cover in edition.covers:
                    for requirement in cover.requires if cover.peril == peril else ():
                        asked.setdefault(requirement.fact, []).append(requirement)
        return {fact: self.fact(requirements) for fact, requirements in asked.items()}

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
                # Another cover has a limit of its own, so this only matters where it is the same one.
                contract["paid_this_year"] = {open_claims[0]["event"]: float(rng.randrange(20, 180) * 10)}
            if number % 3 == 2:
                self.decided(contract, line)
            if number % 5 == 4 and contract["payment"] != "yearly" and not open_claims:
                contract["status"] = "lapsed"
                contract["lapsed_on"] = str(TODAY - timedelta(days=rng.choice([35, 62, 75, 88, 96, 120])))
                contract["open_instalments"] = round(contract["instalment"] * rng.choice([1, 2]), 2)
        people = list(self.customers.values())
        for parent, child in zip(people[::6], people[3::6], strict=False):
            parent["relatives"] = {child["customer_id"]: "child"}
            child["relatives"] = {parent["customer_id"]: "parent"}

    def decided(self, contract: JSON, line: str) -> None:
        """A claim that was closed some time ago."""
        rng = self.rng
        began = date.fromisoformat(contract["cover_began"])
        product = next(key for key, name in PRODUCTS.items() if name == contract["product"])
        if (TODAY - began).days < 150:
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
        drawn |= {"event_date": str(event), "reported_on": str(event + timedelta(days=2)), "decided_on": str(decided)}
        if rng.random() < 0.55:
            drawn |= {"status": "settled", "settlement": self.case(contract, drawn)[1].decision.settle}
        else:
            ground = rng.choice(["condition_not_met", "condition_not_met", "not_insured"])
            drawn |= {"status": "rejected", "ground": ground}
        self.file(contract, drawn)

    # -- records that the draw gives too seldom -----------------------------------------------------------------------

    def cast(self) -> None:
        """New contracts, journeys under way, second cars, storm Irma, burst pipes in the frost, and large losses."""
        people = list(self.customers.values())
        for number in range(10):
            product = ["home-comfort", "gadget-plus", "cycle-city", "trip-annual", "paws-care"][number % 5]
            concluded = TODAY - timedelta(days=[4, 9, 13, 14, 15, 18, 21, 25, 12, 27][number])
            self.add(people[4 + 5 * number], product, concluded, concluded + timedelta(days=2), "yearly")
        for number in range(8):
            concluded = TODAY - timedelta(days=[40, 140, 55, 33, 160, 70, 45, 150][number])
            contract = self.add(
                people[7 + 6 * number], "trip-single", concluded, concluded + timedelta(days=1), "yearly"
            )
            days = {
                "journey_first_day": -[6, 9, 12, 4, 10, 15, 3, 8][number],
                "journey_last_day": [2, 0, 5, 3, 1, 4, 6, 2][number],
            }
            contract["details"] |= {key: str(TODAY + timedelta(days=value)) for key, value in days.items()}
        for number in range(6):
            began = TODAY - timedelta(days=300 + 71 * number)
            owner = next(one for one in people[9 * number + 1 :] if self.motor(one) == 1)
            second = self.add(
                owner, ["drive-full", "drive-liability"][number % 2], began - timedelta(days=9), began, "monthly"
            )
            second["details"]["no_claims_years"] = [0, 1, 2][number % 3]
        for number in range(14):
            self.of_the_storm(number)
        for number in range(12):
            self.large(number)
        for number in range(8):
            self.hard_luck(number)
        for number in range(9):
            self.just_settled(people[3 + 13 * number], number)

    def add(self, customer: JSON, product: str, concluded: date, began: date, payment: str) -> JSON:
        """A contract with these days."""
        self.contract(customer, product)
        contract: JSON = self.contracts[customer["contract_ids"][-1]]
        contract |= {"concluded": str(concluded), "cover_began": str(began), "payment": payment}
        contract["insurance_year_ends"] = str(self.year_end(began))
        line = line_of(product)
        contract["instalment"] = INSTALMENTS[1].instalment(line, contract["annual_premium"], payment)
        return contract

    def motor(self, customer: JSON) -> int:
        """How many cars a customer has insured."""
        return sum("vehicle" in self.contracts[one]["details"] for one in customer["contract_ids"])

    def household(self, number: int, postcode: str | None = None) -> JSON:
        """A contract on household contents for a customer who had none."""
        owners = {one["customer_id"] for one in self.contracts.values() if one["product"].startswith("Home")}
        customer = next(one for one in self.customers.values() if one["customer_id"] not in owners)
        if postcode is not None:
            prefix, town = next(one for one in TOWNS if one[0] == postcode)
            customer |= {"postcode": f"{prefix}{self.rng.randrange(100, 1000)}", "city": town}
        began = date(2024, 3, 1) + timedelta(days=53 * number % 560)
        product = ["home-comfort", "home-plus", "home-comfort", "home-basic"][number % 4]
        return self.add(customer, product, began - timedelta(days=11), began, self.rng.choice(["yearly", "quarterly"]))

    def of_the_storm(self, number: int) -> None:
        """A claim by storm Irma, or by the frost of January; some miss what the bulletins ask for."""
        contract = self.household(number, ["41", "42", "44", "41", "50", "44", "42"][number % 7])
        storm = number % 2 == 0
        event = date(2026, 2, 10 + number % 4) if storm else date(2026, 1, 6 + number % 9)
        days = [3, 12, 20, 24, 27, 9, 14][number % 7] if storm else [4, 9, 13, 17][number % 4]
        facts: JSON = {"wind_force": 9} if storm else {"days_unoccupied": self.rng.choice([35, 50, 58, 70, 80])}
        papers = ["photos"] if storm else ["photos", "repair_estimate"]
        loss = float(self.rng.randrange(40, 420) * 10)
        reported = event + timedelta(days=days)
        self.file(contract, {
            "event": "storm" if storm else "escape_of_water", "event_date": str(event), "reported_on": str(reported),
            "loss": loss, "facts": facts, "papers": papers,
        })  # fmt: skip

    def large(self, number: int) -> None:
        """A fire or a burst pipe with a large loss; the papers are seldom complete."""
        contract = self.household(number)
        fire = number % 3 != 1
        event = TODAY - timedelta(days=12 + number)
        facts: JSON = {} if fire else {"days_unoccupied": 3}
        papers = ["photos"] if number % 3 == 2 else []
        self.file(contract, {
            "event": "fire" if fire else "escape_of_water", "event_date": str(event),
            "reported_on": str(event + timedelta(days=2)), "loss": float(self.rng.randrange(42, 130) * 100),
            "facts": facts, "papers": papers,
        })  # fmt: skip

    def hard_luck(self, number: int) -> None:
        """A claim that was rejected because of a condition, of an old or a young customer."""
        contract = self.household(number)
        years = [4, 6, 8, 3, 9, 4, 5, 7][number]
        self.customers[contract["customer_id"]]["customer_since"] = str(TODAY - timedelta(days=365 * years + 90))
        event = TODAY - timedelta(days=60 + 7 * number)
        self.file(contract, {
            "event": "escape_of_water", "event_date": str(event), "reported_on": str(event + timedelta(days=3)),
            "loss": float(self.rng.randrange(30, 190) * 10), "facts": {"days_unoccupied": 95 + 6 * number},
            "papers": ["photos", "repair_estimate"], "status": "rejected", "ground": "condition_not_met",
            "decided_on": str(event + timedelta(days=15)),
        })  # fmt: skip

    def just_settled(self, customer: JSON, number: int) -> None:
        """A claim that was settled some weeks ago, near the end of the time in which that is a reason to leave."""
        product = ["cycle-city", "gadget-basic", "cycle-electric"][number % 3]
        began = date(2025, 9, 20) + timedelta(days=7 * number)
        contract = self.add(customer, product, began - timedelta(days=6), began, "yearly")
        decided = TODAY - timedelta(days=[38, 21, 52, 66, 12, 31, 24, 29, 58][number])
        event = decided - timedelta(days=11)
        cycle = product.startswith("cycle")
        self.file(contract, {
            "event": "vandalism" if cycle else "accidental_damage", "event_date": str(event),
            "reported_on": str(event + timedelta(days=2)), "loss": 260.0,
            "facts": {} if cycle else {"device_age_months": 14},
            "papers": ["repair_estimate"] if cycle else ["photos", "repair_estimate"],
            "status": "settled", "decided_on": str(decided),
            "settlement": {"cycle-city": 185.0, "gadget-basic": 171.0, "cycle-electric": 160.0}[product],
        })  # fmt: skip


def render(world: JSON) -> str:
    """The database as JSON with one record a line, so that a change shows as a change of lines."""
    tables = []
    for table, records in world.items():
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(record)}" for key, record in records.items())
        tables.append(f'"{table}": {{\n{lines}\n}}' if records else f'"{table}": {{}}')
    return "{\n" + ",\n".join(tables) + "\n}\n"


def main() -> None:
    """Write the file and say what is in it."""
    world = World(SEED).build()
    path = Path(__file__).with_name("db.json")
    path.write_text(render(world), encoding="utf-8")
    print(f"{path}: {', '.join(f'{len(records)} {table}' for table, records in world.items())}")


if __name__ == "__main__":
    main()
