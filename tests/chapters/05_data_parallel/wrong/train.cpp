#include "exercises.h"

// answer: all_devices_always
// expect: inputs
// Makes a replica for every device, also for a small batch.
namespace all_devices_always {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;

  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(devices));
    auto replicas = td::nn::parallel::replicate(model, used);
    const auto outputs = td::nn::parallel::parallel_apply(replicas, data);
    std::vector<td::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      parts.push_back(
          cross_entropy(outputs[i], target[i]) *
          (static_cast<double>(data[i].size(0)) / static_cast<double>(batch.data.size(0))));
    const td::Tensor loss = td::parallel::gather(parts, 0, devices[0]).sum();
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace all_devices_always

// answer: first_part_only
// expect: index
// Only the part of the first device reaches backward.
namespace first_part_only {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;

  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
    auto replicas = td::nn::parallel::replicate(model, used);
    const auto outputs = td::nn::parallel::parallel_apply(replicas, data);
    std::vector<td::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      parts.push_back(
          cross_entropy(outputs[i], target[i]) *
          (static_cast<double>(data[i].size(0)) / static_cast<double>(batch.data.size(0))));
    const td::Tensor loss = td::parallel::gather(parts, 0, devices[0]).sum();
    parts[0].backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace first_part_only

// answer: gathers_the_outputs
// expect: bytes between devices; with the outputs where they are
// Copies all outputs to devices[0], as DataParallel does.
namespace gathers_the_outputs {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;

  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
    auto replicas = td::nn::parallel::replicate(model, used);
    const auto outputs = td::nn::parallel::parallel_apply(replicas, data);
    const td::Tensor loss =
        cross_entropy(td::parallel::gather(outputs, 0, devices[0]), batch.target.to(devices[0]));
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace gathers_the_outputs

// answer: loss_with_graph
// expect: the losses still have a graph
// Keeps the graph of every step.
namespace loss_with_graph {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;

  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
    auto replicas = td::nn::parallel::replicate(model, used);
    const auto outputs = td::nn::parallel::parallel_apply(replicas, data);
    std::vector<td::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      parts.push_back(
          cross_entropy(outputs[i], target[i]) *
          (static_cast<double>(data[i].size(0)) / static_cast<double>(batch.data.size(0))));
    const td::Tensor loss = td::parallel::gather(parts, 0, devices[0]).sum();
    loss.backward();
    optimizer.step();
    losses.push_back(loss);
  }
  return td::stack(losses);
}
}  // namespace loss_with_graph

// answer: mean_of_means
// expect: the mean over all rows of its batch
// The mean of the mean losses of the replicas. Right for equal parts.
namespace mean_of_means {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;

  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
    auto replicas = td::nn::parallel::replicate(model, used);
    const auto outputs = td::nn::parallel::parallel_apply(replicas, data);
    std::vector<td::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      parts.push_back(cross_entropy(outputs[i], target[i]));
    const td::Tensor loss = td::parallel::gather(parts, 0, devices[0]).mean();
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace mean_of_means

// answer: never_zeroes
// expect: parameter
// The gradients of all steps add up.
namespace never_zeroes {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;

