"""Writes db.json: an invented web shop with its catalogue, customers and orders, the same on every machine.

    python workshop/domains/retail/make_db.py

Tasks and their numbers depend on the result, so a change here means checking every task of the suite again.
"""

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

from pytest_tau.environment.folders import builtin_folder

SEED = 20
USERS = 500
STATUSES = {"pending": 420, "delivered": 375, "processed": 105, "cancelled": 100}
REASONS = ["no longer needed", "ordered by mistake"]

# Name and usual price, then the options; variants are drawn from the combinations and cost 10 % more or less.
CATALOGUE = """
Acoustic Guitar 420 | body: dreadnought, parlor, concert | wood: spruce, cedar, mahogany | strings: 6, 12
Air Mattress 95 | size: twin, queen, king | pump: built-in, separate, none | height: 9 in, 18 in
Alarm Clock 38 | display: analog, digital | color: mint, black, walnut | power: battery, USB
Apron 29 | fabric: linen, cotton, denim | color: sand, navy, rust | length: waist, full
Aquarium 240 | volume: 10 gal, 20 gal, 40 gal | shape: cube, bow front, long | lighting: LED, none
Beanie 31 | yarn: merino, acrylic, alpaca | color: charcoal, mustard, forest, cream
Binoculars 185 | magnification: 8x, 10x, 12x | lens: 32 mm, 42 mm, 50 mm | coating: standard, waterproof
Board Game 48 | players: 2, 2-4, 2-6 | theme: trains, pirates, farming, space | language: English, Spanish
Camping Stove 88 | fuel: propane, butane, alcohol | burners: 1, 2 | ignition: piezo, manual
Cast Iron Pan 54 | diameter: 8 in, 10 in, 12 in | finish: seasoned, enamel | lid: with lid, no lid
Chess Set 76 | wood: maple, rosewood, olive | size: tournament, travel, club | board: folding, solid
Cordless Drill 149 | voltage: 12 V, 18 V, 20 V | battery: 1.5 Ah, 2 Ah, 4 Ah | case: bag, hard case
Curtain Pair 67 | fabric: velvet, linen, polyester | length: 63 in, 84 in, 96 in | color: ivory, slate, ochre
Cutting Board 43 | material: bamboo, walnut, rubber | size: small, medium, large | groove: yes, no
Digital Piano 780 | keys: 61, 76, 88 | action: weighted, semi-weighted | finish: black, white, oak
Down Vest 118 | size: S, M, L, XL | color: moss, plum, graphite | fill: duck, goose
Drafting Table 365 | surface: glass, birch, laminate | width: 30 in, 36 in, 42 in | tilt: fixed, adjustable
Dutch Oven 132 | capacity: 4 qt, 6 qt, 8 qt | color: teal, cherry, oat | shape: round, oval
Electric Scooter 610 | range: 12 mi, 20 mi, 30 mi | wheels: 8 in, 10 in | color: black, silver, lime
Field Tent 295 | sleeps: 2, 4, 6 | season: 3-season, 4-season | color: olive, orange, sky
Fishing Rod 84 | length: 6 ft, 7 ft, 8 ft | power: light, medium, heavy | pieces: 1, 2
Flannel Shirt 46 | size: S, M, L, XL | pattern: plaid, plain, check | fit: slim, relaxed
Foam Roller 33 | length: 12 in, 18 in, 36 in | density: soft, medium, firm
Folding Kayak 1240 | seats: 1, 2 | length: 10 ft, 12 ft, 14 ft | color: yellow, green, white
Fountain Pen 62 | nib: extra fine, fine, medium, broad | body: resin, brass, ebonite | filling: piston, cartridge
Hammock 72 | material: cotton, nylon, canvas | capacity: 1 person, 2 persons | stand: with stand, no stand
Herb Planter 36 | pots: 3, 5 | material: terracotta, zinc, cedar | watering: manual, self-watering
Ice Cream Maker 128 | capacity: 1 qt, 1.5 qt, 2 qt | cooling: freezer bowl, compressor | color: white, red, steel
Knife Block 165 | pieces: 5, 8, 12 | steel: German, Japanese | block: acacia, magnetic, slate
Leather Belt 49 | width: 1 in, 1.25 in, 1.5 in | color: tan, black, cognac | buckle: brass, nickel
Microphone 139 | type: condenser, dynamic, ribbon | connector: USB, XLR | stand: arm, desk, none
Monitor Arm 97 | screens: 1, 2, 3 | mount: clamp, grommet | color: black, white, gray
Pasta Machine 83 | drive: manual, electric | cutters: 2, 3, 5 | color: steel, copper, blue
Picnic Basket 71 | serves: 2, 4, 6 | material: wicker, bamboo, canvas | cooler: with cooler, no cooler
Pocket Watch 210 | movement: quartz, mechanical | case: silver, gold, bronze | dial: Roman, Arabic, open
Pour-over Set 41 | cups: 2, 4, 6 | material: glass, ceramic, steel | filter: paper, mesh
Projector 530 | resolution: 720p, 1080p, 4K | brightness: 800 lm, 1500 lm, 3000 lm | speaker: yes, no
Rain Jacket 124 | size: S, M, L, XL | color: yellow, navy, red | hood: fixed, detachable
Record Player 275 | drive: belt, direct | speeds: 2, 3 | finish: walnut, black, white | output: phono, USB
Sewing Machine 320 | stitches: 20, 60, 200 | drive: mechanical, computerized | table: with table, no table
Sleeping Bag 138 | rating: 50 F, 30 F, 10 F | length: regular, long | fill: down, synthetic
Snow Boots 112 | size: 7, 8, 9, 10, 11 | color: brown, black, gray | closure: laces, zipper
Standing Desk 485 | width: 48 in, 55 in, 63 in | top: oak, bamboo, white | motor: single, dual
Telescope 390 | aperture: 70 mm, 90 mm, 130 mm | mount: altazimuth, equatorial | tripod: aluminum, wood
Travel Adapter 34 | region: Europe, UK, Asia, worldwide | ports: 1 USB, 2 USB, 3 USB | color: white, black
Ukulele 98 | size: soprano, concert, tenor | wood: koa, mahogany, bamboo | strings: nylon, carbon
Waffle Iron 64 | shape: square, round, heart | depth: thin, Belgian | plates: fixed, removable
Weighted Blanket 89 | weight: 12 lb, 15 lb, 20 lb | cover: cotton, bamboo, fleece | color: gray, blue, cream
Wool Rug 340 | size: 4x6 ft, 5x8 ft, 8x10 ft | pattern: plain, striped, Berber | color: natural, indigo, terra
Workbench 410 | length: 48 in, 60 in, 72 in | top: beech, pine, steel | drawers: 0, 2, 4 | casters: yes, no
"""
FIRST_NAMES = """
Adele Anton Bianca Bruno Carla Cyrus Dalia Dimitri Edith Elias Farid Flora Gideon Greta Hanna Hector Imani
Ingrid Jonas Judith Kenji Klara Leila Magnus Marta Nadir Nora Otto Petra Quentin Rosa Samir Selma Tariq Thea
Ulrich Vera Wanda Xenia Zoltan
"""
LAST_NAMES = """
Abbott Aoki Baptiste Becker Calloway Castillo Dekker Dragan Eriksen Fairbanks Fontaine Galanis Grubb Hadley
Hollis Ibarra Jansen Keating Kowalczyk Lindqvist Lombardi Mbeki Montoya Navarro Novak Oduya Okafor Pereira
Quigley Radford Rosen Sandoval Schreiber Tanaka Thorpe Umarov Valdez Weaver Yilmaz Zeller
"""
# city, state, first three digits of the zip code
CITIES = [
    ("Albuquerque", "NM", "871"), ("Asheville", "NC", "288"), ("Boise", "ID", "837"), ("Buffalo", "NY", "142"),
    ("Burlington", "VT", "054"), ("Dayton", "OH", "454"), ("Duluth", "MN", "558"), ("Fresno", "CA", "937"),
    ("Knoxville", "TN", "379"), ("Lansing", "MI", "489"), ("Madison", "WI", "537"), ("Mobile", "AL", "366"),
    ("Omaha", "NE", "681"), ("Portland", "OR", "972"), ("Providence", "RI", "029"), ("Reno", "NV", "895"),
    ("Richmond", "VA", "232"), ("Savannah", "GA", "314"), ("Spokane", "WA", "992"), ("Tulsa", "OK", "741"),
]  # fmt: skip
STREETS = """
Alder Court, Beacon Street, Birch Terrace, Canal Road, Cobbler Lane, Dogwood Way, Foundry Street, Garnet Avenue,
Harbor View, Juniper Road, Kestrel Lane, Larkspur Drive, Mill Street, Orchard Road, Prospect Place, Quarry Road,
Sycamore Way, Tannery Lane, Union Street, Vineyard Avenue
"""

