// Gradients flow back through a move. leaf_on is an exercise; with --mine it is yours.
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

// anchor: gradients
void gradients(td::Device device) {
  const auto w = td::tensor({1.0, 2.0}).requires_grad_();
  const auto moved = w.to(device);
  (moved * 3).sum().backward();
  std::cout << std::boolalpha << "w.is_leaf() " << w.is_leaf() << ", w.to(device).is_leaf() "
            << moved.is_leaf() << "\nw.grad()               " << w.grad() << '\n';
  const auto leaf = leaf_on(w, device);
  (leaf * 3).sum().backward();
  std::cout << "leaf_on(w, device)     " << leaf << "\nits grad()             " << leaf.grad()
            << '\n';
}
// anchor end

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch02-gradients", "Shows how a gradient flows back through a move.");
  return command.run(argc, argv,
                     [&](const app::Options& options) { gradients(app::choose_device(options)); });
}
