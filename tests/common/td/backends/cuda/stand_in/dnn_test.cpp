// The double of cuDNN: its convolutions against loops in float64, its list of algorithms, and what
// it rejects.
#ifdef TD_HAS_CUDNN
#include <cuda_runtime.h>
#include <cudnn.h>

#include <cmath>
#include <set>

#include "catch.h"
#include "dnn.h"
#include "fake_gpus.h"

using namespace td;

namespace {

using cuda_stand_in::dnn;
using fake::Dnn;
using fake::Sizes;
using Texts = std::vector<std::string>;

constexpr auto kFma = CUDNN_FMA_MATH, kDefault = CUDNN_DEFAULT_MATH,
               kConversion = CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;

/// The double has only these algorithms while this lives.
struct Only {
  explicit Only(std::vector<cuda_stand_in::Listed> listed) { dnn().listed = std::move(listed); }
  ~Only() { dnn().listed.clear(); }
};

template <class T>
bool is_near(const std::vector<T>& found, const std::vector<double>& expected) {
  const double relative =
      sizeof(T) == 2 ? (std::is_same_v<T, Half> ? 0x1p-11 : 0x1p-8) * 1.001 : 1e-5;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(std::abs(double(found[i]) - expected[i]) <= 1e-5 + relative * std::abs(expected[i])))
      return false;
  return found.size() == expected.size();
}

/// Whether all three products are those of loops in float64.
template <class T>
void check_products(Sizes sizes, double beta) {
  CAPTURE(sizes.channels_last, sizes.stride, sizes.groups, beta, sizeof(T));
  Dnn<T> p(sizes);
  p.alpha = 0.5, p.beta = typename Dnn<T>::Scale(beta);
  if (beta == 0) p.y.fill(T(NAN)), p.dx.fill(T(NAN)), p.dw.fill(T(NAN));
  const auto y = p.expected_y(), dx = p.expected_dx(), dw = p.expected_dw();
  CHECK(p.forward() == CUDNN_STATUS_SUCCESS);
  CHECK(p.backward_data() == CUDNN_STATUS_SUCCESS);
  CHECK(p.backward_filter() == CUDNN_STATUS_SUCCESS);
  CHECK(is_near(p.y.host(), y));
  CHECK(is_near(p.dx.host(), dx));
  CHECK(is_near(p.dw.host(), dw));
}

TEST_CASE("the double of cuDNN convolves as loops in float64 do") {
  const Only only({{1, kFma, 1024}});
  for (const double beta : {0.0, 1.0})
    for (const bool channels_last : {false, true})
      for (const int stride : {1, 2})
        for (const int groups : {1, 2}) {
          const Sizes sizes{channels_last, stride, groups};
          check_products<float>(sizes, beta);
          check_products<Half>(sizes, beta);
          check_products<BFloat16>(sizes, beta);
          if (!channels_last) check_products<double>(sizes, beta);
        }
}

TEST_CASE("an algorithm that is not deterministic adds in another order in each run") {
  const Only only({{1, kFma, 1024, false}});
  check_products<float>({}, 0);
  check_products<float>({true, 1, 2}, 0);
  Dnn<float> p({});
  std::set<std::vector<float>> found;
  for (int i = 0; i < 20; ++i) {
    REQUIRE(p.backward_filter() == CUDNN_STATUS_SUCCESS);
    found.insert(p.dw.host());
  }
  CHECK(found.size() > 1);
}

// 1 + 2^-12 needs more bits than TF32 has, and 1 + 2^-20 is 1 in half; 2^-17 + 2^-26 is not.
TEST_CASE("the math type says how float32 factors are rounded") {
  const auto middle = [](cudnnMathType_t math, float value) {
    const Only only({{1, math, 1024}});
    Dnn<float> p({});
    cudnnSetConvolutionMathType(p.conv, math);
    p.x.fill(value);
    std::vector<float> one(p.w.host().size());
    one[0] = 1;
    p.w.set(one);
    REQUIRE(p.forward() == CUDNN_STATUS_SUCCESS);
    return p.y.host()[p.inner()];
  };
  CHECK(middle(kFma, 1 + 0x1p-12f) == 1 + 0x1p-12f);
  CHECK(middle(kDefault, 1 + 0x1p-12f) == 1);
  CHECK(middle(CUDNN_TENSOR_OP_MATH, 1 + 0x1p-12f) == 1);
  CHECK(middle(CUDNN_TENSOR_OP_MATH, 0x1p-17f + 0x1p-26f) == 0x1p-17f + 0x1p-26f);
  CHECK(middle(kConversion, 0x1p-17f + 0x1p-26f) == 0x1p-17f);
}

