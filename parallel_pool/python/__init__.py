"""What users call: make(), specs, pools and the three APIs."""
