// Tests of host_adam against td::optim::Adam on the device: the same parameters, no optimizer state
// on the device, the copies, and each of its waits.
#include "copies.h"
#include "exercises.h"
#include "lanes.h"

namespace {

// Odd sizes, a parameter of one element, and a layer that the forward pass can leave out.
struct Model {
  explicit Model(td::Device device = kSim, td::ScalarType dtype = td::kFloat32) {
    td::manual_seed(7);
    first = td::nn::Linear(31, 33);
    unused = td::nn::Linear(33, 33);
    second = td::nn::Linear(33, 5);
    scale = td::ones({1}).to(device, dtype).requires_grad_();
    for (td::nn::Linear* layer : {&first, &unused, &second}) {
      (*layer)->to(device);
      (*layer)->to(dtype);
    }
    x = td::randn({9, 31}).to(device, dtype);
  }
  td::TensorList parameters() {
    td::TensorList all;
    for (td::nn::Linear* layer : {&first, &unused, &second})
      for (const td::Tensor& parameter : (*layer)->parameters()) all.push_back(parameter);
    all.push_back(scale);
    return all;
  }
  void backward(bool all_layers = true) {
    td::Tensor h = first->forward(x).tanh();
    if (all_layers) h = unused->forward(h).tanh();
    (second->forward(h) * scale).square().mean().backward();
  }

  td::nn::Linear first{nullptr}, unused{nullptr}, second{nullptr};
  td::Tensor scale, x;
};

std::size_t bytes_of(const td::TensorList& tensors) {
  std::size_t bytes = 0;
  for (const td::Tensor& tensor : tensors) bytes += tensor.nbytes();
  return bytes;
}

void expect_same(Model& model, Model& plain, const std::string& when) {
  const td::TensorList got = model.parameters(), expected = plain.parameters();
  for (std::size_t i = 0; i < got.size(); ++i)
    check::expect_close(
        got[i], expected[i], 1e-6,
        "parameter " + std::to_string(i) + " " + when + ", compared with Adam on the device");
}

td::optim::AdamOptions options() { return td::optim::AdamOptions(0.01).weight_decay(0.1); }

// One step of Adam on the device.
void plain_step(Model& plain, td::optim::Adam& adam, bool all_layers = true) {
  plain.backward(all_layers);
  adam.step();
  adam.zero_grad(/*set_to_none=*/true);
}

}  // namespace

TEST_CASE("the parameters are those of Adam on the device, whatever the buckets", "[host_adam]") {
  for (const td::Device device : check::devices()) {
    if (device.is_cpu()) continue;
    for (const std::size_t bucket_bytes : {1, 1000, 1 << 20}) {
      Model plain(device), model(device);
      td::optim::Adam adam(plain.parameters(), options());
      HostAdam host_adam(model.parameters(), options(), bucket_bytes);
      for (int step = 0; step < 6; ++step) {
        const bool all_layers = step != 1 && step != 4;
        plain_step(plain, adam, all_layers);
        model.backward(all_layers);
        host_adam.step();
        expect_same(model, plain,
                    "after step " + std::to_string(step) + " on " + device.str() +
                        " with buckets of " + std::to_string(bucket_bytes) +
                        " bytes (in steps 1 and 4, parameters 2 and 3 have no gradient)");
      }
    }
  }
}

TEST_CASE("a step without any gradient changes nothing", "[host_adam]") {
  Model plain, model;
  td::optim::Adam adam(plain.parameters(), options());
  HostAdam host_adam(model.parameters(), options(), 1000);
  for (const bool with_gradients : {true, false, true}) {
    if (with_gradients) plain_step(plain, adam);
    if (with_gradients) model.backward();
    host_adam.step();
    expect_same(model, plain, with_gradients ? "after a step" : "after a step without gradients");
  }
}

TEST_CASE("parameters are right on any current stream", "[host_adam]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 3000});
  Model plain, model;
  td::optim::Adam adam(plain.parameters(), options());
  HostAdam host_adam(model.parameters(), options(), 1000);
  for (int step = 0; step < 3; ++step) plain_step(plain, adam);
  td::synchronize(kSim);
  RaceWatch races;
  const td::StreamGuard guard(td::getStreamFromPool(kSim));
  for (int step = 0; step < 3; ++step) {
    model.backward();
    host_adam.step();
  }
  races.expect_none();
  expect_same(model, plain, "after 3 steps on a stream of the pool");
}

