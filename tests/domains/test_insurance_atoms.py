"""What the insurer's customers can want: composed, proven, and frozen in the suite."""

from functools import cache

from pytest_tau import Task, load_domain
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.schema.checks import ReadBefore
from tau_workshop.compose import Atom, Family
from tau_workshop.compose.suite import compose_tasks
from tests.builders import whole, workshop_part

FOLDER = builtin_folder("domains", "insurance")
AGAIN = "run pytest-tau generate insurance --n 80 --seed 5 --suite tasks/insurance"


def family() -> Family:
    found = workshop_part(FOLDER, "atoms").family
    assert isinstance(found, Family)
    return found


@cache
def wishes() -> list[Atom]:
    return [atom for customer in family().customers(load_domain(FOLDER)) for atom in customer.atoms()]


def frozen() -> list[Task]:
    return [task for task in whole("insurance") if "composed" in task.tags]


def test_what_is_composed_has_been_proven() -> None:
    rejected: list[str] = []
    tasks = compose_tasks(family(), load_domain(FOLDER), 3, 1, rejected=lambda error: rejected.append(str(error)))
    assert len(tasks) == 3
    assert rejected == []


def test_every_change_of_the_suite_is_still_a_wish_of_somebody() -> None:
    """Amounts, days, codes and documents of all kinds, worked out again from the rules and the books of today."""
    steps = {str(step): atom for atom in wishes() for step in atom.steps}
    writing = {spec.name for spec in load_domain(FOLDER).environment().tool_specs() if spec.writes}
    for task in frozen():
        for action in [action for action in task.gold_actions if action.name in writing]:
            assert str(action) in steps, f"{task.id}: {action}; {AGAIN}"
            assert set(steps[str(action)].documents) <= set(task.required_documents or []), task.id


def test_sizes() -> None:
    suite = frozen()
    assert len(suite) >= 60
    intents = {tag for task in suite for tag in task.tags} & {atom.intent for atom in wishes()}
    assert len(intents) >= 25
    assert sum(any(tag.startswith("claim_") for tag in task.tags) for task in suite) >= 25
    assert len({task.user_scenario.persona for task in suite}) >= 10


def test_every_wish_rests_on_documents_and_demands_that_they_are_read() -> None:
    documents = load_domain(FOLDER).documents
    assert documents is not None
    for atom in wishes():
        assert atom.documents, atom.intent
        assert set(atom.documents) <= set(documents.by_id)
        assert any(isinstance(c, ReadBefore) and set(c.documents or []) == set(atom.documents) for c in atom.checks)


def test_wishes_have_several_wordings_and_begin_with_a_capital() -> None:
    for atom in wishes():
        assert len(set(atom.says)) == len(atom.says) >= 4
        assert all(text[0].isupper() for text in atom.says), atom.says


def test_wishes_that_share_a_tool_or_a_contract_are_never_in_one_task() -> None:
    """What one changes may be what the other goes by, and what it rests on may rightly be read after the other."""
    writing = {spec.name for spec in load_domain(FOLDER).environment().tool_specs() if spec.writes}
    for atom in wishes():
        names = {step.name for step in atom.steps} & writing
        assert names <= atom.touches
        assert any(touched.startswith("K-") for touched in atom.touches)
