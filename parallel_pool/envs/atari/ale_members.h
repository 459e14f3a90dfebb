// Reading and writing what ALE keeps to itself, for Machine::Save and Load.
#pragma once

#include <cstddef>
#include <tuple>

#include "ale/games/RomSettings.hpp"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool::atari {

// Members of ALE's classes that are private, as MembersOf(tag): whoever instantiates a template
// explicitly may name them. The tags and the instantiations are in this namespace, too.
template <class Tag, auto... members>
struct Expose {
  friend auto MembersOf(Tag) { return std::tuple(members...); }
};

// Calls body(member) for each member of `object` that the tag exposes.
template <class Tag, class Object, class Body>
void ForEach(Object& object, const Body& body) {
  std::apply([&](auto... member) { (body(object.*member), ...); }, MembersOf(Tag{}));
}

// Writes or reads the same values in the same order.
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

// What the settings of some games leave out of their state.
bool PassGame(const Out& pass, ale::RomSettings& game);
bool PassGame(const In& pass, ale::RomSettings& game);

}  // namespace parallel_pool::atari
