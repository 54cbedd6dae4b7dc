"""Which files become tests, and under which node IDs; the rules for that are in test_task_files.py."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pytest_tau
from pytest_tau.environment.folders import builtin_root
from tests.conftest import Shared
from tests.plugin.inner import Found, journal, make_shop, shop_task, task, write
from tests.plugin.parts import collect, nodeids

BUILT_IN = [
    "tau/mock/add_a_task.json::test_task[trial1]",
    "tau/mock/complete_a_task.json::test_task[trial1]",
    "tau/mock/count_my_tasks.json::test_task[trial1]",
    "tau/mock/delete_a_task.json::test_task[trial1]",
    "tau/mock/read_and_dismiss.json::test_task[trial1]",
    "tau/mock/task_for_a_stranger.json::test_task[trial1]",
]


OWN = ["tasks/shop/same.json::test_task[trial1]", "tasks/shop/sell_one.json::test_task[trial1]"]
ODD = [f"tasks/todo.json::test_task[{name}-trial1]" for name in ("plain", "a[b]|c", "d::e/f", "same")]
EVALS = ["evals/deep/two.json::test_task[trial1]", "evals/one.json::test_task[trial1]"]
TAGGED = "tasks/tagged/one.json::test_task[trial1]"


@pytest.fixture(scope="module")
def project(shared_run: Shared) -> Iterator[pytest.Pytester]:
    """A project with suites of its own, and with JSON that is none of ours."""
    with shared_run() as pytester:
        pytester.makeini("[pytest]\ntau_task_dirs = evals")
        root = pytester.path
        make_shop(root)
        # The folder names the domain where the task does not.
        nameless = {**shop_task("nameless"), "domain": None, "user_scenario": {"instructions": "A kettle, please."}}
        write(root, "tasks/shop/sell_one.json", nameless)
        write(root, "tasks/shop/same.json", shop_task("same"))
        write(root, "tasks/todo.json", [task("plain"), task("a[b]|c"), task("d::e/f"), task("same")])
        tags = ["skip", "_x", "usefixtures", "parametrize", "xfail", "tau", "smoke"]
        write(root, "tasks/tagged/one.json", task("tagged", tags=tags))
        write(root, "evals/one.json", task("one"))
        write(root, "evals/deep/two.json", task("two"))
        write(root, "others/two.json", {"no": "task"})
        write(root, "package.json", {"name": "web"})
        write(root, "tests/data/broken.json", "{")
        pytester.makepyfile(test_other="def test_other(): pass")
        yield pytester


def test_other_peoples_json_is_left_alone_and_task_dirs_are_collected_in_every_run(project: pytest.Pytester) -> None:
    assert nodeids(project) == [*EVALS, "test_other.py::test_other"]


def test_what_is_collected_is_played_also_behind_a_link(project: pytest.Pytester) -> None:
    found = Found()
    link = project.path.with_name(f"{project.path.name}_link")
    link.symlink_to(project.path, target_is_directory=True)
    args = (f"{link}/tasks", f"{link}/evals/one.json", f"--rootdir={link}", "--strict-markers", "-W", "error")
    result = project.runpytest(*args, plugins=[found])
    result.assert_outcomes(passed=8)
    assert sorted(found.nodeids) == sorted([*OWN, *ODD, TAGGED, EVALS[1]])  # two domains may use the same id
    # A tag that is called as a marker with arguments does nothing of its own.
    assert {"tag_skip", "tag__x", "tag_usefixtures", "tag_parametrize", "tag_xfail", "tag_tau", "smoke"} <= (
        found.markers[TAGGED]
    )
    assert "skip" not in found.markers[TAGGED]


def test_ids_can_be_given_back(project: pytest.Pytester) -> None:
    third = BUILT_IN[0].replace("trial1", "trial3")
    assert nodeids(project, "--tau-k=3", *ODD[1:3], EVALS[1], third) == [*ODD[1:3], EVALS[1], third]


def test_an_own_trial_is_found_by_its_id_from_below_the_root(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Found()
    monkeypatch.chdir(project.path / "domains")
    project.runpytest(OWN[0], "--collect-only", f"--rootdir={project.path}", plugins=[found])
    assert found.nodeids == [OWN[0]]


def test_ids_are_equal_from_every_directory_and_collecting_runs_and_keeps_nothing(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, found = project.path, Found()
    shutil.rmtree(root / ".tau", ignore_errors=True)
    monkeypatch.chdir(root / "domains")
    args = ("--tau-domain=shop,mock", "../tasks/todo.json", f"--rootdir={root}", "--collect-only")
    result = project.runpytest(*args, plugins=[found])
    assert sorted(found.nodeids) == sorted([*OWN, *BUILT_IN, *ODD])
    result.stdout.fnmatch_lines(
        ["*TaskFile*add_a_task.json*", "*Function test_task[[]trial1[]]*", "*12 tests collected *"]
    )
    result.stdout.no_fnmatch_line("*pass^k*")
    assert not (root / ".tau").exists()
    monkeypatch.chdir("/")
    assert nodeids(project, str(root / "tasks" / "shop"), "tau/mock") == [*OWN, *BUILT_IN]


@pytest.mark.slow
def test_an_installed_package_inside_the_root_directory(pytester: pytest.Pytester) -> None:
    """A wheel holds domains and tasks inside the package, and most virtualenvs lie inside the project."""
    packages = pytester.path / ".venv" / "lib" / "site-packages"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(pytest_tau.__file__).parent, packages / "pytest_tau", ignore=ignore)
    for kind in ("domains", "tasks"):
        shutil.copytree(builtin_root(kind) / "mock", packages / "pytest_tau" / kind / "mock", ignore=ignore)
    write(pytester.path, ".venv/pyvenv.cfg", "home = here\n")
    probe = "import pytest_tau, sys; sys.stderr.write(pytest_tau.__file__)"
    path = os.pathsep.join([str(packages), os.environ.get("PYTHONPATH", "")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        assert str(packages) in pytester.run(sys.executable, "-c", probe).stderr.str()
        result = pytester.run(sys.executable, "-m", "pytest", "--tau-domain=mock", "-v", "-n1")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines_random([f"*PASSED*{nodeid.replace('[', '[[]')}*" for nodeid in BUILT_IN])


def test_k_and_m_select(pytester: pytest.Pytester) -> None:
    # -k alone would leave three, -m alone four.
    options = ("--strict-markers", "-k", "stranger or count or delete", "-m", "not transfer and not write")
    assert nodeids(pytester, "--tau-domain=mock", *options) == [BUILT_IN[2], BUILT_IN[5]]


def test_a_trial_is_one_however_often_it_is_asked_for(pytester: pytest.Pytester) -> None:
    """Else one conversation would count as several trials of its task."""
    pytester.makepyfile(test_beside="def test_beside(): pass")
    given = ("tau/mock", "test_beside.py", "tau/mock", "test_beside.py")
    other = "test_beside.py::test_beside"
    found = collect(pytester, "--keep-duplicates", *given)
    assert [item.nodeid for item in found.items] == [*BUILT_IN, other, other]
    assert found.counts["deselected"] == len(BUILT_IN)


def test_last_failed_runs_exactly_the_trials_that_failed(pytester: pytest.Pytester) -> None:
    """Also those whose ids have brackets."""
    write(pytester.path, "tasks/mock.json", [task("plain"), task("a[b]|c")])
    pytester.makepyfile(
        agents="""
        from pytest_tau import AssistantMessage, ToolCall

        class OnceOnly:
            def __init__(self, context):
                self.calls = context.task_id == "plain" and context.trial == 1

            def reply(self, messages):
                if not self.calls:
                    return "Goodbye."
                self.calls = False
                arguments = {"task_id": "task_1", "status": "completed"}
                return AssistantMessage(tool_calls=[ToolCall(id="1", name="update_task_status", arguments=arguments)])
        """
    )
    runs: list[list[str]] = []
    for options in (["--tau-agent=agents:OnceOnly"], ["--tau-agent=agents:OnceOnly", "--lf"], ["--lf"]):
        pytester.runpytest("--tau-domain=mock", "--tau-k=2", *options)
        runs.append([record.nodeid for record in journal(pytester.path)])
    ids = [f"tasks/mock.json::test_task[{name}-trial{trial}]" for name in ("plain", "a[b]|c") for trial in (1, 2)]
    assert runs == [ids, ids[1:], ids[1:]]
    assert {record.outcome.value for record in journal(pytester.path)} == {"passed"}
    known = pytester.path / ".pytest_cache/v/cache/lastfailed"
    assert json.loads(known.read_text(encoding="utf-8")) == {}  # so that the next run is of all
