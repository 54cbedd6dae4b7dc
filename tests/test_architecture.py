"""How the house is built: who may import what, what loading the plugin costs, what modules say they are for."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest

import pytest_tau
import tau_workshop
from pytest_tau.environment.folders import builtin_names, builtin_root

PACKAGE = Path(pytest_tau.__file__).parent
WORKSHOP = Path(tau_workshop.__file__).parent
MODULES = sorted([*PACKAGE.rglob("*.py"), *WORKSHOP.rglob("*.py")])
DOMAIN_FILES = sorted(
    path for name in builtin_names("domains") for path in (builtin_root("domains") / name).rglob("*.py")
)
# What a domain is made of.
OF_A_DOMAIN = ("pytest_tau.environment", "pydantic", "pydantic_core")


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[str]:
    """The absolute names of the modules that a file imports, outside of ``if TYPE_CHECKING`` too."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def under(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def test_a_domain_folder_imports_its_building_blocks_only() -> None:
    strangers = [
        f"{path}: {module}"
        for path in DOMAIN_FILES
        for module in imports(path)
        if module.split(".")[0] not in sys.stdlib_module_names and not under(module, OF_A_DOMAIN)
    ]
    assert strangers == []


@pytest.mark.slow
def test_playing_every_suite_loads_nothing_of_the_workshop() -> None:
    """Nor does grading, reporting or diagnosing a miss: the idle agent misses nearly everything."""
    code = """
import sys
from pytest_tau import grade, load_domain, load_tasks, simulate
from pytest_tau.diagnosis.blame import with_no_return
from pytest_tau.diagnosis.faults import find_fault
from pytest_tau.diagnosis.user_audit import audit_user
from pytest_tau.environment.folders import builtin_folder, builtin_names
from pytest_tau.environment.tasks import read_tasks, suite_files
import pytest_tau.plugin.hooks, pytest_tau.reports.html, pytest_tau.recordings.rescored

for suite in builtin_names("tasks"):
    task = next(t for file in suite_files(builtin_folder("tasks", suite)) for t in read_tasks(file))
    domain = load_domain(task.domain or suite)
    for agent in ("oracle", "noop"):
        simulation = simulate(task, domain, agent=agent)
        grade(task, simulation, domain)
        audit_user(task, simulation.messages, domain)
print(sorted(name for name in sys.modules if name.split(".")[0] == "tau_workshop"))
print(sorted({m.__file__ for m in list(sys.modules.values()) if "workshop" in (getattr(m, "__file__", None) or "")}))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["[]", "[]"]


def test_a_circle_has_three_files_at_most_and_lies_within_one_folder() -> None:
    """Imports for types count as well: whoever reads one of these files has to read the others."""
    graph = grimp.build_graph("pytest_tau", cache_dir=None)
    below = {module: graph.find_upstream_modules(module) for module in graph.modules}
    circles = {frozenset({module, *(one for one in below[module] if module in below[one])}) for module in below}
    too_big = [sorted(circle) for circle in circles if len(circle) > 3]
    astray = [sorted(circle) for circle in circles if len({one.rpartition(".")[0] for one in circle}) > 1]
    assert (too_big, astray) == ([], [])


def test_every_module_says_what_it_is_for() -> None:
    says = re.compile(r'(#.*\n)*"""\s*[^"\s]')
    assert [path for path in MODULES if not says.match(path.read_text(encoding="utf-8"))] == []


def test_every_public_name_is_there() -> None:
    assert pytest_tau.__all__ == sorted(pytest_tau.__all__)
    assert dir(pytest_tau) == pytest_tau.__all__
    for name in pytest_tau.__all__:
        assert getattr(pytest_tau, name).__doc__ or name.endswith("Factory"), name
    with pytest.raises(AttributeError, match="module 'pytest_tau' has no attribute 'nope'"):
        pytest_tau.nope  # noqa: B018


def test_no_name_of_a_package_is_that_of_a_module_in_it() -> None:
    """Whoever imports such a name gets the module, as soon as something has loaded it."""
    for path in PACKAGE.rglob("__init__.py"):
        name = ".".join(path.parent.relative_to(PACKAGE.parent).parts)
        offered = getattr(importlib.import_module(name), "__all__", ())
        assert {one.stem for one in path.parent.iterdir()}.isdisjoint(offered), name


@pytest.mark.parametrize("module", ["pytest_tau", "pytest_tau.plugin"])
def test_loading_it_imports_nothing_heavy(module: str) -> None:
    """Compared with pytest alone, which may import some of these on some platforms."""
    heavy = "{'pydantic', 'asyncio', 'litellm', 'jinja2', 'hypothesis'}"
    code = (
        f"import sys, pytest; before = set(sys.modules); import {module}; print({heavy} & (set(sys.modules) - before))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


def test_every_framework_that_is_tried_has_a_group() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    assert {one["include-group"] for one in groups["frameworks"]} <= set(groups)
