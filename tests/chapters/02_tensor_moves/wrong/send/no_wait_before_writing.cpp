// expect: work on to_stream, queued before send, should still see the old values
// Right on the README's example. Overwrites a target that queued work still reads.
#include "exercises.h"
#include "td/device/backend.h"

void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            from.device().index(), from_stream.native());
  to_stream.wait(from_stream);
}
