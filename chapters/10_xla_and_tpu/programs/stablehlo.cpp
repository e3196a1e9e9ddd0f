// Prints the training step of train.cpp as XLA reads it. Three exercises write parts of it:
// gradients, all_reduce and optimizer_step; with --mine they are yours. It needs no plugin.
#include <iostream>

#include "app/app.h"
#include "tasks.h"

int main(int argc, char** argv) {
  std::string model = "linear";
  std::int64_t rows = 32, replicas = 1;
  app::Command command("ch10-stablehlo", "Prints a training step in StableHLO.");
  command.without_device("it prints a program and runs none");
  command.choice("--model", model, {"linear", "classifier"},
                 "linear: MSE and SGD; classifier: cross entropy and Adam");
  command.option("--rows", rows, "rows per replica", 1);
  command.option("--replicas", replicas, "devices that train together", 1);
  return command.run(argc, argv, [&](const app::Options&) {
    std::cout << step_text(make_task(model, 0), rows, static_cast<std::size_t>(replicas));
  });
}
