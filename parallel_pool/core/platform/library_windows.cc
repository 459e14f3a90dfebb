#include <windows.h>

#include <algorithm>
#include <stdexcept>

#include "parallel_pool/core/platform/library.h"

namespace parallel_pool::platform {
namespace {

// Names are UTF-8 here, and UTF-16 in Windows.
std::wstring ToWide(const std::string& text) {
  const int bytes = static_cast<int>(text.size());
  const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0);
  std::wstring wide(static_cast<size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, wide.data(), size);
  return wide;
}

std::string ToUtf8(const std::wstring& wide) {
  const int units = static_cast<int>(wide.size());
  const int size =
      WideCharToMultiByte(CP_UTF8, 0, wide.data(), units, nullptr, 0, nullptr, nullptr);
  std::string text(static_cast<size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, wide.data(), units, text.data(), size, nullptr, nullptr);
  return text;
}

// The file's absolute name, with backslashes.
std::wstring FullName(const std::wstring& file) {
  std::wstring full(GetFullPathNameW(file.c_str(), 0, nullptr, nullptr), L'\0');  // with its end
  full.resize(
      GetFullPathNameW(file.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr));
  return full;
}

// The libraries that it needs may lie next to it. A name without a folder is looked up in those of
// the program and of the system, but not in the current one.
HMODULE Load(const std::wstring& file) {
  if (file.find_first_of(L"/\\") == std::wstring::npos) {
    return LoadLibraryExW(file.c_str(), nullptr, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
  }
  return LoadLibraryExW(FullName(file).c_str(), nullptr,
                        LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
}

// "The specified module could not be found. (126)", in the user's language.
std::string MessageOf(DWORD error) {
  std::wstring message(512, L'\0');
  message.resize(FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr,
                                error, 0, message.data(), static_cast<DWORD>(message.size()),
                                nullptr));
  message.resize(message.find_last_not_of(L"\r\n") + 1);
  return ToUtf8(message) + " (" + std::to_string(error) + ")";
}

}  // namespace

Library::Library(const std::string& file) : handle_(Load(ToWide(file))) {
  if (handle_ != nullptr) return;
  const DWORD error = GetLastError();
  const bool is_there = GetFileAttributesW(ToWide(file).c_str()) != INVALID_FILE_ATTRIBUTES;
  const char* const hint = error == ERROR_MOD_NOT_FOUND && is_there
                               ? "; a library that it needs is missing, such as Microsoft's Visual "
                                 "C++ Redistributable"
                               : "";
  throw std::runtime_error(file + ": " + MessageOf(error) + hint);
}

void* Library::FindAddress(const char* name) const {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
}

void Library::Unload() {
  FreeLibrary(static_cast<HMODULE>(handle_));
}

std::string PlainName(const std::string& file) {
  const std::wstring name = ToWide(file);
  if (std::ranges::all_of(name, [](wchar_t c) { return c < 0x80; })) return file;
  std::wstring short_name(1 << 15, L'\0');  // no name is longer
  const DWORD size =
      GetShortPathNameW(name.c_str(), short_name.data(), static_cast<DWORD>(short_name.size()));
  return 0 < size && size < short_name.size() ? ToUtf8(short_name.substr(0, size)) : file;
}

// With slashes, so that the callers find its folder as on other systems.
std::string FileOf(const void* function) {
  HMODULE library = nullptr;
  if (!GetModuleHandleExW(
          GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
          static_cast<const wchar_t*>(function), &library)) {
    return "";
  }
  std::wstring name(1 << 15, L'\0');
  name.resize(GetModuleFileNameW(library, name.data(), static_cast<DWORD>(name.size())));
  std::string plain = PlainName(ToUtf8(name));
  std::ranges::replace(plain, '\\', '/');
  return plain;
}

}  // namespace parallel_pool::platform
