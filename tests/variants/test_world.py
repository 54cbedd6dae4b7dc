"""Views of the agent's world: what is shown otherwise can be traced back, and what is right stays right."""

import json
import re
import sys
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_tau import load_domain
from pytest_tau.conversation.view import AgentView, ShownTool
from pytest_tau.environment.domain import Domain
from pytest_tau.variants import Dose, builtin_kinds, world
from tests.builders import core
from tests.laws.strategies import JSON

# Read, but not written again; from Python 3.12 on what is read can be written.
DEEP = 600 if sys.version_info < (3, 12) else 60_000
KINDS = builtin_kinds()
NAMES = ["retail", "telecom", "mock"]
loaded = cache(load_domain)
STRENGTHS = st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0])
SEEDS = st.integers(0, 200)


def view(kind: str, strength: float = 0.5, seed: int = 1, domain: Domain | None = None, choice: str = "") -> AgentView:
    domain = domain or loaded("mock")
    found = KINDS[kind].change(core("mock")[0], domain, Dose(kind, strength, choice), seed)
    assert isinstance(found, AgentView)
    return found


def tools_of(domain: Domain) -> list[ShownTool]:
    specs = domain.environment().tool_specs()
    return [ShownTool(one.name, one.name, {"type": "function", "function": {"name": one.name}}) for one in specs]


class TestPolicyOrder:
    @pytest.mark.parametrize("name", NAMES)
    @settings(max_examples=8)
    @given(strength=STRENGTHS, seed=SEEDS)
    def test_every_line_is_kept_and_what_comes_first_stays(self, name: str, strength: float, seed: int) -> None:
        policy = loaded(name).policy
        shuffled = view("policy_order", strength, seed).text(policy)
        assert sorted(filter(None, shuffled.split("\n"))) == sorted(filter(None, policy.split("\n")))
        assert shuffled.partition("\n## ")[0].split("\n")[0] == policy.split("\n")[0]
        assert view("policy_order", strength, seed).text(policy) == shuffled

    SECTIONS = "# P\n\nIntro.\n\n## First\n\na\n\n## Second\n\nb\n\n## Third\n\nc\n\n## Fourth\n\nas above\n"

    @given(seed=SEEDS)
    def test_sections_move_but_the_first_and_those_that_lean_on_another(self, seed: int) -> None:
        headings = re.findall("(?m)^## (.*)", view("policy_order", 0.5, seed).text(self.SECTIONS))
        assert headings == ["First", "Third", "Second", "Fourth"]

    def test_below_a_half_and_where_only_one_could_move_they_stay(self) -> None:
        assert view("policy_order", 0.4).text(self.SECTIONS) == self.SECTIONS
        two = "# P\n\n## First\n\na\n\n## Second\n\nb\n"
        assert view("policy_order", 1.0).text(two) == two

    def test_a_code_block_is_not_cut_at_a_line_that_looks_like_a_heading(self) -> None:
        fenced = "## A\n\na\n\n## B\n\n```\n## no heading\n- x\n- y\n```\n\n## C\n\nc\n"
        for seed in range(20):
            shuffled = view("policy_order", 1.0, seed).text(fenced)
            assert "```\n## no heading\n- x\n- y\n```\n" in shuffled

    @given(seed=SEEDS)
    def test_items_of_a_list_move_with_what_belongs_to_them(self, seed: int) -> None:
        text = "Rules:\n- one\n  more of one\n- two\n- three\n\nEnd."
        shuffled = view("policy_order", 1.0, seed).text(text)
        assert shuffled != text
        assert "- one\n  more of one\n" in shuffled
        assert (shuffled.startswith("Rules:\n- "), shuffled.endswith("\n\nEnd.")) == (True, True)

    @pytest.mark.parametrize(
        "text", ["- do this\n- then that", "- a\n- otherwise b", "1. a\n2. b", "- a\n\n- b", "- a\n- a", "- a"]
    )
    def test_items_that_lean_on_their_place_stay(self, text: str) -> None:
        assert all(view("policy_order", 1.0, seed).text(text) == text for seed in range(10))

    @pytest.mark.parametrize("item", ["the first name", "their last-name", "thoughtful"])
    def test_words_that_only_look_like_it_do_not_hold_them(self, item: str) -> None:
        text = f"- {item}\n- b"
        assert view("policy_order", 1.0).text(text) == f"- b\n- {item}"


def test_tools_are_in_another_order_and_all_there() -> None:
    tools = tools_of(loaded("mock"))
    for seed in range(20):
        shown = view("tools_order", seed=seed).tools(tools)
        assert list(shown) != tools
        assert sorted(one.name for one in shown) == sorted(one.name for one in tools)
    assert view("tools_order").tools(tools[:1]) == tools[:1]


