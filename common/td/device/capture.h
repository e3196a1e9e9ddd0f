// What other parts must know while a graph is captured (see graph.h): waiting for the device is
// refused, memory comes from the graph's own pool, and events of the allocators wait until the
// capture is over. graph.cpp sets this; stream.cpp, the allocators and backends ask.
#pragma once

#include <atomic>

#include "td/device/device.h"

namespace td {

class Graph;

/// The graph that this thread captures; nullptr outside of captures.
extern thread_local constinit Graph* capturing_graph;
/// Captures in all threads. While there are any, allocators record no events: a stream that is
/// captured would take them into its graph.
extern std::atomic<int> captures_underway;

/// Throws for what a capture cannot hold: "<what>: not while a graph is captured. <why and cure>".
[[noreturn, gnu::cold]] void fail_in_capture(const char* what, const char* cure);

/// Throw DeviceError: the host waits for a stream that another thread captures, or asks after an
/// event of a capture. Backends call them. @{
[[noreturn, gnu::cold]] void refuse_captured_stream(DeviceType type, int index);
[[noreturn, gnu::cold]] void refuse_captured_event();
/// @}

/// Called by everything that makes the host wait for a device. @throws DeviceError in a capture.
inline void assert_not_capturing(const char* what) {
  if (capturing_graph) [[unlikely]]
    fail_in_capture(what,
                    "The host may not wait for the device or read its values: nothing runs "
                    "before the graph is replayed. Do it after the capture.");
}

/// Called for copies from or to host memory that is not page-locked. @throws DeviceError in a
/// capture.
inline void check_may_copy_pageable() {
  if (capturing_graph) [[unlikely]]
    fail_in_capture("copy",
                    "The host's side is pageable memory, which the device cannot reach by itself "
                    "at each replay. Keep it in one pinned tensor, from pin_memory(), for as "
                    "long as the graph is used.");
}

}  // namespace td
