// Tests of replicate.
#include "replicas.h"

TEST_CASE("each replica is on its device, with the model's values", "[replicate]") {
  for (const auto& devices : device_lists()) {
    const td::nn::Sequential model = make_model(devices[0]);
    const auto replicas = replicate(model, devices);
    check::expect(replicas.size() == devices.size(), "one replica for each device was expected, " +
                                                         std::to_string(replicas.size()) +
                                                         " came for " + named(devices));
    const auto state = model->state_dict();
    for (std::size_t r = 0; r < replicas.size(); ++r) {
      const auto own = replicas[r]->state_dict();
      for (const auto& item : state) {
        const std::string what = item.key() + " of replica " + std::to_string(r);
        check::expect_on(own[item.key()], devices[r], what);
        check::expect_close(own[item.key()], item.value(), 0, what);
      }
    }
  }
}

TEST_CASE("replica 0 is the model, so that its buffers stay", "[replicate]") {
  td::nn::Sequential model = make_model("sim:0");
  auto replicas = replicate(model, {"sim:0", "sim:1"});
  replicas[0]->forward(counted(4, 3, "sim:0"));
  check::expect_close(check::values(model->buffers()[2])[0], 1, 0,
                      "the count of batches in the model, after a forward of replica 0");
  check::expect(replicas[0]->parameters()[0].is_same(model->parameters()[0]),
                "replica 0 has other parameters than the model: optimizer and gradients miss each "
                "other");
}

TEST_CASE("other replicas have their own memory, and the model stays where it is", "[replicate]") {
  for (const auto& devices : device_lists()) {
    const td::nn::Sequential model = make_model(devices[0]);
    const auto before = check::values(model->parameters()[0]);
    const auto replicas = replicate(model, devices);
    {
      const td::NoGradGuard no_grad;
      td::Tensor weight = replicas[1]->parameters()[0];
      weight.fill_(7);
    }
    check::expect_on(model->parameters()[0], devices[0], "the model's weight");
    check::expect_close(check::values(model->parameters()[0]), before, 0,
                        "the model's weight, after replica 1's was changed, on " + named(devices));
  }
}

TEST_CASE("the gradients of the model stay", "[replicate]") {
  td::nn::Sequential model = make_model("sim:0");
  const td::Tensor bias = model->parameters()[1];
  bias.mutable_grad() = td::full({2}, 3.0).to("sim:0");
  replicate(model, {"sim:0", "sim:1"});
  check::expect(bias.grad().defined(),
                "the bias of the model had a gradient before replicate, and has none afterwards");
  check::expect_close(bias.grad(), td::full({2}, 3.0), 0, "the gradient of the model's bias");
}

TEST_CASE("replicas have the modes and the frozen layers of the model", "[replicate]") {
  td::nn::Sequential model = make_model("sim:0");
  model->eval();
  model->parameters()[0].requires_grad_(false);
  const auto replicas = replicate(model, {"sim:0", "sim:1"});
  check::expect(!replicas[1]->is_training(), "the model is in evaluation mode, replica 1 is not");
  check::expect(!replicas[1]->parameters()[0].requires_grad(),
                "a frozen weight of the model requires grad in replica 1");
  check::expect(replicas[1]->parameters()[1].requires_grad(),
                "a bias that is trained does not require grad in replica 1");
}

TEST_CASE("a model on another device is an error that names both devices", "[replicate]") {
  const td::nn::Sequential model = make_model("cpu");
  check::expect_throws<td::DeviceError>(
      [&] {
        replicate(model, {"sim:0", "sim:1"});
      },
      {"sim:0", "cpu"}, "a model on the cpu for sim devices");
  const td::nn::Sequential half = make_model("sim:0");
  half->buffers()[0].set_data(half->buffers()[0].to("sim:1"));
  check::expect_throws<td::DeviceError>(
      [&] {
        replicate(half, {"sim:0", "sim:1"});
      },
      {"sim:0", "sim:1"}, "a model with a buffer elsewhere");
  td::nn::Sequential split(td::nn::Linear(3, 2), td::nn::Linear(2, 2));
  split->to("sim:0");
  split->children()[1]->to("sim:1");
  check::expect_throws<td::DeviceError>(
      [&] {
        replicate(split, {"sim:0", "sim:1"});
      },
      {"sim:0", "sim:1"}, "a model with its second layer elsewhere");
}

