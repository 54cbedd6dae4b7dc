"""What is wrong with a model or its server is named: one planted fault a test, and nothing of a healthy one."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import pytest

from pytest_tau.doctor.agent import LongestPrompt, holds_the_prompt
from pytest_tau.doctor.examination import Case, examine, report
from pytest_tau.doctor.findings import DoctorFinding, worst
from pytest_tau.doctor.line import ModelLine
from pytest_tau.users.prompts import Guidelines
from tests.llm.server import Answer, Behaviour, ChatServer, Request, fails, rate_limited, says

from . import patients as p
from .lines import LISTED, complaints, line_to, maker

VAN = {"type": "function", "function": {"name": "order_van", "parameters": {"type": "object", "properties": {}}}}
LONGEST = LongestPrompt("move_house", "The policy says so. " * 400, (VAN,), 2000)


def findings(
    line: ModelLine, agent: str = "llm", begins: Callable[[str], None] = lambda check: None
) -> list[DoctorFinding]:
    async def all_of_them() -> list[DoctorFinding]:
        return [found async for found in examine(Case(line, agent, LONGEST, Guidelines()), begins)]

    return asyncio.run(all_of_them())


def examined(behaviour: Behaviour, *, agent: str = "llm", listed: Any = LISTED, **more: Any) -> list[DoctorFinding]:
    with ChatServer(behaviour, listed) as server:
        return findings(line_to(server.url, **more), agent)


@pytest.mark.parametrize("agent", ["llm", "act", "react"])
def test_a_healthy_model_has_no_complaint(agent: str) -> None:
    found = examined(p.healthy, agent=agent)
    assert complaints(found) == {}
    assert report(found).startswith("ready: 0 failed, 0 warnings, ")
    checked = {one.check for one in found}
    calls = {"tool calls", "tool results", "parallel calls"} if agent == "llm" else {"actions"}
    assert checked == calls | {
        *("answers", "language", "whole answers", "context window", "prompt cache", "role", "end marks", "verdicts"),
        *("max_tokens", "seed", "temperature", "price", "usage", "thoughts", "rate limit", "speed"),
    }


def test_each_side_is_asked_what_its_part_needs() -> None:
    only_a_judge = {one.check for one in examined(p.healthy, sides=("judge",))}
    assert only_a_judge >= {"verdicts", "answers"}
    assert not only_a_judge & {"role", "tool calls", "context window"}


PLANTED = {
    "wrong key": (p.wrong_key, "key", "failed: *refused*401* -> set OPENAI_API_KEY*--tau-agent-llm-args"),
    "unknown model": (p.unknown_model, "model", "failed: *no model patient*lists other* -> correct the model's name"),
    "no tool parser": (p.no_tool_parser, "tool calls", "failed: the call came as text* --jinja*--enable-auto*act*"),
    "refuses tools": (p.refuses_tools, "tool calls", "failed: a request with tools is refused*--enable-auto*"),
    "invalid arguments": (p.invalid_arguments, "tool calls", "failed: invalid arguments: *not JSON* -> *larger*"),
    "invented arguments": (p.invented_arguments, "tool calls", "failed: invalid arguments: *parcel*"),
    "tiny context": (p.tiny_context, "context window", "failed: *move_house*holds 1,024 -> start the server with*"),
    "cuts the prompt": (p.cuts_the_prompt, "context window", "failed: *cut the prompt*read 512 tokens*"),
    "ignores the seed": (p.ignores_the_seed(), "seed", "warning: ignored: *--tau-cassette"),
    "no usage": (p.tells_no_usage, "usage", "warning: * tell no tokens -> budgets*"),
    "rate limited": (p.rate_limited_at_first(), "rate limit", "warning: turned away * times*--tau-rpm*"),
    "cut off": (p.cut_off, "whole answers", "failed: *cut off after*--tau-agent-llm-args*"),
    "cut off, and brief": (p.cut_off_and_brief, "whole answers", "failed: *cut off after*--tau-agent-llm-args*"),
    "thinks aloud": (p.thinks_aloud, "thoughts", "warning: thinks aloud*--reasoning-parser*"),
    "never ends": (p.never_ends, "end marks", "failed: it never ends a conversation*scripted one"),
    "ends in small letters": (
        p.ends_in_small_letters,
        "end marks",
        "warning: it wrote 'Thank you! ###stop###' where *",
    ),
    "says goodbye": (p.says_goodbye, "end marks", "warning: it wrote 'Thanks, goodbye!' where ###STOP### belongs*"),
    "shouts": (p.shouts, "end marks", "failed: it never ends a conversation*to STOP happening!'*scripted one"),
    "speaks as the agent": (p.speaks_as_the_agent, "role", "failed: it speaks as the agent*"),
    "judges in prose": (p.judges_in_prose, "verdicts", "failed: cannot be read*another model judge*"),
    "writes Chinese": (p.writes_chinese, "language", "warning: asked for English*"),
    "ignores max_tokens": (p.ignores_max_tokens, "max_tokens", "warning: ignored: 100 tokens*"),
    "ignores max_tokens, and counts briefly": (p.counts_briefly, "max_tokens", "warning: ignored: 30 tokens*"),
    "reads no results": (p.reads_no_results, "tool results", "warning: *Harbour Street 12*larger*"),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_named(fault: str) -> None:
    behaviour, check, pattern = PLANTED[fault]
    found = examined(behaviour, listed=[{"id": "other"}] if fault == "unknown model" else LISTED)
    complaint = complaints(found)[check]
    assert fnmatchcase(complaint, pattern), complaint
    assert worst(found) in (complaint.partition(":")[0], "failed")


# What goes with these: whoever is cut off writes no whole verdict, whoever thinks aloud none that can be read.
ALONG = ("cut off", "cut off, and brief", "thinks aloud", "speaks as the agent")


@pytest.mark.parametrize("fault", [fault for fault in PLANTED if fault not in ALONG])
def test_a_fault_brings_no_others_with_it(fault: str) -> None:
    behaviour, check, _ = PLANTED[fault]
    assert list(complaints(examined(behaviour))) == [check]


@pytest.mark.parametrize("told", [{"prompt_tokens_details": {"cached_tokens": 600}}, {"prompt_cache_hit_tokens": 600}])
def test_a_prompt_cache_is_seen_in_whatever_field_it_is_told(told: dict[str, Any]) -> None:
    usage = {"prompt_tokens": 2000, "completion_tokens": 5, "total_tokens": 2005, **told}
    with ChatServer(p.with_usage(says("Hello."), usage)) as server:
        found, _ = asyncio.run(holds_the_prompt(line_to(server.url), LONGEST))
    assert [one.text for one in found if one.check == "prompt cache"] == ["used: 600 tokens of the second call"]


def test_a_window_that_the_server_tells_is_held_against_the_conversation() -> None:
    found = examined(p.healthy, listed=[{"id": "patient", "max_model_len": 4096}])
    assert complaints(found)["context window"].startswith("failed: the longest prompt with its tools has ")
    assert "the window holds 4,096" in complaints(found)["context window"]


def test_a_number_in_the_name_of_a_model_is_no_window() -> None:
    said = "This model's maximum context length is 8192 tokens. However, your messages resulted in 12345 tokens."
    model, longest = "openai/gpt-4-0613", LongestPrompt("a_task", "policy", (), 0.0)
    with ChatServer(fails(400, said)) as server:
        line = line_to(server.url)
        line = replace(line, model=model, make=maker(model, dict(line.parameters)))
        (found,), _ = asyncio.run(holds_the_prompt(line, longest))
    assert found.text == "the prompt and tools of a_task have 12,345 tokens, and the window holds 8,192"


def test_after_a_call_that_timed_out_the_model_is_asked_no_more() -> None:
    asked: list[Request] = []

    def slower_and_slower(request: Request) -> Answer:
        asked.append(request)
        return p.healthy(request) if len(asked) == 1 else fails(408, "Request timed out.")

    with ChatServer(slower_and_slower, LISTED) as server:
        found = findings(line_to(server.url))
    assert len(asked) == 2
    said = complaints(found)["whole answers"]
    assert 'raise "timeout" in --tau-agent-llm-args; the checks that were left would have waited as long' in said


def test_a_rate_limit_that_does_not_end_ends_the_examination() -> None:
    found = examined(rate_limited())
    assert [(one.check, one.status) for one in found] == [("rate limit", "failed")]


def test_each_check_is_told_before_it_is_made() -> None:
    begun: list[str] = []
    with ChatServer(p.healthy, LISTED) as server:
        findings(line_to(server.url), begins=begun.append)
    checks = ["whole answers", "tool calls", "context window", "role", "verdicts", "max_tokens", "seed"]
    assert begun == ["answers", *checks]
