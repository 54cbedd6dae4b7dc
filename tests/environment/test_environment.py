"""One world: dispatch, the texts of errors, initial states, assertions, and what has changed."""

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.environment.delta import Change
from pytest_tau.environment.environment import Environment, ToolResult
from pytest_tau.errors import DomainError, TaskError
from pytest_tau.schema.calls import EnvAssertion, EnvFunctionCall
from tests.builders import CREATE, mock, task
from tests.environment.folders import TOOLS, shop


@pytest.fixture
def env() -> Environment:
    return mock().environment()


@pytest.fixture
def reference() -> Environment:
    return mock(parity=True).environment()


def error(text: str) -> ToolResult:
    return ToolResult(f"Error: {text}", error=True)


class TestErrors:
    """The texts stand in recorded conversations: under parity they are the reference's to the letter."""

    @pytest.mark.parametrize(
        ("name", "requestor"),
        [
            ("nope", "assistant"),
            ("check_notifications", "assistant"),
            ("get_users", "user"),
            ("assert_task_status", "assistant"),
            ("add_notification", "user"),
            ("_task", "assistant"),
            ("__init__", "assistant"),
        ],
    )
    def test_no_such_tool(self, env: Environment, reference: Environment, name: str, requestor: Any) -> None:
        for world in (env, reference):
            assert world.call(name, {}, requestor) == error(f"Tool '{name}' not found.")

    def test_no_user_tools(self) -> None:
        world = load_domain("insurance").environment()
        assert world.call("get_order_details", {}, "user") == error("User tools not available")

    @pytest.mark.parametrize("requestor", ["agent", None])
    def test_nobodys_calls(self, env: Environment, requestor: Any) -> None:
        assert env.call("get_users", {}, requestor) == error(f"Invalid requestor: {requestor}")

    @pytest.mark.parametrize("arguments", [None, [], "x"])
    def test_arguments_that_are_no_object(self, env: Environment, reference: Environment, arguments: Any) -> None:
        text = f"the arguments of get_users must be an object, not a {type(arguments).__name__}"
        assert env.call("get_users", arguments) == reference.call("get_users", arguments) == error(text)

    def test_the_references_dispatcher_complains_before_it_looks_for_the_tool(self, reference: Environment) -> None:
        text = "Environment.make_tool_call() got multiple values for argument 'tool_name'"
        assert reference.call("nope", {"tool_name": 1}) == error(text)

    def test_no_user_calls_in_solo(self) -> None:
        world = mock().environment(solo=True)
        assert world.call("check_notifications", {}, "user") == error("User tool calls are not allowed in solo mode")

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ({"title": "T"}, "MockTools.create_task() missing 1 required positional argument: 'user_id'"),
            ({}, "MockTools.create_task() missing 2 required positional arguments: 'user_id' and 'title'"),
            ({**CREATE, "foo": 1}, "MockTools.create_task() got an unexpected keyword argument 'foo'"),
            ({"tool_name": 1}, "Environment.make_tool_call() got multiple values for argument 'tool_name'"),
            ({**CREATE, "self": 1}, "Environment.make_tool_call() got multiple values for argument 'self'"),
            (
                {**CREATE, "requestor": "user"},
                "tau2.environment.environment.Environment.make_tool_call() "
                "got multiple values for keyword argument 'requestor'",
            ),
        ],
    )
    def test_arguments_under_parity(self, reference: Environment, arguments: dict[str, Any], text: str) -> None:
        assert reference.call("create_task", arguments) == error(text)

    def test_three_missing_arguments(self, tmp_path: Path) -> None:
        world = shop(tmp_path, parity=True).environment()
        text = "ShopTools.three() missing 3 required positional arguments: 'a', 'b', and 'c'"
        assert world.call("three", {"d": "x"}) == error(text)

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ({"title": "T"}, "Argument 'user_id' of create_task is missing."),
            (
                {**CREATE, "tool_name": 1},
                "create_task has no argument 'tool_name'; it takes user_id, title, description.",
            ),
            ({**CREATE, "title": 5}, "Argument 'title' of create_task is not valid: Input should be a valid string."),
        ],
    )
    def test_arguments_without_parity(self, env: Environment, arguments: dict[str, Any], text: str) -> None:
        assert env.call("create_task", arguments) == error(text)
        assert not env.changes()

    def test_types_are_not_checked_under_parity(self, reference: Environment) -> None:
        result = reference.call("update_task_status", {"task_id": "task_1", "status": 7})
        assert ('"status": 7' in result.content, result.error) == (True, False)
        assert reference.dump()["agent"]["tasks"]["task_1"]["status"] == 7

    def test_what_a_tool_raises(self, tmp_path: Path, env: Environment) -> None:
        assert env.call("create_task", {**CREATE, "user_id": "x"}) == error("User x not found")
        world = shop(tmp_path).environment()
        assert world.call("half", {"order_id": "O1"}) == error("'x'")
        assert world.dump()["agent"]["orders"]["O1"]["status"] == "half"  # what happened before stays

    def test_a_tool_that_ends_the_process(self, tmp_path: Path) -> None:
        ended = TOOLS.replace('status = "half"\n', 'status = "half"\n        raise {}(3)\n')
        world = shop(tmp_path / "exits", tools=ended.format("SystemExit")).environment()
        told = "half of domain 'shop' ended with SystemExit: let it raise an error, which the caller of a tool reads"
        with pytest.raises(DomainError) as refused:
            world.call("half", {"order_id": "O1"})
        assert str(refused.value) == told
        first = {"env_type": "assistant", "func_name": "half", "arguments": {"order_id": "O1"}}
        with pytest.raises(TaskError, match=rf"initialization_actions\[0\] \(half\) failed: {told}"):
            world.domain.environment(task(initial_state={"initialization_actions": [first]}))
        interrupted = shop(tmp_path / "stops", tools=ended.format("KeyboardInterrupt")).environment()
        with pytest.raises(KeyboardInterrupt):
            interrupted.call("half", {"order_id": "O1"})

    def test_validation_inside_a_tool(self, reference: Environment) -> None:
        result = reference.call("create_task", {**CREATE, "title": 5})
        assert result.error
        assert result.content.startswith("Error: 1 validation error for Task\ntitle\n  Input should be a valid string")

    def test_a_value_without_json_form(self, tmp_path: Path) -> None:
        tools = TOOLS.replace("return a + b + c + d", "return {a}")
        world = shop(tmp_path / "public", tools=tools, parity=True).environment()
        assert world.call("three", dict.fromkeys("abc", "x")) == error("Unsupported type: <class 'set'>")
        # In a domain of one's own that is the author's mistake, and no agent's.
        world = shop(tmp_path, tools=tools).environment()
        with pytest.raises(DomainError, match=r"the tool three of domain 'shop' returned what has no JSON form \(Uns"):
            world.call("three", dict.fromkeys("abc", "x"))

    @pytest.mark.parametrize("value", ["(a := [], a.append(a))[0]", "{(1, 2): a}", "[{'x': b'y'}]"])
    def test_other_values_without_json_form(self, tmp_path: Path, value: str) -> None:
        world = shop(tmp_path, tools=TOOLS.replace("return a + b + c + d", f"return {value}")).environment()
        with pytest.raises(DomainError, match="has no JSON form"):
            world.call("three", dict.fromkeys("abc", "x"))

    @pytest.mark.parametrize("then", ["self.db = None", "self.db = None\n        raise ValueError", "del self.db"])
    def test_a_tool_that_lets_go_of_its_database(self, tmp_path: Path, then: str) -> None:
        lost = TOOLS.replace('status = "half"\n', f'status = "half"\n        {then}\n')
        world = shop(tmp_path, tools=lost).environment()
        with pytest.raises(DomainError) as refused:
            world.call("half", {"order_id": "O1"})
        told = (
            "the tool half of domain 'shop' replaced self.db: change the tables of the database, never self.db itself"
        )
        assert str(refused.value) == told
        assert world.changes()  # which can still be told

    def test_a_tool_that_empties_its_database_object(self, tmp_path: Path) -> None:
        lost = TOOLS.replace('status = "half"\n', 'status = "half"\n        self.db.__dict__.clear()\n')
        world = shop(tmp_path, tools=lost).environment()
        world.call("half", {"order_id": "O1"})
        with pytest.raises(DomainError, match=r"^a tool of domain 'shop' left a database that cannot be read \("):
            world.changes()

    def test_a_key_that_is_no_text(self, tmp_path: Path) -> None:
        stored = TOOLS.replace(
            'status = "half"\n', 'status = "half"\n        self.db.orders[5] = self.db.orders["O1"]\n'
        )
        world = shop(tmp_path, tools=stored).environment()
        told = "a tool stored a record of the table 'orders' under a key of type int: keys are text"
        with pytest.raises(DomainError, match=re.escape(told)):
            world.call("half", {"order_id": "O1"})

    def test_a_record_without_json_form(self, tmp_path: Path) -> None:
        stored = TOOLS.replace('status = "half"\n', "status = object()\n")
        world = shop(tmp_path, tools=stored).environment()
        world.call("half", {"order_id": "O1"})
        with pytest.raises(DomainError) as refused:
            world.changes()
        told = "a tool stored what is not JSON in the table 'orders' (Unable to serialize unknown type: "
        assert str(refused.value).startswith(told)


