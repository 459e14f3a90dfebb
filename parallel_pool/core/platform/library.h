// Shared libraries, and files for them.
#pragma once

#include <string>

namespace parallel_pool::platform {

class Library {
 public:
  // Loads a file; its symbols are for Find() only. Throws std::runtime_error with the system's
  // message.
  explicit Library(const std::string& file);

  // A function; nullptr if the library does not export it.
  template <class Function>
  Function* Find(const char* name) const {
    return reinterpret_cast<Function*>(FindAddress(name));
  }
  // The library stays loaded without this call, so that its functions can be called at any time.
  void Unload();

 private:
  void* FindAddress(const char* name) const;

  void* handle_;
};

// A name of this file that any library can open. Some take names in the code page of Windows: there
// it is the short form (8.3) of a name beyond ASCII, if the disk has these.
std::string PlainName(const std::string& file);

// The plain name of the file of the library that has this function; "" if the system does not tell.
std::string FileOf(const void* function);

}  // namespace parallel_pool::platform
