"""The models that an agent's searching asks: made at the first search, recorded with the run's cassettes."""

import pytest

from pytest_tau.errors import CassetteError
from pytest_tau.plugin.playing.models import Models, cassettes_folder, models
from pytest_tau.plugin.playing.searching import FOLDER, Searching
from tests.llm.server import says
from tests.options.models import Serve
from tests.plugin.conftest import MakeRun
from tests.plugin.inner import write

MODEL = "openai/rates"


def test_a_run_that_never_searches_makes_no_model(make_run: MakeRun) -> None:
    run = make_run(agent_llm=("openai/a",))
    assert Searching(run).take_cost() == 0.0
    assert run.existing(Models) is None


def test_a_search_is_asked_within_the_limits_and_prices_of_the_run(make_run: MakeRun, serve: Serve) -> None:
    server = serve(says('{"rating": 7}'))
    run = make_run(budget="100", prices="prices.json")
    write(run.root, "prices.json", {"rates": {"input": 4000, "output": 12000}})
    searching = Searching(run)
    assert searching.ratings(MODEL, "a parcel", ["Where is it?"]) == [7.0]
    assert [request.model for request in server.requests] == ["rates"]
    assert searching.take_cost() == pytest.approx(0.1)  # for 10 tokens in and 5 out
    assert searching.take_cost() == 0.0
    limits = models(run).limits
    assert limits is not None
    assert limits.spending().usd == pytest.approx(0.1)
    assert not cassettes_folder(run).exists()


def test_what_was_recorded_is_answered_without_a_model(make_run: MakeRun, serve: Serve) -> None:
    server = serve(says('{"rating": 7}'))
    recording = make_run(cassette="record")
    assert Searching(recording).ratings(MODEL, "a parcel", ["Where is it?"]) == [7.0]
    assert len(list((cassettes_folder(recording) / FOLDER).iterdir())) == 1
    replayed = Searching(make_run(cassette="replay"))
    assert replayed.ratings(MODEL, "a parcel", ["Where is it?"]) == [7.0]
    with pytest.raises(CassetteError):
        replayed.ratings(MODEL, "another", ["Where is it?"])
    assert len(server.requests) == 1
