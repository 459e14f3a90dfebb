"""A pool in parts that run elsewhere, as plain data: integrations/ray brings them to actors."""
