// Tests of make_classifier: names, values by hand, moves and modes.
#include <cmath>
#include <set>

#include "loops.h"

namespace {

std::set<std::string> names_of(Classifier& model) {
  std::set<std::string> names;
  for (const auto& item : model.state_dict()) names.insert(item.key());
  return names;
}

std::string text(const std::set<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return "{" + all + "}";
}

void expect_names(Classifier& model, const std::set<std::string>& expected,
                  const std::string& what) {
  const auto got = names_of(model);
  check::expect(got == expected, what + ": state_dict() should have the names " + text(expected) +
                                     ", but has " + text(got) +
                                     ". What is not registered is not in the tree");
}

// Values that differ in every element, set by name.
void fill(Classifier& model) {
  td::manual_seed(8);
  const td::NoGradGuard no_grad;
  for (const auto& item : model.state_dict())
    td::Tensor(item.value()).copy_(td::randn(item.value().sizes()));
}

// What forward must return in evaluation mode, from the values in state_dict().
td::Tensor by_hand(Classifier& model, const td::Tensor& x, std::size_t hidden) {
  const auto state = model.state_dict();
  td::Tensor y = x - state["mean"].cpu();
  const auto linear = [&](const std::string& name) {
    y = y.matmul(state[name + ".weight"].cpu().t()) + state[name + ".bias"].cpu();
  };
  for (std::size_t i = 0; i < hidden; ++i) {
    linear("hidden" + std::to_string(i));
    y = y.clamp_min(0);
  }
  linear("output");
  return y * state["scale"].cpu();
}

}  // namespace

TEST_CASE("all tensors are registered, under their names", "[module]") {
  expect_names(*make_classifier(7, {31, 5}, 3),
               {"mean", "scale", "hidden0.weight", "hidden0.bias", "hidden1.weight", "hidden1.bias",
                "output.weight", "output.bias"},
               "two hidden layers");
  expect_names(*make_classifier(7, {}, 3), {"mean", "scale", "output.weight", "output.bias"},
               "no hidden layer");
  const auto model = make_classifier(7, {31}, 3);
  check::expect(model->parameters().size() == 5,
                "scale and the weights and biases of two layers are 5 parameters; there are " +
                    std::to_string(model->parameters().size()));
  check::expect(model->buffers().size() == 1,
                "mean is the only buffer; there are " + std::to_string(model->buffers().size()));
  check::expect(model->is_training(), "a new module should be in training mode");
}

TEST_CASE("two models share nothing", "[module]") {
  const auto a = make_classifier(7, {5}, 3), b = make_classifier(7, {5}, 3);
  const auto before = check::values(b->state_dict()["scale"]);
  td::Tensor(a->state_dict()["scale"]).fill_(9);
  check::expect(check::values(b->state_dict()["scale"]) == before,
                "a change of one model changed another one");
}

TEST_CASE("sizes and first values", "[module]") {
  const auto model = make_classifier(4, {33, 1}, 2);
  const auto state = model->state_dict();
  check::expect_close(state["mean"], td::zeros({4}), 0, "mean");
  check::expect_close(state["scale"], td::ones({1}), 0, "scale");
  check::expect_sizes(state["hidden0.weight"], {33, 4}, "hidden0.weight");
  check::expect_sizes(state["hidden1.weight"], {1, 33}, "hidden1.weight");
  check::expect_sizes(state["output.weight"], {2, 1}, "output.weight");
}

TEST_CASE("forward computes the five steps, on every device", "[module]") {
  for (const td::Device device : check::devices())
    for (const std::vector<std::int64_t>& hidden :
         {std::vector<std::int64_t>{31}, std::vector<std::int64_t>{5, 33, 2},
          std::vector<std::int64_t>{}}) {
      const auto model = make_classifier(7, hidden, 3);
      fill(*model);
      model->to(device);
      model->eval();
      const td::Tensor x = td::randn({9, 7});
      const std::string what =
          "scores with " + std::to_string(hidden.size()) + " hidden layers on " + device.str();
      const td::Tensor inputs = x.to(device), before = inputs.clone();
      const td::Tensor scores = model->forward(inputs);
      check::expect_close(
          inputs, before, 0,
          "the inputs after forward on " + device.str() + ", which must not change");
      check::expect_on(scores, device, what);
      check::expect_close(scores, by_hand(*model, x, hidden.size()), 1e-4, what);
    }
}

