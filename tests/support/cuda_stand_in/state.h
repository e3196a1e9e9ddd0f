// What the stand-in's files share: devices, streams, events, captures, and how every call begins.
// Invariant: everything here is guarded by State::mutex except what belongs to one thread; work of
// a stream runs outside of it.
#pragma once

#include <cuda_runtime.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "cuda/arena.h"
#include "cuda/races.h"
#include "stand_in.h"

namespace cuda_stand_in {

using td::cudart::Access;
using td::cudart::AccessMap;
using td::cudart::Arena;
using td::cudart::arena_of;
using td::cudart::kept_name;
using td::cudart::VectorClock;

constexpr int kMostDevices = 8;

struct Stream;
struct Capture;

enum class Order { kEager, kLazy, kReversed, kRandom };

/// A point of a stream. Events hold one, and what waits for it holds the same.
struct Mark {
  Stream* stream = nullptr;
  std::uint64_t ticket = 0;  ///< the stream reaches it with its item of this number
  VectorClock clock;         ///< what comes before it
  double milliseconds = 0;   ///< when it was reached
  int polls = 0;             ///< queries that were answered with "not ready"
  std::uint64_t late = 0;    ///< how many such answers follow after it was reached
};
using MarkPtr = std::shared_ptr<Mark>;

/// An entry of a stream's queue.
struct Item {
  std::function<bool(bool)> run;  ///< as Operation::run; empty for events
  std::vector<MarkPtr> waits;     ///< must be reached first
  MarkPtr mark;                   ///< reached by this item
  std::uint64_t number = 0;       ///< items of all streams in the order of their calls
  bool has_begun = false;
};

/// cudaStream_t. Its items are numbered from 1; those up to `done` have run, those up to `needed`
/// must.
struct Stream {
  int device = 0;
  unsigned number = 0;  ///< of all streams, for the clocks
  unsigned index = 0;   ///< on its device, for texts
  std::deque<Item> items;
  std::uint64_t queued = 0, done = 0, needed = 0;
  bool is_held = false, is_running = false;
  bool must_wait = false;  ///< its first item cannot continue yet
  VectorClock clock;       ///< what comes before its next operation
  MarkPtr queried;         ///< the last point that cudaStreamQuery was about
  Capture* capture = nullptr;
};

/// cudaEvent_t. Never given back, so that a use after its destruction is seen.
struct Event {
  int device = 0;
  bool keeps_time = true;
  MarkPtr mark;  ///< of the last record; null when there was none
  // When the last record was in a capture.
  Capture* capture = nullptr;
  std::set<std::size_t> nodes;
  VectorClock clock;
};

struct Memory {
  std::size_t bytes = 0;
  int device = 0;  ///< of pinned memory, the one that was current
  bool is_pinned = false;
  std::uint64_t generation = 0;  ///< no other block has or had the same
  bool is_of_graph = false;      ///< allocated during a capture, and so of a graph's pool
};

/// An operation of a graph.
struct Node {
  std::shared_ptr<const Operation> operation;
  std::vector<std::uint64_t> generations;  ///< of the memory of operation->uses
  std::set<std::size_t> after;             ///< nodes that it waits for
};

/// Streams that are captured together.
struct Capture {
  /// One stream's part: the nodes that its next node waits for, and its clock within the capture.
  struct Branch {
    std::set<std::size_t> tips;
    VectorClock clock;
    std::uint64_t count = 0;
  };
  Stream* origin = nullptr;
  bool is_invalid = false, is_over = false;
  std::vector<Node> nodes;
  std::map<Stream*, Branch> branches;
  AccessMap accesses;
};

/// cudaGraph_t and cudaGraphExec_t.
struct Graph {
  int device = 0;
  std::shared_ptr<const std::vector<Node>> nodes;
  MarkPtr last_launch;
};

struct Device {
  std::optional<Arena> arena;  ///< made by the first cudaSetDevice
  bool has_context = false;
  cudaError_t failed = cudaSuccess;  ///< work failed; some later call reports it
  std::uint64_t silent_calls = 0;    ///< calls that do not report it yet
  cudaError_t broken = cudaSuccess;  ///< every call reports it
  std::set<int> peers;
  Stream default_stream;
  std::vector<Stream*> streams;
};

/// Makes this process say which device's memory the host accessed before it ends by SIGSEGV. Cheap,
/// and called often, because test programs replace the handler.
void watch_host_accesses();

struct State {
  std::mutex mutex;
  std::condition_variable* work_came = nullptr;  ///< wakes the executor
  std::condition_variable* changed = nullptr;    ///< wakes host threads that wait
  int count = 0;
  std::size_t device_bytes = 0;
  Order order = Order::kLazy;
  std::uint64_t seed = 1;
  Device devices[kMostDevices];
  std::vector<Stream*> streams;  ///< of all devices, by Stream::number
  std::map<std::uintptr_t, Memory> memory;
  std::uint64_t generations = 0;
  std::set<const void*> live;   ///< handles of events, graphs and executable graphs
  std::set<Capture*> captures;  ///< in progress
  // Who runs work, and for whom.
  bool has_executor = false, executor_sleeps = false, is_executing = false, is_ending = false;
  std::uint64_t items = 0, all_calls = 0;
  // For the race finder: what comes before everything that the host does next.
  VectorClock host;
  AccessMap accesses;
  std::size_t many_accesses = 4096;
  // For tests.
  std::map<std::string, std::uint64_t> calls;
  std::map<std::string, std::pair<int, cudaError_t>> failures;  ///< calls that pass, then the error
  std::vector<std::string> refused;
  int collecting = 0;
  cudaError_t kernel_error = cudaSuccess;
  int kernels_that_pass = 0;
  bool has_pageable_access = false, is_unloaded = false, was_forked = false;
  Launch last;
};

State& state();
using Lock = std::unique_lock<std::mutex>;

/// The thread's own part.
struct Thread {
  int device = -1;
  cudaError_t last_error = cudaSuccess;
  const char* failed_call = "";  ///< which left last_error
  bool was_refused = false;      ///< a refusal is no error of CUDA's
};
extern thread_local constinit Thread thread;

/// Says what CUDA would let pass, and ends the process unless a test collects refusals.
cudaError_t refuse(State& all, const char* call, const std::string& why);
/// What comes before the body of every call. @param needs_device refuses threads without one.
cudaError_t begin_call(State& all, const char* call, bool needs_device);
/// Keeps the error for cudaGetLastError, and returns it.
cudaError_t end_call(const char* call, cudaError_t error);

/// One call of the runtime: `body(State&, Lock&)` gives the result.
template <class Body>
cudaError_t call(const char* name, bool needs_device, Body body) {
  State& all = state();
  Lock lock(all.mutex);
  cudaError_t error = begin_call(all, name, needs_device);
  if (error == cudaSuccess) error = body(all, lock);
  return end_call(name, error);
}

/// The result of a call on the device. After work failed, some calls do not report it yet.
cudaError_t error_of(Device& device);
/// The same for a call that waited for the device: it reports the failure.
cudaError_t pending_error(Device& device);
/// Makes the device fail.
void fail_device(State& all, int device, cudaError_t error);
/// The stream of a handle: nullptr is the default stream of the current device.
Stream& stream_of(State& all, cudaStream_t handle);
/// "stream 2 of cuda:0", for texts.
std::string name_of(const Stream& stream);

/// What is at an address.
struct Found {
  const Memory* block = nullptr;  ///< that holds all the bytes
  std::uintptr_t begin = 0;       ///< of the block
  bool is_beyond = false;         ///< begins in a block and ends after it
  bool was_freed = false;         ///< device memory without a block
  bool is_pageable() const { return !block && !is_beyond && !was_freed; }
};
Found find_memory(const State& all, const void* data, std::size_t bytes);

/// Spoils the capture; every later call on its streams fails.
cudaError_t spoil(Capture& capture, cudaError_t error);
/// Makes the operation a node of the stream's capture.
cudaError_t add_node(State& all, const char* call, Stream& stream, Operation operation);

}  // namespace cuda_stand_in
