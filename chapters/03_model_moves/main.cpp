// Chapter 03, model moves: a model moves to a device, and its input must be there, too.
#include <iostream>

#include "app/app.h"
#include "td/td.h"

struct SimpleModelImpl : td::nn::Module {
  SimpleModelImpl() { fc = register_module("fc", td::nn::Linear(3, 1)); }
  td::Tensor forward(const td::Tensor& x) { return fc(x); }
  td::nn::Linear fc{nullptr};
};
TD_MODULE(SimpleModel);

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Moves a model and its input to a device.");
  td::manual_seed(1);

  SimpleModel net;
  std::cout << "created on " << net->parameters()[0].device() << '\n';
  net->to(device);  // changes the model itself
  std::cout << "moved to " << net->parameters()[0].device() << "\n\n";

  const td::Tensor x = td::rand({2, 3});  // on the cpu
  try {
    net(x);
    std::cout << "This device is the cpu, so the input is there already.\n\n";
  } catch (const std::exception& error) {
    std::cout << error.what() << "\n\n";
  }
  const td::Tensor y = net(x.to(device));  // a tensor's `to` returns another tensor
  std::cout << y << '\n';
}
