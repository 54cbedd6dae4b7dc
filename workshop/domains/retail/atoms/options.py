"""How customers speak of products and their options: "the ukulele in tenor size, made of koa"."""

import re
from collections.abc import Mapping, Sequence

_INCHES = re.compile(r"^([\d.]+) in$")

KEEP_CAPITALS = {"Dutch"}
PAIRS = {"Snow Boots", "Binoculars"}

# How a value of an option reads after the name of the product; "{v}" is the value, "a {v}" finds its own article.
# First the values that need words of their own, by product, option and value, then by option.
VALUES = {
    ("pump", "none"): "without a pump",
    ("lighting", "none"): "without lighting",
    ("stand", "none"): "without a stand",
    ("stand", "arm"): "with an arm",
    ("stand", "desk"): "with a desk stand",
    ("stand", "no stand"): "without a stand",
    ("stand", "with stand"): "with a stand",
    ("lid", "with lid"): "with a lid",
    ("lid", "no lid"): "without a lid",
    ("groove", "yes"): "with a groove",
    ("groove", "no"): "without a groove",
    ("cooler", "with cooler"): "with a cooler",
    ("cooler", "no cooler"): "without a cooler",
    ("speaker", "yes"): "with a speaker",
    ("speaker", "no"): "without a speaker",
    ("table", "with table"): "with a table",
    ("table", "no table"): "without a table",
    ("casters", "yes"): "with casters",
    ("casters", "no"): "without casters",
    ("drawers", "0"): "without drawers",
    ("case", "bag"): "in a bag",
    ("case", "hard case"): "in a hard case",
    ("region", "worldwide"): "for worldwide use",
    ("pieces", "1"): "in one piece",
    ("pieces", "2"): "in two pieces",
    ("burners", "1"): "with 1 burner",
    ("screens", "1"): "for 1 screen",
    ("cups", "2"): "for 2 cups",
    ("seats", "1"): "with 1 seat",
    ("block", "acacia"): "with an acacia block",
    ("closure", "laces"): "with laces",
    ("closure", "zipper"): "with a zipper",
    ("cooling", "freezer bowl"): "with a freezer bowl",
    ("cooling", "compressor"): "with a compressor",
    ("watering", "self-watering"): "of the self-watering kind",
    ("depth", "thin"): "for thin waffles",
    ("depth", "Belgian"): "for Belgian waffles",
    ("ports", "1 USB"): "with 1 USB port",
    ("region", "UK"): "for the UK",
}
BY_PRODUCT = {
    ("Ukulele", "strings"): "with {v} strings",
    ("Fountain Pen", "body"): "with a {v} body",
    ("Fishing Rod", "power"): "with {v} power",
    ("Alarm Clock", "power"): "with {v} power",
    ("Pocket Watch", "case"): "with a {v} case",
    ("Hammock", "capacity"): "for {v}",
    ("Apron", "length"): "in {v} length",
    ("Sleeping Bag", "length"): "in the {v} version",
    ("Knife Block", "pieces"): "with {v} pieces",
    ("Down Vest", "fill"): "with {v} down",
    ("Cast Iron Pan", "finish"): "with {v} finish",
    ("Pasta Machine", "drive"): "with {v} drive",
    ("Record Player", "drive"): "with {v} drive",
    ("Sewing Machine", "drive"): "with {v} drive",
    ("Wool Rug", "size"): "in {v}",
    ("Snow Boots", "size"): "in size {v}",
    ("Down Vest", "size"): "in size {v}",
    ("Flannel Shirt", "size"): "in size {v}",
    ("Rain Jacket", "size"): "in size {v}",
}
BY_OPTION = {
    "action": "with {v} action", "aperture": "with {v} aperture", "battery": "with a {v} battery",
    "board": "with a {v} board", "body": "with a {v} body", "brightness": "with a brightness of {v}",
    "buckle": "with a {v} buckle",
    "burners": "with {v} burners", "capacity": "with a capacity of {v}", "coating": "with {v} coating",
    "color": "in {v}",
    "connector": "with a {v} connector", "cover": "with a {v} cover", "cups": "for {v} cups",
    "cutters": "with {v} cutters", "density": "in {v} density", "depth": "of the {v} kind", "dial": "with a {v} dial",
    "diameter": "with a diameter of {v}", "display": "with a {v} display", "drawers": "with {v} drawers",
    "fabric": "made of {v}", "fill": "with {v} filling", "filling": "filled by {v}", "filter": "with a {v} filter",
    "finish": "in {v} finish", "fit": "in {v} fit", "fuel": "for {v}", "height": "with a height of {v}",
    "hood": "with a {v} hood", "ignition": "with {v} ignition", "keys": "with {v} keys", "language": "in {v}",
    "length": "with a length of {v}", "lens": "with a {v} lens", "lighting": "with {v} lighting",
    "magnification": "with {v} magnification", "material": "made of {v}", "motor": "with a {v} motor",
    "mount": "with a {v} mount", "movement": "with {v} movement", "nib": "with a {v} nib", "output": "with {v} output",
    "pattern": "in {v} pattern", "plates": "with {v} plates", "players": "for {v} players", "ports": "with {v} ports",
    "pots": "with {v} pots", "pump": "with a {v} pump", "range": "with a range of {v}", "rating": "rated for {v}",
    "region": "for {v}", "resolution": "with {v} resolution", "screens": "for {v} screens", "season": "of the {v} kind",
    "seats": "with {v} seats", "serves": "for {v} people", "shape": "with a {v} shape", "size": "in {v} size",
    "sleeps": "for {v} people", "speeds": "with {v} speeds", "steel": "with {v} steel", "stitches": "with {v} stitches",
    "strings": "with {v} strings", "surface": "with a {v} surface", "theme": "with the {v} theme",
    "tilt": "with a {v} tilt", "top": "with a {v} top", "tripod": "with a {v} tripod", "type": "of the {v} type",
    "voltage": "with {v}", "volume": "with a volume of {v}", "watering": "with {v} watering", "weight": "weighing {v}",
    "wheels": "with {v} wheels", "width": "with a width of {v}", "block": "with a {v} block", "wood": "made of {v}",
    "yarn": "in {v} yarn",
}  # fmt: skip
# Options whose values can be put in order by size, and what the largest is called: "big enough", "the largest".
LARGEST = {
    "size": ("big", "largest"), "length": ("long", "longest"), "width": ("wide", "widest"),
    "capacity": ("big", "largest"), "volume": ("big", "largest"), "weight": ("heavy", "heaviest"),
    "diameter": ("big", "largest"), "height": ("high", "highest"),
}  # fmt: skip
KITCHEN = {
    "Cast Iron Pan", "Cutting Board", "Dutch Oven", "Ice Cream Maker", "Knife Block", "Pasta Machine", "Pour-over Set",
    "Waffle Iron",
}  # fmt: skip
MUSIC = {"Acoustic Guitar", "Digital Piano", "Ukulele"}
CLOTHES = {"Beanie", "Down Vest", "Flannel Shirt", "Rain Jacket", "Snow Boots"}
# Nobody wants these cheaper or better in another size.
WORN = CLOTHES - {"Beanie"}
# What somebody could count either way; an order with one of these gets no wish by category.
UNCLEAR = {
    "kitchen": {"Apron", "Camping Stove", "Picnic Basket", "Herb Planter"},
    "music": {"Microphone", "Record Player"},
    "clothes": {"Apron", "Leather Belt", "Pocket Watch"},
}


