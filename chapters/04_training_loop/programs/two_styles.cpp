// Two styles of moving a program to a device. Both train the same layer on the same data, and the
// losses are the same.
#include <iostream>

#include "app/app.h"
#include "td/td.h"

namespace {

struct Program {
  td::nn::Sequential model{td::nn::Linear(10, 2)};
  td::nn::CrossEntropyLoss loss_fn;
  td::Tensor inputs = td::randn({100, 10}), labels = td::randint(0, 2, {100}, td::kInt64);
};

// anchor: scattered
/// Scattered: every object that takes part has an `if` and a call of its own.
void move_scattered(Program& p, td::Device device) {
  if (device.is_cuda()) p.model->cuda(device.index());
  if (device.is_sim()) p.model->sim(device.index());
  if (device.is_cuda()) p.loss_fn->cuda(device.index());
  if (device.is_sim()) p.loss_fn->sim(device.index());
  if (device.is_cuda()) p.inputs = p.inputs.cuda(device.index());
  if (device.is_sim()) p.inputs = p.inputs.sim(device.index());
  if (device.is_cuda()) p.labels = p.labels.cuda(device.index());
  if (device.is_sim()) p.labels = p.labels.sim(device.index());
}
// anchor end

// anchor: central
/// Central: one device, chosen once, and everything goes `to` it.
void move_central(Program& p, td::Device device) {
  p.model->to(device);
  p.loss_fn->to(device);
  p.inputs = p.inputs.to(device);
  p.labels = p.labels.to(device);
}
// anchor end

void train(Program& p) {
  td::optim::SGD optimizer(p.model->parameters(), td::optim::SGDOptions(0.01));
  for (int step = 1; step <= 3; ++step) {
    optimizer.zero_grad();
    const td::Tensor loss = p.loss_fn(p.model->forward(p.inputs), p.labels);
    loss.backward();
    optimizer.step();
    std::cout << "  step " << step << ", Loss: " << loss.item<float>() << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Moves a program to a device in two styles.");
  for (const bool central : {false, true}) {
    td::manual_seed(1);
    Program program;
    central ? move_central(program, device) : move_scattered(program, device);
    std::cout << (central ? "central\n" : "scattered\n");
    train(program);
  }
}
