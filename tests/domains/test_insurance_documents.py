"""The library of the insurance domain: it is what the rules say, reads in pieces of a page, and can be searched."""

import re
from functools import cache
from types import ModuleType

import pytest

from pytest_tau import load_domain
from pytest_tau.environment.documents import Documents
from pytest_tau.environment.folders import builtin_folder
from tests.builders import workshop_part

FOLDER = builtin_folder("domains", "insurance")


def part(name: str) -> ModuleType:
    return workshop_part(FOLDER, name)


@cache
def library() -> dict[str, str]:
    return {document.id: document.text for document in documents()}


@cache
def documents() -> Documents:
    return Documents(FOLDER / "documents")


def test_the_committed_files_are_what_the_rules_say() -> None:
    written = part("make_documents").documents()
    differing = [name for name in written.keys() | library().keys() if written.get(name) != library().get(name)]
    assert not differing, "run python -m domains.insurance.make_documents, then check the tasks of the suite"


def test_sizes() -> None:
    assert len(library()) >= 120
    lengths = {name: len(text.split()) for name, text in library().items()}
    assert {name: length for name, length in lengths.items() if not 90 <= length <= 450} == {}


def test_titles_tell_documents_apart() -> None:
    titles = [document.title for document in documents()]
    assert len(set(titles)) == len(titles)


def test_most_documents_contradict_an_older_edition_of_themselves() -> None:
    families: dict[str, list[str]] = {}
    for name in library():
        families.setdefault(re.sub(r"-\d{4}-\d{2}$", "", name), []).append(name)
    several = {family: names for family, names in families.items() if len(names) > 1}
    assert len(several) >= 50
    for family, names in several.items():
        figures = [
            re.findall(r"\d[\d,.]*", re.sub(r"\b\d{1,2} [A-Z]\w+ \d{4}|[A-Z]\w+ \d{4}", "", library()[n]))
            for n in names
        ]
        assert len({tuple(found) for found in figures}) == len(names), family


def test_each_edition_says_when_it_holds() -> None:
    for name in library():
        if found := re.search(r"-(\d{4})-\d{2}$", name):
            assert found[1] in library()[name].split("\n\n")[1] or name.startswith("bulletin"), name


EDITIONS = [edition for editions in part("products").EDITIONS.values() for edition in editions]


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.document)
def test_every_figure_of_the_terms_stands_in_their_document(edition: object) -> None:
    """Read line by line, as somebody does who looks for one peril, and not by the functions that wrote it."""
    words = part("writing.phrases")
    text = library()[edition.document]  # type: ignore[attr-defined]
    line = part("rules").line_of(edition.product)  # type: ignore[attr-defined]
    for cover in edition.covers:  # type: ignore[attr-defined]
        heading = words.PERILS[line][cover.peril][0]
        found = [row for row in text.split("\n") if re.match(rf"(\| |- \*\*|\*\*|2\.\d+ ){re.escape(heading)}", row)]
        about = " ".join(found)
        assert found, f"{cover.peril} is not in {edition.document}"  # type: ignore[attr-defined]
        if cover.deductible:
            assert f"€{cover.deductible:,}" in about
        if cover.limit is not None:
            assert f"€{cover.limit:,}" in about
            assert ("insurance year" in about) == cover.yearly
        for percent in (cover.limit_percent, cover.percent or None, cover.share if cover.share < 100 else None):
            assert percent is None or f"{percent} %" in about
        if cover.waiting:
            assert f"waiting period of {'one' if cover.waiting == 1 else cover.waiting} month" in about
        for requirement in cover.requires:
            number = requirement.at_least if requirement.at_least is not None else requirement.at_most
            assert number is None or re.search(rf"\b{number}\b", about), requirement
    uninsured = [name for peril, (name, _) in words.PERILS[line].items() if edition.cover(peril) is None]  # type: ignore[attr-defined]
    for name in uninsured:
        assert re.search(rf"Not insured under this edition: [^.]*{re.escape(name.lower())}", text)


def test_the_examples_of_the_settlement_instruction_add_up() -> None:
    rules = part("rules")
    text = library()["instruction-settlement-2024-06"]

    def settled(loss: float, cover: object, **facts: object) -> float:
        day = rules.TODAY
        case = rules.ClaimCase("home-basic", day, day, "fire", day, day, loss, {}, (), **facts)
        edition = rules.Edition("home-basic", day, None, 0, (cover,))
        return float(rules.settlement(case, edition, cover, rules.Practice()))

    assert settled(1900, rules.Cover("fire", 100, limit=1500)) == 1500
    assert "the settlement is €1,500" in text
    assert settled(2000, rules.Cover("fire", 50, share=80)) == 1550
    assert "the settlement is €1,550" in text


