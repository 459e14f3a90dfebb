"""The arrays of an env, and how they become observations, actions and infos."""
