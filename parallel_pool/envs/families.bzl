"""The families of envs. A new one adds its folder and its line here."""

# Name of the folder: the source of its tasks, as `python -m parallel_pool info` shows it.
FAMILIES = {
    "atari": "ale-py 0.12.1 (Bellemare et al. 2013, Machado et al. 2018)",
    "board_games": "PettingZoo 1.27 (Terry et al. 2021)",
    "box2d": "Gymnasium 1.4 on Box2D 2.3",
    "classic_control": "Gymnasium 1.4",
    "foraging": "lbforaging 2.0.0 (Papoudakis et al. 2021)",
    "highway": "highway-env 1.12.1 (Leurent 2018)",
    "minigrid": "minigrid 3.2.0 (Chevalier-Boisvert et al. 2019 and 2023)",
    "mpe": "mpe2 1.1.1 (Lowe et al. 2017)",
    "mujoco": "Gymnasium 1.4, Gymnasium-Robotics 1.4.2, MetaWorld 3.1.1, OGBench 1.2.2 and dm_control 1.0.50 on MuJoCo 3.17.0 (Todorov et al. 2012)",
    "nethack": "nle 1.3.0 (Küttler et al. 2020) and minihack 1.0.2 (Samvelyan et al. 2021)",
    "procgen": "Procgen 0.10.7 (Cobbe et al. 2019)",
    "rware": "rware 2.0.0 (Papoudakis et al. 2021)",
    "toy_text": "Gymnasium 1.4; bsuite's Catch; gym 0.21's NChain",
    "vizdoom": "vizdoom 1.3.2 (Wydmuch et al. 2019)",
}

# Procgen's and NetHack's libraries are for Linux on x86-64 only. ViZDoom's engine shares memory with
# its pool in their layout.
ONLY_X86_64_LINUX = [
    "nethack",
    "procgen",
    "vizdoom",
]
FAMILIES_OF_OTHERS = {name: FAMILIES[name] for name in FAMILIES if name not in ONLY_X86_64_LINUX}
