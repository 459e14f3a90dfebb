#include "parallel_pool/core/engine/claims.h"

#include <algorithm>
#include <stdexcept>

namespace parallel_pool {

std::vector<int32_t> Claims::Idle() const {
  std::vector<int32_t> idle;
  for (size_t env = 0; env < flights_.size(); ++env) {
    if (flights_[env] == kIdle) idle.push_back(static_cast<int32_t>(env));
  }
  return idle;
}

void Claims::RefuseNone() const {
  throw std::invalid_argument(task_ + ": env_id is empty: name at least one env");
}

void Claims::Refuse(std::span<const int32_t> envs, size_t i, const char* why) const {
  const int32_t env = envs[i];
  const auto before = envs.first(i);
  std::string text;
  if (why != nullptr) {
    text = why;
  } else if (env < 0 || env >= static_cast<int32_t>(flights_.size())) {
    text = ": there is no such env; allowed are 0 to " + std::to_string(flights_.size() - 1);
  } else if (std::ranges::find(before, env) != before.end()) {
    text = " occurs twice: send an env one action at a time";
  } else if (flights_[env] == kLost) {
    text = " is lost: it could not be built again";
  } else {
    text = " is in flight: recv() its result first";
  }
  throw std::invalid_argument(task_ + ": env_id[" + std::to_string(i) +
                              "] = " + std::to_string(env) + text);
}

void CheckFills(const std::string& task, int64_t rows, int64_t batch_rows, bool sync) {
  if (rows >= (sync ? 1 : batch_rows)) return;
  std::string way_out = "send() or async_reset() first";
  if (rows > 0) way_out = "send() more, or take these rows by recv(partial=True)";
  throw std::runtime_error(task + ": recv() would wait forever: " + std::to_string(rows) +
                           " of the " + std::to_string(batch_rows) +
                           " rows of a batch are in flight; " + way_out);
}

}  // namespace parallel_pool
