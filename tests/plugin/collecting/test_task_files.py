"""From what the command line names to task files; without a session of pytest."""

from pathlib import Path

import pytest

from pytest_tau.environment.folders import builtin_folder
from pytest_tau.errors import DomainError, TaskError, TauError
from pytest_tau.plugin.collecting.domains import find_domain
from pytest_tau.plugin.collecting.task_files import (
    is_asked,
    matches,
    paths_of,
    resolve_arguments,
    suite_of,
    unread_folders,
)
from pytest_tau.plugin.run import Run
from tests.plugin.inner import make_shop, shop_task, write

MOCK = sorted(path.name for path in builtin_folder("tasks", "mock").glob("*.json"))


@pytest.fixture
def root(pytester: pytest.Pytester) -> Path:
    make_shop(pytester.path)
    pytester.makeini("[pytest]")
    return pytester.path


def a_run(pytester: pytest.Pytester, *args: str) -> Run:
    return Run(pytester.parseconfig(*args))


def resolved(pytester: pytest.Pytester, *args: str) -> list[str]:
    run = a_run(pytester, *args)
    resolve_arguments(run)
    return run.config.args


@pytest.mark.parametrize(
    ("task_id", "pattern", "meant"),
    [
        ("add", "add", True),
        ("add", "a*", True),
        ("add", "[ab]dd", True),
        ("Add", "add", False),
        ("[net]slow|off[P:Easy]", "[net]slow|off[P:Easy]", True),  # an id of the public data
        ("add", "dd", False),
    ],
)
def test_ids_and_globs(task_id: str, pattern: str, meant: bool) -> None:
    assert matches(task_id, pattern) == meant


def test_a_domain_is_its_task_files_in_place_of_the_folder(pytester: pytest.Pytester, root: Path) -> None:
    assert resolved(pytester, "--tau-domain=mock") == [str(builtin_folder("tasks", "mock"))]
    own = str(root / "tasks/shop/sell_one.json")
    assert resolved(pytester, "--tau-domain=shop") == [own]
    assert resolved(pytester, "--tau-domain=shop", "domains") == ["domains", own]


def test_a_domain_of_the_ini_file_gives_way_to_paths(pytester: pytest.Pytester, root: Path) -> None:
    pytester.makeini("[pytest]\ntau_domain = shop")
    own = str(root / "tasks/shop/sell_one.json")
    assert resolved(pytester) == [own]
    assert resolved(pytester, "domains") == ["domains"]
    run = a_run(pytester, "--tau-domain=mock")
    resolve_arguments(run)
    assert [path.name for path in paths_of(run)] == MOCK


@pytest.mark.parametrize("other", ["test_more.py", "conftest.py", "older/sell_none.json"])
def test_of_a_folder_that_holds_something_else_each_file_is_an_argument(
    pytester: pytest.Pytester, root: Path, other: str
) -> None:
    file = root / "tasks/shop/sell_one.json"
    second = file.with_name("sell_two.json")
    second.write_text(file.read_text())
    assert resolved(pytester, "--tau-domain=shop") == [str(file.parent)]
    (file.parent / other).parent.mkdir(exist_ok=True)
    (file.parent / other).write_text(file.read_text() if other.endswith("json") else "")
    files = [arg for arg in resolved(pytester, "--tau-domain=shop") if Path(arg).parent == file.parent]
    assert files == [str(file), str(second)]


def test_a_built_in_id_is_its_file_with_the_rest_of_it(pytester: pytest.Pytester, root: Path) -> None:
    folder = builtin_folder("tasks", "mock")
    nodeid = "tau/mock/add_a_task.json::test_task[trial1]"
    assert resolved(pytester, nodeid) == [f"{folder / 'add_a_task.json'}::test_task[trial1]"]
    assert [Path(arg).name for arg in resolved(pytester, "tau/mock")] == MOCK
    assert resolved(pytester, "tau/mock/nosuch.json") == ["tau/mock/nosuch.json"]  # pytest says what is wrong with it
    write(root, "tau/mock/mine.json", shop_task())
    assert resolved(pytester, "tau/mock") == ["tau/mock"]  # a folder of the project


def test_a_copy_under_a_name_with_a_dot_is_not_collected(pytester: pytest.Pytester, root: Path) -> None:
    file, copy = root / "tasks" / "shop" / "sell.json", root / "tasks" / "shop" / "._sell.json"
    copy.write_text("no JSON", encoding="utf-8")
    run = a_run(pytester, "tasks")
    assert [is_asked(run, one) for one in (file, copy)] == [True, False]
    assert is_asked(a_run(pytester, str(copy)), copy)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (
            ["--tau-domain=nosuch"],
            "there is no suite of tasks 'nosuch': built in are *mock*; your own lives in tasks/*",
        ),
        (
            ["--tau-domain=shop", "--tau-tasks=sell_two"],
            "--tau-tasks: no task of this run has the id 'sell_two'; *sell_one",
        ),
        (
            ["--tau-domain=shop", "--tau-split=test"],
            "*shop: there is no split 'test', because there is no split_tasks.json *",
        ),
        (
            ["--tau-domain=domains/shop/"],
            "--tau-domain: 'domains/shop/' is a path; give the name, 'shop', and start pytest above 'tasks/'",
        ),
        (["tau2/mock/tasks.json"], "tau2/mock/tasks.json: give the folder of the public data with --tau-data"),
        (["--tau-domain=shop", "--tau-data=tasks"], "*: no public data for 'shop' there; give the folder that holds *"),
    ],
)
def test_what_is_not_there_is_refused(pytester: pytest.Pytester, root: Path, args: list[str], sentence: str) -> None:
    with pytest.raises(pytest.UsageError) as refused:
        resolved(pytester, *args)
    pytest.LineMatcher([str(refused.value)]).fnmatch_lines([sentence])


