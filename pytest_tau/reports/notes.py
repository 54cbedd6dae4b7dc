"""What one has to know to read the table: what the brackets are, and what the denominators leave out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import mean

from ..metrics.memorisation import memorisation_gaps
from ..metrics.policy import UNDER_POLICY
from ..metrics.scores import measure
from ..metrics.shared_tasks import shared_domains
from ..metrics.totals import Totals
from ..metrics.variance import customers
from ..metrics.wording import percent
from ..printable import count_of
from .incidents import NOT_COUNTED, incident_lines
from .long_episodes import effort_lines, episode_lines
from .task_worth import worth_lines
from .terminal import (
    MOST,
    OUTCOMES,
    WARNING,
    laid_out,
    left_out_lines,
    money,
    most_first,
    score_cell,
    shown_ks,
    without_verdict,
)

_OF_THE_ORACLE = (
    "Under policy: the oracle makes the tasks' recorded calls and no others. Where these leave out what the policy "
    "demands, such as finding out who calls, it breaks that rule; this says nothing of an agent."
)


def notes(totals: Totals) -> list[str]:
    """What one has to know to read the table: what the brackets are, and what the denominators leave out."""
    return [line for _, line in _notes(totals)]


def first_notes(totals: Totals, *, more: str = "") -> list[str]:
    """Of the notes those without which the table would mislead, and as many others as make three lines with them.

    Args:
        totals: of the run.
        more: what the first line says in addition, where others had no room.
    """
    ranked = list(_notes(totals))
    room = max(0, _PLAIN - sum(rank == _ALWAYS for rank, _ in ranked))
    others = [line for rank, line in ranked if rank == _ROOM]
    shown = [line for rank, line in ranked if rank == _ALWAYS or (rank == _ROOM and line in others[:room])]
    if more and len(others) > room:
        shown[0] += f" {more}"
    return shown


_PLAIN = 3
# How much a note matters: the table would mislead without it; worth a line (1 less than later); for who wants to know.
_ALWAYS, _ROOM, _LATER = range(3)
_A_JUDGE = "a judge would decide (--tau-judge-llm and --tau-review=unclear)"


def _notes(totals: Totals) -> Iterator[tuple[int, str]]:
    """Each note, and how much it matters."""
    steps = "; steps: mean per trial" if any(column.head == "steps" for column in laid_out(totals)[0]) else ""
    brackets = f"[ ]: 95 % interval for tasks like these{steps}."
    if totals.spared():
        brackets = f"Estimates of a run that was stopped, without intervals{steps}."
    if not totals.pass_hat():
        brackets = "No trial has a verdict, so there is no pass^k."
    yield _ALWAYS, brackets
    for line in left_out_lines(totals):
        yield _LATER - (line.partition(":")[0] in OUTCOMES.values()), line
    counts = totals.outcomes()
    plain, told = totals.without_variants(), _scope(totals)
    if not totals.is_whole and not totals.labels:
        who = "; ".join(f"{', '.join(sorted(agents))} played {row}" for row, agents in plain.players.items())
        yield _ALWAYS, f"Different agents, so no row for all: {who}."
    for row in plain.domains():
        if len(several := sorted(plain.players.get(row, ()))) > 1:
            yield _ALWAYS, f"{WARNING.strip()} The row {row} mixes trials of several agents: {', '.join(several)}."
    kept = measure(plain, UNDER_POLICY)
    curve = plain.pass_hat()
    if totals.agents == {"oracle"} and kept is not None and curve and kept.value < curve[0].value - 1e-9:
        yield _ROOM, _OF_THE_ORACLE
    by_agent = plain.by_agent() or {"": plain}  # a mean over several is nobody's
    left_out = without_verdict(plain)
    if left_out:
        what = ", ".join(count_of(number, name) for name, number in left_out.items())
        bounds = [f"{name} {_bounds(part)}".lstrip() for name, part in by_agent.items() if without_verdict(part)]
        said = f"{WARNING.strip()} The table leaves out {what}; had they all missed … passed"
        yield _ALWAYS, f"{said}: {'; '.join(bounds)}."
    if more := Counter(without_verdict(totals)) - Counter(left_out):
        what = ", ".join(count_of(number, name) for name, number in more.items())
        yield _ROOM, f"The numbers of the variants leave out {what}."
    if spared := totals.spared():
        of = totals.planned() + spared
        yield _ALWAYS, f"{spared} of {count_of(of, 'trials')} were not played: every gate is decided (--tau-stop)."
    for name, part in by_agent.items():
        if split := customers([list(task.customers.values()) for task in part.of()]):
            split_up = f"{split.task:.3f} task, {split.customer:.3f} customer, {split.agent:.3f} agent"
            yield (
                _ROOM,
                f"Variance of a trial{name and f' of {name}'}: {split_up}. "
                f"Other customers alone can move pass^1 of such a run by {100 * split.floor:.1f} points (95 %).",
            )
    yield from ((_ALWAYS, line) for line in memorisation_lines(totals))
    if replays := totals.replays():
        of = totals.planned()
        yield (
            _ROOM,
            f"{count_of(replays, 'replays')}: trials without a verdict that were played again, "
            f"{percent(replays / of)} of {of}; costs include what is known of these. "
            "A gate can limit them (replays <= 2 %).",
        )
    for line in incident_lines(totals):
        yield _ALWAYS if line.startswith(NOT_COUNTED) else _ROOM, line
    if totals.faults:
        faults = (f"{n} {name.replace('_', ' ')}" for name, n in most_first(totals.faults))
        yield _ROOM, f"Faults{told}: {', '.join(faults)}."
    if totals.unsaid:
        trials = count_of(totals.unsaid, "trials")
        yield (
            _ALWAYS,
            f"In {trials} nothing that the judge said of an assertion could be read: it counts as not met.",
        )
    if totals.unexplained:
        misses = "1 miss" if totals.unexplained == 1 else f"{totals.unexplained} misses"
        yield _ROOM, f"{misses} without an explanation: the judge gave no answer."
    if totals.unreviewed:
        trials, ((reason, _), *others) = count_of(totals.unreviewed.total(), "trials"), most_first(totals.unreviewed)
        others_too = "; the others for other reasons" if others else ""
        yield _ALWAYS, f"The judge has not read {trials}, in which what is unclear stays so: {reason}{others_too}."
    yield from _about_the_range(plain)
    if totals.unsettled:
        yield _ROOM, f"In {count_of(totals.unsettled, 'trials')} the judge could not tell, and something stays unclear."
    if totals.unclear:
        writes, trials = count_of(sum(totals.unclear), "writes"), count_of(len(totals.unclear), "trials")
        yield _ROOM, f"Agreement unclear before {writes} in {trials}; {_A_JUDGE}."
    if totals.unseen:
        trials = count_of(totals.unseen, "trials")
        yield _ROOM, f"In {trials} the agent tells what may not be so; {_A_JUDGE}."
    if totals.unread:
        yield (
            _LATER,
            f"Unclear in {count_of(totals.unread, 'trials')} whether the reason was given; it counts as given.",
        )
    if counts["ungraded"]:
        trials = "trial waits" if counts["ungraded"] == 1 else "trials wait"
        criteria = f" ({', '.join(totals.waiting)})" if totals.waiting else ""
        yield _ALWAYS, f"{counts['ungraded']} {trials} for a judge{criteria}: neither passed nor missed."
    unheard = sum((task.unheard for task in totals.of()), Counter[str]())
    for why, number in most_first(unheard)[:MOST]:
        yield _ALWAYS, f"{count_of(number, 'trials')} could not be judged: {why}."
    for why, number in totals.not_run.items():
        yield _ALWAYS, f"{count_of(number, 'trials')} not run: {why}."
    costs = totals.costs()
    # Else the column is the agent's alone, or all that is known: a trial that broke off took its costs with it.
    if (costs.user, costs.judge) not in ((0.0, 0.0), (None, None)):
        parts = [f"agent {money(costs.agent)}", f"user {money(costs.user)}"]
        parts += [f"judge {money(costs.judge)}"] if costs.judge != 0.0 else []  # 0 where there was none
        yield _LATER, f"Cost{told}: {', '.join(parts)}."
    if totals.prompts.cached:
        yield _ROOM, f"Prompt cache{told}: {totals.prompts}."
    yield from ((_LATER - line.startswith("Satisfaction"), line) for line in effort_lines(plain))
    yield from ((_LATER, line) for line in episode_lines(plain))
    yield from ((_ROOM, line) for domain in plain.domains() for line in _retrieval(plain, domain))
    for domain in totals.domains():
        yield from ((_rank_of_audit(totals, domain), line) for line in _user_audit(totals, domain))
    for domain in shared_domains(plain.domains()):
        for asked, line in worth_lines(plain, domain):
            yield _ALWAYS if line.startswith("audit") else _LATER - asked, line


def memorisation_lines(totals: Totals) -> Iterator[str]:
    """How much of pass^k an agent loses under other values of the policy, for each ghost that was played."""
    for gap in memorisation_gaps(totals):
        (low, high), found = gap.interval, gap.found
        yield (
            f"Memorisation gap, {gap.row} − {gap.ghost}: {100 * gap.value:+.1f} points [{100 * low:+.1f}, "
            f"{100 * high:+.1f}] of pass^{found.k} ({percent(found.before)} − {percent(found.after)}), paired over "
            f"{count_of(found.tasks, 'tasks')}; above 0 where the agent goes by the policy it has learnt before."
        )


def _about_the_range(totals: Totals) -> Iterator[tuple[int, str]]:
    """What the ends of *under policy* are, and whether it has the judge's errors in it."""
    found = measure(totals, UNDER_POLICY)
    if found is not None and found.least is not None:
        what = "the first if all that is unclear is a breach, the second if none is"
        yield _ROOM, f"under policy {score_cell(found)}: {what}."
    if read := totals.read_by_a_judge():
        how = "its errors are taken out, as its passport has them"
        how = how if totals.judge is not None else "its errors are not taken out: it has no passport that holds"
        # With them taken out, the column is no count of the trials that one sees.
        yield _ROOM if totals.judge is None else _ALWAYS, f"A judge read {count_of(read, 'trials')}: {how}."