template <class Found, class List>
void check_traps(List list, int most) {
  Found found[16];
  int count = 0;
  REQUIRE(list(16, &count, found) == CUDNN_STATUS_SUCCESS);
  REQUIRE(count > 4);
  CHECK(count <= most);
  CHECK(found[0].determinism == CUDNN_NON_DETERMINISTIC);
  CHECK(found[1].status == CUDNN_STATUS_NOT_SUPPORTED);
  CHECK(found[2].memory > std::size_t{512} << 20);
  CHECK(found[3].algo == found[4].algo);
  CHECK(found[3].mathType != found[4].mathType);
  CHECK(found[3].memory != found[4].memory);
  REQUIRE(list(2, &count, found) == CUDNN_STATUS_SUCCESS);
  CHECK(count == 2);
}

TEST_CASE("the lists of algorithms hold the traps that real lists hold") {
  Dnn<float> p({});
  check_traps<cudnnConvolutionFwdAlgoPerf_t>(
      [&](int room, int* count, auto* found) {
        return cudnnGetConvolutionForwardAlgorithm_v7(p.handle, p.x_, p.w_, p.conv, p.y_, room,
                                                      count, found);
      },
      CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
  check_traps<cudnnConvolutionBwdDataAlgoPerf_t>(
      [&](int room, int* count, auto* found) {
        return cudnnGetConvolutionBackwardDataAlgorithm_v7(p.handle, p.w_, p.y_, p.conv, p.x_, room,
                                                           count, found);
      },
      CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT);
  check_traps<cudnnConvolutionBwdFilterAlgoPerf_t>(
      [&](int room, int* count, auto* found) {
        return cudnnGetConvolutionBackwardFilterAlgorithm_v7(p.handle, p.x_, p.y_, p.conv, p.w_,
                                                             room, count, found);
      },
      CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT);
}

TEST_CASE("by the seed the algorithm that looks best is refused when it runs, for some sizes") {
  std::set<cudnnStatus_t> found;
  for (int images = 1; images < 20; ++images) {
    Dnn<float> p({false, 1, 1, images});
    p.workspace_bytes = 1 << 16;
    found.insert(p.forward());
  }
  CHECK(found == std::set{CUDNN_STATUS_SUCCESS, CUDNN_STATUS_NOT_SUPPORTED});
}

TEST_CASE("the work memory is that of the algorithm and of the descriptor's math type") {
  const Only only({{1, kFma, 256}, {1, kDefault, 1024}, {0, kFma, 0}});
  Dnn<float> p({});
  std::size_t bytes = 0;
  const auto needs = [&] {
    return cudnnGetConvolutionForwardWorkspaceSize(p.handle, p.x_, p.w_, p.conv, p.y_,
                                                   CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                                   &bytes);
  };
  CHECK(needs() == CUDNN_STATUS_SUCCESS);
  CHECK(bytes == 256);
  p.workspace_bytes = 256;
  CHECK(p.forward() == CUDNN_STATUS_SUCCESS);
  CHECK(std::isnan(p.workspace.host()[0]));
  cudnnSetConvolutionMathType(p.conv, kDefault);
  CHECK(needs() == CUDNN_STATUS_SUCCESS);
  CHECK(bytes == 1024);
  CHECK(p.forward() == CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  CHECK(p.backward_data() == CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  CHECK(p.backward_filter() == CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  cudnnSetConvolutionMathType(p.conv, kConversion);
  CHECK(needs() == CUDNN_STATUS_NOT_SUPPORTED);
  CHECK(p.forward() == CUDNN_STATUS_NOT_SUPPORTED);
}

TEST_CASE("descriptions that cuDNN does not take get cuDNN's codes") {
  const auto status = [](auto change) {
    Dnn<float> p({});
    change(p);
    return p.forward();
  };
  const Only only({{1, kFma, 0}});
  const auto tensor = [](auto d, auto format, auto type, int n, int c, int h, int w) {
    return cudnnSetTensor4dDescriptor(d, format, type, n, c, h, w);
  };
  constexpr auto kNchw = CUDNN_TENSOR_NCHW, kNhwc = CUDNN_TENSOR_NHWC;
  CHECK(status([](auto&) {}) == CUDNN_STATUS_SUCCESS);
  CHECK(status([&](auto& p) { tensor(p.y_, kNchw, CUDNN_DATA_FLOAT, 3, 4, 6, 7); }) ==
        CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
  CHECK(status([&](auto& p) { cudnnSetConvolutionGroupCount(p.conv, 2); }) ==
        CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
  CHECK(status([&](auto& p) { tensor(p.x_, kNhwc, CUDNN_DATA_FLOAT, 3, 4, 6, 6); }) ==
        CUDNN_STATUS_NOT_SUPPORTED_LAYOUT);
  CHECK(status([&](auto& p) { tensor(p.x_, kNchw, CUDNN_DATA_HALF, 3, 4, 6, 6); }) ==
        CUDNN_STATUS_BAD_PARAM);
  CHECK(status([](auto& p) {
          cudnnSetConvolution2dDescriptor(p.conv, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                          CUDNN_DATA_DOUBLE);
        }) == CUDNN_STATUS_BAD_PARAM);
  Dnn<double> wide({true, 1, 1});
  CHECK(wide.forward() == CUDNN_STATUS_NOT_SUPPORTED_LAYOUT);
  Dnn<float> p({});
  CHECK(tensor(p.x_, kNchw, CUDNN_DATA_FLOAT, 3, 0, 6, 6) == CUDNN_STATUS_BAD_PARAM);
  CHECK(tensor(p.x_, kNchw, CUDNN_DATA_FLOAT, 1 << 16, 1, 1 << 8, 1 << 7) ==
        CUDNN_STATUS_NOT_SUPPORTED);
  CHECK(tensor(p.x_, kNchw, CUDNN_DATA_FLOAT, (1 << 16) - 1, 1, 1 << 8, 1 << 7) ==
        CUDNN_STATUS_SUCCESS);
}

TEST_CASE("destroyed descriptors and memory of other devices are rejected") {
  const Only only({{1, kFma, 256}});
  cuda_stand_in::CollectRefusals refusals;
  const std::string call = "cudnnConvolutionForward: ";
  {
    Dnn<float> p({});
    const Tensor other = empty({4096}, TensorOptions(fake::gpu(1)));
    std::vector<float> host(4096);
    const auto with = [&](const void* x, void* work, void* y) {
      return cudnnConvolutionForward(p.handle, &p.alpha, p.x_, x, p.w_, p.w.data(), p.conv,
                                     CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, work, 256,
                                     &p.beta, p.y_, y);
    };
    with(host.data(), p.workspace.data(), p.y.data());
    with(other.data_ptr(), p.workspace.data(), p.y.data());
    with(p.x.data(), p.workspace.data() + 1, p.y.data());
    with(p.x.data(), host.data(), p.y.data());
    with(p.x.data(), p.workspace.data(), p.x.data() + 3);
    CHECK(refusals.take() == Texts{call + "the first factor is memory of the host",
                                   call + "the first factor is memory of cuda:1",
                                   call + "the workspace does not begin at a multiple of 256 bytes",
                                   call + "the workspace is memory of the host",
                                   call + "the result overlaps a factor"});
    CHECK(cudnnDestroyFilterDescriptor(p.w_) == CUDNN_STATUS_SUCCESS);
    p.forward();
    CHECK(refusals.take() == Texts{call + "the cudnnFilterDescriptor_t was destroyed before"});
  }
  CHECK(refusals.take() ==
        Texts{"cudnnDestroyFilterDescriptor: the cudnnFilterDescriptor_t was destroyed before"});
}

TEST_CASE("a handle of cuDNN is not made while a stream of the device is captured") {
  cuda_stand_in::CollectRefusals refusals;
  cudnnHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(cudnnCreate(&handle) == CUDNN_STATUS_NOT_INITIALIZED);
  CHECK(cudaStreamEndCapture(stream, &graph) != cudaSuccess);
  CHECK(refusals.take() == Texts{"cudnnCreate: a stream of the device is captured, and making a "
                                 "handle waits for the device"});
  cudaGetLastError();
}

/// How many handles and descriptors there are.
std::vector<int> count() {
  return std::vector<int>{cuda_stand_in::live("cudnnHandle_t"),
                          cuda_stand_in::live("cudnnTensorDescriptor_t"),
                          cuda_stand_in::live("cudnnFilterDescriptor_t"),
                          cuda_stand_in::live("cudnnConvolutionDescriptor_t")};
}

TEST_CASE("handles and descriptors are counted, so that a leak is found") {
  const std::vector<int> before = count();
  {
    const Dnn<float> p({});
    CHECK(count() == std::vector{before[0] + 1, before[1] + 2, before[2] + 1, before[3] + 1});
  }
  CHECK(count() == before);
}

TEST_CASE("the wrapper keeps no descriptors of a plan that failed") {
  const Only only({{1, kFma, 0, true, CUDNN_STATUS_SUCCESS, CUDNN_STATUS_EXECUTION_FAILED}});
  const fake::Array<float> x(16), w(1), y(16);
  cuda::Conv2d v;
  v.n = v.c = v.k = v.r = v.s = 1, v.h = v.w = v.oh = v.ow = 4;
  std::vector<int> before;
  for (int i = 0; i < 3; ++i) {
    CHECK_THROWS_WITH(cuda::libs().conv2d(cuda::ConvKind::kForward, v, x.data(), w.data(), y.data(),
                                          {0, gpu::stream()}),
                      Catch::StartsWith("conv2d: cuDNN reports CUDNN_STATUS_EXECUTION_FAILED"));
    if (i == 0) before = count();  // the handle of the stream stays
  }
  CHECK(count() == before);
}

}  // namespace
#endif  // TD_HAS_CUDNN
