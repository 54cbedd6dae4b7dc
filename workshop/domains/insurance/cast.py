"""Records that the draw gives too seldom: new contracts, journeys under way, storms, large losses, hard luck."""

from __future__ import annotations

from datetime import date, timedelta

from .drawing import JSON, TOWNS, World
from .rules import TODAY, line_of
from .servicing import INSTALMENTS


class Cast:
    """Puts them into a drawn world."""

    def __init__(self, world: World) -> None:
        self.world = world

    def act(self) -> None:
        """New contracts, journeys under way, second cars, storm Irma, burst pipes in the frost, and large losses."""
        people = list(self.world.customers.values())
        for number in range(10):
            product = ["home-comfort", "gadget-plus", "cycle-city", "trip-annual", "paws-care"][number % 5]
            concluded = TODAY - timedelta(days=[4, 9, 13, 14, 15, 18, 21, 25, 12, 27][number])
            self.add(people[4 + 5 * number], product, concluded, concluded + timedelta(days=2), "yearly")
        for number in range(8):
            concluded = TODAY - timedelta(days=[40, 140, 55, 33, 160, 70, 45, 150][number])
            contract = self.add(
                people[7 + 6 * number], "trip-single", concluded, concluded + timedelta(days=1), "yearly"
            )
            first, last = [6, 9, 12, 4, 10, 15, 3, 8][number], [2, 0, 5, 3, 1, 4, 6, 2][number]
            contract["details"]["journey_first_day"] = str(TODAY - timedelta(days=first))
            contract["details"]["journey_last_day"] = str(TODAY + timedelta(days=last))
            contract.pop("status", None)
            self.world.journey(contract)
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
        self.world.contract(customer, product)
        contract: JSON = self.world.contracts[customer["contract_ids"][-1]]
        contract |= {"concluded": str(concluded), "cover_began": str(began), "payment": payment}
        contract["insurance_year_ends"] = str(self.world.year_end(began))
        customer["customer_since"] = min(customer["customer_since"], str(concluded))
        line = line_of(product)
        contract["instalment"] = INSTALMENTS[1].instalment(line, contract["annual_premium"], payment)
        return contract

    def motor(self, customer: JSON) -> int:
        """How many cars a customer has insured."""
        return sum("vehicle" in self.world.contracts[one]["details"] for one in customer["contract_ids"])

    def household(self, number: int, postcode: str | None = None) -> JSON:
        """A contract on household contents for a customer who had none."""
        owners = {one["customer_id"] for one in self.world.contracts.values() if one["product"].startswith("Home")}
        customer = next(one for one in self.world.customers.values() if one["customer_id"] not in owners)
        if postcode is not None:
            prefix, town = next(one for one in TOWNS if one[0] == postcode)
            customer |= {"postcode": f"{prefix}{self.world.rng.randrange(100, 1000)}", "city": town}
        began = date(2024, 3, 1) + timedelta(days=53 * number % 560)
        product = ["home-comfort", "home-plus", "home-comfort", "home-basic"][number % 4]
        return self.add(
            customer, product, began - timedelta(days=11), began, self.world.rng.choice(["yearly", "quarterly"])
        )

    def of_the_storm(self, number: int) -> None:
        """A claim by storm Irma, or by the frost of January; some miss what the bulletins ask for."""
        contract = self.household(number, ["41", "42", "44", "41", "50", "44", "42"][number % 7])
        storm = number % 2 == 0
        event = date(2026, 2, 10 + number % 4) if storm else date(2026, 1, 6 + number % 9)
        days = [3, 12, 20, 24, 27, 9, 14][number % 7] if storm else [4, 9, 13, 17][number % 4]
        facts: JSON = {"wind_force": 9} if storm else {"days_unoccupied": self.world.rng.choice([35, 50, 58, 70, 80])}
        papers = ["photos"] if storm else ["photos", "repair_estimate"]
        loss = float(self.world.rng.randrange(40, 420) * 10)
        reported = event + timedelta(days=days)
        self.world.file(contract, {
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
        self.world.file(contract, {
            "event": "fire" if fire else "escape_of_water", "event_date": str(event),
            "reported_on": str(event + timedelta(days=2)), "loss": float(self.world.rng.randrange(42, 130) * 100),
            "facts": facts, "papers": papers,
        })  # fmt: skip

    def hard_luck(self, number: int) -> None:
        """A claim that was rejected because of a condition, of an old or a young customer."""
        contract = self.household(number)
        years = [4, 6, 8, 3, 9, 4, 5, 7][number]
        customer = self.world.customers[contract["customer_id"]]
        concluded = [self.world.contracts[one]["concluded"] for one in customer["contract_ids"]]
        customer["customer_since"] = min(str(TODAY - timedelta(days=365 * years + 90)), *concluded)
        event = TODAY - timedelta(days=60 + 7 * number)
        self.world.file(contract, {
            "event": "escape_of_water", "event_date": str(event), "reported_on": str(event + timedelta(days=3)),
            "loss": float(self.world.rng.randrange(30, 190) * 10), "facts": {"days_unoccupied": 95 + 6 * number},
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
        self.world.file(contract, {
            "event": "vandalism" if cycle else "accidental_damage", "event_date": str(event),
            "reported_on": str(event + timedelta(days=2)), "loss": 260.0,
            "facts": {} if cycle else {"device_age_months": 14},
            "papers": ["repair_estimate"] if cycle else ["photos", "repair_estimate"],
            "status": "settled", "decided_on": str(decided),
            "settlement": {"cycle-city": 185.0, "gadget-basic": 171.0, "cycle-electric": 160.0}[product],
        })  # fmt: skip
