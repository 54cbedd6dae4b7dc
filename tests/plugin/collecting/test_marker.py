"""``@pytest.mark.tau`` for tests written in Python."""

import json
from collections.abc import Set

import pytest

from pytest_tau.environment.folders import builtin_folder
from pytest_tau.manifest import load_manifest
from pytest_tau.schema.record import TrialRecord
from tests.conftest import Shared
from tests.plugin.inner import Found, journal, make_shop, rows, shop_task, workers, write
from tests.plugin.parts import collect

TESTS = """
    import pytest

    @pytest.mark.tau(domain="mock", tasks="add_a_task")
    def test_id(tau_task):
        pass

    @pytest.mark.tau(domain="mock", tasks=["count_*", "add_a_task"])
    def test_globs(tau_task):
        pass

    @pytest.mark.tau(domain="mock", tasks=1, k=3)
    def test_number(tau_reward):
        assert tau_reward.passed

    @pytest.mark.tau(domain="mock")
    def test_all(tau_reward):
        assert tau_reward

    @pytest.mark.tau(domain="shop")
    def test_own(tau_reward):
        assert tau_reward.passed

    @pytest.mark.tau(domain="retail_long", tasks=["the_train_is_leaving"])
    def test_long(tau_reward):
        assert tau_reward.passed

    @pytest.mark.tau(domain="mine")
    def test_mine(tau_reward):
        assert tau_reward.passed

    @pytest.mark.parametrize("tone", ["calm", "cross"])
    @pytest.mark.tau(domain="mock", tasks="add_a_task")
    def test_tone(tau_reward, tone):
        assert tau_reward.passed
"""
MODULE = """
    import pytest

    pytestmark = pytest.mark.tau(domain="mock", tasks="add_a_task")

    def test_module(tau_reward):
        assert tau_reward.passed

    @pytest.mark.tau(domain="mock", tasks="count_my_tasks")
    class TestOther:
        def test_class(self, tau_task):
            assert tau_task.id == "count_my_tasks"

    def test_unrelated():
        pass
"""


class Ran(Found):
    """What the run of a project with marked tests found, and what it said."""

    result: pytest.RunResult
    tables: dict[str, dict[str, str]]
    records: list[TrialRecord]
    depends_on: Set[str]

    def ids(self, test: str) -> list[str]:
        """What stands in the brackets of a test's node IDs."""
        return [nodeid.partition("[")[2].removesuffix("]") for nodeid in self.nodeids if f"::{test}[" in nodeid]


@pytest.fixture(scope="module")
def ran(shared_run: Shared) -> Ran:
    """Two trials each of a built-in suite and of what marked tests name."""
    found = Ran()
    with shared_run() as pytester:
        make_shop(pytester.path)
        mock = json.loads((builtin_folder("tasks", "mock") / "add_a_task.json").read_text(encoding="utf-8"))
        write(pytester.path, "tasks/mine/both.json", [shop_task(domain="shop"), mock | {"domain": "mock"}])
        write(pytester.path, "test_marked.py", TESTS)
        write(pytester.path, "test_module.py", MODULE)
        args = ("--tau-domain=mock", "--tau-k=2", "--strict-markers", ".")
        found.result = pytester.runpytest(*args, plugins=[found])
        found.tables, found.records = rows(found.result), journal(pytester.path)
        found.depends_on = load_manifest((pytester.path / ".tau/latest").resolve()).content.keys()
    return found


def test_ids_globs_numbers_and_k(ran: Ran) -> None:
    add, count = (["add_a_task-trial1", "add_a_task-trial2"], ["count_my_tasks-trial1", "count_my_tasks-trial2"])
    assert ran.ids("test_id") == add
    assert ran.ids("test_globs") == add + count
    assert ran.ids("test_number") == [*add, "add_a_task-trial3"]


def test_all_tasks_and_the_k_of_the_command_line_by_default(ran: Ran) -> None:
    assert len(ran.ids("test_all")) == 12
    assert ran.tables["mock, test_all"]["trials"] == "12"


