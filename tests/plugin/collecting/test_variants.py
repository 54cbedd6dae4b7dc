"""The variants in which tasks are played, and the labels they give; whole runs are in tests/options/test_perturb.py."""

import pytest

from pytest_tau import load_domain
from pytest_tau.plugin.collecting.variants import (
    check_fitting,
    check_tickets,
    check_variants,
    check_written,
    fits,
    played_variants,
    split_id,
    task_in_variant,
)
from pytest_tau.plugin.run import Run
from tests.builders import core, mock

BOTH = ("--tau-perturb=typos:0.8,tool_names", "--tau-faults=timeout:0.6")


def a_run(pytester: pytest.Pytester, *args: str) -> Run:
    return Run(pytester.parseconfig(*args))


def test_each_perturbation_each_fault_and_both_together(pytester: pytest.Pytester) -> None:
    found = played_variants(a_run(pytester, *BOTH, "--tau-seed=7"))
    labels = ["typos:0.8", "tool_names", "timeout:0.6", "typos:0.8+timeout:0.6", "tool_names+timeout:0.6"]
    assert [variant.label for variant in found] == labels
    assert {variant.record.seed for variant in found} == {7}
    assert [variant.tool_faults(1) is not None for variant in found] == [False, False, True, True, True]
    assert (found[3].record.told, found[3].record.strength, found[3].record.rate) == ("typos:0.8", 0.8, 0.6)
    assert played_variants(a_run(pytester)) == []


def test_a_node_id_is_parted_into_agent_way_and_task(pytester: pytest.Pytester) -> None:
    run = a_run(pytester, *BOTH, "--tau-agent=one=oracle", "--tau-agent=two=noop")
    for ids, agent, label, rest in (
        ("one-typos:0.8+timeout:0.6-add_a_task", "one", "typos:0.8+timeout:0.6", "add_a_task"),
        ("two-add_a_task", "two", None, "add_a_task"),
        ("tool_names-x", "", "tool_names", "x"),
        ("three-typos", "", None, "three-typos"),
    ):
        found = split_id(run, ids)
        assert (found[0], found[1] and found[1].label, found[2]) == (agent, label, rest)
    assert split_id(a_run(pytester, "--tau-perturb=nonsense"), "a-b") == ("", None, "a-b")


def test_a_way_that_changes_nothing_does_not_fit(pytester: pytest.Pytester) -> None:
    run, task = a_run(pytester, "--tau-perturb=typos:0.8,identity"), core("mock")[0]
    typos, *identity = played_variants(run)
    assert fits(run, typos, task, mock())
    assert task_in_variant(run, typos, task, mock(), 1).task != task
    assert identity
    for variant in identity:
        assert not fits(run, variant, task, mock())  # nobody has a name in mock's database
        assert task_in_variant(run, variant, task, mock(), 1).task == task


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--tau-perturb=typo",), "there is no perturbation 'typo'"),
        (("--tau-perturb=typos", "--tau-rescore=run.json"), "--tau-rescore plays nothing"),
        (("--tau-faults=timeout:0.2", "--tau-stop"), "--tau-stop cannot be combined with variants of tasks"),
    ],
)
def test_what_cannot_be_is_refused(pytester: pytest.Pytester, args: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(pytest.UsageError, match=sentence):
        check_variants(a_run(pytester, *args))


def test_a_language_without_a_model_needs_tasks_that_are_written_in_it(pytester: pytest.Pytester) -> None:
    written, plain = core("retail")[0], core("mock")[0]
    run = a_run(pytester, "--tau-perturb=language:de,language:it")
    german, italian = played_variants(run)
    assert [fits(run, german, one, mock()) for one in (written, plain)] == [True, False]
    assert not fits(run, italian, written, mock())
    assert task_in_variant(run, german, written, mock(), 1).task.user_scenario.language == "de"
    with pytest.raises(pytest.UsageError, match="perturb language:it: the scripted customer only says what is written"):
        check_written(run, [written, plain])
    check_written(a_run(pytester, "--tau-perturb=language:de,typos"), [written, plain])
    check_written(a_run(pytester, "--tau-perturb=language:it", "--tau-user-llm=openai/user"), [plain])


def test_what_only_the_customer_says_is_no_way_of_a_ticket_without_one(pytester: pytest.Pytester) -> None:
    telecom, asked = load_domain("telecom"), "people,piecemeal,reordered,spoken,typos,tool_names,people:0"
    run, task = a_run(pytester, "--tau-mode=solo", f"--tau-perturb={asked}"), core("telecom")[0]
    fitting = [variant.label for variant in played_variants(run) if fits(run, variant, task, telecom)]
    assert fitting == ["typos", "tool_names", "people:0"]
    with pytest.raises(pytest.UsageError, match="perturb people: solo mode has no customer"):
        check_tickets(run, [(task, telecom)])
    for perturbed in ("typos,tool_names", "all"):
        check_tickets(a_run(pytester, "--tau-mode=solo", f"--tau-perturb={perturbed}"), [(task, telecom)])
    customers = a_run(pytester, f"--tau-perturb={asked}")
    assert all(fits(customers, variant, task, telecom) for variant in played_variants(customers))


def test_a_kind_that_fits_none_of_the_tasks_is_refused_where_it_is_named(pytester: pytest.Pytester) -> None:
    plain, written = (core("mock")[0], mock()), (core("retail")[0], load_domain("retail"))
    run = a_run(pytester, "--tau-perturb=typos,identity", "--tau-faults=timeout")
    with pytest.raises(pytest.UsageError, match="perturb identity: the tasks of this run have nothing that it changes"):
        check_fitting(run, [plain])
    check_fitting(run, [plain, written])
    check_fitting(a_run(pytester, "--tau-perturb=all"), [plain])


@pytest.mark.parametrize(
    "customer",
    [
        ("--tau-user=scripted:people",),
        ("--tau-user=attacker:turns=3", "--tau-user-llm=openai/user"),
        ("--tau-user-style=minimal", "--tau-user-llm=openai/user"),
    ],
)
def test_people_are_no_way_for_customers_who_would_not_write_like_them(
    pytester: pytest.Pytester, customer: tuple[str, ...]
) -> None:
    with pytest.raises(pytest.UsageError, match="perturb people: it would change nothing"):
        check_variants(a_run(pytester, "--tau-perturb=people:0.8", *customer))
    run = a_run(pytester, "--tau-perturb=all", *customer)
    check_variants(run)
    fitting = [one.label for one in played_variants(run) if fits(run, one, core("retail")[0], load_domain("retail"))]
    assert "people" not in fitting
    assert "typos" in fitting


def test_what_can_be_is_not_refused(pytester: pytest.Pytester) -> None:
    for args in ((), BOTH, ("--tau-perturb=language:de", "--tau-user-llm=openai/user")):
        check_variants(a_run(pytester, *args))