TEST_CASE("backward does not wait for the device", "[host_adam]") {
  Model plain, model;
  td::optim::Adam adam(plain.parameters(), options());
  HostAdam host_adam(model.parameters(), options(), 1);
  plain_step(plain, adam);
  td::synchronize(kSim);
  RaceWatch races;
  Gate gate;
  gate.hold(td::getCurrentStream(kSim));
  model.backward();
  check::expect(!gate.has_expired(),
                "a hook waits for the device: copy gradients to pinned memory with non_blocking, "
                "and let to_host_ wait, not the host");
  gate.open();
  host_adam.step();
  races.expect_none();
  expect_same(model, plain, "after a step");
}

TEST_CASE("step waits for gradients only, and the next forward pass for the parameters",
          "[host_adam]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 3000});
  Model plain, model;
  td::optim::Adam adam(plain.parameters(), options());
  HostAdam host_adam(model.parameters(), options(), 1);
  for (int step = 0; step < 2; ++step) {
    plain_step(plain, adam);
    model.backward();
    Gate gate;  // the host does not wait for work enqueued after the backward pass
    gate.hold(td::getCurrentStream(kSim));
    host_adam.step();
    check::expect(!gate.has_expired(),
                  "step() waits for work that was enqueued after the backward pass: wait for the "
                  "events of the buckets, not for a stream that computes, or the device");
  }
  expect_same(model, plain, "after 2 steps over a slow link");
}

TEST_CASE("each bucket is updated as soon as its own gradients have arrived", "[host_adam]") {
  Model model;
  HostAdam host_adam(model.parameters(), options(), 1);
  // The backward pass stops in front of the first layer: a hook holds the stream there.
  Gate gate;
  bool later_came = false;
  td::Tensor h = model.first->forward(model.x).tanh();
  h.register_hook([&](const td::Tensor&) { gate.hold(td::getCurrentStream(kSim)); });
  (model.second->forward(model.unused->forward(h).tanh()) * model.scale).square().mean().backward();
  // Looks at the device's memory as a kernel does, outside of all streams.
  const td::Tensor scale = model.scale.detach();
  const volatile float* there =
      static_cast<const volatile float*>(td::sim::kernel_view(kSim.index(), scale.data_ptr()));
  std::jthread watcher([&] {
    for (int i = 0; i < 1000 && !later_came; ++i) {
      later_came = there[0] != 1.0f;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    gate.open();
  });
  host_adam.step();
  watcher.join();
  check::expect(later_came,
                "the last parameter was not updated while the device computes the gradients of the "
                "first layer: wait for one bucket at a time, record `arrived` after the copies of "
                "that bucket, and let to_device_ wait for no other stream");
}

TEST_CASE("gradients and parameters are copied once, between the device and pinned memory",
          "[host_adam]") {
  Model model;
  const std::size_t all = bytes_of(model.parameters());
  HostAdam host_adam(model.parameters(), options(), 1000);
  for (const bool all_layers : {true, false}) {
    const std::size_t expected = all_layers ? all : all - bytes_of(model.unused->parameters());
    const std::string step = all_layers ? "in a step" : "in a step without gradients for a layer";
    const Copies copies = copies_of([&] {
      model.backward(all_layers);
      host_adam.step();
    });
    check::expect(copies.pageable.empty(), "a copy was \"" + copies.pageable +
                                               "\": masters and gradients need pinned memory");
    check::expect(copies.to_host == expected, std::to_string(copies.to_host) +
                                                  " bytes were copied to the host " + step +
                                                  ", expected " + std::to_string(expected));
    check::expect(copies.to_device == expected, std::to_string(copies.to_device) +
                                                    " bytes were copied to the device " + step +
                                                    ", expected " + std::to_string(expected) +
                                                    ": the parameters that have a gradient, once");
  }
}

TEST_CASE("gradients and Adam's averages leave the device", "[host_adam]") {
  Model model;
  const std::size_t parameters = bytes_of(model.parameters());
  HostAdam host_adam(model.parameters(), options());
  const auto allocated = [] {
    td::synchronize(kSim);
    return td::memory_stats(kSim).allocated;
  };
  const std::size_t before = allocated();
  for (int step = 0; step < 2; ++step) {
    model.backward();
    const std::size_t between = allocated();
    check::expect(between == before,
                  std::to_string(between - before) +
                      " bytes of the device are still in use between "
                      "backward() and step(): free each gradient after its copy was enqueued; the "
                      "parameters have " +
                      std::to_string(parameters) + " bytes");
    host_adam.step();
    check::expect(allocated() == before, "step() leaves " + std::to_string(allocated() - before) +
                                             " more bytes allocated on the device");
    for (const td::Tensor& parameter : model.parameters())
      check::expect(!parameter.grad().defined(), "a parameter has a gradient after step()");
  }
}

TEST_CASE("parameters keep their memory and their type", "[host_adam]") {
  for (const td::ScalarType dtype : {td::kFloat32, td::kBFloat16, td::kFloat64}) {
    Model model(kSim, dtype);
    const td::TensorList parameters = model.parameters();
    td::TensorList views, before;
    for (const td::Tensor& parameter : parameters) {
      views.push_back(parameter.detach().view({-1}));
      before.push_back(parameter.detach().clone());
    }
    HostAdam host_adam(parameters, options());
    model.backward();
    host_adam.step();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string which = "parameter " + std::to_string(i);
      check::expect_dtype(parameters[i], dtype, which);
      check::expect(parameters[i].requires_grad() && parameters[i].is_leaf(),
                    which + " is no longer a leaf that requires grad");
      check::expect(!td::equal(parameters[i].detach(), before[i]), which + " was not updated");
      check::expect(td::equal(views[i], parameters[i].detach().view({-1})),
                    "a view of " + which + " does not see the update: write into its memory");
    }
  }
}

