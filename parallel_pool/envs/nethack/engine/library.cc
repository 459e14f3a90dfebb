#include "parallel_pool/envs/nethack/engine/library.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <system_error>

#include "parallel_pool/envs/nethack/engine/libc.h"

namespace parallel_pool::nethack {
namespace {

size_t RoundUp(size_t n) {
  return (n + kPage - 1) / kPage * kPage;
}

// The `count` values of type T at `offset` of a file.
template <class T>
std::vector<T> ReadTable(const std::vector<uint8_t>& bytes, size_t offset, size_t count) {
  if (offset > bytes.size() || count > (bytes.size() - offset) / sizeof(T)) {
    throw std::invalid_argument("it ends too early");
  }
  std::vector<T> table(count);
  if (count > 0) std::memcpy(table.data(), bytes.data() + offset, count * sizeof(T));
  return table;
}

Elf64_Ehdr HeaderOf(const std::vector<uint8_t>& bytes) {
  const auto header = ReadTable<Elf64_Ehdr>(bytes, 0, 1)[0];
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != EM_X86_64) {
    throw std::invalid_argument("it is no library for x86-64");
  }
  return header;
}

}  // namespace

Library::Library(const std::filesystem::path& file) : file_(file) {
  std::ifstream stream(file, std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(stream), {}};
  try {
    ReadSegments(bytes);
    ReadDynamic(bytes);
    Find("nle_fill_fixed_tm");  // new in nle 1.3.0
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(file.string() +
                                " is not the library of the package nle 1.3.0: " + error.what());
  }
  descriptor_ = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), file.string());
}

Library::~Library() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Library::ReadSegments(const std::vector<uint8_t>& bytes) {
  const Elf64_Ehdr header = HeaderOf(bytes);
  for (const auto& part : ReadTable<Elf64_Phdr>(bytes, header.e_phoff, header.e_phnum)) {
    if (part.p_type == PT_DYNAMIC) dynamic_place_ = part.p_vaddr;
    if (part.p_type != PT_LOAD) continue;
    size_ = RoundUp(part.p_vaddr + part.p_memsz);
    if ((part.p_flags & PF_W) != 0) {
      data_ = ReadTable<uint8_t>(bytes, part.p_offset, part.p_filesz);
      data_place_ = part.p_vaddr;
      data_bytes_ = part.p_memsz;
      continue;
    }
    ReadTable<uint8_t>(bytes, part.p_offset, part.p_filesz);  // throws if it is cut off
    const size_t skew = part.p_vaddr % kPage;
    segments_.push_back({.place = part.p_vaddr - skew,
                         .bytes = RoundUp(part.p_filesz + skew),
                         .offset = part.p_offset - skew,
                         .protection = (part.p_flags & PF_R ? PROT_READ : 0) |
                                       (part.p_flags & PF_X ? PROT_EXEC : 0)});
  }
}

