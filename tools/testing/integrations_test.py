"""The tests that `make test-integrations` selects."""

import pathlib

import pytest

from tools.testing import integrations


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    for name in ("light/a_test.py", "light/conftest.py", "heavy/b_test.py", "heavy/c_test.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    monkeypatch.setattr(integrations, "_TESTS", tmp_path)
    return tmp_path


def test_all_by_default(folder: pathlib.Path) -> None:
    heavy = [folder / "heavy/b_test.py", folder / "heavy/c_test.py"]
    assert integrations.tests_of([]) == {"heavy": heavy, "light": [folder / "light/a_test.py"]}


def test_by_folder_or_name(folder: pathlib.Path) -> None:
    light = {"light": [folder / "light/a_test.py"]}
    assert integrations.tests_of(["light"]) == integrations.tests_of(["a"]) == light
    chosen = integrations.tests_of(["a", "c"])
    assert chosen == light | {"heavy": [folder / "heavy/c_test.py"]}


def test_an_unknown_name() -> None:
    with pytest.raises(SystemExit, match=r"no integration 'lite'; did you mean light\?"):
        integrations.tests_of(["lite"])
    with pytest.raises(SystemExit, match="'xyz'; there are a, b, c, heavy, light"):
        integrations.tests_of(["xyz"])


def test_by_version(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrations, "_VERSIONS", {"heavy": ["heavy1", "heavy2"]})
    heavy = [folder / "heavy/b_test.py", folder / "heavy/c_test.py"]
    assert integrations.tests_of(["heavy2"]) == {"heavy": heavy}
    assert integrations.locks_of("heavy", ["light", "heavy2"]) == ["heavy2"]
    assert integrations.locks_of("heavy", ["heavy"]) == ["heavy1", "heavy2"]
    assert integrations.locks_of("light", ["heavy2"]) == ["requirements"]
