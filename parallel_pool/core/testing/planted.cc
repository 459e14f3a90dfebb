#include "parallel_pool/core/testing/planted.h"

#include <limits>
#include <thread>

int PlantedRace() {
  volatile int count = 0;
  const auto add = [&] {
    for (int i = 0; i < 1000; ++i) count = count + 1;
  };
  std::thread other(add);
  add();
  other.join();
  return count;
}

int PlantedUseAfterFree() {
  int* volatile number = new int(1);  // volatile: the compiler must not remove it
  delete number;
  return *number;
}

int PlantedOverflow() {
  volatile int largest = std::numeric_limits<int>::max();
  return largest + 1;
}