TEST_CASE("a device may be given without an index", "[replicate]") {
  const auto replicas = replicate(make_model("sim:0"), {"sim", "sim:1"});  // sim:0 is current
  check::expect_on(replicas[0]->parameters()[0], "sim:0", "a parameter of the model");
  check::expect_on(replicas[1]->parameters()[0], "sim:1", "a parameter of replica 1");
  const td::DeviceGuard current("sim:1");
  const auto others = replicate(make_model("sim:1"), {"sim", "sim:0", "sim"});
  const char* const expected[] = {"sim:1", "sim:0", "sim:1"};
  for (std::size_t r = 0; r < 3; ++r)
    check::expect_on(others[r]->parameters()[0], expected[r],
                     "a parameter of replica " + std::to_string(r) +
                         " on {sim, sim:0, sim}, where sim:1 is the current sim device");
}

TEST_CASE("replicas on one device share nothing", "[replicate]") {
  const auto replicas = replicate(make_model("sim:0"), {"sim:0", "sim:1", "sim:1"});
  const auto first = replicas[1]->parameters(), second = replicas[2]->parameters();
  for (std::size_t p = 0; p < first.size(); ++p)
    check::expect(first[p].data_ptr() != second[p].data_ptr(),
                  "replicas 1 and 2 on sim:1 share the memory of parameter " + std::to_string(p));
}

TEST_CASE("every layer keeps its own mode, in the model and in the copies", "[replicate]") {
  td::nn::Sequential model = make_model("sim:0");
  model->children()[1]->eval();  // frozen statistics in a model that trains
  const auto replicas = replicate(model, {"sim:0", "sim:1"});
  for (std::size_t r = 0; r < 2; ++r) {
    const std::string where = r == 0 ? "the model" : "replica 1";
    check::expect(replicas[r]->is_training() && replicas[r]->children()[0]->is_training(),
                  "the model trains; layer 0 of " + where + " is in evaluation mode");
    check::expect(!replicas[r]->children()[1]->is_training(),
                  "batch norm is in evaluation mode in a model that trains; in " + where +
                      " it is in training mode");
  }
}

TEST_CASE("the tensors of the model keep their memory", "[replicate]") {
  for (const auto& devices : device_lists()) {
    td::nn::Sequential model = make_model(devices[0]);
    std::vector<td::Tensor> tensors = model->parameters();
    for (const td::Tensor& buffer : model->buffers()) tensors.push_back(buffer);
    std::vector<td::Tensor> before;  // views of the memory that the tensors have now
    for (const td::Tensor& tensor : tensors) before.push_back(tensor.detach());
    const auto replicas = replicate(model, devices);
    for (std::size_t t = 0; t < tensors.size(); ++t)
      check::expect(tensors[t].data_ptr() == before[t].data_ptr(),
                    "tensor " + std::to_string(t) +
                        " of the model has other memory after "
                        "replicate on " +
                        named(devices) +
                        ": a view of it, or an optimizer that "
                        "holds its memory, now sees old values");
    for (std::size_t r = 1; r < replicas.size(); ++r) {
      std::vector<td::Tensor> copies = replicas[r]->parameters();
      for (const td::Tensor& buffer : replicas[r]->buffers()) copies.push_back(buffer);
      for (std::size_t t = 0; t < tensors.size(); ++t)
        check::expect(copies[t].data_ptr() != before[t].data_ptr(),
                      "tensor " + std::to_string(t) + " of replica " + std::to_string(r) +
                          " shares the memory of the model on " + named(devices));
    }
  }
}

TEST_CASE("with one device the model is the only replica", "[replicate]") {
  const td::nn::Sequential model = make_model("sim:1");
  const auto replicas = replicate(model, {"sim:1"});
  check::expect(replicas.size() == 1,
                "one device: expected 1 model, got " + std::to_string(replicas.size()));
  check::expect(replicas[0]->parameters()[0].is_same(model->parameters()[0]),
                "replica 0 is not the model");
}
