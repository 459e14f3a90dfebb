"""The last transitions of a pool, for learners that use each of them several times."""
