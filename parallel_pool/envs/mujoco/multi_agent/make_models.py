"""Writes the models that Gymnasium-Robotics makes by code: python make_models.py FOLDER."""

import pathlib
import sys

from gymnasium_robotics.envs.multiagent_mujoco import many_segment_ant, many_segment_swimmer

MOST_SEGMENTS = 32

folder = pathlib.Path(sys.argv[1])
for n in range(1, MOST_SEGMENTS + 1):
    many_segment_ant.gen_asset(n, str(folder / f"ManySegmentAnt{n}.xml"))
for n in range(2, MOST_SEGMENTS + 1):
    many_segment_swimmer.gen_asset(n, str(folder / f"ManySegmentSwimmer{n}.xml"))
