"""How much of logged conversations becomes worlds, tasks and repairs: the numbers of docs/from_conversations.md.

python -m benchmarks.from_conversations --recordings DIR --tau-data DIR [PART ...]

``--recordings``: a folder of public recordings (tau1_airline_*.json, tau2_retail_*.json, …). The last three parts need
no data.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_tau import Domain, grade, load_domain, simulate
from pytest_tau.cli import main as command
from pytest_tau.diagnosis.blame import point_of_no_return
from pytest_tau.diagnosis.repair import smallest_repair
from pytest_tau.environment.database import DatabaseBase
from pytest_tau.recordings import read_conversations
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.recordings.reproducing import reproduce
from pytest_tau.schema.simulation import Simulation, Termination
from tau_workshop.import_.domains import world_of
from tau_workshop.import_.making import cases_of, is_trivial, make_task, went_wrong
from tau_workshop.scaffold import write
from tau_workshop.scaffold.code import files_of

PARTS = ("reproduce", "existing", "hidden", "repair", "redact", "speed")


def main() -> None:
    """Print the numbers of some parts, or of all."""
    shared = os.environ.get("PYTEST_TAU_SHARED")
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--recordings", type=Path, default=Path(shared) / "recordings" if shared else None)
    parser.add_argument("--tau-data", type=Path, default=Path(shared) / "tau2" if shared else None)
    chosen = parser.parse_args()
    with_data = {"reproduce": _reproduce, "existing": _existing, "hidden": _hidden}
    without = {"repair": _repair, "redact": _redact, "speed": _speed}
    for part in chosen.parts or PARTS:
        if part in without:
            without[part]()
        elif chosen.recordings is None or chosen.tau_data is None:
            print(f"{part}: left out, because --recordings and --tau-data are not given")
        else:
            with_data[part](chosen.recordings, chosen.tau_data)


def reproduce_all(conversations: Sequence[LoggedConversation], domain: Domain) -> tuple[int, int, Counter[str]]:
    """How many calls follow, of how many; and those that do not, by tool."""
    checks = [check for one in conversations for check in reproduce(one.messages, domain, one.initial_state).checks]
    broken = Counter(check.call.name for check in checks if not check.holds)
    return sum(check.holds for check in checks), len(checks), broken


def _reproduce(recordings: Path, data: Path) -> None:
    """Every public recording in the public domain."""
    total = held = 0
    for file in sorted(recordings.glob("tau*.json")):
        name = next(domain for domain in ("telecom", "retail", "airline") if domain in file.name)
        found, number, broken = reproduce_all(read_conversations(file), load_domain(name, data=data))
        print(f"reproduce {file.name}: {found} of {number} calls ({found / number:.1%}) {dict(broken.most_common(4))}")
        if file.name.startswith("tau2"):
            held, total = held + found, total + number
    print(f"reproduce, all τ² recordings: {held} of {total} calls ({held / max(total, 1):.1%})")
    for name, gone in (("retail", ("users", "orders")), ("airline", ("users", "reservations"))):
        domain = _without(load_domain(name, data=data), gone)
        read = [
            _bare(one) for file in sorted(recordings.glob(f"tau2_{name}_*.json")) for one in read_conversations(file)
        ]
        found, number, broken = reproduce_all(read, domain)
        shown = dict(broken.most_common(4))
        print(f"reproduce {name}, without {' and '.join(gone)}: {found} of {number} ({found / number:.1%}) {shown}")


def _without(domain: Domain, tables: Sequence[str]) -> Domain:
    """A domain whose tables are empty, so that their records must come from the log."""
    raw = {name: {} if name in tables else table.raw for name, table in domain.base.tables.items()}
    return replace(domain, base=DatabaseBase(domain.base.schema, raw, where="emptied"), memo={}, loaded=None)


def _existing(recordings: Path, data: Path) -> None:
    """Tasks made in the public domains, with the other trials of the same task graded by them."""
    for name, files in _sets(recordings).items():
        _judge(f"existing {name}", files, load_domain(name.split()[0], data=data))


def _hidden(recordings: Path, data: Path) -> None:
    """The same with database, tools and tasks hidden: domains inferred from the conversations that ended well."""
    for name, files in _sets(recordings).items():
        found = [one for file in files for one in read_conversations(file)]
        good = [one for one in found if not went_wrong(one)]
        with TemporaryDirectory() as folder:
            write(files_of(world_of("hidden", good)), Path(folder))
            domain = load_domain(Path(folder) / "domains" / "hidden")
            held, number, _ = reproduce_all([_bare(one) for one in good], domain)
            print(f"hidden {name}: {held} of {number} calls reproduced ({held / number:.1%})")
            _judge(f"hidden {name}", files, domain)


def _bare(one: LoggedConversation) -> LoggedConversation:
    """Without what the file says of the task's initial state, which is hidden as well."""
    meta = {key: value for key, value in one.meta.items() if key != "initial_state"}
    return LoggedConversation(one.id, one.messages, meta)


