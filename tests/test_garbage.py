"""What lives as long as the process is not visited by the garbage collector."""

import gc
from collections.abc import Iterator

import pytest

from pytest_tau.garbage import lasting, seldom_visited


def _is_visited(thing: object) -> bool:
    return any(one is thing for one in gc.get_objects())


def test_what_is_made_to_last_is_not_visited_any_more() -> None:
    with lasting():
        assert not gc.isenabled()
        made = [object()]
        assert _is_visited(made)
    assert gc.isenabled()
    assert not _is_visited(made)
    later = [object()]
    assert _is_visited(later)


def test_the_collector_is_back_after_a_failure() -> None:
    with pytest.raises(ImportError), lasting():
        raise ImportError
    assert gc.isenabled()


def test_who_has_switched_the_collector_off_keeps_it_so() -> None:
    gc.disable()
    try:
        with lasting():
            made = [object()]
        assert not gc.isenabled()
        assert _is_visited(made)
    finally:
        gc.enable()


@pytest.fixture
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("thresholds")
def test_young_objects_are_visited_less_often_for_a_while() -> None:
    gc.set_threshold(700, 10, 10)
    with seldom_visited():
        assert gc.get_threshold() == (20_000, 10, 10)
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.usefixtures("thresholds")
def test_who_has_chosen_how_often_keeps_it_so() -> None:
    gc.set_threshold(1, 5, 5)
    with seldom_visited():
        assert gc.get_threshold() == (1, 5, 5)
