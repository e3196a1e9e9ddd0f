// Errors by kind, and helpers for messages. Every layer throws these errors; a chapter's main turns
// them into one message. A message names the object, what was expected, and the next step. It is
// built only on failure, in cold functions, so that a check costs a branch. A warning is written to
// stderr, each text once per process, so that a warning in a training loop is one line.
#pragma once

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>

namespace td {

/// Base of all errors this library throws. `what()` is one complete message for a person.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A device that does not exist, is not built in, or differs between the arguments of an operation.
struct DeviceError : Error {
  using Error::Error;
};

/// Sizes, strides, dimensions or indices that do not fit together.
struct ShapeError : Error {
  using Error::Error;
};

/// An element type that an operation cannot take.
struct DtypeError : Error {
  using Error::Error;
};

/// A device (or the host's pinned memory) has no room left.
struct OutOfMemoryError : Error {
  using Error::Error;
};

/// Work already queued on a stream failed; reported at the next synchronization.
struct AsyncError : Error {
  using Error::Error;
};

/// A file that is missing, damaged, truncated, of another format or not writable.
struct IoError : Error {
  using Error::Error;
};

/// A gradient that cannot be computed: freed graph, changed saved tensor, no grad_fn.
struct AutogradError : Error {
  using Error::Error;
};

/// The parts as a stream prints them, one after another. libtorch: c10::str.
template <class... Parts>
std::string str(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// Throws an `E` whose message is str(parts...).
template <class E, class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const Parts&... parts) {
  throw E(str(parts...));
}

/// Writes "Warning: text" unless this text was written before. Thread-safe.
void write_warning_once(const std::string& text);

/// The same for str(parts...).
template <class... Parts>
[[gnu::cold]] void warn_once(const Parts&... parts) {
  write_warning_once(str(parts...));
}

/// `bytes` with three digits and a binary unit: `20.0 MiB`, `1.00 GiB`, `512 bytes`.
std::string format_bytes(std::size_t bytes);

/// The bytes themselves, two hexadecimal digits each: "00ff".
std::string to_hex(const void* bytes, std::size_t size);

}  // namespace td

/// `TD_CHECK(ShapeError, n == m, "add: ", n, " against ", m)`: throws unless the condition holds.
#define TD_CHECK(ErrorType, condition, ...) \
  do {                                      \
    if (!(condition)) [[unlikely]]          \
      ::td::fail<ErrorType>(__VA_ARGS__);   \
  } while (false)
