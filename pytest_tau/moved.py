"""Modules that moved in this release: importing an old name finds the new module and warns. To go with the next one.

The package asks this module about the rooms that modules moved out of. An idle session imports none of them. The
workshop is named here, and imported only by such a name.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

_PACKAGE = "pytest_tau."
_GONE = {"generation"}  # packages of which nothing but old names is left
_STAYS = {"evaluation.consent"}  # a second name that stays, as other programs are written against it
_NOW = {
    "dataset": "tau_workshop.dataset",
    "dataset.telling": "pytest_tau.reports.telling",
    "evaluation.actions": "pytest_tau.evaluation.criteria.actions",
    "evaluation.asking": "pytest_tau.evaluation.judges.asking",
    "evaluation.assertions": "pytest_tau.evaluation.criteria.assertions",
    "evaluation.claims": "pytest_tau.evaluation.language.told.deeds",
    "evaluation.communicate": "pytest_tau.evaluation.criteria.communicate",
    "evaluation.consent": "pytest_tau.evaluation.language.consent",
    "evaluation.database": "pytest_tau.evaluation.criteria.database",
    "evaluation.deeds": "pytest_tau.evaluation.language.actions",
    "evaluation.dialogue": "pytest_tau.evaluation.language.dialogue",
    "evaluation.documents": "pytest_tau.evaluation.criteria.documents",
    "evaluation.effort": "pytest_tau.evaluation.progress.effort",
    "evaluation.forgotten": "pytest_tau.evaluation.progress.forgotten",
    "evaluation.judge": "pytest_tau.evaluation.judges.nl_assertions",
    "evaluation.milestones": "pytest_tau.evaluation.progress.milestones",
    "evaluation.naming": "pytest_tau.evaluation.language.naming",
    "evaluation.needless": "pytest_tau.evaluation.criteria.needless",
    "evaluation.predicates": "pytest_tau.evaluation.progress.predicates",
    "evaluation.promises": "pytest_tau.evaluation.language.promises",
    "evaluation.proposals": "pytest_tau.evaluation.language.proposals",
    "evaluation.reasons": "pytest_tau.evaluation.language.reasons",
    "evaluation.records": "pytest_tau.evaluation.criteria.records",
    "evaluation.said": "pytest_tau.evaluation.criteria.said",
    "evaluation.satisfaction": "pytest_tau.evaluation.progress.satisfaction",
    "evaluation.spoken": "pytest_tau.evaluation.language.spoken",
    "evaluation.trajectory": "pytest_tau.evaluation.criteria.trajectory",
    "evaluation.user_judge": "pytest_tau.evaluation.judges.user_judge",
    "generation.attacks": "tau_workshop.attacks",
    "generation.audit": "tau_workshop.audit.suite",
    "generation.blame": "pytest_tau.diagnosis.blame",
    "generation.check": "tau_workshop.check",
    "generation.compose": "tau_workshop.compose",
    "generation.faults": "pytest_tau.variants.tool_faults",
    "generation.mistakes": "tau_workshop.audit.mistakes",
    "generation.mutants": "tau_workshop.audit.mutants",
    "generation.perturb": "pytest_tau.variants",
    "generation.perturb.paraphrase": "tau_workshop.perturb.paraphrase",
    "generation.perturb.proof": "tau_workshop.perturb.proof",
    "generation.reach": "pytest_tau.diagnosis.reach",
    "generation.rebrand": "tau_workshop.rebrand",
    "generation.scaffold": "tau_workshop.scaffold",
    "generation.stats": "tau_workshop.stats",
    "generation.trivial": "pytest_tau.diagnosis.trivial",
    "metrics.facts": "pytest_tau.diagnosis.facts",
    "metrics.faults": "pytest_tau.diagnosis.faults",
    "metrics.judging": "pytest_tau.metrics.gate_verdict",
    "metrics.left_early": "pytest_tau.diagnosis.left_early",
    "metrics.phrases": "pytest_tau.evaluation.language.phrases",
    "metrics.user_audit": "pytest_tau.diagnosis.user_audit",
    "metrics.user_turns": "pytest_tau.diagnosis.user_turns",
    "reports.rescore": "pytest_tau.recordings.rescored",
    "reports.tau1": "pytest_tau.recordings.tau1",
    "reports.tau2": "pytest_tau.recordings.tau2_writer",
}


def spec_of(name: str) -> ModuleSpec | None:
    """The spec of a module by its old name; None for a name that never was one."""
    old = name.removeprefix(_PACKAGE)
    if old not in _GONE and _new_name(old) is None:
        return None
    return ModuleSpec(name, _Loader(), is_package=old in _GONE)


class _Loader(Loader):
    def exec_module(self, module: ModuleType) -> None:
        """Put the new module in the place of the old one."""
        old = module.__name__.removeprefix(_PACKAGE)
        if (new := _new_name(old)) is None:
            return
        if old not in _STAYS:
            warnings.warn(f"pytest_tau.{old} is {new} now", DeprecationWarning, stacklevel=2)
        sys.modules[module.__name__] = importlib.import_module(new)


def _new_name(old: str) -> str | None:
    """Where a module is now, itself or as a part of a package that moved."""
    head, tail = old, ""
    while head:
        if head in _NOW:
            return _NOW[head] + tail
        head, _, leaf = head.rpartition(".")
        tail = f".{leaf}{tail}"
    return None
