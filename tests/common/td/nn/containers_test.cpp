// Sequential, ModuleList, Functional and AnyModule; clipping and first values.
#include <cmath>

#include "nets.h"
#include "td_more/td_more.h"

using namespace td;

namespace {

struct PairImpl : nn::Cloneable<PairImpl> {
  void reset() override {}
  Tensor forward(const Tensor& a, const Tensor& b) { return a - b; }
};
TD_MODULE(Pair);
struct CountImpl : nn::Cloneable<CountImpl> {
  void reset() override {}
  std::int64_t forward(const Tensor& a) { return a.numel(); }
};
TD_MODULE(Count);
Tensor scaled(const Tensor& x, double factor) { return x * factor; }

}  // namespace

TEST_CASE("Sequential runs its modules in order and names them") {
  nn::Sequential net(nn::Linear(2, 3), nn::ReLU(), nn::Functional(scaled, 2.0));
  CHECK(net->named_parameters().keys() == std::vector<std::string>{"0.weight", "0.bias"});
  ramp(net->at<nn::LinearImpl>(0).weight, -1, 1);
  nn::init::zeros_(net->at<nn::LinearImpl>(0).bias);
  // W = [[-1, 0], [1, 2], [3, 4]]
  CHECK(values(net->forward(ones({1, 2}))) == std::vector<double>{0, 6, 14});
  CHECK(net->size() == 3);
  CHECK(net[1]->as<nn::ReLU>());
  nn::Sequential named({{"fc", nn::Linear(2, 3)}, {"act", nn::Tanh()}});
  CHECK(named->named_parameters().keys() == std::vector<std::string>{"fc.weight", "fc.bias"});
  nn::Sequential inner(nn::Sequential(nn::Linear(2, 2)), nn::ReLU());
  CHECK(inner->named_parameters().keys() == std::vector<std::string>{"0.0.weight", "0.0.bias"});
}

TEST_CASE("Sequential takes several inputs and other results") {
  nn::Sequential net;
  net->push_back(Pair());
  net->push_back("count", Count());
  CHECK(net->forward<std::int64_t>(ones({2, 3}), ones({2, 3})) == 6);
  CHECK(message<Error>([&] {
          net->forward(ones({1}));
        }).find("forward() takes 2 arguments, but received 1") != std::string::npos);
  CHECK(message<Error>([&] {
          net->forward<std::int64_t>(ones({1}), 3.5);
        }).find("as argument 1, but received double") != std::string::npos);
  CHECK(message<Error>([&] {
          net->forward<double>(ones({1}), ones({1}));
        }).find("returns long, but double was asked for") != std::string::npos);
}

TEST_CASE("an empty container, and indices out of range") {
  nn::Sequential net;
  CHECK(message<Error>([&] { net->forward(ones({1})); }) ==
        "Cannot call forward() on an empty Sequential; add a module with push_back first");
  CHECK(message<Error>([&] { net->ptr(2); }) == "Sequential: there is no module 2; it has 0");
  net->push_back(nn::ReLU());
  CHECK(message<Error>([&] { net->at<nn::LinearImpl>(0); }).find("not the type asked for") !=
        std::string::npos);
}

TEST_CASE("a copy of a Sequential has names, values and modules of its own") {
  nn::Sequential net({{"fc", nn::Linear(2, 2)}, {"act", nn::ReLU()}});
  net->eval();
  const auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(net->clone(Device("sim:0")));
  REQUIRE(copy);
  CHECK(copy->named_parameters().keys() == net->named_parameters().keys());
  CHECK_FALSE(copy->is_training());
  const Tensor x = ramp(empty({1, 2}), 1, 1);
  const std::vector<double> wanted = values(net->forward(x));
  nn::init::zeros_(net->at<nn::LinearImpl>(0).weight);
  CHECK(values(copy->forward(x.to("sim:0"))) == wanted);
}

TEST_CASE("ModuleList registers what it holds") {
  nn::ModuleList list(nn::Linear(2, 2), nn::ReLU());
  list->push_back(nn::Linear(2, 1));
  CHECK(list->size() == 3);
  CHECK(list->parameters().size() == 4);
  CHECK(list->at<nn::LinearImpl>(2).options.out_features() == 1);
  int seen = 0;
  for (const auto& module : *list) seen += module != nullptr;
  CHECK(seen == 3);
}

