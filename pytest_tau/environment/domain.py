"""Finds and loads a domain folder: its Python under a name of its own, its policy and its database once a process."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from ..errors import DomainError, describe, reason
from ..files import decode, endless, finite, refuse_constant
from ..schema.task import Task
from .database import Database, DatabaseBase
from .delta import Change, Delta, compare
from .environment import Environment, Faults, State
from .folders import builtin_root, no_own_data, own_name, public_folder, refuse_isolated
from .policy import POLICY_FILE, assemble_policy, marked_safety_section, policies_of, policy_text, safety_section
from .roles import refuse_roles
from .rules import PolicyText, read_rules, without_marks
from .spec import DomainSpec, TeamRole
from .toolkit import Toolkit, ToolSpec, tools_of
from .values import CHANGES, file_of, layers, merge
from .values import find_domain as find_domain

if TYPE_CHECKING:
    from .documents.knowledge import Knowledge
    from .documents.store import Documents
    from .documents.vectors import RetrievalModels


_OF_EACH_TOOLKIT = {*vars(Toolkit), *Toolkit.__annotations__}


@dataclass(frozen=True, eq=False)
class Domain:
    """A loaded domain: policy, tools and an immutable base from which fresh environments are made.

    ``parity``: True on public data, where everything behaves exactly like the reference.
    ``texts``: the folder of policy, database and documents.
    ``documents``, ``knowledge``: the knowledge base and how the agent accesses it, if the domain has one.
    ``dual_policy``: an addition to the policy for tasks where the customer acts as well, if only some are like that.
    ``models``: the models that searches use.
    ``marked_policy``: the policy and its addition with the marks that name rules, which no agent sees.
    ``memo``: results computed once per process for this domain, such as gold end states.
    ``loaded``: what it was loaded by, which is all of it that pickle stores: folders, data and variants.
    """

    name: str
    folder: Path
    spec: DomainSpec
    parity: bool
    policy: str
    solo_policy: str | None
    base: DatabaseBase
    user_base: DatabaseBase | None
    texts: Path
    documents: Documents | None = None
    knowledge: Knowledge | None = None
    models: RetrievalModels | None = None
    dual_policy: str | None = None
    marked_policy: str = ""
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)
    loaded: tuple[Any, ...] | None = field(default=None, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.loaded is None:
            raise DomainError(f"domain '{self.name}' was not loaded from a folder, so pickle cannot store it")
        return _load, self.loaded

    def environment(
        self,
        task: Task | None = None,
        solo: bool = False,
        *,
        faults: Faults | None = None,
        extra: Mapping[str, str] = MappingProxyType({}),
    ) -> Environment:
        """A fresh world; with ``task``, in that task's initial state. Raises DomainError, TaskError.

        ``faults`` and ``extra`` are passed to :class:`Environment`.
        """
        if solo and not self.spec.solo:
            # The reference writes a name of one word with a capital, and banking_knowledge as it is.
            name = self.name if "_" in self.name else self.name.capitalize()
            raise DomainError(f"{name} domain does not support solo mode")
        env = Environment(self, solo=solo, faults=faults, extra=extra)
        if task is not None:
            env.set_up(task)
        return env

    def policy_for(self, *, solo: bool = False, task: Task | None = None) -> str:
        """The policy text of a mode; with ``task``, including that task's documents if the policy contains them."""
        policy = self.solo_policy if solo and self.solo_policy is not None else self.policy
        if self.dual_policy is not None and self.spec.shows_both_sides(task):
            policy = f"{policy.rstrip()}\n\n{self.dual_policy}"
        if task is None or not self.task_specific_policy:
            return policy
        return assemble_policy(policy, self.texts, self.spec, self.knowledge, self.documents, task)

    @cached_property
    def is_builtin(self) -> bool:
        """Whether it comes with pytest-tau, whose tests have looked at its tools."""
        return self.texts.is_relative_to(builtin_root("domains"))

    @cached_property
    def sets(self) -> Mapping[str, tuple[str, ...]]:
        """Of the tools of both sides, the arguments that are lists whose order means nothing."""
        return {name: tool.sets for name, tool in self._tools() if tool.sets}

    @cached_property
    def defaults(self) -> Mapping[str, Mapping[str, Any]]:
        """Of the tools of both sides, what their arguments are if a call leaves them out, as JSON has it."""
        return {name: tool.defaults for name, tool in self._tools() if tool.defaults}

    def _tools(self) -> Iterator[tuple[str, ToolSpec]]:
        for kit in (self.spec.tools, self.spec.user_tools):
            yield from tools_of(kit).items() if kit is not None else ()

    @cached_property
    def rules(self) -> PolicyText:
        """The rules of the policy, the addition for tasks in which the customer acts as well included."""
        return read_rules(self.marked_policy or self.policy)

    def roles_for(self, task: Task | None = None) -> Mapping[str, TeamRole]:
        """The roles of a team, each with the text of its policy; none in a domain that declares none, or on public
        data.
        """
        if not self.spec.roles or self.texts != self.folder:
            return {}
        both = self.dual_policy is not None and self.spec.shows_both_sides(task)
        kept = ("roles", both, task.id if task is not None and self.task_specific_policy else None)
        if kept not in self.memo:
            more = [] if self.spec.safety is None else [safety_section(self.folder, self.spec.safety)]
            more += [self.dual_policy or ""] if both else []
            self.memo[kept] = found = {}
            for name, role in self.spec.roles.items():
                pages = [without_marks(policy_text(self.folder, file, self.spec)) for file in role.files]
                policy = "\n\n".join(page.rstrip() for page in [*pages, *more])
                if self.spec.documents is not None and self.spec.documents.policy is None:
                    policy = assemble_policy(policy, self.texts, self.spec, self.knowledge, self.documents, task)
                found[name] = replace(role, policy=policy)
        roles: Mapping[str, TeamRole] = self.memo[kept]
        return roles

    @property
    def task_specific_policy(self) -> bool:
        """Whether each task has its own policy."""
        return self.knowledge is not None and self.knowledge.shown == "required"

    def compare(self, before: State, after: State) -> list[tuple[str, Change]]:
        """The differences between two states, each with its side ("agent" or "user")."""
        found = [("agent", change) for change in compare(self.base, before.agent, after.agent)]
        if self.user_base is not None:
            found += [
                ("user", change) for change in compare(self.user_base, before.user or Delta(), after.user or Delta())
            ]
        return found


