"""Pools and single envs, as far as all APIs share them."""
