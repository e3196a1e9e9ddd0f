// Autocast's regions: what a guard sets and restores, which threads and devices it affects, what it
// does not change, and its warnings and errors.
#include "captured_warnings.h"
#include "casts.h"
#include "libs/products.h"
#include "td_more/td_more.h"

using namespace td;
using amp::AutocastGuard;
using amp::is_autocast_enabled;
using test::CapturedWarnings;

namespace {

ScalarType product_type(Device device) {
  return mm(numbers({2, 2}).to(device), numbers({2, 2}).to(device)).dtype();
}

}  // namespace

TEST_CASE("a guard switches autocast on until its end: float16 on accelerators, bfloat16 on cpu") {
  for (const Device device : devices()) {
    const DeviceType type = device.type();
    CHECK_FALSE(is_autocast_enabled(type));
    {
      const AutocastGuard guard(type);
      CHECK(is_autocast_enabled(type));
      CHECK(amp::get_autocast_dtype(type) == (device.is_cpu() ? kBFloat16 : kHalf));
      CHECK(product_type(device) == amp::get_autocast_dtype(type));
    }
    CHECK_FALSE(is_autocast_enabled(type));
    CHECK(product_type(device) == kFloat);
    for (const ScalarType fast : kFastTypes) {
      const AutocastGuard guard(type, fast);
      CHECK(product_type(device) == fast);
    }
  }
}

TEST_CASE("guards nest: off in between, another type, another device") {
  const AutocastGuard outer(kCPU);
  {
    const AutocastGuard off(kCPU, nullopt, /*enabled=*/false);
    CHECK(product_type(kCPU) == kFloat);
    {
      const AutocastGuard half(kCPU, kHalf);
      CHECK(product_type(kCPU) == kHalf);
    }
    CHECK(product_type(kCPU) == kFloat);
    CHECK_FALSE(is_autocast_enabled(kCPU));
  }
  CHECK(product_type(kCPU) == kBFloat16);
  CHECK(product_type("sim:0") == kFloat);
  const AutocastGuard on_sim(kSIM);
  CHECK(product_type(kCPU) == kBFloat16);
  CHECK(product_type("sim:0") == kHalf);
}

TEST_CASE("an error that leaves a region, or an operation in it, leaves nothing behind") {
  try {
    const AutocastGuard guard(kSIM);
    mm(numbers({2, 3}).to("sim:0"), numbers({2, 3}).to("sim:0"));
    FAIL("the sizes do not fit");
  } catch (const ShapeError&) {
  }
  CHECK_FALSE(is_autocast_enabled(kSIM));
  const AutocastGuard guard(kSIM);
  CHECK_THROWS_AS(mm(numbers({2, 3}).to("sim:0"), numbers({2, 3}).to("sim:0")), ShapeError);
  CHECK(is_autocast_enabled(kSIM));
  CHECK(product_type("sim:0") == kHalf);
}

TEST_CASE("in-place operations, a requested dtype and other types are not changed") {
  const Tensor half = numbers({3, 4}).to("sim:0", kHalf), real = numbers({3, 4}).to("sim:0");
  const Tensor whole = ones({3, 4}, kLong).to("sim:0");
  const AutocastGuard guard(kSIM);
  CHECK(half.clone().exp_().dtype() == kHalf);
  CHECK(half.exp().dtype() == kFloat);
  Tensor sum = half.clone();
  CHECK(sum.addcmul_(half, half).dtype() == kHalf);
  CHECK(softmax(half, 1, kHalf).dtype() == kHalf);
  CHECK(real.sum(kDouble).dtype() == kDouble);
  CHECK(half.sum({0}, false, kHalf).dtype() == kHalf);
  CHECK(whole.sum().dtype() == kLong);
  CHECK(whole.exp().dtype() == kFloat);  // not a cast: integers become float32 anywhere
  CHECK(same_bits(mm(whole, whole.t()), mm(whole.cpu(), whole.cpu().t()).to("sim:0")));
  CHECK(mm(real.cpu(), real.cpu().t()).dtype() == kFloat);  // a region of sim is none of cpu
}

TEST_CASE("operations without a policy promote as usual") {
  const Tensor half = numbers({3, 4}).to("sim:0", kHalf), real = numbers({3, 4}).to("sim:0");
  const AutocastGuard guard(kSIM);
  CHECK((half + half).dtype() == kHalf);
  CHECK((half * real).dtype() == kFloat);
  CHECK((half / 3.0).dtype() == kHalf);
  CHECK((half >= real).dtype() == kBool);
  CHECK(half.mean().dtype() == kHalf);
  CHECK(half.tanh().dtype() == kHalf);
  CHECK(cat({half, real}).dtype() == kFloat);
}