def load_domain(
    name: str | Path,
    *,
    data: str | Path | None = None,
    parity: bool | None = None,
    policy: str | Path | None = None,
    knowledge: str | None = None,
    models: RetrievalModels | None = None,
) -> Domain:
    """Load a domain.

    Args:
        name: a built-in domain, a folder under ``./domains``, or the path of a domain folder.
        data: the root of the public τ²-bench data, or any folder on the way down to its ``domains``. Policy and
            database come from there, the tools from pytest-tau.
        parity: behave exactly like the reference; by default only if ``data`` is given.
        policy: a variant of the policy, if the domain has several; by default the first. Or a file (*.md) whose text
            takes the place of the policy, such as the system prompt of an agent of one's own.
        knowledge: how the agent accesses the domain's documents, such as "none", "full", "golden", "grep", "bm25" or
            "embeddings:MODEL"; by default the domain's choice.
        models: the models that the agent's searches use, for a setting that needs vectors or ratings.

    Raises:
        DomainError: the folder does not exist or something in it cannot be used.
        SettingsError: an isolated agent asks for it.
    """
    refuse_isolated("load_domain()")
    folder = find_domain(name)
    spec = load_spec(folder.resolve())
    if data is None and spec.public_only:
        raise no_own_data(folder.name)
    texts = public_folder(Path(data), folder.name) if data is not None else folder
    variant = None if policy is None else str(policy)
    if variant is not None and variant.endswith(POLICY_FILE):
        variant = str(Path(variant).resolve())
    return _load(
        own_name(folder),
        folder.resolve(),
        texts.resolve(),
        data is not None if parity is None else parity,
        variant,
        knowledge,
        None if spec.documents is None else models,
    )


