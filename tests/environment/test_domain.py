"""Domain folders: finding, loading, and the sentence for what cannot be used."""

import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.environment.domain import find_domain
from pytest_tau.errors import DomainError
from tests.builders import mock, task
from tests.environment.folders import DOMAIN, TOOLS, shop, write_domain
from tests.shared import shared


class TestFinding:
    def test_built_in(self) -> None:
        assert load_domain("mock").folder.name == "mock"
        with pytest.raises(
            DomainError,
            match=r"no domain 'mok' \(did you mean 'mock'\?\): built in are airline, .*mock, retail.*domains/mok",
        ):
            load_domain("mok")

    def test_below_the_current_folder_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        write_domain(tmp_path / "domains" / "mock", policy="Mine.")
        assert load_domain("mock").policy == "Mine."

    def test_by_path(self, tmp_path: Path) -> None:
        folder = write_domain(tmp_path / "shop")
        assert find_domain(folder) == folder
        assert load_domain(str(folder)).name == "shop"
        with pytest.raises(DomainError, match=r"not a domain folder, because it has no domain\.py"):
            load_domain(tmp_path / "none")

    def test_it_is_loaded_once_and_parity_is_its_own_copy(self) -> None:
        assert mock() is mock()
        assert mock(parity=True) is not mock()
        assert (mock().parity, mock(parity=True).parity) == (False, True)


