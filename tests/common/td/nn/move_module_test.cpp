// Moving a model: every tensor of it, instead of its identity.
#include "nets.h"
#include "td/optim/optim.h"

using namespace td;

TEST_CASE("to() moves parameters, buffers and gradients and keeps every tensor's identity") {
  for (const Device device : devices()) {
    TwoLayers net;
    const Tensor x = ramp(empty({5, 3}), -1, 0.3);
    net->forward(x).sum().backward();
    const TensorList before = net->parameters();
    const std::vector<double> weight = values(net->first->weight);
    const std::vector<double> gradient = values(net->first->weight.grad());
    net->to(device);
    const TensorList after = net->parameters();
    for (std::size_t i = 0; i < after.size(); ++i) {
      CHECK(after[i].is_same(before[i]));
      CHECK(after[i].device() == device);
      CHECK(after[i].grad().device() == device);
      CHECK(after[i].is_leaf());
      CHECK(after[i].requires_grad());
    }
    for (const Tensor& buffer : net->buffers()) CHECK(buffer.device() == device);
    CHECK(net->first->weight.device() == device);  // the member is the registered tensor
    CHECK(values(net->first->weight) == weight);
    CHECK(values(net->first->weight.grad()) == gradient);
    net->to("cpu");
    CHECK(net->first->weight.device().is_cpu());
    CHECK(values(net->first->weight.grad()) == gradient);
  }
}

TEST_CASE("a moved model computes the same values as before") {
  TwoLayers net;
  const Tensor x = ramp(empty({5, 3}), -1, 0.3);
  net->eval();
  const std::vector<double> expected = values(net->forward(x));
  for (const Device device : devices()) {
    net->to(device);
    const Tensor y = net->forward(x.to(device));
    CHECK(y.device() == device);
    const std::vector<double> actual = values(y);
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(actual[i] == Approx(expected[i]).margin(1e-6));
  }
}

TEST_CASE("a tied weight is still one tensor after a move and trains as one") {
  // Both names stand for the same layer, as when a decoder uses the encoder's weights.
  struct Tied : nn::Module {
    Tied() {
      encode = register_module("encode", nn::Linear(nn::LinearOptions(2, 2).bias(false)));
      decode = register_module("decode", encode);
    }
    Tensor forward(const Tensor& x) { return decode(encode(x)); }
    nn::Linear encode{nullptr}, decode{nullptr};
  };
  for (const Device device : devices()) {
    Tied net;
    ramp(net.encode->weight, 1, 1);  // [[1, 2], [3, 4]]
    optim::SGD sgd(net.parameters(), 0.5);
    net.to(device);
    CHECK(net.encode->weight.is_same(net.decode->weight));
    net.forward(ones({1, 2}).to(device)).sum().backward();
    // L = 1^T W W 1: dL/dW = W^T 1 1^T + 1 (W 1)^T, with W^T 1 = (4, 6) and W 1 = (3, 7).
    CHECK(values(net.encode->weight.grad()) == std::vector<double>{4 + 3, 4 + 7, 6 + 3, 6 + 7});
    sgd.step();
    CHECK(values(net.decode->weight) == std::vector<double>{-2.5, -3.5, -1.5, -2.5});
  }
}

TEST_CASE("a dtype changes floating point tensors only") {
  TwoLayers net;
  net->to(kFloat64);
  CHECK(net->first->weight.dtype() == kFloat64);
  CHECK(net->norm->running_mean.dtype() == kFloat64);
  CHECK(net->norm->num_batches_tracked.dtype() == kLong);
  net->to(Device("sim:0"), kHalf);
  CHECK(net->first->weight.dtype() == kHalf);
  CHECK(net->first->weight.device() == Device("sim:0"));
  CHECK(message<DtypeError>([&] { net->to(kLong); }).find("floating point") != std::string::npos);
}

TEST_CASE("a device that does not exist is an error before anything moves") {
  TwoLayers net;
  CHECK_THROWS_AS(net->to("sim:15"), DeviceError);
  for (const Tensor& parameter : net->parameters()) CHECK(parameter.device().is_cpu());
}

TEST_CASE("channels last reaches the 4-dimensional weights and keeps their values") {
  nn::Conv2d conv(3, 2, 5);
  const std::vector<double> before = values(conv->weight);
  const Tensor handle = conv->weight;
  conv->to(MemoryFormat::ChannelsLast);
  CHECK(conv->weight.is_contiguous(MemoryFormat::ChannelsLast));
  CHECK(conv->weight.is_same(handle));
  CHECK(values(conv->weight) == before);
  CHECK(conv->bias.is_contiguous());
}

TEST_CASE("a copy has its own memory, on the requested device") {
  for (const Device device : devices()) {
    TwoLayers net;
    ramp(net->norm->running_mean, 1, 1);
    net->first->bias.requires_grad_(false);
    const auto copy = std::dynamic_pointer_cast<TwoLayersImpl>(net->clone(device));
    REQUIRE(copy);
    CHECK(copy->first->weight.device() == device);
    CHECK(values(copy->first->weight) == values(net->first->weight));
    CHECK(values(copy->norm->running_mean) == values(net->norm->running_mean));
    CHECK_FALSE(copy->first->bias.requires_grad());
    nn::init::zeros_(copy->first->weight);
    CHECK(values(copy->first->weight) != values(net->first->weight));
  }
}

TEST_CASE("the error of cloning a module without reset() says what to derive from") {
  struct Plain : nn::Module {
    using nn::Module::Module;
  };
  CHECK(message<Error>([] { Plain("Plain").clone(); }) ==
        "clone() is not implemented for Plain; derive it from nn::Cloneable<Plain> and register "
        "parameters in reset()");
}

TEST_CASE("a layer that is replaced after the move stays on the host, and the error says where") {
  struct Net : nn::Module {
    Net() { last = register_module("last", nn::Linear(3, 1)); }
    Tensor forward(const Tensor& x) { return last(x); }
    nn::Linear last{nullptr};
  };
  Net net;
  net.to("sim:0");
  const Tensor x = ones({2, 3}, Device("sim:0"));
  net.last = net.replace_module("last", nn::Linear(3, 1));
  const std::string told = message<DeviceError>([&] { net.forward(x); });
  CHECK_THAT(told, Catch::Contains("\"weight\" is on cpu but \"input\" is on sim:0"));
  net.to("sim:0");
  CHECK(net.forward(x).device() == Device("sim:0"));
}

TEST_CASE("state that forward makes on the host does not follow the model") {
  struct Net : nn::Module {
    Tensor forward(const Tensor& x) { return layer(x) + ones({3}, x.options().device(state_on)); }
    nn::Linear layer = register_module("layer", nn::Linear(3, 3));
    Device state_on = kCPU;
  };
  Net net;
  net.to("sim:0");
  const Tensor x = ones({2, 3}, Device("sim:0"));
  CHECK(
      message<DeviceError>([&] { net.forward(x); }) ==
      "add: \"other\" is on cpu but \"input\" is on sim:0. All tensors of an operation must be on "
      "one device; move one with other.to(\"sim:0\").");
  net.state_on = x.device();  // where the input is
  CHECK(net.forward(x).device() == Device("sim:0"));
}
