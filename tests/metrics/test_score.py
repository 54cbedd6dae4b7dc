"""The shape of a number beside pass^k: how gates write it, and which row a variant's tasks are told in as they are."""

import pytest

from pytest_tau.metrics.score import Score, plain_row


@pytest.mark.parametrize(
    ("row", "label", "plain"),
    [
        ("retail", "", "retail"),
        ("retail, typos", "typos", "retail"),
        ("retail, gpt-typos", "typos", "retail, gpt"),
        ("retail, gpt-4-typos:0.9+timeout:0.2", "typos:0.9+timeout:0.2", "retail, gpt-4"),
        ("typos, typos", "typos", "typos"),
        ("retail, gpt", "", "retail, gpt"),
        ("retail, test_x, gpt-typos", "typos", "retail, test_x, gpt"),
    ],
)
def test_the_row_of_the_same_tasks_as_they_are(row: str, label: str, plain: str) -> None:
    assert plain_row(row, label) == plain


@pytest.mark.parametrize(
    ("name", "takes", "with_k", "written"),
    [
        ("cup^", "", True, "cup^1"),
        ("progress@", "", True, "progress@1"),
        ("robust", "kind", False, "robust(kind)"),
        ("flip", "", False, "flip"),
    ],
)
def test_how_a_gate_writes_it(name: str, takes: str, with_k: bool, written: str) -> None:
    score = Score(name, lambda content: None, lambda tasks, argument: None, needs="nothing", takes=takes)
    assert (score.with_k, score.example) == (with_k, written)