def _scope(totals: Totals) -> str:
    """Which trials a count is of, where these are not those of one row of the table."""
    of = [*["all agents"] * bool(totals.labels), *["with the variants"] * bool(totals.variants)]
    return f" ({', '.join(of)})" if of else ""


def _bounds(plain: Totals) -> str:
    """pass^k over all tasks, at least and at most: where all missing trials have missed, and where all have passed."""
    low, high = ({p.k: p.value for p in plain.pass_hat(missing=each)} for each in ("miss", "pass"))
    return "  ".join(f"pass^{k} {100 * low[k]:.1f} … {percent(high[k])}" for k in shown_ks(low)) or "nothing"


def _retrieval(totals: Totals, domain: str) -> Iterator[str]:
    """How well the agent searched a domain's documents, if it had to."""
    recalls = [recall for task in totals.of(domain) for recall in task.recalls]
    precisions = [precision for task in totals.of(domain) for precision in task.precisions]
    if recalls:
        name = f"retrieval, {domain}" if len(totals.domains()) > 1 else "retrieval"
        found = f"{percent(mean(precisions))} of what was found was required" if precisions else "nothing was found"
        yield (
            f"{name}: {percent(mean(recalls))} of the required documents found (recall), {found} (precision); "
            f"mean of {count_of(len(recalls), 'trials')}."
        )