void Library::ReadDynamic(const std::vector<uint8_t>& bytes) {
  if (data_.empty() || dynamic_place_ < data_place_) {
    throw std::invalid_argument("it has no data");
  }
  std::map<int64_t, uint64_t> table;
  for (size_t at = dynamic_place_ - data_place_; at + sizeof(Elf64_Dyn) <= data_.size();
       at += sizeof(Elf64_Dyn)) {
    const auto entry = ReadTable<Elf64_Dyn>(data_, at, 1)[0];
    if (entry.d_tag == DT_NULL) break;
    table[entry.d_tag] = entry.d_un.d_val;
  }
  // All tables lie before the code, where places are offsets in the file. The names follow the
  // symbols.
  const size_t names = table[DT_STRTAB], first = table[DT_SYMTAB];
  if (names < first || names + table[DT_STRSZ] > bytes.size() || table[DT_STRSZ] == 0 ||
      bytes[names + table[DT_STRSZ] - 1] != 0) {
    throw std::invalid_argument("its symbols cannot be read");
  }
  const auto symbols = ReadTable<Elf64_Sym>(bytes, first, (names - first) / sizeof(Elf64_Sym));
  const auto name_of = [&](const Elf64_Sym& symbol) {
    if (symbol.st_name >= table[DT_STRSZ]) throw std::invalid_argument("a name is missing");
    return std::string(reinterpret_cast<const char*>(bytes.data() + names + symbol.st_name));
  };
  for (const Elf64_Sym& symbol : symbols) {
    if (symbol.st_shndx != SHN_UNDEF) symbols_[name_of(symbol)] = symbol.st_value;
  }
  for (const auto& [place, size] : {std::pair(DT_RELA, DT_RELASZ), {DT_JMPREL, DT_PLTRELSZ}}) {
    const size_t count = table[size] / sizeof(Elf64_Rela);
    for (const auto& entry : ReadTable<Elf64_Rela>(bytes, table[place], count)) {
      if (ELF64_R_SYM(entry.r_info) >= symbols.size())
        throw std::invalid_argument("no such symbol");
      const Elf64_Sym& symbol = symbols[ELF64_R_SYM(entry.r_info)];
      AddPointer(entry, symbol, name_of(symbol));
    }
  }
  for (const Pointer& pointer : pointers_) {
    const size_t begin = table[DT_INIT_ARRAY];
    if (pointer.place >= begin && pointer.place < begin + table[DT_INIT_ARRAYSZ]) {
      constructors_.push_back(pointer.value);
    }
  }
}

// Adds the word that `entry` sets to the address of `symbol`.
void Library::AddPointer(const Elf64_Rela& entry, const Elf64_Sym& symbol,
                         const std::string& name) {
  if (entry.r_offset < data_place_ || entry.r_offset + 8 > data_place_ + data_.size()) {
    throw std::invalid_argument("it has an address outside of its data");
  }
  const auto addend = static_cast<uint64_t>(entry.r_addend);
  const auto type = ELF64_R_TYPE(entry.r_info);
  if (type == R_X86_64_RELATIVE) {
    pointers_.push_back({entry.r_offset, addend, true});
    return;
  }
  if (type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT && type != R_X86_64_64) {
    throw std::invalid_argument("it has addresses of type " + std::to_string(type));
  }
  const uint64_t shift = type == R_X86_64_64 ? addend : 0;
  if (symbol.st_shndx != SHN_UNDEF) {
    pointers_.push_back({entry.r_offset, symbol.st_value + shift, true});
    return;
  }
  const bool is_weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
  const auto import = reinterpret_cast<uint64_t>(FindImport(name, is_weak));
  pointers_.push_back({entry.r_offset, import + shift, false});
}

void Library::Map(uint8_t* base) const {
  const auto check = [&](const void* mapped) {
    if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  };
  for (const Segment& segment : segments_) {
    check(mmap(base + segment.place, segment.bytes, segment.protection, MAP_PRIVATE | MAP_FIXED,
               descriptor_, static_cast<off_t>(segment.offset)));
  }
  const size_t first = data_place_ / kPage * kPage;
  check(mmap(base + first, size_ - first, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0));
}

void Library::ResetData(uint8_t* base) const {
  uint8_t* const data = base + data_place_;
  std::memcpy(data, data_.data(), data_.size());
  std::memset(data + data_.size(), 0, data_bytes_ - data_.size());
  const auto distance = reinterpret_cast<uint64_t>(base);
  for (const Pointer& pointer : pointers_) {
    const uint64_t address = pointer.value + (pointer.is_relative ? distance : 0);
    std::memcpy(base + pointer.place, &address, sizeof(address));
  }
}

void Library::Construct(uint8_t* base) const {
  for (const size_t place : constructors_) reinterpret_cast<void (*)()>(base + place)();
}

size_t Library::Find(const std::string& name) const {
  const auto found = symbols_.find(name);
  if (found == symbols_.end()) throw std::invalid_argument("it has no function " + name);
  return found->second;
}

}  // namespace parallel_pool::nethack
