"""The report in a real browser: what is shown, what can be pressed, and that hostile text stays text."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.reports.evidence import visible_text
from pytest_tau.reports.history import Past
from pytest_tau.reports.html import write_html
from pytest_tau.schema.messages import UserMessage
from tests.reports.chromium import Page, browser, executable
from tests.reports.runs import (
    HOSTILE,
    TITLE,
    hostile_run,
    hostile_tasks,
    record,
    simulation,
    small_run,
    small_tasks,
)

CHROMIUM = executable()
ABOUT: dict[str, Any] = {
    "gates": [("failed", "gate pass^1 >= 0.9: pass^1 is 60.0 %"), ("held", "gate cost <= 1: it is $0.05")],
    "facts": [("agent", "mine:Agent"), ("command", "pytest --tau-domain mock")],
    "policies": {"mock": "Be kind."},
    "history": [Past(f"2025-01-0{day}", "abc1234", "mine", day / 10, 0.0, 1.0, 3) for day in (1, 2, 3)],
}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None or os.name != "posix", reason="no Chromium found: install chromium or google-chrome"
    ),
]


@pytest.fixture(scope="module")
def window() -> Iterator[Page]:
    assert CHROMIUM is not None
    with browser(CHROMIUM) as page:
        yield page


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "small.html"
    baseline = {("mock", "sometimes"): (2, 2)}
    write_html(small_run(), path, tasks=small_tasks(), title=TITLE, baseline=baseline, **ABOUT)
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    baseline = dict.fromkeys(hostile_tasks(), (1, 1))
    text = "".join(HOSTILE[:-1])
    about: dict[str, Any] = {
        "gates": [("failed", text), ("", text)],
        "facts": [(text, text)],
        "policies": dict.fromkeys(HOSTILE, text),
        "history": [Past(text, text, text, 0.5, 0.0, 1.0, 1)] * 2,
    }
    write_html(hostile_run(), path, tasks=hostile_tasks(), title=TITLE, baseline=baseline, **about)
    return path


@pytest.fixture
def page(window: Page, small: Path) -> Page:
    window.look()
    window.open(small)
    return window


def text(page: Page, selector: str) -> Any:
    return page.run(f"document.querySelector({selector!r})?.innerText ?? null")


def visible(page: Page) -> Any:
    """The trials that the filters leave, as positions in the journal."""
    return page.run("[...document.querySelectorAll('.heat .cell:not(.out)')].map(cell => Number(cell.dataset.trial))")


def current(page: Page) -> Any:
    found = page.run("document.querySelector('.cell[aria-current]')?.dataset.trial ?? null")
    return None if found is None else int(found)


def choose(page: Page, id: str, value: str) -> None:
    page.run(
        f"{{ const it = document.getElementById({id!r}); it.value = {value!r}; it.dispatchEvent(new Event('change')) }}"
    )


def find(page: Page, what: str) -> None:
    page.run(f"{{ document.getElementById('q').value = {what!r}; document.getElementById('filters').requestSubmit() }}")


def complaints(page: Page) -> list[dict[str, Any]]:
    """Exceptions, refused scripts or styles, and requests for anything but the file itself."""
    reported = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
    asked = [e for e in page.events if e["method"] == "Network.requestWillBeSent"]
    return [e for e in page.events if e["method"] in reported] + asked[1:]


class TestHostileText:
    def test_nothing_runs_when_every_trial_is_opened_and_unfolded(self, window: Page, hostile: Path) -> None:
        window.look()
        window.open(hostile)
        for position, said in enumerate(HOSTILE):
            window.run(f"document.querySelector('.cell[data-trial=\"{position}\"]').click()")
            window.run("document.querySelectorAll('details').forEach(node => node.open = true)")
            assert window.run("document.querySelector('.agent .text').textContent") == visible_text(said)
            assert window.run("document.querySelectorAll('#trial :is(script, img, svg, a, iframe)').length") == 0
            assert window.run("document.querySelectorAll('#trial [onload], #trial [onerror]').length") == 0
            assert window.run("document.documentElement.scrollWidth") == 1280
        assert window.run("document.title") == TITLE
        assert complaints(window) == []

    def test_it_can_be_searched_for_and_linked_to(self, window: Page, hostile: Path) -> None:
        window.look()
        for position, said in enumerate(HOSTILE[:4]):
            window.open(hostile)
            find(window, said)
            assert position in visible(window)
            fragment = window.run("location.hash")
            window.open(hostile, fragment)
            assert window.run("document.getElementById('q').value") == said
            assert window.run("document.title") == TITLE

    def test_a_fragment_can_ask_for_nonsense(self, window: Page, hostile: Path) -> None:
        window.look()
        for fragment in ("#trial=999", "#trial=-1&tag=x", "#trial=<script>&outcome=,,", "#%E0%A4%A", "#__proto__=1"):
            window.open(hostile, fragment)
            assert window.run("document.querySelectorAll('.chat').length") == 1
            assert complaints(window) == []

    def test_a_script_that_got_in_would_be_refused(self, page: Page) -> None:
        page.run(
            "{ const it = document.createElement('script'); it.textContent = \"document.title = 'owned'\";"
            " document.body.append(it) }"
        )
        assert page.run("document.title") == TITLE
        assert complaints(page) != []
        assert page.run("fetch('https://example.invalid/').then(() => 'sent', () => 'refused')") == "refused"
        page.run("document.body.setAttribute('onclick', \"document.title = 'owned'\"), document.body.click()")
        assert page.run("document.title") == TITLE


class TestReading:
    def test_the_first_missed_trial_is_open_at_first(self, page: Page) -> None:
        assert text(page, "#trial h2") == "mock/sometimes"
        assert text(page, "#trial .outcome") == "missed"
        assert complaints(page) == []

    def test_the_difference_is_shown_and_calls_are_folded(self, page: Page) -> None:
        assert text(page, ".difference .expected code") == '"completed"'
        assert text(page, ".difference .actual code") == '"pending"'
        assert page.run("document.querySelector('details.call').open") is False

    def test_a_trial_that_never_began(self, page: Page) -> None:
        page.run("document.querySelector('.cell.infra_error[data-trial]').click()")
        assert text(page, "#trial .remark") == "RateLimitError"
        assert "no conversation" in text(page, "#trial")

    def test_an_empty_report(self, window: Page, tmp_path: Path) -> None:
        write_html([], tmp_path / "empty.html")
        window.open(tmp_path / "empty.html")
        window.press("j")
        assert complaints(window) == []

    def test_only_the_open_conversation_is_in_the_page(self, window: Page, tmp_path: Path) -> None:
        played = [
            record(f"t{n}", simulation=simulation(f"t{n}", messages=[*simulation().messages] * 20)) for n in range(500)
        ]
        write_html(played, tmp_path / "many.html")
        window.look()
        window.open(tmp_path / "many.html")
        assert window.run("document.querySelectorAll('.chat').length") == 1
        assert window.run("document.querySelectorAll('.heat .cell').length") == 500
        find(window, "about t42, ")
        assert visible(window) == []  # the conversations all speak of another task
        assert not window.run("document.getElementById('none').hidden")


class TestAtTheTop:
    def test_gates_and_how_the_numbers_came_about(self, page: Page) -> None:
        banner = text(page, ".banner")
        assert banner.split("\n") == [
            "FAILED gate pass^1 >= 0.9: pass^1 is 60.0 %",
            "HELD gate cost <= 1: it is $0.05",
        ]
        assert page.run("document.querySelector('.banner').getBoundingClientRect().bottom") < 400
        page.run("document.querySelector('.facts-of-run').open = true")
        assert "pytest --tau-domain mock" in text(page, ".facts-of-run")
        assert page.run("document.querySelectorAll('.trend circle').length") == 3

    def test_a_fault_is_a_filter(self, page: Page) -> None:
        page.run("document.querySelector('.shares button').click()")
        assert visible(page) == [2, 4]


class TestFinding:
    def test_a_turn_that_is_named_is_a_link_to_it(self, page: Page) -> None:
        page.run("document.querySelector('.facts .turn').click()")  # the fault is about turn 4
        assert text(page, ".chat .here .text") == "Done."

    def test_a_task_opens_at_its_miss_and_its_address_is_the_test(self, page: Page) -> None:
        page.run("document.querySelector('.heat .link[data-task=\"2\"]').click()")
        assert text(page, "#trial h2") == "shop/never"
        assert "shop%2Fnever.json%3A%3Atest_task%5Btrial1%5D" in page.run("location.hash")

    def test_what_is_not_shown_is_not_searched(self, page: Page) -> None:
        find(page, "missed")  # how a criterion ended is a mark
        assert visible(page) == []
        find(page, "agent")  # who speaks; but where records differ, it says in whose database
        assert visible(page) == [2, 4]

    def test_what_is_searched_for_is_marked_in_turkish_too(self, window: Page, tmp_path: Path) -> None:
        said = [UserMessage(content="İYİ İŞ, İstanbul'dan uçuş")]
        write_html([record("t", simulation=simulation("t", messages=said))], tmp_path / "turkish.html")
        window.look()
        window.open(tmp_path / "turkish.html")
        for what, marked in (("ş", ["Ş", "ş"]), ("İstanbul", ["İstanbul"]), ("istanbul", ["İstanbul"])):
            find(window, what)
            found = window.run("[...document.querySelectorAll('.chat .text mark')].map(it => it.textContent)")
            assert found == marked
        assert complaints(window) == []

    def test_what_is_searched_for_is_marked(self, page: Page) -> None:
        find(page, "about sometimes")
        assert text(page, "#trial mark").lower() == "about sometimes"
        find(page, "")
        assert page.run("document.querySelectorAll('mark').length") == 0
        assert "This is about always, trial 1." in text(page, "#trial")

    def test_a_call_in_which_it_was_found_is_unfolded(self, page: Page) -> None:
        assert page.run("document.querySelector('details.call').open") is False
        find(page, "user_1")
        assert page.run("document.querySelector('details.call').open") is True

    @pytest.mark.parametrize(
        ("by", "first"), [("worst", "sometimes"), ("name", "always"), ("", "always"), ("steps", "always")]
    )
    def test_tasks_can_be_sorted(self, window: Page, tmp_path: Path, by: str, first: str) -> None:
        run = [*small_run(), record("always", 3, simulation=simulation("always", 3, steps=50))]
        write_html(run, tmp_path / "sorted.html", tasks=small_tasks())
        window.look()
        window.open(tmp_path / "sorted.html")
        choose(window, "sort", by)
        assert text(window, ".heat tr.task .link") == first
        window.open(tmp_path / "sorted.html", window.run("location.hash"))
        assert text(window, ".heat tr.task .link") == first

    def test_the_policy_stands_beside_the_task(self, page: Page) -> None:
        page.run("document.querySelectorAll('details').forEach(node => node.open = true)")
        assert "Be kind." in text(page, "#trial")

    def test_a_text_can_be_copied(self, page: Page) -> None:
        page.run("document.querySelector('.facts .copy').click()")
        assert text(page, ".facts .copy") in ("copied", "press Ctrl-C")


class TestFilters:
    def test_outcomes_add_up(self, page: Page) -> None:
        page.run("document.querySelector('.chip[data-outcome=missed]').click()")
        assert visible(page) == [2, 4]
        page.run("document.querySelector('.chip[data-outcome=infra_error]').click()")
        assert visible(page) == [2, 4, 5]
        assert text(page, "#count") == "3 of 6 trials"

    @pytest.mark.parametrize(
        ("id", "value", "left"),
        [
            ("domain", "shop", [4, 5]),
            ("tag", "easy", [0, 1]),
            ("tool", "get_users", [0, 1, 2, 3, 4]),
            ("fault", "partly done", [2, 4]),
            ("change", "worse", [2, 3]),
        ],
    )
    def test_choices(self, page: Page, id: str, value: str, left: list[int]) -> None:
        choose(page, id, value)
        assert visible(page) == left
        assert page.run("document.querySelectorAll('.heat tr.task:not([hidden])').length") < 3 or id == "tool"

    @pytest.mark.parametrize(
        ("what", "left"),
        [("ABOUT ALWAYS, TRIAL 2", [1]), ("ratelimiterror", [5]), ("easy", [0, 1]), ("pending", [2, 4]), ("zzz", [])],
    )
    def test_text_is_looked_for_in_whole_conversations(self, page: Page, what: str, left: list[int]) -> None:
        find(page, what)
        assert visible(page) == left

    def test_a_filtered_view_can_be_linked_to_and_cleared(self, page: Page, small: Path) -> None:
        choose(page, "tag", "hard")
        page.run("document.querySelector('.chip[data-outcome=missed]').click()")
        fragment = page.run("location.hash")
        page.open(small, fragment)
        assert visible(page) == [2, 4]
        page.run("document.getElementById('clear').click()")
        assert visible(page) == [0, 1, 2, 3, 4, 5]
        assert page.run("document.getElementById('clear').hidden")


class TestKeyboard:
    def test_j_and_k_go_through_the_trials_found(self, page: Page) -> None:
        page.run("document.querySelector('.chip[data-outcome=missed]').click()")
        assert current(page) == 2
        page.press("j")
        assert current(page) == 4
        page.press("j")  # there is no next one
        assert current(page) == 4
        page.press("k")
        assert current(page) == 2

    def test_j_goes_on_from_a_trial_that_was_filtered_away(self, page: Page) -> None:
        choose(page, "domain", "shop")
        page.press("j")
        assert current(page) == 4

    def test_slash_goes_to_the_field_where_letters_are_letters(self, page: Page) -> None:
        page.press("/")
        page.press("j")
        assert page.run("document.activeElement.id") == "q"
        assert page.run("document.getElementById('q').value") == "j"
        assert current(page) == 2
        page.press("Escape")
        assert page.run("document.activeElement.id") != "q"

    def test_x_unfolds_and_folds_calls(self, page: Page) -> None:
        page.press("x")
        assert page.run("document.querySelector('details.call').open") is True
        page.press("x")
        assert page.run("document.querySelector('details.call').open") is False

    def test_question_mark_opens_the_help_and_escape_the_list(self, page: Page) -> None:
        page.press("?")
        assert page.run("document.getElementById('keys').open") is True
        page.press("j")
        assert current(page) == 2
        page.run("document.getElementById('keys').close()")
        page.press("Escape")
        assert current(page) is None

    def test_a_trial_that_was_closed_stays_so_when_the_page_is_loaded_again(self, page: Page, small: Path) -> None:
        page.press("Escape")
        page.open(small, page.run("location.hash"))
        assert current(page) is None


class TestScreens:
    def test_light_and_dark(self, page: Page) -> None:
        colours = []
        for dark in (False, True):
            page.look(dark=dark)
            colours.append(page.run("getComputedStyle(document.body).backgroundColor"))
        assert colours == ["rgb(251, 251, 250)", "rgb(19, 21, 25)"]

    def test_a_phone_shows_the_whole_name_of_a_task(self, window: Page, tmp_path: Path) -> None:
        write_html([record("very_" * 40)], tmp_path / "run.html")
        window.look(width=375, height=700, phone=True)
        window.open(tmp_path / "run.html")
        name = "document.querySelector('.heat .link')"
        assert window.run(f"{name}.scrollHeight - {name}.clientHeight") == 0
        assert window.run("document.documentElement.scrollWidth") == 375

    def test_a_phone_shows_whole_tables(self, window: Page, tmp_path: Path) -> None:
        agents = [
            record(f"t{n}", label=label).model_copy(update={"nodeid": f"all.json::test_task[{label}-t{n}-trial1]"})
            for n in range(3)
            for label in ("a_model_with_a_long_name", "another_one")
        ]
        baseline = {("mock, another_one", f"t{n}"): (0, 9) for n in range(3)}
        write_html(agents, tmp_path / "run.html", baseline=baseline)
        window.look(width=375, height=700, phone=True)
        window.open(tmp_path / "run.html")
        cut = "[...document.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth).length"
        assert window.run(cut) == 0
        assert window.run("document.querySelector('.stack td').dataset.label") == "pass^1"

    def test_a_phone_reads_one_thing_at_a_time_and_never_sideways(self, window: Page, small: Path) -> None:
        window.look(width=375, height=700, phone=True)
        window.open(small)
        assert window.run("document.getElementById('trial').checkVisibility()") is False
        assert window.run("document.documentElement.scrollWidth") == 375
        window.run("document.querySelector('.cell.missed[data-trial]').click()")
        assert window.run("document.getElementById('trials').checkVisibility()") is False
        assert window.run("document.documentElement.scrollWidth") == 375
        window.run("new Promise(done => { addEventListener('popstate', () => done()); history.back() })")
        assert window.run("document.getElementById('trials').checkVisibility()") is True


def test_boxes_that_scroll_have_a_shade_where_there_is_more(page: Page) -> None:
    boxes = "[...document.querySelectorAll('body *')].filter(box => getComputedStyle(box).overflowY === 'auto')"
    bare = f"{boxes}.filter(box => !getComputedStyle(box).backgroundAttachment.includes('local'))"
    assert page.run(f"{boxes}.length") > 0
    assert page.run(f"{bare}.map(box => box.outerHTML.slice(0, 80))") == []
