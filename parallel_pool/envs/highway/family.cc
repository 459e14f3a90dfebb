// The tasks of highway-env 1.12.1, and their versions there.
#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/highway/driving.h"
#include "parallel_pool/envs/highway/tasks/exit.h"
#include "parallel_pool/envs/highway/tasks/highway.h"
#include "parallel_pool/envs/highway/tasks/intersection.h"
#include "parallel_pool/envs/highway/tasks/lane_keeping.h"
#include "parallel_pool/envs/highway/tasks/merge.h"
#include "parallel_pool/envs/highway/tasks/merge_generic.h"
#include "parallel_pool/envs/highway/tasks/parking.h"
#include "parallel_pool/envs/highway/tasks/racetrack.h"
#include "parallel_pool/envs/highway/tasks/roundabout.h"
#include "parallel_pool/envs/highway/tasks/roundabout_generic.h"
#include "parallel_pool/envs/highway/tasks/two_way.h"
#include "parallel_pool/envs/highway/tasks/u_turn.h"

namespace parallel_pool::highway {
namespace {

// The version whose drivers see cars on the lanes before and behind their own.
template <class Config>
Config Connected(Config config) {
  config.neighbour_vehicles_connected_lanes = true;
  return config;
}

// Versions 0 and 1 of a task.
template <class Scenario>
void AddBoth(Registry& registry, const std::string& name,
             const typename Scenario::Config& config = {}) {
  registry.Add<Driving<Scenario>>(name + "-v0", {}, config);
  registry.Add<Driving<Scenario>>(name + "-v1", {}, Connected(config));
}

}  // namespace

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Driving<Highway>>("highway-v0", {});
  registry.Add<Driving<Highway>>("highway-fast-v0", {}, FastHighway());
  AddBoth<Merge>(registry, "merge");
  AddBoth<MergeGeneric>(registry, "merge-generic");
  registry.Add<Driving<TwoWay>>("two-way-v0", {.max_episode_steps = 15});
  AddBoth<UTurn>(registry, "u-turn");
  AddBoth<Exit>(registry, "exit");
  AddBoth<Roundabout>(registry, "roundabout");
  AddBoth<RoundaboutGeneric>(registry, "roundabout-generic");

  registry.Add<Driving<Intersection>>("intersection-v0", {});
  registry.Add<Driving<Intersection>>("intersection-v1", {}, ContinuousIntersection());
  registry.Add<Driving<Intersection>>("intersection-v2", {}, Connected(IntersectionConfig()));
  const IntersectionConfig agents = MultiAgentIntersection(true);
  registry.Add<Driving<Intersection>>("intersection-multi-agent-v0", {},
                                      MultiAgentIntersection(false));
  registry.Add<Driving<Intersection>>("intersection-multi-agent-v1", {}, agents);
  registry.Add<Driving<Intersection>>("intersection-multi-agent-v2", {}, Connected(agents));

  registry.Add<Driving<Parking>>("parking-v0", {});
  registry.Add<Driving<Parking>>("parking-ActionRepeat-v0", {}, RepeatedParking());
  registry.Add<Driving<Parking>>("parking-parked-v0", {}, ParkedParking());
  AddBoth<Racetrack>(registry, "racetrack");
  AddBoth<Racetrack>(registry, "racetrack-large", LargeRacetrack());
  AddBoth<Oval>(registry, "racetrack-oval");
  registry.Add<Driving<LaneKeeping>>("lane-keeping-v0", {.max_episode_steps = 200});
}

}  // namespace parallel_pool::highway