def _rank_of_audit(totals: Totals, domain: str) -> int:
    tasks = totals.of(domain)
    if totals.outcomes(domain)["invalid"] or any(task.unjudged or task.reruns for task in tasks):
        return _ALWAYS
    return _LATER - any(task.suspect for task in tasks)


def _user_audit(totals: Totals, domain: str) -> Iterator[str]:
    """What the user audit found in a domain's conversations, if it looked at any."""
    tasks = totals.of(domain)
    audited, suspect, reruns = (sum(getattr(t, name) for t in tasks) for name in ("audited", "suspect", "reruns"))
    if audited:
        name = f"user audit, {domain}" if len(totals.domains()) > 1 else "user audit"
        rules = ", ".join(f"{rule} {n}" for rule, n in most_first(sum((t.broken for t in tasks), Counter())))
        again = f"; played again {count_of(reruns, 'times')}" if reruns else ""
        yield f"{name}: the customer broke rules in {suspect} of {audited} simulations{rules and f' ({rules})'}{again}."
        if invalid := totals.outcomes(domain)["invalid"]:
            lost = (
                "1 trial was lost by the customer and says"
                if invalid == 1
                else f"{invalid} trials were lost by the customer and say"
            )
            yield f"{name}: {lost} nothing about the agent (--tau-invalid)."
        if unjudged := sum(task.unjudged for task in tasks):
            yield f"{name}: the judge did not answer on {unjudged} of them, which only the rules have looked at."
