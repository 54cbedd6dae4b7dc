"""Paraphrases by a model: written once, checked, and kept in a file that is committed. Runs never ask for one.

A paraphrase is taken only if every id, number, name and exact value of the original stands in it, it has no id or
number that the original has not, it names no tool and tells nothing of the gold path that the original did not tell,
and a model (the same, or a second one) that reads both finds the same wish. The others are listed with the reason.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from pydantic import ValidationError

from pytest_tau.environment.domain import Domain
from pytest_tau.errors import InfraError
from pytest_tau.llm.chat import json_answer, prompt_version, system, user
from pytest_tau.llm.protocol import ModelClient
from pytest_tau.schema.scenario import Instructions, Rewording
from pytest_tau.schema.task import Task
from pytest_tau.variants.reworded import with_words
from pytest_tau.variants.texts import exact_values, missing_parts, strange, words_of

TRIES = 3

WRITE = """\
You put a customer's words otherwise. You are given, as JSON, what a customer says to a customer service: \
reason_for_call, and where there are any known_info and later (a list). Write it anew, as another person with the same \
wish would say it: other words, another order of clauses, another temper.

- The wish, its conditions and what the customer knows stay exactly the same. Add nothing, leave nothing out.
- Every id, number, date, amount, name, address and quoted text stays letter by letter.
- Keep the voice: where the text says "you", say "you".

Answer with one JSON object with the same keys and nothing else."""

READ = """\
You compare two texts that a customer might write to a customer service, given as JSON. Decide whether both say the \
same: the same wishes, conditions and limits, the same facts, no more and no less. Tone and order do not matter.

Answer with one JSON object and nothing else: first the difference in a sentence, or "none", then the verdict:

{"difference": "none", "same": true}"""

PROMPT_VERSION = prompt_version(WRITE, READ)


@dataclass
class Paraphrased:
    """What became of one task: the paraphrases that were taken, why others were not, and where a model did not answer,
    its error."""

    task_id: str
    taken: list[Rewording] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    failed: InfraError | None = None


def problem(task: Task, words: Rewording, domain: Domain) -> str | None:
    """What rules find wrong with a paraphrase; None where it keeps all that must be kept."""
    exact = exact_values(task)
    before, after = " ".join(words_of(task)), " ".join(words_of(with_words(task, words)))
    if before.split() == after.split():
        return "it is the original"
    if missing := missing_parts(before, after, exact):
        return f"it has lost {', '.join(missing[:5])}"
    if added := strange(before, after):
        return f"it has {', '.join(added[:5])}, which the original has not"
    tools = [spec.name for spec in domain.environment().tool_specs() if spec.name in after and spec.name not in before]
    if tools:
        return f"it names the tool {tools[0]}"
    told = [
        value for value in exact if value.casefold() in after.casefold() and value.casefold() not in before.casefold()
    ]
    told = [value for value in told if len(value) > 3]
    return f"it tells {told[0]!r} of the gold path" if told else None


async def paraphrase_task(
    task: Task, domain: Domain, writer: ModelClient, reader: ModelClient, *, number: int, seed: int = 300
) -> Paraphrased:
    """Ask for so many paraphrases of a task, in at most ``TRIES`` times as many attempts; until a model fails."""
    found = Paraphrased(task.id)
    for attempt in range(TRIES * number):
        if len(found.taken) == number:
            break
        try:
            reply = await writer.complete([system(WRITE), user(_task_text(task))], seed=seed + attempt)
            words, why = _read(reply.content, task)
            why = why or (problem(task, words, domain) if words is not None else None)
            if why is None and words in found.taken:
                why = "it is one that was taken before"
            if why is None and words is not None:
                why = await _difference(task, words, reader, seed)
        except InfraError as error:
            found.failed = error
            break
        if why is not None or words is None:
            found.refused.append(why or "no paraphrase")
        else:
            found.taken.append(words)
    return found


def paraphrase_all(
    tasks: Sequence[Task],
    domain: Domain,
    writer: ModelClient,
    reader: ModelClient,
    *,
    number: int,
    at_once: int = 8,
    told: Callable[[int, int], None] = lambda done, of: None,
    keep: Callable[[Paraphrased], None] = lambda one: None,
) -> list[Paraphrased]:
    """:func:`paraphrase_task` for many tasks, some of them at a time; ``told`` is given how many of them are done.

    ``keep`` is given what became of a task as soon as it is known: whatever breaks off later, that was paid for.

    Where a model has failed as many times in a row as tasks are worded at once, the others are not asked for any more.

    Raises:
        InfraError: a model has failed, and nothing was taken.
    """

    async def all_of_them() -> list[Paraphrased]:
        gate, done = asyncio.Semaphore(at_once), count(1)
        failures: list[InfraError] = []  # in a row

        async def one(task: Task) -> Paraphrased:
            async with gate:
                if len(failures) >= at_once:
                    made = Paraphrased(task.id, failed=failures[-1])
                else:
                    made = await paraphrase_task(task, domain, writer, reader, number=number)
            if made.failed is None:
                failures.clear()
            else:
                failures.append(made.failed)
            keep(made)
            told(next(done), len(tasks))
            return made

        told(0, len(tasks))
        return await asyncio.gather(*(one(task) for task in tasks))

    found = asyncio.run(all_of_them())
    # What was paid for is kept, and a model that cannot be asked at all is said once.
    if not any(one.taken for one in found) and (failed := next((one.failed for one in found if one.failed), None)):
        raise failed
    return found


def as_json(found: Sequence[Paraphrased], before: dict[str, list[Any]]) -> str:
    """The file of paraphrases: those that it had before, and after them the new ones."""
    merged = dict(before)
    for one in found:
        fresh = [words.model_dump(exclude_none=True) for words in one.taken]
        merged[one.task_id] = [
            *merged.get(one.task_id, []),
            *(new for new in fresh if new not in merged.get(one.task_id, [])),
        ]
    return json.dumps({key: words for key, words in merged.items() if words}, indent=2, ensure_ascii=False) + "\n"


def _task_text(task: Task) -> str:
    instructions = task.user_scenario.instructions
    if not isinstance(instructions, Instructions):
        return json.dumps({"reason_for_call": instructions}, ensure_ascii=False)
    told: dict[str, Any] = {"reason_for_call": instructions.reason_for_call}
    if instructions.known_info:
        told["known_info"] = instructions.known_info
    if instructions.later:
        told["later"] = [moment.say for moment in instructions.later]
    return json.dumps(told, ensure_ascii=False)


def _read(content: str | None, task: Task) -> tuple[Rewording | None, str | None]:
    answer = json_answer(content or "")
    if not isinstance(answer, dict):
        return None, "the answer is not a JSON object"
    try:
        words = Rewording.model_validate(answer)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return None, f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    instructions = task.user_scenario.instructions
    due = 0 if isinstance(instructions, str) else len(instructions.later or [])
    if words.later is not None and len(words.later) != due:
        return None, f"later has {len(words.later)} texts, and the original {due}"
    return words, None


async def _difference(task: Task, words: Rewording, reader: ModelClient, seed: int) -> str | None:
    """What somebody who reads both finds different; None where they say the same."""
    texts = {"first": json.loads(_task_text(task)), "second": json.loads(_task_text(with_words(task, words)))}
    reply = await reader.complete([system(READ), user(json.dumps(texts, ensure_ascii=False))], seed=seed)
    answer = json_answer(reply.content or "")
    if isinstance(answer, dict) and answer.get("same") is True:
        return None
    told = answer.get("difference") if isinstance(answer, dict) else None
    return f"read back it says something else: {told}" if isinstance(told, str) else "who read it back gave no verdict"
