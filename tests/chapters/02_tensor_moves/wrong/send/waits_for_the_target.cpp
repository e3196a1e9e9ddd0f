// expect: send came back only when the work on to_stream was done
// Lets the host wait for the target before the copy.
#include "exercises.h"
#include "td/device/backend.h"

void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream) {
  if (from.numel() == 0) return;
  to_stream.synchronize();
  td::backend(from.device().type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            from.device().index(), from_stream.native());
  to_stream.wait(from_stream);
}