@lru_cache(maxsize=64)
def _load(
    name: str,
    folder: Path,
    texts: Path,
    parity: bool,
    variant: str | None,
    setting: str | None,
    models: RetrievalModels | None,
) -> Domain:
    spec = load_spec(folder)
    if spec.dual_only and texts != folder:
        spec = replace(spec, user_tools=None, sync=None)
    base = _base(folder, texts, "db")
    from_file = (variant or "").endswith(POLICY_FILE)
    if from_file and spec.documents is not None:  # instead of what the domain makes a policy of
        spec = replace(spec, documents=replace(spec.documents, policy=None))
    knowledge, documents = _knowledge(texts, spec, setting, name)
    if knowledge is not None and documents is not None:
        from .documents.knowledge import equip

        tools = equip(spec.tools, knowledge, documents, models)
        looking = [name for name in tools_of(tools) if name not in tools_of(spec.tools)]
        # Everybody may look into the documents.
        roles = {name: replace(role, tools=[*looking, *role.tools]) for name, role in spec.roles.items()}
        spec = replace(spec, tools=tools, roles=roles)
    policy, solo_policy = policies_of(texts, spec, variant, name, knowledge, documents)
    if texts == folder and spec.safety is not None and not from_file:
        policy = f"{policy.rstrip()}\n\n{marked_safety_section(folder, spec.safety)}"
    dual_policy = policy_text(folder, "policy_dual.md", spec) if spec.dual_only and texts == folder else None
    marked = policy if dual_policy is None else f"{policy.rstrip()}\n\n{dual_policy}"
    user_base = None
    if spec.user_tools is not None and not spec.shared_database:
        user_base = _base(folder, texts, "user_db")
    return Domain(
        name=name,
        folder=folder,
        spec=spec,
        parity=parity,
        policy=without_marks(policy),
        solo_policy=None if solo_policy is None else without_marks(solo_policy),
        base=base,
        user_base=user_base,
        texts=texts,
        documents=documents,
        knowledge=knowledge,
        models=models,
        dual_policy=None if dual_policy is None else without_marks(dual_policy),
        marked_policy=marked,
        loaded=(name, folder, texts, parity, variant, setting, models),
    )


def _knowledge(
    texts: Path, spec: DomainSpec, setting: str | None, domain: str
) -> tuple[Knowledge | None, Documents | None]:
    if spec.documents is None:
        if setting is not None:
            raise DomainError(
                f"domain '{domain}' has no documents, so there is no knowledge setting '{setting}' for it"
            )
        return None, None
    base = spec.documents
    setting = setting or base.default
    return replace(base.settings(setting), setting=setting), _documents(_documents_of(texts, base.folder), base.read)


@lru_cache(maxsize=64)
def _base(folder: Path, texts: Path, stem: Literal["db", "user_db"]) -> DatabaseBase:
    """One for all variants and settings of a domain."""
    spec = load_spec(folder)
    toolkit = spec.tools if stem == "db" else spec.user_tools
    assert toolkit is not None  # noqa: S101 (who has none is not asked for its database)
    return load_base(toolkit, texts, stem)


def _documents_of(texts: Path, below: str) -> Path:
    return next((layer / below for layer in layers(texts) if (layer / below).is_dir()), texts / below)


@lru_cache(maxsize=64)
def _documents(folder: Path, read: Callable[[Path], Documents]) -> Documents:
    """One for all settings, so that nothing is read or indexed twice in a process."""
    if not folder.is_dir():
        raise DomainError(f"{folder}: the folder of the domain's documents is not there")
    return read(folder)


def load_spec(folder: Path) -> DomainSpec:
    """What a folder's ``domain.py`` says; raises DomainError."""
    module = load_part(folder, "domain")
    spec = getattr(module, "domain", None)
    if not isinstance(spec, DomainSpec):
        raise DomainError(f"{folder / 'domain.py'}: define 'domain = DomainSpec(tools=...)' in it")
    try:
        spec.default_checks  # noqa: B018 (refuses what is no check before anything is played)
    except DomainError as error:
        raise DomainError(f"{folder / 'domain.py'}: {error}") from None
    for toolkit in (spec.tools, spec.user_tools):
        if toolkit is not None and (taken := sorted(tools_of(toolkit).keys() & _OF_EACH_TOOLKIT)):
            why = "which each toolkit has for itself; name the tool otherwise"
            raise DomainError(f"{folder / 'domain.py'}: {toolkit.__name__} has a tool '{taken[0]}', {why}")
    refuse_roles(folder, spec)
    if spec.solo and spec.user_tools is not None:
        overlap = set(tools_of(spec.tools)) & set(tools_of(spec.user_tools))
        if overlap:
            raise DomainError(
                f"{folder / 'domain.py'}: Tool names overlap: {sorted(overlap)}; solo mode needs them apart"
            )
    return spec


