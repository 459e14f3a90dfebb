"""A test with random calls that fails ends soon, unless it is asked for a shorter failure."""

import pathlib

import hypothesis
import pytest
from hypothesis import strategies as st

from parallel_pool.testing import fuzz_settings


def calls_until_it_fails() -> int:
    calls = 0

    @hypothesis.settings(**fuzz_settings.settings(500))
    @hypothesis.given(numbers=st.lists(st.integers(0, 10**6), min_size=20))
    def fails(numbers: list[int]) -> None:
        nonlocal calls
        calls += 1
        assert sum(numbers) < 10**6

    with pytest.raises(AssertionError):
        fails()
    return calls


def test_a_failure_is_shortened_only_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = calls_until_it_fails()
    monkeypatch.setattr(fuzz_settings, "_SHRINK", True)
    assert calls_until_it_fails() > quick + 50


def test_no_test_has_settings_of_its_own() -> None:
    root = pathlib.Path(fuzz_settings.__file__).resolve().parent.parent
    users = [p for p in root.rglob("*.py") if "max_examples" in p.read_text("utf-8")]
    assert {p.name for p in users} == {"fuzz_settings.py", "fuzz_settings_test.py"}
