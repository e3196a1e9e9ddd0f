// Two guards make the streams current, and copy_ does the rest.
#include "exercises.h"
#include "td/device/backend.h"

void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  const td::StreamGuard source(from_stream), target(to_stream);
  to.copy_(from, /*non_blocking=*/true);
}
