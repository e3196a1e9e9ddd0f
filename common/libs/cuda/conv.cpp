// Convolutions by cuDNN, which only this file knows. Called through Libs (libs.cpp of this folder).
// A plan is cached for each shape, because querying cuDNN takes longer than a small convolution.
// Invariant: its descriptor holds the math type that belongs to its algorithm and its workspace.
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "libs/cuda/stream_state.h"
#include "libs/products.h"
#include "td/base/error.h"
#include "td/device/backend.h"
#include "td/device/graph.h"

namespace td::cuda {

/// An algorithm and the math type that the descriptor must hold while it is used: cuDNN lists some
/// algorithms twice, and the work memory belongs to both.
struct ConvWay {
  int algorithm = 0;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  friend bool operator==(const ConvWay&, const ConvWay&) = default;
};

/// Everything that a call of cuDNN needs besides the pointers.
struct ConvPlan {
  const ConvKind kind;
  const Conv2d sizes;
  cudnnTensorDescriptor_t input = nullptr, output = nullptr;
  cudnnFilterDescriptor_t weight = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;  ///< holds the math type of the way in use
  ConvWay way;
  std::size_t workspace = 0;     ///< bytes that the way needs
  std::vector<ConvWay> others;   ///< ways to try when this one is refused, the best one last
  bool short_of_memory = false;  ///< a better way had no work memory

