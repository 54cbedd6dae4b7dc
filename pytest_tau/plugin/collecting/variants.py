"""The variants in which each task of a run is played: as it is, and as ``--tau-perturb`` and ``--tau-faults`` have it.

Each variant gives a task's tests a label of their own in the node ID: ``[typos-trial2]``. With both options each
perturbation is played under each fault as well, so that the two can be told apart: ``[typos+timeout-trial2]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from ...errors import SettingsError, from_where
from ...users.names import PEOPLE, SCRIPTED, is_attacker
from ..run import Run
from .policy_edits import policy_edits, stands_in

if TYPE_CHECKING:
    from ...environment.domain import Domain
    from ...schema.record import Variant
    from ...schema.task import Task
    from ...variants import Dose, Kinds, Perturbed
    from ...variants.policy import PolicyEdit
    from ...variants.tool_faults import FaultPlan, ToolFaults

_PEOPLE = "people"  # the kind that asks for a manner of writing


@dataclass(frozen=True)
class PlayedVariant:
    """How a task is played other than as it is: told or shown otherwise, with failing tools, under another policy."""

    record: Variant
    doses: tuple[Dose, ...] = ()
    faults: FaultPlan | None = None
    edit: PolicyEdit | None = None

    @property
    def label(self) -> str:
        """What tests and rows of tables are called by."""
        return self.record.label

    def tool_faults(self, seed: int) -> ToolFaults | None:
        """The faults of one trial."""
        from ...variants.tool_faults import ToolFaults

        return None if self.faults is None else ToolFaults(self.faults, seed)


def played_variants(run: Run) -> list[PlayedVariant]:
    """All variants of a run but the plain one; raises SettingsError for what cannot be read."""
    if run.settings.perturb is None and run.settings.faults is None and run.settings.policy_mutants is None:
        return []  # and nothing is imported
    return run.one(_read_variants)


def kinds(run: Run) -> Kinds:
    """The kinds of perturbation that there are in a run, those of plugins included; raises SettingsError."""
    return run.one(_kinds)


def _kinds(run: Run) -> Kinds:
    from ...variants import builtin_kinds

    known = builtin_kinds()
    try:
        run.config.hook.pytest_tau_perturbations.call_historic(kwargs={"kinds": known})
    except Exception as error:
        raise SettingsError(f"the hook pytest_tau_perturbations failed: {from_where(error)}") from None
    return known


def _read_variants(run: Run) -> list[PlayedVariant]:
    from ...variants import read_doses
    from ...variants.tool_faults import read_faults

    chosen = run.settings
    doses = [] if chosen.perturb is None else read_doses(chosen.perturb, kinds(run))
    plans = [] if chosen.faults is None else read_faults(chosen.faults)
    alone = [*(_make_variant(run, dose, None) for dose in doses), *(_make_variant(run, None, plan) for plan in plans)]
    edits = [] if chosen.policy_mutants is None else [_make_mutant(run, edit) for edit in policy_edits(run)]
    return [*alone, *(_make_variant(run, dose, plan) for dose in doses for plan in plans), *edits]


def _make_variant(run: Run, dose: Dose | None, plan: FaultPlan | None) -> PlayedVariant:
    from ...schema.record import Variant

    record = Variant(
        label="+".join(str(part) for part in (dose, plan) if part is not None),
        told="" if dose is None else str(dose),
        strength=0.0 if dose is None else dose.strength,
        faults="" if plan is None else str(plan),
        rate=0.0 if plan is None else plan.rate,
        seed=run.settings.seed,
    )
    return PlayedVariant(record, () if dose is None else (dose,), plan)


def _make_mutant(run: Run, edit: PolicyEdit) -> PlayedVariant:
    from ...schema.record import Variant

    return PlayedVariant(Variant(label=str(edit), policy=str(edit), seed=run.settings.seed), edit=edit)


def fits(run: Run, variant: PlayedVariant, task: Task, domain: Domain) -> bool:
    """Whether a variant has anything to change in a task."""
    from ...variants import applies

    if variant.edit is not None:
        return stands_in(variant.edit, task, domain, solo=run.settings.mode == "solo")
    if any(not written(task, dose.choice) for dose, written in _unplayed_by_script(run, variant)):
        return False
    if _asks_for_people(variant) and _writes_alike(run):
        return False
    if variant.doses and not applies(task, domain, variant.doses, kinds(run)):
        return False
    return (
        run.settings.mode != "solo" or not _is_of_customers(run, variant) or _changes_ticket(run, variant, task, domain)
    )


def _asks_for_people(variant: PlayedVariant) -> bool:
    return any(dose.kind == _PEOPLE and dose.strength for dose in variant.doses)


def _writes_alike(run: Run) -> bool:
    """Whether the run's customers write in one way, whatever manner a task asks for."""
    chosen = run.settings
    return chosen.user_style is not None or chosen.user_name == PEOPLE or is_attacker(chosen.user_name)


def _is_of_customers(run: Run, variant: PlayedVariant) -> bool:
    """Whether a variant is all about the customer, so that without one only the ticket and the data can tell of it."""
    about = {kinds(run)[dose.kind].about for dose in variant.doses if dose.strength}
    return bool(about) and about <= {"words", "person"}


