// expect: work on to_stream, queued after send, should see the new values
// Right on one stream. Here the target's stream reads before the bytes are there.
#include "exercises.h"
#include "td/device/backend.h"

void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  from_stream.wait(to_stream);
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            from.device().index(), from_stream.native());
}