  ConvPlan(ConvKind kind, const Conv2d& sizes) : kind(kind), sizes(sizes) {}
  ConvPlan(const ConvPlan&) = delete;
  ~ConvPlan() {
    if (input) cudnnDestroyTensorDescriptor(input);
    if (output) cudnnDestroyTensorDescriptor(output);
    if (weight) cudnnDestroyFilterDescriptor(weight);
    if (conv) cudnnDestroyConvolutionDescriptor(conv);
  }
};

/// cuDNN's handle of one stream, and the plans made with it.
struct ConvState {
  cudnnHandle_t dnn = nullptr;
  std::map<std::pair<ConvKind, Conv2d>, std::unique_ptr<ConvPlan>> plans;
};

namespace {

// The largest workspace: more is not worth the memory that it takes from the tensors.
constexpr std::size_t kMostWorkspace = std::size_t(512) << 20;
constexpr const char* kSetMath = "conv2d: setting the math type";

void check(cudnnStatus_t status, const char* doing) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  char details[512] = "";
  cudnnGetLastErrorString(details, sizeof details);
  fail<DeviceError>(doing, ": cuDNN reports ", cudnnGetErrorString(status), " (", details,
                    "). Work queued earlier may be at fault: run with CUDA_LAUNCH_BLOCKING=1 to "
                    "find out.");
}

cudnnDataType_t data_type(ScalarType dtype) {
  if (dtype == kHalf) return CUDNN_DATA_HALF;
  if (dtype == kBFloat16) return CUDNN_DATA_BFLOAT16;
  if (dtype == kDouble) return CUDNN_DATA_DOUBLE;
  if (dtype == kFloat) return CUDNN_DATA_FLOAT;
  fail<DtypeError>("conv2d on cuda: expected a floating point type but got ", dtype_name(dtype),
                   "; convert it with to(kFloat32)");
}

// The math type that the products may use, whatever cuDNN lists. For float32, all math types but
// FMA use TF32 from compute capability 8.0 on, and "allow conversion" even uses half.
cudnnMathType_t allowed_math(const Conv2d& c, cudnnMathType_t wanted) {
  if (c.dtype == kFloat && !c.allow_tf32) return CUDNN_FMA_MATH;
  return wanted == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION ? CUDNN_TENSOR_OP_MATH : wanted;
}

/// What a convolution reads and writes, as in Libs.
struct ConvData {
  const void *first, *second;
  void* result;
  double beta;  ///< 1 adds to what the result holds
};

void describe(ConvPlan& plan) {
  const Conv2d& c = plan.sizes;
  const cudnnDataType_t type = data_type(c.dtype);
  const cudnnDataType_t sum_type = c.dtype == kDouble ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  const cudnnTensorFormat_t format = c.channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
  check(cudnnCreateTensorDescriptor(&plan.input), "cudnnCreateTensorDescriptor");
  check(cudnnCreateTensorDescriptor(&plan.output), "cudnnCreateTensorDescriptor");
  check(cudnnCreateFilterDescriptor(&plan.weight), "cudnnCreateFilterDescriptor");
  check(cudnnCreateConvolutionDescriptor(&plan.conv), "cudnnCreateConvolutionDescriptor");
  check(cudnnSetTensor4dDescriptor(plan.input, format, type, c.n, c.c, c.h, c.w),
        "conv2d: describing the input");
  check(cudnnSetTensor4dDescriptor(plan.output, format, type, c.n, c.k, c.oh, c.ow),
        "conv2d: describing the output");
  check(cudnnSetFilter4dDescriptor(plan.weight, type, format, c.k, c.c / c.groups, c.r, c.s),
        "conv2d: describing the weight");
  check(cudnnSetConvolution2dDescriptor(plan.conv, c.padding_h, c.padding_w, c.stride_h, c.stride_w,
                                        c.dilation_h, c.dilation_w, CUDNN_CROSS_CORRELATION,
                                        sum_type),
        "conv2d: describing the convolution");
  check(cudnnSetConvolutionGroupCount(plan.conv, c.groups), "conv2d: setting the groups");
  const auto math = element_size(c.dtype) == 2 ? CUDNN_TENSOR_OP_MATH : CUDNN_DEFAULT_MATH;
  check(cudnnSetConvolutionMathType(plan.conv, allowed_math(c, math)), kSetMath);
}

// cuDNN's functions for each kind of convolution.
struct Forward {
  using Found = cudnnConvolutionFwdAlgoPerf_t;
  static constexpr auto list = cudnnGetConvolutionForwardAlgorithm_v7;
  static constexpr auto workspace = cudnnGetConvolutionForwardWorkspaceSize;
  static constexpr auto run = cudnnConvolutionForward;
};
struct BackwardInput {
  using Found = cudnnConvolutionBwdDataAlgoPerf_t;
  static constexpr auto list = cudnnGetConvolutionBackwardDataAlgorithm_v7;
  static constexpr auto workspace = cudnnGetConvolutionBackwardDataWorkspaceSize;
  static constexpr auto run = cudnnConvolutionBackwardData;
};
struct BackwardWeight {
  using Found = cudnnConvolutionBwdFilterAlgoPerf_t;
  static constexpr auto list = cudnnGetConvolutionBackwardFilterAlgorithm_v7;
  static constexpr auto workspace = cudnnGetConvolutionBackwardFilterWorkspaceSize;
  static constexpr auto run = cudnnConvolutionBackwardFilter;
};

// Calls f(functions, a, b, c) for the plan's kind, where a and b describe what cuDNN's functions
// read, in their order, and c what they write.
template <class F>
auto with_functions(const ConvPlan& plan, F f) {
  if (plan.kind == ConvKind::kForward) return f(Forward(), plan.input, plan.weight, plan.output);
  if (plan.kind == ConvKind::kBackwardInput)
    return f(BackwardInput(), plan.weight, plan.output, plan.input);
  return f(BackwardWeight(), plan.input, plan.output, plan.weight);
}

// The ways to compute a convolution, the best one last. Ways that give the same sum in every run
// are better, then those whose math type cuDNN listed itself, then the first in cuDNN's order,
// which is by expected speed.
std::vector<ConvWay> list_ways(cudnnHandle_t dnn, const ConvPlan& plan) {
  return with_functions(plan, [&]<class Kind>(Kind, auto a, auto b, auto c) {
    constexpr int kMost = 16;  // algorithms have up to 8 numbers, each with up to two math types
    std::array<typename Kind::Found, kMost> found;
    int count = 0;
    check(Kind::list(dnn, a, b, plan.conv, c, kMost, &count, found.data()),
          "conv2d: choosing an algorithm");
    std::vector<ConvWay> ways;
    for (const bool deterministic : {true, false})
      for (const bool as_listed : {true, false})
        for (const auto* f = found.data(); f != found.data() + count; ++f) {
          const ConvWay way{static_cast<int>(f->algo), allowed_math(plan.sizes, f->mathType)};
          if (f->status == CUDNN_STATUS_SUCCESS && as_listed == (way.math == f->mathType) &&
              deterministic == (f->determinism == CUDNN_DETERMINISTIC) &&
              std::find(ways.begin(), ways.end(), way) == ways.end())
            ways.push_back(way);
        }
    std::reverse(ways.begin(), ways.end());
    return ways;
  });
}

// Switches the plan to the next best way; false when none is left.
bool take_next_way(cudnnHandle_t dnn, ConvPlan& plan) {
  while (!plan.others.empty()) {
    const ConvWay way = plan.others.back();
    plan.others.pop_back();
    check(cudnnSetConvolutionMathType(plan.conv, way.math), kSetMath);
    std::size_t bytes = 0;
    const auto status = with_functions(plan, [&]<class Kind>(Kind, auto a, auto b, auto c) {
      const auto algorithm = static_cast<decltype(Kind::Found::algo)>(way.algorithm);
      return Kind::workspace(dnn, a, b, plan.conv, c, algorithm, &bytes);
    });
    if (status != CUDNN_STATUS_SUCCESS || bytes > kMostWorkspace) continue;
    plan.way = way;
    plan.workspace = bytes;
    return true;
  }
  return false;
}

// A plan with the best way to make a convolution.
std::unique_ptr<ConvPlan> make_plan(cudnnHandle_t dnn, ConvKind kind, const Conv2d& sizes) {
  auto plan = std::make_unique<ConvPlan>(kind, sizes);
  describe(*plan);
  plan->others = list_ways(dnn, *plan);
  TD_CHECK(DeviceError, take_next_way(dnn, *plan),
           "conv2d on cuda: cuDNN has no algorithm for these sizes and this "
           "type; try contiguous tensors (channels last off), or float32");
  return plan;
}

// Queues the convolution, or returns why cuDNN rejects it.
cudnnStatus_t start(cudnnHandle_t dnn, const ConvPlan& plan, const ConvData& data, int device) {
  const WorkMemory work(device, plan.workspace);
  const ScaleFactor alpha(plan.sizes.dtype, 1), beta(plan.sizes.dtype, data.beta);
  const bool forward = plan.kind == ConvKind::kForward;  // else `first` is the output's gradient
  return with_functions(plan, [&]<class Kind>(Kind, auto a, auto b, auto c) {
    return Kind::run(dnn, &alpha, a, forward ? data.first : data.second, b,
                     forward ? data.second : data.first, plan.conv,
                     static_cast<decltype(Kind::Found::algo)>(plan.way.algorithm), work.data(),
                     plan.workspace, &beta, c, data.result);
  });
}

/// A point in a stream whose time is stored.
struct TimedEvent {
  NativeEvent* const native;
  explicit TimedEvent(int device) : native(backend(kCUDA).new_event(device, true)) {}
  ~TimedEvent() { backend(kCUDA).release_event(native); }
  TimedEvent(const TimedEvent&) = delete;
};

// Milliseconds of three runs of the plan's way, after one that prepares it; infinite where cuDNN
// rejects it, or there is no memory for it.
double time_way(cudnnHandle_t dnn, const ConvPlan& plan, const ConvData& data, Where where) {
  const TimedEvent begin(where.device), end(where.device);
  auto* const stream = static_cast<NativeStream*>(where.stream);
  try {
    for (int run = 0; run < 4; ++run) {
      if (run == 1) backend(kCUDA).record(begin.native, where.device, stream);
      if (start(dnn, plan, data, where.device) != CUDNN_STATUS_SUCCESS) return HUGE_VAL;
    }
  } catch (const OutOfMemoryError&) {
    return HUGE_VAL;
  }
  backend(kCUDA).record(end.native, where.device, stream);
  backend(kCUDA).synchronize_event(end.native);
  return backend(kCUDA).milliseconds(begin.native, end.native);
}

// Gives the plan the fastest way, and orders the others by time, too. The first one, which gives
// the same sum in every run where there is such a way, yields only to one that is clearly faster:
// the host takes longer to start a small convolution than the GPU to compute it, so that the times
// of those differ by chance.
void sort_by_time(cudnnHandle_t dnn, ConvPlan& plan, const ConvData& data, Where where) {
  constexpr double kClearly = 0.8;
  std::multimap<double, ConvWay, std::greater<>> timed;
  timed.emplace(kClearly * time_way(dnn, plan, data, where), plan.way);
  while (take_next_way(dnn, plan)) timed.emplace(time_way(dnn, plan, data, where), plan.way);
  for (const auto& [milliseconds, way] : timed) plan.others.push_back(way);
  take_next_way(dnn, plan);
}

// Whether another algorithm may succeed where this one failed: cuDNN lists some that it then
// rejects for a shape, cannot compile, or has no memory for.
bool another_may_do(cudnnStatus_t status) {
  const int category = CUDNN_STATUS_CATEGORY(static_cast<int>(status));
  return category == CUDNN_STATUS_NOT_SUPPORTED || category == CUDNN_STATUS_INTERNAL_ERROR;
}

// Starts the plan's way or, where cuDNN rejects it or there is no memory for it, the next one. The
// plan keeps the way that worked.
cudnnStatus_t start_some_way(cudnnHandle_t dnn, ConvPlan& plan, const ConvData& data, int device) {
  for (;;) {
    try {
      const cudnnStatus_t status = start(dnn, plan, data, device);
      if (!another_may_do(status) || !take_next_way(dnn, plan)) return status;
    } catch (const OutOfMemoryError&) {
      if (!take_next_way(dnn, plan)) throw;
      plan.short_of_memory = true;
    }
  }
}

ConvState& conv_state(Session& session, Where where) {
  std::shared_ptr<ConvState>& state = session.state().conv;
  if (state) return *state;
  check_may_make_handle("cuDNN");
  auto made = std::make_shared<ConvState>();
  check(cudnnCreate(&made->dnn), "cudnnCreate");
  const cudnnStatus_t status = cudnnSetStream(made->dnn, static_cast<cudaStream_t>(where.stream));
  if (status != CUDNN_STATUS_SUCCESS) cudnnDestroy(made->dnn);
  check(status, "cudnnSetStream");
  state = std::move(made);
  return *state;
}

void run_part(ConvState& state, ConvKind kind, const Conv2d& conv, const ConvData& data,
              Where where) {
  constexpr std::array<const char*, 3> kDoing{"conv2d", "conv2d's gradient of the input",
                                              "conv2d's gradient of the weight"};
  try {
    std::unique_ptr<ConvPlan>& plan = state.plans[{kind, conv}];
    if (!plan) [[unlikely]] {
      if (conv.dtype == kBFloat16)
        check_bfloat16("conv2d", Device(kCUDA, where.device),
                       backend(kCUDA).compute_capability(where.device));
      plan = make_plan(state.dnn, kind, conv);
      // A graph cannot hold the wait, and a result that is added to would be added to often.
      if (conv.benchmark && !capturing_graph() && data.beta == 0)
        sort_by_time(state.dnn, *plan, data, where);
    }
    check(start_some_way(state.dnn, *plan, data, where.device),
          kDoing[static_cast<std::size_t>(kind)]);
    if (plan->short_of_memory)
      state.plans.erase({kind, conv});  // the next call may have the memory
  } catch (...) {
    state.plans.erase({kind, conv});  // the next call begins with all the ways again
    throw;
  }
}

// How many images one call takes: cuDNN accepts tensors of fewer than 2^31 elements.
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
    if (kind == ConvKind::kForward) return {a + image * input, b, c + image * output, 0};
    if (kind == ConvKind::kBackwardInput) return {a + image * output, b, c + image * input, 0};
    // Every part adds to the gradient of the one weight.
    return {a + image * output, b + image * input, c, image == 0 ? 0.0 : 1.0};
  };
  Session session(where);
  ConvState& state = conv_state(session, where);
  const std::int64_t together = images_together(conv);
  for (std::int64_t from = 0; from < conv.n; from += together) {
    Conv2d part = conv;
    part.n = static_cast<int>(std::min(together, conv.n - from));
    run_part(state, kind, part, data_from(from), where);
  }
}

}  // namespace td::cuda
