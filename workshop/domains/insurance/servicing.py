"""How the insurer works, edition by edition: claims sheets, the end of contracts, extras, tariffs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from .contracts import CancellationRule, Endorsement, InstalmentTariff, MileageTariff, SumTariff
from .rules import ClaimsSheet
from .values import VALUES

_UNTIL_2024, _UNTIL_2025 = date(2024, 12, 31), date(2025, 12, 31)
_SHEET_DAYS = ((date(2023, 1, 1), _UNTIL_2024), (date(2025, 1, 1), _UNTIL_2025), (date(2026, 1, 1), None))

POLICE, INVOICE, PURCHASE, PHOTOS = "police_report", "invoice", "proof_of_purchase", "photos"
ESTIMATE, DOCTOR, BOOKING, CARRIER = "repair_estimate", "medical_certificate", "booking_confirmation", "carrier_report"
VET, RECORD = "vet_invoice", "vet_record"

_HOME = {"burglary": (POLICE, PURCHASE), "valuables_theft": (POLICE, PURCHASE), "fire": (PHOTOS,)}
_MOTOR = {"theft": (POLICE,), "collision": (ESTIMATE,), "vandalism": (POLICE, ESTIMATE), "glass": (INVOICE,)}
_TRAVEL = {"baggage": (PURCHASE,), "cancellation": (BOOKING,), "medical_abroad": (INVOICE,)}
_PET = dict.fromkeys(("accident_surgery", "illness_surgery", "accident_treatment", "illness_treatment"), (VET,))
_CYCLE = {"theft": (POLICE, PURCHASE), "vandalism": (ESTIMATE,)}
_GADGET = {"accidental_damage": (ESTIMATE,), "device_theft": (POLICE, PURCHASE)}

# line -> one entry a sheet: days to report, percent off when late, loss from which an adjuster goes, evidence.
_SHEETS: dict[str, tuple[tuple[int, int, int | None, Mapping[str, tuple[str, ...]]], ...]] = {
    "home": (
        (7, 25, 3000, {**_HOME, "bicycle_theft": (POLICE,)}),
        (10, 20, 4000, {**_HOME, "bicycle_theft": (POLICE, PURCHASE), "escape_of_water": (PHOTOS,)}),
        (14, VALUES["late_home"], 5000, {
            **_HOME, "bicycle_theft": (POLICE, PURCHASE), "escape_of_water": (ESTIMATE, PHOTOS), "storm": (PHOTOS,),
            "car_break_in": (POLICE,), "glass_breakage": (INVOICE,),
        }),
    ),
    "motor": (
        (7, 30, 5000, _MOTOR),
        (7, 25, 6000, {**_MOTOR, "animal": (POLICE, ESTIMATE)}),
        (10, VALUES["late_motor"], 8000, {
            **_MOTOR, "animal": (ESTIMATE, POLICE), "marten_bite": (INVOICE, PHOTOS), "storm": (PHOTOS,),
            "key_loss": (INVOICE,),
        }),
    ),
    "travel": (
        (14, 50, None, _TRAVEL),
        (21, 30, None, {**_TRAVEL, "cancellation": (BOOKING, DOCTOR), "delay": (CARRIER,)}),
        (28, VALUES["late_travel"], None, {
            "cancellation": (BOOKING, INVOICE), "interruption": (BOOKING, INVOICE), "medical_abroad": (INVOICE, DOCTOR),
            "baggage": (CARRIER, PURCHASE), "delay": (CARRIER,),
        }),
    ),
    "pet": (
        (30, 20, None, _PET),
        (60, 15, None, {**_PET, "dental": (VET,)}),
        (45, VALUES["late_pet"], None, {
            "accident_surgery": (RECORD, VET), "illness_surgery": (RECORD, VET), "accident_treatment": (VET,),
            "illness_treatment": (VET,), "dental": (RECORD, VET), "prevention": (VET,),
        }),
    ),
    "cycle": (
        (3, 40, None, _CYCLE),
        (5, 30, None, {**_CYCLE, "battery": (ESTIMATE,)}),
        (7, VALUES["late_cycle"], None, {
            **_CYCLE, "theft": (POLICE, PURCHASE), "battery": (ESTIMATE, PURCHASE), "fall": (ESTIMATE,),
        }),
    ),
    "gadget": (
        (14, 20, None, _GADGET),
        (14, 25, None, {**_GADGET, "liquid_damage": (ESTIMATE,)}),
        (21, VALUES["late_gadget"], None, {
            **_GADGET, "accidental_damage": (ESTIMATE, PHOTOS), "liquid_damage": (ESTIMATE, PURCHASE),
        }),
    ),
}  # fmt: skip

SHEETS: dict[str, tuple[ClaimsSheet, ...]] = {
    line: tuple(
        ClaimsSheet(line, start, end, deadline, late, evidence, adjuster)
        for (start, end), (deadline, late, adjuster, evidence) in zip(_SHEET_DAYS, sheets, strict=True)
    )
    for line, sheets in _SHEETS.items()
}


def _ending(
    line: str,
    old: tuple[int, Literal["period_end", "month_end", "any_day"], int, int | None],
    new: tuple[int, Literal["period_end", "month_end", "any_day"], int, int | None],
    since: date,
) -> tuple[CancellationRule, ...]:
    day_before = date.fromordinal(since.toordinal() - 1)
    return (
        CancellationRule(line, date(2022, 1, 1), day_before, old[0], old[1], old[2], old[3]),
        CancellationRule(line, since, None, new[0], new[1], new[2], new[3]),
    )


# days of notice, the day on which it may end, months bound, days after a settlement in which it may end at once
CANCELLATIONS: dict[str, tuple[CancellationRule, ...]] = {
    "home": _ending("home", (90, "period_end", 12, 14), (30, "month_end", 12, 30), date(2025, 3, 1)),
    "motor": _ending("motor", (60, "period_end", 12, 30), (30, "period_end", 12, 45), date(2024, 7, 1)),
    "travel": _ending("travel", (90, "period_end", 12, None), (14, "period_end", 12, None), date(2025, 5, 1)),
    "pet": _ending("pet", (60, "period_end", 24, 30), (30, "month_end", 18, None), date(2025, 1, 1)),
    "cycle": _ending("cycle", (30, "period_end", 12, 30), (21, "any_day", 12, 60), date(2025, 9, 1)),
    "gadget": _ending("gadget", (60, "month_end", 24, None), (10, "any_day", 6, 30), date(2025, 11, 1)),
}

_Editions = tuple[tuple[date, dict[str, int], Any, tuple[str, Any, int] | None], ...]
_FROM_22, _FROM_24, _FROM_25, _FROM_26 = date(2022, 7, 1), date(2024, 4, 1), date(2025, 2, 1), date(2026, 1, 1)


def _extra(line: str, slug: str, title: str, code: str, covers: str, *editions: Any) -> tuple[Endorsement, ...]:
    """Each edition: first day, prices by product, when the cover begins, what it needs, and a code where it is new."""
    found = []
    for position, (start, prices, begins, needs, *own_code) in enumerate(editions):
        end = date.fromordinal(editions[position + 1][0].toordinal() - 1) if position + 1 < len(editions) else None
        own = own_code[0] if own_code else code
        found.append(Endorsement(line, slug, title, own, start, end, prices, begins, needs, covers))
    return tuple(found)


ENDORSEMENTS: tuple[tuple[Endorsement, ...], ...] = (
    _extra("home", "glass", "Glass at home", "HX-GL2", "panes of windows and doors, shower screens and ceramic hobs",
           (_FROM_22, {"home-basic": 28, "home-comfort": 24}, "next_day", None, "HX-GL1"),
           (_FROM_25, {"home-basic": 36, "home-comfort": 29}, "next_month", None)),
    _extra("home", "nature", "Natural hazards", "HX-NH4",
           "flood, backwater, landslide, avalanche and the weight of snow",
           (_FROM_24, {"home-basic": 64, "home-comfort": 58, "home-plus": 49}, "next_month", ("flood_class",
                                                                                              "at_most", 3), "HX-NH3"),
           (_FROM_26, {"home-basic": 82, "home-comfort": 74, "home-plus": 61}, "next_period", ("flood_class",
                                                                                               "at_most", 2))),
    _extra("home", "jewellery", "Jewellery outside the home", "HX-JW1",
           "rings, watches and chains that are worn or carried",
           (_FROM_22, {"home-comfort": 45, "home-plus": 38}, "next_day", ("sum_insured", "at_least", 40000)),
           (_FROM_25, {"home-comfort": 57, "home-plus": 44}, "next_day", ("sum_insured", "at_least", 50000), "HX-JW2")),
    _extra("home", "office", "Home office", "HX-HO1", "work equipment of an employer or of the customer's own trade",
           (_FROM_24, {"home-basic": 33, "home-comfort": 27, "home-plus": 19}, "next_month", None)),
    _extra("motor", "roadside", "Roadside assistance", "MX-RA5", "breakdown help, towing and a hotel for one night",
           (_FROM_24, {"drive-liability": 22, "drive-partial": 19, "drive-full": 15}, "next_day", None, "MX-RA4"),
           (_FROM_26, {"drive-liability": 27, "drive-partial": 24, "drive-full": 18}, "next_day", None)),
    _extra("motor", "noclaims", "Protected no-claims years", "MX-PN2",
           "one claim in an insurance year that leaves the no-claims years as they are",
           (_FROM_22, {"drive-partial": 40, "drive-full": 52}, "next_period", ("no_claims_years", "at_least", 4),
            "MX-PN1"),
           (_FROM_25, {"drive-partial": 48, "drive-full": 65}, "next_period", ("no_claims_years", "at_least", 8))),
    _extra("motor", "young", "Driver under 23", "MX-YD3",
           "drivers from 18 to 22 years of age who live in the household",
           (_FROM_24, {"drive-liability": 110, "drive-partial": 145, "drive-full": 190}, "next_day", None),
           (_FROM_25, {"drive-liability": 125, "drive-partial": 160, "drive-full": 235}, "next_day",
            ("no_claims_years", "at_least", 3))),
    _extra("motor", "lease", "Lease gap", "MX-LG1",
           "the difference between what is still owed on a lease and the value of the car",
           (_FROM_24, {"drive-full": 42}, "next_month", ("vehicle_age", "at_most", 5)),
           (_FROM_26, {"drive-full": 54}, "next_month", ("vehicle_age", "at_most", 3), "MX-LG2")),
    _extra("travel", "winter", "Winter sports", "TX-WS2",
           "ski and snowboard equipment, closed pistes and rescue on snow",
           (_FROM_22, {"trip-annual": 26, "trip-family": 44}, "next_day", None),
           (_FROM_25, {"trip-single": 12, "trip-annual": 31, "trip-family": 52}, "next_day", None)),
    _extra("travel", "hirecar", "Hire car excess", "TX-HC1",
           "the excess that a hire firm charges after damage or theft",
           (_FROM_24, {"trip-single": 14, "trip-annual": 35, "trip-family": 39}, "next_day", None),
           (_FROM_26, {"trip-annual": 43, "trip-family": 47}, "next_month", None, "TX-HC2")),
    _extra("travel", "anyreason", "Cancellation for any reason", "TX-AR1",
           "half of the cancellation costs, whatever the reason",
           (_FROM_25, {"trip-annual": 88, "trip-family": 129}, "next_month", None)),
    _extra("pet", "dental", "Dental care", "PX-DC2", "cleaning under anaesthetic and the removal of teeth",
           (_FROM_22, {"paws-care": 48, "paws-care-plus": 36}, "next_month", ("pet_age", "at_most", 8), "PX-DC1"),
           (_FROM_25, {"paws-care": 59, "paws-care-plus": 46}, "next_month", ("pet_age", "at_most", 6))),
    _extra("pet", "therapy", "Therapy and rehabilitation", "PX-TR1",
           "physiotherapy, hydrotherapy and behaviour training ordered by a vet",
           (_FROM_24, {"paws-surgery": 54, "paws-care": 46, "paws-care-plus": 30}, "next_day", None),
           (_FROM_26, {"paws-care": 52, "paws-care-plus": 37}, "next_month", ("pet_age", "at_most", 9))),
    _extra("pet", "abroad", "Vet abroad", "PX-VA1", "treatment abroad on journeys of up to eight weeks",
           (_FROM_24, {"paws-surgery": 18, "paws-care": 18, "paws-care-plus": 12}, "next_day", None)),
    _extra("cycle", "accessories", "Accessories and bags", "CX-AB1",
           "lights, panniers, child seats and trailers that are fixed to the bicycle",
           (_FROM_24, {"cycle-city": 16, "cycle-electric": 21}, "next_day", None),
           (_FROM_26, {"cycle-city": 19, "cycle-electric": 26}, "next_month", None)),
    _extra("cycle", "breakdown", "Breakdown on the road", "CX-BR2",
           "transport of bicycle and rider to a workshop from five kilometres away",
           (_FROM_22, {"cycle-city": 9, "cycle-electric": 14}, "next_day", None, "CX-BR1"),
           (_FROM_25, {"cycle-city": 11, "cycle-electric": 17}, "next_day", None)),
    _extra("gadget", "second", "Second device", "GX-SD1",
           "one more device of the same household with the cover of the first",
           (_FROM_24, {"gadget-basic": 39, "gadget-plus": 57}, "next_month", None),
           (_FROM_26, {"gadget-basic": 46, "gadget-plus": 68}, "next_day", None, "GX-SD2")),
    _extra("gadget", "abroad", "Device abroad", "GX-DA1",
           "damage and theft outside the country for up to ninety days a year",
           (_FROM_25, {"gadget-plus": 23}, "next_day", None)),
)  # fmt: skip

INSTALMENTS: tuple[InstalmentTariff, ...] = (
    InstalmentTariff(date(2022, 1, 1), _UNTIL_2024, {"half_yearly": 3, "quarterly": 5, "monthly": 7}),
    InstalmentTariff(date(2025, 1, 1), _UNTIL_2025, {"half_yearly": 2, "quarterly": 4, "monthly": 6}, ("pet",)),
    InstalmentTariff(date(2026, 1, 1), None, {"half_yearly": 1, "quarterly": 3, "monthly": 5}, ("pet", "gadget")),
)

HOME_SUMS: tuple[SumTariff, ...] = (
    SumTariff(date(2023, 1, 1), _UNTIL_2024, {
        "home-basic": {"A": 1.2, "B": 1.5, "C": 1.9},
        "home-comfort": {"A": 1.6, "B": 2.0, "C": 2.5},
        "home-plus": {"A": 2.2, "B": 2.6, "C": 3.3},
    }),
    SumTariff(date(2025, 1, 1), _UNTIL_2025, {
        "home-basic": {"A": 1.3, "B": 1.7, "C": 2.1},
        "home-comfort": {"A": 1.8, "B": 2.2, "C": 2.8},
        "home-plus": {"A": 2.4, "B": 2.9, "C": 3.6},
    }),
    SumTariff(date(2026, 1, 1), None, {
        "home-basic": {"A": 1.4, "B": 1.8, "C": 2.4},
        "home-comfort": {"A": 1.9, "B": 2.4, "C": 3.1},
        "home-plus": {"A": 2.5, "B": 3.1, "C": 3.9},
    }),
)  # fmt: skip

# Rating zones by the first two digits of the post code; who is not named is in zone B.
ZONES: tuple[tuple[date, date | None, dict[str, tuple[str, ...]]], ...] = (
    (date(2022, 1, 1), date(2025, 6, 30), {"A": ("21", "22", "23", "61"), "C": ("41", "42", "50", "71")}),
    (date(2025, 7, 1), None, {"A": ("21", "23", "61", "62"), "C": ("22", "41", "50", "72")}),
)

MILEAGE: tuple[MileageTariff, ...] = (
    MileageTariff(date(2023, 1, 1), date(2025, 3, 31), ((6000, 85), (12000, 100), (20000, 120), (30000, 140)), 165),
    MileageTariff(date(2025, 4, 1), None, ((5000, 80), (10000, 95), (15000, 110), (25000, 130)), 155),
)

REVOCATION_DAYS = ((date(2022, 1, 1), date(2025, 3, 31), 30), (date(2025, 4, 1), None, 14))


def zone_of(postcode: str, day: date) -> str:
    """The rating zone of a post code."""
    for start, end, zones in ZONES:
        if start <= day and (end is None or day <= end):
            return next((zone for zone, codes in zones.items() if postcode[:2] in codes), "B")
    raise LookupError(f"no zones are in force on {day}")
