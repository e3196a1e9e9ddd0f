// What a forward pass leaves in memory for its backward pass: with 16-bit activations little more
// than half of what float32 takes. Measured by the allocators' own counters.
#include "../reference.h"
#include "catch.h"
#include "td/td.h"

using namespace td;
using namespace reference;

namespace {

struct Cnn : nn::Module {
  Cnn() {
    first = register_module("first", nn::Conv2d(nn::Conv2dOptions(3, 32, 3).padding(1)));
    second = register_module("second", nn::Conv2d(nn::Conv2dOptions(32, 64, 3).padding(1)));
    norm1 = register_module("norm1", nn::BatchNorm2d(32));
    norm2 = register_module("norm2", nn::BatchNorm2d(64));
    hidden = register_module("hidden", nn::Linear(64 * 64, 128));
    output = register_module("output", nn::Linear(128, 10));
  }
  Tensor forward(const Tensor& image) {
    Tensor x = max_pool2d(relu(norm1(first(image))), 2);
    x = max_pool2d(relu(norm2(second(x))), 2).flatten(1);
    x = dropout(relu(hidden(x)), 0.5, is_training());
    return output(x);
  }
  nn::Conv2d first{nullptr}, second{nullptr};
  nn::BatchNorm2d norm1{nullptr}, norm2{nullptr};
  nn::Linear hidden{nullptr}, output{nullptr};
};

std::size_t allocated(Device device) {
  if (!device.is_cpu()) synchronize(device);
  return memory_stats(device).allocated;
}

struct Bytes {
  double kept, peak;  // beyond the parameters and the input
};

// Of one forward pass of the CNN in training, 64 images of 32 x 32.
Bytes forward_bytes(Device device, optional<ScalarType> dtype, MemoryFormat format) {
  manual_seed(1);
  Cnn model;
  model.to(device);
  const Tensor image = randn({64, 3, 32, 32}).to(device).to(format);
  Bytes bytes{};
  for (int pass = 0; pass < 2; ++pass) {  // the first one also fills caches
    const std::size_t before = allocated(device);
    allocator(device).reset_peak();
    const amp::AutocastGuard autocast(device.type(), dtype, dtype.has_value());
    const Tensor logits = model.forward(image);
    bytes.kept = static_cast<double>(allocated(device) - before);
    bytes.peak = static_cast<double>(memory_stats(device).peak_allocated - before);
    CHECK(logits.dtype() == dtype.value_or(kFloat));
  }
  return bytes;
}

// Bytes per element of the result of f(x) that exist as long as its graph; x is not counted.
double kept_per_element(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  const std::size_t before = allocated(x.device());
  const Tensor y = f(x);
  return static_cast<double>(allocated(x.device()) - before) / static_cast<double>(y.numel());
}

}  // namespace

TEST_CASE("a CNN's activations under autocast take at most 0.6 of float32's memory") {
  for (const Device device : all_devices())
    for (const auto format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
      const Bytes wide = forward_bytes(device, nullopt, format);
      for (const ScalarType dtype : {kHalf, kBFloat16}) {
        const Bytes narrow = forward_bytes(device, dtype, format);
        INFO(dtype << " on " << device << (format == MemoryFormat::ChannelsLast ? ", NHWC" : "")
                   << ": kept " << narrow.kept << " of " << wide.kept << ", peak " << narrow.peak
                   << " of " << wide.peak);
        CHECK(narrow.kept <= 0.6 * wide.kept);
        // On cuda the peak also holds the libraries' work memory, whatever the type.
        if (!device.is_cuda()) CHECK(narrow.peak <= 0.6 * wide.peak);
      }
    }
}

TEST_CASE("what operations save for backward, in bytes per element of the result") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kHalf, kBFloat16, kFloat}) {
      INFO(dtype << " on " << device);
      const Tensor x = filled({16, 32, 32, 32}, dtype).to(device).requires_grad_();
      const Tensor scale = ones({32}).to(device).requires_grad_();
      const double own = static_cast<double>(element_size(dtype)), few = 0.05;
      CHECK(kept_per_element([](const Tensor& t) { return relu(t); }, x) <= own + few);
      CHECK(kept_per_element([](const Tensor& t) { return relu(relu(t)); }, x) <= 2 * own + few);
      CHECK(kept_per_element([](const Tensor& t) { return dropout(t, 0.5, true); }, x) <=
            own + 1 + few);  // the mask
      CHECK(kept_per_element([](const Tensor& t) { return max_pool2d(t, 2); }, x) <=
            own + 1 + few);  // places within a window of four
      CHECK(kept_per_element([](const Tensor& t) { return avg_pool2d(t, 2); }, x) <= own + few);
      CHECK(
          kept_per_element(
              [&](const Tensor& t) { return batch_norm(t, scale, scale, {}, {}, true, 0.1, 1e-5); },
              x) <= own + few);  // statistics of 32 channels
    }
}
