// Taking and returning the bytes of a Storage.
#include "td/tensor/storage.h"

#include <utility>

#include "td/base/error.h"
#include "td/device/allocator.h"

namespace td {

Storage::Storage(Device device, std::size_t bytes, Allocator& from)
    : data_(from.allocate(bytes)), bytes_(bytes), allocator_(&from), device_(device) {}

Storage::Storage(Device device, void* data, std::size_t bytes, std::function<void(void*)> deleter)
    : data_(data), bytes_(bytes), device_(device) {
  if (deleter) deleter_ = new std::function<void(void*)>(std::move(deleter));
}

Storage::~Storage() {
  if (allocator_) {
    allocator_->release(data_, bytes_);
  } else if (deleter_) {
    (*deleter_)(data_);
    delete deleter_;
  }
}

void Storage::swap_memory(Storage& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(allocator_, other.allocator_);
  std::swap(deleter_, other.deleter_);
}

intrusive_ptr<Storage> make_storage(Device device, std::size_t bytes, bool pinned) {
  if (!pinned) return make_intrusive<Storage>(device, bytes, allocator(device));
  TD_CHECK(DeviceError, device.is_cpu(),
           "only host memory can be pinned, but the tensor is to be on ", device,
           "; leave out pinned_memory(true), or make it on cpu");
  return make_intrusive<Storage>(device, bytes, pinned_allocator(preferred_accelerator()));
}

}  // namespace td
