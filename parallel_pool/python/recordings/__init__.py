"""Recordings of pools: their files, and what writes them."""
