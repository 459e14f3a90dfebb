#!/usr/bin/env bash
# Guess:    after torchrl's MultiStep a transition that ends an episode within its n steps is marked as
#           terminated, so that no value of the terminal observation is added.
# Happens:  only the last step of an episode is. The n - 1 steps before it keep the flags of their own
#           step, but their next observation is the terminal one: TD0Estimator adds its value. With 5
#           steps of reward 1, n = 3, gamma = 0.5 and a value of 1000 everywhere, the targets of steps 2
#           and 3 are 126.75 and 251.5. They would be 1.75 and 1.5.
# Who:      who trains DQN, SAC or others with torchrl's n-step returns, by MultiStep or
#           MultiStepTransform, on a task with terminal states.
# Source:   package torchrl, file torchrl/data/postprocs/postprocs.py: MultiStep
# Date:     2026-11-30
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    torchrl==0.14.1 torch==2.13.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import sys

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.data.postprocs import MultiStep
from torchrl.objectives.value import TD0Estimator

print("torchrl", importlib.metadata.version("torchrl"))
steps = 5
no, end = torch.zeros(2, 1, steps, 1, dtype=torch.bool)
end[0, -1] = True
place = torch.arange(steps).float()[None, :, None]
after = {"observation": place + 1, "reward": torch.ones_like(place)}
after |= {"done": end, "terminated": end.clone(), "truncated": no.clone()}
episode = {"observation": place, "done": no, "terminated": no.clone(), "next": after}
data = MultiStep(gamma=0.5, n_steps=3)(TensorDict(episode, [1, steps]))


class Thousand(torch.nn.Module):
    """A value of 1000 of every observation."""

    def forward(self, observation):
        return torch.full_like(observation, 1000.0)


value = TensorDictModule(Thousand(), ["observation"], ["state_value"])
target = TD0Estimator(gamma=0.5, value_network=value).value_estimate(data)
print("next observation", data["next", "observation"].flatten().tolist())
print("next terminated ", data["next", "terminated"].flatten().tolist())
print("target          ", target.flatten().tolist())
if target.flatten().tolist()[2:] != [126.75, 251.5, 1.0]:
    sys.exit("MultiStep no longer adds the value of a terminal observation.")
EOF
