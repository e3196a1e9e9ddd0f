// Chapter 06, DistributedDataParallel: every rank runs this program, with its own device and its
// own part of the samples.
#include <iostream>

#include "app/rank.h"
#include "distributed/ddp/ddp.h"
#include "distributed/sampler.h"
#include "td/td.h"

namespace dist = td::distributed;
namespace nn = td::nn;

int main(int argc, char** argv) {
  const td::Device device = app::start(
      argc, argv, "Trains one model in several processes, one per device.", app::device_of_rank);
  dist::init_process_group(device.is_cuda() ? "nccl" : "gloo");
  const int rank = dist::get_rank(), world_size = dist::get_world_size();
  if (rank == 0) std::cout << "World size: " << world_size << '\n';

  // Sines instead of random numbers, so that pytorch.py trains with the same data.
  const td::Tensor data = td::arange(1000.0).sin().reshape({100, 10});
  td::data::datasets::TensorDataset dataset(data, (data.select(1, 0) > 0).to(td::kInt64));
  auto loader =
      td::data::make_data_loader(dataset.map(td::data::transforms::Stack<>()),
                                 dist::DistributedSampler(100), td::data::DataLoaderOptions(32));

  nn::Linear model(10, 5);
  for (td::Tensor& parameter : model->parameters()) nn::init::constant_(parameter, rank);
  model->to(device);
  dist::DistributedDataParallel ddp(model);  // copies the parameters of rank 0 to all ranks

  nn::CrossEntropyLoss criterion;
  td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(0.1));
  std::int64_t samples = 0, steps = 0;  // of this rank, in one epoch
  for (int epoch = 1; epoch <= 3; ++epoch) {
    loader->sampler().set_epoch(epoch);  // another order, and the same on all ranks
    samples = steps = 0;
    td::Tensor total = td::zeros({}, device);
    for (auto& batch : *loader) {
      const td::Tensor inputs = batch.data.to(device), labels = batch.target.to(device);
      optimizer.zero_grad();
      const td::Tensor loss = criterion(ddp->forward(inputs), labels);
      loss.backward();  // averages the gradients over all ranks
      optimizer.step();
      total += loss.detach() * inputs.size(0);
      samples += inputs.size(0);
      ++steps;
    }
    dist::all_reduce(total);  // now the sum over the samples of all ranks
    if (rank == 0)
      std::cout << "Epoch " << epoch << ", Loss: " << (total / (samples * world_size)).item<float>()
                << '\n';
  }
  app::print_by_rank("Rank ", rank, " on ", device, ": ", samples, " samples in ", steps,
                     " steps per epoch; first weight ", rank, " at the start, ",
                     model->weight[0][0].item<float>(), " at the end");
  dist::destroy_process_group();
}
