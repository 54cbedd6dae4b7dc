"""The values of a domain, and ghosts: the same domain under others."""

import re
import shutil
from pathlib import Path

import pytest

from pytest_tau import load_domain
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.values import base_of, declared_values, fill, merge, values_of
from pytest_tau.errors import DomainError

BUILTIN = ["airline", "insurance", "retail", "telecom"]


def test_texts_name_values_in_braces_and_keep_other_braces() -> None:
    values = {"fee": 50, "tiers": [0, 1, 2], "most": 3}
    assert (
        fill("${fee}, {tiers.2}, {most:word} or {most:Word}; {order} {}", values)
        == "$50, 2, three or Three; {order} {}"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{tiers.3}", r"\{tiers\.3\} names an entry that the value 'tiers' \(\[0, 1, 2\]\) has not"),
        ("{fee.0}", "names an entry that the value 'fee'"),
        ("{name:word}", "asks for a number in words, and the value 'name' is 'Bo'"),
    ],
)
def test_braces_that_ask_for_what_a_value_has_not(text: str, sentence: str) -> None:
    with pytest.raises(DomainError, match=sentence):
        fill(text, {"fee": 50, "tiers": [0, 1, 2], "name": "Bo"})


def test_a_mark_that_an_editor_writes_before_the_text(tmp_path: Path) -> None:
    (tmp_path / "values.toml").write_text("[fee]\nvalue = 5\n", encoding="utf-8-sig")
    assert declared_values(tmp_path)["fee"].value == 5


@pytest.mark.parametrize("name", BUILTIN)
def test_builtin_values_are_of_their_range_and_could_be_others(name: str) -> None:
    for one in declared_values(builtin_folder("domains", name)).values():
        assert one.value in one.choices, one.name
        assert len(one.choices) > 1, one.name
        assert one.unit, one.name


@pytest.mark.parametrize("name", BUILTIN)
def test_no_policy_and_no_tool_has_an_empty_place(name: str) -> None:
    domain = load_domain(name)
    names = declared_values(builtin_folder("domains", name))
    texts = [domain.policy, domain.solo_policy or "", domain.dual_policy or ""]
    texts += [str(tool.schema) for tool in domain.environment().tool_specs()]
    assert not [value for value in names for text in texts if f"{{{value}" in text]


def ghost(folder: Path, content: str) -> Path:
    place = folder / "domains" / "phantom"
    place.mkdir(parents=True)
    (place / "values.toml").write_text(content, "utf-8")
    return place


def test_a_ghost_has_its_values_in_policy_tools_and_books_and_all_else_of_its_base(tmp_path: Path) -> None:
    place = ghost(tmp_path, 'base = "retail"\n[reason_mistake]\nvalue = "oops"\n[refund_days]\nvalue = [1, 2]\n')
    (place / "db_changes.json").write_text('{"orders": {"#W2812884": {"cancel_reason": "oops"}}}', "utf-8")
    domain, original = load_domain(place), load_domain("retail")
    assert "`oops`" in domain.policy
    assert "1 to 2 business days" in domain.policy
    assert "oops" in str([tool.schema for tool in domain.environment().tool_specs()])
    env = domain.environment()
    order = env.tools.db.orders["#W2812884"]
    before = original.environment().tools.db.orders["#W2812884"]
    assert order.model_dump() == {**before.model_dump(), "cancel_reason": "oops"}
    pending = next(one["order_id"] for one in env.tools.db.orders.scan() if one["status"] == "pending")
    refused = env.call("cancel_pending_order", {"order_id": pending, "reason": "ordered by mistake"})
    assert refused.error
    assert not env.call("cancel_pending_order", {"order_id": pending, "reason": "oops"}).error
    assert "`ordered by mistake`" in original.policy
    assert base_of(place) == builtin_folder("domains", "retail").resolve()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("base = 3", "'base' is the name of a domain"),
        ('base = "retial"', "values.toml: its base: there is no domain 'retial' (did you mean 'retail'?)"),
        ('base = "retail"\n[nothing]\nvalue = 1', "declares no value 'nothing'"),
        ("[fee]\nunit = 'dollars'", "a value is a table with 'value'"),
        ("[fee]\nvalue = 1\nsize = 2", "there is no field 'size'"),
        ("[fee]\nvalue = 1\nrange = [1]", "'range' is [from, to, step]"),
        ("[fee]\nvalue = 1\nrange = [1, 5, 0]", "a step is at least 1"),
        ("[fee", "the values cannot be read"),
    ],
)
def test_what_is_wrong_is_said(content: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(DomainError) as error:
        declared_values(ghost(tmp_path, content))
    assert told in str(error.value)


def test_a_wrong_record_is_told_with_both_files_that_it_is_made_of(tmp_path: Path) -> None:
    place = ghost(tmp_path, 'base = "mock"')
    changes = place / "db_changes.json"
    changes.write_text('{"tasks": {"task_1": {"title": 5}}}', "utf-8")
    [told] = load_domain(place).base.problems()
    assert re.fullmatch(rf".*db\.json, changed by {re.escape(str(changes))}: tasks\['task_1'\]: title: .*string", told)


def test_a_ghost_of_a_ghost_is_refused(tmp_path: Path) -> None:
    place = ghost(tmp_path, 'base = "retail"')
    other = place.with_name("other")
    shutil.copytree(place, other)
    (other / "values.toml").write_text('base = "phantom"', "utf-8")
    with pytest.raises(DomainError, match=r"phantom.*domain that it varies|not a domain"):
        load_domain(other)


def test_a_domain_that_varies_itself_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "desk"
    shutil.copytree(builtin_folder("domains", "mock"), own)
    (own / "values.toml").write_text('base = "desk"', "utf-8")
    with pytest.raises(DomainError, match=r"the base 'desk' is a ghost itself; name the domain that it varies"):
        load_domain(own)


def test_who_is_no_domain_has_no_values() -> None:
    assert values_of("pytest_tau.metrics") == {}
    assert values_of(None) == {}


def test_a_name_that_no_file_system_takes_is_that_of_no_domain() -> None:
    with pytest.raises(DomainError, match="there is no domain 'aaa"):
        load_domain("a" * 5000)


def test_changes_merge_objects_and_replace_all_else() -> None:
    assert merge({"a": {"b": [1], "c": 2}}, {"a": {"b": [3]}, "d": 4}) == {"a": {"b": [3], "c": 2}, "d": 4}
