// The gradients of a linear layer on each rank, before and after one all-reduce per parameter has
// averaged them.
#include <iostream>

#include "app/rank.h"
#include "td/td.h"

namespace dist = td::distributed;

int main(int argc, char** argv) {
  const td::Device device = app::start(
      argc, argv, "Averages the gradients of a linear layer by hand.", app::device_of_rank);
  dist::init_process_group(device.is_cuda() ? "nccl" : "gloo");
  const int rank = dist::get_rank();

  td::nn::Linear model(10, 5);
  for (td::Tensor& parameter : model->parameters()) td::nn::init::constant_(parameter, 0.1);
  model->to(device);
  const td::Tensor inputs =  // of this rank
      (td::arange(320.0) + 1000.0 * rank).sin().reshape({32, 10}).to(device);
  const td::Tensor labels = (inputs.select(1, 0) > 0).to(td::kInt64);
  td::nn::CrossEntropyLoss()(model->forward(inputs), labels).backward();

  const float own = model->bias.grad()[0].item<float>();
  std::int64_t gradients = 0, bytes = 0;
  for (const td::Tensor& parameter : model->parameters()) {
    const td::Tensor gradient = parameter.grad();
    dist::all_reduce(gradient, dist::ReduceOp::AVG);
    gradients += gradient.numel();
    bytes += static_cast<std::int64_t>(gradient.nbytes());
  }
  if (rank == 0) std::cout << gradients << " gradients, " << bytes << " bytes\n";
  app::print_by_rank("Rank ", rank, ": the gradient of the first bias is ", own, ", averaged ",
                     model->bias.grad()[0].item<float>());
  dist::destroy_process_group();
}
