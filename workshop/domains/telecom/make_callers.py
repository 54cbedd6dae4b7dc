"""Writes the last part of db.toml: more invented customers who may call, the same on every machine.

    python workshop/domains/telecom/make_callers.py

What stands above the mark in db.toml is written by hand. The frozen tasks depend on both.
"""

import random
from calendar import monthrange

from pytest_tau.environment.folders import builtin_folder

SEED = 31
NUMBER = 31
MARK = "# From here on written by make_callers.py."

FIRST_NAMES = [
    "Anselm",
    "Beatrix",
    "Cormac",
    "Delphine",
    "Eamon",
    "Fenella",
    "Gustav",
    "Hester",
    "Ivo",
    "Jolanta",
    "Kofi",
    "Lucinda",
    "Mateus",
    "Nerys",
    "Osric",
    "Paloma",
    "Quillan",
    "Ramona",
    "Soren",
    "Tamsin",
    "Umberto",
    "Verity",
    "Wendell",
    "Xiomara",
    "Yannick",
    "Zelda",
    "Alaric",
    "Bronagh",
    "Casimir",
    "Dorothea",
    "Evander",
]
LAST_NAMES = [
    "Abernathy",
    "Birdsong",
    "Carrow",
    "Dunmore",
    "Ellery",
    "Fairweather",
    "Gantry",
    "Holloway",
    "Inglis",
    "Jarrold",
    "Kettering",
    "Lockhart",
    "Marchbank",
    "Nightingale",
    "Oakley",
    "Penhale",
    "Quayle",
    "Rookwood",
    "Sallow",
    "Thackeray",
    "Underhill",
    "Varley",
    "Wainwright",
    "Yarrow",
    "Zimmer",
    "Ashdown",
    "Blythe",
    "Crane",
    "Dray",
    "Elwood",
    "Frost",
]
STREETS = ["Cooper's Lane", "Quarry Road", "Tannery Row", "Harbor Steps", "Foundry Street", "Mill Rise", "Orchard Way"]
CITIES = [("Eastmere", "VT", "05733"), ("Holt Ferry", "OR", "97118"), ("Millbrook", "NM", "87520"),
          ("Saltney", "ME", "04607"), ("Larkhill", "WI", "53591"), ("Pine Ford", "CO", "81302")]  # fmt: skip
# Plan, data limit in GB, price a month.
PLANS = [("P2001", "Pocket", 3.0, 22.0), ("P2002", "Everyday", 12.0, 48.0), ("P2003", "Wayfarer", 30.0, 74.0),
         ("P2004", "Household", 60.0, 118.0)]  # fmt: skip
# No caller is too young for their account, or of an age that contradicts a persona.
OLDEST, AGES = 1962, 23
MODELS = ["Heron 4", "Heron 5", "Lumen S", "Pebble 2"]


def callers() -> list[tuple[str, str]]:
    """Each customer's phone number, with an id for the bill that they may owe in a task."""
    return [(f"555-284-{4000 + 37 * number:04}", f"B{2104 + number}") for number in range(NUMBER)]


def render() -> str:
    """The customers with their lines, bills and devices, as TOML."""
    rng = random.Random(SEED)
    first = rng.sample(FIRST_NAMES, NUMBER)
    last = rng.sample(LAST_NAMES, NUMBER)
    return "\n".join(_one(rng, number, f"{first[number]} {last[number]}") for number in range(NUMBER))


