"""What lives as long as the process is not visited by the garbage collector."""

import gc

import pytest

from pytest_tau.garbage import lasting


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
