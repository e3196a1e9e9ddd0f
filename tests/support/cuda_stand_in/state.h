// What the stand-in's files share: devices, streams, events, captures, and how every call begins.
// Invariant: everything here is guarded by State::mutex but what belongs to one thread; work of a
// stream runs outside of it.
#pragma once

#include <cuda_runtime.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "stand_in.h"

namespace cuda_stand_in {

constexpr int kMostDevices = 8;

struct Capture;

/// cudaStream_t. Counts what was queued; `done` falls behind only while the stream is held.
struct Stream {
  int device = 0;
  std::uint64_t queued = 0, done = 0;
  bool held = false;
  Capture* capture = nullptr;
};

/// cudaEvent_t. Never given back, so that a use after its destruction is seen.
struct Event {
  int device = 0;
  bool keeps_time = true, alive = true;
  Stream* stream = nullptr;  // of the last record; null when there was none
  std::uint64_t ticket = 0;
  double milliseconds = 0;
  // When the last record was in a capture.
  Capture* capture = nullptr;
  std::map<Stream*, int> knows;
};

using Work = std::function<void()>;

/// Streams that are captured together.
struct Capture {
  Stream* origin = nullptr;
  bool invalid = false, over = false;
  int steps = 0;
  std::vector<Work> nodes;
  // For each stream: its own last step, and which steps of others come before its next one.
  std::map<Stream*, int> last;
  std::map<Stream*, std::map<Stream*, int>> knows;
};

/// cudaGraph_t and cudaGraphExec_t.
struct Graph {
  int device = 0;
  std::vector<Work> nodes;
};

struct Device {
  std::size_t bytes = 0, used = 0;
  bool has_context = false;
  cudaError_t broken = cudaSuccess;
  cudaError_t failed_work = cudaSuccess;  // told by the next call that waits for the device
  std::set<int> peers;
  Stream default_stream;
  std::set<Stream*> streams;
};

struct Memory {
  std::size_t bytes = 0;
  int device = 0;
  bool is_pinned = false;
};

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
  Device devices[kMostDevices];
  std::map<std::uintptr_t, Memory> memory;  // by start
  std::set<const void*> live;               // handles of events, graphs and executable graphs
  std::set<Capture*> captures;              // under way
  std::map<const void*, std::string> kernels;
  std::map<std::string, std::uint64_t> calls;
  std::map<std::string, std::pair<int, cudaError_t>> failures;  // calls that pass, then the error
  std::vector<std::string> refused;
  int collecting = 0;
  bool pageable_access = false;
  Launch last;
};

State& state();

/// The thread's own part.
struct Thread {
  int device = -1;
  cudaError_t last_error = cudaSuccess;
};
extern thread_local constinit Thread thread;

/// Says what CUDA would let pass, and ends the process unless a test collects refusals.
cudaError_t refuse(State& all, const char* call, const std::string& why);

/// What comes before the body of every call. @param needs_device refuses threads without one.
cudaError_t begin_call(State& all, const char* call, bool needs_device);

/// One call of the runtime: `body(State&, std::unique_lock&)` gives the result.
template <class Body>
cudaError_t call(const char* name, bool needs_device, Body body) {
  State& all = state();
  std::unique_lock lock(all.mutex);
  cudaError_t error = begin_call(all, name, needs_device);
  if (error == cudaSuccess) error = body(all, lock);
  if (error != cudaSuccess) thread.last_error = error;
  return error;
}

/// The stream of a handle: nullptr is the default stream of the current device.
Stream& stream_of(State& all, cudaStream_t handle);
/// The block that holds all these bytes; null for memory of the host that is not pinned, or when
/// they reach past a block, which sets `*beyond`.
const Memory* memory_of(State& all, const void* data, std::size_t bytes, bool* beyond);
/// Spoils the capture; every later call on its streams fails.
cudaError_t spoil(Capture& capture, cudaError_t error);
/// Runs the work, or makes it a node of the capture. Gives the lock back meanwhile.
cudaError_t put(Stream& stream, Work work, std::unique_lock<std::mutex>& lock);

}  // namespace cuda_stand_in
