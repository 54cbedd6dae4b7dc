"""What customers photograph: labels, receipts, slips, plates, products, passports, passes, tags, screens, bills."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import ImageDraw

from .canvas import GREY, INK, RED, WHITE, Color, Sheet, font

COLORS: dict[str, Color] = {
    "black": (34, 34, 38),
    "white": (236, 236, 232),
    "gray": (136, 140, 146),
    "silver": (186, 190, 196),
    "red": (188, 44, 44),
    "blue": (42, 84, 168),
    "navy": (28, 42, 92),
    "green": (52, 126, 74),
    "yellow": (222, 186, 50),
    "orange": (222, 122, 42),
    "brown": (112, 76, 48),
    "tan": (196, 164, 122),
    "pink": (222, 140, 164),
    "purple": (110, 66, 140),
    "beige": (214, 198, 168),
    "teal": (40, 130, 132),
    "natural": (204, 172, 126),
    "walnut": (96, 64, 42),
    "oak": (186, 148, 98),
    "mint": (150, 208, 184),
    "rust": (168, 78, 40),
    "sand": (212, 192, 152),
    "graphite": (72, 76, 82),
    "moss": (94, 112, 62),
    "plum": (104, 50, 90),
    "cherry": (168, 24, 50),
    "oat": (220, 206, 178),
    "steel": (156, 162, 170),
    "copper": (182, 108, 66),
}
_DARK, _BLUE, _GREEN = (22, 24, 30), (40, 96, 190), (46, 128, 74)


def parcel_label(order: str, name: str, address: Sequence[str], extra: Sequence[str] = ()) -> Sheet:
    """The label on a damaged parcel."""
    sheet = Sheet(600, 430 + 24 * len(extra))
    sheet.write("PARCEL POST   2-DAY", 20, GREY)
    sheet.rule()
    sheet.write("SHIP TO", 14, GREY, gap=4)
    sheet.write(name, 26, gap=4)
    for line in address:
        sheet.write(line, 20, gap=3)
    sheet.y += 8
    sheet.bars(order)
    sheet.write("ORDER", 14, GREY, gap=2)
    sheet.write(order, 40)
    for line in extra:
        sheet.write(line, 15, RED, gap=8)
    torn = [(sheet.width, 0), (sheet.width - 120, 0), (sheet.width - 96, 30), (sheet.width - 60, 34)]
    sheet.draw.polygon([*torn, (sheet.width - 38, 70), (sheet.width, 92)], fill=(176, 146, 110))
    sheet.draw.line([(sheet.width - 122, 0), *torn[2:], (sheet.width - 38, 70), (sheet.width, 92)], fill=GREY, width=2)
    return sheet


def receipt(shop: str, lines: Sequence[tuple[str, str]], total: str, extra: Sequence[str] = ()) -> Sheet:
    """A till receipt or packing slip with items and a total."""
    sheet = Sheet(440, 250 + 34 * len(lines) + 26 * len(extra), WHITE)
    sheet.write(shop, 28)
    sheet.write("Thank you for your order", 16, GREY)
    sheet.rule()
    for name, price in lines:
        sheet.pair(name, price, 19)
    sheet.rule()
    sheet.pair("TOTAL", total, 28)
    for line in extra:
        sheet.write(line, 16, GREY)
    sheet.y += 6
    sheet.bars(shop + total, 34)
    return sheet


def plate(lines: Sequence[tuple[str, str]], maker: str) -> Sheet:
    """A metal plate from the back of an appliance."""
    sheet = Sheet(520, 120 + 62 * len(lines), (196, 200, 206))
    sheet.draw.rectangle((8, 8, sheet.width - 9, sheet.height - 9), outline=(120, 124, 130), width=3)
    for corner in ((20, 20), (sheet.width - 32, 20), (20, sheet.height - 32), (sheet.width - 32, sheet.height - 32)):
        sheet.draw.ellipse((*corner, corner[0] + 12, corner[1] + 12), fill=(110, 114, 120))
    sheet.left = 48
    sheet.write(maker, 24)
    for name, value in lines:
        sheet.write(name, 14, (80, 82, 88), gap=1)
        sheet.write(value, 32, gap=10)
    return sheet


def _bottle(draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], color: Color) -> None:
    x, y, right, bottom = box
    width = right - x
    draw.rounded_rectangle((x, y + 50, right, bottom), 22, fill=color, outline=INK, width=2)
    draw.rectangle((x + width // 3, y + 18, right - width // 3, y + 52), fill=color, outline=INK, width=2)
    draw.rectangle((x + width // 3 - 5, y, right - width // 3 + 5, y + 20), fill=GREY, outline=INK, width=2)


def _bag(draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], color: Color) -> None:
    x, y, right, bottom = box
    draw.arc((x + 40, y, right - 40, y + 70), 180, 360, fill=INK, width=6)
    draw.rounded_rectangle((x, y + 34, right, bottom), 30, fill=color, outline=INK, width=2)
    draw.rounded_rectangle((x + 22, y + 120, right - 22, bottom - 16), 12, outline=INK, width=3)
    draw.line((x + 10, y + 84, right - 10, y + 84), fill=INK, width=3)


def _shirt(draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], color: Color) -> None:
    x, y, right, bottom = box
    middle = (x + right) // 2
    outline = [(middle - 34, y + 10), (x, y + 46), (x + 20, y + 104), (x + 46, y + 90), (x + 46, bottom)]
    outline += [
        (right - 46, bottom),
        (right - 46, y + 90),
        (right - 20, y + 104),
        (right, y + 46),
        (middle + 34, y + 10),
    ]
    draw.polygon(outline, fill=color, outline=INK)
    draw.arc((middle - 34, y - 14, middle + 34, y + 36), 0, 180, fill=INK, width=4)


def _box(draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], color: Color) -> None:
    x, y, right, bottom = box
    draw.rounded_rectangle((x, y + 40, right, bottom), 14, fill=color, outline=INK, width=2)
    draw.ellipse((x + 30, y + 70, right - 30, bottom - 30), outline=INK, width=4)
    draw.ellipse((x + 62, y + 102, right - 62, bottom - 62), fill=INK)


SHAPES = {"bottle": _bottle, "bag": _bag, "shirt": _shirt, "box": _box}


def shelf(shape: str, cards: Sequence[tuple[str, str, str]], chosen: int, title: str) -> Sheet:
    """Variants of a product side by side, one of them with a ring around it.

    Args:
        shape: of ``SHAPES``.
        cards: color, first and second line of each one's price tag.
        chosen: the place of the one with the ring.
        title: what the shelf says.
    """
    sheet = Sheet(60 + 240 * len(cards), 430, (238, 236, 230))
    sheet.write(title, 24)
    for number, (color, first, second) in enumerate(cards):
        x = 40 + 240 * number
        SHAPES[shape](sheet.draw, (x + 30, 80, x + 170, 290), COLORS[color])
        sheet.draw.rectangle((x + 8, 318, x + 206, 392), fill=WHITE, outline=GREY, width=2)
        sheet.y = 326
        sheet.write(first, 19, x=x + 18, gap=6)
        sheet.write(second, 19, x=x + 18)
        if number == chosen:
            sheet.draw.ellipse((x - 4, 62, x + 204, 314), outline=RED, width=7)
    return sheet


def passport(surname: str, given: str, born: str, number: str, country: str = "UNITED STATES") -> Sheet:
    """The page of a passport with the name and the date of birth (an invented layout)."""
    sheet = Sheet(640, 400, (226, 232, 224))
    sheet.write("PASSPORT   SPECIMEN OF A TRAVELLER", 18, (70, 90, 80))
    sheet.rule()
    sheet.draw.rectangle((30, 80, 200, 290), fill=(206, 212, 208), outline=GREY)
    sheet.draw.ellipse((80, 110, 150, 190), fill=(150, 126, 108))
    sheet.draw.pieslice((55, 200, 175, 330), 180, 360, fill=(84, 96, 112))
    for row, (name, value) in enumerate(
        [("Surname", surname), ("Given names", given), ("Nationality", country), ("Date of birth", born)]
    ):
        sheet.field(name, value, 230, 76 + 54 * row, 24)
    sheet.field("Passport No.", number, 470, 292, 20)
    sheet.y = 330
    sheet.write(f"P<{country[:3]}{surname.upper()}<<{given.upper()}".ljust(38, "<"), 20)
    return sheet


def boarding_pass(fields: Sequence[tuple[str, str]], name: str, booking: str, extra: Sequence[str] = ()) -> Sheet:
    """A boarding pass or itinerary card."""
    sheet = Sheet(700, 330 + 26 * len(extra), WHITE)
    sheet.draw.rectangle((0, 0, sheet.width, 56), fill=_BLUE)
    sheet.y = 14
    sheet.write("TAULINE   ITINERARY", 26, WHITE)
    sheet.field("Passenger", name, 28, 76)
    sheet.field("Booking", booking, 480, 76, 40)
    for place, (title, value) in enumerate(fields):
        sheet.field(title, value, 28 + 165 * (place % 4), 158 + 66 * (place // 4), 24)
    sheet.y = 296
    for line in extra:
        sheet.write(line, 16, RED, gap=8)
    return sheet


def bag_tags(booking: str, route: str, count: int) -> Sheet:
    """Bag tags laid side by side; each stands for a bag."""
    sheet = Sheet(60 + 150 * count, 420, (206, 202, 194))
    for number in range(count):
        x = 36 + 150 * number
        sheet.draw.rounded_rectangle((x, 24, x + 124, 396), 16, fill=WHITE, outline=GREY, width=2)
        sheet.draw.ellipse((x + 52, 38, x + 72, 58), fill=(206, 202, 194), outline=GREY)
        sheet.y = 74
        sheet.write(route, 20, x=x + 14, gap=14)
        sheet.write("BAG", 16, GREY, x=x + 14, gap=2)
        sheet.write(f"{number + 1}", 64, x=x + 40, gap=14)
        sheet.write(booking, 22, x=x + 14, gap=12)
        sheet.draw.rectangle((x + 14, 300, x + 110, 370), fill=WHITE)
        for bar in range(12):
            sheet.draw.rectangle((x + 14 + 8 * bar, 300, x + 17 + 8 * bar + bar % 3, 370), fill=INK)
    return sheet


def phone(title: str, rows: Sequence[tuple[str, str]], *, clock: str, bar: str, note: Sequence[str] = ()) -> Sheet:
    """A phone's screen: status bar, title, rows of a name and a value, and a text below."""
    sheet = Sheet(420, 760, (244, 245, 248))
    sheet.draw.rectangle((0, 0, 420, 40), fill=_DARK)
    sheet.y = 10
    sheet.draw.text((18, 10), clock, font=font(18), fill=WHITE)
    sheet.write(bar, 18, WHITE, right=True)
    sheet.y = 66
    sheet.write(title, 30, gap=20)
    for name, value in rows:
        sheet.draw.rectangle((16, sheet.y - 6, 404, sheet.y + 48), fill=WHITE)
        sheet.y += 8
        color = _GREEN if value.lower() in ("on", "excellent") else RED if value.lower() in ("off", "none") else INK
        sheet.draw.text((28, sheet.y), name, font=font(20), fill=GREY)
        sheet.write(value, 20, color, right=True, gap=30)
    sheet.y += 6
    for line in note:
        sheet.write(line, 18, GREY)
    return sheet


