// What the fuzzers share. A fuzzer gives a parser bytes that libFuzzer made up and checks one rule:
// it either understands them, or throws the error type it promises with a text. Anything else ends
// the process, and libFuzzer stores the bytes that caused it.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <typeinfo>

namespace fuzz {

/// Ends the process unless `good`; `what` says which promise was broken.
inline void expect(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "broken promise: %s\n", what.c_str());
  std::abort();
}

/// Whether `parse` came back. An `Error` with a text, of that very type, is an answer as well; all
/// other exceptions leave and are findings.
template <class Error, class Parse>
bool parses(Parse&& parse) {
  try {
    parse();
    return true;
  } catch (const Error& error) {
    if (typeid(error) != typeid(Error)) throw;
    expect(*error.what() != '\0', "an error says what is wrong");
    return false;
  }
}

/// The fuzzer's bytes, taken from the front.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}
  /// Two bytes say how long the part is; a part ends with the input at the latest.
  std::string part() {
    const auto at = [&](std::size_t i) {
      return i < rest_.size() ? static_cast<std::size_t>(static_cast<unsigned char>(rest_[i])) : 0;
    };
    const std::size_t size = at(0) | at(1) << 8;
    const std::string part = rest_.size() > 2 ? rest_.substr(2, size) : "";
    rest_.erase(0, 2 + part.size());
    return part;
  }
  /// Everything that is left.
  const std::string& rest() const { return rest_; }

 private:
  std::string rest_;
};

/// A folder of this process in memory, for parsers that read files; gone when the process ends
/// well.
class Folder {
 public:
  Folder() : path_("/dev/shm/td_fuzz_" + std::to_string(getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file and returns its path.
  std::string put(const std::string& name, const std::string& bytes) const {
    const std::string file = *this / name;
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    return file;
  }

 private:
  std::string path_;
};

}  // namespace fuzz

/// libFuzzer's entry.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
