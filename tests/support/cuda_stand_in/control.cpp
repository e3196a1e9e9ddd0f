// What tests and the stand-ins of libraries call: stand_in.h declares it. Invariant: each function
// takes State::mutex itself.
#include "scheduler.h"
#include "uses.h"

namespace cuda_stand_in {
namespace {

Stream& stream_at(State& all, int device, void* handle) {
  return handle ? *static_cast<Stream*>(handle) : all.devices[device].default_stream;
}

}  // namespace

cudaError_t queue(const char* call, cudaStream_t handle, Operation operation) {
  watch_host_accesses();
  for (Use& use : operation.uses) use.data = program_address(use.data);
  return cuda_stand_in::call(call, true, [&](State& all, Lock& lock) -> cudaError_t {
    Stream& stream = stream_of(all, handle);
    if (stream.device != thread.device)
      return refuse(
          all, call,
          "the stream is not of the current device, but of cuda:" + std::to_string(stream.device));
    if (const cudaError_t error = check_memory(all, call, operation, stream.device)) return error;
    return put_operation(all, call, stream, std::move(operation), lock);
  });
}

void* device_view(const void* memory) { return td::cudart::device_view(memory); }
void* program_address(const void* view) { return td::cudart::program_address(view); }

int current_device() { return thread.device; }

int stream_device(cudaStream_t handle) {
  if (!handle) return thread.device;
  const std::lock_guard lock(state().mutex);
  return stream_of(state(), handle).device;
}

bool is_capturing(cudaStream_t handle) {
  if (!handle) return false;
  const std::lock_guard lock(state().mutex);
  return stream_of(state(), handle).capture;
}

std::string why_not_on_device(const void* memory, std::size_t bytes, int device) {
  const std::lock_guard lock(state().mutex);
  const Found found = find_memory(state(), program_address(memory), bytes);
  if (found.was_freed) return "was freed";
  if (found.is_beyond) return "reaches beyond its block";
  if (!found.block || found.block->is_pinned) return "is memory of the host";
  if (found.block->device != device)
    return "is memory of cuda:" + std::to_string(found.block->device);
  return "";
}

CollectRefusals::CollectRefusals() {
  const std::lock_guard lock(state().mutex);
  ++state().collecting;
}
CollectRefusals::~CollectRefusals() {
  const std::lock_guard lock(state().mutex);
  if (--state().collecting == 0) state().refused.clear();
}
std::vector<std::string> CollectRefusals::take() {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().refused, {});
}

std::uint64_t calls(const std::string& function) {
  const std::lock_guard lock(state().mutex);
  return state().calls[function];
}

void count_call(const std::string& function) {
  const std::lock_guard lock(state().mutex);
  ++state().calls[function];
}

void fail_next(const std::string& function, int error, int passing) {
  const std::lock_guard lock(state().mutex);
  state().failures[function] = {passing, static_cast<cudaError_t>(error)};
}

void fail_kernel(int error, int passing) {
  const std::lock_guard lock(state().mutex);
  state().kernel_error = static_cast<cudaError_t>(error);
  state().kernels_that_pass = passing;
}

void break_device(int index, int error) {
  const std::lock_guard lock(state().mutex);
  Device& device = state().devices[index];
  device.broken = static_cast<cudaError_t>(error);
  device.failed = cudaSuccess;
  wake(state());
}

void unload(bool yes) {
  const std::lock_guard lock(state().mutex);
  state().is_unloaded = yes;
}

void set_pageable_memory_access(bool yes) {
  const std::lock_guard lock(state().mutex);
  state().has_pageable_access = yes;
}

void hold(int device, void* stream) {
  const std::lock_guard lock(state().mutex);
  stream_at(state(), device, stream).is_held = true;
}

void let_go(int device, void* stream) {
  const std::lock_guard lock(state().mutex);
  stream_at(state(), device, stream).is_held = false;
  wake(state());
}

unsigned contexts() {
  const std::lock_guard lock(state().mutex);
  unsigned bits = 0;
  for (int i = 0; i < kMostDevices; ++i) bits |= unsigned{state().devices[i].has_context} << i;
  return bits;
}

int pinned_on(const void* memory) {
  const std::lock_guard lock(state().mutex);
  const Found found = find_memory(state(), memory, 1);
  return found.block && found.block->is_pinned ? found.block->device : -1;
}

int memory_device(const void* memory) {
  const std::lock_guard lock(state().mutex);
  const Found found = find_memory(state(), memory, 1);
  return found.block && !found.block->is_pinned ? found.block->device : -1;
}

Launch last_launch() {
  const std::lock_guard lock(state().mutex);
  return state().last;
}

}  // namespace cuda_stand_in