class TestSync:
    def test_after_every_successful_call(self, tmp_path: Path) -> None:
        world: Any = shop(tmp_path).environment()
        assert world.tools.synced == 1
        world.call("cancel", {"order_id": "O1"})
        assert world.tools.synced == 2
        world.call("cancel", {"order_id": "O9"})
        assert world.tools.synced == 2

    def test_its_error_is_the_calls(self, tmp_path: Path) -> None:
        world: Any = shop(tmp_path).environment()
        world.tools.broken_sync = True
        assert world.call("cancel", {"order_id": "O1"}) == error("sync broke")
        assert world.changes() == [Change("orders", "O1", "status", "open", "cancelled")]


class Unspeakable(Exception):
    """An exception whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError


def test_a_tools_error_without_a_text_is_an_error_all_the_same(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise Unspeakable

    monkeypatch.setattr(env, "_invoke", fail)
    assert env.call("get_users", {}) == error("(Unspeakable, which has no text: its __str__ raises)")


def test_a_toolkit_with_an_init_that_fails_is_the_domains_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain = shop(tmp_path)

    def short(self: object, db: object) -> None: ...

    monkeypatch.setattr(domain.spec.tools, "__init__", short)
    with pytest.raises(DomainError, match=r"ShopTools cannot be made: TypeError: .* 'parity'; an __init__ of its own"):
        domain.environment()


class TestSolo:
    def test_the_agent_has_both_sets(self) -> None:
        world = mock().environment(solo=True)
        names = [spec.name for spec in world.tool_specs()]
        assert names[-2:] == ["check_notifications", "dismiss_notification"]
        assert world.tool_specs("user") == []
        assert world.call("dismiss_notification", {"notification_id": "notif_1"}).content.endswith("dismissed")
        assert not world.call("get_users", {}).error

    def test_policy(self, env: Environment) -> None:
        assert mock().environment(solo=True).policy == mock().solo_policy != env.policy


class TestInitialState:
    def test_data_then_actions_then_messages(self) -> None:
        made = {"id": "1", "name": "create_task", "arguments": {"user_id": "user_9", "title": "C"}}
        played = task(
            initial_state={
                "initialization_data": {
                    "agent_data": {"users": {"user_9": {"user_id": "user_9", "name": "N", "tasks": []}}},
                    "user_data": {"notifications": {"notif_1": {"status": "read"}}},
                },
                "initialization_actions": [
                    {
                        "env_type": "assistant",
                        "func_name": "create_task",
                        "arguments": {"user_id": "user_9", "title": "B"},
                    },
                    {
                        "env_type": "user",
                        "func_name": "add_notification",
                        "arguments": {"notification_id": "n", "message": "m"},
                    },
                ],
                "message_history": [
                    {"role": "assistant", "tool_calls": [made]},
                    {
                        "role": "tool",
                        "id": "1",
                        "content": '{"task_id": "task_5", "title": "C", "description": null, "status": "pending"}',
                    },
                ],
            }
        )
        world = mock().environment(played)
        dump = world.dump()
        assert dump["agent"]["users"]["user_9"]["tasks"] == ["task_4", "task_5"]
        assert [n["status"] for n in dump["user"]["notifications"].values()] == ["read", "unread"]
        # The two databases stay apart, whatever is patched.
        assert not world.call("get_users", {}).error
        assert not world.call("check_notifications", {}, "user").error

    @pytest.mark.parametrize(
        ("state", "sentence"),
        [
            ({"initialization_data": {"agent_data": {"nope": {}}}}, "agent_data: the database has no 'nope'"),
            (
                {"initialization_data": {"agent_data": {"tasks": {"task_1": {"status": "x"}}}}},
                r"agent_data: tasks\['task_1'\]: status: Input should be 'pending' or 'completed'",
            ),
            (
                {"initialization_actions": [{"env_type": "assistant", "func_name": "_task"}]},
                r"initialization_actions\[0\] \(_task\) failed: '_task' is private",
            ),
        ],
    )
    def test_what_cannot_be_set_up(self, state: dict[str, Any], sentence: str) -> None:
        with pytest.raises(TaskError, match=f"task 't': .*{sentence}"):
            mock().environment(task(initial_state=state))

    def test_tools_get_arguments_as_from_an_agent(self, tmp_path: Path) -> None:
        typed = "from datetime import date\n" + TOOLS.replace(
            "def cancel(self, order_id: str)", "def cancel(self, order_id: str, day: date | None = None)"
        ).replace('status = "cancelled"', "status = day.strftime('%d.%m.')")
        call = {"env_type": "assistant", "func_name": "cancel", "arguments": {"order_id": "O1", "day": "2026-05-04"}}
        env = shop(tmp_path, tools=typed).environment(task(initial_state={"initialization_actions": [call]}))
        assert env.tools.db.orders["O1"].status == "04.05."

    def test_no_user_side(self) -> None:
        insurance = load_domain("insurance")
        states: list[dict[str, Any]] = [
            {"initialization_data": {"user_data": {"x": {}}}},
            {"initialization_actions": [{"env_type": "user", "func_name": "x"}]},
        ]
        for state in states:
            with pytest.raises(TaskError, match="domain 'insurance' has no user"):
                insurance.environment(task(initial_state=state))


class TestAssertions:
    def check(
        self, world: Environment, func: str, side: str = "assistant", value: bool = True, **arguments: Any
    ) -> bool:
        return world.check(EnvAssertion(env_type=side, func_name=func, arguments=arguments, assert_value=value))

    def test_against_the_wanted_value(self, env: Environment) -> None:
        status: dict[str, Any] = {"task_id": "task_1", "expected_status": "pending"}
        assert self.check(env, "assert_task_status", **status)
        assert not self.check(env, "assert_task_status", value=False, **status)
        assert not self.check(
            env, "assert_notification_status", "user", notification_id="notif_1", expected_status="read"
        )

    def test_no_bool(self, env: Environment) -> None:
        with pytest.raises(ValueError, match="Function get_users returned <class 'list'> instead of bool"):
            self.check(env, "get_users")

    def test_errors_are_the_callers_business(self, env: Environment) -> None:
        with pytest.raises(AttributeError, match="'MockTools' object has no attribute 'nope'"):
            self.check(env, "nope")
        with pytest.raises(ValueError, match="Task x not found"):
            self.check(env, "assert_task_status", task_id="x", expected_status="pending")


class TestState:
    def test_dump_and_changes(self, env: Environment) -> None:
        assert env.changes() == []
        assert env.state() == mock().environment().state()
        env.call("dismiss_notification", {"notification_id": "notif_1"}, "user")
        env.call("update_task_status", {"task_id": "task_1", "status": "completed"})
        assert env.changes() == [
            Change("tasks", "task_1", "status", "pending", "completed"),
            Change("notifications", "notif_1", "status", "unread", "read"),
        ]
        assert env.dump()["user"]["notifications"]["notif_1"]["status"] == "read"
        assert [(side, c.table) for side, c in env.domain.compare(mock().environment().state(), env.state())] == [
            ("agent", "tasks"),
            ("user", "notifications"),
        ]

    def test_what_a_tool_stores_is_not_its_callers(self, tmp_path: Path) -> None:
        tools = (
            TOOLS
            + """
    @tool(writes=True)
    def tag(self, tags: list) -> None:
        \"\"\"Store, then change what was stored.\"\"\"
        self.db.orders["O1"].seen = tags
        self.db.orders["O1"].seen[0].append("more")
