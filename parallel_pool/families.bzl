"""The families of envs. A new one adds its folder and its line here."""

FAMILIES = [
    "atari",
    "classic_control",
    "mujoco",
    "toy_text",
]
