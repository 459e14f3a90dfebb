"""SAC and DQN of three libraries, one module for each: arms of questions/off_policy.py."""
