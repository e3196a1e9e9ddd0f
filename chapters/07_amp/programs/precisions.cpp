// Trains one network in float32 and in both 16-bit types, from the same weights with the same
// batches, and compares the trainings. --by-hand and --mine scale with the exercises.
#include <cmath>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "curves.h"
#include "tasks.h"
#include "training.h"

namespace {

struct Choices {
  std::string model = "cnn", precision = "all", picture;
  std::int64_t overflow_at = 0, growth_interval = 2000, width = 256, samples = 2048;
  double lr = 0.001, clip = 0;
  bool by_hand = false;
};

std::vector<Precision> precisions(const std::string& choice, td::Device device) {
  std::vector<Precision> all = {{"float32", td::nullopt},
                                {"tf32", td::nullopt, false, true},
                                {"bfloat16", td::kBFloat16},
                                {"float16", td::kFloat16, true}};
  std::erase_if(all, [&](const Precision& precision) {
    if (choice == "all") return precision.tf32 && !device.is_cuda();
    return precision.name != choice;
  });
  return all;
}

Training train(const Task& task, const Precision& precision, const app::Options& options,
               const Choices& choices, td::Device device) {
  td::set_float32_matmul_precision(precision.tf32 ? "high" : "highest");
  td::manual_seed(options.seed);  // every precision starts with the same weights
  td::nn::Sequential model = task.model();
  model->to(device);
  td::optim::Adam optimizer(model->parameters(), td::optim::AdamOptions(choices.lr));
  td::optim::LambdaLR scheduler(optimizer, [](unsigned epoch) { return std::pow(0.4, epoch); });
  const Ingredients with{model,       optimizer, precision, device.type(), choices.growth_interval,
                         choices.clip};
  const bool by_hand = choices.by_hand || options.mine;
  const Recipe recipe = by_hand ? recipe_by_hand(with) : amp_recipe(with);
  Training training{precision.name, {}, {recipe.scale()}, {}};
  std::vector<td::Tensor> losses;  // they stay on the device until an epoch is over
  Batch first;
  for (std::int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    task.each_batch([&](const Batch& batch) {
      const td::trace::Span whole_step("step");  // its name in the file of --trace
      optimizer.zero_grad();
      td::Tensor loss = recipe.loss(batch.data.to(device), batch.target.to(device));
      losses.push_back(loss.detach());
      const bool overflow = static_cast<std::int64_t>(losses.size()) == choices.overflow_at;
      if (overflow && precision.scaled) loss = loss * 1e30;  // makes float16 gradients overflow
      const bool stepped = recipe.step(loss);
      if (precision.scaled) note_scale(recipe, stepped, training);
      if (losses.size() == 1) first = batch;
      if (app::stop_requested())
        throw app::Stopped("epoch " + std::to_string(epoch) + ", step " +
                           std::to_string(losses.size()));
    });
    scheduler.step();  // smaller steps at the end make the precisions comparable
    training.accuracy = accuracy(recipe, task.test, device);
    std::cout << std::setw(10) << std::left << precision.name << std::right << "epoch " << epoch
              << std::fixed << std::setprecision(4) << ", Loss: " << losses.back().item<float>()
              << std::setprecision(1) << ", test accuracy: " << 100 * training.accuracy << " %\n"
              << std::defaultfloat << std::setprecision(6) << std::flush;
  }
  for (const td::Tensor& loss : losses) training.losses.push_back(loss.item<double>());
  probe(recipe, optimizer, first, device, training);
  return training;
}

void run(const app::Options& options, const Choices& choices) {
  const td::Device device = app::choose_device(options);
  td::manual_seed(options.seed);
  if (choices.precision == "tf32" && !device.is_cuda())
    throw app::CannotRunHere("tf32 is a mode of NVIDIA GPUs for products of float32 matrices; " +
                             device.str() + " does not have it: take --precision float32");
  const Task task = choices.model == "cnn"
                        ? image_task(options)
                        : random_task(choices.width, choices.samples, options.batch_size);
  std::vector<Training> all;
  for (const Precision& precision : precisions(choices.precision, device))
    all.push_back(train(task, precision, options, choices, device));
  curves::print(std::cout, all);
  curves::print_table(std::cout, all);
  if (!choices.picture.empty()) curves::write_svg(choices.picture, all);
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch07-precisions", "Trains one network in float32, bfloat16 and float16.");
  command.takes({"epochs", "batch-size", "seed", "data"});
  command.options.epochs = 3;
  command.options.batch_size = 64;
  command.choice("--model", choices.model, {"cnn", "mlp"}, "images, or random numbers");
  command.choice("--precision", choices.precision,
                 {"all", "float32", "tf32", "bfloat16", "float16"}, "how products are computed");
  command.flag("--by-hand", choices.by_hand,
               "cast by hand and scale with the exercises, not with td::amp");
  command.option("--overflow-at", choices.overflow_at, "make this step overflow in float16", 0);
  command.option("--growth-interval", choices.growth_interval,
                 "steps without overflow until the scale grows");
  command.option("--clip", choices.clip, "limit on the norm of the gradients; 0: none");
  command.option("--lr", choices.lr, "learning rate of Adam");
  command.option("--width", choices.width, "of the mlp's layers", 1);
  command.option("--samples", choices.samples, "of the mlp's random data", 1);
  command.option("--picture", choices.picture, "draw losses and scale into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) { run(options, choices); });
}
