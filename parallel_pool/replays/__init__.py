"""Replays of recorded runs, and what is made of them."""
