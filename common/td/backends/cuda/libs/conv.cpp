// Convolutions by cuDNN. A plan (descriptors, algorithm, size of the work memory) is made at the
// first call with a shape and kept: asking cuDNN takes longer than a small convolution. Called
// through Libs (libs.cpp of this folder).
#include <cudnn.h>

#include <array>
#include <map>
#include <memory>
#include <utility>

#include "td/backends/cuda/libs/stream_state.h"
#include "td/base/error.h"
#include "td/device/allocator.h"

namespace td::cuda {

/// All that a call of cuDNN wants to know besides the pointers. Kept until the process ends.
struct ConvPlan {
  cudnnTensorDescriptor_t input = nullptr, output = nullptr;
  cudnnFilterDescriptor_t weight = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;
  int algorithm = 0;
  std::size_t workspace = 0;

  ConvPlan() = default;
  ConvPlan(const ConvPlan&) = delete;
  ConvPlan& operator=(const ConvPlan&) = delete;
  ~ConvPlan() {  // runs only when making the plan failed half-way
    if (input) cudnnDestroyTensorDescriptor(input);
    if (output) cudnnDestroyTensorDescriptor(output);
    if (weight) cudnnDestroyFilterDescriptor(weight);
    if (conv) cudnnDestroyConvolutionDescriptor(conv);
  }
};

/// cuDNN's handle of one stream, and the plans made with it.
struct ConvState {
  cudnnHandle_t dnn = nullptr;
  std::map<std::pair<ConvKind, Conv2d>, std::shared_ptr<ConvPlan>> plans;
};

namespace {

void check(cudnnStatus_t status, const char* doing) {
  if (status == CUDNN_STATUS_SUCCESS) [[likely]]
    return;
  char details[512] = "";
  cudnnGetLastErrorString(details, sizeof details);
  fail<DeviceError>(doing, ": cuDNN reports ", cudnnGetErrorString(status), " (", details,
                    "). Work queued earlier may be at fault: run with CUDA_LAUNCH_BLOCKING=1 to "
                    "find out.");
}

// More work memory than this is not worth what it takes from the tensors.
constexpr std::size_t kMostWorkspace = std::size_t(512) << 20;

cudnnDataType_t data_type(ScalarType dtype) {
  switch (dtype) {
    case kHalf:
      return CUDNN_DATA_HALF;
    case kBFloat16:
      return CUDNN_DATA_BFLOAT16;
    case kDouble:
      return CUDNN_DATA_DOUBLE;
    case kFloat:
      return CUDNN_DATA_FLOAT;
    default:
      break;
  }
  fail<DtypeError>("conv2d on cuda: expected a floating point type but got ", dtype_name(dtype),
                   "; convert it with to(kFloat32)");
}

cudnnMathType_t math_type(const Conv2d& c) {
  if (c.dtype == kHalf || c.dtype == kBFloat16) return CUDNN_TENSOR_OP_MATH;
  if (c.dtype == kFloat && !c.allow_tf32) return CUDNN_FMA_MATH;  // its default would take TF32
  return CUDNN_DEFAULT_MATH;
}

void describe(ConvPlan& plan, const Conv2d& c) {
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
  check(cudnnSetConvolutionMathType(plan.conv, math_type(c)), "conv2d: setting the math type");
}

// Takes the fastest algorithm that fits and gives the same sum in every run; if none does, the
// fastest that fits. cuDNN lists them by expected speed.
template <class Found>
void choose(ConvPlan& plan, const Found* found, int count) {
  const Found* best = nullptr;
  for (const Found* f = found; f != found + count; ++f) {
    if (f->status != CUDNN_STATUS_SUCCESS || f->memory > kMostWorkspace) continue;
    if (!best) best = f;
    if (f->determinism == CUDNN_DETERMINISTIC) {
      best = f;
      break;
    }
  }
  TD_CHECK(DeviceError, best,
           "conv2d on cuda: cuDNN has no algorithm for these sizes and this "
           "type; try contiguous tensors (channels last off), or float32");
  plan.algorithm = static_cast<int>(best->algo);
  plan.workspace = best->memory;
}

void choose_algorithm(ConvPlan& plan, ConvKind kind, cudnnHandle_t dnn) {
  constexpr int kMost = 10;
  int count = 0;
  const char* const doing = "conv2d: choosing an algorithm";
  switch (kind) {
    case ConvKind::kForward: {
      std::array<cudnnConvolutionFwdAlgoPerf_t, kMost> found;
      check(cudnnGetConvolutionForwardAlgorithm_v7(dnn, plan.input, plan.weight, plan.conv,
                                                   plan.output, kMost, &count, found.data()),
            doing);
      return choose(plan, found.data(), count);
    }
    case ConvKind::kBackwardInput: {
      std::array<cudnnConvolutionBwdDataAlgoPerf_t, kMost> found;
      check(cudnnGetConvolutionBackwardDataAlgorithm_v7(dnn, plan.weight, plan.output, plan.conv,
                                                        plan.input, kMost, &count, found.data()),
            doing);
      return choose(plan, found.data(), count);
    }
    case ConvKind::kBackwardWeight: {
      std::array<cudnnConvolutionBwdFilterAlgoPerf_t, kMost> found;
      check(cudnnGetConvolutionBackwardFilterAlgorithm_v7(dnn, plan.input, plan.output, plan.conv,
                                                          plan.weight, kMost, &count, found.data()),
            doing);
      return choose(plan, found.data(), count);
    }
  }
}

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

ConvPlan& plan_for(ConvState& state, ConvKind kind, const Conv2d& conv) {
  std::shared_ptr<ConvPlan>& slot = state.plans[{kind, conv}];
  if (!slot) [[unlikely]] {
    auto plan = std::make_shared<ConvPlan>();
    describe(*plan, conv);
    choose_algorithm(*plan, kind, state.dnn);
    slot = std::move(plan);
  }
  return *slot;
}

// Work memory from the caching allocator: given back at once, and reused in this stream's order.
class Workspace {
 public:
  Workspace(int device, std::size_t bytes)
      : allocator_(allocator(Device(kCUDA, device))),
        memory_(allocator_.allocate(bytes)),
        bytes_(bytes) {}
  ~Workspace() {
    if (memory_) allocator_.release(memory_, bytes_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  void* data() const { return memory_; }

 private:
  Allocator& allocator_;
  void* memory_;
  std::size_t bytes_;
};

}  // namespace

void run_conv(ConvKind kind, const Conv2d& conv, const void* first, const void* second,
              void* result, Where where) {
  Session session(where);
  ConvState& state = conv_state(session, where);
  const ConvPlan& plan = plan_for(state, kind, conv);
  const Workspace work(where.device, plan.workspace);
  const float one = 1, zero = 0;
  const double wide_one = 1, wide_zero = 0;
  const bool wide = conv.dtype == kDouble;
  const void* const alpha = wide ? static_cast<const void*>(&wide_one) : &one;
  const void* const beta = wide ? static_cast<const void*>(&wide_zero) : &zero;
  const cudnnHandle_t dnn = state.dnn;
  switch (kind) {
    case ConvKind::kForward:  // input, weight
      return check(
          cudnnConvolutionForward(dnn, alpha, plan.input, first, plan.weight, second, plan.conv,
                                  static_cast<cudnnConvolutionFwdAlgo_t>(plan.algorithm),
                                  work.data(), plan.workspace, beta, plan.output, result),
          "conv2d");
    case ConvKind::kBackwardInput:  // gradient of the output, weight
      return check(cudnnConvolutionBackwardData(
                       dnn, alpha, plan.weight, second, plan.output, first, plan.conv,
                       static_cast<cudnnConvolutionBwdDataAlgo_t>(plan.algorithm), work.data(),
                       plan.workspace, beta, plan.input, result),
                   "conv2d's gradient of the input");
    case ConvKind::kBackwardWeight:  // gradient of the output, input
      return check(cudnnConvolutionBackwardFilter(
                       dnn, alpha, plan.input, second, plan.output, first, plan.conv,
                       static_cast<cudnnConvolutionBwdFilterAlgo_t>(plan.algorithm), work.data(),
                       plan.workspace, beta, plan.weight, result),
                   "conv2d's gradient of the weight");
  }
}

}  // namespace td::cuda
