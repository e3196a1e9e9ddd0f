// send: exercise 2.send, declared in exercises.h.
#include "exercises.h"
#include "td/device/backend.h"
#include "td/exercise.h"

void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  // blank: A wait, the copy on the source's stream, a wait. About 5 lines.
  if (from.numel() == 0) return;
  from_stream.wait(to_stream);
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            from.device().index(), from_stream.native());
  to_stream.wait(from_stream);
  // end
}
