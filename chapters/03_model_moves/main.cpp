// Chapter 03, model moves: what model.to(device) moves, what it must keep, and what goes wrong when
// a tensor stays on the old device. Reads top to bottom.
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"
#include "trace/trace.h"

namespace {

// anchor: model
struct SimpleModelImpl : td::nn::Module {
  SimpleModelImpl() { fc = register_module("fc", td::nn::Linear(10, 1)); }
  td::Tensor forward(const td::Tensor& x) { return fc(x); }
  td::nn::Linear fc{nullptr};
};
TD_MODULE(SimpleModel);
// anchor end

// The same weights on every machine, so that pytorch.py can start from them.
SimpleModel fixed_model() {
  SimpleModel model;
  td::nn::init::constant_(model->fc->weight, 0.1);
  td::nn::init::constant_(model->fc->bias, 0.2);
  return model;
}

void print_devices(const std::string& when, const td::nn::Module& model) {
  std::cout << "  " << when << ":";
  for (const td::Device device : devices_of(model)) std::cout << ' ' << device;
  std::cout << '\n';
}

// anchor: move
void move_a_model(td::Device device) {
  std::cout << "\n1. A model moves\n";
  SimpleModel model;
  print_devices("made", *model);
  model->to(device);  // changes the model itself; a tensor's `to` returns a new tensor
  print_devices("after model->to", *model);
  const td::Tensor input = td::randn({10}).to(device);
  std::cout << "  " << model(input) << '\n';
}
// anchor end

// anchor: forgotten
void forget_the_input(td::Device device) {
  std::cout << "\n2. The input stayed on the cpu\n";
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
  print_devices("parameters moved", *model);
  move_buffers(*model, device, td::kFloat32);
  print_devices("buffers too", *model);
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
  SimpleModel model = fixed_model();
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.1).momentum(0.9));
  const td::Tensor x = td::ones({4, 10});
  for (const td::Device target : {td::Device("cpu"), device}) {
    model->to(target);
    optimizer.zero_grad();
    model(x.to(target)).sum().backward();
    optimizer.step();  // the parameters are the tensors that it was given; its momentum follows
    std::cout << "  a step on " << target << ": bias is on " << model->fc->bias.device() << ", "
              << model->fc->bias.item<float>() << '\n';
  }
  std::vector<td::Tensor> momentum = {td::ones({1})};  // the same by hand, for one parameter
  follow(momentum, {model->fc->bias});
  std::cout << "  by hand: momentum is on " << momentum[0].device() << '\n';
}
// anchor end

// anchor: copies
void count_copies(td::Device device, const std::string& picture) {
  std::cout << "\n6. One copy per tensor\n";
  td::nn::Sequential model(td::nn::Linear(256, 256), td::nn::BatchNorm1d(256),
                           td::nn::Linear(256, 10));
  td::zeros({1}).to(device);  // the first copy of a program also creates what copies need
  for (const char* which : {"first", "second"}) {
    td::trace::start();
    {
      const td::trace::Span span("model->to");
      model->to(device);
    }
    const td::trace::Trace trace = td::trace::stop();
    std::uint64_t copies = 0, bytes = 0;
    for (const td::trace::SpanRecord& span : trace.spans)
      if (span.category == td::trace::Category::kCopy) ++copies, bytes += span.bytes;
    std::cout << "  " << which << " model->to: " << copies << " copies, " << bytes << " bytes\n";
    if (copies && !picture.empty())
      td::trace::write_svg(trace, picture, td::trace::PictureOptions().host(true));
  }
}
// anchor end

// anchor: resume
double train_a_step(SimpleModel& model, std::vector<td::Tensor>& momentum) {
  const td::Device device = model->fc->weight.device();
  model->zero_grad(/*set_to_none=*/true);
  const td::Tensor x = td::arange(40).reshape({4, 10}).to(device) / 40;
  const td::Tensor loss = (model(x) - 1).square().mean();
  loss.backward();
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < momentum.size(); ++i) {
    td::Tensor p = model->parameters()[i];
    momentum[i] = momentum[i].defined() ? momentum[i] * 0.9 + p.grad() : p.grad().clone();
    p.sub_(momentum[i] * 0.05);
  }
  return loss.item<double>();
}

void continue_elsewhere(td::Device device) {
  std::cout << "\n7. A checkpoint continues on another device\n";
  SimpleModel model = fixed_model(), other;
  std::vector<td::Tensor> momentum(2);
  for (int step = 1; step <= 3; ++step)
    std::cout << "  step " << step << " on cpu: loss " << train_a_step(model, momentum) << '\n';
  momentum = resume(*other, save_checkpoint(*model, momentum), device);
  for (int step = 4; step <= 6; ++step)
    std::cout << "  step " << step << " on " << device << ": loss " << train_a_step(other, momentum)
              << '\n';
}
// anchor end

}  // namespace

int main(int argc, char** argv) {
  std::string timeline;
  app::Command command("ch03_model_moves",
                       "Moves models between devices, and shows what must move with them.");
  command.takes({"seed"});
  command.option("--timeline", timeline, "draw the copies of part 6 into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    td::manual_seed(options.seed);
    move_a_model(device);
    forget_the_input(device);
    show_parts(device);
    show_ties(device);
    show_optimizer(device);
    count_copies(device, timeline);
    continue_elsewhere(device);
  });
}
