// The car of CarRacing: a hull on four wheels, seen from above, after Gymnasium 1.4's car_dynamics.
#pragma once

#include <array>
#include <vector>

#include "parallel_pool/core/save.h"
#include "parallel_pool/envs/box2d/car_racing/car_picture.h"
#include "parallel_pool/envs/box2d/physics/world.h"

namespace parallel_pool::box2d {

// The driver's commands.
struct Controls {
  double steer = 0;  // rad, the angle of the front wheels, which turn to it in some time
  double gas = 0;    // 0 to 1
  double brake = 0;  // 0 to 1; from 0.9 on, wheels stop at once
};

// The marks that wheels leave when they skid: the last 30.
class SkidMarks {
 public:
  static constexpr int kMost = 30;        // marks
  static constexpr int kMostPoints = 30;  // of a mark

  // A wheel's place in the marks.
  struct Trace {
    bool has_started = false;  // to skid; the mark begins with the next step
    int64_t mark = -1;         // its number; -1: none
    int num_points = 0;
    bool is_on_grass = false;
  };

  SkidMarks();
  void Clear() { num_marks_ = 0; }
  // The wheel of `trace` skids at `at`.
  void Add(Trace& trace, Point at, bool is_on_grass);
  static void End(Trace& trace);

  std::vector<SkidMark> List() const;  // from the oldest to the newest
  void Save(Writer& writer) const;
  bool Load(Reader& reader);

 private:
  SkidMark& Mark(int64_t number) { return marks_[number % kMost]; }

  std::array<SkidMark, kMost> marks_;
  int64_t num_marks_ = 0;  // since the last Clear
};

class Car {
 public:
  static constexpr int kWheels = 4;  // front left, front right, rear left, rear right

  struct Wheel {
    b2Body* body = nullptr;
    b2RevoluteJoint* joint = nullptr;
    int tiles = 0;  // that it touches; 0: it is on the grass
    double gas = 0, brake = 0, steer = 0;
    double phase = 0, omega = 0;  // of its turning: rad, rad/s
    SkidMarks::Trace trace;
  };

  // Makes the bodies at (x, y) m, with the hull at the angle `angle`.
  void Make(World& world, double angle, double x, double y);
  void Destroy(b2World& world);
  bool is_made() const { return hull_ != nullptr; }

  void Control(const Controls& controls);
  // Steers, and applies the forces of the engine and of the tires for the next step of the world.
  void Drive();

  const b2Body& hull() const { return *hull_; }
  const std::array<Wheel, kWheels>& wheels() const { return wheels_; }
  // The wheel with this body; null: none has it.
  Wheel* Find(const b2Body* body);
  std::vector<SkidMark> skid_marks() const { return marks_.List(); }
  // Sets all of the scene that is the car's.
  void Show(CarScene& scene) const;

  // All but the bodies.
  void Save(Writer& writer) const;
  bool Load(Reader& reader);

 private:
  void MakeHull(World& world, double angle, double x, double y);
  void MakeWheel(World& world, int i, double angle, double x, double y);
  void Drive(Wheel& wheel);
  static void TurnWheel(Wheel& wheel);

  b2Body* hull_ = nullptr;
  std::array<Wheel, kWheels> wheels_;
  SkidMarks marks_;
};

}  // namespace parallel_pool::box2d
