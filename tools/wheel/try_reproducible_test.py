import pathlib
import zipfile

from tools.wheel.try_reproducible import differences


def wheel(path: pathlib.Path, **files: str) -> pathlib.Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return path


def test_differences_are_named(tmp_path: pathlib.Path) -> None:
    one = wheel(tmp_path / "one.whl", a="1", b="2")
    assert differences(one, wheel(tmp_path / "same.whl", a="1", b="2")) == []
    assert differences(one, wheel(tmp_path / "other.whl", a="1", b="3", c="")) == ["b", "c"]
    order = differences(one, wheel(tmp_path / "order.whl", b="2", a="1"))
    assert order == ["the order or the attributes of the files"]
