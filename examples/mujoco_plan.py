"""Swings a pole up by predictive sampling: no learning, only many rollouts of the model.

At each moment, 64 plans of controls are tried in the model: the last plan, and changes of it. The
best one's first controls are used, and planning goes on from there.
"""

import argparse

import numpy as np

from parallel_pool.mujoco import Batch, rollout

CART_POLE = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <body name="cart">
      <joint name="slide" type="slide" axis="1 0 0" range="-2 2" limited="true" damping="0.1"/>
      <geom type="box" size="0.1 0.05 0.05" mass="1"/>
      <body name="pole">
        <joint name="hinge" axis="0 1 0" damping="0.001"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.6" size="0.02" mass="0.1"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="slide" gear="10" ctrlrange="-1 1" ctrllimited="true"/></actuator>
</mujoco>
"""
PLANS = 64
HORIZON = 80  # steps of a plan
KNOTS = 8  # controls of a plan; between them it is a line
REPLAN = 4  # steps that are made before the next planning


def controls_of(knots: np.ndarray) -> np.ndarray:
    """Controls (plans, HORIZON, 1) of plans (plans, KNOTS)."""
    at = np.linspace(0, KNOTS - 1, HORIZON)
    return np.stack([np.interp(at, np.arange(KNOTS), plan) for plan in knots])[..., None]


def costs(states: np.ndarray) -> np.ndarray:
    """The cost (plans,) of states (plans, HORIZON, 5): time, slide, hinge and their speeds."""
    slide, hinge, speed, turn = np.moveaxis(states[..., 1:], -1, 0)
    cost = (1 + np.cos(hinge)) + 0.1 * slide**2 + 0.01 * speed**2 + 0.01 * turn**2
    total: np.ndarray = cost.sum(axis=1)
    return total


def main() -> None:
    """Swings up for some seconds of simulated time, and prints the pole's angle."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=6.0, help="simulated time (default: 6)")
    seconds = parser.parse_args().seconds
    model, world = Batch(CART_POLE, PLANS), Batch(CART_POLE, 1)
    random = np.random.default_rng(0)
    best = np.zeros(KNOTS)
    for step in range(round(seconds / 0.01 / REPLAN)):
        knots = best + random.normal(scale=0.5, size=(PLANS, KNOTS))
        knots[0] = best
        knots = knots.clip(-1, 1)
        states, _ = rollout(model, world.state[:, :5], controls_of(knots))
        best = knots[costs(states).argmin()]
        world.rollout(REPLAN, controls_of(best[None])[:, :REPLAN])
        best = np.interp(np.arange(KNOTS) + REPLAN * (KNOTS - 1) / HORIZON, np.arange(KNOTS), best)
        if step % 25 == 0:
            print(
                f"{world.time[0]:.2f} s: {np.degrees(world.joint('hinge').qpos[0, 0]):.0f} degrees"
            )
    upright = np.degrees(np.arccos(-np.cos(world.joint("hinge").qpos[0, 0])))
    print(f"at the end the pole is {upright:.1f} degrees from upright")


if __name__ == "__main__":
    main()
