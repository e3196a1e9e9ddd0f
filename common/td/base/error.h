// What goes wrong, by kind. Every layer throws these; a chapter's main turns them into one message.
// The text is the product: it names the thing, what was expected, and the next step. It is built
// only on failure, in cold functions, so that a check costs a branch.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace td {

/// Base of all errors this library throws. `what()` is one complete message for a person.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A device that does not exist, is not built in, or differs between the arguments of an operation.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Sizes, strides, dimensions or indices that do not fit together.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// An element type that an operation cannot take.
class DtypeError : public Error {
 public:
  using Error::Error;
};

/// A device (or the host's pinned memory) has no room left.
class OutOfMemoryError : public Error {
 public:
  using Error::Error;
};

/// Work already queued on a stream failed; reported at the next synchronization.
class AsyncError : public Error {
 public:
  using Error::Error;
};

/// A file that is missing, damaged, truncated, foreign or not writable.
class IoError : public Error {
 public:
  using Error::Error;
};

/// Gradients asked for where there are none: freed graph, changed saved tensor, no grad_fn.
class AutogradError : public Error {
 public:
  using Error::Error;
};

/// Joins `parts` as a stream would print them and throws them as an `E`.
template <class E, class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw E(text.str());
}

}  // namespace td

/// `TD_CHECK(ShapeError, n == m, "add: ", n, " against ", m)`: throws unless the condition holds.
#define TD_CHECK(ErrorType, condition, ...) \
  do {                                      \
    if (!(condition)) [[unlikely]]          \
      ::td::fail<ErrorType>(__VA_ARGS__);   \
  } while (false)
