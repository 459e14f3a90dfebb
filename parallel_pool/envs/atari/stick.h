// Input of a joystick or a paddle.
#pragma once

namespace parallel_pool::atari {

// ALE's names of its actions, by their numbers.
inline constexpr const char* kActionNames[] = {
    "NOOP",     "FIRE",     "UP",          "RIGHT",      "LEFT",          "DOWN",
    "UPRIGHT",  "UPLEFT",   "DOWNRIGHT",   "DOWNLEFT",   "UPFIRE",        "RIGHTFIRE",
    "LEFTFIRE", "DOWNFIRE", "UPRIGHTFIRE", "UPLEFTFIRE", "DOWNRIGHTFIRE", "DOWNLEFTFIRE"};

struct Stick {
  int action;             // ALE's number
  float strength = 1.0f;  // speed of a paddle, as a part of its full speed
};

// The input of a stick that is tilted by `radius` toward `angle` (rad, from the right to the top),
// as in ale_py's continuous actions. A direction counts if the stick is further out than
// `threshold`, the button if `fire` is greater than it.
Stick TiltedStick(float radius, float angle, float fire, float threshold);

}  // namespace parallel_pool::atari
