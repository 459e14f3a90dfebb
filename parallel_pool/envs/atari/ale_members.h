// Reads and writes the private state of ALE, for Machine::Save and Load.
#pragma once

#include <cstddef>
#include <tuple>

#include "ale/games/RomSettings.hpp"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool::atari {

// Returns pointers to private members of ALE's classes, as MembersOf(tag). An explicit
// instantiation of a template may name private members, so Expose is instantiated explicitly with
// them. The tags and the instantiations are in this namespace, too.
template <class Tag, auto... members>
struct Expose {
  friend auto MembersOf(Tag) { return std::tuple(members...); }
};

// Calls body(member) for each member of `object` that Tag exposes.
template <class Tag, class Object, class Body>
void ForEach(Object& object, const Body& body) {
  std::apply([&](auto... member) { (body(object.*member), ...); }, MembersOf(Tag{}));
}

// Out writes values, In reads them. A `Pass` is one of the two, so that Save and Load share one
// list of values.
struct Out {
  Writer& writer;
  template <class T>
  bool operator()(T& value) const {
    WriteAll(writer, std::tie(value));
    return true;
  }
  bool Bytes(void* data, size_t bytes) const {
    writer.Write(data, bytes);
    return true;
  }
};
struct In {
  Reader& reader;
  template <class T>
  bool operator()(T& value) const {
    return ReadAll(reader, std::tie(value));
  }
  bool Bytes(void* data, size_t bytes) const { return reader.Read(data, bytes); }
};

template <class Tag, class Pass, class Object>
bool PassMembers(const Pass& pass, Object& object) {
  bool good = true;
  ForEach<Tag>(object, [&](auto& member) { good = good && pass.Bytes(&member, sizeof(member)); });
  return good;
}

// State that some games' RomSettings do not save.
bool PassGame(const Out& pass, ale::RomSettings& game);
bool PassGame(const In& pass, ale::RomSettings& game);

}  // namespace parallel_pool::atari
