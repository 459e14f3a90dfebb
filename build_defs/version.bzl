"""The version of ParallelPool; the wheel and parallel_pool.__version__ take it from here."""

VERSION = "0.1.0"
