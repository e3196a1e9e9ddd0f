// Numbers in the 16-bit formats, and why a loss is scaled. Everything is computed with the
// exercises; with --mine they are yours.
#include <bit>
#include <iomanip>
#include <iostream>
#include <string>

#include "app/app.h"
#include "exercises.h"
#include "tasks.h"

namespace {

/// One line per number: its value and its bits in each format.
void print_numbers(std::ostream& out) {
  out << "   float32           float16                bfloat16\n";
  for (const float value : {1.0f, 0.1f, 1.001f, 2049.0f, 65504.0f, 65520.0f, 1e-7f, 1e-8f, 1e38f}) {
    const std::uint16_t half = half_bits(value), brain = bfloat16_bits(value);
    out << std::setw(10) << value << std::setw(16) << float{std::bit_cast<td::Half>(half)} << "  0x"
        << std::hex << std::setfill('0') << std::setw(4) << half << std::setfill(' ') << std::dec
        << std::setw(16) << float{std::bit_cast<td::BFloat16>(brain)} << "  0x" << std::hex
        << std::setfill('0') << std::setw(4) << brain << std::setfill(' ') << std::dec << '\n';
  }
}

/// How many of the elements are not 0 and would be in float16, in percent.
double vanishing(const td::Tensor& values) {
  const td::Tensor lost = (values.to(td::kFloat16) == 0) & (values != 0);
  return 100 * lost.to(td::kFloat32).mean().item<double>();
}

/// The gradients of a network that has learned 64 samples well, as float16 would hold them: as they
/// are, and with the scale that a scaler begins with.
void print_gradients(std::ostream& out, const Task& task) {
  constexpr float kScale = 65536;
  td::nn::Sequential model = task.model();
  td::optim::Adam optimizer(model->parameters(), td::optim::AdamOptions(0.001));
  for (int step = 0; step < 200; ++step) {
    optimizer.zero_grad();
    task.each_batch([&](const Batch& batch) {
      td::nn::CrossEntropyLoss()(model->forward(batch.data), batch.target).backward();
    });
    optimizer.step();
  }
  out << "gradient       largest    lost in float16   fits        times 65536: lost   fits\n";
  for (const auto& item : model->named_parameters()) {
    const td::Tensor gradient = item.value().grad(), scaled = gradient * kScale;
    out << std::left << std::setw(10) << item.key() << std::right << std::scientific
        << std::setprecision(1) << std::setw(12) << gradient.abs().max().item<float>() << std::fixed
        << std::setw(14) << vanishing(gradient) << " %      " << std::left << std::setw(10)
        << td::dtype_name(half_or_bfloat(gradient)) << std::right << std::setw(16)
        << vanishing(scaled) << " %   " << td::dtype_name(half_or_bfloat(scaled)) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch07-formats", "Shows the 16-bit formats and their limits.");
  command.takes({"seed"});
  return command.run(argc, argv, [](const app::Options& options) {
    app::choose_device(options);
    td::manual_seed(options.seed);
    print_numbers(std::cout);
    print_gradients(std::cout, random_task(256, 64, 64));
  });
}