def made_of(*names: str, hidden: Sequence[str] = ()) -> dict[str, Any]:
    """Tools by name, as a domain declares them."""
    return {name: SimpleNamespace(hidden=name in hidden) for name in names}


class TestToolNames:
    @pytest.mark.parametrize("name", NAMES)
    @settings(max_examples=8)
    @given(strength=STRENGTHS, seed=SEEDS, choice=st.sampled_from(["camel", "scrambled"]))
    def test_each_tool_is_found_by_the_name_that_is_shown(
        self, name: str, strength: float, seed: int, choice: str
    ) -> None:
        domain = loaded(name)
        seen, tools = view("tool_names", strength, seed, domain, choice), tools_of(domain)
        shown = seen.tools(tools)
        names = [one.name for one in shown]
        assert len(set(names)) == len(names)
        assert [one.true_name for one in shown] == [one.name for one in tools]
        assert [one.schema["function"]["name"] for one in shown] == names
        for tool in tools:
            other = seen.name(tool.name)
            assert seen.true_name(other) == tool.name
            if other != tool.name:
                assert seen.true_name(tool.name) not in {one.name for one in tools}  # it is none of the agent's now

    @given(st.lists(st.sampled_from(["a_b", "a__b", "aB", "ab", "a_1", "a1", "a__1"]), min_size=1, unique=True))
    def test_no_two_tools_get_one_name(self, names: list[str]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(world, "_specs", lambda domain: made_of(*names))
            seen = view("tool_names", 1.0, choice="camel")
        assert len({seen.name(name) for name in names}) == len(names)
        assert [seen.true_name(seen.name(name)) for name in names] == names

    def test_a_share_of_them_is_renamed_and_none_that_is_hidden(self, monkeypatch: pytest.MonkeyPatch) -> None:
        names = [f"do_{letter}" for letter in "abcdefgh"]
        monkeypatch.setattr(world, "_specs", lambda domain: made_of(*names, "of_nobody", hidden=["of_nobody"]))
        for strength, count in ((0.1, 2), (0.25, 4), (0.5, 8), (1.0, 8)):
            seen = view("tool_names", strength)
            assert sum(seen.name(name) != name for name in names) == count
            assert seen.name("of_nobody") == "of_nobody"

    def test_a_name_in_a_text_is_a_whole_word(self) -> None:
        seen = view("tool_names", 1.0, choice="camel")
        text = "get_users, `get_users`; get_users2 my_get_users"
        assert seen.text(text) == "getUsers, `getUsers`; get_users2 my_get_users"

    def test_without_tools_to_rename_texts_stay(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(world, "_specs", lambda domain: made_of("calculate"))
        assert view("tool_names", 1.0, choice="camel").text("calculate it") == "calculate it"


class TestToolDocs:
    SCHEMA: ClassVar[dict[str, Any]] = {
        "type": "function",
        "function": {
            "name": "cancel",
            "description": "Cancels a trip, or a part of it. It cannot be undone.",
            "parameters": {
                "properties": {
                    "description": {"type": "string", "description": "Why: a word (or two). In English."},
                    "items": {"type": "array", "items": {"description": "An item such as 12. Not more."}},
                }
            },
        },
    }

    def shown(self, strength: float) -> dict[str, Any]:
        before = deepcopy(self.SCHEMA)
        (tool,) = view("tool_docs", strength).tools([ShownTool("cancel", "cancel", self.SCHEMA)])
        assert before == self.SCHEMA  # a copy was changed
        return dict(tool.schema["function"])

    def test_the_first_sentence_is_left(self) -> None:
        shown = self.shown(0.5)
        assert shown["description"] == "Cancels a trip, or a part of it."
        properties = shown["parameters"]["properties"]
        assert properties["description"] == {"type": "string", "description": "Why: a word (or two)."}
        assert properties["items"]["items"]["description"] == "An item such as 12."

    def test_above_a_half_what_it_begins_with(self) -> None:
        shown = self.shown(0.6)
        assert shown["description"] == "Cancels a trip."
        properties = shown["parameters"]["properties"]
        assert properties["description"]["description"] == "Why."
        assert properties["items"]["items"]["description"] == "An item."

    @pytest.mark.parametrize("text", ["", "(Optional) The city.", ": see below"])
    def test_what_would_be_nothing_stays(self, text: str) -> None:
        schema = {"function": {"name": "x", "description": text}}
        (tool,) = view("tool_docs", 1.0).tools([ShownTool("x", "x", schema)])
        assert tool.schema["function"]["description"] == text


class TestExtraTools:
    @pytest.mark.parametrize("name", NAMES)
    @settings(max_examples=8)
    @given(strength=STRENGTHS, seed=SEEDS)
    def test_they_stand_among_the_others_which_keep_their_order(self, name: str, strength: float, seed: int) -> None:
        domain = loaded(name)
        seen, tools = view("extra_tools", strength, seed, domain), tools_of(domain)
        shown = seen.tools(tools)
        assert [one for one in shown if one.name not in seen.extra] == tools
        assert sorted(one.name for one in shown if one.name in seen.extra) == sorted(seen.extra)
        assert 1 <= len(seen.extra) <= 10
        for one in shown:
            if one.name in seen.extra:
                parameters = one.schema["function"]["parameters"]
                assert (one.true_name, list(parameters["properties"])) == (one.name, parameters["required"])

    def test_they_stand_anywhere(self) -> None:
        tools = tools_of(loaded("mock"))
        places = {
            [one.name in seen.extra for one in seen.tools(tools)].index(True)
            for seen in (view("extra_tools", 0.1, seed) for seed in range(40))
        }
        assert places == set(range(len(tools) + 1))

    def test_none_has_the_name_of_a_tool_that_is_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(world, "_specs", lambda domain: made_of("get_weather", "convert_units"))
        found = view("extra_tools", 1.0).extra
        assert len(found) == 8
        assert not {"get_weather", "convert_units"} & found.keys()

    @pytest.mark.parametrize(("strength", "number"), [(0.1, 1), (0.5, 5), (0.51, 6), (1.0, 10)])
    def test_more_strength_is_more_of_them(self, strength: float, number: int) -> None:
        assert len(view("extra_tools", strength).extra) == number


def content_of(shown: str) -> Any:
    """What stands in the wrapper."""
    wrapped = json.loads(shown)
    assert next(iter(wrapped)) == "status"
    assert len(wrapped) == 2
    return list(wrapped.values())[1]


class TestResultFormat:
    @given(value=JSON, seed=SEEDS)
    def test_up_to_a_half_the_values_are_the_same(self, value: Any, seed: int) -> None:
        shown = view("result_format", 0.5, seed).result(json.dumps(value))
        assert json.dumps(content_of(shown), sort_keys=True) == json.dumps(value, sort_keys=True)
        assert "\n" not in shown

    def test_keys_are_in_one_order_or_the_other_and_wrappers_differ(self) -> None:
        shown = [json.loads(view("result_format", 0.5, seed).result('{"b": 1, "a": 2, "c": 3}')) for seed in range(40)]
        assert {tuple(content_of(json.dumps(one))) for one in shown} == {tuple("abc"), tuple("cba")}
        assert {tuple(one) for one in shown} == {("status", one) for one in ("data", "result", "payload", "response")}

    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            ("2024-05-09", "9 May 2024"),
            ("2024-12-31T23:59:01", "31 Dec 2024, 23:59:01"),
            ("2024-02-30", "2024-02-30"),
            ("2024-05-09T10:00", "2024-05-09T10:00"),
            ("2024-05-09T10:00:00Z", "2024-05-09T10:00:00Z"),
            ("on 2024-05-09", "on 2024-05-09"),
            (1.5, "1.50"),
            (1.234, 1.234),
            (12, 12),
            (True, True),
            (None, None),
            ({"b": [1.5], "a": {"c": "2024-05-09"}}, {"b": ["1.50"], "a": {"c": "9 May 2024"}}),
        ],
    )
    def test_above_a_half_dates_and_amounts_have_another_form(self, value: Any, shown: Any) -> None:
        found = view("result_format", 0.6).result(json.dumps(value))
        assert content_of(found) == shown
        assert found.startswith('{\n  "status": "ok",\n')

    @pytest.mark.parametrize("content", ["Transfer successful", "", "{", "[" * 100_000, "[" * DEEP + "]" * DEEP])
    def test_what_is_no_json_or_nothing_could_read_is_a_text(self, content: str) -> None:
        assert content_of(view("result_format", 1.0).result(content)) == content


def test_a_kind_of_the_world_shows_the_same_for_the_same_seed_and_otherwise_for_another() -> None:
    tools = tools_of(loaded("retail"))
    for kind in ("tools_order", "tool_names", "extra_tools"):
        shown = [[one.name for one in view(kind, 0.3, seed, loaded("retail")).tools(tools)] for seed in (1, 1, 2)]
        assert shown[0] == shown[1] != shown[2]
