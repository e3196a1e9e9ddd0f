// How an exercise says that it is still a stub. Stubs call td::not_done_yet; the checker turns it
// into the result "not done yet". Standard library only, so that an exercise compiles fast.
// Invariant: a stub never reaches a device, so nothing is left half done when it throws.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>

namespace td {

/// Thrown by an exercise that is not written yet; `what()` is `not done yet: scatter`.
class NotDoneYet : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {
/// Counts stubs reached in this process. The checker reads it because a test that expects some
/// exception, or a thread that swallows one, would otherwise hide that nothing was written.
inline std::atomic<int> stubs_reached{0};
}  // namespace detail

/// Ends an exercise that is still a stub.
/// @param exercise the exercise's name, as in its file name.
/// @throws NotDoneYet always.
[[noreturn]] inline void not_done_yet(const char* exercise) {
  detail::stubs_reached.fetch_add(1);
  throw NotDoneYet(std::string("not done yet: ") + exercise);
}

}  // namespace td
