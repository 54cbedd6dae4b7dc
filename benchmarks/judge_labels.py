"""Turns people's labels that lie in the reference material into a labels file, for ``pytest-tau judge --labels``.

Two sets: a reader's labels of recorded conversations (``recordings/labels.json``), and ratings of faithfulness (1: a
clear violation, 3: faithful, 2: neither), which are labels of *claims*. What the reader calls debatable cannot be told.

    PYTEST_TAU_SHARED=DIR python -m benchmarks.judge_labels FILE
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_tau.evaluation.judges.labels import Label, LabelledConversation, write_labels
from pytest_tau.recordings import read_conversations
from pytest_tau.schema.calls import render_call
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from pytest_tau.schema.reward import JudgeVerdict, QuestionKind

_RATED: dict[int, JudgeVerdict] = {1: "breach", 2: "cannot tell", 3: "fine"}
_OF_A_REASON: dict[str, JudgeVerdict] = {"true": "fine", "false": "breach"}
_OF_CONSENT: dict[str, JudgeVerdict] = {"yes": "fine", "no": "breach"}


def of_the_recordings(folder: Path) -> Iterator[LabelledConversation]:
    """A reader's labels: consent, reasons, claims, promises and errors of the customer."""
    read: dict[str, dict[str, Sequence[AnyMessage]]] = {}
    for one in json.loads((folder / "labels.json").read_text(encoding="utf-8")):
        file = one["file"]
        if file not in read:
            read[file] = {each.id: each.messages for each in read_conversations(folder / file)}
        messages = read[file].get(one["sim_id"])
        if messages is None:
            continue
        labels = [*_consents(one, messages), *_reasons(one)]
        labels += [_whole("claims", one["false_claims"]), _whole("promises", one["promises"])]
        labels.append(_whole("customer", one["customer_errors"]))
        yield LabelledConversation(id=one["sim_id"], messages=list(messages), labels=labels, source="a reader")


def _consents(one: Mapping[str, Any], messages: Sequence[AnyMessage]) -> Iterator[Label]:
    for write in one["writes"]:
        message = messages[write["turn"]]
        calls = [] if isinstance(message, ToolMessage) else message.tool_calls or []
        if write["index_in_message"] < len(calls):
            call = calls[write["index_in_message"]]
            verdict = _OF_CONSENT.get(write["consent"], "cannot tell")
            if write["terms"] == "mismatch":
                verdict = "breach"
            about = render_call(call.name, call.arguments)
            yield Label(kind="consent", verdict=verdict, about=about, turn=write["turn"], note=write["note"])


def _reasons(one: Mapping[str, Any]) -> Iterator[Label]:
    for refusal in one["refusals"]:
        question = f"In turn {refusal['turn']} the agent refuses: {refusal['what']}. Is the reason that it gives true?"
        verdict = _OF_A_REASON.get(refusal["reason"], "cannot tell")
        yield Label(
            kind="reason", verdict=verdict, about=f"turn {refusal['turn']}: {refusal['what']}", question=question
        )


def _whole(kind: QuestionKind, found: Sequence[Mapping[str, Any]]) -> Label:
    clear = [one for one in found if one.get("strength") != "debatable"]
    verdict: JudgeVerdict = "breach" if clear else "cannot tell" if found else "fine"
    return Label(kind=kind, verdict=verdict, note="; ".join(str(one.get("note") or "") for one in clear))


def of_the_ratings(file: Path) -> Iterator[LabelledConversation]:
    """Ratings of faithfulness."""
    for line in file.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        label = Label(kind="claims", verdict=_RATED[one["expected_rating"]], note=one["description"] or "")
        messages = list(_told(one["trace"]))
        yield LabelledConversation(
            id=f"rated-{one['id']}", messages=messages, labels=[label], source="people's ratings"
        )


def _told(trace: Sequence[Mapping[str, Any]]) -> Iterator[AnyMessage]:
    for number, event in enumerate(trace):
        what = event["event_type"]
        if what == "agent_utterance":
            yield AssistantMessage(content=event["utterance"])
        elif what == "user_utterance":
            yield UserMessage(content=event["utterance"])
        elif what == "tool_call":
            call = ToolCall(id=f"c{number}", name=event["tool_name"], arguments=event.get("params") or {})
            yield AssistantMessage(tool_calls=[call])
        else:
            yield ToolMessage(id=f"c{number - 1}", content=json.dumps(event.get("response")), requestor="assistant")


def main() -> None:
    """Write the file."""
    shared, path = Path(os.environ["PYTEST_TAU_SHARED"]), Path(sys.argv[1])
    ratings = shared / "judge_labels" / "eva_faithfulness.jsonl"
    found = [*of_the_recordings(shared / "recordings"), *of_the_ratings(ratings)]
    write_labels(found, path)
    print(f"{len(found)} labelled conversations in {path}")


if __name__ == "__main__":
    main()
