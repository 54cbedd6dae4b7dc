"""Findings of the doctor: the worst of them counts, and each is data."""

from pytest_tau.doctor.findings import failure, ok, warning, worst


def test_the_worst_counts() -> None:
    fine, doubtful = ok("agent", "tools", "It calls them."), warning("user", "price", "It has none.", "Name one.")
    assert worst([]) == worst([fine]) == "ok"
    assert worst([doubtful, fine]) == "warning"
    assert worst([doubtful, failure("judge", "address", "Nobody answers.", "Start it."), fine]) == "failed"


def test_a_finding_as_data() -> None:
    assert warning("user", "price", "It has none.").data == {
        "side": "user",
        "check": "price",
        "status": "warning",
        "text": "It has none.",
        "advice": "",
        "figures": {},
    }
