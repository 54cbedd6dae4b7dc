"""Roles of a team: the policy of each, and what a domain may say wrongly of them."""

import re
from pathlib import Path

import pytest

from pytest_tau import load_domain
from pytest_tau.errors import DomainError
from pytest_tau.evaluation.grade import grade
from pytest_tau.simulating import simulate
from tests.builders import task
from tests.environment.documents.library import cancelling, write_library
from tests.environment.folders import write_domain


class TestRoles:
    ROLES = """
from pytest_tau.environment import DomainSpec, TeamRole
from .tools import ShopTools
domain = DomainSpec(tools=ShopTools, roles={
    "front": TeamRole(["three"], ["policy.md"], ["back"]),
    "back": TeamRole(["cancel", "half"], ["policy.md", "back.md"]),
})
"""

    def shop(self, folder: Path, old: str = "", new: str = "") -> Path:
        made = write_domain(folder / "shop", domain=self.ROLES.replace(old, new) if old else self.ROLES)
        (made / "back.md").write_text("<!-- rule: ask -->Ask first.", encoding="utf-8")
        return made

    def test_each_has_a_policy_of_its_files(self, tmp_path: Path) -> None:
        domain = load_domain(self.shop(tmp_path))
        roles = domain.roles_for()
        assert {name: role.policy for name, role in roles.items()} == {
            "front": "Be kind.",
            "back": "Be kind.\n\nAsk first.",
        }
        assert (list(roles["front"].tools), list(roles["front"].hands_to)) == (["three"], ["back"])
        assert domain.policy == "Be kind."

    def test_everybody_may_look_into_the_documents(self, tmp_path: Path) -> None:
        folder = write_library(
            tmp_path / "shop",
            domain=self.ROLES.replace("TeamRole\n", "KnowledgeBase, TeamRole\n")
            .replace("roles={", "documents=KnowledgeBase(), roles={")
            .replace(', "back.md"', ""),
        )
        looking = ["search_documents", "grep_documents", "read_document"]
        domain = load_domain(folder)
        assert [list(role.tools) for role in domain.roles_for().values()] == [
            [*looking, "three"],
            [*looking, "cancel", "half"],
        ]
        played = simulate(cancelling(), domain, agent="oracle:team")
        assert grade(cancelling(), played, domain).passed
        assert list(load_domain(folder, knowledge="none").roles_for()["front"].tools) == ["three"]
        # And where documents stand in the policy, they stand in that of each role.
        full, golden = (load_domain(folder, knowledge=setting) for setting in ("full", "golden"))
        assert "A parcel takes three days." in full.roles_for()["back"].policy
        assert "while it is open" in golden.roles_for(cancelling())["back"].policy
        assert "A parcel takes three days." not in golden.roles_for(cancelling())["back"].policy
        assert "while it is open" not in golden.roles_for(task())["back"].policy

    @pytest.mark.parametrize(
        ("old", "new", "sentence"),
        [
            ('["three"]', '["four"]', "the role 'front' names 'four', and there is no such tool"),
            ('["back"]', '["front"]', "the role 'front' names 'front', and there is no such role"),
            ("back.md", "side.md", "the role 'back' names 'side.md', and there is no such file"),
            ('["policy.md", "back.md"]', "[]", "the role 'back' has no policy; name its files"),
            ('["cancel", "half"]', '["cancel"]', "the tool 'half' belongs to no role"),
        ],
    )
    def test_what_there_is_not_is_told(self, tmp_path: Path, old: str, new: str, sentence: str) -> None:
        with pytest.raises(DomainError, match=f"domain.py: {re.escape(sentence)}"):
            load_domain(self.shop(tmp_path, old, new))
