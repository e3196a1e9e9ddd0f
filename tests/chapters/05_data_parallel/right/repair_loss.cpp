#include "exercises.h"

// answer: gathers_the_outputs
// Joins the outputs on the first device, and computes one loss there.
namespace gathers_the_outputs {
td::Tensor parallel_loss(td::nn::Sequential& model, const td::Tensor& inputs,
                         const td::Tensor& targets, const std::vector<td::Device>& devices) {
  const td::Tensor output = td::nn::parallel::data_parallel(model, inputs, devices);
  return td::nn::functional::mse_loss(output, targets);
}
}  // namespace gathers_the_outputs
