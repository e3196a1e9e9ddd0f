// The training loop of the exercise train_amp on numbers that a formula gives: accumulation,
// clipping, and an overflow. loop.py trains the same network. With --mine the exercises are yours.
#include <bit>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

#include "app/app.h"
#include "training.h"

namespace {

/// `n` numbers between -1 and 1; `which` tells the tensors apart.
td::Tensor formula(const std::vector<std::int64_t>& sizes, double which) {
  std::int64_t n = 1;
  for (const std::int64_t size : sizes) n *= size;
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i)
    values.push_back(static_cast<float>(std::sin(which + 0.7 * static_cast<double>(i))));
  return td::tensor(values).view(sizes);
}

/// Twelve batches of eight samples. The class is the index of the largest of the first four inputs.
std::vector<td::data::Example<>> batches() {
  std::vector<td::data::Example<>> all;
  for (int b = 0; b < 12; ++b) {
    const td::Tensor inputs = formula({8, 8}, b);
    all.push_back({inputs, inputs.narrow(1, 0, 4).argmax(1)});
  }
  return all;
}

/// The types that the parts of a forward pass return under autocast.
void print_types(std::ostream& out, td::nn::Sequential& model, const td::data::Example<>& batch,
                 const AmpSettings& settings) {
  const td::amp::AutocastGuard autocast(settings.device.type(), settings.fast,
                                        settings.fast.has_value());
  td::Tensor x = batch.data.to(settings.device);
  out << "types:";
  for (td::nn::AnyModule layer : *model) {
    x = layer.forward(x);
    out << ' ' << td::dtype_name(x.scalar_type());
  }
  const td::Tensor loss = td::nn::functional::cross_entropy(x, batch.target.to(settings.device));
  out << ", loss " << td::dtype_name(loss.scalar_type()) << '\n';
}

/// Six epochs of four optimizer steps. A batch of the second epoch makes the gradients overflow.
void train(std::ostream& out, td::Device device, td::optional<td::ScalarType> fast) {
  td::nn::Sequential model(td::nn::Linear(8, 16), td::nn::ReLU(), td::nn::Linear(16, 4));
  {
    const td::NoGradGuard no_grad;
    double which = 100;
    for (td::Tensor& parameter : model->parameters())
      parameter.copy_(formula(parameter.sizes().vec(), which++) * 0.5);
  }
  model->to(device);
  td::optim::Adam optimizer(model->parameters(), td::optim::AdamOptions(0.02));
  td::amp::GradScaler scaler(td::amp::GradScalerOptions().growth_interval(8));
  AmpSettings settings{device, fast};
  settings.accumulate = 3;
  settings.max_norm = 0.5;
  for (int epoch = 1; epoch <= 6; ++epoch) {
    std::vector<td::data::Example<>> data = batches();
    if (epoch == 1) print_types(out, model, data[0], settings);
    if (epoch == 2) data[4].data = data[4].data * 1e38;
    const AmpResult result = train_amp(model, optimizer, scaler, data, settings);
    out << "epoch " << epoch << ", loss of the last step: " << std::fixed << std::setprecision(4)
        << result.losses[3].item<float>() << std::defaultfloat << ", skipped: " << result.skipped
        << ", scale: " << number(scaler.get_scale()) << '\n';
  }
}

/// Rounds some numbers, and trains in float32 and in bfloat16.
void print(std::ostream& out, td::Device device) {
  for (const float value : {0.1f, 1.001f, 2049.0f, 65520.0f, 1e-7f, 1e-8f})
    out << value << " becomes " << float{std::bit_cast<td::Half>(half_bits(value))}
        << " in float16 and " << float{std::bit_cast<td::BFloat16>(bfloat16_bits(value))}
        << " in bfloat16\n";
  for (const bool lower : {false, true}) {
    out << (lower ? "bfloat16\n" : "float32\n");
    train(out, device, lower ? td::optional<td::ScalarType>(td::kBFloat16) : td::nullopt);
  }
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch07-loop", "Trains with accumulation, clipping and an overflow.");
  return command.run(argc, argv, [](const app::Options& options) {
    print(std::cout, app::choose_device(options));
  });
}
