// Drive around a random race track, seen from above, as in Gymnasium 1.4's CarRacing-v3.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/box2d/car_racing/car.h"
#include "parallel_pool/envs/box2d/car_racing/car_picture.h"
#include "parallel_pool/envs/box2d/car_racing/track.h"
#include "parallel_pool/envs/box2d/physics/world.h"

namespace parallel_pool::box2d {

class CarRacing : b2ContactListener {
 public:
  struct Config {
    bool continuous = true;
    bool domain_randomize = false;
    double lap_complete_percent = 0.95;
  };
  struct Action {
    View<const AnyFloat> controls;  // steering (-1: left), gas, brake
    View<const int32_t> choice;     // if not continuous, instead of controls
  };
  struct State {
    View<uint8_t> obs;
    View<bool> lap_finished;
    View<bool> has_ended;  // whether Gymnasium has the info lap_finished
  };
  struct ResetOptions {
    bool randomize = true;

    static Options<ResetOptions> Describe() {
      return {Option<&ResetOptions::randomize>("randomize",
                                               "draw new colors; only with domain_randomize=True")};
    }
  };

  static Options<Config> Describe();
  static EnvSpec<Action, State> Describe(const Config& config);

  CarRacing(const Config& config, Rng& rng);
  void Reset(const ResetOptions& options);
  static void StepChunk(Chunk<CarRacing>& chunk) { StepTogether(chunk); }
  // Few, because the picture takes most of a step's time, and all pictures of a chunk come at once.
  static int ChunkSize(const Config&) { return std::max(1, MostIslands() / 4); }
  void Observe(const State& state) const;
  auto Saved() { return std::tie(*this); }
  void Save(Writer& writer) const;
  bool Load(Reader& reader);
  static int RenderFps(const Config&) { return static_cast<int>(kFps); }
  static ImageSize RenderSize(const Config&) { return kCarVideo; }
  void Render(View<uint8_t> rgb) const;

  // The parts of a step, for StepTogether.
  void Act(const Action& action);
  World& world() { return *world_; }
  Outcome Judge(const Action& action);

  const Car& car() const { return car_; }
  bool lap_finished() const { return lap_finished_; }
  const std::vector<RoadPolygon>& road() const { return road_; }

 private:
  // The colors are 0 to 255 with a fraction, as Gymnasium draws them.
  using Color = std::array<double, 3>;
  struct Colors { Color road{102, 102, 102}, background{102, 204, 102}, grass{102, 230, 102}; };

  void DrawColors(Rng& rng);
  void MakeWorld();
  void MakeTiles();
  void Destroy();
  void Touch(b2Contact& contact, bool begins);
  void Visit(int tile);
  CarScene Scene(double reward) const;
  void BeginContact(b2Contact* contact) override { Touch(*contact, true); }
  void EndContact(b2Contact* contact) override { Touch(*contact, false); }

  const Config config_;
  Rng& rng_;
  Colors colors_;
  std::optional<World> world_;  // one for all episodes, as Gymnasium's
  std::vector<TrackPoint> track_;
  std::vector<b2Body*> tiles_;
  std::vector<uint8_t> is_visited_, is_touched_;  // of each tile; a touched one loses its shade
  std::vector<RoadPolygon> road_;
  std::vector<int> polygons_;  // the number of each tile's polygon in road_
  Car car_;
  int num_visited_ = 0;
  bool new_lap_ = false, lap_finished_ = false, has_ended_ = false;
  double time_ = 0;                      // s
  double reward_ = 0, last_reward_ = 0;  // of the episode, now and at the last step
  double shown_reward_ = 0;              // in the observation
};

}  // namespace parallel_pool::box2d
