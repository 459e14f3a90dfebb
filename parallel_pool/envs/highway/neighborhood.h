// The cars in front of a car and behind it, while no car moves: drivers ask for them many times a
// frame.
#pragma once

#include <vector>

#include "parallel_pool/envs/highway/traffic.h"

namespace parallel_pool::highway {

class Neighborhood {
 public:
  struct Neighbors { const Car *front, *rear; };  // nullptr: none

  // The traffic's cars and things will stay where they are while this is asked.
  void Begin(const Traffic& traffic);

  // The next cars or obstacles in front of a car, and behind it, in a lane.
  Neighbors Of(const Car& car, int lane);

 private:
  struct Place {
    double along;  // m, in the lane
    const Car* car;
  };

  // All cars and obstacles in a lane, by their places. The last one of several at one place, in
  // the traffic's order, is the first here.
  const std::vector<Place>& In(int lane);
  void List(int lane, std::vector<Place>& places) const;

  const Traffic* traffic_ = nullptr;
  std::vector<std::vector<Place>> lanes_;
  std::vector<char> is_listed_;  // of each lane
};

}  // namespace parallel_pool::highway
