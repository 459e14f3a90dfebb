from tools.lint import versions

PINS = versions.pins(["envpool==1.2.7 \\\n    --hash=sha256:ab\ngymnasium==1.4.0\n", "envpool==9"])


def test_the_first_lock_counts() -> None:
    assert PINS == {"envpool": "1.2.7", "gymnasium": "1.4.0"}


def test_another_version_is_a_fault() -> None:
    pages = {"a.md": "EnvPool 1.2.7,\nand EnvPool 1.2.5's", "b.md": "`envpool==1.2.5`"}
    assert versions.faults(pages, PINS) == ["a.md:2: EnvPool 1.2.5; the locks have 1.2.7"]


def test_the_beginning_of_a_version_is_enough() -> None:
    assert versions.faults({"a.md": "Gymnasium 1.4's | Gymnasium 1.4.0"}, PINS) == []
    assert len(versions.faults({"a.md": "Gymnasium 1.40 and Gymnasium 1.1"}, PINS)) == 2


def test_older_figures_may_say_so() -> None:
    assert versions.faults({"a.md": "measured with EnvPool 1.2.5"}, PINS) == []


def test_an_oldest_version_is_no_fault() -> None:
    pages = {"a.md": "Gymnasium 0.29 or newer, Gymnasium 1.3\nor newer; it pins Gymnasium 0.29"}
    assert versions.faults(pages, PINS) == []
