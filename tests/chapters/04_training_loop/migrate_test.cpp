// Tests of migrate_one_by_one and migrate_to_one.
#include "loops.h"

namespace {

struct Program {
  td::nn::Sequential net = make_net();
  td::nn::CrossEntropyLoss loss_fn{td::nn::CrossEntropyLossOptions().weight(td::ones({3}))};
  Batch batch = make_batch(5);

  void expect_on(td::Device device) {
    for (const auto& item : net->named_parameters())
      check::expect_on(item.value(), device, "the model's " + item.key());
    for (const auto& item : net->named_buffers())
      check::expect_on(item.value(), device, "the model's " + item.key());
    check::expect_on(loss_fn->weight, device, "the class weights of the loss function");
    check::expect_on(batch.data, device, "the images");
    check::expect_on(batch.target, device, "the targets");
    check::expect_dtype(batch.target, td::kInt64, "the targets");
  }
  void expect_step() {
    const td::Tensor loss = loss_fn(net->forward(batch.data), batch.target);
    loss.backward();
    check::expect(loss.item<float>() > 0,
                  "the loss of a step after the migration should be above 0");
  }
};

std::vector<td::DeviceType> kinds() {
  std::vector<td::DeviceType> all = {td::kSIM};
  if (td::device_count(td::kCUDA) > 0) all.push_back(td::kCUDA);
  return all;
}

}  // namespace

TEST_CASE("object by object: everything is on the device", "[migrate]") {
  for (const td::DeviceType kind : kinds()) {
    Program program;
    migrate_one_by_one(*program.net, *program.loss_fn, program.batch, kind);
    program.expect_on(td::Device(kind, 0));
    program.expect_step();
  }
}

TEST_CASE("one device for all: everything is on the device", "[migrate]") {
  for (const td::DeviceType kind : kinds()) {
    Program program;
    const td::Device device = migrate_to_one(*program.net, *program.loss_fn, program.batch, kind);
    check::expect(
        device == td::Device(kind, 0),
        "the device chosen: expected " + td::Device(kind, 0).str() + ", got " + device.str());
    program.expect_on(device);
    program.expect_step();
  }
}

TEST_CASE("without a GPU both styles stay on the cpu", "[migrate]") {
  if (td::device_count(td::kCUDA) > 0)
    check::skip("this machine has a GPU; the case needs one without");
  Program first, second;
  try {
    migrate_one_by_one(*first.net, *first.loss_fn, first.batch, td::kCUDA);
  } catch (const td::DeviceError& error) {
    check::expect(
        false,
        std::string("object by object, without a GPU, nothing must be moved; one object was: ") +
            error.what());
  }
  first.expect_on("cpu");
  const td::Device device = migrate_to_one(*second.net, *second.loss_fn, second.batch, td::kCUDA);
  check::expect(device == td::Device("cpu"),
                "the device chosen without a GPU: expected cpu, got " + device.str());
  second.expect_on("cpu");
}
