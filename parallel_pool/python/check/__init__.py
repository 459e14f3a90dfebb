"""check(), which plays a task and reports broken rules; random actions."""
