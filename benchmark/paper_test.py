import pathlib
import sys
from typing import Any

import pytest

from benchmark import paper


def test_both_pools_try_the_same_numbers_of_envs() -> None:
    rows = paper.arms("Pong", 4, 1.0, "")
    assert set(rows) == set(paper._DELIVERS)
    for mode in ("sync", "async"):
        theirs = [arm.num_envs for arm in rows[f"EnvPool, {mode}"]]
        ours = [arm.num_envs for arm in rows[f"ParallelPool, {mode}"]]
        assert theirs == ours == ([4] if mode == "sync" else [10, 12, 16])


def test_the_paper_s_rows_stand_next_to_ours() -> None:
    result: dict[str, Any] = {"task": "Ant", "cores": 2, "num_envs": 6}
    results = [
        result | {"row": "EnvPool, async", "frames_per_second": 1000.0},
        result | {"row": "ParallelPool, async", "frames_per_second": 3000.0},
    ]
    *_, theirs, ours = paper.table({"results": results}).splitlines()
    assert [cell.strip() for cell in theirs.strip("|").split("|")] == [
        "EnvPool, async", "batches", "6", "1,000", "105,126", "582,446", "887,540", "2,363,864"
    ]  # fmt: skip
    assert [cell.strip() for cell in ours.strip("|").split("|")][3:] == ["3,000", "", "", "", ""]


def test_an_arm_that_fails_says_why(tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    program = tmp_path / "arm.py"
    program.write_text("import sys; sys.exit('no such env')")
    monkeypatch.setattr(paper, "_ARM", program)
    python = sys.executable
    with pytest.raises(RuntimeError, match="no such env"):
        paper.play(paper.Arm("loop", "Pong", 1, 0.1), python)
    program.write_text("""print('noise'); print('{"frames": 12.5}')""")
    assert paper.play(paper.Arm("loop", "Pong", 1, 0.1), python) == 12.5
