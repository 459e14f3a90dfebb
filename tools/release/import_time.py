"""Prints the time and the memory that `import parallel_pool` takes: medians of new processes.

NumPy and Gymnasium, which it imports, are included. Usage: PYTHON -I tools/release/import_time.py
"""

import statistics
import subprocess
import sys

_ROUNDS = 9
# Milliseconds, and MiB by which the peak of the process's memory grows.
_IMPORT = """
import resource, time
def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, start = memory(), time.perf_counter()
import parallel_pool
print((time.perf_counter() - start) * 1000, memory() - before)
"""


def main() -> None:
    """Prints the line."""
    rounds = []
    for _ in range(_ROUNDS):
        command = [sys.executable, "-I", "-c", _IMPORT]
        run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        rounds.append([float(number) for number in run.stdout.split()])
    times, memory = zip(*rounds, strict=True)
    of = f"median of {_ROUNDS} processes"
    ms, mib = statistics.median(times), statistics.median(memory)
    print(f"import parallel_pool: {ms:.0f} ms, {mib:.0f} MiB ({of})")


if __name__ == "__main__":
    main()
