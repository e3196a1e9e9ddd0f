#include "exercises.h"

// answer: moves_in_forward
// expect: the buffers of the model
// Every call copies the constants, and the state_dict lacks them.
namespace moves_in_forward {
namespace {

struct RegressorImpl : td::nn::Module {
  RegressorImpl() {
    for (int i = 0; i < 2; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), td::nn::Linear(7, 7)));
    head = register_module("head", td::nn::Linear(7, 1));
    mean = td::full({7}, 2.0);
    scale = td::full({7}, 0.5);
    bias = register_parameter("bias", td::zeros({1}));
  }

  td::Tensor forward(const td::Tensor& x) {
    td::Tensor hidden = (x - mean.to(x.device())) / scale.to(x.device());
    for (td::nn::Linear& layer : layers) hidden = td::relu(layer(hidden));
    const td::Tensor ones = td::ones({x.size(0), 1}, x.device());
    return head(hidden) + bias * ones;
  }

  std::vector<td::nn::Linear> layers;
  td::nn::Linear head{nullptr};
  td::Tensor mean, scale;  // of the data: they are stored, but not trained
  td::Tensor bias;         // trained like a weight
};
TD_MODULE(Regressor);

}  // namespace

td::nn::AnyModule make_regressor() { return td::nn::AnyModule(Regressor()); }
}  // namespace moves_in_forward

// answer: ones_on_the_cpu
// expect: is on cpu
// What forward creates is on the cpu.
namespace ones_on_the_cpu {
namespace {

struct RegressorImpl : td::nn::Module {
  RegressorImpl() {
    for (int i = 0; i < 2; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), td::nn::Linear(7, 7)));
    head = register_module("head", td::nn::Linear(7, 1));
    mean = register_buffer("mean", td::full({7}, 2.0));
    scale = register_buffer("scale", td::full({7}, 0.5));
    bias = register_parameter("bias", td::zeros({1}));
  }

  td::Tensor forward(const td::Tensor& x) {
    td::Tensor hidden = (x - mean) / scale;
    for (td::nn::Linear& layer : layers) hidden = td::relu(layer(hidden));
    const td::Tensor ones = td::ones({x.size(0), 1});
    return head(hidden) + bias * ones;
  }

  std::vector<td::nn::Linear> layers;
  td::nn::Linear head{nullptr};
  td::Tensor mean, scale;  // of the data: they are stored, but not trained
  td::Tensor bias;         // trained like a weight
};
TD_MODULE(Regressor);

}  // namespace

td::nn::AnyModule make_regressor() { return td::nn::AnyModule(Regressor()); }
}  // namespace ones_on_the_cpu

// answer: plain_bias
// expect: the parameters of the model
// A leaf that requires grad, of which the module knows nothing.
namespace plain_bias {
namespace {

struct RegressorImpl : td::nn::Module {
  RegressorImpl() {
    for (int i = 0; i < 2; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), td::nn::Linear(7, 7)));
    head = register_module("head", td::nn::Linear(7, 1));
    mean = register_buffer("mean", td::full({7}, 2.0));
    scale = register_buffer("scale", td::full({7}, 0.5));
    bias = td::zeros({1}).requires_grad_();
  }

  td::Tensor forward(const td::Tensor& x) {
    td::Tensor hidden = (x - mean) / scale;
    for (td::nn::Linear& layer : layers) hidden = td::relu(layer(hidden));
    const td::Tensor ones = td::ones({x.size(0), 1}, x.device());
    return head(hidden) + bias * ones;
  }

  std::vector<td::nn::Linear> layers;
  td::nn::Linear head{nullptr};
  td::Tensor mean, scale;  // of the data: they are stored, but not trained
  td::Tensor bias;         // trained like a weight
};
TD_MODULE(Regressor);

}  // namespace

td::nn::AnyModule make_regressor() { return td::nn::AnyModule(Regressor()); }
}  // namespace plain_bias

// answer: plain_layers
// expect: the parameters of the model
// The layers are only in a std::vector.
namespace plain_layers {
namespace {

struct RegressorImpl : td::nn::Module {
  RegressorImpl() {
    for (int i = 0; i < 2; ++i) layers.push_back(td::nn::Linear(7, 7));
    head = register_module("head", td::nn::Linear(7, 1));
    mean = register_buffer("mean", td::full({7}, 2.0));
    scale = register_buffer("scale", td::full({7}, 0.5));
    bias = register_parameter("bias", td::zeros({1}));
  }

  td::Tensor forward(const td::Tensor& x) {
    td::Tensor hidden = (x - mean) / scale;
    for (td::nn::Linear& layer : layers) hidden = td::relu(layer(hidden));
    const td::Tensor ones = td::ones({x.size(0), 1}, x.device());
    return head(hidden) + bias * ones;
  }

  std::vector<td::nn::Linear> layers;
  td::nn::Linear head{nullptr};
  td::Tensor mean, scale;  // of the data: they are stored, but not trained
  td::Tensor bias;         // trained like a weight
};
TD_MODULE(Regressor);

}  // namespace

td::nn::AnyModule make_regressor() { return td::nn::AnyModule(Regressor()); }
}  // namespace plain_layers

// answer: plain_scale
// expect: the buffers of the model
// One of the two constants is a plain tensor.
namespace plain_scale {
namespace {

struct RegressorImpl : td::nn::Module {
  RegressorImpl() {
    for (int i = 0; i < 2; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), td::nn::Linear(7, 7)));
    head = register_module("head", td::nn::Linear(7, 1));
    mean = register_buffer("mean", td::full({7}, 2.0));
    scale = td::full({7}, 0.5);
    bias = register_parameter("bias", td::zeros({1}));
  }