TEST_CASE("the operations of a classifier come out in PyTorch's types") {
  const Tensor images = numbers({4, 3, 8, 8}).to("sim:0"),
               labels = tensor({0, 1, 2, 3}, kLong).to("sim:0");
  nn::Conv2d conv(3, 4, 3);
  nn::BatchNorm2d norm(4);
  nn::Linear last(4 * 3 * 3, 5);
  for (nn::Module* m : std::initializer_list<nn::Module*>{conv.get(), norm.get(), last.get()})
    m->to(Device("sim:0"));
  const AutocastGuard guard(kSIM);
  const Tensor c = conv(images), n = norm(c), r = relu(n), p = max_pool2d(r, 2);
  const Tensor logits = last(dropout(p, 0.5, true).flatten(1));
  for (const Tensor& half : {c, n, r, p, logits}) CHECK(half.dtype() == kHalf);
  CHECK(norm->running_mean.dtype() == kFloat);
  const Tensor logs = log_softmax(logits, 1);
  CHECK(logs.dtype() == kFloat);
  CHECK(nll_loss(logs, labels).dtype() == kFloat);
  CHECK(nn::CrossEntropyLoss()(logits, labels).dtype() == kFloat);
  CHECK(nn::MSELoss()(logits, zeros_like(logits)).dtype() == kFloat);
  CHECK(same_bits(nn::CrossEntropyLoss()(logits, labels), nll_loss(logs, labels)));
}

TEST_CASE("a guard that cannot do what it was asked for warns once and does nothing") {
  const auto warning = [](DeviceType type, optional<ScalarType> dtype) {
    const CapturedWarnings captured;
    for (int twice = 0; twice < 2; ++twice) {
      const AutocastGuard guard(type, dtype);
      CHECK_FALSE(is_autocast_enabled(type));
    }
    return captured.text();
  };
  CHECK(warning(kCPU, kDouble) ==
        "Warning: autocast: cpu regions run in float16 or bfloat16, but the type asked for is "
        "float64; autocast stays off.\n");
  if (device_count(kCUDA) == 0)
    CHECK(warning(kCUDA, nullopt) ==
          "Warning: autocast: asked for on cuda, but there is no cuda device here; autocast stays "
          "off. Pass the type of the device that the model is on.\n");
  const CapturedWarnings captured;
  const AutocastGuard off(kCPU, kDouble, /*enabled=*/false);
  CHECK(captured.text().empty());
}

TEST_CASE("bfloat16 is an error on GPUs below compute capability 8.0") {
  CHECK(message<DeviceError>([] { check_bfloat16("autocast", "cuda:1", 75); }) ==
        "autocast: cuda:1 has compute capability 7.5 and cannot compute in bfloat16, which began "
        "with 8.0; ask for float16, and scale the loss with a GradScaler");
  CHECK_THROWS_AS(check_bfloat16("autocast", "cuda:0", 53), DeviceError);
  for (const int can : {80, 86, 90, 120}) CHECK_NOTHROW(check_bfloat16("autocast", "cuda:0", can));
  // sim asks its backend, which is no GPU and computes in every type.
  const AutocastGuard guard(kSIM, kBFloat16);
  CHECK(product_type("sim:0") == kBFloat16);
}

TEST_CASE("errors of regions and of operations in them") {
  CHECK(message<DeviceError>([] { AutocastGuard guard(static_cast<DeviceType>(7)); }) ==
        "autocast: unsupported device type 7; expected kCPU, kSIM or kCUDA");
  CHECK_FALSE(is_autocast_enabled(kCPU));
  const Tensor p = numbers({4}, 0.1).to("sim:0"), t = ones({4}).to("sim:0");
  {
    const AutocastGuard guard(kSIM);
    CHECK(
        message<Error>([&] { binary_cross_entropy(p, t); }) ==
        "binary_cross_entropy: refused under autocast on sim, because a probability rounded to "
        "float16 may be 0 or 1, whose logarithm has no use. Take "
        "binary_cross_entropy_with_logits of the values before sigmoid() (nn::BCEWithLogitsLoss), "
        "or compute it in float32 where autocast is off.");
    CHECK(message<DtypeError>([&] { dot(p.to(kBFloat16), p); }) ==
          "dot: under autocast to float16 an argument is bfloat16; expected float32 or float16. "
          "Convert it with to(dtype).");
    const AutocastGuard off(kSIM, nullopt, false);
    CHECK(binary_cross_entropy(p, t).dtype() == kFloat);
  }
  const AutocastGuard guard(kCPU);
  CHECK(binary_cross_entropy(p.cpu(), t.cpu()).dtype() == kFloat);
}
