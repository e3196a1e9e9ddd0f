// Chapter 02, tensor moves: a tensor goes to a device, its results stay there, and it comes back.
#include <iostream>

#include "app/app.h"
#include "td/td.h"

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Moves a tensor to a device and back.");

  td::Tensor x = td::tensor({1.0, 2.0, 3.0});
  std::cout << "created on the cpu     " << x << '\n';
  x = x.to(device);
  std::cout << "after x.to(device)     " << x << '\n';
  std::cout << "x.device()             " << x.device() << '\n';
  std::cout << "back with x.cpu()      " << x.cpu() << '\n';
  std::cout << "created on the device  " << td::tensor({1, 2, 3}, device) << "\n\n";

  x = td::tensor({1, 2, 3}, device);  // integers: int64, as in PyTorch
  const td::Tensor y = x.pow(2);      // computed on the device, and stored there
  std::cout << "x                      " << x << '\n';
  std::cout << "y = x.pow(2)           " << y << '\n';
  std::cout << "(y > 3)                " << (y > 3) << '\n';
  std::cout << "y * td::tensor(2)      " << y * td::tensor(2) << '\n';
  std::cout << "y.sum().item()         " << y.sum().item<std::int64_t>() << "\n\n";

  try {
    std::cout << "y + x.cpu()            " << y + x.cpu() << '\n';
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
  }
}
