"""The ``pytest_tau_*`` hooks that conftest.py files and other plugins implement.

Hooks marked *controller* run once per session, in the process that prints the report; put them into a plugin or the
root conftest.py. The others run where the tests run. Our tests run the example in each docstring.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from ..conversation.protocols import AgentFactory, UserFactory
    from ..environment.domain import Domain
    from ..metrics.totals import Totals
    from ..recordings.logged import LoggedConversation
    from ..schema.record import TrialRecord
    from ..schema.reward import CriterionResult
    from ..schema.simulation import Simulation
    from ..schema.task import Task
    from ..variants import Kinds
    from .collecting.domains import DomainRegistry


@pytest.hookspec(historic=True)
def pytest_tau_register_domains(registry: DomainRegistry) -> None:
    """Register domains by name that are not in the project's ``domains/``.

    .. code-block:: python

        def pytest_tau_register_domains(registry):
            registry.add("shop", "/srv/eval/domains/shop", tasks="/srv/eval/tasks/shop")
    """


@pytest.hookspec(historic=True)
def pytest_tau_perturbations(kinds: Kinds) -> None:
    """Add kinds of perturbation for ``--tau-perturb``.

    A kind's function gets a task, its domain, a dose (``dose.strength``, from 0 to 1) and a seed. It returns the
    changed task, or a view of the agent's world. The same seed must give the same result.

    .. code-block:: python

        from pytest_tau.variants import Kind
        from pytest_tau.variants.texts import retold

        def shouted(task, domain, dose, seed):
            return retold(task, lambda text, part: f"{text} PLEASE HURRY!", "You write in capital letters.")

        def pytest_tau_perturbations(kinds):
            kinds.add(Kind("shouted", "words", "in a hurry and loud", shouted))
    """


@pytest.hookspec
def pytest_tau_modify_tasks(config: pytest.Config, domain: str, tasks: list[Task]) -> None:
    """Change the tasks of a file in place before they become tests: drop, reorder or replace them.

    .. code-block:: python

        def pytest_tau_modify_tasks(config, domain, tasks):
            tasks[:] = [task for task in tasks if "slow" not in task.tags]
    """


@pytest.hookspec(firstresult=True)
def pytest_tau_make_agent(item: pytest.Item) -> AgentFactory | str | None:
    """Return the factory of the agent for a trial. The nearest conftest.py wins; None leaves it to the next one.

    You can also return a text, as for ``--tau-agent``: the address of an agent, ``module:factory``, or a name.

    .. code-block:: python

        class MyAgent:
            def __init__(self, context):
                self.policy = context.policy

            def reply(self, messages):
                return "I am sorry, I cannot help with that."


        def pytest_tau_make_agent(item):
            return MyAgent
    """


@pytest.hookspec(firstresult=True)
def pytest_tau_make_user(item: pytest.Item) -> UserFactory | None:
    """Return the factory of the simulated customer for a trial, like :func:`pytest_tau_make_agent` for the agent.

    .. code-block:: python

        class Impatient:
            def __init__(self, context):
                self.scenario = context.scenario

            def reply(self, messages):
                return "Never mind. ###STOP###"


        def pytest_tau_make_user(item):
            return Impatient
    """


@pytest.hookspec
def pytest_tau_grade(
    task: Task, simulation: Simulation, domain: Domain
) -> CriterionResult | Sequence[CriterionResult] | None:
    """Add your own criteria; their results are combined with the task's.

    .. code-block:: python

        from pytest_tau.schema.reward import CriterionResult


        def pytest_tau_grade(task, simulation, domain):
            short = simulation.steps <= 40
            return CriterionResult(criterion="SHORT", value=1.0 if short else 0.0)
    """


@pytest.hookspec(firstresult=True)
def pytest_tau_classify_error(exception: BaseException) -> bool | Literal["miss"] | None:
    """Decide whose fault an exception of an agent or user is.

    True: a provider's, and the trial can be run again. "miss": the agent's, which loses the trial, as a framework's
    limit of turns does. False: a bug, which fails the run. None: undecided.

    .. code-block:: python

        def pytest_tau_classify_error(exception):
            if type(exception).__name__ == "QuotaExceeded":
                return True
            if type(exception).__name__ == "OutOfIdeas":
                return "miss"
    """


@pytest.hookspec(firstresult=True)
def pytest_tau_find_personal(text: str) -> Iterable[tuple[str, str]] | None:
    """Find what tells of people in a text of a log, where patterns cannot: each value with its kind.

    ``pytest-tau import`` and ``new domain --from-conversations`` ask the ``conftest.py`` of the working folder, and
    replace what it finds, as far as they redact. A kind that they know ("name", "email", "address", …) has their
    replacements; any other is replaced by itself and a number.

    .. code-block:: python

        TOWNS = {"Vienna", "Lagos"}


        def pytest_tau_find_personal(text):
            return [("town", word) for word in text.replace(",", " ").split() if word in TOWNS]
    """


@pytest.hookspec(firstresult=True)
def pytest_tau_read_conversations(path: Path) -> Sequence[LoggedConversation] | None:
    """Read a log in a format of your own; None leaves it to the next one, and to the formats that are known.

    ``pytest-tau import`` and ``new domain --from-conversations`` ask the ``conftest.py`` of the working folder, and
    ``tau_conversation.from_recording`` asks as every hook is asked.

    .. code-block:: python

        from pytest_tau.recordings import Conversation
        from pytest_tau.schema.messages import AssistantMessage, UserMessage


        def pytest_tau_read_conversations(path):
            if path.suffix == ".chat":  # a line of the customer, a line of the agent, and so on
                lines = path.read_text(encoding="utf-8").splitlines()
                sides = (UserMessage, AssistantMessage)
                return [Conversation(path.stem, [sides[n % 2](content=line) for n, line in enumerate(lines)])]
    """


@pytest.hookspec
def pytest_tau_trial_finished(config: pytest.Config, trial: TrialRecord) -> None:
    """*Controller.* Called for every trial as its result arrives.

    One that had ended and not been reported when its run was cut off comes at the end, or when the run is resumed.

    .. code-block:: python

        def pytest_tau_trial_finished(config, trial):
            with open("trials.txt", "a") as file:
                file.write(f"{trial.task_id} {trial.trial} {trial.outcome.value}\\n")
    """


@pytest.hookspec
def pytest_tau_summary(config: pytest.Config, summary: Totals, terminalreporter: Any) -> None:
    """*Controller.* Called at the end, after the table; print more with ``terminalreporter.write_line``.

    .. code-block:: python

        def pytest_tau_summary(config, summary, terminalreporter):
            terminalreporter.write_line(f"{summary.done()} trials went to the data warehouse")
    """
