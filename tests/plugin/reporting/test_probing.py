"""The word that the judge is asked for before the first trial, and where none is."""

from typing import Any

import pytest

from pytest_tau.plugin.reporting.probing import probe
from tests.llm.server import fails, says
from tests.options.models import Serve
from tests.plugin.conftest import MakeRun

JUDGE = "openai/judge"


def test_a_judge_that_would_refuse_every_call_ends_the_run_before_it_begins(make_run: MakeRun, serve: Serve) -> None:
    server = serve(fails(401, "Incorrect API key"))
    run = make_run(judge_llm=JUDGE)
    with pytest.raises(pytest.UsageError) as refused:
        probe(run, 2)
    assert str(refused.value).startswith("--tau-judge-llm: ")
    assert "Incorrect API key" in str(refused.value)
    assert str(refused.value).endswith(". No trial was played.")
    assert len(server.requests) == 1
    run.ending.close()


def test_a_judge_that_answers_is_asked_once(make_run: MakeRun, serve: Serve) -> None:
    server = serve(says("ready"))
    run = make_run(judge_llm=JUDGE)
    probe(run, 2)
    assert len(server.requests) == 1
    run.ending.close()


@pytest.mark.parametrize(
    ("chosen", "trials"),
    [
        ({}, 2),
        ({"judge_llm": JUDGE}, 1),  # whose conversation is kept, and judged later
        ({"judge_llm": JUDGE}, 0),
        ({"judge_llm": JUDGE, "cassette": "replay"}, 2),
        ({"judge_llm": JUDGE, "cassette": "auto"}, 2),
    ],
)
def test_nobody_is_asked_where_nothing_is_lost(
    make_run: MakeRun, serve: Serve, chosen: dict[str, Any], trials: int
) -> None:
    server = serve(fails(401, "Incorrect API key"))
    probe(make_run(**chosen), trials)
    assert server.requests == []
