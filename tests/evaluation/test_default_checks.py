"""What a domain checks by itself: claims, whose records, needless changes; on conversations written against them."""

from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.errors import DomainError
from pytest_tau.evaluation.defaults import checks_for
from pytest_tau.evaluation.reasons import gives
from pytest_tau.evaluation.trajectory import trajectory
from pytest_tau.schema.reward import Check
from tests.builders import mock, task
from tests.evaluation.written import Written, played, read

RETAIL = load_domain("retail")
NAMES = {"claims": "claims", "records": "own_records", "needless": "no_needless_writes"}


def look(written: Written, kind: str) -> Check:
    retail = task(criteria={}, domain="retail")
    messages = played(written.messages, RETAIL)
    found = trajectory(retail, messages, in_basis=True, env=RETAIL.environment())
    return next(check for check in found.checks if check.kind == kind)


@pytest.mark.parametrize(
    ("file", "written"),
    [pytest.param(file, one, id=f"{file}-{one.name}") for file in NAMES for one in read(file)],
)
def test_conversations(file: str, written: Written) -> None:
    check = look(written, NAMES[file])
    assert check.met is (written.verdict == "met"), check.explanation
    assert (check.turn is None) is check.met


@pytest.mark.parametrize("written", read("reasons"), ids=lambda written: written.name)
def test_reasons(written: Written) -> None:
    said = written.messages[-1].content or ""
    assert gives(said, written.fields["phrasing"]) is (written.verdict == "met")


class TestWhichChecksHold:
    def kinds(self, **criteria: Any) -> list[tuple[str, bool]]:
        return [(check.check, own) for check, own in checks_for(task(criteria=criteria), RETAIL)]

    def test_those_of_the_domain(self) -> None:
        assert self.kinds() == [
            ("identified", True),
            ("confirmed", True),
            ("claims", True),
            ("own_records", True),
            ("no_needless_writes", True),
        ]

    def test_a_task_switches_them_off_or_says_otherwise(self) -> None:
        own = {"check": "confirmed", "names": ["cancel_pending_order"]}
        kinds = self.kinds(trajectory=[own], without=["claims", "identified"])
        assert kinds == [("confirmed", False), ("own_records", True), ("no_needless_writes", True)]

    def test_every_domain_looks_at_claims_and_needless_changes(self) -> None:
        found = [check.check for check, _ in checks_for(task(), mock())]
        assert found == ["claims", "no_needless_writes"]

    def test_a_confirmed_without_names_is_about_what_the_policy_names(self) -> None:
        airline = load_domain("airline")
        (check, _), *_ = checks_for(task(criteria={"trajectory": [{"check": "confirmed"}]}), airline)
        assert "send_certificate" not in (getattr(check, "names", None) or ["send_certificate"])

    def test_what_is_no_check_is_refused_with_the_domain(self) -> None:
        from dataclasses import replace

        with pytest.raises(DomainError, match=r"DomainSpec\.checks"):
            _ = replace(RETAIL.spec, checks=[{"check": "politeness"}]).default_checks
