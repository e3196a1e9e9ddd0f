// Losses that every machine can reproduce: weights and data that a formula gives. fixed.py starts
// from the same values. The step is the exercise `train_step`; with --mine it is yours.
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "app/app.h"
#include "exercises.h"
#include "models.h"

namespace {

/// Returns ((factor * k) % modulus - shift) / divisor for k = 0, 1, 2, ...
td::Tensor values(td::IntArrayRef sizes, std::int64_t factor, std::int64_t modulus,
                  std::int64_t shift, double divisor) {
  td::Tensor all = td::empty(sizes);
  float* at = all.data_ptr<float>();
  for (std::int64_t k = 0; k < all.numel(); ++k)
    at[k] = static_cast<float>(static_cast<double>((factor * k) % modulus - shift) / divisor);
  return all;
}

/// Gives every parameter of a model values between -0.1 and 0.1.
void fill(td::nn::Module& model) {
  const td::NoGradGuard no_grad;
  for (td::Tensor parameter : model.parameters())
    parameter.copy_(values(parameter.sizes(), 37, 101, 50, 500));
}

// anchor: sizes
/// Runs one layer of LeNet, and returns its name and its output.
std::pair<std::string, td::Tensor> run(td::nn::Module& layer, const td::Tensor& x) {
  if (auto* conv = layer.as<td::nn::Conv2d>()) return {"Conv2d", conv->forward(x)};
  if (auto* pool = layer.as<td::nn::MaxPool2d>()) return {"MaxPool2d", pool->forward(x)};
  if (auto* linear = layer.as<td::nn::Linear>()) return {"Linear", linear->forward(x)};
  if (auto* flatten = layer.as<td::nn::Flatten>()) return {"Flatten", flatten->forward(x)};
  return {"ReLU", x.relu()};
}
// anchor end

/// Prints the output sizes of LeNet's layers and its first losses.
void show_lenet(td::Device device) {
  td::nn::Sequential model = lenet();
  fill(*model);
  model->to(device);
  const td::Tensor images = values({8, 1, 28, 28}, 53, 97, 0, 97).to(device);
  const td::Tensor targets = td::arange(8).to(td::kInt64).to(device);
  std::cout << "LeNet, 8 gray images of 28 x 28\n";
  {
    const td::NoGradGuard no_grad;
    td::Tensor x = images;
    for (const auto& layer : model->children()) {
      const auto [name, output] = run(*layer, x);
      x = output;
      std::cout << "  " << std::left << std::setw(11) << name << x.sizes() << '\n';
    }
  }
  std::int64_t parameters = 0;
  for (const td::Tensor& p : model->parameters()) parameters += p.numel();
  std::cout << "  " << parameters << " parameters\n";
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01).momentum(0.9));
  td::nn::CrossEntropyLoss loss_fn;
  for (int step = 1; step <= 3; ++step)
    std::cout << "  step " << step << ", loss "
              << train_step(model, loss_fn, optimizer, images, targets).item<float>() << '\n';
}

/// Prints ten losses of SimpleModel.
void show_simple(td::Device device) {
  td::nn::Sequential model(td::nn::Linear(10, 1));
  fill(*model);
  model->to(device);
  const td::Tensor inputs = values({100, 10}, 53, 97, 0, 97).to(device);
  const td::Tensor targets = values({100, 1}, 29, 31, 0, 31).to(device);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01));
  td::nn::MSELoss criterion;
  std::cout << "SimpleModel, 100 samples\n";
  for (int epoch = 1; epoch <= 10; ++epoch)
    std::cout << "  epoch " << epoch << ", loss "
              << train_step(model, criterion, optimizer, inputs, targets).item<float>() << '\n';
}

// anchor: views
/// Prints whether an in-place operation on a view is recorded, for each mode of its creation.
void show_views() {
  const td::Tensor w = td::full({2, 2}, 3.0).requires_grad_();
  const auto report = [&](const char* mode, const td::Tensor& base, td::Tensor view) {
    std::cout << "  view created in " << mode << ": ";
    try {
      view.mul_(w);  // in grad mode again; view and base share their memory
      std::cout << "base[0] is " << base[0].item<float>()
                << (base.requires_grad() ? ", base has a graph\n" : ", base has no graph\n");
    } catch (const td::AutogradError&) {
      std::cout << "throws\n";
    }
  };
  std::cout << "An in-place operation on a view\n";
  const td::Tensor a = td::ones({4}), b = td::ones({4}), c = td::ones({4});
  report("grad mode", a, a.view({2, 2}));
  const auto under = [](const auto& /*guard*/, const td::Tensor& base) {
    return base.view({2, 2});
  };
  report("no_grad", b, under(std::make_unique<td::NoGradGuard>(), b));
  report("inference mode", c, under(std::make_unique<td::InferenceMode>(), c));
}
// anchor end

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch04-fixed", "Prints losses from fixed weights and data.");
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    show_simple(device);
    show_lenet(device);
    show_views();
  });
}
