// For programs written against libtorch: include this instead of <torch/torch.h>, and the names of
// the published subset mean this library's.
#pragma once

#include <cmath>

#include "td/td.h"
#include "td_more/td_more.h"

/// Every torch:: name of the subset is td's.
namespace torch = td;
/// libtorch's other name of InferenceMode.
namespace c10 {
using td::InferenceMode;
}

#define TORCH_MODULE(Name) TD_MODULE(Name)
#define TORCH_MODULE_IMPL(Name, ImplName) TD_MODULE_IMPL(Name, ImplName)
