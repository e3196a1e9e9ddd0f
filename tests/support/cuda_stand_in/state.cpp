// State and control of the stand-in, and the calls about devices and errors.
#include "state.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cuda_stand_in {

thread_local constinit Thread thread;

namespace {

long setting(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

State* make_state() {
  auto* const all = new State;  // never destroyed: libtd's own static objects use it at the end
  all->count = static_cast<int>(std::min(setting("TD_STAND_IN_GPUS", 2), long{kMostDevices}));
  for (int i = 0; i < kMostDevices; ++i) {
    all->devices[i].bytes = static_cast<std::size_t>(setting("TD_STAND_IN_MEMORY", 4096)) << 20;
    all->devices[i].default_stream.device = i;
    all->devices[i].streams.insert(&all->devices[i].default_stream);
  }
  return all;
}

Stream& stream_at(State& all, int device, void* handle) {
  return handle ? *static_cast<Stream*>(handle) : all.devices[device].default_stream;
}

}  // namespace

State& state() {
  static State* const all = make_state();
  return *all;
}

cudaError_t refuse(State& all, const char* call, const std::string& why) {
  const std::string text = std::string(call) + ": " + why;
  if (all.collecting == 0) {
    std::fprintf(stderr, "The stand-in for CUDA refuses %s\n", text.c_str());
    std::abort();
  }
  all.refused.push_back(text);
  return cudaErrorDeviceUninitialized;
}

cudaError_t begin_call(State& all, const char* call, bool needs_device) {
  ++all.calls[call];
  if (const auto found = all.failures.find(call); found != all.failures.end()) {
    if (found->second.first-- == 0) {
      const cudaError_t error = found->second.second;
      all.failures.erase(found);
      return error;
    }
  }
  if (!needs_device) return cudaSuccess;
  if (thread.device < 0)
    return refuse(all, call, "this thread has chosen no device, so CUDA would make a context on 0");
  return all.devices[thread.device].broken;
}

CollectRefusals::CollectRefusals() {
  const std::lock_guard lock(state().mutex);
  ++state().collecting;
}
CollectRefusals::~CollectRefusals() {
  const std::lock_guard lock(state().mutex);
  --state().collecting;
}
std::vector<std::string> CollectRefusals::take() {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().refused, {});
}

std::uint64_t calls(const std::string& function) {
  const std::lock_guard lock(state().mutex);
  return state().calls[function];
}

void fail_next(const std::string& function, int error, int passing) {
  const std::lock_guard lock(state().mutex);
  state().failures[function] = {passing, static_cast<cudaError_t>(error)};
}

void break_device(int index, int error) {
  const std::lock_guard lock(state().mutex);
  state().devices[index].broken = static_cast<cudaError_t>(error);
  state().changed.notify_all();
}

void set_pageable_memory_access(bool yes) {
  const std::lock_guard lock(state().mutex);
  state().pageable_access = yes;
}

void hold(int device, void* stream) {
  const std::lock_guard lock(state().mutex);
  stream_at(state(), device, stream).held = true;
}

void let_go(int device, void* stream) {
  const std::lock_guard lock(state().mutex);
  Stream& s = stream_at(state(), device, stream);
  s.held = false;
  s.done = s.queued;
  state().changed.notify_all();
}

unsigned contexts() {
  const std::lock_guard lock(state().mutex);
  unsigned bits = 0;
  for (int i = 0; i < kMostDevices; ++i) bits |= unsigned{state().devices[i].has_context} << i;
  return bits;
}

int pinned_on(const void* memory) {
  const std::lock_guard lock(state().mutex);
  const Memory* const block = memory_of(state(), memory, 1, nullptr);
  return block && block->is_pinned ? block->device : -1;
}

int memory_device(const void* memory) {
  const std::lock_guard lock(state().mutex);
  const Memory* const block = memory_of(state(), memory, 1, nullptr);
  return block && !block->is_pinned ? block->device : -1;
}

Launch last_launch() {
  const std::lock_guard lock(state().mutex);
  return state().last;
}

namespace {

struct Words {
  cudaError_t code;
  const char *name, *text;
};
#define TD_WORDS(code, text) \
  { code, #code, text }
constexpr Words kWords[] = {
    TD_WORDS(cudaSuccess, "no error"),
    TD_WORDS(cudaErrorInvalidValue, "invalid argument"),
    TD_WORDS(cudaErrorMemoryAllocation, "out of memory"),
    TD_WORDS(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    TD_WORDS(cudaErrorInvalidDevice, "invalid device ordinal"),
    TD_WORDS(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    TD_WORDS(cudaErrorDeviceUninitialized, "invalid device context"),
    TD_WORDS(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    TD_WORDS(cudaErrorNotReady, "device not ready"),
    TD_WORDS(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    TD_WORDS(cudaErrorLaunchFailure, "unspecified launch failure"),
    TD_WORDS(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    TD_WORDS(cudaErrorSystemNotReady, "system not yet initialized"),
    TD_WORDS(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    TD_WORDS(cudaErrorStreamCaptureInvalidated,
             "operation failed due to a previous error during capture"),
    TD_WORDS(cudaErrorStreamCaptureIsolation,
             "dependency created on uncaptured work in another stream"),
    TD_WORDS(cudaErrorCapturedEvent,
             "operation not permitted on an event last recorded in a capturing stream"),
};

const Words* words_of(cudaError_t code) {
  for (const Words& words : kWords)
    if (words.code == code) return &words;
  return nullptr;
}

}  // namespace
}  // namespace cuda_stand_in

using cuda_stand_in::call;
using cuda_stand_in::State;
using cuda_stand_in::thread;

extern "C" {

const char* cudaGetErrorString(cudaError_t code) {
  const auto* const words = cuda_stand_in::words_of(code);
  return words ? words->text : "an error that the stand-in has no words for";
}

const char* cudaGetErrorName(cudaError_t code) {
  const auto* const words = cuda_stand_in::words_of(code);
  return words ? words->name : "cudaError?";
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = std::exchange(thread.last_error, cudaSuccess);
  const cudaError_t broken =
      thread.device < 0 ? cudaSuccess : cuda_stand_in::state().devices[thread.device].broken;
  return broken ? broken : error;
}

cudaError_t cudaGetDeviceCount(int* count) {
  return call("cudaGetDeviceCount", false, [&](State& all, auto&) {
    if (all.count == 0) return cudaErrorNoDevice;
    *count = all.count;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }

cudaError_t cudaSetDevice(int index) {
  return call("cudaSetDevice", false, [&](State& all, auto&) {
    if (index < 0 || index >= all.count) return cudaErrorInvalidDevice;
    if (all.devices[index].broken) return all.devices[index].broken;
    all.devices[index].has_context = true;
    thread.device = index;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  return call("cudaGetDeviceProperties", false, [&](State& all, auto&) {
    if (index < 0 || index >= all.count) return cudaErrorInvalidDevice;
    *properties = {};
    std::strcpy(properties->name, "Stand-in");
    properties->uuid.bytes[15] = static_cast<char>(index + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index) {
  return call("cudaDeviceGetAttribute", false, [&](State& all, auto&) {
    if (index < 0 || index >= all.count) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevAttrComputeCapabilityMajor:
        return *value = 9, cudaSuccess;
      case cudaDevAttrComputeCapabilityMinor:
        return *value = 0, cudaSuccess;
      case cudaDevAttrPageableMemoryAccess:
        return *value = all.pageable_access, cudaSuccess;
      default:
        return cuda_stand_in::refuse(all, "cudaDeviceGetAttribute", "this attribute has no answer");
    }
  });
}

}  // extern "C"
