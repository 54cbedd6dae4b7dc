"""The sixteen products: what each edition of their terms insures, and for how much."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from .rules import Cover, Edition, Requirement, products_of

STARTS = {
    "home": (date(2022, 4, 1), date(2024, 1, 1), date(2025, 7, 1)),
    "motor": (date(2022, 1, 1), date(2024, 1, 1), date(2025, 10, 1)),
    "travel": (date(2023, 1, 1), date(2024, 11, 1), date(2025, 11, 1)),
    "pet": (date(2021, 6, 1), date(2023, 3, 1), date(2025, 4, 1)),
    "cycle": (date(2022, 3, 1), date(2024, 3, 1), date(2025, 6, 1)),
    "gadget": (date(2022, 9, 1), date(2024, 5, 1), date(2025, 9, 1)),
}


def _is(fact: str, value: bool = True) -> Requirement:
    return Requirement(fact, equals=value)


def _wind(force: int) -> tuple[Requirement, ...]:
    return (Requirement("wind_force", at_least=force),)


def _absence(days: int) -> tuple[Requirement, ...]:
    return (Requirement("days_unoccupied", at_most=days),)


def _species(*names: str) -> tuple[Requirement, ...]:
    return (Requirement("animal", among=names),)


def _causes(*names: str, days: int | None = None) -> tuple[Requirement, ...]:
    late = () if days is None else (Requirement("days_from_booking_to_cover", at_most=days),)
    return (Requirement("cause", among=names), *late)


def _trip(days: int) -> Requirement:
    return Requirement("trip_days", at_most=days)


def _lock(price: int, *more: Requirement) -> tuple[Requirement, ...]:
    return (Requirement("lock_price", at_least=price), *more)


def _age(months: int) -> tuple[Requirement, ...]:
    return (Requirement("device_age_months", at_most=months),)


LOCKED, INDOORS_AT_NIGHT, FORCED = _is("locked"), _is("outdoors_at_night", False), _is("forced_entry")
FIXED, OUT_OF_SIGHT, SUPERVISED = _is("locked_to_fixed_object"), _is("out_of_sight"), _is("supervised")
NEW_ILLNESS, ACCIDENT, NO_RACE = (
    _is("known_before_departure", False),
    _is("tooth_broken_by_accident"),
    _is("race", False),
)
GAME, ALL_ANIMALS = ("deer", "wild_boar", "hare"), ("deer", "wild_boar", "hare", "cow", "dog", "bird")
FAMILY, WORK = ("illness", "death_in_family"), ("illness", "death_in_family", "job_loss")
COURT = (*WORK, "court_summons")

# product -> one entry an edition: general deductible, then the covers; a peril that is not named is not insured.
_TERMS: dict[str, tuple[tuple[int, tuple[Cover, ...]], ...]] = {
    "home-basic": (
        (150, (Cover("fire"), Cover("escape_of_water", 250, requires=_absence(60)), Cover("storm", requires=_wind(8)),
               Cover("burglary", requires=(FORCED,)), Cover("valuables_theft", limit_percent=10))),
        (200, (Cover("fire"), Cover("escape_of_water", 300, requires=_absence(45)), Cover("storm", requires=_wind(8)),
               Cover("burglary", requires=(FORCED,)), Cover("valuables_theft", limit_percent=10),
               Cover("car_break_in", limit=250, requires=(OUT_OF_SIGHT,)))),
        (250, (Cover("fire", 150), Cover("escape_of_water", 400, requires=_absence(30)),
               Cover("storm", requires=_wind(8)), Cover("burglary", requires=(FORCED,)),
               Cover("valuables_theft", limit_percent=15), Cover("car_break_in", limit=300, requires=(OUT_OF_SIGHT,)))),
    ),
    "home-comfort": (
        (100, (Cover("fire"), Cover("escape_of_water", 150, requires=_absence(60)), Cover("storm", requires=_wind(8)),
               Cover("burglary", requires=(FORCED,)), Cover("valuables_theft", limit_percent=20),
               Cover("bicycle_theft", limit=500, requires=(LOCKED, INDOORS_AT_NIGHT)),
               Cover("car_break_in", limit=500, requires=(OUT_OF_SIGHT,)))),
        (150, (Cover("fire"), Cover("escape_of_water", 200, requires=_absence(60)), Cover("storm", requires=_wind(7)),
               Cover("burglary"), Cover("valuables_theft", limit_percent=20),
               Cover("bicycle_theft", 75, limit=1000, requires=(LOCKED,)),
               Cover("car_break_in", limit=600, requires=(OUT_OF_SIGHT,)))),
        (125, (Cover("fire"), Cover("escape_of_water", 250, requires=_absence(45)), Cover("storm", 200),
               Cover("burglary"), Cover("valuables_theft", limit_percent=25),
               Cover("bicycle_theft", 100, limit=1500, requires=(LOCKED,)), Cover("car_break_in", limit=750),
               Cover("glass_breakage", 50, limit=800))),
    ),
    "home-plus": (
        (50, (Cover("fire"), Cover("escape_of_water", 100, requires=_absence(90)), Cover("storm", requires=_wind(7)),
              Cover("burglary"), Cover("valuables_theft", limit_percent=25),
              Cover("bicycle_theft", limit=1500, requires=(LOCKED,)), Cover("car_break_in", limit=1000))),
        (0, (Cover("fire"), Cover("escape_of_water", 150, requires=_absence(90)), Cover("storm"), Cover("burglary"),
             Cover("valuables_theft", limit_percent=30), Cover("bicycle_theft", 50, limit=2500, requires=(LOCKED,)),
             Cover("car_break_in", limit=1200), Cover("glass_breakage", limit=1500))),
        (75, (Cover("fire", 0), Cover("escape_of_water", 175, requires=_absence(90)), Cover("storm"), Cover("burglary"),
              Cover("valuables_theft", limit_percent=35), Cover("bicycle_theft", limit=3000),
              Cover("car_break_in", limit=1600), Cover("glass_breakage", 0, limit=2000))),
    ),
    "drive-liability": (
        (0, (Cover("key_loss", 50, limit=300),)),
        (0, (Cover("key_loss", 75, limit=350), Cover("marten_bite", 150, limit=500))),
        (0, (Cover("key_loss", 100, limit=400), Cover("marten_bite", 200, limit=600))),
    ),
    "drive-partial": (
        (150, (Cover("theft"), Cover("glass"), Cover("storm", requires=_wind(8)),
               Cover("animal", requires=_species(*GAME)), Cover("marten_bite", limit=1000))),
        (200, (Cover("theft"), Cover("glass", 150), Cover("storm", requires=_wind(8)),
               Cover("animal", requires=_species(*GAME, "cow")), Cover("marten_bite", limit=2000),
               Cover("key_loss", 100, limit=500))),
        (300, (Cover("theft"), Cover("glass", 175), Cover("storm", requires=_wind(7)),
               Cover("animal", requires=_species(*ALL_ANIMALS)), Cover("marten_bite", 150, limit=2500),
               Cover("key_loss", 125, limit=600))),
    ),
    "drive-full": (
        (300, (Cover("collision"), Cover("theft", 150), Cover("glass", 150), Cover("storm", 150, requires=_wind(8)),
               Cover("animal", 150, requires=_species(*GAME)), Cover("marten_bite", 150, limit=2000),
               Cover("vandalism"))),
        (400, (Cover("collision"), Cover("theft", 200), Cover("glass", 100), Cover("storm", 200, requires=_wind(7)),
               Cover("animal", 200, requires=_species(*ALL_ANIMALS)), Cover("marten_bite", 200, limit=3000),
               Cover("vandalism"), Cover("key_loss", 0, limit=800))),
        (500, (Cover("collision"), Cover("theft", 250), Cover("glass", 125), Cover("storm", 250),
               Cover("animal", 250, requires=_species(*ALL_ANIMALS)), Cover("marten_bite", 100, limit=4000),
               Cover("vandalism", 350), Cover("key_loss", 50, limit=1000))),
    ),
    "trip-single": (
        (0, (Cover("cancellation", share=80, requires=_causes(*FAMILY, days=30)),
             Cover("interruption", share=80, requires=_causes(*FAMILY)),
             Cover("medical_abroad", 50, requires=(NEW_ILLNESS,)),
             Cover("baggage", 50, limit=1000, requires=(SUPERVISED,)))),
        (0, (Cover("cancellation", share=80, requires=_causes(*WORK, days=21)),
             Cover("interruption", share=75, requires=_causes(*FAMILY)),
             Cover("medical_abroad", 75, requires=(NEW_ILLNESS,)),
             Cover("baggage", 75, limit=1500, requires=(SUPERVISED,)),
             Cover("delay", limit=100, requires=(Requirement("hours_late", at_least=6),)))),
        (0, (Cover("cancellation", share=85, requires=_causes(*WORK, days=14)),
             Cover("interruption", share=70, requires=_causes(*WORK)),
             Cover("medical_abroad", 100, requires=(NEW_ILLNESS,)),
             Cover("baggage", 100, limit=2000, requires=(SUPERVISED,)),
             Cover("delay", limit=150, requires=(Requirement("hours_late", at_least=5),)))),
    ),
    "trip-annual": (
        (0, (Cover("cancellation", 50, requires=(*_causes(*FAMILY), _trip(42))),
             Cover("interruption", 50, requires=_causes(*FAMILY)),
             Cover("medical_abroad", requires=(NEW_ILLNESS, _trip(42))),
             Cover("baggage", 100, limit=1500, requires=(SUPERVISED,)))),
        (0, (Cover("cancellation", 100, requires=(*_causes(*WORK), _trip(56))),
             Cover("interruption", 75, requires=_causes(*FAMILY)),
             Cover("medical_abroad", requires=(NEW_ILLNESS, _trip(56))),
             Cover("baggage", 100, limit=2000, requires=(SUPERVISED,)),
             Cover("delay", limit=150, requires=(Requirement("hours_late", at_least=6),)))),
        (0, (Cover("cancellation", 125, requires=(*_causes(*COURT), _trip(45))),
             Cover("interruption", 100, requires=_causes(*WORK)),
             Cover("medical_abroad", 50, requires=(NEW_ILLNESS, _trip(45))),
             Cover("baggage", 150, limit=2500),
             Cover("delay", limit=200, requires=(Requirement("hours_late", at_least=4),)))),
    ),
    "trip-family": (
        (0, (Cover("cancellation", 100, requires=(*_causes(*FAMILY), _trip(56))),
             Cover("interruption", 100, requires=_causes(*FAMILY)),
             Cover("medical_abroad", requires=(NEW_ILLNESS, _trip(56))),
             Cover("baggage", 100, limit=2500, requires=(SUPERVISED,)))),
        (0, (Cover("cancellation", 150, requires=(*_causes(*WORK), _trip(70))),
             Cover("interruption", 100, requires=_causes(*WORK)),
             Cover("medical_abroad", requires=(NEW_ILLNESS, _trip(70))),
             Cover("baggage", 150, limit=3500, requires=(SUPERVISED,)),
             Cover("delay", limit=300, requires=(Requirement("hours_late", at_least=5),)))),
        (0, (Cover("cancellation", 200, requires=(*_causes(*COURT), _trip(60))),
             Cover("interruption", 150, requires=_causes(*WORK)),
             Cover("medical_abroad", 75, requires=(NEW_ILLNESS, _trip(60))),
             Cover("baggage", 200, limit=4000),
             Cover("delay", limit=400, requires=(Requirement("hours_late", at_least=3),)))),
    ),
    "paws-surgery": (
        (0, (Cover("accident_surgery", 100, limit=2500, yearly=True),
             Cover("illness_surgery", 150, limit=2500, yearly=True, waiting=3))),
        (0, (Cover("accident_surgery", 150, limit=3000, yearly=True),
             Cover("illness_surgery", 150, share=80, limit=3000, yearly=True, waiting=2))),
        (0, (Cover("accident_surgery", 200, limit=4000, yearly=True),
             Cover("illness_surgery", 200, share=90, limit=4000, yearly=True, waiting=1))),
    ),
    "paws-care": (
        (0, (Cover("accident_surgery", share=80, limit=4000, yearly=True),
             Cover("illness_surgery", share=80, limit=4000, yearly=True, waiting=3),
             Cover("accident_treatment", share=70, limit=1000, yearly=True),
             Cover("illness_treatment", share=70, limit=1000, yearly=True, waiting=3))),
        (0, (Cover("accident_surgery", 50, share=80, limit=5000, yearly=True),
             Cover("illness_surgery", 50, share=80, limit=5000, yearly=True, waiting=2),
             Cover("accident_treatment", 50, share=80, limit=1500, yearly=True),
             Cover("illness_treatment", 50, share=75, limit=1500, yearly=True, waiting=2),
             Cover("dental", share=50, limit=400, yearly=True, waiting=6, requires=(ACCIDENT,)))),
        (0, (Cover("accident_surgery", 75, share=85, limit=6000, yearly=True),
             Cover("illness_surgery", 75, share=85, limit=6000, yearly=True, waiting=1),
             Cover("accident_treatment", 75, share=85, limit=2000, yearly=True),
             Cover("illness_treatment", 75, share=80, limit=2000, yearly=True, waiting=2),
             Cover("dental", share=60, limit=500, yearly=True, waiting=8, requires=(ACCIDENT,)))),
    ),
    "paws-care-plus": (
        (0, (Cover("accident_surgery", limit=8000, yearly=True),
             Cover("illness_surgery", share=90, limit=8000, yearly=True, waiting=2),
             Cover("accident_treatment", share=90, limit=2500, yearly=True),
             Cover("illness_treatment", share=90, limit=2500, yearly=True, waiting=3),
             Cover("prevention", limit=60, yearly=True, waiting=6))),
        (0, (Cover("accident_surgery", limit=10000, yearly=True),
             Cover("illness_surgery", limit=10000, yearly=True, waiting=1),
             Cover("accident_treatment", share=95, limit=3500, yearly=True),
             Cover("illness_treatment", share=90, limit=3500, yearly=True, waiting=2),
             Cover("dental", share=70, limit=800, yearly=True, waiting=6), Cover("prevention", limit=80, yearly=True))),
        (0, (Cover("accident_surgery", 25, limit=12000, yearly=True),
             Cover("illness_surgery", 25, limit=12000, yearly=True, waiting=1),
             Cover("accident_treatment", 25, limit=5000, yearly=True),
             Cover("illness_treatment", 25, share=95, limit=5000, yearly=True, waiting=1),
             Cover("dental", share=80, limit=1000, yearly=True, waiting=4),
             Cover("prevention", limit=100, yearly=True, waiting=3))),
    ),
    "cycle-city": (
        (50, (Cover("theft", limit=1200, requires=_lock(29, INDOORS_AT_NIGHT)), Cover("vandalism", limit=400))),
        (60, (Cover("theft", limit=1500, requires=_lock(39, FIXED)), Cover("vandalism", limit=500))),
        (75, (Cover("theft", limit=2000, requires=_lock(49, FIXED)), Cover("vandalism", limit=600),
              Cover("fall", 100, limit=700, requires=(NO_RACE,)))),
    ),
    "cycle-electric": (
        (50, (Cover("theft", percent=10, limit=3000, requires=_lock(49, INDOORS_AT_NIGHT)),
              Cover("vandalism", limit=800),
              Cover("battery", limit=400, requires=(Requirement("battery_age_months", at_most=24),)))),
        (75, (Cover("theft", percent=10, limit=4000, requires=_lock(59, FIXED)), Cover("vandalism", limit=1000),
              Cover("fall", limit=1200, requires=(NO_RACE,)),
              Cover("battery", limit=500, requires=(Requirement("battery_age_months", at_most=36),)))),
        (100, (Cover("theft", percent=15, limit=5000, requires=_lock(69, FIXED)), Cover("vandalism", limit=1200),
               Cover("fall", 75, limit=1500, requires=(NO_RACE,)),
               Cover("battery", 50, limit=650, requires=(Requirement("battery_age_months", at_most=30),)))),
    ),
    "gadget-basic": (
        (30, (Cover("accidental_damage", share=90, limit=600, requires=_age(24)),)),
        (40, (Cover("accidental_damage", share=80, limit=700, requires=_age(36)),
              Cover("liquid_damage", 60, share=80, limit=500, requires=_age(24)))),
        (50, (Cover("accidental_damage", share=85, limit=800, requires=_age(30)),
              Cover("liquid_damage", 80, share=85, limit=600, requires=_age(30)))),
    ),
    "gadget-plus": (
        (25, (Cover("accidental_damage", limit=1000, requires=_age(36)),
              Cover("liquid_damage", limit=1000, requires=_age(36)),
              Cover("device_theft", 100, limit=800, requires=(_is("left_unattended", False),)))),
        (35, (Cover("accidental_damage", limit=1400, requires=_age(48)),
              Cover("liquid_damage", 50, limit=1400, requires=_age(36)),
              Cover("device_theft", 120, limit=1200, requires=(_is("left_unattended", False),)))),
        (45, (Cover("accidental_damage", limit=1800, requires=_age(60)),
              Cover("liquid_damage", 70, limit=1500, requires=_age(48)),
              Cover("device_theft", 150, limit=1500, waiting=1, requires=(_is("left_unattended", False),)))),
    ),
}  # fmt: skip


def _editions(product: str, line: str) -> Iterator[Edition]:
    starts = STARTS[line]
    for position, (deductible, covers) in enumerate(_TERMS[product]):
        last = starts[position + 1] - timedelta(days=1) if position + 1 < len(starts) else None
        yield Edition(product, starts[position], last, deductible, covers)


EDITIONS: dict[str, tuple[Edition, ...]] = {
    product: tuple(_editions(product, line)) for line in STARTS for product in products_of(line)
}
