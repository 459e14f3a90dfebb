#!/usr/bin/env bash
# Guess:    a data set of Minari has the observations that the env has given.
# Happens:  arrays of uint8 from 0 to 255 are stored as JPEG if their first two axes are 32 or longer,
#           whatever they mean. A map of zeros and ones loses many cells; with 31 rows it loses none.
#           Stacked frames are exact with the channels first, and an error with four channels last.
# Who:      a user who records maps, masks or frames with DataCollector; jpeg_encoding=False turns it off.
# Source:   package minari, file minari/dataset/minari_storage.py: is_image_space()
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    minari==0.5.4 h5py==3.16.0 jax==0.10.2 pillow==13.0.0 gymnasium==1.4.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import os
import sys

import gymnasium
import numpy as np

os.environ["MINARI_DATASETS_PATH"] = sys.prefix + "/datasets"
import minari

print("minari", importlib.metadata.version("minari"))


class Bits(gymnasium.Env):
    """Observes random zeros and ones, for three steps."""

    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, shape):
        self.observation_space = gymnasium.spaces.Box(0, 255, shape, np.uint8)
        self.given = []

    def observe(self):
        self.given.append(self.np_random.integers(0, 2, self.observation_space.shape, np.uint8))
        return self.given[-1]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observe(), {}

    def step(self, action):
        return self.observe(), 0.0, len(self.given) == 4, False, {}


results = {}
for shape in ((31, 32), (32, 32), (4, 84, 84), (84, 84, 4)):
    env = Bits(shape)
    try:
        collector = minari.DataCollector(env, data_format="hdf5")
        collector.reset(seed=0)
        for _ in range(3):
            collector.step(0)
        data = collector.create_dataset(f"finding/bits{len(results)}-v0")
        results[shape] = float((data[0].observations != np.array(env.given)).mean())
        print(f"{shape}: {results[shape]:.0%} of the numbers changed")
    except OSError as error:
        results[shape] = str(error)
        print(f"{shape}: OSError: {error}")
if results[31, 32] or results[4, 84, 84] or not results[32, 32] or "JPEG" not in str(results[84, 84, 4]):
    sys.exit("The shape of an observation no longer decides whether it is stored as JPEG.")
EOF
