from typing import Any

from benchmark.questions import paper


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
