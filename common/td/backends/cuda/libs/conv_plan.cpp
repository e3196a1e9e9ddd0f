// The ways of cuDNN to make a convolution, in order of preference.
#include "td/backends/cuda/libs/conv_plan.h"

#include <algorithm>
#include <array>

#include "td/base/error.h"

namespace td::cuda {
namespace {

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

// What the products may be made with, whatever cuDNN lists. For float32, all math types but FMA
// take TF32 from compute capability 8.0 on, and "allow conversion" takes even half.
cudnnMathType_t allowed_math(const Conv2d& c, cudnnMathType_t wanted) {
  if (c.dtype == kFloat && !c.allow_tf32) return CUDNN_FMA_MATH;
  return wanted == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION ? CUDNN_TENSOR_OP_MATH : wanted;
}

void set_math(const ConvPlan& plan, cudnnMathType_t math) {
  check(cudnnSetConvolutionMathType(plan.conv, math), "conv2d: setting the math type");
}

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
  const bool narrow = element_size(c.dtype) == 2;
  set_math(plan, allowed_math(c, narrow ? CUDNN_TENSOR_OP_MATH : CUDNN_DEFAULT_MATH));
}

// The ways to make a convolution, the best one last: those that give the same sum in every run are
// better, then those whose math type cuDNN listed itself, then the first in cuDNN's order, which is
// by expected speed.
template <class Found>
std::vector<ConvWay> ranked(const Conv2d& c, const Found* found, int count) {
  std::vector<ConvWay> ways;
  for (const bool deterministic : {true, false})
    for (const bool as_listed : {true, false})
      for (const Found* f = found; f != found + count; ++f) {
        const ConvWay way{static_cast<int>(f->algo), allowed_math(c, f->mathType)};
        if (f->status == CUDNN_STATUS_SUCCESS && as_listed == (way.math == f->mathType) &&
            deterministic == (f->determinism == CUDNN_DETERMINISTIC) &&
            std::find(ways.begin(), ways.end(), way) == ways.end())
          ways.push_back(way);
      }
  std::reverse(ways.begin(), ways.end());
  return ways;
}

std::vector<ConvWay> list_ways(cudnnHandle_t dnn, const ConvPlan& plan) {
  constexpr int kMost = 16;  // algorithms have up to 8 numbers, each with up to two math types
  int count = 0;
  const char* const doing = "conv2d: choosing an algorithm";
  switch (plan.kind) {
    case ConvKind::kForward: {
      std::array<cudnnConvolutionFwdAlgoPerf_t, kMost> found;
      check(cudnnGetConvolutionForwardAlgorithm_v7(dnn, plan.input, plan.weight, plan.conv,
                                                   plan.output, kMost, &count, found.data()),
            doing);
      return ranked(plan.sizes, found.data(), count);
    }
    case ConvKind::kBackwardInput: {
      std::array<cudnnConvolutionBwdDataAlgoPerf_t, kMost> found;
      check(cudnnGetConvolutionBackwardDataAlgorithm_v7(dnn, plan.weight, plan.output, plan.conv,
                                                        plan.input, kMost, &count, found.data()),
            doing);
      return ranked(plan.sizes, found.data(), count);
    }
    case ConvKind::kBackwardWeight: {
      std::array<cudnnConvolutionBwdFilterAlgoPerf_t, kMost> found;
      check(cudnnGetConvolutionBackwardFilterAlgorithm_v7(dnn, plan.input, plan.output, plan.conv,
                                                          plan.weight, kMost, &count, found.data()),
            doing);
      return ranked(plan.sizes, found.data(), count);
    }
  }
  return {};
}

// How much work memory an algorithm needs with the math type that the descriptor holds.
cudnnStatus_t ask_workspace(cudnnHandle_t dnn, const ConvPlan& plan, int algorithm,
                            std::size_t* bytes) {
  switch (plan.kind) {
    case ConvKind::kForward:
      return cudnnGetConvolutionForwardWorkspaceSize(
          dnn, plan.input, plan.weight, plan.conv, plan.output,
          static_cast<cudnnConvolutionFwdAlgo_t>(algorithm), bytes);
    case ConvKind::kBackwardInput:
      return cudnnGetConvolutionBackwardDataWorkspaceSize(
          dnn, plan.weight, plan.output, plan.conv, plan.input,
          static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm), bytes);
    case ConvKind::kBackwardWeight:
      return cudnnGetConvolutionBackwardFilterWorkspaceSize(
          dnn, plan.input, plan.output, plan.conv, plan.weight,
          static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm), bytes);
  }
  return CUDNN_STATUS_BAD_PARAM;
}

}  // namespace

bool take_next_way(cudnnHandle_t dnn, ConvPlan& plan) {
  while (!plan.others.empty()) {
    const ConvWay way = plan.others.back();
    plan.others.pop_back();
    set_math(plan, way.math);
    std::size_t bytes = 0;
    if (ask_workspace(dnn, plan, way.algorithm, &bytes) != CUDNN_STATUS_SUCCESS ||
        bytes > kMostWorkspace)
      continue;
    plan.algorithm = way.algorithm;
    plan.workspace = bytes;
    return true;
  }
  return false;
}

std::unique_ptr<ConvPlan> make_conv_plan(cudnnHandle_t dnn, ConvKind kind, const Conv2d& sizes) {
  auto plan = std::make_unique<ConvPlan>(kind, sizes);
  describe(*plan);
  plan->others = list_ways(dnn, *plan);
  TD_CHECK(DeviceError, take_next_way(dnn, *plan),
           "conv2d on cuda: cuDNN has no algorithm for these sizes and this "
           "type; try contiguous tensors (channels last off), or float32");
  return plan;
}

cudnnStatus_t start(cudnnHandle_t dnn, const ConvPlan& plan, const ConvData& data, int device) {
  const WorkMemory work(device, plan.workspace);
  const ScaleFactor alpha(plan.sizes.dtype, 1), beta(plan.sizes.dtype, data.beta);
  switch (plan.kind) {
    case ConvKind::kForward:  // input, weight
      return cudnnConvolutionForward(dnn, &alpha, plan.input, data.first, plan.weight, data.second,
                                     plan.conv,
                                     static_cast<cudnnConvolutionFwdAlgo_t>(plan.algorithm),
                                     work.data(), plan.workspace, &beta, plan.output, data.result);
    case ConvKind::kBackwardInput:  // gradient of the output, weight
      return cudnnConvolutionBackwardData(
          dnn, &alpha, plan.weight, data.second, plan.output, data.first, plan.conv,
          static_cast<cudnnConvolutionBwdDataAlgo_t>(plan.algorithm), work.data(), plan.workspace,
          &beta, plan.input, data.result);
    case ConvKind::kBackwardWeight:  // gradient of the output, input
      return cudnnConvolutionBackwardFilter(
          dnn, &alpha, plan.input, data.second, plan.output, data.first, plan.conv,
          static_cast<cudnnConvolutionBwdFilterAlgo_t>(plan.algorithm), work.data(), plan.workspace,
          &beta, plan.weight, data.result);
  }
  return CUDNN_STATUS_BAD_PARAM;
}

void check(cudnnStatus_t status, const char* doing) {
  if (status == CUDNN_STATUS_SUCCESS) [[likely]]
    return;
  char details[512] = "";
  cudnnGetLastErrorString(details, sizeof details);
  fail<DeviceError>(doing, ": cuDNN reports ", cudnnGetErrorString(status), " (", details,
                    "). Work queued earlier may be at fault: run with CUDA_LAUNCH_BLOCKING=1 to "
                    "find out.");
}

}  // namespace td::cuda
