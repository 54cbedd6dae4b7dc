"""Writes documents/*.md from the rules, the same on every machine.

    python -m domains.insurance.make_documents

Tasks rest on what stands in them, so a change here means checking every task of the suite again.
"""

from __future__ import annotations

from pytest_tau.environment.folders import builtin_folder

from .writing import bulletins, claims, ending, extras, office, terms

FOLDER = builtin_folder("domains", "insurance") / "documents"


def documents() -> dict[str, str]:
    """The text of every document by its id."""
    parts = (
        terms.terms(),
        claims.sheets(),
        claims.instructions(),
        ending.sheets(),
        extras.extras(),
        extras.tariffs(),
        office.instructions(),
        bulletins.bulletins(),
        bulletins.guides(),
    )
    return {name: text for part in parts for name, text in part}


def main() -> None:
    """Write the files, remove those of documents that are no more, and say how many there are."""
    texts = documents()
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.md"):
        if path.stem not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")
    print(f"{FOLDER}: {len(texts)} documents")


if __name__ == "__main__":
    main()
