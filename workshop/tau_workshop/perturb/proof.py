"""That a perturbation changes how a task is told and never what is right: ``pytest-tau audit`` proves it of each kind.

Under every kind the oracle must still pass and the trivial agents must still fail; whatever of the customer's words
must survive does. Of ``reworded`` each paraphrase is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_tau.diagnosis.trivial import trivial_passes
from pytest_tau.environment.domain import Domain
from pytest_tau.errors import TauError
from pytest_tau.evaluation.grade import grade
from pytest_tau.schema.task import Task
from pytest_tau.simulating import simulate
from pytest_tau.variants import Perturbed, apply_doses, builtin_kinds
from pytest_tau.variants.kinds import Dose, Kind
from pytest_tau.variants.texts import exact_values, missing_parts, strange, words_of

_SPOKEN = ("words",)


def broken_parts(
    task: Task, domain: Domain, doses: Sequence[Dose], seed: int, kinds: Mapping[str, Kind] | None = None
) -> Iterator[str]:
    """A sentence for each thing that a dose breaks in a task; nothing of those that do not apply to it."""
    known = builtin_kinds() if kinds is None else kinds
    for dose in doses:
        for number in range(1, 1 + max(1, len(task.wordings()) * (dose.kind == "reworded"))):
            found = apply_doses(task, domain, [dose], seed, known, number=number)
            if found is not None:
                name = f"{dose} {number}" if number > 1 else str(dose)
                yield from (f"{name}: {problem}" for problem in _problems(task, found, known[dose.kind], domain))


def _problems(task: Task, found: Perturbed, kind: Kind, domain: Domain) -> Iterator[str]:
    try:
        reward = grade(found.task, simulate(found.task, domain, "oracle", view=found.view), domain)
        # Of a task that nobody passes as it is, that is said by itself.
        if reward.value is not None and not reward.passed and grade(task, simulate(task, domain), domain).passed:
            yield "the oracle does not pass any more"
        if found.task is not task:
            passing = list(trivial_passes(found.task, domain))
            already = list(trivial_passes(task, domain)) if passing else []
            yield from (
                f"the trivial agent '{name}' passes, and not without it" for name in passing if name not in already
            )
    except TauError as error:
        yield str(error)
        return
    if kind.about in _SPOKEN or kind.name == "dialect":
        before, after = " ".join(words_of(task)), " ".join(words_of(found.task))
        if missing := missing_parts(before, after, exact_values(task)):
            yield f"the customer no longer says {', '.join(missing[:5])}"
        if kind.name != "correction" and (added := strange(before, after)):
            yield f"the customer says {', '.join(added[:5])}, which is not in the original"
