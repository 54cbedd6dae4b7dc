"""Seeds: the same everywhere, different for whatever differs."""

from pytest_tau.seeds import trial_seed


def test_the_same_on_every_machine() -> None:
    assert trial_seed(300, "mock", "t", 1) == 1579959313


def test_each_part_matters() -> None:
    seeds = {
        trial_seed(*parts)
        for parts in [
            (300, "mock", "t", 1),
            (301, "mock", "t", 1),
            (300, "retail", "t", 1),
            (300, "mock", "t2", 1),
            (300, "mock", "t", 2),
            (300, "moc", "kt", 1),
            (30, "0mock", "t", 1),
        ]
    }
    assert len(seeds) == 7


def test_the_range() -> None:
    assert all(0 <= trial_seed(seed, "d", "t", trial) < 2**31 for seed in range(20) for trial in range(20))
