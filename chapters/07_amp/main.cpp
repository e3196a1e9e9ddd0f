// Chapter 07, AMP: a training loop with autocast and a gradient scaler.
#include <iostream>

#include "app/app.h"
#include "td/td.h"

namespace nn = td::nn;

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Trains with automatic mixed precision.");
  td::manual_seed(1);

  // Random samples. The class is the index of the largest of ten weighted sums of the inputs.
  const td::Tensor samples = td::randn({2048, 32});
  const td::Tensor classes = samples.matmul(td::randn({32, 10})).argmax(1);
  td::data::TensorDataset dataset(samples, classes);
  const auto loader = td::data::make_data_loader(dataset.map(td::data::transforms::Stack<>()),
                                                 td::data::DataLoaderOptions(64));

  nn::Sequential model(nn::Linear(32, 256), nn::ReLU(), nn::Linear(256, 10));
  model->to(device);
  nn::CrossEntropyLoss criterion;
  td::optim::Adam optimizer(model->parameters(), td::optim::AdamOptions(0.001));
  td::amp::GradScaler scaler;

  for (int epoch = 1; epoch <= 5; ++epoch) {
    td::Tensor outputs, loss;
    for (const auto& batch : *loader) {
      const td::Tensor inputs = batch.data.to(device), labels = batch.target.to(device);
      optimizer.zero_grad();
      {
        const td::amp::AutocastGuard autocast(device.type());
        outputs = model->forward(inputs);
        loss = criterion(outputs, labels);
      }  // backward runs outside of the guard
      scaler.scale(loss).backward();
      scaler.step(
          optimizer);  // divides the gradients by the scale; skips the step if one overflowed
      scaler.update();
    }
    std::cout << "Epoch " << epoch << ", Loss: " << loss.item<float>() << ", outputs "
              << outputs.dtype() << ", loss " << loss.dtype() << ", weights "
              << model->parameters()[0].dtype() << ", scale " << scaler.get_scale() << '\n';
  }
}
