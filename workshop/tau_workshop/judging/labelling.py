"""A person answers the open questions of a run: of which conversations, in what order, and what comes of it.

Nothing here knows a terminal; ``cli/label.py`` asks. Verdicts of rules and judges choose the sample; nobody sees them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Any

from pytest_tau.evaluation.grade import grade
from pytest_tau.evaluation.judges.labels import Label, LabelledConversation, conversation_key, of_answers
from pytest_tau.evaluation.judges.questions import OpenQuestion, open_questions
from pytest_tau.metrics.agreement import Kappa, kappa
from pytest_tau.metrics.judge_errors import Corrected
from pytest_tau.metrics.policy import read_kept
from pytest_tau.metrics.prediction_powered import Graded, prediction_powered
from pytest_tau.recordings.rescored import Recording
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.record import Outcome, TrialRecord, Variant
from pytest_tau.schema.reward import JudgeVerdict

_AGAIN = " (again)"
_DOUBT = ("judge: cannot tell", "unclear by rule", "judge: breach", "judge: fine", "clear by rule")


@dataclass(frozen=True)
class Candidate:
    """A conversation of a run with open questions.

    ``task``: whose trial it is. ``stratum``: what rules and judges make of it. ``kept``: whether it counts as one that
    passed and broke no rule; ``may_keep``: whether it does as far as rules alone say, so that a label decides.
    ``as_it_is``: whether the task was neither told nor shown otherwise. ``agent``: which of several agents of the run
    has played.
    """

    id: str
    task: str
    policy: str
    messages: Sequence[AnyMessage]
    questions: Sequence[OpenQuestion]
    stratum: str
    kept: bool
    may_keep: bool
    as_it_is: bool = True
    agent: str = ""

    @property
    def key(self) -> str:
        """As that of its labels."""
        return conversation_key(self.id, self.messages)


def candidates(
    recordings: Iterable[Recording], records: Mapping[str, TrialRecord], *, every: bool = False
) -> Iterator[Candidate]:
    """The conversations of a run that have a verdict; those without an open question as well, as its rates count them.

    Args:
        recordings: what was played.
        records: what became of them in the run, by the id of the simulation; who has none there is graded by rules.
        every: whether people are asked what rules decide as well.
    """
    for one in recordings:
        task, simulation, domain = one.task, one.simulation, one.domain
        id = trial_id(simulation.domain, task.id, simulation.trial, one.label, one.variant)
        record = records.get(simulation.id)
        known = _by_rules(one) if record is None else record.model_dump(mode="json", exclude={"simulation"})
        if one.broke_off or (clean := read_kept(known)) is None:
            continue  # the table leaves it out
        review = None if record is None or record.reward is None else record.reward.review
        stratum = "clear by rule" if clean.kept == clean.sure else "unclear by rule"
        yield Candidate(
            id=id,
            task=f"{domain.name}/{task.id}",
            policy=domain.policy_for(solo=simulation.solo, task=task),
            messages=simulation.messages,
            questions=open_questions(task, simulation, domain, every=every),
            stratum=stratum if review is None else f"judge: {of_answers(review.answers)}",
            kept=clean.kept,
            may_keep=clean.before,
            as_it_is=one.variant is None,
            agent=one.label or "",
        )


def _by_rules(one: Recording) -> dict[str, Any]:
    """A recording that no record tells of, as one would."""
    reward = grade(one.task, one.simulation, one.domain, strict=False, rules=True)
    outcome = Outcome.UNGRADED if reward.ungraded else Outcome.PASSED if reward.passed else Outcome.MISSED
    return {"outcome": outcome, "reward": {**reward.model_dump(mode="json"), "violated": reward.violations}}


def trial_id(domain: str, task_id: str, trial: int, label: str | None = None, variant: Variant | None = None) -> str:
    """How a trial is called in a labels file: as in node IDs, its agent and its variant stand before its number."""
    return f"{domain}/{task_id}/{'-'.join(filter(None, (label, variant.label if variant else None, str(trial))))}"


def sample(found: Sequence[Candidate], number: int, seed: int) -> list[Candidate]:
    """So many conversations to label, the same for the same seed: the strata take turns, those in doubt first.

    First those that a label decides, as they passed as far as rules say; then the others that have an open question,
    which say something about a judge all the same.
    """
    rng = random.Random(seed)
    chosen: list[Candidate] = []
    for decides in (True, False):
        groups: dict[str, list[Candidate]] = {}
        for one in found:
            if one.questions and one.may_keep is decides:
                groups.setdefault(one.stratum, []).append(one)
        queues = [groups[name] for name in _DOUBT if name in groups]
        for queue in queues:
            rng.shuffle(queue)
        while len(chosen) < number and any(queues):
            for queue in queues:
                if queue and len(chosen) < number:
                    chosen.append(queue.pop())
    return chosen


def label_conversation(one: Candidate, verdicts: Sequence[JudgeVerdict], rater: str) -> LabelledConversation:
    """The labels of a conversation: a verdict for each of its questions."""
    labels = [
        Label(kind=q.kind, verdict=verdict, about=q.about, turn=q.turn, question=q.text)
        for q, verdict in zip(one.questions, verdicts, strict=True)
    ]
    return LabelledConversation(
        id=one.id,
        task=one.task,
        trial=one.id,
        policy=one.policy,
        messages=list(one.messages),
        labels=labels,
        source="a person",
        rater=rater,
        stratum=one.stratum,
    )


def again(rater: str) -> str:
    """The name of a rater who labels for a second time."""
    return f"{rater}{_AGAIN}"


def labelled_before(found: Iterable[Candidate], known: Iterable[LabelledConversation], rater: str) -> list[Candidate]:
    """The conversations that a rater has labelled, with the questions that were answered then."""
    first: dict[str, LabelledConversation] = {}
    for one in known:
        if one.rater == rater:
            first.setdefault(one.key, one)
    return [
        replace(one, questions=[label.to_question() for label in first[one.key].labels])
        for one in found
        if one.key in first
    ]


def agreements(found: Sequence[LabelledConversation]) -> list[tuple[str, str, Kappa]]:
    """Cohen's kappa of each two raters, over the questions that both have answered."""
    given: dict[str, dict[tuple[str, str, str, int | None], str]] = {}
    for one in found:
        answers, key = given.setdefault(one.rater, {}), one.key
        answers |= {(key, label.kind, label.about, label.turn): label.verdict for label in one.labels}
    pairs = []
    for first, second in combinations(given, 2):
        both = [key for key in given[first] if key in given[second]]
        if both:
            pairs.append((first, second, kappa([(given[first][key], given[second][key]) for key in both])))
    return pairs


