"""Presidio as a finder: the real library where it is installed (``.ci/frameworks privacy``)."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.errors import SettingsError
from tau_workshop.import_.presidio import Presidio, installed_presidio
from tests.workshop.import_.logs import cancelling, log, shop

TEXT = "Ottoline Fisher of Vienna: my SSN is 536-90-4399, I write from 192.168.7.21, mail me at o.fisher@mail.test."


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A spaCy model of one's own: of three names, as no larger one can be had without a download."""
    pytest.importorskip("presidio_analyzer", reason="pytest-tau[privacy] is not installed")
    spacy = pytest.importorskip("spacy")
    made = spacy.blank("en")
    named = {"Ottoline Fisher": "PERSON", "Vienna": "GPE", "Globex": "ORG"}
    made.add_pipe("entity_ruler").add_patterns([{"label": kind, "pattern": name} for name, kind in named.items()])
    made.to_disk(tmp_path / "model")
    return str(tmp_path / "model")


def test_a_model_finds_names_and_places_and_nobody_is_asked(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *where, **_: asked.append(where))
    found = Presidio({"en": model}).find(TEXT)
    numbers = {("us_ssn", "536-90-4399"), ("ip_address", "192.168.7.21")}
    assert {*found} == {("name", "Ottoline Fisher"), ("place", "Vienna")} | numbers
    assert asked == []


def test_a_long_text_is_read_in_parts(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tau_workshop.import_.presidio._AT_ONCE", 1000)
    text = "x " * 497 + "Ottoline Fisher" + " x" * 2000 + " Vienna"
    assert {*Presidio({"en": model}).find(text)} == {("place", "Vienna"), ("name", "Ottoline Fisher")}


@pytest.mark.usefixtures("model")
def test_without_a_model_numbers_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spacy.util.get_installed_models", list)
    found = installed_presidio()
    assert found is not None
    assert {*found.find(TEXT)} == {("us_ssn", "536-90-4399"), ("ip_address", "192.168.7.21")}
    assert "no spaCy model is installed, so not looked for: cities" in found.told


@pytest.mark.usefixtures("model")
def test_the_largest_model_of_each_language(monkeypatch: pytest.MonkeyPatch) -> None:
    spacy = pytest.importorskip("spacy")
    names = ["en_core_web_lg", "de_core_news_sm", "en_core_web_sm", "de_own"]
    monkeypatch.setattr(spacy.util, "get_installed_models", lambda: names)
    monkeypatch.setattr(spacy, "load", lambda name: spacy.blank(name[:2]))
    found = installed_presidio()
    assert found is not None
    assert found.models == {"en": "en_core_web_lg", "de": "de_core_news_sm"}
    assert "Presidio with de_core_news_sm, en_core_web_lg; not looked for: employers and health" in found.told


def test_a_model_that_is_none_is_a_sentence(model: str) -> None:
    with pytest.raises(SettingsError, match=r"^Presidio with nowhere: .*nowhere"):
        Presidio({"en": "nowhere"})
    assert Path(model).is_dir()


def test_the_import_uses_it(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By itself where it is installed; with one's own model by the hook."""
    monkeypatch.setattr("spacy.util.get_installed_models", list)
    shop(tmp_path)
    monkeypatch.chdir(tmp_path)
    opening = "I am writing from 192.168.7.21 for Ottoline Fisher in Vienna, who does not want the rug any more."
    log(tmp_path / "log.jsonl", cancelling("O7", opening=opening))

    def reason() -> str:
        assert main(["import", "log.jsonl", "-o", "tasks/shop"]) == 0
        [file] = (tmp_path / "tasks/shop").glob("*.json")
        said = json.loads(file.read_text(encoding="utf-8"))["user_scenario"]["instructions"]["reason_for_call"]
        file.unlink()
        return str(said)

    assert "from 900.000.0.01 for Ottoline" in reason()
    assert "more removed; also by Presidio; no spaCy model is installed" in capsys.readouterr().err
    take = "from tau_workshop.import_.presidio import Presidio"
    hook = f"{take}\n\npytest_tau_find_personal = Presidio({{'en': {model!r}}}).find\n"
    (tmp_path / "conftest.py").write_text(hook, encoding="utf-8")
    assert not {"Ottoline", "Fisher", "Vienna"} & {*reason().replace(",", "").split()}
    assert "also by the project's own finder" in capsys.readouterr().err


def test_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert installed_presidio() is None
    monkeypatch.setitem(__import__("sys").modules, "presidio_analyzer", None)
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(SettingsError, match=r'^Presidio is not there: .*; pip install "pytest-tau\[privacy\]"$'):
        Presidio({})
