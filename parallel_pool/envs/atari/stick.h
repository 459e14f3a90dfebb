// What a player does with the joystick or the paddle.
#pragma once

namespace parallel_pool::atari {

struct Stick {
  int action;             // ALE's number
  float strength = 1.0f;  // how fast a paddle turns, of its full speed
};

// The stick tilted by `radius` toward `angle` (rad, from the right to the top), as ale_py's
// continuous actions mean it: a direction counts if the stick is further out than `threshold`,
// the button if `fire` is.
Stick TiltedStick(float radius, float angle, float fire, float threshold);

}  // namespace parallel_pool::atari
