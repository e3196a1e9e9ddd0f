// A data loader: 100 samples of two classes in batches of 32, so the last batch has 4. The loss
// function has class weights, a buffer, so it must move, too.
#include <iostream>

#include "app/app.h"
#include "td/td.h"

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Trains with batches of a data loader.");
  td::manual_seed(1);

  td::data::TensorDataset dataset(td::randn({100, 10}), td::randint(0, 2, {100}, td::kInt64));
  const auto loader =
      td::data::make_data_loader(dataset.map(td::data::transforms::Stack<>()),
                                 td::data::DataLoaderOptions(32).pin_memory(!device.is_cpu()));

  td::nn::Sequential model(td::nn::Linear(10, 2));
  td::nn::CrossEntropyLoss loss_fn(
      td::nn::CrossEntropyLossOptions().weight(td::tensor({1.0, 2.0})));
  model->to(device);
  loss_fn->to(device);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01));

  for (const auto& batch : *loader) {
    const td::Tensor inputs = batch.data.to(device, /*non_blocking=*/true);
    const td::Tensor labels = batch.target.to(device, /*non_blocking=*/true);
    optimizer.zero_grad();
    const td::Tensor loss = loss_fn(model->forward(inputs), labels);
    loss.backward();
    optimizer.step();
    std::cout << inputs.size(0) << " samples on " << inputs.device() << ", labels on "
              << labels.device() << ", Loss: " << loss.item<float>() << '\n';
  }
}
