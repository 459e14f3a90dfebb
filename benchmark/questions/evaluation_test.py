"""The table of evaluations compares rounds, and tells the time of 250 episodes."""

from benchmark.questions import evaluation


def test_a_row_has_both_times_and_the_ratio() -> None:
    seconds = {"parallel_pool": [0.1, 0.2, 0.1], "ogbench": [1.0, 1.0, 2.0]}
    results = [{"task": "antmaze-medium-v0", "seconds": seconds}]
    *_, row = evaluation.table({"results": results}).splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["antmaze-medium-v0", "25 s", "250 s", "x10.0"]
