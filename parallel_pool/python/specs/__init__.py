"""What make() builds: a spec, its source, its options, and the tasks that are registered."""
