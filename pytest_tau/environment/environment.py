"""One live copy of a domain's world: it answers calls, sets up a task's initial state and says what has changed."""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import CassetteError, DomainError, InfraError, SettingsError, TaskError, TauError, describe
from ..schema.calls import EnvAssertion, EnvFunctionCall
from ..schema.messages import AnyMessage, Attachment, InjectedFault, Requestor
from ..schema.task import InitialState, Task
from .database import Database
from .delta import Change, Delta
from .replay import Watch, replay
from .results import FAILED, WithPictures, to_content
from .toolkit import Toolkit, ToolSpec, tools_of

if TYPE_CHECKING:
    from .domain import Domain

# Calls of a tool in a process, after which it is believed that it only reads, and that it leaves alone what all worlds
# share: to look takes time.
_WATCHED = 20
_LOOKED_AFTER = 2


@dataclass(frozen=True)
class ToolResult:
    """What the caller of a tool sees."""

    content: str
    error: bool = False
    fault: InjectedFault | None = None
    pictures: tuple[Attachment, ...] = ()


class Faults(Protocol):
    """What comes between the agent and its tools: answers a call in the tool's place, or with the tool's help."""

    def answer(
        self, name: str, arguments: dict[str, Any], tool: Callable[[], ToolResult], *, writes: bool
    ) -> ToolResult:
        """The result of the agent's next call; ``tool`` makes it, ``writes`` tells whether it may change the world."""


@dataclass(frozen=True)
class State:
    """How both databases differ from their bases; two states of one domain are equal when the worlds are."""

    agent: Delta
    user: Delta | None


