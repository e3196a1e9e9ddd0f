// The one thread_local of the core. constinit keeps its access free of a guard.
#include "td/device/thread_state.h"

namespace td {

thread_local constinit ThreadState thread_state_storage;

}  // namespace td
