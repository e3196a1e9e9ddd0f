// A training step on several devices, by three strategies. Included by the programs.
// Invariant: with every strategy, the gradient is that of the whole batch on one device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exercises.h"

using Devices = std::vector<td::Device>;

// A model, its optimizer, and the strategy that computes its output on several devices.
struct Trainer {
  td::nn::Sequential model;
  Devices devices;
  std::string strategy;  // "single", "by-hand" or "data-parallel"
  td::optim::SGD optimizer;
  std::vector<td::nn::Sequential> replicas;  // by hand: those of the last forward

  Trainer(td::nn::Sequential network, const Devices& all, const std::string& how, double lr)
      : model(std::move(network)),
        devices(all),
        strategy(how),
        optimizer(moved(), td::optim::SGDOptions(lr).momentum(0.9)) {}
  std::vector<td::Tensor> moved() {
    model->to(devices[0]);
    return model->parameters();
  }

  // anchor: forward
  td::Tensor forward(const td::Tensor& images) {
    if (strategy == "single") return model->forward(images.to(devices[0]));
    if (strategy == "data-parallel") return td::nn::parallel::data_parallel(model, images, devices);
    const std::vector<td::Tensor> parts = scatter(images, devices);
    replicas = replicate(model, Devices(devices.begin(), devices.begin() + std::ssize(parts)));
    return gather(parallel_apply(replicas, parts), devices[0]);
  }
  // anchor end

  // anchor: step
  td::Tensor step(const td::data::Example<>& batch) {
    std::optional<td::trace::Span> phase;  // for --timeline and --trace
    phase.emplace("forward");
    optimizer.zero_grad();
    const td::Tensor output = forward(batch.data);
    phase.emplace("loss");
    const td::Tensor loss = td::nn::functional::cross_entropy(output, batch.target.to(devices[0]));
    phase.emplace("backward");
    loss.backward();
    if (strategy == "by-hand") {  // each replica has its own parameters and gradients
      std::vector<std::vector<td::Tensor>> parameters;
      for (td::nn::Sequential& replica : replicas) parameters.push_back(replica->parameters());
      reduce_add(parameters);
    }
    phase.emplace("step");
    optimizer.step();
    return loss.detach();
  }
  // anchor end
};