JSON = dict[str, Any]


class World:
    """Draws the shop from one seeded sequence."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.used: set[str] = set()

    def build(self) -> JSON:
        """The whole database."""
        products = dict(self.product(*parse(line)) for line in CATALOGUE.strip().splitlines())
        users = dict(self.user() for _ in range(USERS))
        statuses = [status for status, number in STATUSES.items() for _ in range(number)]
        self.rng.shuffle(statuses)
        orders = dict(
            self.order(user, status, products)
            for user, status in zip(self.owners(list(users.values()), len(statuses)), statuses, strict=True)
        )
        return {"products": products, "users": users, "orders": orders}

    def new(self, prefix: str, digits: int) -> str:
        """An id nobody has yet."""
        while True:
            found = f"{prefix}{self.rng.randrange(10 ** (digits - 1), 10**digits)}"
            if found not in self.used:
                self.used.add(found)
                return found

    def product(self, name: str, usual_price: int, options: dict[str, list[str]]) -> tuple[str, JSON]:
        """A product whose variants cover part of the combinations; at least two are in stock."""
        combinations = list(itertools.product(*options.values()))
        number = min(self.rng.randrange(5, 21), len(combinations))
        variants = {}
        for position, combination in enumerate(self.rng.sample(combinations, number)):
            item_id = self.new("", 10)
            variants[item_id] = {
                "item_id": item_id,
                "options": dict(zip(options, combination, strict=True)),
                "available": position < 2 or self.rng.random() < 0.6,
                "price": round(usual_price * self.rng.uniform(0.9, 1.1), 2),
            }
        product_id = self.new("", 10)
        # Sorted by id, so that the first two are not always the ones in stock.
        return product_id, {"name": name, "product_id": product_id, "variants": dict(sorted(variants.items()))}

    def user(self) -> tuple[str, JSON]:
        """A customer without orders yet."""
        first, last = self.rng.choice(FIRST_NAMES.split()), self.rng.choice(LAST_NAMES.split())
        user_id = self.new(f"{first}_{last}_".lower(), 4)
        methods = [self.payment_method(source) for source in self.sources()]
        return user_id, {
            "user_id": user_id,
            "name": {"first_name": first, "last_name": last},
            "address": self.address(),
            "email": self.new(f"{first}.{last}".lower(), 4) + "@example.com",
            "payment_methods": {method["id"]: method for method in methods},
            "orders": [],
        }

    def address(self) -> JSON:
        """Some place in the country."""
        city, state, prefix = self.rng.choice(CITIES)
        streets = [street.strip() for street in STREETS.split(",")]
        return {
            "address1": f"{self.rng.randrange(10, 990)} {self.rng.choice(streets)}",
            "address2": self.rng.choice(["", f"Apt {self.rng.randrange(1, 60)}", f"Unit {self.rng.randrange(1, 30)}"]),
            "city": city,
            "country": "USA",
            "state": state,
            "zip": f"{prefix}{self.rng.randrange(100):02}",
        }

    def sources(self) -> list[str]:
        """The kinds of payment methods a customer has: at most one gift card and PayPal account, up to two cards."""
        number = self.rng.choices([1, 2, 3, 4], weights=[60, 30, 8, 2])[0]
        return self.rng.sample(["credit_card", "gift_card", "paypal", "credit_card"], number)

    def payment_method(self, source: str) -> JSON:
        """A payment method of a kind."""
        method: JSON = {"source": source, "id": self.new(f"{source}_", 7)}
        if source == "credit_card":
            method |= {"brand": self.rng.choice(["visa", "mastercard"]), "last_four": f"{self.rng.randrange(10000):04}"}
        if source == "gift_card":
            # Most cards cannot pay for much; some can.
            method["balance"] = self.rng.randrange(101) if self.rng.random() < 0.8 else self.rng.randrange(100, 900)
        return method

    def owners(self, users: list[JSON], orders: int) -> Iterator[JSON]:
        """Who placed each order: nine users in ten have one, and the rest fall where they fall."""
        buyers = self.rng.sample(users, len(users) * 9 // 10)
        yield from buyers
        yield from (self.rng.choice(buyers) for _ in range(orders - len(buyers)))

    def order(self, user: JSON, status: str, products: JSON) -> tuple[str, JSON]:
        """An order, entered in its owner's list."""
        order_id = self.new("#W", 7)
        user["orders"].append(order_id)
        items = [self.item(products) for _ in range(self.rng.randrange(1, 6))]
        if self.rng.random() < 0.02:
            items.append(dict(items[0]))
        method_id = self.rng.choice(list(user["payment_methods"]))
        total = round(sum(item["price"] for item in items), 2)
        order: JSON = {
            "order_id": order_id,
            "user_id": user["user_id"],
            "address": dict(user["address"]) if self.rng.random() < 0.8 else self.address(),
            "items": items,
            "status": status,
            "fulfillments": [],
            "payment_history": [{"transaction_type": "payment", "amount": total, "payment_method_id": method_id}],
        }
        if status != "pending":
            parcel = {"tracking_id": [self.new("", 12)], "item_ids": [item["item_id"] for item in items]}
            order["fulfillments"].append(parcel)
        if status == "cancelled":
            order["payment_history"].append({**order["payment_history"][0], "transaction_type": "refund"})
            order["cancel_reason"] = self.rng.choice(REASONS)
        return order_id, order

    def item(self, products: JSON) -> JSON:
        """Some variant at its price, in stock today or not."""
        product = self.rng.choice(list(products.values()))
        variant = self.rng.choice(list(product["variants"].values()))
        return {
            "name": product["name"],
            "product_id": product["product_id"],
            "item_id": variant["item_id"],
            "price": variant["price"],
            "options": variant["options"],
        }


def parse(line: str) -> tuple[str, int, dict[str, list[str]]]:
    """A line of the catalogue: name, usual price, and the values of each option."""
    head, *options = line.split(" | ")
    name, _, price = head.rpartition(" ")
    named = (option.split(": ") for option in options)
    return name, int(price), {option: values.split(", ") for option, values in named}


def render(world: JSON) -> str:
    """The database as JSON with one record a line, so that a change shows as a change of lines."""
    tables = []
    for table, records in world.items():
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(record)}" for key, record in records.items())
        tables.append(f'"{table}": {{\n{lines}\n}}')
    return "{\n" + ",\n".join(tables) + "\n}\n"


def main() -> None:
    """Write the file and say what is in it."""
    world = World(SEED).build()
    path = builtin_folder("domains", "retail") / "db.json"
    path.write_text(render(world), encoding="utf-8")
    print(f"{path}: {', '.join(f'{len(records)} {table}' for table, records in world.items())}")


if __name__ == "__main__":
    main()