def load_part(folder: Path, part: str) -> ModuleType:
    """Import a module of a domain folder under a package name that is the folder's alone; raises DomainError."""
    try:
        package = domain_package(folder)
        return importlib.import_module(f"{package.__name__}.{part}")
    except DomainError:
        raise
    except (Exception, SystemExit) as error:  # sys.exit() in it must not end the run
        raise DomainError(f"{_location(error, folder)}: {type(error).__name__}: {describe(error)}") from error


def domain_package(folder: Path) -> ModuleType:
    """The package that a domain folder's modules are imported into; its name is made from the folder's path."""
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]
    name = f"pytest_tau_domains.{folder.name}_{digest}"
    if name not in sys.modules:
        parent = sys.modules.setdefault("pytest_tau_domains", ModuleType("pytest_tau_domains"))
        parent.__path__ = []
        own = folder / "__init__.py"
        spec = importlib.util.spec_from_file_location(name, own) if own.is_file() else None
        package = ModuleType(name) if spec is None else importlib.util.module_from_spec(spec)
        package.__path__ = list(map(str, layers(folder)))
        sys.modules[name] = package
        try:
            if spec is not None and spec.loader is not None:
                spec.loader.exec_module(package)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _location(error: BaseException, folder: Path) -> str:
    """The line of the domain folder that an exception comes from."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(folder)]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else str(folder / "domain.py")


def load_base(toolkit: type[Toolkit], folder: Path, stem: str) -> DatabaseBase:
    """A toolkit's database in its file ``stem.json`` or ``stem.toml``; raises DomainError."""
    try:
        schema = get_type_hints(toolkit).get("db")
    except NameError as error:
        raise DomainError(f"{toolkit.__name__}: an annotation cannot be resolved: {error}") from None
    if not (isinstance(schema, type) and issubclass(schema, Database)):
        raise DomainError(f"{toolkit.__name__}: annotate its database, as in 'db: ShopDatabase'")
    if hasattr(schema, "sql"):
        from .sql import SqlBase, SqlDatabase

        if issubclass(schema, SqlDatabase):
            return SqlBase(schema, file_of(folder, f"{stem}.sqlite"))
    kinds = [file for kind in ("json", "toml") if (file := folder / f"{stem}.{kind}").is_file()]
    if len(kinds) > 1:
        raise DomainError(f"{folder}: has two databases, {stem}.json and {stem}.toml; keep the one that is meant")
    path = kinds[0] if kinds else file_of(folder, f"{stem}.toml")
    if not path.is_file():
        path = file_of(folder, f"{stem}.json")
    content, changes, where = _parse(path), folder / CHANGES, str(path)
    if stem == "db" and changes.is_file():
        content, where = merge(content, _parse(changes)), f"{path}, changed by {changes}"
    return DatabaseBase(schema, content, where=where)


def _parse(path: Path) -> Any:
    try:
        text = decode(path.read_bytes())
        if path.suffix == ".toml":
            import tomllib

            content = tomllib.loads(text)
            for place, number in endless(content):
                raise ValueError(f"{json.dumps(number)} is not JSON: {place}")
            # Records are JSON wherever they come from: TOML's own dates become texts, and the models read them.
            text = json.dumps(content, default=lambda moment: moment.isoformat())
        return json.loads(text, parse_constant=partial(refuse_constant, text=text), parse_float=finite)
    except (OSError, ValueError, RecursionError) as error:
        raise DomainError(f"{path}: the database cannot be read: {reason(error)}") from None
