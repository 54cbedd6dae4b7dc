"""A domain out of a log: tables, writes, rules and recorded answers, each guess said, and everything reproduced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Domain, grade, load_domain, simulate
from pytest_tau.errors import RecordingError
from pytest_tau.recordings import read_conversations
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.recordings.reproducing import reproduce
from tau_workshop.import_.domains import world_of
from tau_workshop.import_.inferring import call_key, infer, types_of
from tau_workshop.import_.making import make_task
from tau_workshop.scaffold import write
from tau_workshop.scaffold.code import files_of
from tests.workshop.import_.logs import call, cancelling, log


def conversations(folder: Path, *lines: dict[str, Any]) -> list[LoggedConversation]:
    return read_conversations(log(folder / "log.jsonl", *lines))


def domain_of(folder: Path, found: list[LoggedConversation]) -> Domain:
    write(files_of(world_of("shop", found)), folder)
    return load_domain(folder / "domains" / "shop")


@pytest.fixture
def found(tmp_path: Path) -> list[LoggedConversation]:
    openings = ["I want to get rid of a rug.", "Undo my purchase, please, it was a mistake."]
    lines = [cancelling(f"O{n}", opening=text, total=10.0 * n) for n, text in enumerate(openings, start=5)]
    search = {
        "id": "search",
        "conversation": [
            {"role": "user", "content": "What do you have in rugs, and where is order O99?"},
            call("search", {"words": "rug", "most": 2}, [{"sku": "R1"}, {"sku": "R2"}]),
            call("get_order", {"order_id": "O99"}, "Error: there is no order O99"),
            {"role": "assistant", "content": "Two rugs. There is no such order."},
        ],
    }
    return conversations(tmp_path, *lines, search)


class TestWhatIsInferred:
    def test_tables_and_writes(self, found: list[LoggedConversation]) -> None:
        world = infer(found)
        [table] = world.tables
        assert (table.name, table.model, table.argument, sorted(table.rows)) == (
            "orders",
            "Order",
            "order_id",
            ["O5", "O6"],
        )
        assert table.rows["O5"]["status"] == "pending"
        tools = {tool.name: tool for tool in world.tools}
        assert {name: tool.writes for name, tool in tools.items()} == {
            "get_order": False, "cancel_order": True, "search": False,
        }  # fmt: skip
        rule = tools["cancel_order"].rule
        assert rule is not None
        assert (rule[0].name, rule[1], rule[2]) == ("orders", "order_id", {"status": ("value", "cancelled")})

    def test_a_schema_of_odd_parts_says_nothing(self, tmp_path: Path) -> None:
        odd = {"name": "search", "parameters": {"properties": {"words": 5}, "required": [["words"], {}]}}
        said = [{"role": "user", "content": "Rugs?"}, call("search", {"words": "rug"}, "none")]
        tools = [{"type": "function", "function": odd}]
        domain = domain_of(tmp_path, conversations(tmp_path, {"id": "c", "conversation": said, "tools": tools}))
        assert domain.environment().call("search", {"words": "rug"}).content == "none"

    def test_records_may_be_called_as_what_each_database_has(self, tmp_path: Path) -> None:
        asked = call("get_table_details", {"table_id": "T1"}, {"table_id": "T1", "seats": 4})
        said = [{"role": "user", "content": "Is there a table by the window?"}, asked]
        domain = domain_of(tmp_path, conversations(tmp_path, {"id": "c", "conversation": said}))
        assert '"seats": 4' in domain.environment().call("get_table_details", {"table_id": "T1"}).content

    def test_tools_may_be_called_as_types_are_but_not_as_what_marks_them(self, tmp_path: Path) -> None:
        calls = [call("list", {"ids": ["a"]}, "one"), call("tool", {"ids": ["a"]}, "two"), call("find", {}, "three")]
        said = [{"role": "user", "content": "What is there?"}, *calls]
        found = conversations(tmp_path, {"id": "c", "conversation": said})
        [left_out] = [one for one in world_of("shop", found).todo if "left out" in one]
        assert left_out.startswith("The tool tool is left out:")
        env = domain_of(tmp_path, found).environment()
        assert [env.call("list", {"ids": ["a"]}).content, env.call("find", {}).content] == ["one", "three"]

    def test_tools_that_no_call_shows_are_left_out_with_a_word_too(self, tmp_path: Path) -> None:
        said = [{"role": "user", "content": "Rugs?"}, call("search", {"words": "rug"}, "none")]
        tools = [{"type": "function", "function": {"name": name}} for name in ("search", "tool", "get-order")]
        world = world_of("shop", conversations(tmp_path, {"id": "c", "conversation": said, "tools": tools}))
        assert [one.split()[2] for one in world.todo if "left out" in one] == ["tool", "get-order"]

    def test_a_write_is_seen_in_a_later_look_up(self, tmp_path: Path) -> None:
        lines = {
            "id": "c",
            "conversation": [
                {"role": "user", "content": "Freeze my account A1, please."},
                call("get_account", {"account_id": "A1"}, {"account_id": "A1", "frozen": False}),
                call("frobnicate", {"account_id": "A1"}, "ok"),
                call("get_account", {"account_id": "A1"}, {"account_id": "A1", "frozen": True}),
            ],
        }
        tools = {tool.name: tool for tool in infer(conversations(tmp_path, lines)).tools}
        assert (tools["frobnicate"].writes, tools["frobnicate"].why) == (
            True,
            "get_account shows something else after it",
        )


class TestTheDomain:
    def test_everything_is_reproduced_and_the_oracle_passes(
        self, tmp_path: Path, found: list[LoggedConversation]
    ) -> None:
        domain = domain_of(tmp_path, found)
        for one in found:
            again = reproduce(one.messages, domain)
            assert again.share == 1.0
            task = make_task(one, domain, again)
            assert grade(task, simulate(task, domain), domain).passed
            assert not grade(task, simulate(task, domain, "noop"), domain).passed

    def test_a_rule_holds_for_other_records(self, tmp_path: Path, found: list[LoggedConversation]) -> None:
        env = domain_of(tmp_path, found).environment()
        env.database("assistant").patch({"orders": {"O7": {"order_id": "O7", "email": "x", "status": "pending",
                                                           "total": 1.0, "items": []}}}, where="test")  # fmt: skip
        assert '"status": "cancelled"' in env.execute("cancel_order", {"order_id": "O7"}).content

    def test_what_is_not_recorded_says_so_and_a_write_leaves_a_trace(
        self, tmp_path: Path, found: list[LoggedConversation]
    ) -> None:
        env = domain_of(tmp_path, found).environment()
        before = env.state()
        looked = env.execute("search", {"words": "lamp", "most": 2})
        assert (looked.error, looked.content) == (
            True,
            'Error: nothing is recorded for search("most": 2, "words": "lamp")',
        )
        assert env.state() == before
        assert env.execute("cancel_order", {"order_id": "O77"}).error
        assert env.state() != before

    def test_each_guess_is_marked(self, tmp_path: Path, found: list[LoggedConversation]) -> None:
        domain_of(tmp_path, found)
        code = (tmp_path / "domains/shop/tools.py").read_text(encoding="utf-8")
        assert code.count("# Guess: ") >= 2 * 3
        assert "# Guess: a rule that all 2 calls of the log follow" in code
        assert (tmp_path / "domains/shop/policy.md").read_text(encoding="utf-8") == "You work for a shop.\n"

    def test_hostile_names_and_texts_become_no_code(self, tmp_path: Path) -> None:
        lines = {
            "id": "c",
            "conversation": [
                {"role": "user", "content": "Hello, can you please help me with this?"},
                call("get_it", {"key": 'x"""\nimport os\n'}, {"a": '"""\nraise SystemExit\n', "class": 1}),
                call("import os; x", {"a": 1}, "no"),
                call("ok", {"self": 1, "b-c": 2}, "no"),
                call("__init__", {"a": 1}, "no"),
            ],
            "tools": [{"name": "get_it", "description": '"""\nraise SystemExit', "parameters": {}}],
        }
        domain = domain_of(tmp_path, conversations(tmp_path, lines))
        assert "get_it" in [tool.name for tool in domain.environment().tool_specs()]

    def test_a_log_without_calls(self, tmp_path: Path) -> None:
        lines = {"id": "c", "conversation": [{"role": "user", "content": "Hello there."}]}
        with pytest.raises(RecordingError, match="no tool is called in this log"):
            world_of("shop", conversations(tmp_path, lines))


