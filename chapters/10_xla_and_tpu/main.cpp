// Chapter 10, XLA: a TPU runs whole programs. So the training step is one program, which XLA
// compiles once and each step runs with the new weight.
#include <iostream>

#include "app/xla.h"
#include "td/td.h"

// One step of Linear(10, 5) without bias on 32 rows: cross entropy, and SGD with lr = 0.1. Each
// line defines one value of StableHLO with its type and all its sizes.
constexpr const char* kStep = R"(
  func.func public @main(%weight: tensor<5x10xf32>, %x: tensor<32x10xf32>, %y: tensor<32x5xf32>)
      -> (tensor<5x10xf32>, tensor<f32>) {
    // outputs = x weight^T; their softmax
    %outputs = stablehlo.dot_general %x, %weight, contracting_dims = [1] x [1]
      : (tensor<32x10xf32>, tensor<5x10xf32>) -> tensor<32x5xf32>
    %exp = stablehlo.exponential %outputs : tensor<32x5xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<32x5xf32>, tensor<f32>) -> tensor<32xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<32xf32>) -> tensor<32x5xf32>
    %softmax = stablehlo.divide %exp, %sums : tensor<32x5xf32>
    // loss = the mean over the rows of -log(softmax) at the label, where y is 1
    %log = stablehlo.log %softmax : tensor<32x5xf32>
    %picked = stablehlo.multiply %log, %y : tensor<32x5xf32>
    %total = stablehlo.reduce(%picked init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<32x5xf32>, tensor<f32>) -> tensor<f32>
    %share = stablehlo.constant dense<-0.03125> : tensor<f32>  // -1/32
    %loss = stablehlo.multiply %total, %share : tensor<f32>
    // backward, written by hand: grad = (softmax - y)^T x, to be divided by 32
    %error = stablehlo.subtract %softmax, %y : tensor<32x5xf32>
    %grad = stablehlo.dot_general %error, %x, contracting_dims = [0] x [0]
      : (tensor<32x5xf32>, tensor<32x10xf32>) -> tensor<5x10xf32>
    // optimizer.step()
    %rate = stablehlo.constant dense<0.003125> : tensor<5x10xf32>  // lr / 32
    %change = stablehlo.multiply %grad, %rate : tensor<5x10xf32>
    %new_weight = stablehlo.subtract %weight, %change : tensor<5x10xf32>
    return %new_weight, %loss : tensor<5x10xf32>, tensor<f32>
  })";

int main(int argc, char** argv) {
  const td::xla::Client client =
      app::start_xla(argc, argv, "Trains a model by one program that XLA compiles.");
  const td::xla::Executable step = client.compile(kStep, {});

  const td::Tensor data = td::arange(1000.0).sin().reshape({100, 10});
  const td::Tensor labels = td::one_hot((data.select(1, 0) > 0).to(td::kInt64), 5);
  td::data::datasets::TensorDataset dataset(data, labels.to(td::kFloat));
  auto loader = td::data::make_data_loader<td::data::samplers::SequentialSampler>(
      dataset.map(td::data::transforms::Stack<>()),
      td::data::DataLoaderOptions(32).drop_last(true));  // 4 rows would need another program

  td::xla::Buffer weight = client.to_device(td::zeros({5, 10})), loss;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    for (auto& batch : *loader) {
      const td::xla::Buffer x = client.to_device(batch.data), y = client.to_device(batch.target);
      const std::vector<td::xla::Buffer> results = step.run({weight, x, y});
      weight = results[0];
      loss = results[1];
    }
    std::cout << "Epoch " << epoch << ", Loss: " << loss.to_host().item<float>() << '\n';  // waits
  }
  std::cout << "first weight " << weight.to_host()[0][0].item<float>() << '\n';
}