def under_policy(found: Sequence[Candidate], labels: Sequence[LabelledConversation]) -> Corrected | None:
    """*Under policy* of the run, by prediction-powered estimation; None where nothing of it was labelled.

    What people cannot tell counts as it was graded. Labels of other runs' conversations say nothing of this one.
    """
    first: dict[str, LabelledConversation] = {}
    for one in labels:
        first.setdefault(one.key, one)
    tasks = [[_graded(one, first.get(one.key)) for one in task] for task in _trials_by_task(found)]
    if all(one.label is None for task in tasks for one in task):
        return None
    return prediction_powered(tasks)


def _graded(one: Candidate, label: LabelledConversation | None) -> Graded:
    if not (one.questions and one.may_keep):
        return Graded(one.kept)
    told = None if label is None else one.kept if label.verdict == "cannot tell" else label.verdict == "fine"
    return Graded(one.kept, one.stratum, told)


def as_graded(found: Sequence[Candidate]) -> float:
    """*Under policy* of the run as it is, without labels."""
    return fmean(fmean(one.kept for one in task) for task in _trials_by_task(found))


def _trials_by_task(found: Sequence[Candidate]) -> list[list[Candidate]]:
    """The trials of each task as it is: those of a variant have a row of their own in the run's table."""
    tasks: dict[str, list[Candidate]] = {}
    for one in found:
        if one.as_it_is:
            tasks.setdefault(one.task, []).append(one)
    return list(tasks.values())
