"""The texts of a domain's policy: which files they are made of, and what stands in them besides.

Authors name the rules of a policy by marks (:mod:`.rules`). A text has them here, unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DomainError, reason
from ..schema.task import Task
from .rules import without_marks
from .spec import DomainSpec
from .values import file_of, fill

if TYPE_CHECKING:
    from .documents.knowledge import Knowledge
    from .documents.store import Documents

POLICY_FILE = ".md"
"""How the name of a file ends that takes the place of a policy."""


def policies_of(
    texts: Path,
    spec: DomainSpec,
    variant: str | None,
    domain: str,
    knowledge: Knowledge | None,
    documents: Documents | None,
) -> tuple[str, str | None]:
    """The policy, and the one for solo mode where it is another; with the documents that always stand in it."""
    if variant is not None and not variant.endswith(POLICY_FILE) and variant not in spec.policies:
        known = f"it has {', '.join(spec.policies)}" if spec.policies else "it has only one"
        raise DomainError(f"domain '{domain}' has no policy '{variant}'; {known}")
    if spec.documents is not None and spec.documents.policy is not None:
        return assemble_policy("", texts, spec, knowledge, documents, None), None
    policy, solo = _own_policies(texts, spec, variant)
    return (
        assemble_policy(policy, texts, spec, knowledge, documents, None),
        None if solo is None else assemble_policy(solo, texts, spec, knowledge, documents, None),
    )


def assemble_policy(
    policy: str,
    texts: Path,
    spec: DomainSpec,
    knowledge: Knowledge | None,
    documents: Documents | None,
    task: Task | None,
) -> str:
    """A policy with the documents that stand in it, those of a task among them."""
    if spec.documents is None or knowledge is None or documents is None:
        return policy
    if spec.documents.policy is not None:
        return spec.documents.policy(texts, knowledge, documents, task)
    from .documents.knowledge import shown_documents, with_documents

    return with_documents(policy, shown_documents(knowledge, documents, task))


def _own_policies(texts: Path, spec: DomainSpec, variant: str | None) -> tuple[str, str | None]:
    if variant is not None and variant.endswith(POLICY_FILE):
        return _read_policy(Path(variant)), None
    if not spec.policies:
        solo = file_of(texts, "policy_solo.md").is_file()
        return policy_text(texts, "policy.md", spec), policy_text(texts, "policy_solo.md", spec) if solo else None
    chosen = spec.policies[variant or next(iter(spec.policies))]
    return _sections(texts, chosen.sections, spec), None if chosen.solo is None else _sections(texts, chosen.solo, spec)


def _sections(texts: Path, files: Mapping[str, str], spec: DomainSpec) -> str:
    return "\n".join(f"<{name}>\n{policy_text(texts, file, spec)}\n</{name}>" for name, file in files.items())


def policy_text(folder: Path, file: str, spec: DomainSpec) -> str:
    """A text of the policy, with its marks and the domain's values in it."""
    path = file_of(folder, file)
    text = _read_policy(path)
    try:
        return fill(text, spec.tools.values)
    except DomainError as error:
        raise DomainError(f"{path}: {error}") from None


def load_policy(path: Path) -> str:
    """A policy text as an agent reads it; raises DomainError."""
    return without_marks(_read_policy(path))


def _read_policy(path: Path) -> str:
    """A policy text with the marks that name its rules; raises DomainError."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors write a mark before the text
    except (OSError, UnicodeDecodeError) as error:
        raise DomainError(f"{path}: the policy cannot be read: {reason(error)}") from None
    if not text.strip():
        raise DomainError(f"{path}: the policy is empty; an agent needs one to work under")
    try:
        without_marks(text)
    except DomainError as error:
        raise DomainError(f"{path}: {error}") from None
    return text


def safety_section(folder: Path, named: str) -> str:
    """The section on safety, privacy and ethics: a version of ours, or a file of the folder; raises DomainError."""
    return without_marks(marked_safety_section(folder, named))


def marked_safety_section(folder: Path, named: str) -> str:
    """The section with the marks that name its rules; raises DomainError."""
    if named.endswith(".md"):
        return _read_policy(file_of(folder, named))
    ours = {
        path.stem.removeprefix("safety_"): path for path in (Path(__file__).parent / "policies").glob("safety_*.md")
    }
    if named not in ours:
        known = ", ".join(f"'{version}'" for version in sorted(ours))
        raise DomainError(f"{folder / 'domain.py'}: there is no safety section '{named}'; use {known} or a file (*.md)")
    return _read_policy(ours[named])
