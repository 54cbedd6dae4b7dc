"""Limits of nothing, and the parts of several hosts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.errors import SettingsError
from pytest_tau.llm.limits import LimitSettings


@pytest.mark.parametrize("name", ["rpm", "tpm", "max_inflight", "budget_usd", "budget_tokens"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_of_nothing_is_refused(name: str, value: int) -> None:
    with pytest.raises(SettingsError, match=f"{name.replace('_', ' ')} is {value}; a limit is more than 0"):
        LimitSettings(**{name: value})


_whole = st.none() | st.integers(1, 10**9)


@given(rpm=_whole, tpm=_whole, inflight=_whole, usd=st.none() | st.floats(1e-6, 1e6), hosts=st.integers(1, 50))
def test_law_the_parts_of_all_hosts_never_exceed_the_whole(
    rpm: int | None, tpm: int | None, inflight: int | None, usd: float | None, hosts: int
) -> None:
    whole = LimitSettings(rpm=rpm, tpm=tpm, max_inflight=inflight, budget_usd=usd)
    if any(value is not None and value < hosts for value in (rpm, tpm, inflight)):
        with pytest.raises(SettingsError, match=f"too little to be shared by {hosts} hosts"):
            whole.part(hosts)
        return
    for name, part in vars(whole.part(hosts)).items():
        limit = getattr(whole, name)
        assert (part is None) == (limit is None)
        if part is not None:
            assert part > 0
            assert limit - (hosts if isinstance(limit, int) else 0) < part * hosts * (1 + 1e-9)
            assert part * hosts <= limit * (1 + 1e-9)
