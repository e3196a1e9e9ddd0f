// What the precisions of chapter 07 are compared on: images for the network of chapter 04, or
// random numbers for a network of three linear layers. Included by the programs.
#pragma once

#include <functional>
#include <vector>

#include "../04_training_loop/images.h"
#include "../04_training_loop/models.h"
#include "app/app.h"
#include "training.h"

/// A model and its data; every call of `model` makes it again, with weights from the random stream.
struct Task {
  std::function<td::nn::Sequential()> model;
  std::function<void(const std::function<void(const Batch&)>& f)> each_batch;  ///< of one epoch
  std::vector<Batch> test;
};

/// Three linear layers: most of its work is products of matrices.
inline td::nn::Sequential mlp(std::int64_t width) {
  using namespace td::nn;
  return Sequential(Linear(width, width), ReLU(), Linear(width, width), ReLU(), Linear(width, 10));
}

/// Random inputs whose classes a fixed random matrix has chosen: learnable, and fast to create.
inline Task random_task(std::int64_t width, std::int64_t samples, std::int64_t batch_size) {
  TD_CHECK(app::OptionError, width > 0 && samples > 0,
           "--width and --samples must be 1 or more; they are ", width, " and ", samples);
  const td::Tensor teacher = td::randn({width, 10});
  const auto draw = [&](std::int64_t n) -> Batch {
    const td::Tensor inputs = td::randn({n, width});
    return {inputs, td::matmul(inputs, teacher).argmax(1)};
  };
  std::vector<Batch> train;
  for (std::int64_t done = 0; done < samples; done += batch_size)
    train.push_back(draw(std::min(batch_size, samples - done)));
  Task task;
  task.model = [=] { return mlp(width); };
  task.each_batch = [=](const std::function<void(const Batch&)>& f) {
    for (const Batch& batch : train) f(batch);
  };
  task.test.push_back(draw(std::max<std::int64_t>(samples / 4, 1)));
  return task;
}

/// The network for CIFAR-10's images.
inline Task image_task(const app::Options& options) {
  const auto set = std::make_shared<images::Set>(
      images::load(app::image_folder(options, app::Images::kColor), app::Images::kColor,
                   static_cast<std::size_t>(options.batch_size)));
  Task task;
  task.model = cifar_net;
  task.each_batch = [set](const std::function<void(const Batch&)>& f) {
    for (const Batch& batch : *set->train) f(batch);
  };
  task.test = set->test;
  return task;
}
