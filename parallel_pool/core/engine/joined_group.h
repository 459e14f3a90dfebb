// The group of a pool with several tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "parallel_pool/core/engine/joined.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

class JoinedGroup final : public EnvGroup {
 public:
  // Throws std::bad_alloc.
  JoinedGroup(const JoinedSetup& setup, std::vector<std::unique_ptr<EnvGroup>> groups);

  bool Create(int32_t env, uint64_t seed, const Setup* setup, Error* error) noexcept override;
  bool Rebuild(int32_t env, const Setup* setup, Error* error) noexcept override;
  bool Prepare(int32_t env, const NextReset& next, Error* error) noexcept override;
  void Step(const int32_t* envs, const Turn* turns, int32_t count, std::byte* const* actions,
            Result* results) noexcept override;
  void Observe(const int32_t* envs, int32_t count, std::byte* const* columns, int64_t first_row,
               Result* results) noexcept override;
  const char* Failure(int32_t env) const override;
  bool Save(int32_t env, Writer& writer, Error* error) noexcept override;
  bool Load(int32_t env, Reader& reader, Error* error) noexcept override;
  bool Render(int32_t env, uint8_t* rgb, Error* error) noexcept override;
  bool RenderText(int32_t env, Writer& text, Error* error) noexcept override;
  bool GetBodies(int32_t env, bool with_shapes, BodyReceiver& bodies,
                 Error* error) noexcept override;

 private:
  using Plan = JoinedSetup::Plan;

  struct Part {
    const JoinedPart& joined;
    const Plan& plan;
    std::unique_ptr<EnvGroup> group;
    int32_t end_env;
    // The actions of the part's envs in its own form, where the pool's are in another; else empty.
    std::vector<std::vector<std::byte>> actions;
  };
  // The part of an env, and the number of the env in it.
  struct Place {
    Part& part;
    int32_t env;
  };

  Place Find(int32_t env);
  // Calls body(part, number of part, first, count) for each run of envs of one part; local_envs are
  // their numbers in it.
  template <class Body>
  void ForEachRun(const int32_t* envs, int32_t count, const Body& body);
  void CopyActions(Part& part, const int32_t* local_envs, int32_t count,
                   std::byte* const* actions) const;

  const JoinedSetup& setup_;
  std::vector<Part> parts_;
  std::vector<int32_t> part_of_;  // of each env
  ImageSize picture_ = {};
};

}  // namespace parallel_pool