def _sets(recordings: Path) -> dict[str, list[Path]]:
    return {
        "airline (τ-bench v1, gpt-4o)": [recordings / "tau1_airline_gpt4o.json"],
        "retail (τ², three agents)": sorted(recordings.glob("tau2_retail_*.json")),
        "airline (τ², four agents)": sorted(recordings.glob("tau2_airline_*.json")),
    }


def _judge(what: str, files: Sequence[Path], domain: Domain) -> None:
    trials: dict[str, list[LoggedConversation]] = defaultdict(list)
    for file in files:
        for one in read_conversations(file):
            trials[str(one.meta["task_id"])].append(_bare(one))
    made = passed = trivial = 0
    number: Counter[str] = Counter()
    for name, same in trials.items():
        # No rule about figures was made on every second task of v1.
        half = "even" if name.isdigit() and int(name) % 4 == 0 else "odd"
        for one in same:
            if went_wrong(one):
                continue
            found = reproduce(one.messages, domain)
            task = make_task(one, domain, found, again=_again(one, same, domain))
            made += 1
            trivial += is_trivial(task, domain)
            passed += grade(task, simulate(task, domain), domain).passed
            for other in same:
                if other is one:
                    continue
                # What is graded has no part in the task.
                left = [trial for trial in same if trial is not other]
                task = make_task(one, domain, found, again=_again(one, left, domain))
                ended = Termination(other.meta.get("ended") or "user_stop")
                played = Simulation(
                    id=other.id,
                    domain=domain.name,
                    task_id=task.id,
                    messages=list(other.messages),
                    termination_reason=ended,
                )
                verdict = grade(task, played, domain, strict=False).passed
                agrees = verdict is not bool(went_wrong(other))
                wrongly = verdict and bool(went_wrong(other))
                for what_of in ("all", *(("kept", f"kept, {half}") if not is_trivial(task, domain) else ())):
                    number.update({what_of: 1, f"{what_of} agree": agrees, f"{what_of} wrongly": wrongly})
    print(f"{what}: oracle passes {passed} of {made} tasks ({passed / made:.1%}); {trivial} are left out of a suite")
    for what_of in ("all", "kept", "kept, odd", "kept, even"):
        pairs = max(number[what_of], 1)
        shares = f"{number[f'{what_of} agree'] / pairs:.1%} as recorded, {number[f'{what_of} wrongly']} false passes"
        print(f"{what}: verdicts on other trials, tasks {what_of}: {number[what_of]}: {shares}")


def _again(one: LoggedConversation, trials: Sequence[LoggedConversation], domain: Domain) -> list[LoggedConversation]:
    """The others of some trials that are the same case and ended well."""
    groups = (group for group in cases_of(trials, domain).values() if one in group)
    return [other for other in next(groups, []) if other is not one]


def _repair() -> None:
    """The smallest repair of planted mistakes."""
    from tests.diagnosis.test_blame import misses
    from tests.diagnosis.test_repair import PLANTED

    right: Counter[str] = Counter()
    number: Counter[str] = Counter()
    worst = 0.0
    found = [miss for suite in ("retail", "airline", "mock") for miss in misses(suite, 6)]
    for miss in found[:300]:
        lost = point_of_no_return(miss.task, miss.simulation, miss.domain)
        begin = time.process_time()
        change = smallest_repair(miss.task, miss.simulation, miss.domain, no_return=lost) if lost else None
        worst = max(worst, time.process_time() - begin)
        number[miss.mistake.kind] += 1
        right[miss.mistake.kind] += change is not None and change.kind is PLANTED[miss.mistake.kind]
    shown = {kind: f"{right[kind]} of {number[kind]}" for kind in number}
    print(f"repair: {right.total()} of {number.total()} planted mistakes undone ({right.total() / number.total():.1%})")
    print(f"repair: {shown}; at most {worst:.2f} s of processor time a trial")


def _redact() -> None:
    """Planted personal values: what is left of them, and whether a replay is exact."""
    from tests.workshop.import_.test_redact import check

    with TemporaryDirectory() as folder:
        number = check(Path(folder), 60)
    print(f"redact: {number} planted values in 60 conversations, none left; every call reproduced")


def _speed() -> None:
    """A thousand conversations imported, with redaction."""
    from tests.workshop.import_.logs import cancelling, log, shop

    words = "rug lamp desk chair sofa mirror clock vase plant shelf".split()  # noqa: SIM905
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        shop(Path(folder))
        calls = [cancelling(f"O{n + 1000}", opening=f"I want the {words[n % 10]} gone, case {n}.") for n in range(1000)]
        log(Path("log.jsonl"), *calls)
        begin = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            status = command(["import", "log.jsonl", "-o", "tasks/shop", "--no-groups"])
        spent = time.process_time() - begin
        number = len(list(Path("tasks/shop").glob("*.json")))
    print(f"speed: 1000 conversations, {number} tasks, status {status}: {spent:.1f} s of processor time")


if __name__ == "__main__":
    main()
