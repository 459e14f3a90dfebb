"""The table of SAC and DQN compares rounds, and shows the share of time outside of networks."""

from benchmark.questions import off_policy


def test_a_row_has_shares_and_a_ratio() -> None:
    rates = {
        "own": [50.0, 60.0, 70.0],
        "parallel_pool": [75.0, 84.0, 98.0],
        "networks": [100.0, 100.0, 100.0],
    }
    results = [{"task": "Pong", "library": "sb3", "rates": rates}]
    *_, row = off_policy.table({"results": results}).splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["DQN, Pong-v5", "Stable-Baselines3", "60", "40%", "84", "16%", "x1.40"]
