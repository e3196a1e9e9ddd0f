// Which algorithm of cuDNN's list is taken, with which math type and work memory, and what comes
// after a refusal; and how a convolution that is too large for cuDNN is cut.
#include "catch.h"
#include "fake.h"
#include "td/base/error.h"

namespace td {
namespace {

using cuda::ConvKind;
using cuda_stand_in::Convolution;
using cuda_stand_in::dnn;
using cuda_stand_in::Listed;
using fake::pool_begin;
using fake::world;

constexpr ConvKind kKinds[] = {ConvKind::kForward, ConvKind::kBackwardInput,
                               ConvKind::kBackwardWeight};
constexpr auto kDefault = CUDNN_DEFAULT_MATH, kTensor = CUDNN_TENSOR_OP_MATH,
               kConversion = CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, kFma = CUDNN_FMA_MATH;
constexpr auto kRefused = CUDNN_STATUS_NOT_SUPPORTED;

cuda::Conv2d sizes(ScalarType dtype = kFloat, bool allow_tf32 = false) {
  cuda::Conv2d v;
  v.dtype = dtype;
  v.allow_tf32 = allow_tf32;
  v.n = 2, v.c = 3, v.h = v.w = 8, v.k = 4, v.r = v.s = 3, v.oh = v.ow = 6;
  return v;
}

// How often cuDNN was asked for its list.
int times_listed() {
  int result = 0;
  for (const auto& [function, times] : world().calls)
    if (function.ends_with("Algorithm_v7")) result += times;
  return result;
}

// The convolution that succeeded last; its input, weight and output are at 11, 12 and 13 TiB.
Convolution convolve(const cuda::Conv2d& v, cuda::Where where, ConvKind kind = ConvKind::kForward) {
  void *const x = pool_begin(11), *const w = pool_begin(12), *const y = pool_begin(13);
  switch (kind) {
    case ConvKind::kForward:
      cuda::run_conv(kind, v, x, w, y, where);
      break;
    case ConvKind::kBackwardInput:
      cuda::run_conv(kind, v, y, w, x, where);
      break;
    case ConvKind::kBackwardWeight:
      cuda::run_conv(kind, v, y, x, w, where);
      break;
  }
  return dnn().convolutions.back();
}

// The algorithm that is taken from a list for a type.
struct Taken {
  int algorithm;
  cudnnMathType_t math;
  std::size_t workspace;
  friend bool operator==(const Taken&, const Taken&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Taken& t) {
    return out << "algorithm " << t.algorithm << ", math type " << t.math << ", workspace "
               << t.workspace;
  }
};
Taken taken(const std::vector<Listed>& listed, ScalarType dtype = kFloat, bool allow_tf32 = false) {
  fake::reset();
  dnn().listed = listed;
  const Convolution made = convolve(sizes(dtype, allow_tf32), fake::new_stream());
  return {made.algorithm, made.math, made.workspace_bytes};
}

TEST_CASE("the fastest algorithm is taken that works, fits and gives the same sum in every run") {
  const std::size_t large = (std::size_t{512} << 20) + 1;
  CHECK(taken({{1, kFma, 10}, {0, kFma, 0}}) == Taken{1, kFma, 10});
  CHECK(taken({{6, kFma, 10, true, kRefused}, {1, kFma, 20}}) == Taken{1, kFma, 20});
  CHECK(taken({{5, kFma, large}, {1, kFma, large - 1}}) == Taken{1, kFma, large - 1});
  CHECK(taken({{3, kFma, 10, false}, {1, kFma, 20}}) == Taken{1, kFma, 20});
  CHECK(taken({{3, kFma, 10, false}, {1, kFma, large}}) == Taken{3, kFma, 10});
}

// The work memory of algorithm 1 differs by math type; the descriptor must say which one is meant.
TEST_CASE("the descriptor holds the math type that the algorithm was listed with") {
  const std::vector<Listed> twice = {{1, kTensor, 700}, {1, kFma, 5}, {1, kDefault, 60}};
  for (const ScalarType narrow : {kHalf, kBFloat16}) {
    CHECK(taken(twice, narrow) == Taken{1, kTensor, 700});
    CHECK(taken({{1, kDefault, 60}, {1, kTensor, 700}}, narrow) == Taken{1, kDefault, 60});
    CHECK(taken({{1, kFma, 900}, {1, kTensor, 7}}, narrow) == Taken{1, kFma, 900});
  }
  CHECK(taken({{1, kFma, 5}, {1, kDefault, 60}}, kDouble) == Taken{1, kFma, 5});
  CHECK(taken({{1, kFma, 5}, {1, kDefault, 60}}, kFloat, true) == Taken{1, kFma, 5});
}

TEST_CASE("float32 takes Tensor Cores only when the program allows TF32, and never half") {
  const std::vector<Listed> listed = {
      {1, kConversion, 9}, {1, kTensor, 700}, {2, kDefault, 60}, {0, kFma, 5}, {2, kFma, 4}};
  CHECK(taken(listed) == Taken{0, kFma, 5});
  CHECK(taken(listed, kFloat, true) == Taken{1, kTensor, 700});
}

// An FMA descriptor does not keep cuDNN from listing other math types.
TEST_CASE("an algorithm listed with Tensor Cores alone is tried without them, as the last choice") {
  const Listed without{2, kFma, 4, true, CUDNN_STATUS_SUCCESS, CUDNN_STATUS_SUCCESS, false};
  CHECK(taken({{2, kDefault, 60}, without}) == Taken{2, kFma, 4});
  CHECK(taken({{2, kDefault, 60}, without, {0, kFma, 5}}) == Taken{0, kFma, 5});
  CHECK_THROWS_WITH(taken({{2, kDefault, 60}, {1, kTensor, 60}}),
                    Catch::StartsWith("conv2d on cuda: cuDNN has no algorithm for these sizes"));
  CHECK(dnn().convolutions.empty());
}

TEST_CASE("when cuDNN refuses an algorithm at run time the next one is taken, and kept") {
  for (const ConvKind kind : kKinds)
    for (const cudnnStatus_t refusal :
         {CUDNN_STATUS_NOT_SUPPORTED, CUDNN_STATUS_NOT_SUPPORTED_SHAPE,
          CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED,
          CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED}) {
      fake::reset();
      const cuda::Where where = fake::new_stream();
      dnn().listed = {{4, kFma, 30, true, CUDNN_STATUS_SUCCESS, refusal}, {1, kFma, 20}};
      CHECK(convolve(sizes(), where, kind).algorithm == 1);
      CHECK(convolve(sizes(), where, kind).workspace_bytes == 20);
      CHECK(dnn().convolutions.size() == 3);  // the refused one, and two that ran
      CHECK(times_listed() == 1);
      CHECK(world().live.empty());
    }
}

// Of the double's algorithms, the one with the smallest number is the fastest.
TEST_CASE("a benchmark runs every algorithm once and keeps the fastest that works") {
  for (const ConvKind kind : kKinds) {
    fake::reset();
    const cuda::Where where = fake::new_stream();
    dnn().listed = {{5, kFma, 10},
                    {3, kFma, 20, false},
                    {2, kFma, 30, true, CUDNN_STATUS_SUCCESS, kRefused},
                    {4, kFma, 40}};
    cuda::Conv2d v = sizes();
    v.benchmark = true;
    CHECK(convolve(v, where, kind).algorithm == 3);
    CHECK(dnn().convolutions.size() == 4 + 4 + 1 + 4 + 1);
    CHECK(convolve(v, where, kind).workspace_bytes == 20);
    CHECK(dnn().convolutions.size() == 15);
    CHECK(convolve(sizes(), where, kind).algorithm == 5);  // which gives equal sums
    CHECK(world().live.empty());
  }
}

TEST_CASE("a benchmark keeps the heuristic's algorithm where another is hardly faster") {
  fake::reset();
  dnn().listed = {{6, kFma, 10}, {5, kFma, 20}};
  cuda::Conv2d v = sizes();
  v.benchmark = true;
  CHECK(convolve(v, fake::new_stream()).algorithm == 6);
  dnn().listed = {{7, kFma, 10}, {5, kFma, 20}};
  CHECK(convolve(v, fake::new_stream()).algorithm == 5);
}

TEST_CASE("a failure other than an unsupported algorithm ends the convolution immediately") {
  fake::reset();
  dnn().listed = {{4, kFma, 30, true, CUDNN_STATUS_SUCCESS, CUDNN_STATUS_EXECUTION_FAILED},
                  {1, kFma, 20}};
  CHECK_THROWS_WITH(
      convolve(sizes(), fake::new_stream(), ConvKind::kBackwardInput),
      Catch::StartsWith(
          "conv2d's gradient of the input: cuDNN reports CUDNN_STATUS_EXECUTION_FAILED"));
  CHECK(dnn().convolutions.size() == 1);
}

TEST_CASE("when all algorithms are refused cuDNN's reason is reported; the next call retries") {
  fake::reset();
  const cuda::Where where = fake::new_stream();
  dnn().listed = {{4, kFma, 0, true, CUDNN_STATUS_SUCCESS, kRefused},
                  {1, kFma, 0, true, CUDNN_STATUS_SUCCESS, kRefused}};
  CHECK_THROWS_WITH(convolve(sizes(), where),
                    Catch::StartsWith("conv2d: cuDNN reports CUDNN_STATUS_NOT_SUPPORTED"));
  CHECK(dnn().convolutions.size() == 2);
  dnn().listed = {{0, kFma, 7}};
  CHECK(convolve(sizes(), where).algorithm == 0);
}

TEST_CASE("a GPU with too little memory for an algorithm gets one that needs less") {
  fake::reset();
  const cuda::Where where = fake::new_stream();
  dnn().listed = {{4, kFma, 3000}, {1, kFma, 2000}, {0, kFma, 100}};
  world().room = 1000;
  CHECK(convolve(sizes(), where).algorithm == 0);
  world().room = 2500;  // some memory was freed
  CHECK(convolve(sizes(), where).algorithm == 1);
  world().room = 10;
  CHECK_THROWS_AS(convolve(sizes(), where), OutOfMemoryError);
  world().room = 5000;  // memory was freed: cuDNN's list again, from its beginning
  CHECK(convolve(sizes(), where).algorithm == 4);
}

TEST_CASE("a convolution of 2^31 elements and more runs in parts, each below 2^31") {
  cuda::Conv2d v = sizes(kHalf);
  v.n = 5, v.c = 1, v.k = 2, v.r = v.s = 1, v.h = v.oh = 1 << 14, v.w = v.ow = 1 << 15;
  const auto at = [](std::uintptr_t pool, std::uintptr_t bytes) {
    return static_cast<char*>(pool_begin(pool)) + bytes;
  };
  const std::uintptr_t image = std::uintptr_t{2} << 29;  // bytes of the input; twice that of output
  for (const ConvKind kind : kKinds) {
    fake::reset();
    dnn().listed = {{1, kTensor, 10}};
    convolve(v, fake::new_stream(), kind);
    REQUIRE(dnn().convolutions.size() == 5);  // one output is 2^30 elements: no two together
    for (std::uintptr_t i = 0; i < 5; ++i) {
      const Convolution& part = dnn().convolutions[i];
      CHECK(part.kind == kind);
      CHECK(part.images == 1);
      CHECK(part.input == at(11, i * image));
      CHECK(part.weight == pool_begin(12));
      CHECK(part.output == at(13, i * 2 * image));
      // All parts add to the gradient of the one weight; elsewhere nothing is read first.
      CHECK(part.beta == (kind == ConvKind::kBackwardWeight && i > 0 ? 1 : 0));
    }
    CHECK(times_listed() == 1);
  }
  v.k = 1;  // 2^29 elements an image: three together are below 2^31, four are not
  fake::reset();
  dnn().listed = {{1, kTensor, 10}};
  convolve(v, fake::new_stream());
  REQUIRE(dnn().convolutions.size() == 2);
  CHECK(dnn().convolutions[0].images == 3);
  CHECK(dnn().convolutions[1].images == 2);
  CHECK(dnn().convolutions[1].input == at(11, 3 * image));

  v.k = 4;  // one output of 2^31 elements
  CHECK_THROWS_WITH(convolve(v, fake::new_stream()),
                    "conv2d on cuda: one image of the input or the output has 2147483648 elements, "
                    "and cuDNN takes fewer than 2^31; cut the image into tiles");
}

TEST_CASE("bfloat16 convolutions are refused in words below compute capability 8.0") {
  fake::reset();
  dnn().listed = {{1, kTensor, 10}};
  world().compute_capability = 75;
  CHECK_THROWS_WITH(convolve(sizes(kBFloat16), fake::new_stream()),
                    "conv2d: cuda:0 has compute capability 7.5 and cannot compute in bfloat16, "
                    "which began with 8.0; ask for float16, and scale the loss with a GradScaler");
  CHECK_NOTHROW(convolve(sizes(kHalf), fake::new_stream()));
  world().compute_capability = 80;
  const cuda::Where where = fake::new_stream();
  CHECK_NOTHROW(convolve(sizes(kBFloat16), where));
  world().compute_capability = 75;  // its plan is known: only cuDNN itself can refuse now
  CHECK_THROWS_WITH(convolve(sizes(kBFloat16), where),
                    Catch::StartsWith("conv2d: cuDNN reports CUDNN_STATUS_NOT_SUPPORTED"));
}

}  // namespace
}  // namespace td
