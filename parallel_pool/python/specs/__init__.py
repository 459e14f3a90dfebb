"""Specs: a task with its options, their sources, and the tasks that are registered."""
