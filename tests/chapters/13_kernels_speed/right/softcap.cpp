#include "exercises.h"

// answer: saves_by_name
// Clones instead of contiguous(), and keeps the result as a value by name.
namespace saves_by_name {
namespace simt = td::simt;

namespace {

class Cap : public td::autograd::Function<Cap> {
 public:
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& input,
                            float cap) {
    const int n = static_cast<int>(input.numel());
    const td::Tensor x = input.reshape({-1}).contiguous();
    const td::Tensor y = td::empty({n}, input.device());
    ctx->saved_data["cap"] = static_cast<double>(cap);
    if (n != 0) simt::launch<softcap_forward>({dim3(n / 128 + 1), dim3(128)}, x, y, cap, n);
    td::Tensor result = y.reshape(input.sizes());
    ctx->save_for_backward({result});
    return result;
  }

  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->get_saved_variables().front(), flat = y.reshape({-1}).contiguous();
    const td::Tensor above = gradients.front().reshape({-1}).contiguous();
    const td::Tensor below = td::empty_like(above);
    const float cap = static_cast<float>(ctx->saved_data["cap"].toDouble());
    const int n = static_cast<int>(y.numel());
    if (n != 0)
      simt::launch<softcap_backward>({dim3(n / 128 + 1), dim3(128)}, above, flat, below, cap, n);
    return {below.reshape(y.sizes()), {}};
  }
};

}  // namespace

td::Tensor softcap(const td::Tensor& x, double cap) {
  return Cap::apply(x, static_cast<float>(cap));
}
}  // namespace saves_by_name