def test_a_module_can_be_marked_and_a_class(ran: Ran) -> None:
    assert [name.partition("-")[0] for name in ran.ids("test_module")] == ["add_a_task"] * 2
    assert [name.partition("-")[0] for name in ran.ids("test_class")] == ["count_my_tasks"] * 2
    assert "test_module.py::test_unrelated" in ran.nodeids
    # Theirs and the suite's; all of them passed, that of the project's own domain, too.
    assert ran.result.parseoutcomes() == {"passed": 12 + 2 + 4 + 3 + 12 + 2 + 4 + 2 + 2 + 1 + 2 + 4}
    assert ran.tables["mock, test_module"]["trials"] == "2"
    assert "mock, test_class" not in ran.tables  # a test that plays no trial has none in the table


def test_a_suite_with_another_name_than_its_domain(ran: Ran) -> None:
    assert ran.tables["retail, test_long"]["trials"] == "2"
    found = [(record.domain, record.suite) for record in ran.records if "::test_long[" in record.nodeid]
    assert found == [("retail", "retail_long")] * 2
    assert {"tasks of retail_long", "policy.md of retail"} <= ran.depends_on


def test_such_a_suite_in_workers(pytester: pytest.Pytester) -> None:
    mark = "@pytest.mark.tau(domain='retail_long', tasks=['the_train_is_leaving'])"
    write(pytester.path, "test_marked.py", f"import pytest\n\n{mark}\ndef test_it(tau_reward):\n    pass\n")
    result = workers(pytester, "--tau-k=1")
    result.assert_outcomes(passed=1)
    assert rows(result)["retail, test_it"]["trials"] == "1"
    [record] = journal(pytester.path)
    assert (record.domain, record.suite) == ("retail", "retail_long")
    content = load_manifest((pytester.path / ".tau/latest").resolve()).content
    assert {"tasks of retail_long", "policy.md of retail"} <= content.keys()


def test_tests_of_one_name_in_two_modules_have_rows_of_their_own(pytester: pytest.Pytester) -> None:
    text = """
        import pytest

        @pytest.mark.tau(domain="mock", tasks=2)
        def test_same(tau_simulation):
            pass

        @pytest.mark.tau(domain="mock", tasks=["{task}"])
        def test_other(tau_simulation):
            pass
    """
    for folder, task in (("a", "add_a_task"), ("b", "count_my_tasks")):
        write(pytester.path, f"{folder}/test_{folder}.py", text.replace("{task}", task))
    result = pytester.runpytest("--tau-baseline=base.json", "--tau-bless", "--tau-agent=noop")
    tables = rows(result)
    assert {row: cells["trials"] for row, cells in tables.items()} == {
        "mock, a/test_a.py::test_same": "2",
        "mock, b/test_b.py::test_same": "2",
        "mock, test_other": "2",  # of which no task is played twice
        "all": "6",
    }
    assert not any("pass^2" in cells for cells in tables.values())
    gate = "--tau-gate=mock, a/test_a.py::test_same: pass^1 >= 0"
    again = pytester.runpytest("--tau-baseline=base.json", "--tau-agent=noop", gate, "--tau-gate=no regression")
    again.stdout.fnmatch_lines(["*a/test_a.py::test_same: pass^1 >= 0: HELD*", "*no regression: *"])
    again.stdout.no_fnmatch_line("*not known*")


def test_of_two_domains_a_suite_may_have_tasks_of_one_id(pytester: pytest.Pytester) -> None:
    mock = json.loads((builtin_folder("tasks", "mock") / "add_a_task.json").read_text(encoding="utf-8"))
    make_shop(pytester.path)
    write(pytester.path, "tasks/mix/a.json", mock | {"id": "same", "domain": "mock"})
    write(pytester.path, "tasks/mix/b.json", shop_task(id="same", domain="shop"))
    mark = "@pytest.mark.tau(domain='mix')"
    write(pytester.path, "test_marked.py", f"import pytest\n\n{mark}\ndef test_it(tau_reward):\n    pass\n")
    found = Found()
    result = pytester.runpytest("--tau-k=2", "test_marked.py", plugins=[found])
    assert [nodeid.partition("[")[2] for nodeid in found.nodeids] == [
        f"{domain}/same-trial{trial}]" for domain in ("mock", "shop") for trial in (1, 2)
    ]
    tables = rows(result)
    assert [tables[f"{domain}, test_it"]["trials"] for domain in ("mock", "shop")] == ["2", "2"]


