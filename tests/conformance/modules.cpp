// nn::Module and what is built with it: registration, the walks over the tree, cloning, containers,
// OrderedDict, holders, first values.
#include "conformance.h"

#include <cmath>
#include <sstream>

using namespace conformance;
namespace nn = torch::nn;

namespace {

struct BlockImpl : nn::Cloneable<BlockImpl> {
  explicit BlockImpl(std::int64_t size) : size_(size) { reset(); }
  void reset() override {
    linear = register_module("linear", nn::Linear(size_, size_));
    scale = register_parameter("scale", formula({size_}));
    count = register_buffer("count", torch::zeros({}, torch::kInt64));
  }
  Tensor forward(const Tensor& x) { return linear(x) * scale; }
  std::int64_t size_;
  nn::Linear linear{nullptr};
  Tensor scale;
  Tensor count;
};
TORCH_MODULE(Block);

struct NetImpl : nn::Module {
  NetImpl() {
    first = register_module("first", Block(3));
    second =
        register_module("second", nn::Sequential(nn::Linear(3, 2), nn::ReLU(), nn::BatchNorm1d(2)));
    bias = register_parameter("bias", torch::zeros({2}), /*requires_grad=*/false);
  }
  Tensor forward(const Tensor& x) { return second->forward(first(x)) + bias; }
  Block first{nullptr};
  nn::Sequential second{nullptr};
  Tensor bias;
};
TORCH_MODULE(Net);

std::string names(const torch::OrderedDict<std::string, Tensor>& all) {
  std::string text;
  for (const auto& item : all) text += item.key() + " ";
  return text;
}
template <class M>
std::string names(const torch::OrderedDict<std::string, std::shared_ptr<M>>& all) {
  std::string text;
  for (const auto& item : all) text += "'" + item.key() + "' ";
  return text;
}

void walks() {
  Net net;
  REPORT(names(net->named_parameters()));
  REPORT(names(net->named_parameters(false)));
  REPORT(names(net->named_buffers()));
  REPORT(names(net->named_buffers(false)));
  REPORT(names(net->named_children()));
  REPORT(names(net->named_modules()));
  REPORT(names(net->named_modules("root")));
  REPORT(names(net->named_modules("", false)));
  REPORT(net->parameters().size());
  REPORT(net->parameters(false).size());
  REPORT(net->buffers().size());
  REPORT(net->children().size());
  REPORT(net->modules().size());
  REPORT(net->modules(false).size());
  REPORT(net->bias.requires_grad());
  REPORT(net->first->scale.requires_grad());
  REPORT(net->first->count.requires_grad());
  REPORT(net->named_parameters()["first.scale"].is_same(net->first->scale));
  REPORT(net->named_parameters().contains("first.linear.weight"));
  REPORT(net->named_parameters().contains("nothing"));
  REPORT(net->is_training());
  net->eval();
  REPORT(net->is_training());
  REPORT(net->second->ptr(2)->is_training());
  net->train();
  REPORT(net->second->ptr(2)->is_training());
  net->train(false);
  REPORT(net->first->linear->is_training());
  int visited = 0;
  net->apply([&](nn::Module&) { ++visited; });
  REPORT(visited);
  std::string seen;
  net->apply([&](const std::string& name, nn::Module&) { seen += name + " "; });
  REPORT(seen);
  net->apply([](nn::Module& module) {
    if (auto* linear = module.as<nn::Linear>()) {
      torch::NoGradGuard no_grad;
      linear->weight.fill_(0.5);
    }
  });
  REPORT(net->first->linear->weight);
  REPORT(net->first->as<nn::Linear>() == nullptr);
  REPORT(net->first->linear->as<nn::LinearImpl>() == nullptr);
  REPORT(net->first->linear->as<nn::Module>() == nullptr);
  REPORT_THROWS(net->named_parameters()["nothing"]);
  REPORT_THROWS(net->register_parameter("bias", torch::ones({1})));
  REPORT_THROWS(net->register_parameter("a.b", torch::ones({1})));
  REPORT_THROWS(net->register_parameter("", torch::ones({1})));
  REPORT_THROWS(net->register_buffer("bias", torch::ones({1})));
  REPORT_THROWS(net->register_module("first", nn::Linear(1, 1)));
  REPORT_THROWS(net->clone());
}

void gradients() {
  Net net;
  set_weights(*net);
  net->second[2]->as<nn::BatchNorm1d>()->running_mean.zero_();
  const Tensor x = formula({4, 3});
  net->forward(x).pow(2).sum().backward();
  for (const auto& item : net->named_parameters())
    report("gradient of " + item.key(), [&] { return item.value().grad(); });
  for (const auto& item : net->named_buffers())
    report("buffer " + item.key(), [&] { return item.value(); });
  net->zero_grad(false);
  report("zeroed", [&] { return net->first->scale.grad(); });
  net->zero_grad(true);
  report("dropped", [&] { return net->first->scale.grad().defined(); });
  net->eval();
  REPORT(net->forward(x));
  REPORT(net(x));
}

void moves() {
  Net net;
  set_weights(*net);
  const Tensor before = net->first->scale;
  net->to(torch::kFloat64);
  REPORT(net->first->scale.scalar_type());
  REPORT(before.scalar_type());
  REPORT(net->parameters()[0].scalar_type());
  REPORT(net->first->linear->weight.scalar_type());
  REPORT(net->second[2]->as<nn::BatchNorm1d>()->running_mean.scalar_type());
  REPORT(net->first->scale.requires_grad());
  net->to(torch::kCPU);
  net->to(torch::kCPU, torch::kFloat32);
  REPORT(net->forward(formula({2, 3})));
  REPORT_THROWS(net->to(torch::Device("cuda:0")));
}

void clones() {
  Block block(3);
  set_weights(*block);
  block->count.fill_(7);
  const auto copy = std::dynamic_pointer_cast<BlockImpl>(block->clone());
  REPORT(copy->scale);
  REPORT(copy->count);
  REPORT(copy->linear->weight);
  REPORT(copy->scale.is_same(block->scale));
  REPORT(shares_memory(copy->linear->weight, block->linear->weight));
  REPORT(names(copy->named_parameters()));
  const Block held(copy);
  REPORT(Block(copy)->forward(formula({2, 3})));
  REPORT(held.is_empty());
  REPORT(Block(nullptr).is_empty());
  REPORT(static_cast<bool>(Block(nullptr)));
  REPORT_THROWS(Block(nullptr)->forward(formula({2, 3})));
  nn::Sequential chain(nn::Linear(2, 2), nn::Tanh());
  set_weights(*chain);
  const auto twin = std::dynamic_pointer_cast<nn::SequentialImpl>(chain->clone());
  REPORT(twin->size());
  REPORT(twin->forward(formula({1, 2})));
}

void containers() {
  nn::Sequential chain(nn::Linear(3, 4), nn::ReLU(), nn::Functional(torch::sigmoid));
  set_weights(*chain);
  REPORT(chain->size());
  REPORT(chain->forward(formula({2, 3})));
  REPORT(chain->is_empty());
  REPORT(names(chain->named_parameters()));
  REPORT(chain->ptr<nn::LinearImpl>(0)->weight);
  REPORT(chain[0]->as<nn::Linear>() != nullptr);
  REPORT(chain->at<nn::LinearImpl>(0).options.in_features());
  chain->push_back(nn::Linear(4, 1));
  chain->push_back("last", nn::Tanh());
  REPORT(chain->size());
  REPORT(names(chain->named_children()));
  REPORT_THROWS(chain->ptr(9));
  REPORT_THROWS(chain->at<nn::ReLUImpl>(0));
  REPORT_THROWS(nn::Sequential()->forward(formula({2})));
  nn::Sequential named({{"fc", nn::Linear(2, 2)}, {"act", nn::ReLU()}});
  REPORT(names(named->named_parameters()));
  nn::ModuleList list(nn::Linear(2, 3), nn::Linear(3, 4));
  list->push_back(nn::ReLU());
  set_weights(*list);
  REPORT(list->size());
  REPORT(names(list->named_parameters()));
  Tensor x = formula({1, 2});
  for (std::size_t i = 0; i < 2; ++i) x = list->ptr<nn::LinearImpl>(i)->forward(x);
  REPORT(x);
  REPORT(list[2]->as<nn::ReLU>() != nullptr);
  nn::Sequential longer(nn::Linear(3, 4), nn::ReLU());
  longer->extend(*named);
  longer->extend(std::vector<nn::Linear>{nn::Linear(2, 1), nn::Linear(1, 1)});
  REPORT(names(longer->named_parameters()));
  REPORT(names(longer->named_children()));
  REPORT(longer->ptr(2) == named->ptr(0));
  list->extend(*nn::ModuleList(nn::Tanh(), nn::Linear(2, 2)));
  list->extend(std::vector<std::shared_ptr<nn::Module>>{nn::ReLU().ptr()});
  list->insert(6, nn::Linear(1, 1));
  REPORT(names(list->named_children()));
  REPORT(names(list->named_parameters()));
  REPORT_THROWS(list->insert(8, nn::ReLU()));
  // Not compared: insert() before the end, after which libtorch's children keep their old numbers.
  REPORT(nn::Functional(torch::leaky_relu, 0.5)(formula({4})));
  REPORT(nn::Functional([](Tensor t) { return t * 2; })(formula({4})));
}

void dictionaries() {
  torch::OrderedDict<std::string, int> dict;
  dict.insert("one", 1);
  dict.insert("two", 2);
  REPORT(dict["two"]);
  REPORT(dict.size());
  REPORT(dict[0].key());
  REPORT(dict[1].value());
  REPORT(dict.contains("one"));
  REPORT(dict.contains("three"));
  REPORT(dict.is_empty());
  REPORT(dict.front().key());
  REPORT(dict.back().value());
  REPORT(dict.find("three") == nullptr);
  REPORT(*dict.find("one"));
  int sum = 0;
  for (auto& item : dict) sum += *item;
  REPORT(sum);
  REPORT(dict.keys()[1]);
  REPORT(dict.values()[0]);
  REPORT(dict.pairs()[1].first);
  REPORT_THROWS(dict["three"]);
  REPORT_THROWS(dict.insert("one", 5));
  REPORT_THROWS(dict.erase("three"));
  dict.erase("one");
  REPORT(dict.size());
  dict.clear();
  REPORT(dict.is_empty());
  REPORT_THROWS(dict.front());
  REPORT_THROWS(dict.back());
  const torch::OrderedDict<std::string, int> made = {{"a", 1}, {"b", 2}};
  REPORT(made["b"]);
}

void streams() {
  nn::Sequential from(nn::Linear(2, 3), nn::BatchNorm1d(3)),
      to(nn::Linear(2, 3), nn::BatchNorm1d(3));
  set_weights(*from);
  std::stringstream module, tensor, list, optimizer;
  torch::save(from, module);
  torch::load(to, module);
  REPORT(to->parameters()[0]);
  REPORT(to->buffers()[0]);
  torch::save(formula({2, 3}, torch::kFloat64), tensor);
  Tensor x;
  torch::load(x, tensor);
  REPORT(x);
  torch::save(Tensors{formula({2}), torch::ones({1, 2}, torch::kInt64)}, list);
  Tensors all;
  torch::load(all, list);
  REPORT(all);
  torch::optim::SGD sgd(from->parameters(), torch::optim::SGDOptions(0.5).momentum(0.9)),
      other(to->parameters(), 0.1);
  torch::save(sgd, optimizer);
  torch::load(other, optimizer);
  REPORT(other.param_groups()[0].options().get_lr());
  REPORT_THROWS([&] {
    std::istringstream damaged("not a tensor");
    torch::load(x, damaged);
  }());
}

void first_values() {
  torch::manual_seed(1);
  const Tensor w = torch::empty({64, 32});
  REPORT(nn::init::ones_(w).sum());
  REPORT(nn::init::zeros_(w).sum());
  REPORT(nn::init::constant_(w, 2.5).sum());
  print_range("kaiming_uniform_", nn::init::kaiming_uniform_(w), -std::sqrt(6.0 / 32),
              std::sqrt(6.0 / 32));
  REPORT(w.abs().max().item<double>() > 0.9 * std::sqrt(6.0 / 32));
  nn::init::kaiming_uniform_(w, std::sqrt(5.0));
  print_range("kaiming_uniform_ a", w, -std::sqrt(1.0 / 32), std::sqrt(1.0 / 32));
  REPORT(w.abs().max().item<double>() > 0.9 * std::sqrt(1.0 / 32));
  print_range("xavier_uniform_", nn::init::xavier_uniform_(w), -std::sqrt(6.0 / 96),
              std::sqrt(6.0 / 96));
  REPORT(w.abs().max().item<double>() > 0.9 * std::sqrt(6.0 / 96));
  nn::init::xavier_uniform_(w, 2.0);
  REPORT(w.abs().max().item<double>() > 1.8 * std::sqrt(6.0 / 96));
  REPORT_THROWS(nn::init::kaiming_uniform_(torch::ones({3})));
  REPORT_THROWS(nn::init::xavier_uniform_(torch::ones({3})));
  nn::Linear linear(100, 50);
  print_range("linear weight", linear->weight, -0.1, 0.1);
  print_range("linear bias", linear->bias, -0.1, 0.1);
  nn::Conv2d conv(4, 8, 5);
  print_range("conv weight", conv->weight, -0.1, 0.1);
  print_range("conv bias", conv->bias, -0.1, 0.1);
  nn::Embedding table(1000, 4);
  REPORT(std::abs(table->weight.mean().item<double>()) < 0.1);
  REPORT(std::abs(table->weight.std().item<double>() - 1) < 0.1);
}

}  // namespace

int main() {
  walks();
  gradients();
  moves();
  clones();
  containers();
  dictionaries();
  streams();
  first_values();
  return 0;
}