_WITH = "with "


def noun(name: str) -> str:
    """One piece of a product in running text: "ukulele", "Dutch oven", "pair of snow boots"."""
    if name == "Curtain Pair":
        return "pair of curtains"
    pair = "pair of " if name in PAIRS else ""
    return pair + " ".join(word if word in KEEP_CAPITALS else word[0].lower() + word[1:] for word in name.split())


def option(product: str, name: str, value: str) -> str:
    """An option as it reads after the product's name."""
    words = VALUES.get((name, value)) if (product, name) not in BY_PRODUCT else None
    words = words or BY_PRODUCT.get((product, name)) or BY_OPTION[name]
    if "a {v}" in words and words.split("a {v}")[0][-1:] in (" ", ""):
        words = words.replace("a {v}", f"{article(value)} {value}")
    unit = "-inch" if "wheels" in words else " inch" if value == "1 in" else " inches"
    return words.replace("{v}", _INCHES.sub(lambda found: f"{found[1]}{unit}", value))


def options(product: str, chosen: Mapping[str, str]) -> str:
    """Several options: "in red, with a zipper and a hood"."""
    parts = [option(product, name, value) for name, value in chosen.items()]
    last = next((n for n, part in enumerate(reversed(parts)) if not part.startswith(_WITH)), len(parts))
    alike = parts[len(parts) - last + 1 :] if last else []  # one "with" is enough for what comes at the end
    return enumeration([*parts[: len(parts) - len(alike)], *(part.removeprefix(_WITH) for part in alike)])


def enumeration(parts: Sequence[str]) -> str:
    """ "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def article(value: str) -> str:
    """The indefinite article of a word or number."""
    starts = value.lower()
    vowel = starts.startswith(("a", "e", "i", "o", "8", "11", "18", "herb ")) or value == "XLR"
    return "an" if vowel else "a"


def measure(value: str) -> float | None:
    """A size as a number, where it has one."""
    letters = {"S": 1.0, "M": 2.0, "L": 3.0, "XL": 4.0, "small": 1.0, "medium": 2.0, "large": 3.0}
    if value in letters:
        return letters[value]
    head, _, unit = value.partition(" ")
    try:
        return float(head) if unit in ("in", "ft", "qt", "gal", "lb") else None
    except ValueError:
        return None
