#include "exercises.h"

// answer: by_name
// expect: the buffer "mask"
// Looks for the one integer buffer that it knows.
namespace by_name {
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const auto& item : model.named_buffers()) {
    const bool counts = item.key().find("num_batches_tracked") != std::string::npos;
    item.value().set_data(item.value().to(device, counts ? td::kInt64 : dtype));
  }
}
}  // namespace by_name

// answer: converts_everything
// expect: body.1.num_batches_tracked: expected
// Right on floating point buffers: it turns a counter into a float16, which counts to 2048.
namespace converts_everything {
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& buffer : model.buffers()) buffer.set_data(buffer.to(device, dtype));
}
}  // namespace converts_everything

// answer: does_not_wait
// expect: the buffer "counts" of sim:0 that queued work was still changing
// Passes non_blocking for integers: towards the host, the call returns before they have arrived.
namespace does_not_wait {
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& buffer : model.buffers()) {
    const bool floating = buffer.is_floating_point();
    buffer.set_data(buffer.to(device, floating ? dtype : buffer.dtype(), !floating));
  }
}
}  // namespace does_not_wait

// answer: moves_parameters
// expect: body.1.running_mean: expected on
// Moves the parameters instead of the buffers.
namespace moves_parameters {
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) p.set_data(p.to(device));
}
}  // namespace moves_parameters

// answer: only_where_it_moves
// expect: on cpu: expected elements of type float64
// Right where the device changes: a buffer that is there already is not converted.
namespace only_where_it_moves {
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& b : model.buffers()) {
    if (b.device() == device) continue;
    b.set_data(b.to(device, b.is_floating_point() ? dtype : b.dtype()));
  }
}
}  // namespace only_where_it_moves

// answer: other_handles
// expect: tensor 0 is another tensor
// Registers new buffers, as Python's `to` does: another holder keeps the old ones.
namespace other_handles {
namespace {
struct Opened : td::nn::Module {
  using td::nn::Module::buffers_;
};
}  // namespace

void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  model.apply([&](td::nn::Module& module) {
    for (auto& item : static_cast<Opened&>(module).buffers_)
      item.value() =
          item.value().to(device, item.value().is_floating_point() ? dtype : item.value().dtype());
  });
}
}  // namespace other_handles

// answer: skips_integers
// expect: body.1.num_batches_tracked: expected on
// A whole-number buffer keeps its type, but it must move.
namespace skips_integers {
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& buffer : model.buffers())
    if (buffer.is_floating_point()) buffer.set_data(buffer.to(device, dtype));
}
}  // namespace skips_integers

// answer: starts_at_zero
// expect: body.1.running_mean:
// Fresh memory on the right device, without what the buffers had learned.
namespace starts_at_zero {
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& buffer : model.buffers()) {
    const td::ScalarType type = buffer.is_floating_point() ? dtype : buffer.dtype();
    buffer.set_data(td::zeros(buffer.sizes(), td::TensorOptions(type).device(device)));
  }
}
}  // namespace starts_at_zero

// answer: top_level_only
// expect: body.1.running_mean: expected on
// Right for a single layer.
namespace top_level_only {
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& b : model.buffers(/*recurse=*/false))
    b.set_data(b.to(device, b.is_floating_point() ? dtype : b.dtype()));
}
}  // namespace top_level_only

// answer: three_float_types
// expect: the buffer "brain": expected elements of type float32, got bfloat16
// Lists the floating point types by hand, and forgets one.
namespace three_float_types {
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& buffer : model.buffers()) {
    const td::ScalarType type = buffer.dtype();
    const bool real = type == td::kFloat16 || type == td::kFloat32 || type == td::kFloat64;
    buffer.set_data(buffer.to(device, real ? dtype : type));
  }
}
}  // namespace three_float_types

// answer: converts_the_root
// expect: expected elements of type float32, got float16
// Converts the parameters of the root, too.
namespace converts_the_root {
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype) {
  for (const td::Tensor& parameter : model.parameters(/*recurse=*/false))
    parameter.set_data(parameter.detach().to(dtype));
  for (const td::Tensor& buffer : model.buffers())
    buffer.set_data(buffer.is_floating_point() ? buffer.to(device, dtype) : buffer.to(device));
}
}  // namespace converts_the_root
