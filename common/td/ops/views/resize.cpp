// resize_: other sizes for this very tensor, and larger memory where they need it.
#include "td/device/stream.h"
#include "td/ops/op.h"

namespace td {
namespace {

// Larger memory with the same bytes at its front, for all tensors that share the storage of `self`.
void grow_memory(const Tensor& self, std::size_t bytes) {
  Storage& storage = *self.impl().storage;
  const std::size_t held = storage.bytes();
  TD_CHECK(Error, storage.owns_memory(), "resize_: ", bytes,
           " bytes are needed, but the tensor's memory is ", held,
           " bytes that from_blob was given; clone() the tensor and resize the copy");
  const auto larger = make_storage(self.device(), bytes, self.is_pinned());
  const auto first_bytes = [&](const intrusive_ptr<Storage>& storage) {
    auto impl = make_intrusive<TensorImpl>(storage, kByte);
    impl->set_contiguous({static_cast<std::int64_t>(held)});
    return Tensor(std::move(impl));
  };
  first_bytes(larger).copy_(first_bytes(self.impl().storage));
  if (!self.is_cpu()) self.record_stream(getCurrentStream(self.device()));
  storage.swap_memory(*larger);
}

}  // namespace

Tensor& Tensor::resize_(IntArrayRef wanted, optional<MemoryFormat> format) const {
  TensorImpl& t = impl();
  TD_CHECK(AutogradError, !t.requires_grad,
           "resize_: the tensor requires a gradient, which has its sizes; take a view, or resize "
           "what detach() gives");
  TD_CHECK(Error, format != MemoryFormat::Preserve,
           "resize_: other sizes have no order to preserve; ask for Contiguous or ChannelsLast");
  if (!format && t.sizes == Sizes(wanted)) return handle();
  const std::int64_t elements = checked_numel("resize_", wanted);
  const auto bytes = static_cast<std::size_t>(t.offset + elements) * element_size();
  if (elements > 0 && bytes > t.storage->bytes()) grow_memory(*this, bytes);
  const bool channels_last = format == MemoryFormat::ChannelsLast;
  t.set_geometry(Sizes(wanted),
                 channels_last ? channels_last_strides(wanted) : contiguous_strides(wanted));
  t.storage->bump_version();  // a saved tensor is no longer what it was
  return handle();
}

}  // namespace td
