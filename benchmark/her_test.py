"""benchmark/her.py compares medians and draws what it has measured."""

import pathlib

from benchmark import her
from benchmark.her import Training

RESULTS = {
    "FetchReach-v4": {
        "gymnasium_robotics": [Training([5, 10], [3.0, 6.0], [0.5, 0.9])] * 2,
        "parallel_pool": [
            Training([5, 10], [1.0, 1.0], [0.0, 0.8]),
            Training([5, 10], [1.0, 2.0], [0.0, 1.0]),
        ],
    }
}


def test_the_table_has_medians() -> None:
    rows = [[cell.strip() for cell in line.split("|")] for line in her.table(RESULTS).splitlines()]
    task = "FetchReach-v4"
    assert rows[2][1:-1] == [task, "gymnasium_robotics", "10", "6.0", "x4.00", "0.90"]
    assert rows[3][1:-1] == [task, "parallel_pool", "10", "1.5", "x1.00", "0.90"]


def test_draws_the_shares(tmp_path: pathlib.Path) -> None:
    her.draw(str(tmp_path / "her.png"), RESULTS)
    assert (tmp_path / "her.png").read_bytes().startswith(b"\x89PNG")
