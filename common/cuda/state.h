// What the files of CUDA's runtime share: devices, streams, events and memory, and how every call
// begins and ends. A learner's program is linked with this runtime, and its kernels run on the SIMT
// machine. See docs/cuda_programs.md.
//
// Invariant: everything here is guarded by State::mutex except what belongs to one thread; queued
// work runs outside of it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cuda/arena.h"
#include "cuda/launch.h"
#include "cuda/races.h"
#include "cuda_runtime_api.h"
#include "simt/observe/gpu_limits.h"

namespace td::cudart {

constexpr int kMostDevices = 8;
constexpr int kProcessors = 132;          ///< that a device says it has, as an H100
constexpr int kHostArena = kMostDevices;  ///< of pinned and managed memory

/// A block of memory that the runtime knows.
struct Block {
  std::size_t bytes = 0;
  int device = 0;
  Kind kind = Kind::kDevice;
  Element element;
  const char* call = "";        ///< that made it
  const void* made = nullptr;   ///< where the program called it
  const void* freed = nullptr;  ///< of a block that was freed
  std::uint64_t number = 0;     ///< in the order of their calls
  // Memory that a graph allocates has its address for as long as the graph can be launched.
  bool is_of_graph = false;
  bool is_alive = true;  ///< from its allocation to its release
};

/// An entry of the queue.
struct Operation {
  int device = 0;
  std::function<void()> run;                      ///< empty for an event
  std::vector<std::shared_ptr<Operation>> after;  ///< come first
  unsigned stream = 0;                            ///< its number
  const char* name = "";                          ///< of the call that queued it
  const void* caller = nullptr;                   ///< where the program made that call
  VectorClock clock;                              ///< what comes before it, and itself
  bool is_done = false;
  double milliseconds = 0;  ///< when it was done
};
using OperationPtr = std::shared_ptr<Operation>;

struct Graph;
struct Node;

/// What captured streams become.
struct Capture {
  struct Stream* origin = nullptr;
  Graph* graph = nullptr;
  std::map<struct Stream*, std::vector<Node*>> tips;  ///< what a stream's next node comes after
};

struct Stream {
  int device = 0, priority = 0;
  unsigned flags = 0;
  bool is_default = false;
  unsigned number = 0;      ///< of all streams
  std::uint64_t count = 0;  ///< of operations so far
  VectorClock clock{};      ///< what comes before the next one
  OperationPtr last{};
  Capture* capture = nullptr;
};

struct Event {
  int device = 0;
  unsigned flags = 0;
  OperationPtr record{};
  Capture* capture = nullptr;  ///< the last record was in it
  std::vector<Node*> nodes{};
};

struct Device {
  std::optional<Arena> arena;
  cudaError_t error = cudaSuccess;  ///< of a kernel; every later call returns it
  Stream default_stream;
  std::set<Stream*> streams;  ///< without the default one
  std::set<int> peers;
  /// The most so far: bytes that graphs have reserved, and those of them that were allocated.
  std::uint64_t most_graph_bytes[2] = {};
};

/// Memory that an operation reads or writes.
struct Use {
  const void* data;
  std::size_t bytes;
  bool writes;
};

struct State {
  std::mutex mutex;
  std::condition_variable work_came, work_ended;
  int count = 1;
  std::size_t device_bytes = 0;
  Device devices[kMostDevices];
  std::map<std::uintptr_t, Block> memory, freed;  ///< by address
  std::set<const void*> events, execs, arrays;    ///< that live
  std::set<Graph*> graphs;
  std::map<const void*, Kernel> kernels;      ///< whose address the program passed on
  std::map<const void*, int> dynamic_shared;  ///< cudaFuncSetAttribute, by kernel
  std::map<cudaLimit, std::size_t> limits;
  std::deque<OperationPtr> queue;
  std::uint64_t blocks = 0;  ///< that were made so far
  unsigned streams = 0;
  std::size_t overlaps = 0;  ///< operations that may run beside an earlier one of another stream
  std::optional<Arena> host_arena;
  // What the host may touch without waiting: it comes after `host`.
  VectorClock host;
  AccessMap accesses;                     ///< of the device to memory that the host may touch
  std::atomic<bool> is_waited_for{true};  ///< all of these
  bool has_worker = false, is_running = false, is_ending = false;
  /// The last stream that was given work goes first: another order that CUDA allows.
  bool is_reversed = false;
  int waiting = 0;          ///< host threads that wait
  std::uint64_t calls = 0;  ///< so far
  bool is_quiet = false;    ///< nothing was called for a while: the host may wait for memory
  const simt::GpuLimits* gpu = nullptr;
};
State& state();
using Lock = std::unique_lock<std::mutex>;

/// The thread's own part.
struct Thread {
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  std::uint64_t error_number = 0;  ///< of the report about last_error; 0: none
  bool is_worker = false;
  bool has_reported = false;  ///< the call that runs
  unsigned flags = 0;
};
extern thread_local constinit Thread thread;

/// The function of the program that the runtime returns to.
#define TD_CUDA_CALLER __builtin_return_address(0)

/// A call of the runtime, for its reports.
struct Call {
  const char* name = "";
  const void* caller = nullptr;
  bool works_after_errors = false;
};
/// What comes before the body of every call, and after it.
///@{
cudaError_t begin_call(State& all, const Call& call);
cudaError_t end_call(const State& all, const Call& call, cudaError_t error);
///@}
template <class Body>
cudaError_t run_call(const Call& call, Body body) {
  State& all = state();
  Lock lock(all.mutex);
  cudaError_t error = begin_call(all, call);
  if (!error) error = body(all, lock);
  return end_call(all, call, error);
}

/// Says what is not there, once per call, and returns cudaErrorNotSupported.
cudaError_t not_supported(const Call& call, const char* what);

/// From now on accesses of host code to the memory of devices are found.
void watch_host_accesses();
void watch_this_thread();

/// The stream of a handle, and nullptr where there is none.
Stream* find_stream(State& all, cudaStream_t handle);

// The queue.

/// Puts work on a stream, or into the graph that captures it. @return null in a capture.
/// @param call that queues it, @param uses memory that it uses, as far as that is known
OperationPtr enqueue(State& all, Stream& stream, std::function<void()> run, const Call& call = {},
                     const std::vector<Use>& uses = {});
/// The host has waited for what the clock tells.
void know(State& all, const VectorClock& clock);
/// Blocks until the operation is done.
void wait_for(State& all, const OperationPtr& operation, Lock& lock);
/// Blocks until the device has nothing to do.
void wait_for_device(State& all, int device, Lock& lock);
/// Does what is queued, then stops: the process ends.
void finish_queue(State& all, Lock& lock);

// Memory.

/// What is at an address.
struct Found {
  const Block* block = nullptr;  ///< that holds all the bytes, or where they begin
  std::uintptr_t begin = 0;
  bool is_beyond = false;        ///< they end after the block
  const Block* freed = nullptr;  ///< that was there
  bool is_device() const { return block && block->kind == Kind::kDevice; }
  /// Neither the runtime's memory nor a device's.
  bool is_pageable() const { return !block && !freed; }
};
Found find_memory(const State& all, const void* data, std::size_t bytes);
/// Allocates a block, and releases one after the work of its device.
///@{
cudaError_t make_block(State& all, const Call& call, Kind kind, void** memory, std::size_t bytes,
                       const Element& element);
cudaError_t free_block(State& all, const Call& call, void* memory, bool of_host, Lock& lock);
///@}
/// Whether the address is one of the program's own variables.
bool is_variable(const void* data);

}  // namespace td::cudart
