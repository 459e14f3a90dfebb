// Functions of libstdc++ 11 and newer, for libraries that use the libstdc++.so of older systems.
// They are hidden: each library has its own.
#include <new>

namespace std {

// GLIBCXX_3.4.29: new T[n] calls it.
[[gnu::visibility("hidden")]] void __throw_bad_array_new_length() {
  throw std::bad_array_new_length();
}

}  // namespace std