def _one(rng: random.Random, number: int, name: str) -> str:
    phone = callers()[number][0]
    plan, title, limit, price = PLANS[number % len(PLANS)]
    city, state, zip_code = rng.choice(CITIES)
    second = rng.random() < 0.6
    lines = [f"L{2101 + 2 * number}", f"L{2102 + 2 * number}"][: 1 + second]
    bills = [f"B{2201 + 2 * number}", f"B{2202 + 2 * number}"]
    since = f"{rng.randrange(2018, 2025)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 28):02}"
    due = price + 9.0 * second
    records = [
        f"""
[[customers]]
customer_id = "C{2101 + number}"
full_name = "{name}"
date_of_birth = "{OLDEST + rng.randrange(60) % AGES}-{rng.randrange(1, 13):02}-{rng.randrange(1, 28):02}"
email = "{name.lower().replace(" ", ".")}@example.com"
phone_number = "{phone}"
account_status = "Active"
created_at = "{since}T{rng.randrange(8, 18):02}:{rng.choice(["05", "20", "35", "50"])}:00"
line_ids = {_list(lines)}
bill_ids = {_list(bills)}
address = {{ street = "{rng.randrange(2, 220)} {rng.choice(STREETS)}", city = "{city}", state = "{state}", """
        f"""zip_code = "{zip_code}" }}
payment_methods = [{{ method_type = "{rng.choice(["Credit Card", "Debit Card", "PayPal"])}", """
        f"""account_number_last_4 = "{rng.randrange(10000):04}", expiration_date = "{rng.randrange(1, 13):02}/2028" }}]
""",
        _line(rng, lines[0], phone, plan, f"D{2101 + 2 * number}", round(limit * rng.uniform(0.2, 0.7), 1)),
        _device(rng, f"D{2101 + 2 * number}", "phone", rng.choice(MODELS), number * 2),
    ]
    if second:
        other = f"{phone[:-4]}{int(phone[-4:]) + 1:04}"
        records += [
            _line(rng, lines[1], other, "P2005", f"D{2102 + 2 * number}", 0.1),
            _device(rng, f"D{2102 + 2 * number}", "watch", "Tick 3", number * 2 + 1),
        ]
    items = [(f"{title}, {phone}", price), *([("Gadget, second line", 9.0)] if second else [])]
    records += [
        _bill(bills[0], number, "02", due, "Paid", items),
        _bill(bills[1], number, "03", 0.0, "Draft", []),
    ]
    return "".join(records)


def _line(rng: random.Random, line_id: str, phone: str, plan: str, device: str, used: float) -> str:
    return f"""
[[lines]]
line_id = "{line_id}"
phone_number = "{phone}"
status = "Active"
plan_id = "{plan}"
device_id = "{device}"
data_used_gb = {used}
roaming_enabled = true
contract_end_date = "{rng.choice(["2025-12-31", "2026-06-30", "2027-03-31"])}"
last_plan_change_date = "2024-0{rng.randrange(1, 10)}-15"
"""


def _device(rng: random.Random, device_id: str, kind: str, model: str, number: int) -> str:
    return f"""
[[devices]]
device_id = "{device_id}"
device_type = "{kind}"
model = "{model}"
imei = "35200000001{number:04}"
is_esim_capable = {str(rng.random() < 0.7).lower()}
activated = true
activation_date = "2024-0{rng.randrange(1, 10)}-12T09:30:00"
"""


def _bill(bill_id: str, number: int, month: str, due: float, status: str, items: list[tuple[str, float]]) -> str:
    rows = "".join(
        f'    {{ description = "{what}", amount = {amount}, date = "2025-{month}-05", item_type = "Plan" }},\n'
        for what, amount in items
    )
    return f"""
[[bills]]
bill_id = "{bill_id}"
customer_id = "C{2101 + number}"
period_start = "2025-{month}-01"
period_end = "2025-{month}-{monthrange(2025, int(month))[1]}"
issue_date = "2025-{month}-05"
total_due = {due}
due_date = "2025-{month}-19"
status = "{status}"
{f"line_items = [{chr(10)}{rows}]{chr(10)}" if items else ""}"""


def _list(values: list[str]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def main() -> None:
    """Write the part below the mark."""
    path = builtin_folder("domains", "telecom") / "db.toml"
    by_hand = path.read_text(encoding="utf-8").partition(MARK)[0].rstrip()
    path.write_text(f"{by_hand}\n\n{MARK}\n{render().rstrip()}\n", encoding="utf-8")
    print(f"{path}: {NUMBER} more customers")


if __name__ == "__main__":
    main()
