#include "exercises.h"

// answer: backward_per_part
// Each replica has its own loss, and a backward pass of its own.
namespace backward_per_part {
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
    td::Tensor loss = td::zeros({}, td::device(devices[0]).dtype(outputs[0].dtype()));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const td::Tensor part =
          cross_entropy(outputs[i], target[i]) *
          (static_cast<double>(data[i].size(0)) / static_cast<double>(batch.data.size(0)));
      part.backward({}, true);
      loss += part.detach().to(devices[0]);
    }

    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace backward_per_part

// answer: sums
// Sums the losses of all rows and divides by their number; each replica has a function.
namespace sums {
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
    td::Tensor loss = td::zeros({}, td::device(devices[0]).dtype(outputs[0].dtype()));
    const auto options = td::nn::functional::CrossEntropyFuncOptions().reduction(td::kSum);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      loss = loss + cross_entropy(outputs[i], target[i], options).to(devices[0]);
    loss = loss / static_cast<double>(batch.data.size(0));
    loss.backward();
    optimizer.step();
    losses.push_back(loss.detach());
  }
  return td::stack(losses);
}
}  // namespace sums