def bill(company: str, fields: Sequence[tuple[str, str]], amount: str, extra: Sequence[str] = ()) -> Sheet:
    """A provider's bill on paper."""
    sheet = Sheet(520, 220 + 34 * len(fields) + 26 * len(extra), WHITE)
    sheet.draw.rectangle((0, 0, sheet.width, 66), fill=(58, 44, 92))
    sheet.y = 18
    sheet.write(company, 28, WHITE, gap=26)
    for name, value in fields:
        sheet.pair(name, value, 21)
    sheet.rule()
    sheet.pair("AMOUNT DUE", amount, 30)
    for line in extra:
        sheet.write(line, 16, RED)
    return sheet


def note(lines: Sequence[str], color: Color = (250, 240, 170)) -> Sheet:
    """A note on paper."""
    sheet = Sheet(460, 90 + 44 * len(lines), color)
    sheet.y = 36
    for line in lines:
        sheet.write(line, 28, (40, 52, 110), gap=14)
    return sheet


def package(damage: bool, mark: str = "FRAGILE") -> Sheet:
    """A carton, whole or with a hole in it; nothing on it says whose it is."""
    sheet = Sheet(560, 400, (182, 146, 104))
    sheet.draw.rectangle((0, 170, 560, 214), fill=(206, 184, 144))
    sheet.draw.line((280, 0, 280, 400), fill=(150, 118, 82), width=4)
    sheet.y, sheet.left = 40, 50
    sheet.write(mark, 34, (120, 40, 36))
    if damage:
        hole = [(330, 250), (380, 232), (420, 262), (470, 250), (452, 312), (400, 350), (352, 322)]
        sheet.draw.polygon(hole, fill=(44, 34, 28), outline=(110, 84, 58))
    return sheet