def _changes_ticket(run: Run, variant: PlayedVariant, task: Task, domain: Domain) -> bool:
    told = task_in_variant(run, variant, task, domain, 1).task
    return told.model_copy(update={"user_scenario": task.user_scenario, "episodes": task.episodes}) != task


def task_in_variant(run: Run, variant: PlayedVariant, task: Task, domain: Domain, trial: int) -> Perturbed:
    """A task as it is played in a variant."""
    from ...variants import Perturbed, apply_doses

    if variant.edit is not None:
        from ...variants.policy import PolicyView

        return Perturbed(task, PolicyView(variant.edit, domain.rules))
    found = apply_doses(task, domain, variant.doses, run.settings.seed, kinds(run), number=trial)
    return Perturbed(task) if found is None else found


def split_id(run: Run, ids: str) -> tuple[str, PlayedVariant | None, str]:
    """What stands before the trial's number in a node ID: the label of an agent ("" for none), a variant, the task's
    id."""
    try:
        agents, asked = run.settings.agent_labels, played_variants(run)
    except SettingsError:
        return "", None, ids
    agent = max((label for label in agents if ids.startswith(f"{label}-")), key=len, default="")
    rest = ids.removeprefix(f"{agent}-") if agent else ids
    fitting = [variant for variant in asked if rest.startswith(f"{variant.label}-")]
    variant = max(fitting, key=lambda variant: len(variant.label), default=None)
    return agent, variant, rest.removeprefix(f"{variant.label}-") if variant is not None else rest


def check_variants(run: Run) -> None:
    """Refuse perturbations and faults that cannot be, before any trial is played; raises UsageError."""
    chosen = run.settings
    try:
        asked = played_variants(run)
    except SettingsError as error:
        raise pytest.UsageError(str(error)) from None
    if not asked:
        return
    if chosen.rescore is not None:
        raise pytest.UsageError("--tau-rescore plays nothing, so there is nothing to perturb; leave one of the two out")
    if any(_asks_for_people(one) for one in asked) and not _asks_for_all(run) and _writes_alike(run):
        who = "with --tau-user-style" if chosen.user_style else f"the customer '{chosen.user_name}'"
        raise pytest.UsageError(
            f"--tau-perturb people: it would change nothing, as {who} writes in one way; leave one of the two out"
        )
    if chosen.stop:
        raise pytest.UsageError(
            "--tau-stop cannot be combined with variants of tasks; leave it out, or --tau-perturb, --tau-faults and "
            "--tau-policy-mutants"
        )


def check_written(run: Run, tasks: Iterable[Task]) -> None:
    """Refuse what needs a model for the customer where the script plays and none of the tasks has the words.

    Raises:
        UsageError: one sentence.
    """
    needing = [one for variant in played_variants(run) for one in _unplayed_by_script(run, variant)]
    known = list(tasks) if needing else []
    for dose, written in needing:
        if not any(written(task, dose.choice) for task in known):
            raise pytest.UsageError(
                f"--tau-perturb {dose}: the scripted customer only says what is written, and no task has such words; "
                "let a model play the customer with --tau-user-llm"
            )


def check_tickets(run: Run, played: Iterable[tuple[Task, Domain]]) -> None:
    """Refuse what is named and would be played with no task of a run in solo mode, as only a customer could tell of it.

    Raises:
        UsageError: one sentence.
    """
    found: dict[str, list[PlayedVariant]] = {}
    if run.settings.mode == "solo":
        found = {one.record.told: [one] for one in played_variants(run) if _is_of_customers(run, one)}
    why = "solo mode has no customer, and this changes nothing in the tickets; leave one of the two out"
    _refuse_idle(run, found, played, why)


def check_fitting(run: Run, played: Iterable[tuple[Task, Domain]]) -> None:
    """Refuse a kind that is named and would be played with none of these tasks, all of the run; raises UsageError."""
    found: dict[str, list[PlayedVariant]] = {}
    for variant in played_variants(run):
        for dose in variant.doses:
            found.setdefault(dose.kind, []).append(variant)
    why = "the tasks of this run have nothing that it changes; leave it out, or name other tasks"
    _refuse_idle(run, found, played, why)


def _refuse_idle(
    run: Run, named: Mapping[str, list[PlayedVariant]], played: Iterable[tuple[Task, Domain]], why: str
) -> None:
    """Raise UsageError for the first that fits none of the tasks; nothing is refused of a run that asks for all."""
    if not named or _asks_for_all(run):
        return
    known = list(played)
    for name, variants in named.items():
        if known and not any(fits(run, variant, task, domain) for variant in variants for task, domain in known):
            raise pytest.UsageError(f"--tau-perturb {name}: {why}")


def _asks_for_all(run: Run) -> bool:
    """Whether the run names no kinds: what changes nothing is left out then, and not refused."""
    from ...variants.kinds import ALL

    return any(part.partition(":")[0].strip() == ALL for part in (run.settings.perturb or "").split(","))


def _unplayed_by_script(run: Run, variant: PlayedVariant) -> Iterator[tuple[Dose, Callable[[Task, str], bool]]]:
    """The doses that the run's customer can only play where a task is written out, and how to see whether it is."""
    if variant.doses and run.settings.user_name in (SCRIPTED, PEOPLE):
        known = ((dose, kinds(run)[dose.kind]) for dose in variant.doses)
        yield from ((dose, kind.written) for dose, kind in known if kind.needs_model)
