#include "exercises.h"

#include "td/device/backend.h"

// answer: on_the_targets_side
// The copy is queued on the target's stream, with waits the other way round.
namespace on_the_targets_side {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  to_stream.wait(from_stream);
  td::backend(to.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), to.nbytes(),
            to.device().index(), to_stream.native());
}
}  // namespace on_the_targets_side

// answer: with_events
// Events instead of Stream::wait.
namespace with_events {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  td::Event target_ready(to.device().type()), copied(from.device().type());
  target_ready.record(to_stream);
  target_ready.block(from_stream);
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            from.device().index(), from_stream.native());
  copied.record(from_stream);
  copied.block(to_stream);
}
}  // namespace with_events

// answer: with_guards
// Two guards make the streams current, and copy_ does the rest.
namespace with_guards {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  const td::StreamGuard source(from_stream), target(to_stream);
  to.copy_(from, /*non_blocking=*/true);
}
}  // namespace with_guards
