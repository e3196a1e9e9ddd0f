// expect: the forward pass should launch softcap_forward once; it launched 0 kernels
// Values and gradients are right, but td's own operations compute them, in four passes.
#include "exercises.h"

td::Tensor softcap(const td::Tensor& x, double cap) { return (x / cap).tanh() * cap; }