def test_no_name_of_a_log_becomes_code(tmp_path: Path) -> None:
    """What is said of a tool names another one."""
    odd = "get_order\n\n        raise SystemExit('a line of the log')\n        #"
    line = cancelling("O5", opening="I want to get rid of a rug.")
    shown = line["conversation"][7]["result"]  # of the cancellation
    line["conversation"][4]["call"] = odd
    line["conversation"].insert(8, call(odd, {"order_id": "O5"}, shown))
    env = domain_of(tmp_path, conversations(tmp_path, line)).environment()
    assert not env.call("cancel_order", {"order_id": "O5"}).error
    text = (tmp_path / "domains/shop/tools.py").read_text(encoding="utf-8")
    assert "raise SystemExit('a line of the log')         # shows something else after it" in text


def test_an_argument_named_self_is_left_out(tmp_path: Path) -> None:
    line = cancelling("O5", opening="I want to get rid of a rug.")
    parameters = {"type": "object", "properties": {"self": {"type": "string"}, "most": {"type": "integer"}}}
    line["tools"] = [{"type": "function", "function": {"name": "search", "parameters": parameters}}]
    tools = {tool.name: tool for tool in domain_of(tmp_path, conversations(tmp_path, line)).environment().tool_specs()}
    assert set(tools["search"].schema["function"]["parameters"]["properties"]) == {"most"}


def test_arguments_that_may_be_null_have_their_type(tmp_path: Path) -> None:
    line = cancelling("O5", opening="I want to get rid of a rug.")
    properties = {
        "words": {"type": ["string", "null"]},
        "most": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "kinds": {"type": "array", "items": {"$ref": "#/$defs/Kind"}},
    }
    parameters = {"type": "object", "properties": properties, "$defs": {"Kind": {"type": "string"}}}
    line["tools"] = [{"type": "function", "function": {"name": "search", "parameters": parameters}}]
    domain = domain_of(tmp_path, conversations(tmp_path, line))
    text = (domain.folder / "tools.py").read_text(encoding="utf-8")
    assert "words: str | None = None, most: int | None = None, kinds: list[str] | None = None" in text


def test_call_keys() -> None:
    assert (
        call_key("f", {"b": 1.0, "a": None, "c": [2.0]}) == call_key("f", {"c": [2], "b": 1}) == 'f("b": 1, "c": [2])'
    )


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a"], "str"), ([1, 2.5], "int | float"), ([True], "bool"), ([[], ["a"]], "list[str]"), ([[]], "list[Any]"),
        ([{"a": 1}], "dict[str, Any]"), (["a", 1], "Any"), ([[1, "a"]], "list[Any]"),
    ],
)  # fmt: skip
def test_types(values: list[Any], kind: str) -> None:
    assert types_of(values) == kind