class Environment:
    """A fresh world of a domain.

    ``solo``: the agent also has the customer's tools, and the customer has none. ``faults``: faults injected into the
    agent's calls. ``extra``: additional tools of the agent that change nothing, with their results.
    """

    def __init__(
        self,
        domain: Domain,
        *,
        solo: bool = False,
        faults: Faults | None = None,
        extra: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        spec = domain.spec
        self.domain = domain
        self.solo = solo
        self.faults = faults
        self.extra = extra
        self.tools = _toolkit(spec.tools, domain.base.fresh(), domain)
        self.user_tools: Toolkit | None = None
        if spec.user_tools is not None:
            database = domain.user_base.fresh() if domain.user_base else self.tools.db
            self.user_tools = _toolkit(spec.user_tools, database, domain)
        self.task: Task | None = None
        self._prepare_by("sync", spec.sync, self.tools, self.user_tools)

    def copy(self) -> Environment:
        """An independent copy of the world in its current state; cheap, however much has happened."""
        twin = copy(self)
        twin.faults = deepcopy(self.faults)
        twin.tools = self.tools.copy(self.tools.db.copy())
        if self.user_tools is not None:
            shared = self.user_tools.db is self.tools.db
            twin.user_tools = self.user_tools.copy(twin.tools.db if shared else self.user_tools.db.copy())
        return twin

    @property
    def policy(self) -> str:
        """The policy that the agent works under; the task's own if it depends on the task."""
        return self.domain.policy_for(solo=self.solo, task=self.task)

    def tool_specs(self, requestor: Requestor = "assistant") -> list[ToolSpec]:
        """The tools that this side is shown, in the order a model sees them."""
        both = self.domain.spec.shows_both_sides(self.task)
        asked = ("tools", both, self.solo, requestor)
        if asked not in self.domain.memo:
            agent, user = _visible_tools(self.tools, both), _visible_tools(self.user_tools if both else None, both)
            if self.solo:
                agent, user = agent + user, ()
            self.domain.memo[asked] = agent if requestor == "assistant" else user
        return [*self.domain.memo[asked]]

    def call(self, name: str, arguments: dict[str, Any], requestor: Requestor = "assistant") -> ToolResult:
        """Call a tool. Errors become the text that the caller reads, except if the domain is broken.

        Faults are injected into the agent's calls, if there are any.
        """
        if self.faults is None or requestor != "assistant":
            return self.execute(name, arguments, requestor)
        writes = self.writes(name)
        return self.faults.answer(name, arguments, lambda: self.execute(name, arguments), writes=writes)

    def execute(self, name: str, arguments: dict[str, Any], requestor: Requestor = "assistant") -> ToolResult:
        """Like :meth:`call`, without faults."""
        if name in self.extra and requestor == "assistant":
            return ToolResult(self.extra[name])
        try:
            value = self._invoke(name, arguments, requestor)
            self.sync()
            return self._written(name, value)
        except (DomainError, InfraError, CassetteError, SettingsError):
            raise  # a broken record, or a search whose model does not answer: nobody's move in the conversation
        except Exception as error:
            return ToolResult(f"{FAILED}{describe(error)}", error=True)

    def _written(self, name: str, value: Any) -> ToolResult:
        """What the caller reads of a tool's value; raises DomainError for one that nobody can read."""
        try:
            if isinstance(value, WithPictures):
                return ToolResult(to_content(value.value), pictures=tuple(value.pictures))
            return ToolResult(self.domain.base.shared_text(value, to_content) or to_content(value))
        except (TypeError, ValueError, RecursionError) as error:
            if self.domain.parity:  # the reference lets the agent read of it
                raise
            raise DomainError(
                f"the tool {name} of domain '{self.domain.name}' returned what has no JSON form "
                f"({describe(error)}): return a text, a number, a date, a pydantic model, or lists and dicts of these"
            ) from None

    def _invoke(self, name: str, arguments: dict[str, Any], requestor: Requestor) -> Any:
        if not isinstance(arguments, dict):
            raise TypeError(f"the arguments of {name} must be an object, not a {type(arguments).__name__}")
        if self.domain.parity:
            _refuse_reserved(arguments)
        toolkit = self._toolkit_for(name, requestor)
        spec = tools_of(type(toolkit)).get(name)
        if spec is None:
            raise ValueError(f"Tool '{name}' not found.")
        # A copy: what a tool stores it may change later, and the call stands in the record of the conversation.
        arguments = _copy_arguments(arguments)
        if self.domain.parity:
            return self._run(toolkit, name, arguments)
        number = self._number(toolkit, name)
        before = self.state() if number <= _WATCHED and not spec.writes else None
        try:
            value = self._run(toolkit, name, spec.arguments_for(arguments))
        except Exception:
            self._refuse_change(name, before)  # what it changed before it failed, no grading would see either
            raise
        self._refuse_change(name, before)
        looked_after = number <= _LOOKED_AFTER and not self.domain.is_builtin
        for base in (self.domain.base, self.domain.user_base) if looked_after else ():
            for altered in base.altered() if base is not None else ():
                raise DomainError(f"domain '{self.domain.name}': {altered}")
        return value

    def _run(self, toolkit: Toolkit, name: str, arguments: dict[str, Any]) -> Any:
        """What the tool returns; raises what it raises, and DomainError where it lets go of its database."""
        database = toolkit.db
        try:
            return self._ask(name, getattr(toolkit, name), **arguments)
        finally:
            if getattr(toolkit, "db", None) is not database:
                toolkit.db = database
                raise DomainError(
                    f"the tool {name} of domain '{self.domain.name}' replaced self.db: change the tables of the "
                    "database, never self.db itself"
                )

    def _ask(self, what: str, function: Callable[..., Any], /, *given: Any, **arguments: Any) -> Any:
        """What a domain's function returns; raises what it raises, and DomainError where it would end the process."""
        try:
            return function(*given, **arguments)
        except SystemExit as error:
            told = f"{what} of domain '{self.domain.name}' ended with SystemExit"
            raise DomainError(f"{told}: let it raise an error, which the caller of a tool reads") from error

    def _number(self, toolkit: Toolkit, name: str) -> int:
        """Which call of a tool this is in this process: the first ones have to show what they leave alone."""
        counts = self.domain.memo.get("watched") or self.domain.memo.setdefault("watched", Counter())
        counts[type(toolkit), name] += 1
        seen: int = counts[type(toolkit), name]
        return seen

    def _refuse_change(self, name: str, before: State | None) -> None:
        """Raise DomainError for what a tool that reads has changed; ``before`` is None where nobody looks."""
        if before is None or self.state() == before:
            return
        _, change = self.domain.compare(before, self.state())[0]
        where = f"{change.table}[{change.key}]{change.path and '.'}{change.path}"
        raise DomainError(
            f"the tool {name} of domain '{self.domain.name}' declares that it reads, and changed {where}, which no "
            "grading would see: declare it with @tool(writes=True)"
        )

    def _toolkit_for(self, name: str, requestor: Requestor) -> Toolkit:
        if requestor not in ("assistant", "user"):
            raise ValueError(f"Invalid requestor: {requestor}")
        if requestor == "assistant":
            return self.user_tools if self.solo and self._is_user_tool(name) else self.tools  # type: ignore[return-value]
        if self.solo:
            raise ValueError("User tool calls are not allowed in solo mode")
        if self.user_tools is None or not self.domain.spec.shows_both_sides(self.task):
            raise ValueError("User tools not available")
        return self.user_tools

    def _is_user_tool(self, name: str) -> bool:
        return self.user_tools is not None and name in tools_of(type(self.user_tools))

    def sync(self) -> None:
        """Apply one side's actions to the other side, if the domain has a rule for that."""
        if self.domain.spec.sync is not None:
            self._ask("sync", self.domain.spec.sync, self.tools, self.user_tools)

    def _prepare_by(self, name: str, function: Callable[..., None] | None, *given: Any) -> None:
        """Call what a domain brings a fresh world into order with; raises DomainError for what that raises."""
        try:
            if function is not None:
                function(*given)
        except TauError:
            raise
        except (Exception, SystemExit) as error:
            what = f"{name} of domain '{self.domain.name}' fails in a fresh world"
            raise DomainError(f"{what}: {type(error).__name__}: {describe(error)}") from error

    def writes(self, name: str, requestor: str = "assistant") -> bool:
        """Whether a call by this side may change the world; tools that only the other side has count as well."""
        spec = self.tool_named(name, requestor)
        return spec is not None and spec.writes

    def tool_named(self, name: str, requestor: str = "assistant") -> ToolSpec | None:
        """The tool of this name that a side has, else the other side's; None where neither has one."""
        sides = (self.tools, self.user_tools) if requestor == "assistant" else (self.user_tools, self.tools)
        for kit in sides:
            if kit is not None and (spec := tools_of(type(kit)).get(name)) is not None:
                return spec
        return None

    def set_up(
        self,
        task: Task,
        messages: Sequence[AnyMessage] | None = None,
        *,
        strict: bool = True,
        watch: Watch | None = None,
    ) -> None:
        """Bring a fresh environment into a task's initial state, or into the state at the end of a conversation.

        ``messages``: the conversation, whose writing calls are executed again; None: the task's own history.
        ``watch`` is called on the way.
        Raises TaskError when the initial state cannot be set up, and under ``strict`` RecordingError when a call
        does not replay.
        """
        self.task = task
        self._prepare_by("begin", self.domain.spec.begin, self.tools, self.user_tools, task)
        if task.initial_state is not None:
            self._prepare(task.id, task.initial_state)
        if watch is not None:
            watch.begin(self)
        replay(self, task.history if messages is None else messages, strict=strict, watch=watch)
        self.sync()

    def _prepare(self, task_id: str, initial: InitialState) -> None:
        data = initial.initialization_data
        try:
            if data and data.agent_data:
                self.database("assistant").patch(data.agent_data, where="initialization_data.agent_data")
            if data and data.user_data:
                self.database("user").patch(data.user_data, where="initialization_data.user_data")
        except DomainError as error:
            raise TaskError(f"task '{task_id}': {error}") from None
        for position, call in enumerate(initial.initialization_actions or []):
            try:
                self.run(call)
            except Exception as error:
                where = f"initialization_actions[{position}] ({call.func_name})"
                raise TaskError(f"task '{task_id}': {where} failed: {error}") from error

    def database(self, side: Requestor) -> Database:
        """The live database of a side; raises DomainError if it has none."""
        toolkit = self.tools if side == "assistant" else self.user_tools
        if toolkit is None:
            raise DomainError(f"domain '{self.domain.name}' has no user database")
        database: Database = toolkit.db
        return database

    def run(self, call: EnvFunctionCall) -> Any:
        """Call any public method of a toolkit, as a task's initial state does. Raises what the method raises.

        A tool gets its arguments as from an agent: as the annotations want them.
        """
        method, arguments = self._method(call), deepcopy(call.arguments)
        spec = tools_of(type(method.__self__)).get(call.func_name) if hasattr(method, "__self__") else None
        if spec is not None and not self.domain.parity:
            arguments = spec.arguments_for(arguments)
        value = self._ask(call.func_name, method, **arguments)
        self.sync()
        return value

    def _method(self, call: EnvFunctionCall) -> Any:
        toolkit = self.tools if call.env_type == "assistant" else self.user_tools
        if toolkit is None:
            raise AttributeError(f"domain '{self.domain.name}' has no user tools")
        if call.func_name.startswith("_"):
            raise AttributeError(f"'{call.func_name}' is private")
        return getattr(toolkit, call.func_name)

    def check(self, assertion: EnvAssertion) -> bool:
        """Whether an assertion holds now. Raises what its method raises, and ValueError if that returns no bool."""
        value = self.run(assertion)
        if not isinstance(value, bool):
            raise ValueError(f"Function {assertion.func_name} returned {type(value)} instead of bool")
        return value == assertion.assert_value

    def dump(self) -> dict[str, Any]:
        """Both databases as JSON, every record normalised by its model; ``user`` is None if there is none."""
        user = self.user_tools.db.state() if self.user_tools else None
        return {"agent": self.tools.db.state(), "user": user}

    def state(self) -> State:
        """The differences from a fresh environment, in comparable form."""
        try:
            user = self.user_tools.db.delta() if self.user_tools and self.domain.user_base else None
            return State(self.tools.db.delta(), user)
        except (AttributeError, TypeError) as error:
            what = f"a tool of domain '{self.domain.name}' left a database that cannot be read ({describe(error)})"
            raise DomainError(f"{what}: change the records of its tables, and nothing else of it") from error

    def changes(self) -> list[Change]:
        """The differences from a fresh environment, field by field; the agent's database first."""
        return [change for _, change in self.domain.compare(State(Delta(), Delta()), self.state())]


def _refuse_reserved(arguments: dict[str, Any]) -> None:
    """Names the reference's dispatcher has for itself never reach a tool there; its complaint reaches the model."""
    method = "Environment.make_tool_call()"
    if "requestor" in arguments:
        raise TypeError(f"tau2.environment.environment.{method} got multiple values for keyword argument 'requestor'")
    for name in arguments:
        if name in ("self", "tool_name"):
            raise TypeError(f"{method} got multiple values for argument '{name}'")


def _visible_tools(toolkit: Toolkit | None, both_sides: bool) -> tuple[ToolSpec, ...]:
    specs = tools_of(type(toolkit)).values() if toolkit else ()
    return tuple(spec for spec in specs if not spec.hidden and (both_sides or not spec.dual))


def _copy_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """A deep copy of a call's arguments: of JSON data by marshal, which takes a tenth of the time."""
    try:
        made: dict[str, Any] = marshal.loads(marshal.dumps(arguments))  # noqa: S302 (our own bytes)
        return made
    except ValueError:
        return deepcopy(arguments)


def _toolkit(cls: type[Toolkit], db: Database, domain: Domain) -> Toolkit:
    spec = domain.spec
    try:
        return cls(db, parity=domain.parity, now=spec.now, seed=spec.seed)
    except TauError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {describe(error)}"
        what = f"{cls.__qualname__} cannot be made: {why}"
        raise DomainError(f"{what}; an __init__ of its own takes **options and hands them to Toolkit's") from error
