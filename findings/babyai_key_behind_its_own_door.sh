#!/usr/bin/env bash
# Guess:    each mission of BabyAI can be fulfilled; the levels reject worlds in which it cannot.
# Happens:  in GoToImpUnlock some keys lie in the very room that they open. The program means to
#           prevent this by "ik is id", but compares NumPy's integers, which are other objects.
# Who:      a user who reports success rates on BabyAI-GoToImpUnlock: 100 % cannot be reached.
# Source:   package minigrid, file envs/babyai/goto.py; the same line is in unlock.py (BabyAI-Unlock)
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    minigrid==3.2.0 gymnasium==1.4.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import contextlib
import importlib.metadata
import io
import sys

import gymnasium
import minigrid  # registers the envs

print("minigrid", importlib.metadata.version("minigrid"))


def can_get_key(env):
    """Whether the locked door's key is on this side of it. Objects in the way count as free cells."""
    cells = env.grid
    door = next(thing for thing in cells.grid if thing and thing.type == "door" and thing.is_locked)
    seen = {tuple(map(int, env.agent_pos))}
    todo = list(seen)
    while todo:
        x, y = todo.pop()
        for place in {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} - seen:
            thing = cells.get(*place)
            if thing and (thing.type == "wall" or (thing.type == "door" and thing.is_locked)):
                continue
            if thing and thing.type == "key" and thing.color == door.color:
                return True
            seen.add(place)
            todo.append(place)
    return False


impossible = []
for seed in range(100):
    env = gymnasium.make("BabyAI-GoToImpUnlock-v0", disable_env_checker=True).unwrapped
    with contextlib.redirect_stdout(io.StringIO()):  # the package prints the worlds that it rejects
        env.reset(seed=seed)
    if not can_get_key(env):
        impossible.append(seed)
print("seeds whose key is behind its own door, of 100:", *impossible)
if not impossible:
    sys.exit("All keys of BabyAI-GoToImpUnlock can be reached now.")
EOF
