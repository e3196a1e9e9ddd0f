// Numbers of data-parallel training that you can compute by hand: the parts of a batch, why losses
// are weighted, what each step copies, and three steps that parts.py repeats. The steps call the
// exercises; with --mine they are yours.
#include <iostream>

#include "../../04_training_loop/models.h"
#include "app/app.h"
#include "trainer.h"

namespace {

/// Values between -0.5 and 0.5 that pytorch.py computes in the same way.
td::Tensor formula(const std::vector<std::int64_t>& sizes, int start) {
  std::vector<float> values(static_cast<std::size_t>(td::empty(sizes).numel()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((static_cast<int>(i) * 7 + start) % 11 - 5) / 10.0F;
  return td::tensor(values).reshape(sizes);
}

td::nn::Sequential formula_model() {
  td::nn::Sequential model(td::nn::Linear(4, 3), td::nn::Tanh(), td::nn::Linear(3, 2));
  const td::NoGradGuard no_grad;
  int start = 0;
  for (td::Tensor parameter : model->parameters())
    parameter.copy_(formula(parameter.sizes().vec(), start++));
  return model;
}

void show_parts(const Devices& devices) {
  for (const auto& [rows, count] : {std::pair(10, 4), {9, 4}, {36, 7}, {128, 2}}) {
    std::cout << rows << " rows on " << count << " devices:";
    for (const td::Tensor& part : scatter(td::zeros({rows, 1}), Devices(count, td::kCPU)))
      std::cout << ' ' << part.size(0);
    std::cout << '\n';
  }

  const td::Tensor a = td::tensor(std::vector<float>{1, 2}), b = td::tensor(6.0F);
  std::cout << "losses {1, 2} and {6}: mean of the means "
            << ((a.mean() + b.mean()) / 2).item<double>() << ", mean of all rows "
            << ((a.sum() + b.sum()) / 3).item<double>() << '\n';

  std::int64_t numel = 0;
  for (const td::Tensor& parameter : cifar_net()->parameters()) numel += parameter.numel();
  std::cout << "the network for CIFAR-10 has " << numel << " parameters: each forward pass copies "
            << 4 * numel << " bytes to each further device\n";

  Trainer trainer(formula_model(), devices, "by-hand", 0.1);
  std::vector<std::int64_t> labels{0, 1, 1, 0, 1};
  const td::data::Example<> batch{formula({5, 4}, 3), td::tensor(labels)};
  for (int step = 1; step <= 3; ++step)
    std::cout << "step " << step << " of 5 rows on " << devices.size() << " devices, loss "
              << trainer.step(batch).item<double>() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch05-parts", "Shows what data-parallel training divides and copies.");
  command.takes({"devices"});
  return command.run(argc, argv, [](const app::Options& options) {
    const bool automatic = options.devices.empty() && options.device == "auto";
    show_parts(automatic ? app::choose_accelerators(2) : app::choose_devices(options));
  });
}
