// The tree of modules: names, order, listing, walking, state and printing.
#include "nets.h"

using namespace td;

TEST_CASE("names run from the root and own tensors come first") {
  TwoLayers net;
  const std::vector<std::string> parameters = net->named_parameters().keys();
  CHECK(parameters == std::vector<std::string>{"scale", "first.weight", "first.bias", "norm.weight",
                                               "norm.bias", "last.weight"});
  CHECK(net->named_buffers().keys() == std::vector<std::string>{"steps", "norm.running_mean",
                                                                "norm.running_var",
                                                                "norm.num_batches_tracked"});
  CHECK(net->named_parameters(false).keys() == std::vector<std::string>{"scale"});
  CHECK(net->buffers(false).size() == 1);
  CHECK(net->named_children().keys() == std::vector<std::string>{"first", "norm", "last"});
  CHECK(net->named_modules().keys() == std::vector<std::string>{"", "first", "norm", "last"});
  CHECK(net->modules(false).size() == 3);
  CHECK(net->parameters()[1].is_same(net->first->weight));
}

TEST_CASE("a tied parameter is listed once and saved under both names") {
  struct Tied : nn::Module {
    Tied() {
      a = register_module("a", nn::Linear(2, 2));
      b = register_module("b", a);
    }
    nn::Linear a{nullptr}, b{nullptr};
  };
  Tied net;
  CHECK(net.named_parameters().keys() == std::vector<std::string>{"a.weight", "a.bias"});
  CHECK(net.state_dict().keys() ==
        std::vector<std::string>{"a.weight", "a.bias", "b.weight", "b.bias"});
}

TEST_CASE("registration of a bad name is a clear error") {
  struct Open : nn::Module {
    using nn::Module::Module;
  };
  Open net("Net");
  net.register_parameter("w", zeros({1}));
  CHECK(message<Error>([&] { net.register_parameter("w", zeros({1})); }) ==
        "Parameter 'w' is already defined in Net as a parameter");
  CHECK(message<Error>([&] { net.register_buffer("w", zeros({1})); }) ==
        "Buffer 'w' is already defined in Net as a parameter");
  CHECK(message<Error>([&] { net.register_buffer("a.b", zeros({1})); }) ==
        "Buffer name must not contain a dot (got 'a.b'); dots stand between the names of nested "
        "modules");
  CHECK(message<Error>([&] { net.register_parameter("", zeros({1})); }) ==
        "Parameter name must not be empty");
  CHECK(message<DtypeError>([&] {
          net.register_parameter("n", zeros({1}, kLong));
        }).find("int64") != std::string::npos);
  CHECK_FALSE(net.register_parameter("frozen", zeros({1}), false).requires_grad());
  CHECK(net.register_parameter("left_out", Tensor()).defined() == false);
  CHECK(net.parameters().size() == 2);
}

TEST_CASE("modules() of an object on the stack is an error that says why") {
  nn::LinearImpl layer(2, 2);
  CHECK(layer.parameters().size() == 2);
  CHECK(message<Error>([&] { layer.modules(); }).find("must be held by a shared_ptr") !=
        std::string::npos);
}

TEST_CASE("train, eval and apply reach every module") {
  TwoLayers net;
  net->eval();
  int training = 0, seen = 0;
  net->apply([&](nn::Module& module) { training += module.is_training(), ++seen; });
  CHECK(seen == 4);
  CHECK(training == 0);
  net->train();
  std::string names;
  net->apply([&](const std::string& name, nn::Module& module) {
    names += name + ";";
    training += module.is_training();
  });
  CHECK(names == ";first;norm;last;");
  CHECK(training == 4);
  int linear = 0;
  net->apply([&](nn::Module& module) { linear += module.as<nn::Linear>() != nullptr; });
  CHECK(linear == 2);
  CHECK(net->first->as<nn::LinearImpl>() == net->first.get());
  CHECK(net->first->as<nn::ReLU>() == nullptr);
}

