// New tensors, their properties, and conversion: dtypes, devices, memory formats,
// copies.
#include "conformance.h"

#include <limits>

using namespace conformance;

namespace {

void from_numbers() {
  REPORT(torch::tensor(1));
  REPORT(torch::tensor(1.5));
  REPORT(torch::tensor(1.5f));
  REPORT(torch::tensor(true));
  REPORT(torch::tensor(std::int64_t{7}));
  REPORT(torch::tensor({1, 2, 3}));
  REPORT(torch::tensor({1.5, 2.5}));
  REPORT(torch::tensor({true, false}));
  REPORT(torch::tensor({{1, 2}, {3, 4}}));
  REPORT(torch::tensor({{{1.0}, {2.0}}, {{3.0}, {4.0}}}));
  REPORT(torch::tensor({1, 2}, torch::kFloat64));
  REPORT(torch::tensor({1.7, -2.7}, torch::kInt32));
  REPORT(torch::tensor({0.0, 2.0}, torch::kBool));
  REPORT(torch::tensor({1, 2}, torch::dtype(torch::kFloat32).requires_grad(true)));
  REPORT(torch::tensor(std::vector<double>{1, 2}));
  REPORT(torch::tensor(std::vector<float>{1, 2}));
  REPORT(torch::tensor(std::vector<std::int64_t>{1, 2}));
  REPORT(torch::tensor(std::vector<int>{1, 2}));
  REPORT(torch::tensor(std::vector<std::uint8_t>{1, 2}));
  REPORT(torch::tensor({1, 2}).scalar_type());
  REPORT_THROWS(torch::tensor({{1, 2}, {3}}));
}

void filled() {
  for (const NamedType& type : all_types()) {
    Context here(type.name);
    const auto options = torch::TensorOptions().dtype(type.type);
    REPORT(torch::zeros({2, 3}, options));
    REPORT(torch::ones({3}, options));
    REPORT(torch::ones({}, type.type));
    REPORT(torch::full({2}, 3, options));
    REPORT(torch::full({2}, 2.5, type.type));
    REPORT(torch::eye(3, options));
    REPORT(torch::eye(2, 3, options));
    REPORT(torch::arange(5, options));
    REPORT(torch::arange(1, 4, options));
    REPORT(torch::arange(1, 6, 2, options));
    REPORT(torch::linspace(0, 6, 4, options));
    REPORT(torch::empty({2, 0}, options));
    const Tensor like = torch::zeros({3, 2}, options).t();
    REPORT(torch::zeros_like(like));
    REPORT(torch::ones_like(like));
    REPORT(torch::full_like(like, 2));
    REPORT(torch::ones_like(like, torch::kFloat64));
    REPORT(torch::empty_like(like).strides());
    REPORT(torch::rand_like(torch::zeros({2, 0}, options)));
    REPORT(like.element_size());
    REPORT(like.is_floating_point());
    REPORT(like.options().requires_grad());
  }
  REPORT(torch::full({2}, 3));
  REPORT(torch::full({2}, 3.5));
  REPORT(torch::full({2}, true));
  REPORT(torch::full({}, 3));
  REPORT(torch::arange(5));
  REPORT(torch::arange(5.0));
  REPORT(torch::arange(2.5));
  REPORT(torch::arange(0, 1, 0.1));
  REPORT(torch::arange(5, 0, -2));
  REPORT(torch::arange(1, 1));
  REPORT(torch::arange(0, 0));
  REPORT(torch::arange(1, 2.0));
  REPORT(torch::linspace(0, 1, 5));
  REPORT(torch::linspace(-2, 3, 11, torch::kFloat64));
  REPORT(torch::linspace(0, 1, 1));
  REPORT(torch::linspace(0, 1, 0));
  REPORT(torch::linspace(5, -5, 4));
  REPORT(torch::zeros({2}, torch::requires_grad()));
  REPORT(torch::zeros(3));
  REPORT(torch::zeros(std::vector<std::int64_t>{1, 2}));
  REPORT_THROWS(torch::zeros({-1}));
  REPORT_THROWS(torch::arange(0, 5, -1));
  REPORT_THROWS(torch::arange(0, 5, 0.0));
  REPORT_THROWS(torch::arange(0, std::numeric_limits<double>::infinity()));
  REPORT_THROWS(torch::linspace(0, 1, -1));
  REPORT_THROWS(torch::eye(-1));
  REPORT_THROWS(torch::zeros({2}, torch::dtype(torch::kInt64).requires_grad(true)));
}

void over_memory() {
  std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const Tensor x = torch::from_blob(data.data(), {2, 3});
  REPORT(x);
  x.mul_(2);
  REPORT(static_cast<double>(data[5]));
  REPORT(torch::from_blob(data.data(), {3, 2}, {1, 3}));
  std::vector<std::int64_t> numbers = {7, 8};
  REPORT(torch::from_blob(numbers.data(), {2}, torch::kInt64));
  int deleted = 0;
  {
    Tensor view;
    {
      const Tensor blob = torch::from_blob(
          data.data(), {6}, [&](void*) { ++deleted; }, torch::kFloat32);
      view = blob.narrow(0, 1, 2);
    }
    REPORT(deleted);
    REPORT(view);
  }
  REPORT(deleted);
  {
    const Tensor strided = torch::from_blob(
        data.data(), {2, 2}, {3, 1}, [&](void*) { ++deleted; },
        torch::TensorOptions().dtype(torch::kFloat32));
    REPORT(strided);
  }
  REPORT(deleted);
}

void properties() {
  const Tensor x = formula({2, 3, 4});
  REPORT(x.dim());
  REPORT(x.numel());
  REPORT(x.size(1));
  REPORT(x.size(-1));
  REPORT(x.sizes());
  REPORT(x.stride(0));
  REPORT(x.strides());
  REPORT(x.is_contiguous());
  REPORT(x.transpose(0, 1).is_contiguous());
  REPORT(x.defined());
  REPORT(Tensor().defined());
  REPORT(x.dtype() == torch::kFloat32);
  REPORT(x.scalar_type() == torch::kFloat32);
  REPORT(x.device() == torch::Device(torch::kCPU));
  REPORT(x.device().str());
  REPORT(x.device().is_cpu());
  REPORT(x.device().is_cuda());
  REPORT(x.device().has_index());
  REPORT(int{x.device().index()});
  REPORT(x.is_cuda());
  REPORT(x.is_pinned());
  REPORT(x.is_same(x));
  REPORT(x.is_same(x.clone()));
  REPORT(x.element_size());
  REPORT(x.data_ptr<float>() == x.data_ptr());
  REPORT(x.options().dtype() == torch::kFloat32);
  REPORT(x.options().device() == torch::kCPU);
  REPORT(x[0][1][2].item<float>());
  REPORT(x[0][1][2].item<double>());
  REPORT(torch::tensor(2.7).item<std::int64_t>());
  REPORT(torch::tensor(3).item<float>());
  REPORT(torch::tensor(true).item<bool>());
  REPORT(torch::tensor({{5}}).item<int>());
  REPORT(torch::tensor(2.5).item().toDouble());
  const auto access = x.accessor<float, 3>();
  REPORT(static_cast<double>(access[1][2][3]));
  REPORT(access.size(2));
  const Tensor permuted = x.permute({2, 0, 1});
  const auto turned = permuted.accessor<float, 3>();
  REPORT(static_cast<double>(turned[3][1][2]));
  REPORT_THROWS(x.accessor<float, 2>());
  REPORT_THROWS(x.accessor<double, 3>());
  REPORT_THROWS(x.data_ptr<double>());
  REPORT_THROWS(x.item<float>());
  REPORT_THROWS(torch::zeros({0}).item<float>());
  REPORT_THROWS(x.size(3));
  REPORT_THROWS(x.size(-4));
  REPORT_THROWS(x.stride(3));
  REPORT_THROWS(Tensor().dim());
  REPORT_THROWS(Tensor().sizes());
}

void devices() {
  const auto all_of = [](const torch::Device& device) {
    return device.str() + (device.has_index() ? " has index " : " no index ") +
           std::to_string(int{device.index()}) + (device.is_cpu() ? " cpu" : "") +
           (device.is_cuda() ? " cuda" : "");
  };
  REPORT(all_of(torch::Device("cpu")));
  REPORT(all_of(torch::Device("cpu:0")));
  REPORT(all_of(torch::Device("cuda")));
  REPORT(all_of(torch::Device("cuda:1")));
  REPORT(all_of(torch::Device(torch::kCUDA, 2)));
  REPORT(all_of(torch::Device(torch::kCPU)));
  REPORT(torch::Device("cuda:0") == torch::Device("cuda"));
  REPORT(torch::Device("cuda:0") == torch::Device(torch::kCUDA, 0));
  REPORT(torch::Device("cuda:0") != torch::Device("cuda:1"));
  for (const char* text : {"", "cuda:", "cuda:-1", "cuda:x", "gpu", "cpu:", "cuda:01", "cuda:0:1",
                           " cuda", "CUDA", "cuda:1 ", "cuda:+1", ":0", "cpu:1"})
    report_throws(std::string("device '") + text + "'", [&] { torch::Device device(text); });
}

void conversion() {
  for (const NamedType& from : all_types())
    for (const NamedType& to : all_types()) {
      Context here(from.name + " to " + to.name);
      for (const Named& input : layouts(from.type)) {
        // The value of a fraction beyond a whole type's range is not defined in C++.
        if (input.name == "edges" && to.name != "bool" &&
            !torch::zeros({}, to.type).is_floating_point())
          continue;
        const bool to_byte_of_negative = to.name == "uint8" && input.tensor.is_floating_point();
        report(input.name, [&] {
          return (to_byte_of_negative ? input.tensor.abs() : input.tensor).to(to.type);
        });
      }
    }
  const Tensor x = formula({2, 3});
  REPORT(x.to(torch::kFloat32).is_same(x));
  REPORT(x.to(torch::kFloat32, false, true).is_same(x));
  REPORT(x.to(torch::kCPU).is_same(x));
  REPORT(x.to(torch::Device("cpu")).is_same(x));
  REPORT(x.to(torch::kCPU, torch::kFloat64));
  REPORT(x.to(torch::TensorOptions().dtype(torch::kFloat64)));
  REPORT(x.to(torch::zeros({1}, torch::kInt32)));
  REPORT(x.cpu().is_same(x));
  REPORT(x.t().to(torch::kFloat64));
  REPORT(x.t().clone());
  REPORT(x.t().contiguous());
  REPORT(x.contiguous().is_same(x));
  REPORT(x.clone().is_same(x));
  REPORT(x.expand({2, 2, 3}).clone());
  REPORT(x.slice(1, 0, 3, 2).clone());
  REPORT(x.slice(1, 0, 3, 2).to(torch::kFloat64));
  REPORT(x.toType(torch::kInt64));
  REPORT(torch::zeros({3}).copy_(torch::tensor({1, 2, 3})));
  REPORT(torch::zeros({2, 3}).copy_(torch::tensor({1.5, 2.5, 3.5}, torch::kFloat64)));
  REPORT(torch::zeros({2}, torch::kInt64).copy_(torch::tensor({1.7, -1.7})));
  REPORT(torch::zeros({2, 3}).t().copy_(formula({3, 2})));
  REPORT_THROWS(torch::zeros({2}).copy_(torch::ones({3})));
  REPORT_THROWS(x.to(torch::Device("cuda:0")));
  REPORT_THROWS(x.to(torch::TensorOptions().requires_grad(true)));
  REPORT_THROWS(x.to(torch::dtype(torch::kFloat64).requires_grad(true)));
  REPORT(x.to(torch::TensorOptions().requires_grad(false)).is_same(x));
  REPORT_THROWS(x.cuda());
}

void resized() {
  const Tensor x = formula({2, 3}), view = x[1];
  REPORT(x.resize_({2}).is_same(x));
  REPORT(x);
  REPORT(x.resize_({3, 2}));
  REPORT(x.resize_({4, 2}).slice(0, 0, 3));
  REPORT(x.resize_({0, 2}));
  REPORT(x.resize_({}));
  REPORT(x.ndimension());
  REPORT(view.resize_({3, 3})[0]);
  REPORT(shares_memory(view, x.resize_({6})));
  const Tensor turned = formula({2, 3}).t();
  REPORT(turned.resize_({3, 2}));
  REPORT(turned.resize_({3, 2}, torch::MemoryFormat::Contiguous));
  REPORT(turned.resize_({1, 1, 2, 3}, torch::MemoryFormat::ChannelsLast));
  const Tensor spread = formula({1}).expand({4});
  REPORT(spread.resize_({2, 1}).is_contiguous());
  REPORT_THROWS(turned.resize_({-1}));
  REPORT_THROWS(turned.resize_({1}, torch::MemoryFormat::Preserve));
  REPORT_THROWS(formula({2}).requires_grad_().resize_({2}));
  float memory[4] = {};
  REPORT_THROWS(torch::from_blob(memory, {4}).resize_({2}));
  REPORT_THROWS(torch::from_blob(memory, {4}).resize_({5}));
  const Tensor leaf = formula({2}).requires_grad_(), result = leaf * 2;
  REPORT(result.data());
  REPORT(result.data().is_leaf());
  REPORT(shares_memory(result.data(), result));
  leaf.data() = torch::ones({2});
  REPORT(leaf);
}

void memory_formats() {
  constexpr auto last = torch::MemoryFormat::ChannelsLast;
  const std::vector<std::vector<std::int64_t>> all_sizes = {
      {2, 3, 4, 5}, {1, 3, 4, 5}, {2, 1, 4, 5}, {2, 3, 1, 1},
      {1, 1, 1, 1}, {0, 3, 4, 5}, {2, 3, 4, 1}};
  for (const auto& sizes : all_sizes) {
    std::string name;
    for (const std::int64_t size : sizes) name += std::to_string(size) + " ";
    Context here(name);
    const Tensor x = formula(sizes);
    const Tensor y = x.contiguous(last);
    REPORT(y);
    REPORT(x.to(last));
    REPORT(y.is_contiguous());
    REPORT(y.is_contiguous(last));
    REPORT(x.is_contiguous(last));
    REPORT(y.suggest_memory_format() == last);
    REPORT(x.suggest_memory_format() == last);
    REPORT(y.clone());
    REPORT(y.clone(torch::MemoryFormat::Contiguous));
    REPORT(x.clone(last));
    REPORT(y.contiguous());
    REPORT(y.to(torch::kFloat64));
    REPORT(torch::zeros_like(y));
    REPORT(y + 1);
    REPORT(y + x);
    REPORT(x + y);
    REPORT(y.relu());
    REPORT(y.permute({0, 2, 3, 1}).is_contiguous());
    REPORT(y * torch::ones({sizes[1], 1, 1}));
  }
  REPORT_THROWS(formula({2, 3}).contiguous(last));
  REPORT_THROWS(formula({2, 3, 4}).to(last));
  REPORT(formula({2, 3}).suggest_memory_format() == torch::MemoryFormat::Contiguous);
}

}  // namespace

int main() {
  from_numbers();
  filled();
  over_memory();
  properties();
  devices();
  conversion();
  resized();
  memory_formats();
  return 0;
}
