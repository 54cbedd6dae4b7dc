"""Extras that can be added to contracts, and the tariffs."""

from __future__ import annotations

from collections.abc import Iterator

from tau_workshop.compose import phrases_of

from ..contracts import Endorsement, InstalmentTariff, MileageTariff, SumTariff
from ..rules import LINES, PRODUCTS, products_of
from ..servicing import ENDORSEMENTS, HOME_SUMS, INSTALMENTS, MILEAGE, ZONES
from .phrases import euro, listing, long_day, month, next_edition, sentence, span

say = phrases_of(__file__)
write = phrases_of(__file__, "documents.toml")
_BEGINS: dict[str, str] = say("begins")
_ABOUT: dict[str, tuple[str, str]] = say("about")


def extras() -> Iterator[tuple[str, str]]:
    """The id and text of every edition of every extra."""
    for editions in ENDORSEMENTS:
        for edition in editions:
            yield edition.document, (_new(edition) if edition.end is None else _old(edition))


def _prices(extra: Endorsement) -> str:
    return listing([f"{PRODUCTS[product]} {euro(price)}" for product, price in extra.prices.items()])


def _needs(extra: Endorsement) -> str | None:
    if extra.needs is None:
        return None
    detail, _, number = extra.needs
    return say.text(f"needs.{detail}", n=number, euro=euro(number))


def _not_for(extra: Endorsement) -> list[str]:
    return [PRODUCTS[product] for product in products_of(extra.line) if product not in extra.prices]


def _old(extra: Endorsement) -> str:
    about, left_out = _ABOUT[extra.slug]
    needs = f" It can be had where {_needs(extra)}." if extra.needs else ""
    missing = _not_for(extra)
    without = f" It does not go with {listing(missing, 'or')}." if missing else ""
    return write.text(
        "extra.old",
        title=extra.title,
        line=LINES[extra.line],
        month=month(extra.start),
        span=span(extra.start, extra.end),
        next_edition=next_edition(extra.end),
        about=about,
        covers=extra.covers,
        prices=_prices(extra),
        without=without,
        needs=needs,
        begins=_BEGINS[extra.begins],
        code=extra.code,
        left_out=left_out,
    )


def _new(extra: Endorsement) -> str:
    about, left_out = _ABOUT[extra.slug]
    rows = "\n".join(f"| {PRODUCTS[product]} | {euro(price)} |" for product, price in extra.prices.items())
    missing = _not_for(extra)
    if not missing:
        cannot = "It goes with all products of the line."
    else:
        cannot = f"{listing(missing)} cannot have it: refuse it and say so."
    needs = f" It can be added only where {_needs(extra)}. Otherwise it is refused." if extra.needs else ""
    return write.text(
        "extra.new",
        title=extra.title,
        line=LINES[extra.line],
        start=long_day(extra.start),
        about=about,
        covers=extra.covers,
        rows=rows,
        cannot=cannot,
        needs=needs,
        code=extra.code,
        begins=_BEGINS[extra.begins],
        left_out=sentence(left_out),
    )


def tariffs() -> Iterator[tuple[str, str]]:
    """The id and text of every tariff."""
    for instalments in INSTALMENTS:
        yield instalments.document, _instalments(instalments)
    for sums in HOME_SUMS:
        yield sums.document, _sums(sums)
    for mileage in MILEAGE:
        yield mileage.document, _mileage(mileage)
    for start, end, zones in ZONES:
        rows = "\n".join(f"- Zone {zone}: post codes that begin with {listing(codes)}" for zone, codes in zones.items())
        yield (
            f"tariff-home-zones-{start:%Y-%m}",
            (
                f"# Zones for household contents, {month(start)}\n\n"
                f"*{_in_force(start, end)}*\n\n"
                "What household contents cost depends on where the home is: on burglaries, storms and burst pipes of the "
                "last ten years. The first two digits of the post code decide.\n\n"
                f"{rows}\n- Zone B: all others\n\n"
                "When a customer moves, the zone of the new address holds from the day of the change, with the sum insured "
                "left as it is. Premium and zone are entered together, by way of `change_sum_insured` with the old sum. The "
                "rates stand in the tariff on sums insured.\n"
            ),
        )


def _in_force(start: object, end: object) -> str:
    return f"In force {span(start, end)}." if end is None else f"In force {span(start, end)}; replaced since."  # type: ignore[arg-type]


def _instalments(tariff: InstalmentTariff) -> str:
    names = say("intervals")
    rows = "\n".join(f"| {names[key]} | {percent} % |" for key, percent in tariff.surcharges.items())
    free = (
        f"Contracts of the {'lines' if len(tariff.free) > 1 else 'line'} {listing([LINES[line] for line in tariff.free])} are free of the surcharge."
        if tariff.free
        else "The surcharge is the same in all lines."
    )
    return write.text(
        "tariffs.instalments",
        month=month(tariff.start),
        in_force=_in_force(tariff.start, tariff.end),
        rows=rows,
        free=free,
    )


def _sums(tariff: SumTariff) -> str:
    rows = "\n".join(
        f"| {PRODUCTS[product]} | {euro(rates['A'])} | {euro(rates['B'])} | {euro(rates['C'])} |"
        for product, rates in tariff.rates.items()
    )
    return write.text(
        "tariffs.sums", month=month(tariff.start), in_force=_in_force(tariff.start, tariff.end), rows=rows
    )


def _mileage(tariff: MileageTariff) -> str:
    rows = "\n".join(f"| up to {top:,} km | {percent} % |" for top, percent in tariff.bands)
    last = tariff.bands[-1][0]
    return write.text(
        "tariffs.mileage",
        month=month(tariff.start),
        in_force=_in_force(tariff.start, tariff.end),
        rows=rows,
        last=f"{last:,}",
        above=tariff.above,
    )
