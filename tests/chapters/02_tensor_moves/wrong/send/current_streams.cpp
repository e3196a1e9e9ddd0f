// expect: work on to_stream, queued before send, should still see the old values
// Uses the current streams instead of the ones it is given.
#include "exercises.h"
#include "td/device/backend.h"

void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  (void)from_stream, (void)to_stream;
  td::Tensor(to).copy_(from);
}
