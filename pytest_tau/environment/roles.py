"""What a domain may say wrongly of the roles of a team."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import DomainError
from .spec import DomainSpec
from .toolkit import tools_of
from .values import file_of


def refuse_roles(folder: Path, spec: DomainSpec) -> None:
    """Raise DomainError for a role with an unknown tool, file or role, or without a policy, and for a tool of no role.

    Args:
        folder: the domain's.
        spec: what its ``domain.py`` says.
    """
    tools = set(tools_of(spec.tools))
    where = folder / "domain.py"
    for name, role in spec.roles.items():
        known: list[tuple[str, Sequence[str], Iterable[str]]] = [
            ("tool", role.tools, tools),
            ("role", role.hands_to, set(spec.roles) - {name}),
            ("file", role.files, {file for file in role.files if file_of(folder, file).is_file()}),
        ]
        for what, named, there in known:
            if unknown := [one for one in named if one not in there]:
                raise DomainError(f"{where}: the role '{name}' names {unknown[0]!r}, and there is no such {what}")
        if not role.files:
            raise DomainError(f"{where}: the role '{name}' has no policy; name its files")
    if spec.roles and (left := sorted(tools.difference(*(role.tools for role in spec.roles.values())))):
        raise DomainError(f"{where}: the tool '{left[0]}' belongs to no role")
