"""Adapters of pools for other libraries; each module here imports one library."""
