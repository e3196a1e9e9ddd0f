// Handles, descriptors and work memory of the doubles (see handles.h).
#include "doubles/handles.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

namespace cuda_stand_in {
namespace {

struct Objects {
  struct Entry {
    std::string type;
    bool alive;
  };
  std::mutex mutex;
  std::map<const void*, Entry> entries;
};

Objects& objects() {
  static auto* const all = new Objects;  // outlives main, as the handles of the wrappers do
  return *all;
}

}  // namespace

void add_object(const void* object, const char* type) {
  const std::lock_guard lock(objects().mutex);
  objects().entries[object] = {type, true};
}

void remove_object(const void* object) {
  const std::lock_guard lock(objects().mutex);
  objects().entries[object].alive = false;
}

std::string why_not_alive(const void* object, const char* type) {
  const std::lock_guard lock(objects().mutex);
  const auto found = objects().entries.find(object);
  if (found == objects().entries.end() || found->second.type != type)
    return std::string("an argument is no ") + type;
  return found->second.alive ? "" : std::string("the ") + type + " was destroyed before";
}

int live(const std::string& type) {
  const std::lock_guard lock(objects().mutex);
  const auto& entries = objects().entries;
  return static_cast<int>(std::count_if(entries.begin(), entries.end(), [&](const auto& entry) {
    return entry.second.alive && entry.second.type == type;
  }));
}

bool make_handle(const char* call, const char* type, Handle& handle) {
  count_call(call);
  handle.device = current_device();
  if (handle.device < 0) {
    refuse(call, "this thread has chosen no device, so CUDA would make a context on 0");
    return false;
  }
  if (cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported) {
    refuse(call, "a stream of the device is captured, and making a handle waits for the device");
    return false;
  }
  add_object(&handle, type);
  return true;
}

bool set_stream(const char* call, Handle& handle, cudaStream_t stream) {
  if (stream_device(stream) != handle.device) {
    refuse(call, "the stream is of another device than the handle");
    return false;
  }
  handle.stream = stream;
  return true;
}

Inside::Inside(const char* call, const char* type, Handle* handle, Counted counted) {
  if (counted == Counted::kHere) count_call(call);
  const std::string why = why_not_alive(handle, type);
  if (!why.empty()) {
    refuse(call, why);
  } else if (current_device() != handle->device) {
    refuse(call, "the handle is of cuda:" + std::to_string(handle->device) +
                     ", but cuda:" + std::to_string(current_device()) + " is current");
  } else if (handle->busy.exchange(true)) {
    refuse(call, "another thread is inside a call with this handle");
  } else {
    handle_ = handle;
    std::this_thread::yield();  // gives another thread the chance to come in
  }
}

Inside::~Inside() {
  if (handle_) handle_->busy = false;
}

void Workspace::fill(int byte) const {
  constexpr std::size_t kMost = 64 << 10;
  if (bytes == 0) return;
  auto* const begin = static_cast<char*>(device_view(data));
  const std::size_t part = std::min(bytes, kMost);
  std::memset(begin, byte, part);
  std::memset(begin + (bytes - part), byte, part);
}

bool check_memory(const char* call, const char* what, const void* memory, std::size_t bytes,
                  int device, std::size_t alignment) {
  std::string why = why_not_on_device(memory, bytes, device);
  if (why.empty() && reinterpret_cast<std::uintptr_t>(memory) % alignment != 0)
    why = "does not begin at a multiple of " + std::to_string(alignment) + " bytes";
  if (!why.empty()) refuse(call, std::string(what) + " " + why);
  return why.empty();
}

}  // namespace cuda_stand_in
