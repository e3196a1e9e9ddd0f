// The number that the next recorded operation of this thread gets. record.cpp counts it; threads
// that record parts of one graph (td/parallel) pass it on, so that the engine meets their
// operations in one order, whatever the threads did before.
#pragma once

#include <cstdint>

namespace td {

/// Grows by one an operation. The engine runs later numbers first.
extern thread_local constinit std::uint64_t next_sequence;

}  // namespace td