def test_a_suite_of_the_project_with_tasks_of_several_domains(ran: Ran) -> None:
    assert {"mock, test_mine", "shop, test_mine"} <= ran.tables.keys()


def test_marked_tests_and_suites_are_rows_of_one_table(ran: Ran) -> None:
    trials = {name: row["trials"] for name, row in ran.tables.items()}
    assert trials == {
        "mock": "12",
        "mock, test_number": "3",
        "mock, test_all": "12",
        "shop, test_own": "2",
        "retail, test_long": "2",
        "shop, test_mine": "2",
        "mock, test_mine": "2",
        "mock, test_tone, calm": "2",
        "mock, test_tone, cross": "2",
        "mock, test_module": "2",
        "all": "41",
    }


def test_other_parameters_come_before_the_trial_and_have_rows_of_their_own(ran: Ran) -> None:
    assert set(ran.ids("test_tone")) == {
        f"{tone}-add_a_task-trial{trial}" for tone in ("calm", "cross") for trial in (1, 2)
    }
    own = [name for name in ran.tables if "test_tone" in name]
    assert own == ["mock, test_tone, calm", "mock, test_tone, cross"]


def test_tags_are_markers_here_too(ran: Ran) -> None:
    marked = [nodeid for nodeid, markers in ran.markers.items() if "::test_all[" in nodeid and "refusal" in markers]
    assert [nodeid.partition("[")[2].partition("-")[0] for nodeid in marked] == ["delete_a_task"] * 2 + [
        "task_for_a_stranger"
    ] * 2


WRONG = {
    "": "test_it uses tau fixtures: say of which tasks, as in @pytest.mark.tau(domain='retail')",
    "@pytest.mark.tau(domain='mock')\n@pytest.mark.tau(domain='x')": "test_it has more than one @*mark.tau: *",
    "@pytest.mark.tau": "test_it: @pytest.mark.tau takes domain, and maybe tasks and k, by name, as in *",
    "@pytest.mark.tau('mock')": "test_it: @pytest.mark.tau takes domain, and maybe tasks and k, by name, as in *",
    "@pytest.mark.tau(domain='mock', task='x')": "test_it: @pytest.mark.tau takes domain, and maybe tasks and k, *",
    "@pytest.mark.tau(domain='mock', k=0)": "test_it: @*mark.tau: k must be a whole number from 1 to 10000, not 0",
    "@pytest.mark.tau(domain='mock', k=10**9)": "test_it: @*tau: k must be a whole number from 1 to 10000, not 10*",
    "@pytest.mark.tau(domain='mock', tasks=0)": "test_it: @*mark.tau: tasks must be ids, globs or a number, not 0",
    "@pytest.mark.tau(domain='mock', tasks=[])": "test_it: @pytest.mark.tau: tasks must be ids, globs or a number, *",
    "@pytest.mark.tau(domain='mock', tasks='zzz*')": "test_it: @pytest.mark.tau: no task of 'mock' matches 'zzz[*]'",
    "@pytest.mark.tau(domain='nosuch')": "test_it: there is no domain 'nosuch': built in are *mock*",
    "@pytest.mark.tau(domain='empty')": "test_it: *tasks?empty: no task files (?.json) in it; put some there, or *",
    "@pytest.mark.tau(domain='x' * 300)": "test_it: 'xxx*' is not a domain name: *",
}


def test_what_is_wrong_with_a_marker_is_said(pytester: pytest.Pytester) -> None:
    for number, marker in enumerate(WRONG):
        write(pytester.path, f"test_{number:02}.py", f"import pytest\n\n{marker}\ndef test_it(tau_reward):\n    pass\n")
    (pytester.path / "tasks/empty").mkdir(parents=True)
    found = collect(pytester)
    found.assert_outcomes(errors=len(WRONG))
    assert not [line for line in found.told if line.startswith(("Traceback", "E ", ">", "During handling"))]
    pytest.LineMatcher(found.told).fnmatch_lines(list(WRONG.values()))