  for (const auto& batch : batches) {
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
    auto replicas = td::nn::parallel::replicate(model, used);
    const auto outputs = td::nn::parallel::parallel_apply(replicas, data);
    std::vector<td::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      parts.push_back(
          cross_entropy(outputs[i], target[i]) *
          (static_cast<double>(data[i].size(0)) / static_cast<double>(batch.data.size(0))));
    const td::Tensor loss = td::parallel::gather(parts, 0, devices[0]).sum();
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace never_zeroes

// answer: one_after_another
// expect: the replicas run one after another
// Calls the replicas in a loop.
namespace one_after_another {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;

  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
    auto replicas = td::nn::parallel::replicate(model, used);
    std::vector<td::Tensor> outputs;
    for (std::size_t i = 0; i < data.size(); ++i) outputs.push_back(replicas[i]->forward(data[i]));

    std::vector<td::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      parts.push_back(
          cross_entropy(outputs[i], target[i]) *
          (static_cast<double>(data[i].size(0)) / static_cast<double>(batch.data.size(0))));
    const td::Tensor loss = td::parallel::gather(parts, 0, devices[0]).sum();
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace one_after_another

// answer: rate_per_device
// expect: compared with training on one device
// Multiplies the learning rate by the number of devices.
namespace rate_per_device {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(),
                           td::optim::SGDOptions(lr * static_cast<double>(devices.size())));
  std::vector<td::Tensor> losses;

  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
    auto replicas = td::nn::parallel::replicate(model, used);
    const auto outputs = td::nn::parallel::parallel_apply(replicas, data);
    std::vector<td::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      parts.push_back(
          cross_entropy(outputs[i], target[i]) *
          (static_cast<double>(data[i].size(0)) / static_cast<double>(batch.data.size(0))));
    const td::Tensor loss = td::parallel::gather(parts, 0, devices[0]).sum();
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace rate_per_device

// answer: reads_the_loss
// expect: the host waited
// Reads the loss in every step.
namespace reads_the_loss {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;

  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
    auto replicas = td::nn::parallel::replicate(model, used);
    const auto outputs = td::nn::parallel::parallel_apply(replicas, data);
    std::vector<td::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      parts.push_back(
          cross_entropy(outputs[i], target[i]) *
          (static_cast<double>(data[i].size(0)) / static_cast<double>(batch.data.size(0))));
    const td::Tensor loss = td::parallel::gather(parts, 0, devices[0]).sum();
    loss.backward();
    optimizer.step();
    losses.push_back(td::full({}, loss.item<double>(), td::device(devices[0]).dtype(loss.dtype())));
  }
  return td::stack(losses);
}
}  // namespace reads_the_loss

// answer: replicates_once
// expect: index
// Copies the model once: the replicas keep the weights of the first step.
namespace replicates_once {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;
  auto replicas = td::nn::parallel::replicate(model, devices);
  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
    replicas.resize(used.size());
    const auto outputs = td::nn::parallel::parallel_apply(replicas, data);
    std::vector<td::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      parts.push_back(
          cross_entropy(outputs[i], target[i]) *
          (static_cast<double>(data[i].size(0)) / static_cast<double>(batch.data.size(0))));
    const td::Tensor loss = td::parallel::gather(parts, 0, devices[0]).sum();
    loss.backward({}, true);
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace replicates_once

// answer: sets_training_mode
// expect: the mode of a frozen batch norm
// The usual first line of a training program; it also reaches a frozen batch norm.
namespace sets_training_mode {
namespace {

// The mean loss of a batch. Each replica computes the part of its own rows, on its own device.
td::Tensor loss_of(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                   const td::data::Example<>& batch) {
  const std::vector<td::Tensor> data = td::parallel::scatter(batch.data, devices);
  const std::vector<td::Tensor> target = td::parallel::scatter(batch.target, devices);
  const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
  auto replicas = td::nn::parallel::replicate(model, used);
  const std::vector<td::Tensor> outputs = td::nn::parallel::parallel_apply(replicas, data);
  std::vector<td::Tensor> losses;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double share =
        static_cast<double>(data[i].size(0)) / static_cast<double>(batch.data.size(0));
    losses.push_back(td::nn::functional::cross_entropy(outputs[i], target[i]) * share);
  }
  return td::parallel::gather(losses, 0, devices[0]).sum();
}

}  // namespace

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices.at(0));
  model->train();
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;
  for (const td::data::Example<>& batch : batches) {
    optimizer.zero_grad();
    const td::Tensor loss = loss_of(model, devices, batch);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace sets_training_mode

// answer: sum_of_means
// expect: the mean over all rows of its batch
// Adds the mean losses of the replicas: too large by the number of devices.
namespace sum_of_means {
using td::nn::functional::cross_entropy;

td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr) {
  model->to(devices[0]);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr));
  std::vector<td::Tensor> losses;

  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const auto data = td::parallel::scatter(batch.data, devices);
    const auto target = td::parallel::scatter(batch.target, devices);
    const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(data));
    auto replicas = td::nn::parallel::replicate(model, used);
    const auto outputs = td::nn::parallel::parallel_apply(replicas, data);
    std::vector<td::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      parts.push_back(cross_entropy(outputs[i], target[i]));
    const td::Tensor loss = td::parallel::gather(parts, 0, devices[0]).sum();
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace sum_of_means
