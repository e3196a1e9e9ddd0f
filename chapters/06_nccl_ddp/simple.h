// The smallest distributed program: a linear layer and 100 samples, with the classes of td and none
// of the exercises. Included by main.cpp for --model simple.
#pragma once

#include <iostream>
#include <string>
#include <utility>

#include "exercises.h"

/// Values between -0.5 and 0.5 that pytorch.py computes in the same way.
inline td::Tensor formula(const std::vector<std::int64_t>& sizes, int start) {
  std::vector<float> values(static_cast<std::size_t>(td::empty(sizes).numel()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((static_cast<int>(i) * 7 + start) % 11 - 5) / 10.0F;
  return td::tensor(values).reshape(sizes);
}

// anchor: names
/// Prints where the tensors of each rank are: rank 0 first, and each rank after the one before it.
inline void name_devices(ProcessGroup& group, const td::Tensor& inputs, const td::Tensor& labels) {
  for (int rank = 0; rank < group.size(); ++rank) {
    if (rank == group.rank())
      std::cout << "rank " + std::to_string(rank) + ": inputs on " + inputs.device().str() +
                       ", labels on " + labels.device().str() + "\n"
                << std::flush;
    group.barrier()->wait();
  }
}
// anchor end

// anchor: simple
/// Trains on random data. Each rank names its devices; rank 0 prints samples and losses of all.
inline void train_simple(std::int64_t epochs, td::Device device, ProcessGroup& group) {
  const td::Tensor data = formula({100, 10}, 0);
  td::data::datasets::TensorDataset dataset(data, (data.select(1, 0) > 0).to(td::kInt64));
  auto loader = td::data::make_data_loader(dataset.map(td::data::transforms::Stack<>()),
                                           td::distributed::DistributedSampler(100),
                                           td::data::DataLoaderOptions(32));
  td::nn::Sequential model(td::nn::Linear(10, 5));
  {
    const td::NoGradGuard no_grad;
    for (td::Tensor parameter : model->parameters())
      parameter.copy_(formula(parameter.sizes().vec(), group.rank()));  // DDP copies rank 0's
  }
  model->to(device);
  td::distributed::DistributedDataParallel ddp(model);
  td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(0.1));
  bool named = false;
  std::int64_t steps = 0, bytes = 0;
  for (const td::Tensor& parameter : model->parameters())
    bytes += static_cast<std::int64_t>(parameter.nbytes());
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    loader->sampler().set_epoch(static_cast<std::uint64_t>(epoch));
    td::Tensor sums = td::zeros({2}, device);  // samples, and their losses
    for (auto& batch : *loader) {
      const td::Tensor inputs = batch.data.to(device), labels = batch.target.to(device);
      if (!std::exchange(named, true)) name_devices(group, inputs, labels);
      optimizer.zero_grad();
      const td::Tensor loss = td::nn::CrossEntropyLoss()(ddp->forward(inputs), labels);
      loss.backward();
      optimizer.step();
      ++steps;
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
  if (group.rank() == 0)
    std::cout << "Each epoch had " << steps / epochs << " steps; each step averaged " << bytes
              << " bytes of gradients\n";
}
// anchor end