def test_only_work_instructions_tell_a_code() -> None:
    for editions in part("procedures").EDITIONS.values():
        for procedure in editions:
            told = [name for name, text in library().items() if procedure.code in text]
            assert told == [procedure.document]
    policy = load_domain(FOLDER).policy
    assert not re.search(r"\b[A-Z]{2}-\d{4}\b", policy)


def test_the_policy_is_an_index_of_families_that_exist() -> None:
    policy = load_domain(FOLDER).policy
    named = [name.removesuffix("-…") for name in re.findall(r"`([\w<>-]+-…|glossary)`", policy)]
    assert len(named) >= 15
    for name in named:
        pattern = re.escape(name).replace("<product>", r"\w+-\w+").replace("<line>", r"\w+")
        assert any(re.match(pattern, document) for document in library()), name
    assert "€" not in policy, "an amount belongs in a document"


QUESTIONS = [
    ("storm Irma deductible waived post code", "bulletin-2026-02-storm-irma"),
    ("storm Ottokar November 2024", "bulletin-2024-03-storm-ottokar"),
    ("frost January pipes burst home empty condition set aside", "bulletin-2026-01-frost"),
    ("strike at the post office longer deadline for reporting", "bulletin-2026-03-post"),
    ("Skylark Air insolvency cancelled flight", "bulletin-2025-11-skylark"),
    ("recall of Voltara battery PowerTube 500", "bulletin-2025-09-voltara"),
    ("hail July 2023 windscreens partner workshops", "bulletin-2023-07-hail"),
    ("scale of fees for vets has risen", "bulletin-2025-06-vets"),
    ("which edition of the terms holds insurance year first day", "rule-which-edition-2024-03"),
    ("steps for deciding a claim ground of rejection", "instruction-deciding-claims-2025-01"),
    ("working out a settlement order share deductible limit", "instruction-settlement-2024-06"),
    ("revoke a new contract within 14 days", "rule-revocation-2025-04"),
    ("code to give back premium after cancellation", "instruction-premium-refund-2025-06"),
    ("goodwill after rejection condition not met percent of the loss", "instruction-goodwill-2025-04"),
    ("lapsed contract reinstated open instalments fee", "instruction-reinstatement-2024-09"),
    ("which loss adjuster firm by post code", "instruction-loss-adjuster-2025-11"),
    ("car off the register lay up vehicle", "instruction-lay-up-2025-02"),
    ("extend journey under way surcharge for each day", "instruction-trip-extension-2025-07"),
    ("pass on no-claims years parent child licence", "instruction-no-claims-transfer-2025-01"),
    ("advance payment fire escape of water before adjuster", "instruction-advance-payment-2026-01"),
    ("reopen a closed claim new paper", "instruction-reopening-2025-05"),
    ("pause instalments lost work", "instruction-payment-pause-2025-08"),
    ("price of winter sports extra skiing", "travel-extra-winter-2025-02"),
    ("hire car excess extra", "travel-extra-hirecar-2026-01"),
    ("cancellation for any reason extra price", "travel-extra-anyreason-2025-02"),
    ("flood natural hazards extra flood class", "home-extra-nature-2026-01"),
    ("jewellery worn outside the home extra", "home-extra-jewellery-2025-02"),
    ("work equipment of an employer home office", "home-extra-office-2024-04"),
    ("lease gap extra car age", "motor-extra-lease-2026-01"),
    ("roadside assistance towing extra", "motor-extra-roadside-2026-01"),
    ("young driver under 23 extra", "motor-extra-young-2025-02"),
    ("pet dental care extra cleaning under anaesthetic", "pet-extra-dental-2025-02"),
    ("physiotherapy rehabilitation animal extra", "pet-extra-therapy-2026-01"),
    ("second device extra same household", "gadget-extra-second-2026-01"),
    ("surcharge for monthly instalments 2026", "tariff-instalments-2026-01"),
    ("rate per 1,000 sum insured zone household tariff January 2026", "tariff-home-sums-2026-01"),
    ("rating zones post codes household contents", "tariff-home-zones-2025-07"),
    ("motor premium by distance kilometres base premium", "tariff-motor-mileage-2025-04"),
    ("notice period cancellation bicycles", "cycle-cancellation-2025-09"),
    ("what does base premium mean glossary", "glossary"),
    ("claims sheet pets vet invoice within how many days", "pet-claims-2026-01"),
    ("Cycle Electric battery months old terms June 2025", "cycle-electric-terms-2025-06"),
]


