// What the doubles of cuBLAS, cuBLASLt and cuDNN share: handles and descriptors, how a call
// begins on a handle, and work memory. Included by the files of this directory. Invariant:
// memory of a handle or a descriptor is never freed, so that a use after its destruction is
// found.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <string>

#include "doubles/libs.h"
#include "stand_in.h"

namespace cuda_stand_in {

/// The contents of a library's handle.
struct Handle {
  int device = -1;  ///< the device that was current when the handle was made
  cudaStream_t stream = nullptr;
  std::atomic<bool> busy = false;
};

/// Makes `object` known as an object of this type. @{
void add_object(const void* object, const char* type);
void remove_object(const void* object);
/// @}
/// Why `object` is none of this type, or empty. Refuse with it.
std::string why_not_alive(const void* object, const char* type);

/// Makes a new handle of this type on this thread's device. False, after a refusal, where CUDA
/// would make a context, or where the device is captured: making one waits for the device.
bool make_handle(const char* call, const char* type, Handle& handle);
/// Puts the handle on a stream. False after the refusal of a stream of another device.
bool set_stream(const char* call, Handle& handle, cudaStream_t stream);

/// Whether queue() counts a call, because the call queues work.
enum class Counted { kHere, kByQueue };

/// One call on a handle, until the end of the scope. It counts the call, and refuses a handle that
/// does not exist, that is of another device than the current one, or that another thread is using.
class Inside {
 public:
  Inside(const char* call, const char* type, Handle* handle, Counted counted = Counted::kHere);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  explicit operator bool() const { return handle_; }

 private:
  Handle* handle_ = nullptr;
};

/// Work memory of one call.
struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
  /// Writes large numbers to its beginning and end, as intermediate results do.
  void use() const { fill(0x4B); }
  /// Writes NaN there: the contents after the call have no meaning.
  void spoil() const { fill(0xFF); }

 private:
  void fill(int byte) const;
};

/// Refuses, and returns false, unless `bytes` at `memory` are of the device and begin at a multiple
/// of `alignment`. @param what names the memory, as "A".
bool check_memory(const char* call, const char* what, const void* memory, std::size_t bytes,
                  int device, std::size_t alignment);

}  // namespace cuda_stand_in
