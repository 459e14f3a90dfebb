"""Recorded runs in the viewer Rerun. Needs rerun-sdk: pip install "parallel_pool[view]"."""

try:
    import rerun as _rerun
except ImportError as _error:
    raise ImportError(
        "parallel_pool.integrations.rerun needs rerun-sdk: "
        f'pip install "parallel_pool[view]" ({_error})'
    ) from None

if not hasattr(_rerun, "StateChange"):
    raise ImportError(
        f"parallel_pool.integrations.rerun needs rerun-sdk 0.41 or newer, not "
        f'{_rerun.__version__}: pip install "parallel_pool[view]"'
    )

from parallel_pool.integrations.rerun.runs import to_rerun

__all__ = ["to_rerun"]
