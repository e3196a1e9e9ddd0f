// parallel_loss: exercise 5.repair_loss, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Tensor parallel_loss(td::nn::Sequential& model, const td::Tensor& inputs,
                         const td::Tensor& targets, const std::vector<td::Device>& devices) {
  // Your code here: Delete the next line, check 5.repair_loss, and repair the three faults.
  td::not_done_yet("repair_loss");
  const std::vector<td::Tensor> parts = td::nn::parallel::scatter(inputs, devices);
  const std::vector<td::Tensor> target_parts = td::nn::parallel::scatter(targets, devices);
  std::vector<std::shared_ptr<td::nn::SequentialImpl>> replicas;
  for (const td::Device device : devices)
    replicas.push_back(std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(device)));
  td::Tensor sum = td::zeros({}, devices[0]);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const td::Tensor output = replicas[i]->forward(parts.at(i));
    const td::Tensor loss = td::nn::functional::mse_loss(output, target_parts.at(i));
    sum = sum + loss.to(devices[0]);
  }
  return sum / static_cast<double>(replicas.size());
}