namespace {

using Names = std::vector<std::string>;

// The names of the children, and their order in state_dict, which must be that of the modules.
template <class Container>
void check_names(const Container& container, const Names& wanted) {
  CHECK(container->named_children().keys() == wanted);
  REQUIRE(container->size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    CHECK(container->ptr(i) == container->named_children()[i].value());
}

}  // namespace

TEST_CASE("extend adds the modules of another container under the next numbers") {
  nn::Sequential net(nn::Linear(2, 3)), more({{"act", nn::Tanh()}, {"fc", nn::Linear(3, 1)}});
  net->extend(*more);
  check_names(net, {"0", "1", "2"});
  CHECK(net[2] == more[1]);  // shared, not copied
  net->extend(std::vector<nn::Linear>{nn::Linear(1, 2), nn::Linear(2, 3)});
  check_names(net, {"0", "1", "2", "3", "4"});
  CHECK(net->forward(ones({4, 2})).sizes() == IntArrayRef({4, 3}));
  more->extend(*more);
  check_names(more, {"act", "fc", "2", "3"});
  nn::ModuleList list(nn::GELU{}), others(nn::Linear(1, 1), nn::Tanh());
  list->extend(*others);
  list->extend(std::vector<std::shared_ptr<nn::Module>>{nn::GELU().ptr()});
  check_names(list, {"0", "1", "2", "3"});
  CHECK(list[1] == others[0]);
  list->extend(*list);
  CHECK(list->size() == 8);
  CHECK(list->parameters().size() == 2);  // one Linear, twice
}

TEST_CASE("insert puts a module in its place, and the numbers after it follow") {
  nn::Linear first(2, 3), last(3, 1);
  nn::Sequential net(first, last);
  const Tensor x = ramp(empty({2, 2}), -1, 0.5);
  net->insert(1, nn::Tanh());
  check_names(net, {"0", "1", "2"});
  CHECK(net->named_parameters().keys() == Names{"0.weight", "0.bias", "2.weight", "2.bias"});
  CHECK(net->parameters()[2].is_same(last->weight));
  CHECK(values(net->forward(x)) == values(last(first(x).tanh())));
  net->insert(3, nn::ReLU());
  net->insert(0, nn::Flatten());
  check_names(net, {"0", "1", "2", "3", "4"});
  CHECK(net[4]->as<nn::ReLU>());
  // A copy has the same names, and a state goes from one to the other.
  const auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(net->clone());
  check_names(copy, {"0", "1", "2", "3", "4"});
  CHECK(copy->state_dict().keys() == net->state_dict().keys());
  nn::init::zeros_(last->weight);
  copy->load_state_dict(net->state_dict());
  CHECK(values(copy->forward(x)) == values(net->forward(x)));
  net->push_back(nn::Tanh());
  check_names(net, {"0", "1", "2", "3", "4", "5"});

  nn::Linear a(2, 2), b(2, 1);
  nn::ModuleList list(a, b);
  list->insert(0, nn::ReLU());
  list->insert(3, nn::Tanh().ptr());
  check_names(list, {"0", "1", "2", "3"});
  CHECK(list[1].get() == a.get());
  CHECK(list->named_parameters()["2.weight"].is_same(b->weight));
  check_names(std::dynamic_pointer_cast<nn::ModuleListImpl>(list->clone()), {"0", "1", "2", "3"});
}

TEST_CASE("a child that is replaced or registered by name takes part in forward and in copies") {
  nn::Sequential net({{"fc", nn::Linear(2, 2)}, {"act", nn::ReLU()}});
  const Tensor x = ramp(empty({3, 2}), -1, 0.5);
  const nn::Linear other(2, 4);
  CHECK(net->replace_module("fc", other) == other.ptr());
  CHECK(net[0] == other.ptr());
  CHECK(net->parameters()[0].is_same(other->weight));
  CHECK(net->forward(x).sizes() == IntArrayRef({3, 4}));
  const auto last = net->register_module("last", nn::Linear(4, 1));
  check_names(net, {"fc", "act", "last"});
  CHECK(net[2] == last);
  CHECK(net->forward(x).sizes() == IntArrayRef({3, 1}));
  const auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(net->clone());
  check_names(copy, {"fc", "act", "last"});
  CHECK(values(copy->forward(x)) == values(net->forward(x)));
  CHECK(message<Error>([&] { net->replace_module("none", nn::ReLU()); }) ==
        "Submodule 'none' is not defined; there are 'fc', 'act', 'last'");
  CHECK(message<Error>([&] { net->replace_module("fc", net.ptr()); }) ==
        "Submodule 'fc' is the module itself");
  CHECK(net[0] == other.ptr());
}

TEST_CASE("a container that is known as a Module keeps one list, too") {
  nn::Linear first(1, 1), second(2, 2);
  nn::ModuleList list(first);
  nn::Module& as_module = *list;
  as_module.replace_module("0", second.ptr());
  as_module.register_module("more", first.ptr());
  CHECK(list[0] == second.ptr());
  CHECK(list[1] == first.ptr());
  nn::Sequential net(first);
  nn::Module& plain = *net;
  const std::string unknown =
      "Sequential: the forward of a module that is given as a Module is unknown; call "
      "as<nn::Sequential>() and register or replace the module there";
  CHECK(message<Error>([&] { plain.replace_module("0", second.ptr()); }) == unknown);
  CHECK(message<Error>([&] { plain.register_module("1", second.ptr()); }) == unknown);
  check_names(net, {"0"});
  CHECK(net[0] == first.ptr());
}

TEST_CASE("insert keeps names that are not numbers, and rejects impossible positions") {
  nn::Sequential net({{"fc", nn::Linear(2, 2)}});
  net->push_back(nn::ReLU());
  net->insert(0, nn::Tanh());
  check_names(net, {"0", "fc", "2"});
  nn::Sequential odd({{"1", nn::ReLU()}, {"act", nn::Tanh()}});
  CHECK(message<Error>([&] { odd->insert(1, nn::GELU()); }) == "Submodule '1' is already defined");
  check_names(odd, {"1", "act"});
  CHECK(message<Error>([&] { odd->insert(3, nn::GELU()); }) ==
        "Sequential: cannot insert a module at 3; expected 0 to 2");
  CHECK(message<Error>([&] { odd->insert(0, nn::AnyModule()); }) ==
        "Sequential: the module to insert is empty; give it another module");
  CHECK(message<Error>([&] { odd->insert(0, odd); }) ==
        "Sequential: the module to insert is the container itself; give it another module");
  nn::ModuleList list;
  CHECK(message<Error>([&] { list->insert(1, nn::GELU()); }) ==
        "ModuleList: cannot insert a module at 1; expected 0 to 0");
  CHECK(message<Error>([&] { list->insert(0, std::shared_ptr<nn::Module>()); }) ==
        "ModuleList: the module to insert is empty; give it another module");
}

TEST_CASE("clip_grad_norm_ scales all gradients together") {
  for (const Device device : devices()) {
    Tensor a = leaf({0, 0}, device), b = leaf({0}, device), idle = leaf({0}, device);
    a.mutable_grad() = of({3, 0}).to(device);
    b.mutable_grad() = of({-4}).to(device);
    CHECK(nn::utils::clip_grad_norm_({a, b, idle}, 10) == Approx(5));
    CHECK(values(a.grad()) == std::vector<double>{3, 0});
    CHECK(nn::utils::clip_grad_norm_({a, b, idle}, 2.5) == Approx(5));
    CHECK(values(a.grad())[0] == Approx(1.5));
    CHECK(values(b.grad())[0] == Approx(-2));
    CHECK(nn::utils::clip_grad_norm_({a, b}, 1, 1.0) == Approx(3.5));
    CHECK(values(b.grad())[0] == Approx(-2 / 3.5));
    CHECK(nn::utils::clip_grad_norm_({a, b}, 100, std::numeric_limits<double>::infinity()) ==
          Approx(2 / 3.5));
    nn::utils::clip_grad_value_({a, b}, 0.25);
    CHECK(values(b.grad())[0] == Approx(-0.25));
  }
  Tensor bad = leaf({1});
  bad.mutable_grad() = of({std::nanf("")});
  CHECK(message<Error>([&] {
          nn::utils::clip_grad_norm_(bad, 1, 2, true);
        }).find("the norm of the gradients is nan") != std::string::npos);
  CHECK(std::isnan(nn::utils::clip_grad_norm_(bad, 1)));
}

TEST_CASE("first values have the bounds of their formulas") {
  const auto largest = [](const Tensor& t) {
    double most = 0;
    for (double v : values(t)) most = std::max(most, std::abs(v));
    return most;
  };
  const double he = std::sqrt(6.0 / 300), glorot = std::sqrt(6.0 / 400);
  const double kaiming = largest(nn::init::kaiming_uniform_(empty({100, 300}), 0, kFanIn, kReLU));
  CHECK(kaiming <= he);
  CHECK(kaiming > 0.99 * he);
  const double xavier = largest(nn::init::xavier_uniform_(empty({100, 300})));
  CHECK(xavier <= glorot);
  CHECK(xavier > 0.99 * glorot);
  CHECK(nn::init::fan_in_and_out(empty({8, 4, 3, 5})) ==
        std::pair<std::int64_t, std::int64_t>(60, 120));
  CHECK(values(nn::init::constant_(empty({2}), 3)) == std::vector<double>{3, 3});
  CHECK(message<ShapeError>([] { nn::init::xavier_uniform_(empty({3})); }).find("at least 2") !=
        std::string::npos);
  Tensor weight = zeros({2, 2}).requires_grad_();
  CHECK(nn::init::ones_(weight).is_leaf());
}

TEST_CASE("a cloned container keeps the mode of each of its modules") {
  nn::Sequential net(nn::Linear(2, 2), nn::BatchNorm1d(2));
  net[1]->eval();  // a frozen layer in a model that trains
  const auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(net->clone());
  CHECK(copy->is_training());
  CHECK(copy->ptr(0)->is_training());
  CHECK_FALSE(copy->ptr(1)->is_training());
  nn::ModuleList list(nn::Linear(2, 2), nn::BatchNorm1d(2));
  list->eval();
  list[0]->train();
  const auto list_copy = std::dynamic_pointer_cast<nn::ModuleListImpl>(list->clone());
  CHECK_FALSE(list_copy->is_training());
  CHECK(list_copy->ptr(0)->is_training());
  CHECK_FALSE(list_copy->ptr(1)->is_training());
}
