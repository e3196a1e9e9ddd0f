// Takes the place of the other gloo_*.cpp in a build without gloo.
#include "td/base/error.h"
#include "distributed/planes/gloo_plane.h"

namespace td::distributed {

std::shared_ptr<HostPlane> make_gloo_plane(const GlooOptions&, Store&) {
  fail<Error>(
      "this build has no gloo, which carries data between ranks: install libgloo-dev (Debian), "
      "then "
      "configure and build again. Ranks of one host can use shared memory: TD_DATA_PLANE=shm");
}

}  // namespace td::distributed
