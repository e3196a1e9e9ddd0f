// Tests of devices_of.
#include "models.h"

namespace {

void expect_devices(const td::nn::Module& model, const std::vector<td::Device>& expected,
                    const std::string& what) {
  const auto text = [](const std::vector<td::Device>& devices) {
    std::string all = "{";
    for (const td::Device device : devices) all += (all.size() > 1 ? ", " : "") + device.str();
    return all + "}";
  };
  const std::vector<td::Device> got = devices_of(model);
  check::expect(got == expected, what + ": expected " + text(expected) + ", got " + text(got) +
                                     ". List parameters first, then buffers, each device once");
}

}  // namespace

TEST_CASE("a model on one device", "[devices_of]") {
  for (const td::Device device : check::devices()) {
    const auto net = make_net();
    net->to(device);
    expect_devices(*net, {device}, "a model on " + device.str());
  }
}

TEST_CASE("a model on two devices", "[devices_of]") {
  const auto net = make_net();
  net->head->to(td::Device("sim:0"));
  expect_devices(*net, {"cpu", "sim:0"}, "a model whose head was moved to sim:0");
}

TEST_CASE("frozen parameters have a device, too", "[devices_of]") {
  const auto net = make_net();
  net->head->to(td::Device("sim:0"));
  for (const td::Tensor& parameter : net->head->parameters()) parameter.set_requires_grad(false);
  expect_devices(*net, {"cpu", "sim:0"}, "a model whose head is frozen and on sim:0");
}

TEST_CASE("a model whose buffers are on another device", "[devices_of]") {
  const auto net = make_net();
  net->to(td::Device("sim:0"));
  for (const td::Tensor& buffer : net->buffers()) buffer.set_data(buffer.cpu());
  expect_devices(*net, {"sim:0", "cpu"}, "a model on sim:0 with its buffers on cpu");
}

TEST_CASE("two devices of one kind are two devices", "[devices_of]") {
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
  const auto net = make_net();
  net->to(td::Device("sim:1"));
  net->head->to(td::Device("sim:0"));
  expect_devices(*net, {"sim:1", "sim:0"}, "a model over sim:1 and sim:0");
}

TEST_CASE("parameters come before buffers, at every depth", "[devices_of]") {
  const auto net = make_net();
  net->head->to(td::Device("sim:0"));
  for (const td::Tensor& buffer : net->buffers()) buffer.set_data(buffer.to("sim:1"));
  expect_devices(*net, {"cpu", "sim:0", "sim:1"},
                 "a model with parameters on cpu and sim:0 and buffers on sim:1");
}

TEST_CASE("a model with buffers only", "[devices_of]") {
  td::nn::Module table;
  table.register_buffer("positions", td::arange(4).to("sim:0"));
  expect_devices(table, {"sim:0"}, "a model whose only tensor is a buffer");
}

TEST_CASE("a model without parameters and buffers", "[devices_of]") {
  const td::nn::ReLU relu;
  expect_devices(*relu, {}, "a ReLU, which has nothing to move");
}
