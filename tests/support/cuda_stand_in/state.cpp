// The state of the stand-in, how each call begins and ends, and refusals. Every file calls this.
// Invariant: as in state.h.
#include "state.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace cuda_stand_in {

thread_local constinit Thread thread;

namespace {

constexpr std::uint64_t kMostSilentCalls = 8;  // after a failure

long setting(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

Order order_setting() {
  const char* const text = std::getenv("TD_STAND_IN_ORDER");
  const std::string_view name = text ? text : "lazy";
  if (name == "eager") return Order::kEager;
  if (name == "lazy") return Order::kLazy;
  if (name == "reversed") return Order::kReversed;
  if (name == "random") return Order::kRandom;
  std::fprintf(stderr, "TD_STAND_IN_ORDER is %s; it must be eager, lazy, reversed or random\n",
               text);
  std::exit(2);
}

void lock_for_fork() { state().mutex.lock(); }
void unlock_after_fork() { state().mutex.unlock(); }

/// The child has none of the threads. CUDA cannot be used there after its parent used it.
void begin_as_child() {
  State& all = state();
  all.work_came = new std::condition_variable;  // the parent's threads may wait for the others
  all.changed = new std::condition_variable;
  all.has_executor = all.executor_sleeps = all.is_executing = false;
  for (const Device& device : all.devices) all.was_forked |= device.has_context;
  all.mutex.unlock();
}

State* make_state() {
  auto* const all = new State;  // never destroyed: libtd's own static objects use it at the end
  all->work_came = new std::condition_variable;
  all->changed = new std::condition_variable;
  all->order = order_setting();
  all->seed = static_cast<std::uint64_t>(setting("TD_STAND_IN_SEED", 1));
  all->count = static_cast<int>(std::min(setting("TD_STAND_IN_GPUS", 2), long{kMostDevices}));
  all->device_bytes = static_cast<std::size_t>(setting("TD_STAND_IN_MEMORY", 4096)) << 20;
  for (int i = 0; i < kMostDevices; ++i) {
    Stream& stream = all->devices[i].default_stream;
    stream.device = i;
    stream.number = static_cast<unsigned>(i);
    all->devices[i].streams.push_back(&stream);
    all->streams.push_back(&stream);
  }
  pthread_atfork(lock_for_fork, unlock_after_fork, begin_as_child);
  return all;
}

/// A failure that a test wants for this call.
cudaError_t wanted_failure(State& all, const char* call) {
  const auto found = all.failures.find(call);
  if (found == all.failures.end() || found->second.first-- > 0) return cudaSuccess;
  const cudaError_t error = found->second.second;
  all.failures.erase(found);
  return error;
}

}  // namespace

State& state() {
  static State* const all = make_state();
  return *all;
}

std::uint64_t random(std::uint64_t end) {
  static std::atomic<std::uint64_t> counter{state().seed * 0xD1342543DE82EF95u};
  std::uint64_t x = counter.fetch_add(0x9E3779B97F4A7C15u);  // SplitMix64
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return (x ^ (x >> 31)) % end;
}

cudaError_t refuse(State& all, const char* call, const std::string& why) {
  const std::string text = std::string(call) + ": " + why;
  if (all.collecting == 0) {
    std::fprintf(stderr, "The stand-in for CUDA refuses %s (TD_STAND_IN_SEED=%llu)\n", text.c_str(),
                 static_cast<unsigned long long>(all.seed));
    std::abort();
  }
  all.refused.push_back(text);
  thread.was_refused = true;
  return cudaErrorDeviceUninitialized;
}

cudaError_t refuse(const std::string& call, const std::string& why) {
  const std::lock_guard lock(state().mutex);
  const cudaError_t error = refuse(state(), call.c_str(), why);
  thread.was_refused = false;
  return error;
}

cudaError_t begin_call(State& all, const char* call, bool needs_device) {
  ++all.calls[call];
  ++all.all_calls;
  if (all.is_unloaded) return cudaErrorCudartUnloading;
  if (const cudaError_t error = wanted_failure(all, call)) return error;
  if (all.was_forked) return cudaErrorInitializationError;
  if (!needs_device) return cudaSuccess;
  if (thread.device < 0)
    return refuse(all, call, "this thread has chosen no device, so CUDA would make a context on 0");
  return error_of(all.devices[thread.device]);
}

cudaError_t end_call(const char* call, cudaError_t error) {
  const bool was_refused = std::exchange(thread.was_refused, false);
  if (error == cudaSuccess || was_refused) return error;
  thread.last_error = error;
  thread.failed_call = call;
  return error;
}

cudaError_t error_of(Device& device) {
  if (device.failed && !device.broken && device.silent_calls-- == 0) device.broken = device.failed;
  return device.broken;
}

cudaError_t pending_error(Device& device) {
  if (device.failed) device.broken = device.failed;
  return device.broken;
}

void fail_device(State& all, int device, cudaError_t error) {
  all.devices[device].failed = error;
  all.devices[device].silent_calls = random(kMostSilentCalls);
  all.changed->notify_all();
}

std::string name_of(const Stream& stream) {
  const std::string device = " of cuda:" + std::to_string(stream.device);
  return stream.index == 0 ? "the default stream" + device
                           : "stream " + std::to_string(stream.index) + device;
}

Stream& stream_of(State& all, cudaStream_t handle) {
  return handle ? *reinterpret_cast<Stream*>(handle) : all.devices[thread.device].default_stream;
}

}  // namespace cuda_stand_in
