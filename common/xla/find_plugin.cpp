// Where the plugin comes from: the learner says so, and nothing is guessed. libtpu, opened on a
// machine that has no TPU, asks the network for one and hangs.
#include <cstdlib>

#include "xla/plugin.h"

namespace td::xla {

std::string find_plugin() {
  const char* const named = std::getenv("PJRT_PLUGIN");
  if (named && *named) return named;
  throw PluginMissing(
      "No XLA device: PJRT_PLUGIN is not set. This program runs on any PJRT plugin:\n"
      "  CPU     ./course run 10 fetches XLA's own plugin, once, and sets PJRT_PLUGIN\n"
      "  NVIDIA  python3 -m pip install 'jax-cuda13-plugin[with-cuda]'\n"
      "          PJRT_PLUGIN=.../site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so\n"
      "  TPU VM  PJRT_PLUGIN=.../site-packages/libtpu/libtpu.so");
}

}  // namespace td::xla
