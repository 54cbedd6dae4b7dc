"""What the insurer's customers can want: composed, proven, and frozen in the suite."""

from functools import cache

from pytest_tau import Task, load_domain, load_tasks
from pytest_tau.environment.domain import load_part
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.generation.compose import Atom, Family
from pytest_tau.generation.compose.suite import compose_tasks
from pytest_tau.schema.task import ReadBefore

FOLDER = builtin_folder("domains", "insurance")
SEED = 5


def family() -> Family:
    found = load_part(FOLDER, "atoms").family
    assert isinstance(found, Family)
    return found


@cache
def wishes() -> list[Atom]:
    return [atom for customer in family().customers(load_domain(FOLDER)) for atom in customer.atoms()]


def frozen() -> list[Task]:
    return [task for task in load_tasks(builtin_folder("tasks", "insurance")) if "composed" in task.tags]


def test_the_suite_begins_as_the_generator_composes_it() -> None:
    """The first of them: all take ten seconds. A change of the books, the rules or the words shows in any."""
    rejected: list[str] = []
    domain = load_domain(FOLDER)
    again = compose_tasks(family(), domain, 4, SEED, rejected=lambda error: rejected.append(str(error)))
    assert [task.model_dump(exclude_unset=True) for task in again] == [
        task.model_dump(exclude_unset=True) for task in frozen()[:4]
    ], "run pytest-tau generate insurance --n 72 --seed 5 -o tasks/insurance/composed.json"
    assert rejected == []


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
