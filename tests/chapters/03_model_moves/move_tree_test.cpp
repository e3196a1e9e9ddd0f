// Tests of move_tree.
#include "models.h"

namespace {

void backward(NetImpl& net, td::Device device) {
  td::manual_seed(5);
  net.forward(td::randn({33, 7}).to(device)).sum().backward();
}

void backward_in_double(NetImpl& net) { net.forward_to_double(td::ones({33, 7})).sum().backward(); }

}  // namespace

TEST_CASE("every parameter of the tree moves, values unchanged", "[move_tree]") {
  for (const td::Device device : check::devices()) {
    const auto net = make_net();
    const auto before = all_values(net->parameters());
    move_tree(*net, device);
    const auto parameters = net->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      check::expect_on(parameters[i], device, name_of(i));
      check::expect_close(check::values(parameters[i]), before[i], 0, name_of(i));
    }
  }
}

TEST_CASE("a parameter stays the same tensor", "[move_tree]") {
  const auto net = make_net();
  const auto held = net->parameters();  // what an optimizer made before the move holds
  move_tree(*net, "sim:0");
  const auto now = net->parameters();
  for (std::size_t i = 0; i < held.size(); ++i) {
    check::expect(held[i].is_same(now[i]),
                  name_of(i) +
                      " is another tensor after the move: an optimizer would go on with "
                      "the old one. Change what it shows with set_data");
    check::expect_on(held[i], "sim:0", name_of(i) + " as an optimizer holds it");
  }
}

TEST_CASE("dtypes stay, and so do the buffers", "[move_tree]") {
  const auto net = make_net();
  net->head->to(td::kFloat64);
  backward_in_double(*net);
  move_tree(*net, "sim:0");
  check::expect_dtype(net->head->weight, td::kFloat64, "head.weight, which was float64,");
  check::expect_dtype(net->head->weight.grad(), td::kFloat64, "the gradient of head.weight");
  check::expect_dtype(net->body->parameters()[0], td::kFloat32, "body.0.weight");
  for (const auto& item : net->named_buffers())
    check::expect_on(item.value(), "cpu", "the buffer " + item.key() + ", which must stay,");
}

TEST_CASE("nothing is copied that is on the device already", "[move_tree]") {
  for (const td::Device device : check::devices()) {
    const auto net = make_net();
    net->to(device);
    backward(*net, device);
    std::vector<td::Tensor> tensors = net->parameters();
    for (const td::Tensor& p : net->parameters()) tensors.push_back(p.grad());
    const auto before = addresses(tensors);
    move_tree(*net, device);
    tensors = net->parameters();
    for (const td::Tensor& p : net->parameters()) tensors.push_back(p.grad());
    check::expect(addresses(tensors) == before,
                  "a model that was on " + device.str() +
                      " already has new memory: compare the devices before you copy");
  }
}

TEST_CASE("the parameters are copied, and nothing else", "[move_tree]") {
  const auto net = make_net();
  std::uint64_t expected = 0;
  for (const td::Tensor& parameter : net->parameters()) expected += parameter.nbytes();
  const std::uint64_t bytes = copied_bytes([&] { move_tree(*net, "sim:0"); });
  check::expect(bytes == expected, "the parameters have " + std::to_string(expected) +
                                       " bytes, and none has a gradient; " + std::to_string(bytes) +
                                       " bytes were copied: the buffers must stay, and each "
                                       "parameter is copied once");
}

TEST_CASE("a model on several devices is moved to one", "[move_tree]") {
  const auto net = make_net();
  net->to(td::Device("sim:0"));
  net->head->to(td::Device("sim:1"));
  const auto before = all_values(net->parameters());
  const auto body = addresses(net->body->parameters());
  move_tree(*net, "sim:0");
  check::expect(addresses(net->body->parameters()) == body,
                "the body was on sim:0 already, and has new memory after the head was moved: "
                "copy only what is on another device");
  const auto parameters = net->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    check::expect_on(parameters[i], "sim:0", name_of(i));
    check::expect_close(check::values(parameters[i]), before[i], 0, name_of(i));
  }
}

