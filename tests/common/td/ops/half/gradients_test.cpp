// The operations of the chapters' networks on 16-bit tensors: results and gradients against the
// same operation on the same numbers in float64, which tests/common/td/ops compares with plain
// loops and finite differences. Each may be off by the rounding of what is stored in 16 bits, and
// by no more: sums and statistics are float.
#include "../reference.h"
#include "catch.h"
#include "td/td.h"
#include "td_more/td_more.h"

using namespace td;
using namespace reference;

namespace {

namespace F = nn::functional;

struct Sample {
  const char* name;
  TensorList inputs;  // float64; the first takes the 16-bit type, the others too unless `wide`
  Function run;
  bool wide = false;     // parameters stay float32, as batch norm's do under autocast
  double roundings = 2;  // of 16 bits, one after another, in result and gradient
};

Tensor classes() { return tensor({3, 0, 6, 2, 6}); }

std::vector<Sample> samples() {
  const Tensor image = filled({3, 5, 7, 9}), rows = filled({5, 7}),
               channels = filled({5}, kDouble, 2), shift = filled({5}, kDouble, 3);
  const auto batch_norm_of = [](bool training) {
    return [training](const TensorList& in) {
      const auto own =
          TensorOptions(in[0].dtype() == kDouble ? kDouble : kFloat).device(in[0].device());
      return batch_norm(in[0], in[1], in[2], full({5}, 0.25, own), full({5}, 1.5, own), training,
                        0.1, 1e-5);
    };
  };
  return {
      {"batch_norm in training", {image, channels, shift}, batch_norm_of(true), true},
      {"batch_norm in evaluation", {image, channels, shift}, batch_norm_of(false), true},
      {"layer_norm",
       {rows, filled({7}, kDouble, 4), filled({7}, kDouble, 5)},
       [](const TensorList& in) { return layer_norm(in[0], {7}, in[1], in[2]); },
       true},
      {"max_pool2d", {image}, [](const TensorList& in) { return max_pool2d(in[0], 3, 2, 1); }},
      {"avg_pool2d", {image}, [](const TensorList& in) { return avg_pool2d(in[0], 2, 2); }},
      {"adaptive_avg_pool2d",
       {image},
       [](const TensorList& in) {
         return adaptive_avg_pool2d(in[0], {2, 3});
       }},
      {"cross_entropy",
       {rows},
       [](const TensorList& in) { return F::cross_entropy(in[0], classes().to(in[0].device())); }},
      {"nll_loss of log_softmax",
       {rows},
       [](const TensorList& in) {
         return F::nll_loss(log_softmax(in[0], 1), classes().to(in[0].device()));
       },
       false,
       4},
      {"mse_loss",
       {rows, filled({5, 7}, kDouble, 6)},
       [](const TensorList& in) { return F::mse_loss(in[0], in[1]); }},
      {"softmax", {rows}, [](const TensorList& in) { return softmax(in[0], 1); }, false, 4},
      {"relu", {image}, [](const TensorList& in) { return relu(in[0]); }},
      {"tanh", {image}, [](const TensorList& in) { return tanh(in[0]); }, false, 4},
      {"sigmoid", {image}, [](const TensorList& in) { return sigmoid(in[0]); }, false, 4},
      {"gelu", {image}, [](const TensorList& in) { return F::gelu(in[0]); }},
      {"dropout",
       {image},
       [](const TensorList& in) {
         manual_seed(3);
         return F::dropout(in[0], F::DropoutFuncOptions().p(0.25));
       }},
      {"index_select",
       {rows},
       [](const TensorList& in) {
         return index_select(in[0], 0, classes().clamp_max(4).to(in[0].device()));
       }},
      {"cat",
       {rows, filled({2, 7}, kDouble, 7)},
       [](const TensorList& in) {
         return cat({in[0], in[1]});
       }},
      {"add and multiply, broadcast",
       {image, filled({5, 1, 1}, kDouble, 8)},
       [](const TensorList& in) { return (in[0] + in[1]) * in[1]; },
       false,
       4},
      {"flatten and mean",
       {image},
       [](const TensorList& in) { return in[0].flatten(1).mean({1}); }},
  };
}

// Numbers that the type holds exactly, as float64.
TensorList rounded(const Sample& s, ScalarType dtype) {
  TensorList list;
  for (std::size_t i = 0; i < s.inputs.size(); ++i)
    list.push_back(s.inputs[i].to(i > 0 && s.wide ? kFloat : dtype).to(kDouble));
  return list;
}

struct Outcome {
  Tensor result;
  TensorList gradients;
};

Outcome run(const Sample& s, const TensorList& inputs, const Tensor& g) {
  TensorList in;
  for (const Tensor& x : inputs) in.push_back(x.detach().requires_grad_());
  Outcome o{s.run(in), {}};
  o.result.backward(g.to(o.result.device(), o.result.dtype()));
  for (const Tensor& x : in) o.gradients.push_back(x.grad());
  o.result = o.result.detach();
  return o;
}

void check_close(const Tensor& got, const Tensor& exact, double unit, double roundings) {
  const Values a = values(got), b = values(exact);
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (const double x : b) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= unit * (roundings * std::abs(b[i]) + 0.5 * largest))) {
      FAIL_CHECK("element " << i << ": expected " << b[i] << ", got " << a[i]);
      break;
    }
}

}  // namespace

