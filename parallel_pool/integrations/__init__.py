"""Pools in the shape that one library asks for; each module here imports that library."""
