"""The steps per second of envs in Python: SB3, Tianshou and PufferLib are peers, too."""

from benchmark.questions import throughput


def main() -> None:
    """Asks `throughput` for the workloads of envs in Python, if no others are named."""
    throughput.main(workloads=("Python*",))