class TestLoading:
    def test_two_folders_of_one_name_do_not_collide(self, tmp_path: Path) -> None:
        one = load_domain(write_domain(tmp_path / "1" / "shop"))
        other_tools = TOOLS.replace('status = "cancelled"', 'status = "gone"')
        two = load_domain(write_domain(tmp_path / "2" / "shop", tools=other_tools))
        assert (one.name, two.name) == ("shop", "shop")
        assert one.spec.tools is not two.spec.tools
        seen = []
        for domain in (one, two):
            env = domain.environment()
            env.call("cancel", {"order_id": "O1"})
            seen.append(env.changes()[0].after)
        assert seen == ["cancelled", "gone"]
        assert "tools" not in sys.modules

    def test_what_its_own_init_says(self, tmp_path: Path) -> None:
        folder = write_domain(tmp_path / "shop", domain="from . import LIMIT\n" + DOMAIN)
        (folder / "__init__.py").write_text("from .tools import Order\nLIMIT = 3\n", encoding="utf-8")
        assert load_domain(folder).name == "shop"

    def test_an_init_that_fails(self, tmp_path: Path) -> None:
        folder = write_domain(tmp_path / "shop")
        (folder / "__init__.py").write_text("import json\n1/0\n", encoding="utf-8")
        for _ in range(2):
            with pytest.raises(DomainError, match=r"__init__\.py:2: ZeroDivisionError"):
                load_domain(folder)

    def test_a_toml_database(self, tmp_path: Path) -> None:
        folder = write_domain(tmp_path / "shop", db=None)
        (folder / "db.toml").write_text('[orders.O1]\nstatus = "open"\n', encoding="utf-8")
        assert load_domain(folder).environment().dump()["agent"]["orders"]["O1"] == {"status": "open", "seen": 0}

    def test_a_linked_folder_has_the_name_of_the_link(self, tmp_path: Path) -> None:
        (tmp_path / "shop").symlink_to(write_domain(tmp_path / "shop_v7"))
        linked = load_domain(tmp_path / "shop")
        assert (linked.name, load_domain(tmp_path / "shop_v7").name) == ("shop", "shop_v7")
        assert pickle.loads(pickle.dumps(linked)) is linked  # noqa: S301 (made here)

    def test_a_path_is_no_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = write_domain(tmp_path / "mock")
        monkeypatch.chdir(tmp_path)
        assert load_domain("./mock").folder == load_domain(find_domain("./mock")).folder == folder
        with pytest.raises(DomainError, match=r"^retail: not a domain folder"):
            load_domain("./retail")
        monkeypatch.chdir(folder)
        assert load_domain(".").name == "mock"

    def test_two_databases_are_refused_and_one_of_a_variant_takes_the_place_of_the_base(self, tmp_path: Path) -> None:
        base, ghost = write_domain(tmp_path / "shop"), tmp_path / "ghost"
        ghost.mkdir()
        (ghost / "values.toml").write_text('base = "shop"\n', encoding="utf-8")
        (ghost / "db.toml").write_text('[orders.O9]\nstatus = "open"\n', encoding="utf-8")
        assert "O9" in load_domain(ghost).environment().dump()["agent"]["orders"]
        (base / "db.toml").write_text('[orders.O1]\nstatus = "open"\n', encoding="utf-8")
        with pytest.raises(DomainError, match=r"shop: has two databases, db\.json and db\.toml; keep the one that"):
            load_domain(base)

    def test_the_dates_of_a_toml_database(self, tmp_path: Path) -> None:
        tools = "from datetime import date\n" + TOOLS.replace("    seen: int", "    day: date\n    seen: int")
        folder = write_domain(tmp_path / "shop", db=None, tools=tools)
        (folder / "db.toml").write_text('[orders.O1]\nstatus = "open"\nday = 2025-02-03\n', encoding="utf-8")
        assert load_domain(folder).environment().dump()["agent"]["orders"]["O1"]["day"] == "2025-02-03"

    @pytest.mark.parametrize("fee", ["inf", "nan"])
    def test_a_toml_database_with_a_number_that_is_none(self, tmp_path: Path, fee: str) -> None:
        tools = TOOLS.replace("    seen: int", "    fee: float\n    seen: int")
        folder = write_domain(tmp_path / "shop", db=None, tools=tools)
        (folder / "db.toml").write_text(f'[orders.O1]\nstatus = "open"\nfee = {fee}\n', encoding="utf-8")
        with pytest.raises(DomainError, match=r"db\.toml: .* be read: (Infinity|NaN) is not JSON: orders\.O1\.fee$"):
            load_domain(folder)

    @pytest.mark.parametrize(
        ("files", "sentence"),
        [
            ({"domain": "domain = 7"}, r"domain\.py: define 'domain = DomainSpec\(tools=\.\.\.\)' in it"),
            ({"domain": "x ="}, r"domain\.py:1: SyntaxError"),
            ({"domain": "import json\n1/0"}, r"domain\.py:2: ZeroDivisionError: division by zero"),
            ({"tools": TOOLS + "\nimport no_such_module\n"}, r"tools\.py:\d+: ModuleNotFoundError: .*no_such_module"),
            ({"tools": None}, r"domain\.py:3: ModuleNotFoundError"),
            (
                {"domain": DOMAIN.replace("tools=ShopTools", "tools=dict")},
                r"domain\.py:\d+: TypeError: DomainSpec: tools must be type\[Toolkit\], and is <class 'dict'>$",
            ),
            (
                {"domain": DOMAIN.replace("sync=sync", "user_tools=ShopTools, solo=True")},
                r"Tool names overlap: \['cancel', 'half', 'three'\]; solo mode needs them apart",
            ),
            (
                {"tools": TOOLS.replace("    db: ShopDB\n", "")},
                "ShopTools: annotate its database, as in 'db: ShopDatabase'",
            ),
            (
                {"tools": TOOLS.replace("def cancel", "def copy")},
                r"domain\.py: ShopTools has a tool 'copy', which each toolkit has for itself; name the tool otherwise",
            ),
            ({"tools": TOOLS.replace("db: ShopDB", "db: 'Nope'")}, "ShopTools: an annotation cannot be resolved"),
            *(
                (
                    {"domain": "from pytest_tau.environment import *\n" + DOMAIN.replace("sync=sync", wrong)},
                    rf"domain\.py:\d+: TypeError: {sentence}$",
                )
                for wrong, sentence in (
                    ("now='2026-05-04'", r"DomainSpec: now must be datetime \| None, and is '2026-05-04'"),
                    ("documents=True", r"DomainSpec: documents must be KnowledgeBase \| None, and is True"),
                    ("roles={'a': ['cancel']}", r"DomainSpec: roles must be Mapping\[str, TeamRole\], and is .*"),
                    (
                        "roles={'a': TeamRole('cancel', [])}",
                        r"TeamRole: tools must be Sequence\[str\], and is 'cancel'",
                    ),
                    ("checks=['confirmed']", r"DomainSpec: checks must be Sequence\[Mapping\[str, Any\]\], and is .*"),
                    ("sync=3", r"DomainSpec: sync must be Callable\[.*\] \| None, and is 3"),
                    ("pace=3", "DomainSpec: pace must be Pace, and is 3"),
                    ("policies={'a': 'b.md'}", r"DomainSpec: policies must be Mapping\[str, Policy\], and is .*"),
                    ("safety=True", r"DomainSpec: safety must be str \| None, and is True"),
                    ("documents=KnowledgeBase(default=3)", "KnowledgeBase: default must be str, and is 3"),
                )
            ),
            (
                {"domain": DOMAIN.replace("sync=sync", "checks=[{'check': 'identified', 'bye': ['cancel']}]")},
                r"domain\.py: DomainSpec\.checks: 0: nothing reads the key 'bye'",
            ),
            ({"policy": None}, r"policy\.md: the policy cannot be read: No such file"),
            ({"policy": " \n"}, r"policy\.md: the policy is empty; an agent needs one"),
            ({"db": None}, r"db\.json: the database cannot be read: No such file"),
            ({"db": "{"}, r"db\.json: the database cannot be read: Expecting property name"),
            ({"db": "[" * 100_000}, r"db\.json: the database cannot be read: maximum recursion"),
            (
                {"db": '{"orders":\n{"O1": {"status": NaN}}}'},
                r"db\.json: .* NaN is not JSON: line 2 column 19 \(char 29\)$",
            ),
            (
                {"db": '{"orders": {"O1": {"status": "open", "seen": 1e999}}}'},
                r"db\.json: the database cannot be read: 1e999 is too large a number$",
            ),
            ({"db": "{}"}, r"db\.json: 'orders' is missing"),
        ],
    )
    def test_what_cannot_be_used(self, tmp_path: Path, files: dict[str, Any], sentence: str) -> None:
        with pytest.raises(DomainError, match=sentence):
            shop(tmp_path, **files)

    def test_the_byte_order_mark_of_an_editor(self, tmp_path: Path) -> None:
        domain = shop(tmp_path, policy="\ufeffBe kind.", db='\ufeff{"orders": {"O1": {"status": "open"}}}')
        assert domain.policy == "Be kind."
        assert domain.environment().tools.db.orders["O1"].status == "open"

    @pytest.mark.parametrize("part", ["sync", "begin"])
    def test_what_breaks_a_fresh_world(self, tmp_path: Path, part: str) -> None:
        domain = shop(tmp_path, domain=DOMAIN.replace("sync=sync", f"{part}=lambda: None"))
        with pytest.raises(DomainError, match=rf"{part} of domain 'shop' fails in a fresh world: TypeError: "):
            domain.environment(task())

    def test_no_solo(self, tmp_path: Path) -> None:
        with pytest.raises(DomainError, match="Shop domain does not support solo mode"):
            shop(tmp_path).environment(solo=True)


