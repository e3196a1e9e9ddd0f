// Replaces the other gloo_*.cpp in a build without gloo.
#include "distributed/transport/transport.h"

namespace td::distributed {

std::shared_ptr<Transport> make_gloo_transport(const Member&) {
  fail<Error>(
      "this build has no gloo, which carries data between ranks: install libgloo-dev (Debian), "
      "then configure and build again. Ranks of one host can use shared memory: TD_TRANSPORT=shm");
}

}  // namespace td::distributed
