// Tests of repair_model: what the module knows, that it moves as a whole, and that all of it
// learns.
#include <set>

#include "models.h"

namespace {

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Fails unless the dictionary has exactly these names.
template <class Items>
void expect_names(const Items& items, const std::set<std::string>& expected,
                  const std::string& what) {
  std::set<std::string> names;
  for (const auto& item : items) names.insert(item.key());
  check::expect(names == expected,
                what + " should be " + joined(expected) + "; they are " + joined(names));
}

/// The same computation with the parameters of the model, on the cpu.
td::Tensor computed(const td::nn::Module& model, const td::Tensor& x) {
  const auto parameters = model.named_parameters();
  const auto at = [&](const std::string& name) { return parameters[name].detach().cpu(); };
  td::Tensor hidden = (x - 2) / 0.5;
  for (const std::string layer : {"layer0.", "layer1."})
    hidden = (hidden.matmul(at(layer + "weight").t()) + at(layer + "bias")).clamp_min(0);
  return hidden.matmul(at("head.weight").t()) + at("head.bias") + at("bias");
}

}  // namespace

TEST_CASE("the module knows its parameters and buffers", "[repair_model]") {
  const td::nn::AnyModule model = make_regressor();
  expect_names(model.ptr()->named_parameters(),
               {"bias", "head.bias", "head.weight", "layer0.bias", "layer0.weight", "layer1.bias",
                "layer1.weight"},
               "the parameters of the model, which the optimizer gets,");
  expect_names(model.ptr()->named_buffers(), {"mean", "scale"},
               "the buffers of the model, which move and are stored,");
  for (const td::Tensor& parameter : model.ptr()->parameters())
    check::expect(parameter.requires_grad() && parameter.is_leaf(),
                  "a parameter is no leaf that requires grad");
  for (const td::Tensor& buffer : model.ptr()->buffers())
    check::expect(!buffer.requires_grad(), "a buffer requires grad, so training would change it");
  check::expect_close(model.ptr()->named_buffers()["mean"], td::full({7}, 2.0), 0, "the mean");
  check::expect_close(model.ptr()->named_buffers()["scale"], td::full({7}, 0.5), 0, "the scale");
}

TEST_CASE("the model moves as a whole, and computes the same", "[repair_model]") {
  td::manual_seed(5);
  const td::Tensor x = td::randn({31, 7});
  for (const td::Device device : check::devices()) {
    td::nn::AnyModule model = make_regressor();
    {
      const td::NoGradGuard no_grad;
      model.ptr()->named_parameters()["bias"].fill_(0.25);
    }
    model.ptr()->to(device);
    const td::Tensor y = model.forward(x.to(device));
    check::expect_on(y, device, "the output on " + device.str());
    check::expect(y.sizes() == td::IntArrayRef({31, 1}), "31 rows should give 31 outputs");
    check::expect_close(y, computed(*model.ptr(), x), 1e-4, "the output on " + device.str());
  }
}

TEST_CASE("a model that has computed on one device moves to another one", "[repair_model]") {
  td::nn::AnyModule model = make_regressor();
  const td::Tensor x = td::ones({5, 7});
  const td::Tensor expected = model.forward(x).clone();
  for (const td::Device device : check::devices()) {
    model.ptr()->to(device);
    td::Tensor y;
    try {
      y = model.forward(x.to(device));
    } catch (const td::DeviceError& error) {
      FAIL("a model that computed on another device before does not compute on "
           << device << ": does it keep a tensor of an earlier call? " << error.what());
    }
    check::expect_close(y, expected, 1e-4,
                        "the output on " + device.str() + ", as on the cpu before the move");
  }
}

TEST_CASE("every parameter learns on every device", "[repair_model]") {
  td::manual_seed(5);
  const td::Tensor x = td::randn({64, 7}) + 2, target = x.sum(1, /*keepdim=*/true);
  for (const td::Device device : check::devices()) {
    td::manual_seed(8);
    td::nn::AnyModule model = make_regressor();
    model.ptr()->to(device);
    const auto before = all_values(model.ptr()->parameters());
    td::optim::SGD optimizer(model.ptr()->parameters(), td::optim::SGDOptions(0.001));
    const td::Tensor inputs = x.to(device), targets = target.to(device);
    double first = 0, last = 0;
    for (int step = 0; step < 20; ++step) {
      optimizer.zero_grad();
      const td::Tensor loss = td::nn::functional::mse_loss(model.forward(inputs), targets);
      loss.backward();
      for (const auto& parameter : model.ptr()->named_parameters())
        check::expect(parameter.value().grad().defined(),
                      parameter.key() + " has no gradient on " + device.str() +
                          " after backward: does forward use the registered parameter?");
      optimizer.step();
      last = loss.item<double>();
      if (step == 0) first = last;
    }
    check::expect(last < 0.9 * first, "the loss went from " + std::to_string(first) + " to " +
                                          std::to_string(last) + " in 20 steps on " + device.str());
    const auto after = all_values(model.ptr()->parameters());
    for (std::size_t i = 0; i < before.size(); ++i)
      check::expect(before[i] != after[i], model.ptr()->named_parameters()[i].key() +
                                               " did not change in 20 steps on " + device.str());
    check::expect_close(model.ptr()->named_buffers()["mean"], td::full({7}, 2.0), 0,
                        "the mean after training, which no step may change");
  }
}
