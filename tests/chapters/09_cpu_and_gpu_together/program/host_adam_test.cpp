// Tests of chapter 09's HostAdam against td::optim::Adam beside the model: the same parameters,
// nothing of the optimizer left on the device, and each of its waits. The race finder looks on.
#include <catch2/catch.hpp>

#include "../../../../chapters/09_cpu_and_gpu_together/host_adam.h"
#include "sim_work.h"

namespace {

const td::Device kDevice("sim:0");

// Odd sizes, and a layer that the forward may pass by.
struct Model {
  explicit Model(td::ScalarType dtype = td::kFloat32) {
    td::manual_seed(7);
    first = td::nn::Linear(31, 33);
    unused = td::nn::Linear(33, 33);
    second = td::nn::Linear(33, 5);
    for (td::nn::Linear* layer : {&first, &unused, &second}) {
      (*layer)->to(kDevice);
      (*layer)->to(dtype);
    }
    x = td::randn({9, 31}, td::TensorOptions(dtype).device(kDevice));
  }
  td::TensorList parameters() {
    td::TensorList all;
    for (td::nn::Linear* layer : {&first, &unused, &second})
      for (const td::Tensor& parameter : (*layer)->parameters()) all.push_back(parameter);
    return all;
  }
  void backward(bool all_layers) {
    td::Tensor h = first->forward(x).tanh();
    if (all_layers) h = unused->forward(h).tanh();
    second->forward(h).square().mean().backward();
  }

  td::nn::Linear first{nullptr}, unused{nullptr}, second{nullptr};
  td::Tensor x;
};

void expect_same_parameters(Model& a, Model& b) {
  const td::TensorList left = a.parameters(), right = b.parameters();
  for (std::size_t i = 0; i < left.size(); ++i) {
    INFO("parameter " << i);
    CHECK(td::equal(left[i], right[i]));
  }
}

td::optim::AdamOptions options() { return td::optim::AdamOptions(0.01).weight_decay(0.1); }

}  // namespace

TEST_CASE("the parameters are those that Adam makes on the device, whatever the buckets") {
  for (const std::size_t bucket_bytes : {1, 1000, 1 << 20}) {
    INFO("buckets of " << bucket_bytes << " bytes");
    Model plain, offloaded;
    td::optim::Adam adam(plain.parameters(), options());
    HostAdam host_adam(offloaded.parameters(), options(), bucket_bytes);
    for (int step = 0; step < 6; ++step) {
      const bool all_layers = step % 3 != 1;  // in step 1 and 4 a layer has no gradient
      plain.backward(all_layers);
      adam.step();
      adam.zero_grad(/*set_to_none=*/true);
      offloaded.backward(all_layers);
      host_adam.step();
    }
    expect_same_parameters(offloaded, plain);
  }
}

TEST_CASE("the next forward waits for the parameters, and the host for nothing but gradients") {
  const td::sim::Link before = td::sim::link();
  td::sim::set_link({.gb_per_s = 12, .latency_us = 5000});
  Model plain, offloaded;
  td::optim::Adam adam(plain.parameters(), options());
  HostAdam host_adam(offloaded.parameters(), options(), 1);
  for (int step = 0; step < 2; ++step) {
    plain.backward(true);
    adam.step();
    adam.zero_grad(/*set_to_none=*/true);
    offloaded.backward(true);
    test::Gate gate;  // whatever comes behind the backward is none of the host's concern
    gate.hold(td::getCurrentStream(kDevice));
    host_adam.step();
  }
  expect_same_parameters(offloaded, plain);
  td::sim::set_link(before);
}

TEST_CASE("gradients and averages leave the device") {
  Model model;
  std::size_t parameters = 0;
  for (const td::Tensor& parameter : model.parameters()) parameters += parameter.nbytes();
  HostAdam host_adam(model.parameters(), options());
  const auto allocated = [] {
    td::synchronize(kDevice);
    return td::memory_stats(kDevice).allocated;
  };
  const std::size_t before = allocated();
  model.backward(true);
  host_adam.step();
  CHECK(allocated() == before);
  CHECK(before < 3 * parameters);
  for (const td::Tensor& parameter : model.parameters()) CHECK(!parameter.grad().defined());
}

TEST_CASE("parameters of 16 bits follow a float32 copy, which keeps small steps") {
  Model model(td::kBFloat16);
  HostAdam host_adam(model.parameters(), td::optim::AdamOptions(1e-4));
  td::TensorList masters;  // the same by hand
  for (const td::Tensor& parameter : model.parameters())
    masters.push_back(parameter.detach().to("cpu", td::kFloat32));
  td::optim::Adam adam(masters, td::optim::AdamOptions(1e-4));
  for (int step = 0; step < 4; ++step) {
    Model twin(td::kBFloat16);  // gradients for the masters, at the parameters of now
    const td::TensorList from = model.parameters(), to = twin.parameters();
    {
      const td::NoGradGuard no_grad;
      for (std::size_t i = 0; i < to.size(); ++i) to[i].copy_(from[i]);
    }
    twin.backward(true);
    for (std::size_t i = 0; i < to.size(); ++i)
      masters[i].mutable_grad() = to[i].grad().to("cpu", td::kFloat32);
    adam.step();
    model.backward(true);
    host_adam.step();
  }
  const td::TensorList parameters = model.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    CHECK(parameters[i].dtype() == td::kBFloat16);
    CHECK(td::equal(parameters[i].cpu(), masters[i].to(td::kBFloat16)));
  }
}

TEST_CASE("a second backward before the step is refused, and its end ends the hooks") {
  Model model;
  {
    HostAdam host_adam(model.parameters(), options());
    model.backward(true);
    CHECK_THROWS_WITH(model.backward(true), Catch::Contains("a second backward() before step()"));
  }
  model.backward(true);
  CHECK(model.parameters()[0].grad().defined());
}
