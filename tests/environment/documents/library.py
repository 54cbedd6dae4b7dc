"""A small domain with documents, written on the spot."""

from pathlib import Path
from typing import Any

from pytest_tau import Domain, Task, load_domain

from ..folders import write_domain

DOMAIN = """
from pytest_tau.environment import DomainSpec, KnowledgeBase
from .tools import ShopTools
domain = DomainSpec(tools=ShopTools, documents=KnowledgeBase())
"""

TEXTS = {
    "cancelling.md": "# Cancelling\n\nAn order can be cancelled while it is open.\nA *parcel* on its way cannot.\n",
    "parcels.md": "# Parcels\n\nA parcel takes three days. A parcel of glass takes five.\n",
    "returns.json": '{"id": "returns", "title": "Returns", "text": "Things come back within 30 days."}',
    "seasons.json": '[{"id": "spring", "title": "Spring", "content": "Open at 9."},'
    ' {"id": "winter", "title": "Winter", "content": "Open at 10."}]',
}


def write_library(folder: Path, texts: dict[str, str] | None = None, **files: Any) -> Path:
    write_domain(folder, **{"domain": DOMAIN, **files})
    (folder / "documents").mkdir()
    for name, text in (TEXTS if texts is None else texts).items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    return folder


def library(tmp_path: Path, knowledge: str | None = None, **options: Any) -> Domain:
    return load_domain(write_library(tmp_path / "shop"), knowledge=knowledge, **options)


def cancelling(**fields: Any) -> Task:
    """A task that wants the rule about cancelling read before the order is cancelled."""
    criteria = {
        "actions": [{"action_id": "1", "name": "cancel", "arguments": {"order_id": "O1"}}],
        "trajectory": [{"check": "read_before"}],
        "reward_basis": ["DB", "TRAJECTORY"],
    }
    known = {"id": "cancel", "user_scenario": {"instructions": "Cancel O1."}, "required_documents": ["cancelling"]}
    return Task.model_validate({**known, "evaluation_criteria": criteria, **fields})