class TestPublicData:
    @pytest.mark.parametrize("depth", range(2))
    def test_every_depth(self, depth: int) -> None:
        data = shared("tau2") / ["", "domains"][depth]
        domain = load_domain("mock", data=data)
        assert domain.parity
        assert domain.policy == (shared("tau2") / "domains/mock/policy.md").read_text(encoding="utf-8")
        assert len(domain.environment().dump()["agent"]["tasks"]) == 1

    def test_relative_to_the_current_folder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known = load_domain("mock", data=shared("tau2"))
        for below, data in (("domains", "."), ("domains/mock", ".."), ("domains", "..")):
            monkeypatch.chdir(shared("tau2") / below)
            assert load_domain("mock", data=data) is known

    def test_a_checkout_of_the_reference(self, tmp_path: Path) -> None:
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "tau2").symlink_to(shared("tau2"))
        for root in (tmp_path, tmp_path / "data" / "tau2", tmp_path / "data" / "tau2" / "domains"):
            assert load_domain("retail", data=root) is load_domain("retail", data=shared("tau2"))

    def test_parity_can_be_switched_off(self) -> None:
        assert not load_domain("mock", data=shared("tau2"), parity=False).parity

    def test_no_data(self, tmp_path: Path) -> None:
        with pytest.raises(
            DomainError, match="no public data for 'mock' there; give the folder that holds 'domains/mock'"
        ):
            load_domain("mock", data=tmp_path)