  td::Tensor forward(const td::Tensor& x) {
    td::Tensor hidden = (x - mean) / scale;
    for (td::nn::Linear& layer : layers) hidden = td::relu(layer(hidden));
    const td::Tensor ones = td::ones({x.size(0), 1}, x.device());
    return head(hidden) + bias * ones;
  }

  std::vector<td::nn::Linear> layers;
  td::nn::Linear head{nullptr};
  td::Tensor mean, scale;  // of the data: they are stored, but not trained
  td::Tensor bias;         // trained like a weight
};
TD_MODULE(Regressor);

}  // namespace

td::nn::AnyModule make_regressor() { return td::nn::AnyModule(Regressor()); }
}  // namespace plain_scale

// answer: trains_the_mean
// expect: the parameters of the model
// As parameters, mean and scale would be trained.
namespace trains_the_mean {
namespace {

struct RegressorImpl : td::nn::Module {
  RegressorImpl() {
    for (int i = 0; i < 2; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), td::nn::Linear(7, 7)));
    head = register_module("head", td::nn::Linear(7, 1));
    mean = register_parameter("mean", td::full({7}, 2.0));
    scale = register_parameter("scale", td::full({7}, 0.5));
    bias = register_parameter("bias", td::zeros({1}));
  }

  td::Tensor forward(const td::Tensor& x) {
    td::Tensor hidden = (x - mean) / scale;
    for (td::nn::Linear& layer : layers) hidden = td::relu(layer(hidden));
    const td::Tensor ones = td::ones({x.size(0), 1}, x.device());
    return head(hidden) + bias * ones;
  }

  std::vector<td::nn::Linear> layers;
  td::nn::Linear head{nullptr};
  td::Tensor mean, scale;  // of the data: they are stored, but not trained
  td::Tensor bias;         // trained like a weight
};
TD_MODULE(Regressor);

}  // namespace

td::nn::AnyModule make_regressor() { return td::nn::AnyModule(Regressor()); }
}  // namespace trains_the_mean

// answer: registers_a_copy
// expect: is on cpu
// The registered tensor moves, and the member is another one.
namespace registers_a_copy {
namespace {

struct RegressorImpl : td::nn::Module {
  RegressorImpl() {
    for (int i = 0; i < 2; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), td::nn::Linear(7, 7)));
    head = register_module("head", td::nn::Linear(7, 1));
    mean = td::full({7}, 2.0);
    register_buffer("mean", mean.clone());
    scale = register_buffer("scale", td::full({7}, 0.5));
    bias = register_parameter("bias", td::zeros({1}));
  }

  td::Tensor forward(const td::Tensor& x) {
    td::Tensor hidden = (x - mean) / scale;
    for (td::nn::Linear& layer : layers) hidden = td::relu(layer(hidden));
    const td::Tensor ones = td::ones({x.size(0), 1}, x.device());
    return head(hidden) + bias * ones;
  }

  std::vector<td::nn::Linear> layers;
  td::nn::Linear head{nullptr};
  td::Tensor mean, scale;  // of the data: they are stored, but not trained
  td::Tensor bias;         // trained like a weight
};
TD_MODULE(Regressor);

}  // namespace

td::nn::AnyModule make_regressor() { return td::nn::AnyModule(Regressor()); }
}  // namespace registers_a_copy

// answer: keeps_the_ones
// expect: a model that computed on another device before does not compute on sim:0
// Makes the ones again only where the number of rows changes, and not where the device does.
namespace keeps_the_ones {
struct RegressorImpl : td::nn::Module {
  RegressorImpl() {
    for (int i = 0; i < 2; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), td::nn::Linear(7, 7)));
    head = register_module("head", td::nn::Linear(7, 1));
    mean = register_buffer("mean", td::full({7}, 2.0));
    scale = register_buffer("scale", td::full({7}, 0.5));
    bias = register_parameter("bias", td::zeros({1}));
  }

  td::Tensor forward(const td::Tensor& x) {
    td::Tensor hidden = (x - mean) / scale;
    for (td::nn::Linear& layer : layers) hidden = td::relu(layer(hidden));
    if (!ones.defined() || ones.size(0) != x.size(0)) ones = td::ones({x.size(0), 1}, x.device());
    return head(hidden) + bias * ones;
  }

  std::vector<td::nn::Linear> layers;
  td::nn::Linear head{nullptr};
  td::Tensor mean, scale, bias, ones;
};
TD_MODULE(Regressor);

td::nn::AnyModule make_regressor() { return td::nn::AnyModule(Regressor()); }
}  // namespace keeps_the_ones

// answer: bias_without_gradient
// expect: bias has no gradient on cpu after backward
// Takes the bias out of the graph.
namespace bias_without_gradient {
struct RegressorImpl : td::nn::Module {
  RegressorImpl() {
    for (int i = 0; i < 2; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), td::nn::Linear(7, 7)));
    head = register_module("head", td::nn::Linear(7, 1));
    mean = register_buffer("mean", td::full({7}, 2.0));
    scale = register_buffer("scale", td::full({7}, 0.5));
    bias = register_parameter("bias", td::zeros({1}));
  }

  td::Tensor forward(const td::Tensor& x) {
    td::Tensor hidden = (x - mean) / scale;
    for (td::nn::Linear& layer : layers) hidden = td::relu(layer(hidden));
    return head(hidden) + bias.detach() * td::ones({x.size(0), 1}, x.device());
  }

  std::vector<td::nn::Linear> layers;
  td::nn::Linear head{nullptr};
  td::Tensor mean, scale, bias;
};
TD_MODULE(Regressor);

td::nn::AnyModule make_regressor() { return td::nn::AnyModule(Regressor()); }
}  // namespace bias_without_gradient
