// Convolutions by cuDNN. A plan (conv_plan.h) is made at the first call with a shape and kept:
// asking cuDNN takes longer than a small convolution. Called through Libs (libs.cpp of this
// folder). Only this file and conv_plan.* know cuDNN.
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "td/backends/cuda/libs/conv_plan.h"
#include "td/base/error.h"
#include "td/device/backend.h"
#include "td/device/products.h"

namespace td::cuda {

/// cuDNN's handle of one stream, and the plans made with it.
struct ConvState {
  cudnnHandle_t dnn = nullptr;
  std::map<std::pair<ConvKind, Conv2d>, std::unique_ptr<ConvPlan>> plans;
};

namespace {

ConvState& conv_state(Session& session, Where where) {
  std::shared_ptr<ConvState>& state = session.state().conv;
  if (state) [[likely]]
    return *state;
  check_may_make_handle("cuDNN");
  auto made = std::make_shared<ConvState>();
  check(cudnnCreate(&made->dnn), "cudnnCreate");
  const cudnnStatus_t status = cudnnSetStream(made->dnn, static_cast<cudaStream_t>(where.stream));
  if (status != CUDNN_STATUS_SUCCESS) cudnnDestroy(made->dnn);
  check(status, "cudnnSetStream");
  state = std::move(made);
  return *state;
}

ConvPlan& plan_for(ConvState& state, ConvKind kind, const Conv2d& conv, int device) {
  std::unique_ptr<ConvPlan>& slot = state.plans[{kind, conv}];
  if (!slot) [[unlikely]] {
    if (conv.dtype == kBFloat16)
      check_bfloat16("conv2d", Device(kCUDA, device), backend(kCUDA).compute_capability(device));
    slot = make_conv_plan(state.dnn, kind, conv);
  }
  return *slot;
}

// Whether another algorithm may do what this one did not: cuDNN lists some that it then refuses for
// a shape, that it cannot compile, or that find no memory.
bool another_may_do(cudnnStatus_t status) {
  const int category = CUDNN_STATUS_CATEGORY(static_cast<int>(status));
  return category == CUDNN_STATUS_NOT_SUPPORTED || category == CUDNN_STATUS_INTERNAL_ERROR;
}

// Starts the plan's way; where cuDNN refuses it, or has no memory for it, the next one. The plan
// stays with the way that worked.
cudnnStatus_t start_some_way(cudnnHandle_t dnn, ConvPlan& plan, const ConvData& data, int device) {
  for (;;) {
    try {
      const cudnnStatus_t status = start(dnn, plan, data, device);
      if (!another_may_do(status) || !take_next_way(dnn, plan)) return status;
    } catch (const OutOfMemoryError&) {
      if (!take_next_way(dnn, plan)) throw;
    }
  }
}

void run_part(ConvState& state, ConvKind kind, const Conv2d& conv, const ConvData& data,
              int device) {
  constexpr std::array<const char*, 3> kDoing{"conv2d", "conv2d's gradient of the input",
                                              "conv2d's gradient of the weight"};
  try {
    check(start_some_way(state.dnn, plan_for(state, kind, conv, device), data, device),
          kDoing[static_cast<std::size_t>(kind)]);
  } catch (...) {
    state.plans.erase({kind, conv});  // the next call begins with all the ways again
    throw;
  }
}

// cuDNN takes tensors of fewer than 2^31 elements: so many images go together.
std::int64_t images_together(const Conv2d& c) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;
  const std::int64_t image =
      std::max(std::int64_t{c.c} * c.h * c.w, std::int64_t{c.k} * c.oh * c.ow);
  TD_CHECK(ShapeError, image <= kMost, "conv2d on cuda: one image of the input or the output has ",
           image, " elements, and cuDNN takes fewer than 2^31; cut the image into tiles");
  return kMost / image;
}

}  // namespace

void run_conv(ConvKind kind, const Conv2d& conv, const void* first, const void* second,
              void* result, Where where) {
  const auto element = static_cast<std::int64_t>(element_size(conv.dtype));
  const std::int64_t input = element * conv.c * conv.h * conv.w;  // bytes of an image
  const std::int64_t output = element * conv.k * conv.oh * conv.ow;
  const auto* const a = static_cast<const std::byte*>(first);
  const auto* const b = static_cast<const std::byte*>(second);
  auto* const c = static_cast<std::byte*>(result);
  const auto data_from = [&](std::int64_t image) -> ConvData {
    switch (kind) {
      case ConvKind::kForward:
        return {a + image * input, b, c + image * output, 0};
      case ConvKind::kBackwardInput:
        return {a + image * output, b, c + image * input, 0};
      default:  // every part adds to the gradient of the one weight
        return {a + image * output, b + image * input, c, image == 0 ? 0.0 : 1.0};
    }
  };
  Session session(where);
  ConvState& state = conv_state(session, where);
  const std::int64_t together = images_together(conv);
  for (std::int64_t from = 0; from < conv.n; from += together) {
    Conv2d part = conv;
    part.n = static_cast<int>(std::min(together, conv.n - from));
    run_part(state, kind, part, data_from(from), where.device);
  }
}

}  // namespace td::cuda
