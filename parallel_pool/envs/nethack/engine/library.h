// The file libnethack.so of the package nle: NetHack 3.6.6 with an interface of five functions.
//
// NetHack keeps its state in global variables, so a process has one game for each copy of the
// library. The system's loader would need a file, all of the code and 16 free namespaces for each
// copy. This loader maps the code of the one file again for each game, so all games share its pages
// of memory, and puts the game's own data behind it:
//
//   base -> | headers | code | constants | data, which is private |  size() bytes in all
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace parallel_pool::nethack {

inline constexpr size_t kPage = 4096;  // bytes

class Library {
 public:
  // Reads the file. Throws std::invalid_argument if it is not the library of nle 1.3.0, or imports
  // a function that this family does not offer (libc.h).
  explicit Library(const std::filesystem::path& file);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Bytes of memory of one copy, a multiple of the page size.
  size_t size() const { return size_; }
  // Maps one copy to `base`, which is size() bytes of reserved memory. ResetData must follow.
  void Map(uint8_t* base) const;
  // Sets the data of the copy at `base` to what they are before its constructors run.
  void ResetData(uint8_t* base) const;
  // Runs the constructors of the copy at `base`.
  void Construct(uint8_t* base) const;
  // The place of an exported function, in bytes from the base. Throws std::invalid_argument if the
  // library has none of this name.
  size_t Find(const std::string& name) const;

 private:
  // A part of the file that is mapped as it is.
  struct Segment {
    size_t place, bytes, offset;  // page-aligned; `offset` is that in the file
    int protection;               // PROT_*
  };
  // A word of the data that holds an address.
  struct Pointer {
    size_t place;      // of the word
    uint64_t value;    // the address, or its distance from the base
    bool is_relative;  // to the base
  };

  void ReadSegments(const std::vector<uint8_t>& bytes);
  void ReadDynamic(const std::vector<uint8_t>& bytes);
  void AddPointer(const Elf64_Rela& entry, const Elf64_Sym& symbol, const std::string& name);

  const std::filesystem::path file_;
  int descriptor_ = -1;
  size_t size_ = 0;
  std::vector<Segment> segments_;
  std::vector<uint8_t> data_;  // the private segment as the file has it
  size_t data_place_ = 0;      // its place
  size_t data_bytes_ = 0;      // with the zeros that follow data_
  size_t dynamic_place_ = 0;   // of the table of the dynamic section
  std::vector<Pointer> pointers_;
  std::vector<size_t> constructors_;  // places
  std::unordered_map<std::string, size_t> symbols_;
};

}  // namespace parallel_pool::nethack
