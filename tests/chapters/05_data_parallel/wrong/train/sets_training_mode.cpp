// expect: the mode of a frozen batch norm
// The usual first line of a training program; it also reaches a frozen batch norm.
#include "exercises.h"

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
