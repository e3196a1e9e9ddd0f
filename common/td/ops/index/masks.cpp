// Selections whose result size is data (masked_select, nonzero), one_hot, and the methods of all
// selections.
#include "td/ops/index/selection.h"

namespace td {
namespace {

constexpr Op mask_op{"masked_select", {"input", "mask"}}, nonzero_op{"nonzero", {"input"}};
constexpr Op hot_op{"one_hot", {"input"}};

// Places in the flattened tensor where `mask` holds. The host counts them: a size must be known
// there before a tensor can be made.
std::vector<std::int64_t> places_of(const Tensor& mask) {
  const Tensor host = mask.detach().to(kCPU).contiguous();
  const bool* values = host.data_ptr<bool>();
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < host.numel(); ++i)
    if (values[i]) places.push_back(i);
  return places;
}

}  // namespace

Tensor masked_select(const Tensor& input, const Tensor& mask) {
  const Device device = common_device(mask_op, input, mask);
  if (!mask.defined()) undefined_argument(mask_op, 1);
  TD_CHECK(DtypeError, mask.dtype() == kBool, "masked_select: \"mask\" must be bool but is ",
           mask.dtype(), "; make it with a comparison such as x > 0");
  const Sizes sizes = broadcast_sizes("masked_select", input.sizes(), mask.sizes());
  const Tensor at = tensor(places_of(mask.expand(sizes)), TensorOptions(device));
  return index_select(input.expand(sizes).reshape({-1}), 0, at);
}

Tensor nonzero(const Tensor& input) {
  const Device device = common_device(nonzero_op, input);
  const std::vector<std::int64_t> flat = places_of(input.detach().ne(Scalar(0)));
  const std::int64_t dims = input.dim();
  const auto count = static_cast<std::int64_t>(flat.size());
  // One row of memory a dimension, as libtorch has it: a column is then quick to read.
  Tensor host = empty({dims, count}, TensorOptions(kLong));
  std::int64_t* out = host.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t place = flat[i];
    for (std::int64_t d = dims - 1; d >= 0; --d) {
      out[d * count + i] = place % input.size(d);
      place /= input.size(d);
    }
  }
  return host.to(device).as_strided({count, dims}, {1, count});
}

Tensor one_hot(const Tensor& input, std::int64_t num_classes) {
  const Device device = common_device(hot_op, input);
  TD_CHECK(DtypeError, input.dtype() == kLong,
           "one_hot: \"input\" holds class numbers and must be "
           "int64 but is ",
           input.dtype(), "; convert it with to(kInt64)");
  TD_CHECK(ShapeError, num_classes > 0 || input.numel() > 0,
           "one_hot: an empty tensor does not tell how many classes there are; pass num_classes");
  TD_CHECK(ShapeError, num_classes != 0 || input.numel() == 0,
           "one_hot: num_classes is 0, but there are class numbers");
  const std::int64_t classes = num_classes > 0 ? num_classes : max(input).item<std::int64_t>() + 1;
  Sizes sizes(input.sizes());
  sizes.push_back(classes);
  return zeros(sizes, TensorOptions(kLong).device(device))
      .scatter_(-1, input.unsqueeze(-1), Scalar(1));
}

}  // namespace td