# As people ask, where the others are as one types into a search box.
SPOKEN = [
    ("What is the authorisation code for giving back premiums today?", "instruction-premium-refund-2025-06"),
    ("Is the deductible waived for customers hit by storm Irma?", "bulletin-2026-02-storm-irma"),
    ("What does the winter sports extra cost with Trip Single?", "travel-extra-winter-2025-02"),
    ("How long may a customer pause their payments?", "instruction-payment-pause-2025-08"),
    ("Which firm is sent as loss adjuster for post codes beginning with 7?", "instruction-loss-adjuster-2025-11"),
    ("How many days can a journey be extended, and at what price per day?", "instruction-trip-extension-2025-07"),
    ("Can a claim be reopened a year after it was rejected?", "instruction-reopening-2025-05"),
    ("What percentage of the base premium does a driver with 22,000 km pay?", "tariff-motor-mileage-2025-04"),
    ("Is the insolvency of Skylark Air covered?", "bulletin-2025-11-skylark"),
    ("What happens with claims for the Voltara PowerTube 500?", "bulletin-2025-09-voltara"),
    ("How much is the surcharge for quarterly payments in 2026?", "tariff-instalments-2026-01"),
    ("In which zone is post code 72330?", "tariff-home-zones-2025-07"),
    ("What notice period applies to bicycle contracts?", "cycle-cancellation-2025-09"),
    ("Within how many days must a motor claim be reported in 2026?", "motor-claims-2026-01"),
    ("What is the deductible for escape of water in Home Plus since July 2025?", "home-plus-terms-2025-07"),
    ("What is the battery limit of Cycle Electric in the June 2025 edition?", "cycle-electric-terms-2025-06"),
    ("Does Gadget Plus of September 2025 have a waiting period for theft?", "gadget-plus-terms-2025-09"),
    ("How old may a pet be for the dental care extra?", "pet-extra-dental-2025-02"),
    ("Can a home in flood class 3 have the natural hazards extra?", "home-extra-nature-2026-01"),
    ("How much goodwill can be paid after a rejection?", "instruction-goodwill-2025-04"),
    ("Can a leased car be laid up?", "instruction-lay-up-2025-02"),
    ("How many days after signing can a contract be revoked?", "rule-revocation-2025-04"),
    ("How much advance is paid after a fire?", "instruction-advance-payment-2026-01"),
    ("What fee is charged to reinstate a lapsed contract?", "instruction-reinstatement-2024-09"),
    (
        "In which order are deductible and limit applied when working out a settlement?",
        "instruction-settlement-2024-06",
    ),
    ("Which edition of the terms holds for a pet?", "rule-which-edition-2024-03"),
    ("Was the deadline for reporting extended because of the post office strike?", "bulletin-2026-03-post"),
    ("What does protected no-claims years cost for Drive Full?", "motor-extra-noclaims-2025-02"),
    ("What papers are needed for a delayed train in 2026?", "travel-claims-2026-01"),
    ("What is the yearly limit for teeth in Paws Care Plus of March 2023?", "paws-care-plus-terms-2023-03"),
    ("How long may a home have been empty under Home Basic of January 2024?", "home-basic-terms-2024-01"),
    ("How many no-claims years can be passed on to another contract?", "instruction-no-claims-transfer-2025-01"),
    ("When can a device contract be cancelled?", "gadget-cancellation-2025-11"),
    ("What does the hire car excess cost for Trip Annual?", "travel-extra-hirecar-2026-01"),
    ("What is the rate per 1,000 euros for Home Comfort in zone C in 2026?", "tariff-home-sums-2026-01"),
    ("Does Paws Surgery pay for physiotherapy after an operation?", "pet-extra-therapy-2026-01"),
    ("Can I insure my employer's laptop at home?", "home-extra-office-2024-04"),
    ("What is the limit for baggage under Trip Family of November 2025?", "trip-family-terms-2025-11"),
    ("How soon can a pet contract end?", "pet-cancellation-2025-01"),
    ("What does base premium mean?", "glossary"),
]


@pytest.mark.parametrize(("question", "answer"), [*QUESTIONS, *SPOKEN], ids=lambda text: text)
def test_the_only_document_with_the_answer_is_among_the_first_five(question: str, answer: str) -> None:
    assert answer in [document.id for document, _ in documents().search(question, 5)]
