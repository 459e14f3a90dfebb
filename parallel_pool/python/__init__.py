"""Specs, pools, the three APIs and make(): the Python that users call."""
