"""Files beside those of runs: logs in each format, labels, documents, and what the workshop's commands read."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from pytest_tau import load_domain, load_tasks
from pytest_tau.cli import main
from pytest_tau.environment.documents.bm25 import Index, plus_one
from pytest_tau.environment.documents.store import Documents
from pytest_tau.evaluation.judges.labels import Label, LabelledConversation, read_labels
from pytest_tau.metrics.passport import Passport, load_passport, measurements
from tests.laws.test_crafted_files import damaged, put, trials
from tests.recordings.framework_logs import FORMATS as OF_FRAMEWORKS
from tests.recordings.logs import FORMATS
from tests.workshop.scaffold.sources import KENNEL, music

from .inputs import crafted, crafted_lines

_LOGS = [make() for make in (*FORMATS.values(), *OF_FRAMEWORKS.values())]


def formats(rng: random.Random, folder: Path) -> None:
    """A log of each program that we read, imported with and without a domain."""
    text = rng.choice(_LOGS)
    values = [json.loads(line) for line in text.splitlines()] if "\n{" in text.strip() else None
    log = put(folder / "log.json", crafted_lines(rng, values) if values else crafted(rng, json.loads(text)))
    command = ["import", str(log), "-o", str(folder / "out"), "--no-redact"]
    main([*command, *rng.choice([[], ["--domain", "mock"]])])


def runs(rng: random.Random, folder: Path) -> None:
    """The commands that read a run beside those that join and compare."""
    journal = str(put(folder / "run" / "journal.jsonl", crafted_lines(rng, trials())))
    frozen = str(folder / "frozen.json")
    for command in (["blame"], ["customers"], ["plan", "--like"], ["freeze", "--tasks", "mock", "-o", frozen]):
        main([*command, journal])


def labels(rng: random.Random, folder: Path) -> None:
    """Conversations with people's labels."""
    [first, *_] = trials()
    sound = LabelledConversation(
        id="c", messages=first["simulation"]["messages"], labels=[Label(kind="consent", verdict="fine", turn=3)]
    )
    for one in read_labels(put(folder / "labels.jsonl", crafted_lines(rng, [sound.model_dump(mode="json")] * 2))):
        [label.to_question() for label in one.labels]


def passport(rng: random.Random, folder: Path) -> None:
    """A judge's passport."""
    sound = Passport(created="2026", model="m", prompt="p", rubric="r", conversations=measurements([]))
    found = load_passport(put(folder / "judge.json", crafted(rng, sound.model_dump(mode="json"))))
    assert found is None or found.errors


def documents(rng: random.Random, folder: Path) -> None:
    """Documents, and the index of them that another process has left."""
    sound = [{"id": "a", "title": "Fees", "text": "A fee is 5."}, {"id": "b", "title": "Cards", "text": "A card."}]
    put(folder / "docs" / "all.json", crafted(rng, sound))
    put(folder / "docs" / "more.md", damaged(rng, b"# Hours\n\nWe open at nine.\n"))
    Documents(folder / "docs").search("fee card", 2)
    Index.build([["a", "b"], ["b"]], plus_one).save(folder / "index")
    try:
        found = Index.load(put(folder / "index", damaged(rng, (folder / "index").read_bytes())))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # it is built anew
        return
    found.best(["a", "b"], 2)


def sources(rng: random.Random, folder: Path) -> None:
    """What a new domain is made of."""
    if rng.random() < 0.7:
        given = ["--from-openapi", str(put(folder / "api.json", crafted(rng, KENNEL)))]
    else:
        given = ["--from-sqlite", str(put(folder / "db", damaged(rng, music(folder / "db").read_bytes())))]
    main(["new", "domain", "made", "-o", str(folder / "project"), *given])


def suites(rng: random.Random, folder: Path) -> None:
    """The commands about a suite and its domain."""
    sound = [task.model_dump(mode="json", exclude_none=True) for task in load_tasks("mock")]
    file = str(put(folder / "tasks" / "mock" / "all.json", crafted(rng, sound)))
    root = Path(str(load_domain("mock").folder))
    for one in root.iterdir():
        if one.is_file():
            put(folder / "domains" / "mock" / one.name, one.read_bytes())
    world = str(folder / "domains" / "mock")
    for command in (["stats", file], ["check", world], ["show", world], ["rebrand", world, "-o", str(folder / "o")]):
        main(command)


MORE: list[Any] = [formats, runs, labels, passport, documents, sources, suites]
