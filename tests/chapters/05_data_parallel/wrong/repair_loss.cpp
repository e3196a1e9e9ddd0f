#include "exercises.h"

// answer: all_devices
// expect: _M_range_check
// Right where every device gets a part.
namespace all_devices {
td::Tensor parallel_loss(td::nn::Sequential& model, const td::Tensor& inputs,
                         const td::Tensor& targets, const std::vector<td::Device>& devices) {
  const std::vector<td::Tensor> parts = td::nn::parallel::scatter(inputs, devices);
  const std::vector<td::Tensor> target_parts = td::nn::parallel::scatter(targets, devices);
  auto replicas = td::nn::parallel::replicate(model, devices);
  td::Tensor sum = td::zeros({}, devices[0]);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const td::Tensor output = replicas[i]->forward(parts.at(i));
    const td::Tensor loss = td::nn::functional::mse_loss(output, target_parts.at(i));
    sum = sum + loss.to(devices[0]) * parts[i].size(0);
  }
  return sum / static_cast<double>(inputs.size(0));
}
}  // namespace all_devices

// answer: clones
// expect: is missing
// A clone has parameters of its own, and the gradients stay there.
namespace clones {
td::Tensor parallel_loss(td::nn::Sequential& model, const td::Tensor& inputs,
                         const td::Tensor& targets, const std::vector<td::Device>& devices) {
  const std::vector<td::Tensor> parts = td::nn::parallel::scatter(inputs, devices);
  const std::vector<td::Tensor> target_parts = td::nn::parallel::scatter(targets, devices);
  const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(parts));
  std::vector<std::shared_ptr<td::nn::SequentialImpl>> replicas;
  for (const td::Device device : used)
    replicas.push_back(std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone(device)));
  td::Tensor sum = td::zeros({}, devices[0]);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const td::Tensor output = replicas[i]->forward(parts.at(i));
    const td::Tensor loss = td::nn::functional::mse_loss(output, target_parts.at(i));
    sum = sum + loss.to(devices[0]) * parts[i].size(0);
  }
  return sum / static_cast<double>(inputs.size(0));
}
}  // namespace clones

// answer: detaches_the_parts
// expect: does not require grad
// Each part of the loss leaves the graph on its way to the first device.
namespace detaches_the_parts {
td::Tensor parallel_loss(td::nn::Sequential& model, const td::Tensor& inputs,
                         const td::Tensor& targets, const std::vector<td::Device>& devices) {
  const std::vector<td::Tensor> parts = td::nn::parallel::scatter(inputs, devices);
  const std::vector<td::Tensor> target_parts = td::nn::parallel::scatter(targets, devices);
  const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(parts));
  auto replicas = td::nn::parallel::replicate(model, used);
  td::Tensor sum = td::zeros({}, devices[0]);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const td::Tensor output = replicas[i]->forward(parts.at(i));
    const td::Tensor loss = td::nn::functional::mse_loss(output, target_parts.at(i));
    sum = sum + loss.detach().to(devices[0]) * parts[i].size(0);
  }
  return sum / static_cast<double>(inputs.size(0));
}
}  // namespace detaches_the_parts

// answer: divides_by_the_devices
// expect: the loss of 1 rows
// Right where every device gets a part of the same size.
namespace divides_by_the_devices {
td::Tensor parallel_loss(td::nn::Sequential& model, const td::Tensor& inputs,
                         const td::Tensor& targets, const std::vector<td::Device>& devices) {
  const std::vector<td::Tensor> parts = td::nn::parallel::scatter(inputs, devices);
  const std::vector<td::Tensor> target_parts = td::nn::parallel::scatter(targets, devices);
  const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(parts));
  auto replicas = td::nn::parallel::replicate(model, used);
  td::Tensor sum = td::zeros({}, devices[0]);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const td::Tensor output = replicas[i]->forward(parts.at(i));
    const td::Tensor loss = td::nn::functional::mse_loss(output, target_parts.at(i));
    sum = sum + loss.to(devices[0]);
  }
  return sum / static_cast<double>(devices.size());
}
}  // namespace divides_by_the_devices

// answer: mean_of_means
// expect: the loss of 7 rows
// Counts a row of a smaller part more.
namespace mean_of_means {
td::Tensor parallel_loss(td::nn::Sequential& model, const td::Tensor& inputs,
                         const td::Tensor& targets, const std::vector<td::Device>& devices) {
  const std::vector<td::Tensor> parts = td::nn::parallel::scatter(inputs, devices);
  const std::vector<td::Tensor> target_parts = td::nn::parallel::scatter(targets, devices);
  const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(parts));
  auto replicas = td::nn::parallel::replicate(model, used);
  td::Tensor sum = td::zeros({}, devices[0]);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const td::Tensor output = replicas[i]->forward(parts.at(i));
    const td::Tensor loss = td::nn::functional::mse_loss(output, target_parts.at(i));
    sum = sum + loss.to(devices[0]);
  }
  return sum / static_cast<double>(replicas.size());
}
}  // namespace mean_of_means

// answer: sums_the_means
// expect: the loss of 12 rows
// Sums what each device found.
namespace sums_the_means {
td::Tensor parallel_loss(td::nn::Sequential& model, const td::Tensor& inputs,
                         const td::Tensor& targets, const std::vector<td::Device>& devices) {
  const std::vector<td::Tensor> parts = td::nn::parallel::scatter(inputs, devices);
  const std::vector<td::Tensor> target_parts = td::nn::parallel::scatter(targets, devices);
  const std::vector<td::Device> used(devices.begin(), devices.begin() + std::ssize(parts));
  auto replicas = td::nn::parallel::replicate(model, used);
  td::Tensor sum = td::zeros({}, devices[0]);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const td::Tensor output = replicas[i]->forward(parts.at(i));
    const td::Tensor loss = td::nn::functional::mse_loss(output, target_parts.at(i));
    sum = sum + loss.to(devices[0]);
  }
  return sum;
}
}  // namespace sums_the_means

// answer: one_device_per_row
// expect: 4 rows on {cpu, cpu, cpu}
// Leaves devices out only where there are fewer rows than devices. 4 rows are 2 and 2 on three
// devices.
namespace one_device_per_row {
td::Tensor parallel_loss(td::nn::Sequential& model, const td::Tensor& inputs,
                         const td::Tensor& targets, const std::vector<td::Device>& devices) {
  std::vector<td::Device> used = devices;
  const auto rows = static_cast<std::size_t>(inputs.size(0));
  if (rows < used.size()) used.erase(used.begin() + inputs.size(0), used.end());
  const std::vector<td::Tensor> parts = td::nn::parallel::scatter(inputs, used);
  const std::vector<td::Tensor> target_parts = td::nn::parallel::scatter(targets, used);
  auto replicas = td::nn::parallel::replicate(model, used);
  td::Tensor sum = td::zeros({}, devices[0]);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const td::Tensor output = replicas[i]->forward(parts.at(i));
    const td::Tensor loss = td::nn::functional::mse_loss(output, target_parts.at(i));
    sum = sum + loss.to(devices[0]) * static_cast<double>(parts.at(i).size(0));
  }
  return sum / static_cast<double>(rows);
}
}  // namespace one_device_per_row
