"""Which domains a run knows, by name: the project's own, registered ones and built-in ones; and where each lies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...files import resolve
from ..run import Run

if TYPE_CHECKING:
    from ...environment.domain import Domain


class DomainRegistry:
    """Domains that plugins make known by name, with their folders of tasks."""

    def __init__(self) -> None:
        self.domains: dict[str, Path] = {}
        self.tasks: dict[str, Path] = {}

    def add(self, name: str, folder: str | Path, tasks: str | Path | None = None) -> None:
        """Make the domain folder known as ``name``, and its tasks if there are any."""
        self.domains[name] = Path(folder)
        if tasks is not None:
            self.tasks[name] = Path(tasks)


def registry(run: Run) -> DomainRegistry:
    """The domains that plugins make known; they are asked when one is first looked for."""
    return run.one(_registry)


def _registry(run: Run) -> DomainRegistry:
    known = DomainRegistry()
    from ...errors import DomainError, from_where

    try:
        run.config.hook.pytest_tau_register_domains.call_historic(kwargs={"registry": known})
    except Exception as error:
        raise DomainError(f"the hook pytest_tau_register_domains failed: {from_where(error)}") from None
    return known


def find_domain(
    run: Run, name: str, *, public: bool, policy: str | None = None, knowledge: str | None = None
) -> Domain:
    """Load a domain by name: registered, the project's own, or built in, and never by a path; raises DomainError.

    ``policy``: a variant of its policy, by default the one of ``--tau-policy``. ``knowledge``: of a recording, how its
    agent got at the documents; ``--tau-knowledge`` comes before it.
    """
    known, key = run.one(_found), (name, public, policy, knowledge)
    if key not in known:
        known[key] = _load(run, name, public=public, policy=policy, knowledge=knowledge)
    return known[key]


def _found(run: Run) -> dict[tuple[str, bool, str | None, str | None], Domain]:
    """The domains that were looked for."""
    return {}


def _load(run: Run, name: str, *, public: bool, policy: str | None, knowledge: str | None) -> Domain:
    from ...environment.domain import find_domain as folder_of
    from ...environment.domain import load_domain, load_spec

    chosen = run.settings
    data = data_root(run) if public else None
    folder = _own_folder(run, name) or name
    if (knowledge := chosen.knowledge or knowledge) is not None and len(chosen.domain) > 1:
        # One setting for several domains is meant for those that have documents.
        has_documents = load_spec(folder_of(folder).resolve()).documents is not None
        knowledge = knowledge if has_documents else None
    return load_domain(
        folder,
        data=data,
        parity=chosen.parity,
        policy=policy or policy_file(run) or chosen.policy,
        knowledge=knowledge,
        models=run.searching,
    )


def policy_file(run: Run) -> str | None:
    """The file that ``--tau-policy`` names, relative to the root directory; None where it names none."""
    from ...environment.policy import POLICY_FILE

    name = run.settings.policy
    return None if name is None or not name.endswith(POLICY_FILE) else str(resolve(run.root / name))


def searches_ask_models(run: Run) -> bool:
    """Whether an agent of this run searches documents with the help of models."""
    from ...environment.domain import find_domain as folder_of
    from ...environment.domain import load_spec
    from ...errors import TauError

    for name in run.settings.domain:
        try:
            base = load_spec(folder_of(_own_folder(run, name) or name).resolve()).documents
            if base is not None and base.settings(run.settings.knowledge or base.default).asks_models:
                return True
        except TauError:
            continue  # collection says what is wrong with it
    return False


def domain_folders(run: Run, name: str) -> list[Path]:
    """Where a domain's Python and its data lie; raises TauError for one that is not there."""
    from ...environment.folders import builtin_folder, public_folder

    code = _own_folder(run, name) or builtin_folder("domains", name)
    return [code, public_folder(data_root(run), name)] if run.settings.data is not None else [code]


def is_domain(run: Run, name: str) -> bool:
    """Whether a name that tasks were asked for by is that of a domain, and not of a suite with tasks of several."""
    from ...environment.folders import builtin_names
    from ...errors import TauError

    try:
        return _own_folder(run, name) is not None or name in builtin_names("domains")
    except TauError:
        return False


def _own_folder(run: Run, name: str) -> Path | None:
    """The folder of a registered domain or of one of the project; None for a built-in one. Raises DomainError."""
    from ...environment.folders import domain_name
    from ...environment.values import is_domain

    if (registered := registry(run).domains.get(name)) is not None:
        return registered
    own = run.root / "domains" / domain_name(name)
    return own if is_domain(own) else None


def user_guidelines(run: Run) -> Path | None:
    """The folder with the public data's guidelines for simulated users, None on our own data."""
    from ...environment.folders import public_guidelines

    return public_guidelines(data_root(run)) if run.settings.data is not None else None


def data_root(run: Run) -> Path:
    """The folder of the public data that ``--tau-data`` names; only to be asked for where there is one.

    Relative to the root directory, as all names of files; or to where pytest was started, as a shell completes it.
    """
    name = str(run.settings.data)
    return resolve(next((one for one in (run.root / name, run.here / name) if one.exists()), run.root / name))
