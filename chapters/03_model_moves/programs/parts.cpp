// What must move with a model: its buffers, its ties and the state of its optimizer. The functions
// are the chapter's exercises; with --mine they are yours.
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

void print_devices(const std::string& when, const td::nn::Module& model) {
  std::cout << "  " << when << ":";
  for (const td::Device device : devices_of(model)) std::cout << ' ' << device;
  std::cout << '\n';
}

void show_buffers(td::Device device) {
  std::cout << "\n1. Parameters and buffers\n";
  td::nn::Sequential model(td::nn::Linear(10, 5), td::nn::BatchNorm1d(5));
  move_tree(*model, device);
  print_devices("parameters moved", *model);
  move_buffers(*model, device, td::kFloat32);
  print_devices("buffers too", *model);
  for (const auto& item : model->state_dict())
    std::cout << "    " << item.key() << "  " << item.value().sizes() << ' ' << item.value().dtype()
              << ' ' << item.value().device() << '\n';
}

void show_ties(td::Device device) {
  std::cout << "\n2. Tied weights\n";
  const td::Tensor weight = td::ones({4, 3});
  auto state = tied_state({{"embedding", weight}, {"output", weight}}, device);
  std::cout << "  one tensor before: true, after: " << std::boolalpha
            << state["embedding"].is_same(state["output"]) << '\n';
}

void show_optimizer(td::Device device) {
  std::cout << "\n3. An optimizer made before the move\n";
  td::nn::Linear model(10, 1);
  td::nn::init::constant_(model->weight, 0.1);
  td::nn::init::constant_(model->bias, 0.2);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.1).momentum(0.9));
  const td::Tensor x = td::ones({4, 10});
  for (const td::Device target : {td::Device("cpu"), device}) {
    model->to(target);
    optimizer.zero_grad();
    model(x.to(target)).sum().backward();
    optimizer.step();  // the parameters are the tensors that it was given; its momentum follows
    std::cout << "  a step on " << target << ": bias is on " << model->bias.device() << ", "
              << model->bias.item<float>() << '\n';
  }
  std::vector<td::Tensor> momentum = {td::ones({1})};  // the same by hand, for one parameter
  follow(momentum, {model->bias});
  std::cout << "  by hand: momentum is on " << momentum[0].device() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch03-parts", "Shows what must move with a model.");
  command.takes({"seed"});
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    td::manual_seed(options.seed);
    show_buffers(device);
    show_ties(device);
    show_optimizer(device);
  });
}
