"""The Python side of the three APIs."""
