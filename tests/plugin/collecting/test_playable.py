"""Which tasks a run can play; that options refuse the others in whole runs is tested with the options."""

from pathlib import Path

import pytest

from pytest_tau.errors import TaskError
from pytest_tau.plugin.collecting.domains import find_domain
from pytest_tau.plugin.collecting.playable import by_domain, check_domains, playable, refuse_taken, refuse_unfit_task
from pytest_tau.plugin.run import Run
from tests.builders import action, mock, task


def a_run(pytester: pytest.Pytester, *args: str) -> Run:
    return Run(pytester.parseconfig(*args))


def test_a_task_is_of_the_domain_that_it_names_or_of_its_folders() -> None:
    plain, named = (task().model_copy(update={"domain": name}) for name in (None, "mock"))
    file = Path("tasks/shop/all.json")
    assert by_domain([plain, named], file, public=False) == {"shop": [plain], "mock": [named]}
    assert by_domain([plain, named], file, public=True) == {"shop": [plain, named]}


def test_an_id_stands_in_one_file_of_a_domain() -> None:
    first, other = Path("tasks/shop/a.json"), Path("tasks/shop/b.json")
    refuse_taken(first, task(), first)
    with pytest.raises(TaskError, match=r"b\.json: the id '\w+' is taken by .*a\.json; ids differ in a domain"):
        refuse_taken(first, task(), other)


def test_a_task_that_calls_what_its_domain_has_not_got_is_named_with_its_file() -> None:
    refuse_unfit_task(task(), mock(), "a.json")
    with pytest.raises(TaskError, match=r"^a\.json: task '\w+': .*fly_away"):
        refuse_unfit_task(task(criteria={"actions": [action("fly_away")]}), mock(), "a.json")


@pytest.mark.parametrize(("mode", "left"), [("default", [0, 1, 2]), ("solo", [1]), ("oracle-plan", [2])])
def test_a_mode_leaves_the_tasks_that_have_what_it_needs(pytester: pytest.Pytester, mode: str, left: list[int]) -> None:
    run = a_run(pytester, f"--tau-mode={mode}")
    kinds = [task(), task(ticket="Buy stamps."), task(criteria={"actions": [action("get_users")]})]
    tasks = [one.model_copy(update={"id": f"t{place}"}) for place, one in enumerate(kinds)]
    domain = find_domain(run, "mock", public=False)
    found = playable(run, domain, [*tasks], run.config.hook)
    assert found == [tasks[place] for place in left]


def test_a_mode_that_a_domain_has_not_got_is_a_usage_error_before_anything_is_collected(
    pytester: pytest.Pytester,
) -> None:
    check_domains(a_run(pytester, "--tau-domain=mock", "--tau-mode=solo"))
    with pytest.raises(pytest.UsageError, match="the domain 'retail' has no solo mode; leave --tau-mode out"):
        check_domains(a_run(pytester, "--tau-domain=retail", "--tau-mode=solo"))
