// expect: the result is outside the graph of x
// The values are right. Without a Function the launch leaves no trace in the graph.
#include "exercises.h"

namespace simt = td::simt;

td::Tensor softcap(const td::Tensor& input, double cap) {
  const td::Tensor x = input.contiguous(), y = td::empty_like(x);
  const auto n = static_cast<int>(x.numel());
  if (n > 0) simt::launch<softcap_forward>({dim3((n + 255) / 256), dim3(256)}, x, y, cap, n);
  return y;
}
