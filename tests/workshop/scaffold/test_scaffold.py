"""Files of a new domain: what is there stays, and what cannot be read or written is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.errors import SettingsError
from tau_workshop.scaffold import write


def test_what_is_there_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n", encoding="utf-8")
    (folder / "conftest.py").write_text("# mine\n", encoding="utf-8")
    assert main(["new", "domain", "shop"]) == 0
    assert (folder / "conftest.py").read_text(encoding="utf-8") == "# mine\n"
    assert not (folder / "pytest.ini").exists()
    assert main(["new", "domain", "shop"]) == 2
    assert "already exists; choose another name" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("domain", "retail"), "there is a built-in domain 'retail', and yours would take its place"),
        (("domain", "My Shop"), "'My Shop' is not a domain name"),
        (("domain", "../shop"), "'../shop' is not a domain name"),
        (("task", "mock", "../x"), "'../x' is not a task id"),
        (("domain", "shop", "--from-sqlite", "none.db"), "none.db: there is no such file"),
        (("domain", "shop", "--from-sqlite", "text"), "text: not an SQLite database that can be read"),
        (("domain", "shop", "--from-openapi", "text"), "text: cannot be read as JSON"),
        (("domain", "shop", "--from-openapi", "list.json"), "list.json: not an OpenAPI file: it has no paths"),
        (("domain", "shop", "--from-openapi", "none.json"), "none.json: it has no operation"),
        (("domain", "shop", "--from-functions", "json"), "write module:list, not 'json'"),
        (("domain", "shop", "--from-functions", "json:dumps"), "json:dumps must be a list of functions"),
        (("domain", "shop", "--from-functions", "lambdas:TOOLS"), "lambdas:TOOLS has a lambda in it; write a function"),
        (("domain", "shop", "--from-functions", "no_such_module:X"), "no_such_module:X: ModuleNotFoundError"),
        (("domain", "shop", "--from-mcp", "http://127.0.0.1:9/mcp"), "http://127.0.0.1:9/mcp does not answer"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    folder: Path, arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "text").write_text("no database", encoding="utf-8")
    (folder / "lambdas.py").write_text("TOOLS = [lambda x: x]\n", encoding="utf-8")
    (folder / "list.json").write_text("[]", encoding="utf-8")
    (folder / "none.json").write_text('{"paths": {"/x": {"get": 1}, "/y": 2}}', encoding="utf-8")
    if "--from-mcp" in arguments:
        pytest.importorskip("mcp", reason="the MCP SDK is not installed (pytest-tau[mcp])")
    assert main(["new", *arguments]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "domains").write_text("a file", encoding="utf-8")
    with pytest.raises(SettingsError, match="cannot be written"):
        write({"domains/shop/x.py": ""}, tmp_path)


def test_a_planted_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/mine.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SettingsError, match="already exists"):
        write({"tasks/mine.json": "{}"}, tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def test_texts_that_no_file_holds(tmp_path: Path) -> None:
    (file,) = write({"policy.md": "a\ud800b"}, tmp_path)
    assert file.read_text("utf-8") == "a?b"
