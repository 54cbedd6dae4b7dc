"""A domain under other names."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import grade, load_domain, simulate
from pytest_tau.cli import main
from pytest_tau.errors import SettingsError, TauError
from tau_workshop.rebrand import Brand, draw_brand, grams, prove_again, rebrand, shared_grams
from tau_workshop.scaffold import blank, write
from tau_workshop.scaffold.code import files_of
from tests.builders import CREATE, action, mock, task

SHOP: dict[str, Any] = {
    "products": {"1234567890": {"name": "Snow Boots", "options": {"colour": "snow 1234567890"}, "price": 12.5}},
    "users": {
        "may_rose_4321": {
            "name": {"first_name": "May", "last_name": "Rose"},
            "address": {"address1": "12 Garnet Avenue", "city": "Tulsa", "zip": "98765"},
            "balance": 40,
        }
    },
}


@pytest.fixture(scope="module")
def brand() -> Brand:
    return draw_brand([SHOP], 3)


def test_names_ids_and_money_are_others_and_consistent(brand: Brand) -> None:
    told = brand.text("May Rose (may_rose_4321) of 12 Garnet Avenue, Tulsa 98765, paid $12.50, or 1,200.00.")
    first, last = brand.people["may"], brand.people["rose"]
    street, town = brand.phrases["garnet avenue"], brand.phrases["tulsa"]
    number, zip_code = brand.digits["4321"], brand.digits["98765"]
    assert told == (
        f"{first} {last} ({first.lower()}_{last.lower()}_{number}) of 12 {street}, {town} {zip_code}, "
        f"paid ${12.5 * brand.factor:.2f}, or {1200 * brand.factor:,}.00."
    )
    changed = brand.value(SHOP)
    product = changed["products"][brand.digits["1234567890"]]
    assert product["options"] == SHOP["products"]["1234567890"]["options"]
    assert (product["price"], changed["users"][f"{first}_{last}_{number}".lower()]["balance"]) == (
        12.5 * brand.factor,
        40 * brand.factor,
    )


def test_whole_amounts_are_multiplied_however_long_they_are(brand: Brand) -> None:
    assert brand.text("Up to $1,200, or 12,000 dollars, not $50.") == (
        f"Up to ${1200 * brand.factor:,}, or {12000 * brand.factor:,} dollars, not ${50 * brand.factor}."
    )


def test_amounts_with_one_decimal_are_multiplied_and_no_part_of_a_number_is(brand: Brand) -> None:
    assert brand.text("Not $12.5, but 1,200.5 USD; $12.567 stays, and 12.5 kg.") == (
        f"Not ${12.5 * brand.factor:.1f}, but {1200.5 * brand.factor:,.1f} USD; $12.567 stays, and 12.5 kg."
    )


def test_a_date_keeps_its_year_though_records_are_found_by_dates() -> None:
    dated = draw_brand([{"days": {"2026-01-02": {"order_id": "#2026"}}}], 3)
    assert dated.text("On 2026-01-02T10:00, order #2026.") == f"On 2026-01-02T10:00, order #{dated.digits['2026']}."


def test_a_domain_of_which_nothing_is_renamed_is_refused(tmp_path: Path) -> None:
    write(files_of(blank.world("shop")), tmp_path)
    with pytest.raises(SettingsError, match="none of the fields that are renamed"):
        rebrand(tmp_path / "domains" / "shop", tmp_path, seed=3)


def test_ordinary_words_stay(brand: Brand) -> None:
    boots = brand.words["boots"]
    assert brand.text("You may set the snow boots down, rose-red.") == (
        f"You may set the {brand.phrases['snow boots'].lower()} down, rose-red."
    )
    assert brand.text("It may snow on boots, on Boots and 2024-05-15.") == (
        f"It may snow on {boots}, on {boots.capitalize()} and 2024-05-15."
    )
    assert brand.text("snow_boots_and_20 dollars") == (
        f"{brand.phrases['snow boots'].lower().replace(' ', '_')}_and_{20 * brand.factor} dollars"
    )


def test_the_same_seed_gives_the_same_names(brand: Brand) -> None:
    assert draw_brand([SHOP], 3) == brand
    assert draw_brand([SHOP], 4).people != brand.people
    assert not grams("Snow Boots") & grams(brand.phrases["snow boots"])


@pytest.mark.slow
def test_retail_under_other_names_is_proven_and_shares_no_names(tmp_path: Path) -> None:
    domain, tasks = rebrand("retail", tmp_path, seed=3)
    original = load_domain("retail")
    assert domain.name == "retail_3"
    assert shared_grams(original, domain) == set()
    assert shared_grams(original, original)
    assert domain.policy != original.policy
    assert len(tasks) > 180
    assert not grade(tasks[0], simulate(tasks[0], domain, "noop"), domain).passed
    splits = json.loads((domain.folder.parent.parent / "tasks" / "retail_3" / "split_tasks.json").read_text("utf-8"))
    assert set(splits["base"]) == {one.id for one in tasks}


def test_what_does_not_pass_is_refused() -> None:
    criteria = {"actions": [action("create_task", **{**CREATE, "user_id": "nobody"})], "communicate_info": ["1"]}
    with pytest.raises(TauError, match="task 't' does not pass under other names"):
        prove_again([task(criteria=criteria)], mock())


def test_of_a_domain_that_cannot_be_proven_nothing_is_left(tmp_path: Path) -> None:
    write({path: text for path, text in files_of(blank.world("shop")).items() if "tasks" not in path}, tmp_path)
    for _ in range(2):
        with pytest.raises(TauError, match=r"tasks/shop_1"):
            rebrand(tmp_path / "domains" / "shop", tmp_path / "out", seed=1)
        assert not any(file.is_file() for file in (tmp_path / "out").rglob("*"))


def test_what_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SettingsError, match="'My Shop' cannot be the name of a domain"):
        rebrand("mock", tmp_path, seed=1, called="My Shop")
    with pytest.raises(SettingsError, match="there is a built-in domain 'retail', and yours would take its place"):
        rebrand("mock", tmp_path, seed=1, called="retail")
    (tmp_path / "domains" / "mock_1").mkdir(parents=True)
    with pytest.raises(SettingsError, match="mock_1 already exists"):
        rebrand("mock", tmp_path, seed=1)
    assert main(["rebrand", "mock", "-o", str(tmp_path), "--name", "other"]) in (0, 1)
    assert "tasks, each of which the oracle passes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--policy", "--n", "0"], "--n must be at least 1, and is 0"),
        (["--policy", "--n", "-3"], "--n must be at least 1, and is -3"),
        (["--n", "4"], "--n is about another policy: add --policy"),
        (["--composed", "4"], "--composed is about another policy: add --policy"),
    ],
)
def test_what_cannot_be_asked_for(
    tmp_path: Path, options: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rebrand", "telecom", "-o", str(tmp_path), *options]) == 2
    assert problem in capsys.readouterr().err
    assert not any(tmp_path.iterdir())
