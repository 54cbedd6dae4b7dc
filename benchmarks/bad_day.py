"""What a provider's bad day costs: requests for each one needed, at 20 % 429s and 5 % resets. Takes minutes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_tau import load_journal

from .local_models import KEY, play, serving
from .measuring import Result

LIMIT = 1.5
K = 2


def main() -> None:
    """Print the line; fails when a trial was lost, was taken for the agent's miss, or the key was written anywhere."""
    with (
        TemporaryDirectory() as name,
        serving("--rate-limited", "0.2", "--resets", "0.05", "--seed", "300") as server,
    ):
        folder = Path(name)
        reports = ["--tau-html=all.html", "--tau-markdown=all.md", "--tau-export=all.json", "--junitxml=all.xml"]
        printed = play(server, folder, [f"--tau-k={K}", "--tau-concurrency=8", *reports])
        records = load_journal(folder / ".tau")
        texts = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    outcomes = Counter(record.outcome.value for record in records)
    tasks = {record.task_id for record in records}
    assert outcomes == {"passed": K * len(tasks)}, f"{dict(outcomes)}\n{printed}"
    assert not any(KEY.encode() in text for text in [*texts, printed.encode()]), "the key was written"
    # Only what a model said has usage; the greeting and tools' results have none.
    messages = [message for record in records if record.simulation for message in record.simulation.messages]
    needed = sum(getattr(message, "usage", None) is not None for message in messages)
    fates = ", ".join(f"{count} {fate}" for fate, count in sorted(server.counts.items()))
    note = f"{len(records)} trials passed, {needed} requests needed; {fates}"
    print(Result("requests for one needed, on a bad day", server.counts.total() / needed, LIMIT, "", note))


if __name__ == "__main__":
    main()
