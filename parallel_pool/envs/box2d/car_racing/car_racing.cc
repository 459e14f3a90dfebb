#include "parallel_pool/envs/box2d/car_racing/car_racing.h"

#include <cmath>

namespace parallel_pool::box2d {
namespace {

Rgb Truncated(const std::array<double, 3>& color, double shade = 0) {
  const auto channel = [&](int i) { return static_cast<uint8_t>(color[i] + shade); };
  return {channel(0), channel(1), channel(2)};
}

}  // namespace

Options<CarRacing::Config> CarRacing::Describe() {
  return {
      Option<&Config::continuous>("continuous",
                                  "actions are steering, gas and brake; or one of five"),
      Option<&Config::domain_randomize>("domain_randomize",
                                        "each episode has other colors of road and grass"),
      Option<&Config::lap_complete_percent>(
          "lap_complete_percent", "the part of the tiles that a lap must have visited", {0, 1})};
}

EnvSpec<CarRacing::Action, CarRacing::State> CarRacing::Describe(const Config& config) {
  EnvSpec<Action, State> spec{
      .action = {},
      .state = {Array<&State::obs>("obs", Box({96, 96, 3}, {0}, {255})),
                Array<&State::lap_finished>("info:lap_finished", Box({}, {0}, {1})),
                Array<&State::has_ended>("info:_lap_finished", Box({}, {0}, {1}))}};
  if (config.continuous) {
    spec.action = {Array<&Action::controls>("action", Box({3}, {-1, 0, 0}, {1, 1, 1}))};
  } else {
    spec.action = {
        Array<&Action::choice>("action", Discrete({"NOOP", "RIGHT", "LEFT", "GAS", "BRAKE"}))};
  }
  return spec;
}

CarRacing::CarRacing(const Config& config, Rng& rng) : config_(config), rng_(rng) {
  MakeWorld();
  // Gymnasium draws these from an unseeded generator. They are seen if the first reset does not
  // draw colors.
  Rng copy = rng;
  if (config_.domain_randomize) DrawColors(copy);
}

void CarRacing::DrawColors(Rng& rng) {
  for (double& channel : colors_.road) channel = rng.Uniform(0, 210);
  for (double& channel : colors_.background) channel = rng.Uniform(0, 210);
  colors_.grass = colors_.background;
  colors_.grass[rng.Integers(0, 3)] += 20;
}

void CarRacing::MakeWorld() {
  world_.emplace(b2Vec2(0, 0), static_cast<b2ContactListener*>(this));
  tiles_.clear();
  car_ = {};
}

void CarRacing::Reset(const ResetOptions& options) {
  Destroy();
  reward_ = last_reward_ = time_ = 0;
  num_visited_ = 0;
  new_lap_ = lap_finished_ = has_ended_ = false;
  if (config_.domain_randomize && options.randomize) DrawColors(rng_);
  track_ = DrawTrack(rng_);
  is_visited_.assign(track_.size(), 0);
  is_touched_.assign(track_.size(), 0);
  MakeTiles();
  car_.Make(*world_, track_[0].beta, track_[0].x, track_[0].y);
  // Rewards of this step count for the first action.
  car_.Drive();
  world_->Step();
  time_ += 1.0 / kFps;
  shown_reward_ = reward_;
}

// The order counts: it decides the order in which the next episode's bodies touch.
void CarRacing::Destroy() {
  for (b2Body* tile : tiles_) world_->box2d().DestroyBody(tile);
  tiles_.clear();
  car_.Destroy(world_->box2d());
}

void CarRacing::MakeTiles() {
  road_.clear();
  polygons_.clear();
  for (const Tile& tile : TilesOf(track_)) {
    const auto i = static_cast<int>(tiles_.size());
    const auto& [a, b, c, d] = tile.corners;
    const b2PolygonShape shape = Polygon({{a.x, a.y}, {b.x, b.y}, {c.x, c.y}, {d.x, d.y}});
    b2BodyDef body;
    body.userData = this;  // marks a tile
    tiles_.push_back(world_->box2d().CreateBody(&body));
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.isSensor = true;
    fixture.userData = reinterpret_cast<void*>(static_cast<intptr_t>(i));
    tiles_.back()->CreateFixture(&fixture);
    polygons_.push_back(static_cast<int>(road_.size()));
    const double shade = is_touched_[i] ? 0 : 0.01 * (i % 3) * 255;
    road_.push_back({tile.corners, Truncated(colors_.road, shade)});
    if (tile.border)
      road_.push_back({*tile.border, i % 2 == 0 ? Rgb{255, 255, 255} : Rgb{255, 0, 0}});
  }
}

void CarRacing::Act(const Action& action) {
  Controls controls;
  if (config_.continuous) {
    controls = {
        .steer = -action.controls[0], .gas = action.controls[1], .brake = action.controls[2]};
  } else {
    const int choice = *action.choice;
    controls = {.steer = choice == 1 ? -0.6 : (choice == 2 ? 0.6 : 0.0),
                .gas = choice == 3 ? 0.2 : 0.0,
                .brake = choice == 4 ? 0.8 : 0.0};
  }
  car_.Control(controls);
  car_.Drive();
}

Outcome CarRacing::Judge(const Action&) {
  constexpr double kField = 2000 / 6.0;  // m from the middle to the edge
  time_ += 1.0 / kFps;
  shown_reward_ = reward_;
  reward_ -= 0.1;
  Outcome outcome{.reward = reward_ - last_reward_};
  last_reward_ = reward_;
  lap_finished_ = num_visited_ == static_cast<int>(track_.size()) || new_lap_;
  outcome.terminated = lap_finished_;
  const b2Vec2 at = car_.hull().GetPosition();
  if (std::abs(at.x) > kField || std::abs(at.y) > kField) {
    lap_finished_ = false;
    outcome = {.reward = -100, .terminated = true};
  }
  has_ended_ = outcome.terminated;
  return outcome;
}

void CarRacing::Touch(b2Contact& contact, bool begins) {
  b2Fixture *tile = contact.GetFixtureA(), *other = contact.GetFixtureB();
  if (tile->GetBody()->GetUserData() == nullptr) std::swap(tile, other);
  if (tile->GetBody()->GetUserData() == nullptr) return;
  const auto number = static_cast<int>(reinterpret_cast<intptr_t>(tile->GetUserData()));
  is_touched_[number] = 1;
  road_[polygons_[number]].color = Truncated(colors_.road);
  Car::Wheel* const wheel = car_.Find(other->GetBody());
  if (wheel == nullptr) return;
  wheel->tiles += begins ? 1 : -1;
  if (begins && !is_visited_[number]) Visit(number);
}

void CarRacing::Visit(int tile) {
  const auto n = static_cast<double>(track_.size());
  is_visited_[tile] = 1;
  reward_ += 1000.0 / n;
  ++num_visited_;
  if (tile == 0 && num_visited_ / n > config_.lap_complete_percent) new_lap_ = true;
}

CarScene CarRacing::Scene(double reward) const {
  CarScene scene{};
  scene.time = time_;
  scene.reward = reward;
  car_.Show(scene);
  scene.background = Truncated(colors_.background);
  scene.grass = Truncated(colors_.grass);
  scene.road = road_;
  return scene;
}

void CarRacing::Observe(const State& state) const {
  DrawCarObservation(Scene(shown_reward_), state.obs.data);
  *state.lap_finished = lap_finished_;
  *state.has_ended = has_ended_;
}

void CarRacing::Render(View<uint8_t> rgb) const {
  CarScene scene = Scene(reward_);
  const std::vector<SkidMark> marks = car_.skid_marks();
  scene.skid_marks = marks;
  DrawCarPicture(scene, kCarVideo, true, rgb.data);
}

void CarRacing::Save(Writer& writer) const {
  bool is_made = car_.is_made();
  WriteAll(writer, std::tie(colors_, is_made));
  if (!is_made) return;
  WriteAll(writer, std::tie(track_, is_visited_, is_touched_, num_visited_, new_lap_, lap_finished_,
                            has_ended_, time_, reward_, last_reward_, shown_reward_));
  car_.Save(writer);
  world_->Save(writer);
}

bool CarRacing::Load(Reader& reader) {
  bool is_made = false;
  MakeWorld();
  if (!ReadAll(reader, std::tie(colors_, is_made))) return false;
  if (!is_made) return true;
  if (!ReadAll(reader,
               std::tie(track_, is_visited_, is_touched_, num_visited_, new_lap_, lap_finished_,
                        has_ended_, time_, reward_, last_reward_, shown_reward_)) ||
      track_.empty() || is_visited_.size() != track_.size() ||
      is_touched_.size() != track_.size()) {
    return false;
  }
  MakeTiles();
  car_.Make(*world_, track_[0].beta, track_[0].x, track_[0].y);
  return car_.Load(reader) && world_->Load(reader);
}

}  // namespace parallel_pool::box2d
