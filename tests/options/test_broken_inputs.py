"""Whatever is wrong with the input: one sentence that says what, where and what to do, and no traceback of ours."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.cli import main
from tests.options.usage import refused
from tests.plugin.inner import AGENTS, SHOP, make_shop, shop_task, workers, write

USAGE, COLLECTION, RUN = pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED
TASK = "tasks/shop/sell_one.json"
DOMAIN = "domains/shop/domain.py"


@dataclass(frozen=True)
class Broken:
    """A project with one thing wrong.

    ``files`` replace those of a sound project (None: taken away, text: as it is, else JSON); ``said`` is a pattern for
    one line of the output.
    """

    name: str
    said: str
    status: pytest.ExitCode = COLLECTION
    files: dict[str, Any] = field(default_factory=dict)
    args: tuple[str, ...] = ("--tau-domain=shop",)


def a_task(name: str, said: str, **changes: Any) -> Broken:
    """A task file that is JSON and yet no task of the shop."""
    return Broken(name, said, files={TASK: shop_task(**changes)})


def criteria(**changes: Any) -> dict[str, Any]:
    return {**shop_task()["evaluation_criteria"], **changes}


def action(**changes: Any) -> dict[str, Any]:
    return criteria(actions=[{**shop_task()["evaluation_criteria"]["actions"][0], **changes}])


def run_time(name: str, said: str, **changes: Any) -> Broken:
    """A task whose fault shows when its trial begins."""
    return Broken(name, said, RUN, {TASK: shop_task(**changes)})


def agent(name: str, said: str, value: str, status: pytest.ExitCode = RUN) -> Broken:
    return Broken(name, said, status, {"agents.py": AGENTS}, ("--tau-domain=shop", f"--tau-agent={value}"))


FILES = [
    Broken("truncated JSON", "*sell_one.json: not valid JSON: *line 1 column *", files={TASK: '{"id": "sell'}),
    Broken("empty file", "*sell_one.json: not valid JSON: *", files={TASK: ""}),
    Broken("not UTF-8", "*sell_one.json: not valid JSON: *utf-8*", files={TASK: b'{"id": "\xff\xfe"}'}),
    Broken("deeply nested", "*sell_one.json: not valid JSON: *recursion*", files={TASK: "[" * 100_000}),
    Broken(
        "nested more deeply than can be written",
        "*sell_one.json: not valid JSON: more than 200 lists and objects inside one another",
        files={TASK: json.dumps(shop_task(description="@")).replace('"@"', "[" * 300 + "]" * 300)},
    ),
    Broken("empty list", "*sell_one.json: must hold a task * and holds an empty list", files={TASK: []}),
    Broken("a number", "*sell_one.json: must hold a task * and holds a number", files={TASK: 3}),
    Broken("a list of numbers", "*sell_one.json[[]1[]]: *", files={TASK: [shop_task(), 3]}),
    Broken(
        "an id twice in a file",
        "*sell_one.json: two tasks have the id 'sell_one'; ids must differ within a suite",
        files={TASK: [shop_task(), shop_task()]},
    ),
    Broken(
        "an id twice in a suite",
        "*sell_one.json: the id 'sell_one' is taken by *another.json; ids differ in a domain",
        files={"tasks/shop/another.json": shop_task()},
    ),
    Broken(
        "a domain that is not there",
        "there is no domain 'nosuch': built in are *mock*; your own lives in domains/nosuch",
        files={TASK: shop_task(domain="nosuch")},
    ),
    Broken(
        "a path for a domain",
        "'../evil' is not a domain name: a file may name a domain, never a path",
        files={TASK: shop_task(domain="../evil"), "evil/domain.py": "1/0", "tasks/evil/domain.py": "1/0"},
    ),
]

TASKS = [
    a_task("a number as id", "*sell_one.json: id: *string*", id=7),
    a_task("an empty id", "*sell_one.json: task '': id: *at least 1 character*", id=""),
    a_task("no scenario", "*sell_one.json: task 'sell_one': user_scenario: *", user_scenario=None),
    a_task("a scenario of a wrong type", "*task 'sell_one': user_scenario*", user_scenario=[1]),
    Broken(
        "a misspelt key",
        "*sell_one.json: unknown key 'evaluation_criteri' (did you mean 'evaluation_criteria'[?])",
        files={TASK: {"id": "x", "user_scenario": {"instructions": "Hi."}, "evaluation_criteri": {}}},
    ),
    a_task("a tag that is no marker", "*task 'sell_one': tags.0: *pattern*", tags=["not a marker"]),
    a_task("tags as text", "*task 'sell_one': tags: *list*", tags="slow"),
    a_task(
        "an unknown basis",
        "*evaluation_criteria.reward_basis.0: *",
        evaluation_criteria=criteria(reward_basis=["LUCK"]),
    ),
    a_task(
        "an unknown tool",
        "*task 'sell_one': *.actions[[]0[]]: there is no assistant tool 'sel' (did you mean 'sell'[?])",
        evaluation_criteria=action(name="sel"),
    ),
    a_task(
        "an unknown argument",
        "*task 'sell_one': evaluation_criteria.actions[[]0[]]: sell has no argument 'price'",
        evaluation_criteria=action(arguments={"item_id": "kettle", "price": 3}),
    ),
    a_task(
        "a tool of the customer's, who has none",
        "*actions[[]0[]]: there is no user tool 'sell'*",
        evaluation_criteria=action(requestor="user"),
    ),
    a_task(
        "arguments of a wrong type",
        "*evaluation_criteria.actions.0.arguments: *",
        evaluation_criteria=action(arguments=[1]),
    ),
    a_task(
        "an unknown method",
        "*evaluation_criteria.env_assertions[[]0[]]: the assistant toolkit has no method 'is_sold'",
        evaluation_criteria=criteria(env_assertions=[{"env_type": "assistant", "func_name": "is_sold"}]),
    ),
    a_task(
        "an unknown check",
        "*evaluation_criteria.trajectory.0: *'called', 'not_called', 'evidence', 'reason'*",
        evaluation_criteria=criteria(trajectory=[{"check": "guessed", "name": "sell"}]),
    ),
    a_task(
        "an empty phrasing",
        "*evaluation_criteria.trajectory.0.reason.any_of: *a phrasing is empty, so every message would hold it",
        evaluation_criteria=criteria(trajectory=[{"check": "reason", "any_of": [" "]}]),
    ),
    a_task("unknown user tools", "*user_tools[[]0[]]: there is no user tool 'look'*", user_tools=["look"]),
    a_task(
        "a history of unknown roles",
        "*initial_state.message_history.0: *'assistant', 'user', 'tool'*",
        initial_state={"message_history": [{"role": "robot", "content": "Beep."}]},
    ),
    run_time(
        "an initial state that is no record",
        "*task 'sell_one': *stock*",
        initial_state={"initialization_data": {"agent_data": {"items": {"kettle": {"stock": "many"}}}}},
    ),
    run_time(
        "an initial action that fails",
        "*task 'sell_one': initialization_actions[[]0[]] (sell) failed: *",
        initial_state={
            "initialization_actions": [{"env_type": "assistant", "func_name": "sell", "arguments": {"item_id": "jug"}}]
        },
    ),
    run_time(
        "a history that ends in the middle of a call",
        "*Tool message expected*",
        initial_state={
            "message_history": [
                {"role": "user", "content": "Hi."},
                {"role": "assistant", "tool_calls": [{"id": "1", "name": "sell", "arguments": {"item_id": "kettle"}}]},
            ]
        },
    ),
]


def domain(name: str, said: str, old: str = "", new: str = "") -> Broken:
    assert old in SHOP
    return Broken(name, said, files={DOMAIN: SHOP.replace(old, new) if old else new})


DOMAINS = [
    domain("a syntax error", "*domain.py:1: SyntaxError: *", new="def ("),
    domain(
        "an unknown name",
        "*domain.py:*: NameError: name 'Thing' is not defined",
        "class ShopTools(Toolkit):\n",
        "class ShopTools(Thing):\n",
    ),
    domain(
        "a module that is not there",
        "*domain.py:*: ModuleNotFoundError: *",
        "from pydantic import",
        "from pydanticc import",
    ),
    domain("a domain that ends the process", "*domain.py:1: SystemExit: 3", new="import sys; sys.exit(3)"),
    domain(
        "an exception without a text",
        "*domain.py:6: Mute: (Mute, which has no text: its __str__ raises)",
        new="class Mute(Exception):\n    def __str__(self):\n        return 1 / 0\n\n\nraise Mute\n",
    ),
    domain("no domain in it", "*domain.py: define 'domain = DomainSpec(tools=...)' in it", "domain = ", "shop = "),
    domain(
        "a wrong object",
        "*domain.py: define 'domain = DomainSpec(tools=...)' in it",
        "DomainSpec(tools=ShopTools)",
        "{}",
    ),
    domain("tools that are no toolkit", "*TypeError: DomainSpec: tools must be *", "tools=ShopTools", "tools=Item"),
    domain(
        "no annotation of the database",
        "ShopTools: annotate its database, as in 'db: ShopDatabase'",
        "    db: ShopDB\n",
        "",
    ),
    Broken(
        "an argument without annotation",
        "*sell: argument 'number' needs a type annotation",
        RUN,
        {DOMAIN: SHOP.replace("number: int = 1", "number=1")},
    ),
    Broken(
        "no policy",
        "*policy.md: the policy cannot be read: No such file or directory",
        files={"domains/shop/policy.md": None},
    ),
    Broken("an empty policy", "*policy.md: the policy is empty; *", files={"domains/shop/policy.md": " \n"}),
    Broken(
        "no database",
        "*db.json: the database cannot be read: No such file or directory",
        files={"domains/shop/db.json": None},
    ),
    Broken(
        "a broken database", "*db.json: the database cannot be read: *", files={"domains/shop/db.json": '{"items": '}
    ),
    Broken("a database that is a list", "*db.json*", files={"domains/shop/db.json": []}),
    Broken("a database without a table", "*db.json*items*", files={"domains/shop/db.json": {"goods": {}}}),
    Broken(
        "a record that does not fit its model",
        "*items*kettle*stock*",
        RUN,
        {"domains/shop/db.json": {"items": {"kettle": {"item_id": "kettle", "stock": "three"}}}},
    ),
]

OPTIONS = [
    Broken(
        "an unknown task",
        "ERROR: --tau-tasks: no task of this run has the id 'x'; there is sell_one",
        USAGE,
        args=("--tau-domain=shop", "--tau-tasks=x"),
    ),
    # Values that cannot be are tested option by option, and in tests/plugin/settings/test_options.py.
    Broken("k of 0", "*--tau-k: must be a whole number from 1 to 10000, not '0'", USAGE, args=("--tau-k=0",)),
]

AGENT = [
    agent(
        "an unknown agent",
        "ERROR: there is no agent 'x': use llm, *, oracle, noop, faulty, or module:factory *",
        "x",
        USAGE,
    ),
    agent(
        "an agent that is not there", "ERROR: the agent 'x:Y' cannot be imported: ModuleNotFoundError: *", "x:Y", USAGE
    ),
    agent(
        "an agent that is a number",
        "ERROR: the agent 'agents:number' is 3: it must be a callable *",
        "agents:number",
        USAGE,
    ),
    agent(
        "an agent for all", "ERROR: the agent 'agents:shared' is one object for all trials, *", "agents:shared", USAGE
    ),
    agent("a factory that raises", "agents.py:*: ValueError", "agents:Broken"),
    agent(
        "a factory of nothing",
        "the agent factory agents:nothing returned 3; it must return an object *",
        "agents:nothing",
    ),
    agent("replies that are numbers", "Numbers.reply() returned int; return AssistantMessage or str", "agents:Numbers"),
]

AT_ONCE = [broken for broken in (*FILES, *TASKS, *DOMAINS) if broken.status == COLLECTION]
"""Each is told of its own file, so that one run can tell them all."""
ONE_BY_ONE = [broken for broken in (*FILES, *TASKS, *DOMAINS, *OPTIONS, *AGENT) if broken.status != COLLECTION]


def build(root: Path, broken: Broken) -> None:
    make_shop(root)
    for name, content in broken.files.items():
        if content is None:
            (root / name).unlink()
        elif isinstance(content, bytes):
            (root / name).write_bytes(content)
        else:
            write(root, name, content)


def build_beside(root: Path, broken: Broken, name: str) -> None:
    """The same in a project with others: its domain and its only task have this name."""
    build(root / name, broken)
    for file in (root / name).rglob("*.json"):
        file.write_bytes(file.read_bytes().replace(b"sell_one", name.encode()).replace(b'"shop"', f'"{name}"'.encode()))
    for kind in ("domains", "tasks"):
        (root / kind).mkdir(exist_ok=True)
        (root / name / kind / "shop").rename(root / kind / name)
    for file in (root / "tasks" / name).glob("sell_one.json"):
        file.rename(file.with_name(f"{name}.json"))


def assert_no_traceback(text: str) -> None:
    assert "INTERNALERROR" not in text
    assert "Traceback" not in text
    assert "/pytest_tau/" not in text.replace("\\", "/")


def told(pytester: pytest.Pytester) -> dict[str, str]:
    """What one run says of each of the broken projects, by name."""
    root = pytester.path
    names = {f"b{number:02}": broken.name for number, broken in enumerate(AT_ONCE)}
    for name, broken in zip(names, AT_ONCE, strict=True):
        build_beside(root, broken, name)
    done = pytester.runpytest(f"--tau-domain={','.join(names)}", f"--rootdir={root}", "-p", "no:cacheprovider")
    assert done.ret == COLLECTION
    assert_no_traceback("\n".join([*done.outlines, *done.errlines]))
    parts = re.split(r"^_+ ERROR collecting tasks/(\w+)/.*_$", "\n".join(done.outlines), flags=re.MULTILINE)
    said: dict[str, str] = {}
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        said[names[name]] = said.get(names[name], "") + text.replace(name, "sell_one")
    return said


def test_each_is_told_of_its_file_in_a_sentence(pytester: pytest.Pytester) -> None:
    said = told(pytester)
    for broken in AT_ONCE:
        pytest.LineMatcher(said[broken.name].splitlines()).fnmatch_lines([broken.said])


@pytest.mark.parametrize("broken", [one for one in ONE_BY_ONE if one.status == USAGE], ids=lambda broken: broken.name)
def test_what_is_known_before_any_file_is_read_is_refused_in_a_sentence(
    pytester: pytest.Pytester, broken: Broken
) -> None:
    build(pytester.path, broken)
    pytest.LineMatcher(str(refused(pytester, *broken.args)).splitlines()).fnmatch_lines([broken.said])


def assert_each_is_told(result: pytest.RunResult, all_of: list[Broken]) -> None:
    """A test for each of them has failed, and says what is wrong."""
    text = "\n".join([*result.outlines, *result.errlines])
    result.assert_outcomes(failed=len(all_of))
    assert_no_traceback(text)
    for number, broken in enumerate(all_of):
        pytest.LineMatcher(text.replace(f"'b{number}'", "'sell_one'").splitlines()).fnmatch_lines([broken.said])


def test_what_shows_when_a_trial_begins_is_told_in_a_sentence(pytester: pytest.Pytester) -> None:
    late = [broken for broken in ONE_BY_ONE if broken.status == RUN and broken not in AGENT]
    for number, broken in enumerate(late):
        build_beside(pytester.path, broken, f"b{number}")
    names = ",".join(f"b{number}" for number in range(len(late)))
    assert_each_is_told(pytester.runpytest("-p", "no:cacheprovider", f"--tau-domain={names}"), late)


def test_what_is_wrong_with_an_agent_is_told_in_a_sentence(pytester: pytest.Pytester) -> None:
    late = [broken for broken in AGENT if broken.status == RUN]
    build(pytester.path, late[0])
    agents = [f"--tau-agent=a{number}={broken.args[-1].partition('=')[2]}" for number, broken in enumerate(late)]
    assert_each_is_told(pytester.runpytest("-p", "no:cacheprovider", "--tau-domain=shop", *agents), late)


def test_a_fault_in_one_file_leaves_the_others_to_be_collected(pytester: pytest.Pytester) -> None:
    build(pytester.path, Broken("one of two", "", files={"tasks/shop/broken.json": json.dumps({"id": 3})}))
    result = pytester.runpytest("--tau-domain=shop", "--continue-on-collection-errors")
    result.assert_outcomes(passed=1, errors=1)


@pytest.mark.slow
def test_workers_tell_it_too(pytester: pytest.Pytester) -> None:
    both = FILES[0], DOMAINS[0]
    for name, broken in zip(("one", "two"), both, strict=True):
        build_beside(pytester.path, broken, name)
    result = workers(pytester, "--tau-domain=one,two")
    text = "\n".join([*result.outlines, *result.errlines])
    assert result.ret not in (pytest.ExitCode.OK, pytest.ExitCode.INTERNAL_ERROR)
    matcher = pytest.LineMatcher(text.replace("/one.json", "/sell_one.json").splitlines())
    matcher.fnmatch_lines_random([broken.said for broken in both])
    assert "INTERNALERROR" not in text


def test_the_fault_of_a_domain_is_told_once_for_all_of_its_files(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "domain", "shop"]) == 0
    capsys.readouterr()
    assert len(list(Path("tasks/shop").glob("*.json"))) > 1
    Path("domains/shop/db.json").write_text("{broken", encoding="utf-8")
    result = pytester.runpytest_inprocess("--tau-domain=shop")
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.INTERRUPTED
