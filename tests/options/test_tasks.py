"""``--tau-tasks``."""

import pytest

from tests.options.usage import assert_refused, refused
from tests.plugin.inner import make_shop, mock_run, shop_task, task, write
from tests.plugin.parts import mock_play, nodeids


def ids(nodeids: list[str]) -> list[str]:
    return [nodeid.partition(".json")[0].rpartition("/")[2] for nodeid in nodeids]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("*_a_task, task_for_*", ["add_a_task", "complete_a_task", "delete_a_task", "task_for_a_stranger"]),
        ("2", ["add_a_task", "complete_a_task"]),
    ],
)
def test_ids_globs_and_numbers(pytester: pytest.Pytester, value: str, expected: list[str]) -> None:
    assert ids(nodeids(pytester, "--tau-domain=mock", f"--tau-tasks={value}")) == expected


def test_a_number_counts_in_each_domain_over_all_its_files(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    write(pytester.path, "tasks/shop/a/one.json", [shop_task("a1"), shop_task("a2")])
    write(pytester.path, "tasks/shop/b/two.json", [shop_task("b1"), shop_task("b2")])
    assert nodeids(pytester, "--tau-domain=shop,mock", "--tau-tasks=3") == [
        "tasks/shop/a/one.json::test_task[a1-trial1]",
        "tasks/shop/a/one.json::test_task[a2-trial1]",
        "tasks/shop/b/two.json::test_task[b1-trial1]",
        "tau/mock/add_a_task.json::test_task[trial1]",
        "tau/mock/complete_a_task.json::test_task[trial1]",
        "tau/mock/count_my_tasks.json::test_task[trial1]",
    ]


def test_the_explicit_path_is_filtered_too(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/two.json", [task("a"), task("b")])
    assert len(nodeids(pytester, "tasks/mock/two.json", "--tau-tasks=b")) == 1


@pytest.mark.parametrize("value", ["complete_the_task", "zzz_*"])
def test_what_no_task_is_called_is_a_usage_error(pytester: pytest.Pytester, value: str) -> None:
    refused(pytester, "--tau-domain=mock", f"--tau-tasks=add_a_task,{value}").fnmatch_lines(
        [f"ERROR: --tau-tasks: no task of this run has the id '{value}'; there is *a_task*"]
    )


def test_the_ids_there_are_do_nothing_to_the_terminal(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/red.json", task("\x1b[31mred"))
    refused(pytester, "--tau-domain=mock", "--tau-tasks=zzz").fnmatch_lines(["*there is \\x1b[[]31mred"])


def test_what_no_task_is_called_is_a_usage_error_for_workers_as_well(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-tasks=zzz", "-n2")  # none is started
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_a_hook_may_have_tasks_that_the_files_do_not(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        def pytest_tau_modify_tasks(tasks):
            tasks[:] = [task.model_copy(update={"id": task.id + "_twin"}) for task in tasks]
    """)
    assert len(nodeids(pytester, "--tau-domain=mock", "--tau-tasks=add_a_task_twin")) == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tasks.append(tasks[0])", "*pytest_tau_modify_tasks left two tasks 'add_a_task' in 'mock': give each an id *"),
        ("tasks[0] = None", "*pytest_tau_modify_tasks left a NoneType among the tasks of 'mock'"),
        (
            "return tasks[:1]",
            "*pytest_tau_modify_tasks returned something, which counts for nothing: write tasks[[]:] *",
        ),
    ],
)
def test_what_a_hook_leaves_is_looked_at(pytester: pytest.Pytester, line: str, said: str) -> None:
    pytester.makeconftest(f"def pytest_tau_modify_tasks(tasks):\n    {line}")
    result = mock_play(pytester, "--tau-k=1")
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines([said])
    assert not list(pytester.path.glob(".tau/2*"))


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("tasks", ",", "must name at least one")


def test_a_number_can_be_an_id(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/all.json", [task("7"), task("5"), task("id:x")])
    assert [nodeid.partition("[")[2] for nodeid in nodeids(pytester, "tasks", "--tau-tasks=id:5")] == ["5-trial1]"]
    assert len(nodeids(pytester, "tasks", "--tau-tasks=2")) == 2
    assert len(nodeids(pytester, "tasks", "--tau-tasks=id:x")) == 1
