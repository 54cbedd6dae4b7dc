"""Task files: what is read, and the sentence for every way they can be wrong."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import load_tasks
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.tasks import find_suite, missing_ids, read_task, read_tasks, suite_files
from pytest_tau.errors import DomainError, TaskError
from tests.shared import shared

ONE = {"id": "a", "user_scenario": {"instructions": "Help."}}


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


class TestFiles:
    @pytest.mark.parametrize("name", ["x" * 5_000, "x/" * 5_000])
    def test_what_no_file_system_takes_for_a_name(self, tmp_path: Path, name: str) -> None:
        with pytest.raises((DomainError, TaskError), match=r"there is no such file|there is no suite of tasks"):
            load_tasks(name)
        with pytest.raises(DomainError, match="no public data for"):
            load_tasks(name, data=tmp_path)

    def test_one_or_a_list(self, tmp_path: Path) -> None:
        assert [t.id for t in read_tasks(write(tmp_path / "one.json", ONE))] == ["a"]
        assert [t.id for t in read_tasks(write(tmp_path / "two.json", [ONE, {**ONE, "id": "b"}]))] == ["a", "b"]

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            ("{", r"f\.json: not valid JSON: "),
            ("[" * 100_000, r"f\.json: not valid JSON: "),
            ([], r"f\.json: must hold a task \(a JSON object\) or a list of tasks, and holds an empty list"),
            ("null", r"f\.json: must hold a task .* and holds null$"),
            ('"x"', "and holds a text$"),
            ("7.5", "and holds a number$"),
            ("true", "and holds true or false$"),
            ([ONE, ONE], "two tasks have the id 'a'; ids must differ within a suite"),
            ([ONE, 7], r"f\.json\[1\]: Input should be an object"),
            ({**ONE, "id": 7}, r"f\.json: id: Input should be a valid string"),
            ({**ONE, "id": ""}, r"f\.json: task '': id: String should have at least 1 character"),
            ({"id": "a"}, "task 'a': user_scenario: Field required"),
            ({**ONE, "tags": ["a-b"]}, r"task 'a': tags\.0: String should match pattern"),
            (
                {**ONE, "evaluation_criteria": {"reward_basis": None}},
                r"evaluation_criteria\.reward_basis: Input should be a valid list",
            ),
            (
                {**ONE, "evaluation_criteria": {"trajectory": [{"check": "reason", "any_of": [" "]}]}},
                "a phrasing is empty, so every message would hold it",
            ),
            (
                {**ONE, "initial_state": {"message_history": [{"role": "system", "content": "x"}]}},
                r"initial_state\.message_history\.0",
            ),
            (
                {**ONE, "evaluation_criterias": {}},
                r"unknown key 'evaluation_criterias' \(did you mean 'evaluation_criteria'\?\)",
            ),
            (
                {**ONE, "evaluation_criteria": {"env_assertion": []}},
                r"unknown key 'env_assertion' \(did you mean 'env_assertions'\?\)",
            ),
            ({**ONE, "initial_state": {"initialisation_data": {}}}, "did you mean 'initialization_data'"),
        ],
    )
    def test_what_is_wrong(self, tmp_path: Path, content: Any, sentence: str) -> None:
        with pytest.raises(TaskError, match=sentence) as raised:
            read_tasks(write(tmp_path / "f.json", content))
        assert str(raised.value).startswith(str(tmp_path))

    def test_a_file_that_cannot_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(TaskError, match="No such file"):
            read_tasks(tmp_path / "none.json")
        (tmp_path / "latin.json").write_bytes(b'{"id": "\xe9"}')
        with pytest.raises(TaskError, match="not valid JSON"):
            read_tasks(tmp_path / "latin.json")

    def test_other_tools_keys_are_theirs(self) -> None:
        read = read_task({**ONE, "annotations": 1, "zzz": 2, "evaluation_criteria": {"zzz": 3}}, "here")
        assert read.evaluation_criteria is not None
        assert read.evaluation_criteria.reward_basis == ["DB", "COMMUNICATE"]


class TestSuites:
    def test_a_folder_is_read_in_the_order_of_names(self, tmp_path: Path) -> None:
        for name in ("b/x", "a", "c"):
            write(tmp_path / "s" / f"{name}.json", {**ONE, "id": name})
        assert [t.id for t in load_tasks(tmp_path / "s")] == ["a", "b/x", "c"]

    def test_below_the_current_folder_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert len(load_tasks("mock")) > 1
        write(tmp_path / "tasks" / "mock" / "mine.json", ONE)
        assert [t.id for t in load_tasks("mock")] == ["a"]
        assert find_suite("mock") == Path("tasks/mock")

    def test_a_path_is_no_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tmp_path / "tasks" / "mock" / "mine.json", ONE)
        monkeypatch.chdir(tmp_path / "tasks" / "mock")
        assert [one.id for name in (".", "..") for one in load_tasks(name)] == ["a", "a"]

    def test_copies_under_names_with_a_dot_are_no_tasks(self, tmp_path: Path) -> None:
        write(tmp_path / ".s" / "a.json", ONE)
        write(tmp_path / ".s" / ".ipynb_checkpoints" / "a-checkpoint.json", ONE)
        write(tmp_path / ".s" / "._a.json", "\0\5")
        assert [one.id for one in load_tasks(tmp_path / ".s")] == ["a"]

    def test_an_own_file_is_read_whatever_lies_beside_it(self, tmp_path: Path) -> None:
        for place in ("own/mine", "domains/shop"):
            write(tmp_path / place / "tasks.json", ONE)
            write(tmp_path / place / "tasks" / "task_1.json", {**ONE, "id": "b"})
        assert [one.id for one in load_tasks(tmp_path / "own" / "mine")] == ["b", "a"]
        assert [one.id for one in load_tasks("shop", data=tmp_path)] == ["b"]

    def test_one_id_in_two_files(self, tmp_path: Path) -> None:
        for name in ("b", "c"):
            write(tmp_path / "s" / f"{name}.json", ONE)
        with pytest.raises(TaskError, match=r"c\.json: the id 'a' is taken by .*b\.json; ids differ in a suite"):
            load_tasks(tmp_path / "s")

    def test_what_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(DomainError, match=r"no suite of tasks 'mok' \(did you mean 'mock'\?\): built in .*mock"):
            load_tasks("mok")
        with pytest.raises(TaskError, match="there is no such file or folder of tasks"):
            load_tasks(tmp_path / "none")
        with pytest.raises(TaskError, match=r"no task files \(\*\.json\) in it"):
            load_tasks(tmp_path)
        with pytest.raises(TaskError, match="there is no such file or folder of tasks"):
            suite_files(tmp_path / "none.json")

    def test_a_split_of_an_own_suite(self, tmp_path: Path) -> None:
        suite = builtin_folder("tasks", "mock")
        shutil.copytree(suite, tmp_path / "mock")
        write(tmp_path / "mock" / "split_tasks.json", {"core": ["add_a_task"]})
        assert [task.id for task in load_tasks(tmp_path / "mock", split="core")] == ["add_a_task"]
        assert len(load_tasks(tmp_path / "mock")) == len(load_tasks(suite))
        with pytest.raises(TaskError, match=r"there is no split 'base', because there is no split_tasks\.json"):
            load_tasks(suite, split="base")

    @pytest.mark.parametrize("id", [1, ["z"], None])
    def test_an_id_that_is_no_text_is_told_whatever_the_split(self, tmp_path: Path, id: Any) -> None:
        suite = tmp_path / "own"
        write(suite / "tasks.json", [ONE, {**ONE, "id": id}])
        write(suite / "split_tasks.json", {"core": ["a", "1"]})
        with pytest.raises(TaskError, match=r"tasks\.json\[1\]: id: Input should be a valid string"):
            load_tasks(suite, split="core")
        assert missing_ids([suite / "tasks.json"], "core") == ["1"]

    def test_a_path_in_this_folder_is_one(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "own" / "one.json", ONE)
        assert [one.id for one in load_tasks("./own")] == ["a"]


class TestPublicData:
    def data(self, root: Path, splits: Any = None) -> Path:
        write(root / "domains" / "mock" / "tasks.json", [{**ONE, "id": i} for i in "abc"])
        if splits is not None:
            write(root / "domains" / "mock" / "split_tasks.json", splits)
        return root

    def test_a_split_keeps_the_files_order(self, tmp_path: Path) -> None:
        data = self.data(tmp_path, {"base": ["c", "a"], "test": ["b"]})
        assert [t.id for t in load_tasks("mock", data=data)] == ["a", "c"]
        assert [t.id for t in load_tasks("mock", data=data, split="test")] == ["b"]
        with pytest.raises(TaskError, match="there is no split 'train'; it has base, test"):
            load_tasks("mock", data=data, split="train")

    @pytest.mark.parametrize(
        "splits", [None, 5, ["base"], {"base": 5}, {"base": "a"}, {"base": ["a"], "test": None}, {"base": [["a"]]}]
    )
    def test_splits_that_are_none(self, tmp_path: Path, splits: Any) -> None:
        data = self.data(tmp_path, {})
        write(data / "domains" / "mock" / "split_tasks.json", splits)
        with pytest.raises(TaskError, match=r"split_tasks\.json: must be an object with a list of task ids"):
            load_tasks("mock", data=data)

    def test_without_splits_all_are_the_base(self, tmp_path: Path) -> None:
        assert len(load_tasks("mock", data=self.data(tmp_path))) == 3

    @pytest.mark.parametrize("below", ["", "domains", "tau2/domains", "tau2", "data"])
    def test_any_folder_down_to_domains(self, tmp_path: Path, below: str) -> None:
        tops = {"": "", "domains": "", "tau2": "tau2", "tau2/domains": "tau2", "data": "data/tau2"}
        self.data(tmp_path / tops[below])
        given = tmp_path if below == "data" else tmp_path / below
        assert len(load_tasks("mock", data=given)) == 3

    def test_no_data(self, tmp_path: Path) -> None:
        with pytest.raises(DomainError, match="no public data for 'mock' there"):
            load_tasks("mock", data=tmp_path)

    @pytest.mark.parametrize(
        ("domain", "split", "count"), [("airline", "base", 50), ("retail", "test", 40), ("mock", "base", 10)]
    )
    def test_the_published_numbers(self, domain: str, split: str, count: int) -> None:
        assert len(load_tasks(domain, data=shared("tau2"), split=split)) == count