TEST_CASE("parameters of 16 bits follow a float32 copy, which keeps small steps", "[host_adam]") {
  Model model(kSim, td::kBFloat16);
  HostAdam host_adam(model.parameters(), td::optim::AdamOptions(1e-4));
  td::TensorList masters;  // the same by hand
  for (const td::Tensor& parameter : model.parameters())
    masters.push_back(parameter.detach().to("cpu", td::kFloat32));
  td::optim::Adam adam(masters, td::optim::AdamOptions(1e-4));
  for (int step = 0; step < 4; ++step) {
    Model twin(kSim, td::kBFloat16);  // gradients for the masters, at the parameters of now
    const td::TensorList from = model.parameters(), to = twin.parameters();
    {
      const td::NoGradGuard no_grad;
      for (std::size_t i = 0; i < to.size(); ++i) to[i].copy_(from[i]);
    }
    twin.backward();
    for (std::size_t i = 0; i < to.size(); ++i)
      masters[i].mutable_grad() = to[i].grad().to("cpu", td::kFloat32);
    adam.step();
    model.backward();
    host_adam.step();
  }
  const td::TensorList parameters = model.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    check::expect_close(parameters[i].cpu(), masters[i].to(td::kBFloat16), 0,
                        "bfloat16 parameter " + std::to_string(i) +
                            ", compared with a float32 copy after 4 steps, rounded");
}

TEST_CASE("a second backward pass before the step is an error that leaves the optimizer usable",
          "[host_adam]") {
  Model plain, model;
  td::optim::Adam adam(plain.parameters(), options());
  HostAdam host_adam(model.parameters(), options());
  model.backward();
  check::expect_throws<td::Error>([&] { model.backward(); }, {"step()"},
                                  "a second backward() before step()");
  host_adam.step();  // of the first gradients
  plain_step(plain, adam);
  const td::TensorList parameters = model.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    check::expect(!parameters[i].grad().defined(),
                  "parameter " + std::to_string(i) +
                      " has a gradient after step(); it is from the second backward(), which was "
                      "an error, and the next backward() would add to it");
  expect_same(model, plain, "after a second backward() that failed");
  model.backward();
  host_adam.step();
  plain_step(plain, adam);
  expect_same(model, plain, "one step later");
}

TEST_CASE("the hooks end with the optimizer", "[host_adam]") {
  Model model;
  { const HostAdam host_adam(model.parameters(), options(), 1000); }
  model.backward();
  for (const td::Tensor& parameter : model.parameters())
    check::expect(parameter.grad().defined(),
                  "after the end of the HostAdam a gradient was taken: remove the hooks");
  for (const td::Tensor& parameter : model.parameters()) parameter.mutable_grad() = td::Tensor();
  Model plain;
  td::optim::Adam adam(plain.parameters(), options());
  {
    HostAdam next(model.parameters(), options());  // another optimizer for the same model
    plain_step(plain, adam);
    model.backward();
    next.step();
  }
  expect_same(model, plain, "after a step of the second HostAdam");
}

TEST_CASE("step returns before the parameters are copied to the device", "[host_adam]") {
  for (const td::ScalarType dtype : {td::kFloat32, td::kBFloat16}) {
    Model model(kSim, dtype);
    HostAdam host_adam(model.parameters(), options(), 1);
    model.backward();
    td::synchronize(kSim);  // all gradients have arrived
    Gate gate;
    for (int i = 0; i < 32; ++i)
      gate.hold(td::getStreamFromPool(kSim));  // to_device_ is among them
    host_adam.step();
    check::expect(!gate.has_expired(),
                  "step() waits for the copies of the updated parameters to the device: copy with "
                  "non_blocking, and let the current stream wait for to_device_, not the host");
  }
}