def test_ids_are_not_looked_for_where_a_hook_may_make_them_up(pytester: pytest.Pytester, root: Path) -> None:
    pytester.makeconftest("def pytest_tau_modify_tasks(tasks): pass")
    assert resolved(pytester, "--tau-domain=shop", "--tau-tasks=made_up") == [str(root / "tasks/shop/sell_one.json")]


def test_json_is_collected_only_where_it_is_asked_for(pytester: pytest.Pytester, root: Path) -> None:
    own, other = root / "tasks/shop/sell_one.json", write(root, "data/other.json", shop_task("other"))
    assert [is_asked(a_run(pytester, "tasks"), path) for path in (own, other)] == [True, False]
    assert [is_asked(a_run(pytester, "tasks/shop"), path) for path in (own, other)] == [True, False]
    assert [is_asked(a_run(pytester, "data/other.json"), path) for path in (own, other)] == [False, True]
    # Of the folder "tasks" all is asked for, of any other only what is named.
    for folder in ("data", "."):
        assert [is_asked(a_run(pytester, folder), path) for path in (own, other)] == [False, False]
    assert not is_asked(a_run(pytester), own)
    pytester.makeini("[pytest]\ntau_task_dirs = data")
    assert [is_asked(a_run(pytester), path) for path in (own, other)] == [False, True]
    run = a_run(pytester, "data/other.json")
    run.recorded = other  # it holds conversations
    assert not is_asked(run, other)


@pytest.mark.parametrize("folder", ["evals", "evals/../evals", "links/evals", "../shared"])
def test_a_folder_of_tasks_may_be_named_with_dots_or_be_a_link(
    pytester: pytest.Pytester, root: Path, folder: str
) -> None:
    file = (
        write(root.with_name("shared"), "one.json", {}) if folder == "../shared" else write(root, "evals/one.json", {})
    )
    (root / "links").mkdir()
    (root / "links/evals").symlink_to(root / "evals")
    pytester.makeini(f"[pytest]\ntau_task_dirs = {folder}")
    assert is_asked(a_run(pytester), file)
    assert is_asked(a_run(pytester), root / folder / "one.json")


def test_a_suite_may_be_a_link(pytester: pytest.Pytester, root: Path) -> None:
    write(root, "elsewhere/one.json", {})
    (root / "tasks/linked").symlink_to(root / "elsewhere")
    for arg in ("tasks", "tasks/linked"):
        assert is_asked(a_run(pytester, arg), root / "tasks/linked/one.json")


def test_a_folder_of_tasks_that_gives_none_is_told(pytester: pytest.Pytester, root: Path) -> None:
    write(root, "evals/one.json", {})
    write(root.with_name("shared"), "one.json", {})
    (root / "empty").mkdir()
    (root / "linked").symlink_to(root.with_name("shared"))
    pytester.makeini("[pytest]\ntau_task_dirs =\n  evals\n  ../shared\n  linked\n  empty")
    assert unread_folders(a_run(pytester)) == [
        "tau_task_dirs: pytest does not look into ../shared; name it in testpaths or on the command line",
        "tau_task_dirs: there are no task files (*.json) in empty",
    ]
    assert unread_folders(a_run(pytester, "tasks")) == unread_folders(a_run(pytester, "--tau-domain=shop")) == []


def test_where_a_suite_lies(pytester: pytest.Pytester, root: Path) -> None:
    run = a_run(pytester)
    assert suite_of(run, "shop") == [root / "tasks/shop/sell_one.json"]
    (root / "tasks/shop").rename(root / "elsewhere")
    one = write(root, "tasks/shop.json", [shop_task()])
    assert suite_of(a_run(pytester), "shop") == [one]
    one.unlink()
    with pytest.raises(TaskError, match=r"the domain 'shop' has no tasks: put task files \(\*\.json\) into .*shop$"):
        suite_of(a_run(pytester), "shop")
    with pytest.raises(TauError):
        suite_of(run, "../shop")  # names, never paths
    pytester.makeconftest("""
        def pytest_tau_register_domains(registry):
            registry.add("store", "domains/shop", tasks="elsewhere")
    """)
    run = a_run(pytester)
    assert suite_of(run, "store") == [root / "elsewhere/sell_one.json"]
    assert find_domain(run, "store", public=False).folder == root / "domains/shop"


def test_a_suite_below_the_root_directory_is_said_to_lie_elsewhere(pytester: pytest.Pytester, root: Path) -> None:
    """pytest has taken a folder further up for its root, as in a monorepo."""
    run = Run(pytester.parseconfig(f"--rootdir={root.parent}"))
    with pytest.raises(TaskError) as raised:
        suite_of(run, "shop")
    assert str(raised.value) == (
        f"the suite 'shop' lies in {root / 'tasks'}, and pytest's root directory is {root.parent}: add --rootdir={root}"
    )


def test_a_domain_of_the_project_comes_before_a_built_in_one(pytester: pytest.Pytester, root: Path) -> None:
    (root / "domains/shop").rename(root / "domains/mock")
    assert find_domain(a_run(pytester), "mock", public=False).folder == root / "domains/mock"
    assert find_domain(a_run(pytester), "retail", public=False).folder == builtin_folder("domains", "retail")
    with pytest.raises(DomainError):
        find_domain(a_run(pytester), "nosuch", public=False)
