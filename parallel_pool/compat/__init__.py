"""Views of pools for programs that were written for other packages or older versions."""

from parallel_pool.compat.legacy_gym import LegacyGym

__all__ = ["LegacyGym"]