"""
        )
        arguments = {"tags": [["one"]]}
        for parity in (True, False):
            world = shop(tmp_path / str(parity), parity=parity, tools=tools).environment()
            assert not world.call("tag", arguments).error
            world.run(EnvFunctionCall(env_type="assistant", func_name="tag", arguments=arguments))
            assert world.dump()["agent"]["orders"]["O1"]["seen"] == [["one", "more"]]
            assert arguments == {"tags": [["one"]]}

    def test_a_default_that_a_tool_stores_is_this_worlds_own(self, tmp_path: Path) -> None:
        tools = (
            TOOLS
            + """
    @tool(writes=True)
    def tag(self, tags: list = []) -> None:
        \"\"\"Store, then change what was stored.\"\"\"
        self.db.orders["O1"].seen = tags
        self.db.orders["O1"].seen.append("more")
"""
        )
        domain = shop(tmp_path, tools=tools)
        for _ in range(2):
            world = domain.environment()
            assert not world.call("tag", {}).error
            assert world.dump()["agent"]["orders"]["O1"]["seen"] == ["more"]

    def test_without_a_user_side(self) -> None:
        world = load_domain("insurance").environment()
        assert world.dump()["user"] is None
        assert world.state().user is None

    def test_writes(self, env: Environment) -> None:
        assert [env.writes(n) for n in ("create_task", "dismiss_notification", "get_users", "nope")] == [
            True,
            True,
            False,
            False,
        ]
