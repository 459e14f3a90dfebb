"""Finds the masses of an arm from a recorded motion, with one guess for each simulation.

All guesses are played at once, each with masses of its own, and the search narrows around the best
ones: the cross-entropy method.
"""

import argparse

import numpy as np

from parallel_pool.mujoco import Batch

ARM = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <body name="upper">
      <joint name="shoulder" axis="0 1 0" damping="0.2"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="1"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0" damping="0.2"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="shoulder"/><motor joint="elbow"/></actuator>
</mujoco>
"""
BODIES = ("upper", "lower")
STEPS = 100


def motions(batch: Batch, masses: np.ndarray, controls: np.ndarray) -> np.ndarray:
    """The joints' angles (guesses, STEPS, 2) of arms with masses (guesses, 2), in kg."""
    inertia = batch.expand("body_inertia")
    for body, own in zip(BODIES, masses.T, strict=True):
        number = batch.body(body).id
        inertia[:, number] *= (own / batch.body(body).mass[:, 0])[:, None]
        batch.body(body).mass = own[:, None]
    batch.set_const()
    batch.reset()
    return batch.rollout(STEPS, controls)["qpos"]


def main() -> None:
    """Records an arm with hidden masses, and searches for them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--guesses", type=int, default=128, help="at a time (default: 128)")
    parser.add_argument("--rounds", type=int, default=12, help="of the search (default: 12)")
    args = parser.parse_args()
    random = np.random.default_rng(0)
    controls = random.uniform(-3, 3, (1, STEPS, 2))
    hidden = np.array([[1.7, 0.6]])
    recorded = motions(Batch(ARM, 1), hidden, controls)
    batch = Batch(ARM, args.guesses)
    center, width = np.array([1.0, 1.0]), np.array([0.8, 0.8])
    for number in range(args.rounds):
        guesses = (center + width * random.normal(size=(args.guesses, 2))).clip(0.05, 5)
        errors = ((motions(batch, guesses, controls) - recorded) ** 2).mean(axis=(1, 2))
        best = guesses[errors.argsort()[: args.guesses // 8]]
        center, width = best.mean(axis=0), best.std(axis=0)
        print(f"round {number}: masses {center.round(3)} kg, error {np.sqrt(errors.min()):.1e} rad")
    print(f"found {center.round(3)}; the arm has {hidden[0]}")


if __name__ == "__main__":
    main()
