// expect: bytes between devices; with the outputs where they are
// Copies all outputs to devices[0], as DataParallel does.
#include "exercises.h"

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
