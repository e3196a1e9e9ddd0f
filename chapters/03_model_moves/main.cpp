// Chapter 03, model moves: what model.to(device) moves, what it must keep, and what goes wrong when
// something stays behind. Reads top to bottom.
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

// anchor: model
struct SimpleModelImpl : td::nn::Module {
  SimpleModelImpl() { fc = register_module("fc", td::nn::Linear(10, 1)); }
  td::Tensor forward(const td::Tensor& x) { return fc(x); }
  td::nn::Linear fc{nullptr};
};
TD_MODULE(SimpleModel);
// anchor end

void print_places(const std::string& when, const td::nn::Module& model) {
  std::cout << "  " << when << ":";
  for (const td::Device device : devices_of(model)) std::cout << ' ' << device;
  std::cout << '\n';
}

// anchor: move
void move_a_model(td::Device device) {
  std::cout << "\n1. A model moves\n";
  SimpleModel model;
  print_places("made", *model);
  model->to(device);  // changes the model itself; a tensor's `to` returns a new tensor
  print_places("after model->to", *model);
  const td::Tensor input = td::randn({10}).to(device);
  std::cout << "  " << model(input) << '\n';
}
// anchor end

// anchor: forgotten
void forget_the_input(td::Device device) {
  std::cout << "\n2. The input stayed behind\n";
  SimpleModel model;
  model->to(device);
  try {
    model(td::randn({2, 10}));
    std::cout << "  works: this device is the cpu\n";
  } catch (const td::DeviceError& error) {
    std::cout << "  " << error.what() << '\n';
  }
}
// anchor end

// anchor: parts
void show_parts(td::Device device) {
  std::cout << "\n3. Parameters and buffers\n";
  td::nn::Sequential model(td::nn::Linear(10, 5), td::nn::BatchNorm1d(5));
  move_tree(*model, device);
  print_places("parameters moved", *model);
  move_buffers(*model, device, td::kFloat32);
  print_places("buffers too", *model);
  for (const auto& item : model->state_dict())
    std::cout << "    " << item.key() << "  " << item.value().sizes() << ' ' << item.value().dtype()
              << ' ' << item.value().device() << '\n';
}
// anchor end

// anchor: tied
void show_ties(td::Device device) {
  std::cout << "\n4. Tied weights\n";
  const td::Tensor weight = td::ones({4, 3});
  auto state = tied_state({{"embedding", weight}, {"output", weight}}, device);
  std::cout << "  one tensor before: true, after: " << std::boolalpha
            << state["embedding"].is_same(state["output"]) << '\n';
}
// anchor end

// anchor: optimizer
void show_optimizer(td::Device device) {
  std::cout << "\n5. An optimizer made before the move\n";
  SimpleModel model;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.1).momentum(0.9));
  const td::Tensor x = td::ones({4, 10});
  for (const td::Device place : {td::Device("cpu"), device}) {
    model->to(place);
    optimizer.zero_grad();
    model(x.to(place)).sum().backward();
    optimizer.step();  // the parameters are the tensors it was given, and its momentum follows
    std::cout << "  a step on " << place << ": bias is on " << model->fc->bias.device() << ", "
              << model->fc->bias.item<float>() << '\n';
  }
  std::vector<td::Tensor> momentum = {td::ones({1})};  // the same by hand, for one parameter
  follow(momentum, {model->fc->bias});
  std::cout << "  by hand: momentum is on " << momentum[0].device() << '\n';
}
// anchor end

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch03_model_moves",
                       "Moves models between devices, and shows what must come along.");
  command.takes({"seed"});
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    td::manual_seed(options.seed);
    move_a_model(device);
    forget_the_input(device);
    show_parts(device);
    show_ties(device);
    show_optimizer(device);
  });
}
