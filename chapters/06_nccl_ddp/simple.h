// The smallest data-parallel program: a linear layer, 100 samples, the core's own classes and
// nothing of the exercises. Included by main.cpp for --model simple.
#pragma once

#include <iostream>

#include "exercises.h"

// anchor: simple
/// Trains on random data; prints what each rank has seen and what all of them have.
inline void train_simple(std::int64_t epochs, td::Device device, ProcessGroup& group) {
  td::data::datasets::TensorDataset dataset(
      td::randn({100, 10}), td::randint(0, 2, {100}, td::TensorOptions(td::kInt64)));
  auto loader = td::data::make_data_loader(dataset.map(td::data::transforms::Stack<>()),
                                           td::distributed::DistributedSampler(100),
                                           td::data::DataLoaderOptions(32));
  td::nn::Sequential model(td::nn::Linear(10, 5));
  model->to(device);
  td::distributed::DistributedDataParallel ddp(model);
  td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(0.1));
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    loader->sampler().set_epoch(static_cast<std::uint64_t>(epoch));
    td::Tensor sums = td::zeros({2}, device);  // samples, and their losses
    for (auto& batch : *loader) {
      optimizer.zero_grad();
      const td::Tensor output = ddp->forward(batch.data.to(device));
      const td::Tensor loss = td::nn::CrossEntropyLoss()(output, batch.target.to(device));
      loss.backward();
      optimizer.step();
      sums[0].add_(batch.data.size(0));
      sums[1].add_(loss.detach() * batch.data.size(0));
    }
    std::vector<td::Tensor> all(static_cast<std::size_t>(group.size()));
    for (td::Tensor& one : all) one = td::empty_like(sums);
    group.all_gather(all, sums)->wait();
    if (group.rank() > 0) continue;
    std::cout << "Epoch " << epoch;
    for (const td::Tensor& one : all)
      std::cout << (one.is_same(all[0]) ? ": " : "; ") << one[0].item<float>() << " samples, Loss "
                << (one[1] / one[0]).item<float>();
    std::cout << '\n';
  }
}
// anchor end
