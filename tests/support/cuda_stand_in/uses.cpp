// The checks of what operations use; uses.h describes them.
#include "uses.h"

#include "scheduler.h"

namespace cuda_stand_in {
namespace {

std::string why_not_usable(const Found& found, int device) {
  if (found.was_freed) return "was freed";
  if (found.is_beyond) return "reaches beyond its block";
  if (!found.block) return "is memory of the host that is not pinned";
  if (!found.block->is_pinned && found.block->device != device)
    return "is memory of cuda:" + std::to_string(found.block->device);
  return "";
}

Access access_of(const Stream& stream, std::uint64_t count, const Operation& operation,
                 const Use& use) {
  const auto begin = reinterpret_cast<std::uintptr_t>(use.data);
  return {kept_name(operation.name), stream.number, count, use.writes, begin,
          begin + use.bytes,         nullptr};
}

/// A test may want the next kernel to fail.
void fail_if_wanted(State& all, Operation& operation) {
  if (!all.kernel_error || all.kernels_that_pass-- > 0) return;
  const cudaError_t error = std::exchange(all.kernel_error, cudaSuccess);
  operation.run = [error, name = operation.name](bool) -> bool {
    throw DeviceFault{error, "The stand-in for CUDA lets \"" + name + "\" fail, as a test wants"};
  };
}

}  // namespace

cudaError_t check_status(State& all, const char* call) {
  if (!thread.last_error) return cudaSuccess;
  return refuse(all, call,
                std::string("the error ") + cudaGetErrorName(thread.last_error) + " of " +
                    thread.failed_call +
                    " was not read with cudaGetLastError, so this call would be blamed for it");
}

cudaError_t check_memory(State& all, const char* call, const Operation& operation, int device) {
  for (const Use& use : operation.uses) {
    if (use.bytes == 0) continue;
    const std::string why = why_not_usable(find_memory(all, use.data, use.bytes), device);
    if (!why.empty())
      return refuse(all, call,
                    "\"" + operation.name + "\" on cuda:" + std::to_string(device) + " " +
                        (use.writes ? "writes" : "reads") + " memory that " + why);
  }
  return cudaSuccess;
}

std::string race_text(const State& all, const Access& earlier, const Access& access) {
  const std::string first = name_of(*all.streams[earlier.stream]),
                    second = name_of(*all.streams[access.stream]);
  return "race: \"" + *access.name + "\" on " + second + (access.writes ? " writes" : " reads") +
         " memory that \"" + *earlier.name + "\" on " + first +
         (earlier.writes ? " writes" : " reads") +
         ", and nothing orders the two. Missing: " + second +
         " must wait for an event recorded on " + first + " after \"" + *earlier.name +
         "\", or the host must wait for it";
}

cudaError_t check_races(State& all, const char* call, Stream& stream, const Operation& operation) {
  stream.clock.join(all.host);
  for (const Use& use : operation.uses) {
    const Access access = access_of(stream, stream.queued + 1, operation, use);
    if (const Access* earlier = race_of(all.accesses, access, stream.clock))
      return refuse(all, call, race_text(all, *earlier, access));
  }
  return cudaSuccess;
}

void note_uses(State& all, const Stream& stream, const Operation& operation) {
  for (const Use& use : operation.uses)
    if (use.bytes > 0) all.accesses.note(access_of(stream, stream.queued + 1, operation, use));
  if (all.accesses.size() < all.many_accesses) return;
  forget(all.accesses, all.host);
  all.many_accesses = std::max<std::size_t>(4096, 2 * all.accesses.size());
}

cudaError_t put_operation(State& all, const char* call, Stream& stream, Operation operation,
                          Lock& lock) {
  if (const cudaError_t error = check_status(all, call)) return error;
  if (stream.capture) return add_node(all, call, stream, std::move(operation));
  if (const cudaError_t error = check_races(all, call, stream, operation)) return error;
  fail_if_wanted(all, operation);
  note_uses(all, stream, operation);
  put(all, stream, {std::move(operation.run), {}, nullptr}, lock);
  return cudaSuccess;
}

}  // namespace cuda_stand_in