TEST_CASE("twelve hidden layers have their names and their order", "[module]") {
  const auto model = make_classifier(7, std::vector<std::int64_t>(12, 7), 3);
  const auto names = names_of(*model);
  for (const char* name : {"hidden9.weight", "hidden10.weight", "hidden11.bias"})
    check::expect(names.count(name) == 1,
                  "twelve hidden layers: state_dict() should have the "
                  "name " +
                      std::string(name) + ", but has " + text(names));
  fill(*model);
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model->parameters()) td::Tensor(parameter).mul_(0.5);
  model->eval();
  const td::Tensor x = td::randn({9, 7});
  check::expect_close(model->forward(x), by_hand(*model, x, 12), 1e-4,
                      "scores with 12 hidden layers on cpu");
}

TEST_CASE("dropout is active in training mode only", "[module]") {
  const auto model = make_classifier(7, {512}, 3);
  const td::Tensor x = td::randn({9, 7});
  td::manual_seed(1);
  const auto first = check::values(model->forward(x)), second = check::values(model->forward(x));
  check::expect(first != second, "two calls in training mode gave the same scores: no dropout");
  model->eval();
  check::expect(
      check::values(model->forward(x)) == check::values(model->forward(x)),
      "two calls after eval() gave different scores: dropout is active in evaluation mode. "
      "Register a Dropout module, or pass is_training() to the function");
  model->train();
  check::expect(check::values(model->forward(x)) != check::values(model->forward(x)),
                "after eval() and train() dropout is not active");
}

TEST_CASE("dropout with probability 0.5 comes before the output layer", "[module]") {
  const auto model = make_classifier(2, {4096}, 1);
  const td::NoGradGuard no_grad;
  for (const auto& item : model->state_dict()) td::Tensor(item.value()).fill_(0);
  auto state = model->state_dict();
  td::Tensor(state["hidden0.bias"]).fill_(1);
  td::Tensor(state["output.weight"]).fill_(1.0 / 4096);
  td::Tensor(state["scale"]).fill_(1);
  td::manual_seed(2);
  const auto scores = check::values(model->forward(td::zeros({16, 2})));
  check::expect(scores != std::vector<double>(16, 1.0), "no value was dropped in training mode");
  for (const double score : scores) {
    check::expect(
        score > 0.8 && score < 1.2,
        "with dropout before the output layer, the mean of 4096 ones should be near 1; it "
        "is " +
            std::to_string(score));
    // Each value that is kept becomes 2, so the sum is 2 times a count.
    const double count = score * 2048;
    check::expect(std::abs(count - std::round(count)) < 0.05,
                  "with probability 0.5, values that are kept are doubled; the mean of 4096 ones "
                  "would be a multiple of 1/2048, but is " +
                      std::to_string(score));
  }
}

TEST_CASE("dropout comes once, with any number of hidden layers", "[module]") {
  const auto deep = make_classifier(2, {4096, 1}, 1);
  const td::NoGradGuard no_grad;
  for (const auto& item : deep->state_dict()) td::Tensor(item.value()).fill_(0);
  auto state = deep->state_dict();
  td::Tensor(state["hidden0.bias"]).fill_(1);
  td::Tensor(state["hidden1.weight"]).fill_(1.0 / 4096);
  td::Tensor(state["output.weight"]).fill_(1);
  td::Tensor(state["scale"]).fill_(1);
  // The last hidden layer has one output, the mean of 4096 ones. Dropout makes it 0 or 2.
  for (const double score : check::values(deep->forward(td::zeros({16, 2}))))
    check::expect(score == 0 || score == 2,
                  "with two hidden layers, dropout should come once, after the second one; here a "
                  "score should be 0 or 2, but is " +
                      std::to_string(score));
  const auto plain = make_classifier(4096, {}, 1);
  const td::Tensor x = td::ones({1, 4096});
  check::expect(check::values(plain->forward(x)) != check::values(plain->forward(x)),
                "without hidden layers, two calls in training mode gave the same score: dropout "
                "should come before the output layer also there");
}

TEST_CASE("every parameter gets a gradient, the buffer does not", "[module]") {
  for (const td::Device device : {td::Device("cpu"), td::Device("sim:0")}) {
    const auto model = make_classifier(7, {31, 5}, 3);
    model->to(device);
    model->eval();
    model->forward(td::randn({33, 7}).to(device)).square().sum().backward();
    for (const auto& item : model->named_parameters())
      check::expect(item.value().grad().defined(),
                    item.key() + " has no gradient on " + device.str() +
                        ": forward does not use the registered tensor");
    for (const td::Tensor& buffer : model->buffers())
      check::expect(!buffer.requires_grad(), "mean requires grad, but it is a buffer");
  }
}
