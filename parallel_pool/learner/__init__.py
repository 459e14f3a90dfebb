"""Rollouts of a pool for a learner, and the advantages and returns of them."""
