// Trains networks of chapter 04 with matrix products by the chapter's kernel: the losses are those
// of nn::Linear.
#include <iomanip>
#include <iostream>

#include "../04_training_loop/images.h"
#include "../04_training_loop/models.h"
#include "app/app.h"
#include "demos.h"

namespace {

/// a b, by the kernel of 13.matmul.
td::Tensor product(const td::Tensor& a, const td::Tensor& b) {
  const int m = static_cast<int>(a.size(0)), n = static_cast<int>(b.size(1));
  const td::Tensor c = td::empty({m, n}, a.options());
  td::simt::launch<matmul>({{blocks_for(n, 16), blocks_for(m, 16)}, {16, 16}}, a.contiguous(),
                           b.contiguous(), c, m, n, static_cast<int>(a.size(1)));
  return c;
}

/// x W^T and its gradients.
struct Product : td::autograd::Function<Product> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& x,
                            const td::Tensor& weight) {
    ctx->save_for_backward({x, weight});
    return product(x, weight.t());
  }
  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::TensorList saved = ctx->get_saved_variables();
    const td::Tensor& g = gradients[0];
    return {product(g, saved[1]), product(g.t(), saved[0])};
  }
};

/// nn::Linear with these products. It holds the parameters of the layer that it replaces.
struct KernelLinearImpl : td::nn::Module {
  explicit KernelLinearImpl(td::nn::LinearImpl& layer)
      : weight(register_parameter("weight", layer.weight)),
        bias(register_parameter("bias", layer.bias)) {}
  td::Tensor forward(const td::Tensor& x) { return Product::apply(x, weight) + bias; }
  td::Tensor weight, bias;
};
TD_MODULE(KernelLinear);

/// A model of chapter 04 with a KernelLinear instead of each Linear.
td::nn::Sequential with_kernels(td::nn::Sequential model) {
  td::nn::Sequential changed;
  for (auto& layer : *model)
    if (auto linear = std::dynamic_pointer_cast<td::nn::LinearImpl>(layer.ptr()))
      changed->push_back(KernelLinear(*linear));
    else
      changed->push_back(layer);
  return changed;
}

/// Trains `model` for some steps. @return the loss of each step.
std::vector<float> train(td::nn::Sequential model, const images::Batch& batch, int steps) {
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.05).momentum(0.9));
  std::vector<float> losses;
  for (int step = 1; step <= steps; ++step) {
    optimizer.zero_grad();
    const td::Tensor loss =
        td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<float>());
    if (app::stop_requested()) throw app::Stopped("step " + std::to_string(step));
  }
  return losses;
}

images::Batch batch_for(const std::string& model, const app::Options& options, td::Device device) {
  if (model == "lenet") {
    const std::string folder = app::image_folder(options, app::Images::kGray);
    images::Set set = images::load(folder, app::Images::kGray, 32);
    const images::Batch& first = set.test.at(0);
    return {first.data.narrow(0, 0, 32).to(device), first.target.narrow(0, 0, 32).to(device)};
  }
  const td::Tensor x = td::randn({64, 10});
  return {x.to(device), x.narrow(1, 0, 5).argmax(1).to(device)};
}

void train_both(const std::string& name, const app::Options& options, td::Device device) {
  td::manual_seed(options.seed);
  const images::Batch batch = batch_for(name, options, device);
  td::nn::Sequential model = name == "lenet" ? lenet() : simple_model(5);
  model->to(device);
  const auto copy = std::dynamic_pointer_cast<td::nn::SequentialImpl>(model->clone());
  const int steps = name == "lenet" ? 10 : 50;
  const std::vector<float> by_td = train(model, batch, steps);
  const std::vector<float> by_kernels = train(with_kernels(td::nn::Sequential(copy)), batch, steps);
  std::cout << "training on " << device << ": loss with nn::Linear, and with your matmul\n";
  for (int step = steps / 5; step <= steps; step += steps / 5) {
    const auto at = static_cast<std::size_t>(step - 1);
    std::cout << "  step " << std::setw(2) << step << std::fixed << std::setprecision(4)
              << std::setw(10) << by_td[at] << std::setw(10) << by_kernels[at] << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string model = "simple";
  app::Command command("ch13-training", "Trains a network with the chapter's kernels.");
  command.takes({"seed", "data"});
  command.choice("--model", model, {"simple", "lenet"}, "what to train");
  return command.run(argc, argv, [&](const app::Options& options) {
    train_both(model, options, app::choose_device(options));
  });
}