TEST_CASE("16-bit operations and their gradients, on every device and in both layouts") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kHalf, kBFloat16})
      for (const Sample& s : samples())
        for (const auto format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
          if (s.inputs[0].dim() != 4 && format == MemoryFormat::ChannelsLast) continue;
          INFO(s.name << " of " << dtype << " on " << device
                      << (format == MemoryFormat::ChannelsLast ? ", channels last" : ""));
          const TensorList exact = rounded(s, dtype);
          const Tensor sizes_of = s.run(exact).detach();
          const Tensor g = filled(sizes_of.sizes(), dtype, 9);
          const Outcome want = run(s, exact, g);
          TensorList narrow;
          for (std::size_t i = 0; i < exact.size(); ++i)
            narrow.push_back(exact[i].to(device, i > 0 && s.wide ? kFloat : dtype));
          if (format == MemoryFormat::ChannelsLast) narrow[0] = narrow[0].to(format);
          const Outcome got = run(s, narrow, g);
          const double unit = dtype == kHalf ? 0x1p-11 : 0x1p-8;
          CHECK(got.result.dtype() == dtype);
          check_close(got.result, want.result, unit, s.roundings);
          for (std::size_t i = 0; i < narrow.size(); ++i) {
            INFO("gradient of argument " << i);
            CHECK(got.gradients[i].dtype() == narrow[i].dtype());
            check_close(got.gradients[i], want.gradients[i], unit, s.roundings);
          }
        }
}

TEST_CASE("batch norm of 16-bit numbers keeps float32 statistics, also far from zero") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kHalf, kBFloat16}) {
      INFO(dtype << " on " << device);
      // A mean of 1024.5 has no bfloat16, and a variance of 0.25 around it none in sums of squares.
      const double step = dtype == kHalf ? 1 : 8;
      Tensor x = full({64, 2, 5, 5}, 1024.0, kDouble);
      x.slice(0, 0, 32) += step;
      const Tensor mean = zeros({2}).to(device), var = ones({2}).to(device);
      const Tensor y = batch_norm(x.to(device, dtype), {}, {}, mean, var, true, 1.0, 0);
      CHECK(values(mean) == Values(2, 1024 + step / 2));
      CHECK(distance(values(var), Values(2, step * step / 4 * 1600 / 1599)) < 1e-4 * step * step);
      CHECK(values(y)[0] == 1);
      CHECK(values(y).back() == -1);
    }
}

TEST_CASE("float32 to float16 and back: overflow, subnormal numbers, ties, infinity and NaN") {
  const std::vector<std::pair<float, float>> rounding{{65504.0f, 65504.0f},
                                                      {65519.0f, 65504.0f},
                                                      {65520.0f, INFINITY},
                                                      {-65520.0f, -INFINITY},
                                                      {INFINITY, INFINITY},
                                                      {0x1p-24f, 0x1p-24f},
                                                      {0x1.8p-24f, 0x1p-23f},
                                                      {0x1p-25f, 0.0f},
                                                      {0x1.000002p-25f, 0x1p-24f},
                                                      {1.0f + 0x1p-11f, 1.0f},
                                                      {1.0f + 0x1.8p-10f, 1.0f + 0x1p-9f},
                                                      {0x1p-14f, 0x1p-14f},
                                                      {-0x1.ff8p-15f, -0x1.ff8p-15f}};
  for (const Device device : all_devices())
    for (const std::int64_t repeats : {1, 100}) {  // one by one, and many at once
      Tensor x = empty({repeats, static_cast<std::int64_t>(rounding.size()) + 1});
      for (std::size_t i = 0; i < rounding.size(); ++i)
        x.select(1, static_cast<std::int64_t>(i)).fill_(rounding[i].first);
      x.select(1, -1).fill_(NAN);
      const Values y = values(x.to(device).to(kHalf));
      for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t which = i % (rounding.size() + 1);
        if (which == rounding.size())
          CHECK(std::isnan(y[i]));
        else
          CHECK(y[i] == rounding[which].second);
      }
    }
}