TEST_CASE("pending work on the source is part of the values", "[move_tree]") {
  const auto net = make_net();
  net->to(td::Device("sim:0"));
  const td::Stream stream = td::getStreamFromPool("sim:0");
  const td::StreamGuard guard(stream);
  td::synchronize("sim:0");
  {
    const td::NoGradGuard no_grad;
    check::keep_busy(stream);
    for (td::Tensor p : net->parameters()) {
      p.record_stream(stream);  // a move that throws frees the model while these fills run
      p.fill_(49);
    }
  }
  move_tree(*net, "cpu");
  for (const td::Tensor& p : net->parameters())
    check::expect_close(check::values(p), std::vector<double>(check::values(p).size(), 49), 0,
                        "a parameter that a queued operation was still changing");
  check::expect(td::GradMode::is_enabled(), "gradients are still disabled after the move");
}

TEST_CASE("gradients move with their parameters", "[move_tree]") {
  const auto net = make_net();
  backward(*net, "cpu");
  std::vector<td::Tensor> gradients;
  for (const td::Tensor& p : net->parameters()) gradients.push_back(p.grad().clone());
  move_tree(*net, "sim:0");
  const auto parameters = net->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const td::Tensor& gradient = parameters[i].grad();
    check::expect(gradient.defined(), "the gradient of " + name_of(i) + " is gone after the move");
    check::expect_on(gradient, "sim:0", "the gradient of " + name_of(i));
    check::expect_close(gradient, gradients[i], 0, "the gradient of " + name_of(i));
    check::expect(!gradient.requires_grad(),
                  "the gradient of " + name_of(i) + " requires grad after the move");
  }
}

TEST_CASE("a gradient moves even if its parameter is there already", "[move_tree]") {
  const auto net = make_net();
  backward(*net, "cpu");
  for (const td::Tensor& p : net->parameters()) p.set_data(p.detach().to("sim:0"));
  move_tree(*net, "sim:0");
  const auto parameters = net->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    check::expect_on(parameters[i].grad(), "sim:0",
                     "the gradient of " + name_of(i) + ", whose parameter was on sim:0 already");
}

TEST_CASE("a parameter without a gradient has none afterwards", "[move_tree]") {
  const auto net = make_net();
  move_tree(*net, "sim:0");
  for (const td::Tensor& p : net->parameters())
    check::expect(!p.grad().defined(), "no backward was run, but a parameter has a gradient");
}

TEST_CASE("parameters stay leaves and keep requires_grad", "[move_tree]") {
  const auto net = make_net();
  net->head->weight.set_requires_grad(false);  // a frozen layer
  net->head->weight.mutable_grad() = td::ones({3, 31});
  move_tree(*net, "sim:0");
  check::expect_on(net->head->weight.grad(), "sim:0", "the gradient of the frozen weight");
  check::expect_on(net->head->weight, "sim:0", "the frozen weight");
  check::expect(!net->head->weight.requires_grad(), "the frozen weight requires a gradient again");
  check::expect(net->head->bias.requires_grad(), "head.bias does not require a gradient any more");
  for (const td::Tensor& p : net->parameters())
    check::expect(p.is_leaf(),
                  "a parameter is the result of a recorded copy: move without recording");
}

TEST_CASE("the model can be trained after the move", "[move_tree]") {
  const auto net = make_net();
  backward(*net, "cpu");
  move_tree(*net, "sim:0");
  net->body->to(td::Device("sim:0"));  // the buffers are another exercise
  backward(*net, "sim:0");
  const auto twice = make_net();
  backward(*twice, "cpu");
  const td::Tensor once = twice->head->weight.grad();
  check::expect_close(net->head->weight.grad(), once * 2, 1e-3,
                      "the gradient of head.weight after two backwards");
}
