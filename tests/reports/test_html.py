import base64
import hashlib
import re
import tracemalloc
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pytest_tau.environment.rules import read_rules
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts
from pytest_tau.reports.evidence import visible_text
from pytest_tau.reports.html import write_html
from pytest_tau.reports.markdown import markdown
from pytest_tau.schema.record import TrialRecord
from pytest_tau.schema.reward import Conduct, Reward
from tests.builders import says, task
from tests.metrics.mutants import totals as mutants
from tests.metrics.mutants import trial as mutant
from tests.reports.blocks import conversations
from tests.reports.runs import hostile_run, hostile_tasks, record, simulation, small_run, small_tasks


class Elements(HTMLParser):
    """Every element of a page with its attributes, and what stands in its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, str]] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            kind = dict(attrs).get("type") or tag
            self._inside = kind
            self.raw.append((kind, ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = "" if tag in ("script", "style") else self._inside

    def handle_data(self, data: str) -> None:
        if self._inside:
            kind, text = self.raw[-1]
            self.raw[-1] = (kind, text + data)

    def of(self, kind: str) -> list[str]:
        return [text for found, text in self.raw if found == kind]


def page(tmp_path: Path, records: Any, **options: Any) -> str:
    path = tmp_path / "report.html"
    write_html(records, path, **options)
    return path.read_text(encoding="utf-8")


def test_rules_of_the_policy_stand_without_the_signs_of_markdown(tmp_path: Path) -> None:
    one = record()
    rules = {one.domain: read_rules("<!-- rule: kind --> **Be kind.** Always.")}
    text = page(tmp_path, [one], tasks={(one.domain, one.task_id): task(id=one.task_id, rules=["kind"])}, rules=rules)
    assert ">Be kind. Always.<" in text


def test_how_many_kept_the_policy_stands_beside_how_many_succeeded(tmp_path: Path) -> None:
    unclear = Reward(value=1.0, basis=["DB"], results=[], violated=[], conduct=Conduct(completed=True, unclear=1))
    assert "steps each, under policy 0.0–100.0 %, cost" in page(tmp_path, [record(reward=unclear)])
    assert "under policy" not in page(tmp_path, [record()])


def test_the_numbers_of_all_rows_are_those_of_the_table(tmp_path: Path) -> None:
    """A task of two tests is one, and trials of variants are not of the row."""
    made = Totals()
    for row, variant in (("mock, a", None), ("mock, b", None), ("mock, a, typos", {"label": "typos"})):
        made.add(TrialFacts(row, "one", "passed", costs=Costs(1.0), variant=variant))
    assert '<p class="note">1 task, 2 trials, cost $2.00' in page(tmp_path, [], totals=made)


def test_a_run_that_was_stopped_has_no_intervals(tmp_path: Path) -> None:
    made = Totals()
    for trial in (played := list(small_run())):
        made.add(TrialFacts.of(trial.model_dump(mode="json")))
    with_them = page(tmp_path, played, totals=made)
    made.of()[0].spared = 1
    without = page(tmp_path, played, totals=made)
    assert re.search(r"\[\d+–\d+\]</td>", with_them)
    table = without.partition("mock</b>")[2].partition("</table>")[0]
    assert "<th>pass^1</th>" in table
    assert not re.search(r"\[\d+", table)


def test_the_notes_are_about_no_trial_under_a_changed_policy_as_in_markdown(tmp_path: Path) -> None:
    totals = mutants("passed", "missed")
    totals.add(mutant("shop, delete:kind", "one", "infra_error", "delete:kind"))
    told = page(tmp_path, [], totals=totals)
    assert "The numbers of the variants leave out" not in told
    assert "The numbers of the variants leave out" not in markdown(totals)
    assert "95 % interval" in told


def test_a_recording_that_does_not_say_how_long_it_took_is_not_said_to_take_no_time(tmp_path: Path) -> None:
    assert "of conversation" in page(tmp_path, [record()])
    untimed = page(tmp_path, [record(simulation=simulation(duration=0.0))])
    assert "of conversation" not in untimed
    assert "time" not in [name for name, _ in conversations(untimed)[0]["facts"]]


def squeezed(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


class TestPage:
    def test_every_trial_is_in_it(self, tmp_path: Path) -> None:
        path = tmp_path / "new" / "report.html"
        assert write_html(iter(small_run()), path) == 6
        views = conversations(path.read_text(encoding="utf-8"))
        assert [view["nodeid"] for view in views] == [trial.nodeid for trial in small_run()]

    def test_it_needs_nothing_from_elsewhere(self, tmp_path: Path) -> None:
        elements = Elements(page(tmp_path, small_run(), tasks=small_tasks()))
        attributes = {name for _, attrs in elements.found for name in attrs}
        assert not attributes & {"src", "href", "srcset", "action", "style", "data"}
        assert not any(name.startswith("on") for name in attributes)
        assert "url(" not in elements.of("style")[0]
        assert "@import" not in elements.of("style")[0]

    def test_the_policy_allows_exactly_its_own_script_and_style(self, tmp_path: Path) -> None:
        elements = Elements(page(tmp_path, small_run()))
        policy = next(a["content"] for _, a in elements.found if a.get("http-equiv") == "Content-Security-Policy")
        hashes = {
            kind: base64.b64encode(hashlib.sha256(elements.of(kind)[0].encode()).digest()).decode()
            for kind in ("script", "style")
        }
        assert policy == (
            f"default-src 'none'; script-src 'sha256-{hashes['script']}'; style-src 'sha256-{hashes['style']}'; "
            "base-uri 'none'; form-action 'none'"
        )
        assert len(elements.of("script")) == len(elements.of("style")) == 1

    def test_hostile_text_makes_no_element_and_comes_out_whole(self, tmp_path: Path) -> None:
        text = page(tmp_path, hostile_run(), tasks=hostile_tasks(), title="<script>document.title='owned'</script>")
        elements = Elements(text)
        assert [kind for kind, _ in elements.raw] == ["style", "application/json", "text/plain", "script"]
        assert not {tag for tag, _ in elements.found} & {"img", "a", "iframe", "object", "embed"}
        assert not any(name.startswith("on") for _, attrs in elements.found for name in attrs)
        for view, trial in zip(conversations(text), hostile_run(), strict=True):
            assert view["messages"][0]["text"] == visible_text(trial.task_id)
            assert view["criteria"][0]["checks"][0][1] == visible_text(trial.task_id)

    def test_a_report_that_fails_leaves_the_last_one(self, tmp_path: Path) -> None:
        before = page(tmp_path, small_run())

        def broken() -> Iterator[TrialRecord]:
            yield record()
            raise RuntimeError("the journal ends here")

        with pytest.raises(RuntimeError, match="journal ends"):
            write_html(broken(), tmp_path / "report.html")
        assert (tmp_path / "report.html").read_text(encoding="utf-8") == before
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    def test_no_trials_make_an_empty_report(self, tmp_path: Path) -> None:
        assert "0 trials" in page(tmp_path, [])

    def test_conversations_are_not_kept_in_memory(self, tmp_path: Path) -> None:
        def many() -> Iterator[TrialRecord]:
            for number in range(60):
                played = simulation(messages=[says(Random(number).randbytes(45_000).hex())])
                yield record(f"t{number}", simulation=played)

        write_html([record()], tmp_path / "warm.html")
        tracemalloc.start()
        write_html(many(), tmp_path / "report.html")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (tmp_path / "report.html").stat().st_size > 4_000_000
        assert peak < 2_000_000

    def test_lone_surrogates_can_be_written(self, tmp_path: Path) -> None:
        assert "\\xd800" in page(tmp_path, [record("\ud800", simulation=None, reward=None)])


class TestSummary:
    def test_pass_k_of_each_domain_and_of_all(self, tmp_path: Path) -> None:
        text = squeezed(page(tmp_path, small_run()))
        assert "pass^k all domains" in text
        # Tasks pass always, half the time and never; the first two are mock's.
        for value, tasks in (("50.0", 3), ("75.0", 2), ("0.0", 1)):
            assert re.search(rf"pass\^1 {value} % \[\d+–\d+\] {tasks} ", text)
        assert "The table leaves out 1 infra" in text

    def test_the_runs_own_totals_know_what_never_ran(self, tmp_path: Path) -> None:
        totals = Totals()
        totals.plan("mock", "lost", 4)
        text = squeezed(page(tmp_path, [], totals=totals))
        assert "1 task" in text
        assert "not run" in text

    def test_trials_stand_in_order_whenever_they_finished(self, tmp_path: Path) -> None:
        elements = Elements(page(tmp_path, [record(trial=number) for number in (3, 1, 2)]))
        cells = [attrs for tag, attrs in elements.found if tag == "button" and "data-trial" in attrs]
        assert [cell["data-trial"] for cell in cells] == ["1", "2", "0"]
        assert cells[0]["aria-label"] == "mock/t, trial 1: passed"

    def test_a_baseline_is_compared_over_the_tasks_of_both(self, tmp_path: Path) -> None:
        baseline = {("mock", "always"): (0, 2), ("mock", "sometimes"): (2, 2), ("mock", "gone"): (0, 2)}
        text = squeezed(page(tmp_path, [t for t in small_run() if t.domain == "mock"], baseline=baseline))
        assert "50.0 % +25.0 2" in text
        assert "1 worse, 1 better of 2 comparable" in text
        assert "mock/sometimes 2/2 1/2 −50" in text
        assert "mock/always 0/2 2/2 +100 never → always" in text

    def test_without_a_baseline_nothing_is_compared(self, tmp_path: Path) -> None:
        assert "aseline" not in squeezed(page(tmp_path, small_run()).partition("<body>")[2].partition("<script>")[0])

    def test_filters_offer_what_there_is(self, tmp_path: Path) -> None:
        text = page(tmp_path, small_run(), tasks=small_tasks())
        options = {attrs["value"] for tag, attrs in Elements(text).found if tag == "option"}
        assert options == {"", "mock", "shop", "easy", "hard", "get_users", "partly done", "worst", "name"}