def test_a_class_or_module_with_several_markers_is_refused_and_a_nearer_one_counts(pytester: pytest.Pytester) -> None:
    """pytest names the marker of a class it inherits from as the closest, so that its own would be passed over."""
    pytester.makepyfile("""
        import pytest

        pytestmark = pytest.mark.tau(domain="mock", tasks="add_a_task")

        @pytest.mark.tau(domain="mock", tasks="count_my_tasks")
        class TestOne:
            def test_it(self, tau_task):
                pass

        @pytest.mark.tau(domain="mock", tasks="complete_a_task")
        class TestHeir(TestOne):
            pass

        @pytest.mark.tau(domain="mock")
        @pytest.mark.tau(domain="retail")
        class TestTwo:
            def test_it(self, tau_task):
                pass
    """)
    found = collect(pytester)
    found.assert_outcomes(errors=2)
    for name in ("TestHeir", "TestTwo"):
        pytest.LineMatcher(found.told).fnmatch_lines([f"{name} has more than one @*mark.tau: *"])


def test_an_async_test_that_nothing_runs_is_an_error_and_no_miss(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.tau(domain="mock", tasks="add_a_task")
        async def test_it(tau_reward):
            assert tau_reward.passed
    """)
    result = pytester.runpytest("--tau-agent=noop", "--tau-gate=pass^1 >= 0", "-p", "no:anyio")
    result.assert_outcomes(failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["*async def functions are not natively supported*", "gate *: FAILED: no gate holds: 0 of 1 *"]
    )


@pytest.mark.parametrize("option", ["--tau-tasks=nope", "--tau-split=nope", "--tau-data=/nope"])
def test_options_that_choose_other_tasks_are_refused(pytester: pytest.Pytester, option: str) -> None:
    pytester.makepyfile(MODULE)
    result = pytester.runpytest(option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = option.partition("=")[0]
    result.stderr.fnmatch_lines([f"ERROR: {name}: all tests of this run take their tasks from @pytest.mark.tau, *"])


def test_options_that_choose_tasks_of_files_leave_those_of_markers_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(MODULE)
    result = pytester.runpytest(*pytester.path.glob("*.py"), "tau/mock", "--tau-tasks=1")
    result.assert_outcomes(passed=4)


def test_two_files_of_a_suite_with_the_same_id_are_named(pytester: pytest.Pytester) -> None:
    first = write(pytester.path, "tasks/shop/a.json", shop_task("one"))
    make_shop(pytester.path)
    second = write(pytester.path, "tasks/shop/b.json", shop_task("one"))
    mark = "@pytest.mark.tau(domain='shop')"
    write(pytester.path, "test_marked.py", f"import pytest\n\n{mark}\ndef test_it(tau_task):\n    pass\n")
    result = pytester.runpytest()
    result.stdout.fnmatch_lines([f"test_it: {second}: the id 'one' is taken by {first}; ids differ in a domain"])


@pytest.mark.parametrize(("k", "fits"), [(3, False), (2, False), (6, True)])
def test_the_trials_of_a_marker_are_divided_among_the_customers(pytester: pytest.Pytester, k: int, fits: bool) -> None:
    mark = f"@pytest.mark.tau(domain='mock', tasks=1, k={k})"
    write(pytester.path, "test_marked.py", f"import pytest\n\n{mark}\ndef test_it(tau_task):\n    pass\n")
    result = pytester.runpytest("--tau-k=4", "--tau-user-seeds=2")
    result.assert_outcomes(**({"passed": k} if fits else {"errors": 1}))
    told = f"@pytest.mark.tau: k={k} cannot be divided among --tau-user-seeds 2: "
    assert (told in result.stdout.str()) != fits
    assert ("write k=4 or k=6, or leave k out" in result.stdout.str()) != fits


def test_tests_of_one_name_in_a_folder_with_brackets_have_rows_of_their_own(pytester: pytest.Pytester) -> None:
    mark = '@pytest.mark.tau(domain="mock", tasks=["count_my_tasks"])'
    for name in "ab":
        write(pytester.path, f"[id]/test_{name}.py", f"import pytest\n\n{mark}\ndef test_it(tau_reward):\n    pass\n")
    found = rows(pytester.runpytest("--tau-agent=oracle"))
    assert [row for row in found if row != "all"] == [f"mock, [id]/test_{name}.py::test_it" for name in "ab"]
