// Sums, products, minima, maxima and means of the element types that the core has.
#include "doubles/nccl_reduce.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "td/tensor/half.h"

namespace cuda_stand_in {
namespace {

// The type in which elements are combined. Integers wrap around, as on a GPU.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, std::int64_t,
                                std::conditional_t<std::is_same_v<T, double>, double, float>>;

template <class W>
W apply(ncclRedOp_t op, W a, W b) {
  if constexpr (std::is_integral_v<W>) {
    using U = std::make_unsigned_t<W>;
    if (op == ncclProd) return static_cast<W>(static_cast<U>(a) * static_cast<U>(b));
    if (op == ncclMin) return b < a ? b : a;
    if (op == ncclMax) return a < b ? b : a;
    return static_cast<W>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    if (op == ncclProd) return a * b;
    if (op == ncclMin) return std::fmin(a, b);
    if (op == ncclMax) return std::fmax(a, b);
    return a + b;
  }
}

template <class T>
void combine_as(ncclRedOp_t op, const std::vector<const void*>& inputs, std::size_t count,
                void* output) {
  using W = Wide<T>;
  const W share = static_cast<W>(op == ncclAvg ? W(1) / static_cast<W>(inputs.size()) : W(1));
  const auto element = [&](std::size_t r, std::size_t i) {
    return static_cast<W>(static_cast<W>(static_cast<const T*>(inputs[r])[i]) * share);
  };
  for (std::size_t i = 0; i < count; ++i) {
    W result = element(0, i);
    for (std::size_t r = 1; r < inputs.size(); ++r) result = apply(op, result, element(r, i));
    static_cast<T*>(output)[i] = static_cast<T>(result);
  }
}

}  // namespace

void combine(ncclDataType_t type, ncclRedOp_t op, const std::vector<const void*>& inputs,
             std::size_t count, void* output) {
  switch (type) {
    case ncclUint8:
      return combine_as<std::uint8_t>(op, inputs, count, output);
    case ncclInt32:
      return combine_as<std::int32_t>(op, inputs, count, output);
    case ncclInt64:
      return combine_as<std::int64_t>(op, inputs, count, output);
    case ncclFloat16:
      return combine_as<td::Half>(op, inputs, count, output);
    case ncclBfloat16:
      return combine_as<td::BFloat16>(op, inputs, count, output);
    case ncclFloat64:
      return combine_as<double>(op, inputs, count, output);
    default:
      return combine_as<float>(op, inputs, count, output);
  }
}

}  // namespace cuda_stand_in
