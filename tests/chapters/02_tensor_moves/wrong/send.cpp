#include "exercises.h"

#include "td/device/backend.h"

// answer: by_way_of_the_host
// expect: send came back only when the work on from_stream was done
// Right values in the right order, but two transfers over the link, and the host waits for both.
namespace by_way_of_the_host {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  td::Tensor host;
  {
    const td::StreamGuard on(from_stream);
    host = from.cpu();
  }
  const td::StreamGuard on(to_stream);
  td::Tensor(to).copy_(host);
}
}  // namespace by_way_of_the_host

// answer: current_streams
// expect: work on to_stream, queued before send, should still see the old values
// Uses the current streams instead of the ones it is given.
namespace current_streams {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  (void)from_stream, (void)to_stream;
  td::Tensor(to).copy_(from);
}
}  // namespace current_streams

// answer: floats_only
// expect: elements of float64
// Counts four bytes per element.
namespace floats_only {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  from_stream.wait(to_stream);
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(),
            static_cast<std::size_t>(from.numel()) * sizeof(float), from.device().index(),
            from_stream.native());
  to_stream.wait(from_stream);
}
}  // namespace floats_only

// answer: leaves_its_stream
// expect: send changed the current stream of a device
// Sets the streams and does not restore them.
namespace leaves_its_stream {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  td::setCurrentStream(from_stream);
  td::setCurrentStream(to_stream);
  td::Tensor(to).copy_(from);
}
}  // namespace leaves_its_stream

// answer: no_wait_before_reading
// expect: work on to_stream, queued after send, should see the new values
// Right on one stream. Here the target's stream reads before the bytes are there.
namespace no_wait_before_reading {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  from_stream.wait(to_stream);
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            from.device().index(), from_stream.native());
}
}  // namespace no_wait_before_reading

// answer: no_wait_before_writing
// expect: work on to_stream, queued before send, should still see the old values
// Right on the README's example. Overwrites a target that queued work still reads.
namespace no_wait_before_writing {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            from.device().index(), from_stream.native());
  to_stream.wait(from_stream);
}
}  // namespace no_wait_before_writing

// answer: on_the_targets_stream
// expect: from was filled with 10 by work that was still queued when send was called
// Queues the copy after the target's work, and forgets that the source may still be written.
namespace on_the_targets_stream {
void send(const td::Tensor& from, const td::Stream&, const td::Tensor& to,
          const td::Stream& to_stream) {
  td::backend(to.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            to.device().index(), to_stream.native());
}
}  // namespace on_the_targets_stream

// answer: waits_at_the_end
// expect: send came back only when the work on from_stream was done
// The order is right, but the host waits for the copy.
namespace waits_at_the_end {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  from_stream.wait(to_stream);
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            from.device().index(), from_stream.native());
  to_stream.wait(from_stream);
  if (from_stream.query() || to_stream.query()) return;
  td::Event arrived(from.device().type());
  arrived.record(from_stream);
  if (td::getCurrentStream(from.device()).query()) arrived.synchronize();
}
}  // namespace waits_at_the_end

// answer: waits_for_the_target
// expect: send came back only when the work on to_stream was done
// Lets the host wait for the target before the copy.
namespace waits_for_the_target {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  to_stream.synchronize();
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            from.device().index(), from_stream.native());
  to_stream.wait(from_stream);
}
}  // namespace waits_for_the_target

// answer: whole_storage
// expect: 7 elements of float32 from index 40 of from to index 5 of to
// Copies the storage, and forgets that a tensor may be a view of a part.
namespace whole_storage {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  from_stream.wait(to_stream);
  td::backend(from.device().type())
      .copy(to.impl().storage->data(), to.device(), from.impl().storage->data(), from.device(),
            from.nbytes(), from.device().index(), from_stream.native());
  to_stream.wait(from_stream);
}
}  // namespace whole_storage

// answer: clones_first
// expect: send allocated memory of a device
// Takes a copy of the source first, so that later work on from_stream may overwrite it.
namespace clones_first {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  td::Tensor copy;
  {
    const td::StreamGuard on(from_stream);
    copy = from.clone();
  }
  from_stream.wait(to_stream);
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), copy.data_ptr(), from.device(), copy.nbytes(),
            from.device().index(), from_stream.native());
  to_stream.wait(from_stream);
}
}  // namespace clones_first

// answer: event_too_early
// expect: is not ordered with the copy
// Records the event before the copy: the target waits for everything but the copy.
namespace event_too_early {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  from_stream.wait(to_stream);
  td::Event copied(from.device().type());
  copied.record(from_stream);
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            from.device().index(), from_stream.native());
  copied.block(to_stream);
}
}  // namespace event_too_early

// answer: leaves_the_device
// expect: sim:0 was the current sim device before send, and is not afterwards
// Makes the target's device current, and does not restore the earlier one.
namespace leaves_the_device {
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  td::set_device(to.device());
  to_stream.wait(from_stream);
  td::backend(to.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), to.nbytes(),
            to.device().index(), to_stream.native());
}
}  // namespace leaves_the_device
