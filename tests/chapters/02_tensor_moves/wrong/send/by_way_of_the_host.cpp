// expect: send came back only when the work on from_stream was done
// Right values in the right order, but two transfers over the link, and the host waits for both.
#include "exercises.h"

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
