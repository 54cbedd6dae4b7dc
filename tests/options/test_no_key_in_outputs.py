"""Keys from every place where one can stand, echoed by the models: found in no output of the run."""

import json

import pytest

from tests.llm.server import Answer, Request, calls, says
from tests.options.models import AGENT, KEY, ONE, USER, Serve
from tests.plugin.inner import mock_run
from tests.reports.blocks import readable

PLANTED = {
    "environment": KEY,
    "header": "plantedinheader4711",
    "body": "plantedinbody4711",
    "query": "plantedinquery4711",
}
ADDRESS = "plantedinaddress4711"
ECHO = " ".join([*PLANTED.values(), ADDRESS])
OUTPUTS = ("--tau-html=all.html", "--tau-markdown=all.md", "--junitxml=all.xml", "--alluredir=allure")
EXPORTS = ("all.json", "all.csv", "tau2:tau2.json", "sft:sft.jsonl")


@pytest.fixture
def inner_plugins() -> tuple[str, ...]:
    return ("tau", "xdist", "allure_pytest", "syrupy")


def echoing(request: Request) -> Answer:
    """An agent that says all keys, hands them to a tool and then to nobody; a customer who repeats them."""
    said = len(request.messages)
    if request.model == "user":
        return says(f"I was told {ECHO}. ###STOP###" if said > 3 else f"Tick off task_1. My key is {ECHO}.")
    if said < 4:
        return calls(("update_task_status", {"task_id": f"task_1 {ECHO}", "status": ECHO}))
    return says(f"Your keys are {ECHO}.\n::error::{ECHO}")


# With the query in its address the server is not found, and says so with the address.
@pytest.mark.parametrize("query", ["", f"?access_token={ADDRESS}"], ids=["played", "refused"])
def test_planted_keys_are_found_nowhere(
    query: str, serve: Serve, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    server = serve(echoing)
    address = {
        "api_base": server.url + query,
        "extra_headers": {"X-Auth": PLANTED["header"]},
        "extra_body": {"auth": PLANTED["body"]},
        "extra_query": {"sig": PLANTED["query"]},
    }
    args = json.dumps(address)
    exports = [f"--tau-export={one}" for one in EXPORTS]
    models = (AGENT, USER, f"--tau-agent-llm-args={args}", "--tau-judge-llm=openai/judge", "--tau-user-judge")
    result = mock_run(
        pytester, ONE, *models, *OUTPUTS, *exports, "--tau-cassette=record", "-v", "-l", "--tb=long", "-rA"
    )
    (pytester.path / "screen.txt").write_text(result.stdout.str() + result.stderr.str())
    assert query or any(PLANTED["header"] in one.headers.values() for one in server.requests)
    files = [file for file in pytester.path.rglob("*") if file.is_file()]
    assert len(files) > 15
    planted = PLANTED | ({"address": ADDRESS} if query else {})
    leaks = {
        f"{name} in {file.relative_to(pytester.path)}"
        for file in files
        for name, key in planted.items()
        if key.encode() in file.read_bytes() or key in readable(file)
    }
    assert leaks == set()
