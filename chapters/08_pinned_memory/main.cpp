// Chapter 08, pinned memory: copies from pinned memory run while the host continues.
#include <chrono>
#include <iostream>

#include "app/app.h"
#include "td/td.h"

namespace nn = td::nn;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Copies from pageable and pinned memory.");
  td::manual_seed(1);

  // 64 MiB, once in each kind of memory of the host.
  const td::Tensor pageable = td::ones({16, 1024, 1024}), pinned = pageable.pin_memory();
  for (const td::Tensor& x : {pageable, pinned}) {
    td::synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    const td::Tensor copy = x.to(device, x.dtype(), /*non_blocking=*/true);
    const double returned = milliseconds_since(start);
    td::synchronize(device);
    std::cout << (x.is_pinned() ? "pinned:   " : "pageable: ") << "the call returned after "
              << returned << " ms, the copy was done after " << milliseconds_since(start)
              << " ms\n";
  }

  // So a loop takes its batches from pinned memory, and no step waits for a copy.
  td::data::TensorDataset dataset(td::randn({2048, 512}), td::randint(0, 10, {2048}, td::kInt64));
  const auto loader =
      td::data::make_data_loader(dataset.map(td::data::transforms::Stack<>()),
                                 td::data::DataLoaderOptions(256).workers(1).pin_memory(true));
  nn::Sequential model(nn::Linear(512, 256), nn::ReLU(), nn::Linear(256, 10));
  model->to(device);
  nn::CrossEntropyLoss criterion;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.1));
  for (const auto& batch : *loader) {
    const td::Tensor inputs = batch.data.to(device, /*non_blocking=*/true);
    const td::Tensor labels = batch.target.to(device, /*non_blocking=*/true);
    optimizer.zero_grad();
    const td::Tensor loss = criterion(model->forward(inputs), labels);
    loss.backward();
    optimizer.step();
    std::cout << inputs.size(0) << " samples, from pinned memory: " << std::boolalpha
              << batch.data.is_pinned() << ", Loss: " << loss.item<float>() << '\n';
  }
}