TEST_CASE("zero_grad fills with zeros or drops the gradient") {
  TwoLayers net;
  net->scale.mutable_grad() = ones({1});
  net->zero_grad();
  CHECK(values(net->scale.grad()) == std::vector<double>{0});
  net->zero_grad(true);
  CHECK_FALSE(net->scale.grad().defined());
}

TEST_CASE("state_dict shares memory and load_state_dict copies into it") {
  TwoLayers from, to;
  ramp(from->first->weight, 1, 1);
  const Tensor before = to->first->weight;
  to->load_state_dict(from->state_dict());
  CHECK(to->first->weight.is_same(before));
  CHECK(values(to->first->weight) == values(from->first->weight));
  CHECK(to->first->weight.requires_grad());
  from->state_dict()["scale"].fill_(7);
  CHECK(values(from->scale) == std::vector<double>{7});
  CHECK_FALSE(from->state_dict()["scale"].requires_grad());
}

TEST_CASE("load_state_dict lists what does not fit and copies nothing") {
  TwoLayers net;
  ramp(net->scale, 3, 0);
  OrderedDict<std::string, Tensor> state;
  for (const auto& item : TwoLayers()->state_dict())
    if (item.key() != "last.weight") state.insert(item.key(), item.value());
  state["first.bias"] = zeros({5});
  state.insert("extra", zeros({1}));
  CHECK(message<Error>([&] { net->load_state_dict(state); }) ==
        "load_state_dict: the state does not fit TwoLayersImpl, and nothing was copied:\n"
        "  size differs: \"first.bias\" is [4] here but [5] in the state\n"
        "  missing: \"last.weight\" [2, 4]\n"
        "  unexpected: \"extra\"");
  CHECK(values(net->scale) == std::vector<double>{3});
  state["first.bias"] = ones({4});
  net->load_state_dict(state, false);
  CHECK(values(net->first->bias) == std::vector<double>{1, 1, 1, 1});
}

TEST_CASE("a model prints as in Python") {
  CHECK(printed(TwoLayers()) ==
        "TwoLayers(\n"
        "  (first): Linear(in_features=3, out_features=4, bias=True)\n"
        "  (norm): BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)\n"
        "  (last): Linear(in_features=4, out_features=2, bias=False)\n"
        ")");
}

TEST_CASE("children are replaced") {
  TwoLayers net;
  net->replace_module("last", nn::ReLU());
  CHECK(net->named_children()["last"]->as<nn::ReLU>());
  CHECK(message<Error>([&] { net->replace_module("middle", nn::ReLU()); }) ==
        "Submodule 'middle' is not defined; there are 'first', 'norm', 'last'");
}

TEST_CASE("use of an empty holder is an error") {
  nn::Linear layer{nullptr};
  CHECK_FALSE(layer);
  CHECK(message<Error>([&] { layer->reset(); }).find("this module handle is empty") == 0);
}

TEST_CASE("OrderedDict keeps its order and rejects a second key") {
  OrderedDict<std::string, int> dict{{"b", 1}, {"a", 2}};
  CHECK(dict.keys() == std::vector<std::string>{"b", "a"});
  CHECK(dict["a"] == 2);
  CHECK(dict[0].key() == "b");
  CHECK(dict.values() == std::vector<int>{1, 2});
  CHECK_FALSE(dict.contains("c"));
  CHECK(message<Error>([&] { dict.insert("a", 3); }) == "Key 'a' is already defined");
  CHECK(message<Error>([&] { dict["c"]; }) == "Key 'c' is not defined; there are 'b', 'a'");
  CHECK(dict.front().key() == "b");
  CHECK(dict.back().value() == 2);
}

TEST_CASE("an empty OrderedDict has no first and no last entry") {
  OrderedDict<std::string, int> dict("Parameter");
  const auto& same = dict;
  const std::string first = "front() of an empty OrderedDict; check is_empty() first",
                    last = "back() of an empty OrderedDict; check is_empty() first";
  CHECK(message<Error>([&] { dict.front(); }) == first);
  CHECK(message<Error>([&] { same.front(); }) == first);
  CHECK(message<Error>([&] { dict.back(); }) == last);
  CHECK(message<Error>([&] { same.back(); }) == last);
}
