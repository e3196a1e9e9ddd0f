// What it costs two ranks to average the gradients of a model in a ring over 1 Gbit/s, by the
// formula of the page. Nothing is sent.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "models.h"

namespace {

constexpr double kLatency = 0.1e-3, kPerByte = 8e-9;  // seconds: a message, and a byte
constexpr int kRanks = 2;

void show(const std::string& name, td::nn::Sequential model) {
  std::int64_t tensors = 0, bytes = 0;
  for (const td::Tensor& parameter : model->parameters()) {
    ++tensors;
    bytes += static_cast<std::int64_t>(parameter.nbytes());
  }
  const double messages = 2 * (kRanks - 1) * kLatency;
  const double data = 2.0 * (kRanks - 1) / kRanks * static_cast<double>(bytes) * kPerByte;
  std::cout << std::left << std::setw(8) << name << std::right << std::setw(9) << bytes << " bytes"
            << std::fixed << std::setprecision(1) << std::setw(8) << 1e3 * (messages + data)
            << " ms as one tensor" << std::setw(8)
            << 1e3 * (static_cast<double>(tensors) * messages + data) << " ms as " << tensors
            << " tensors\n";
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch14-cost", "Counts the gradients of three models and what they cost.");
  command.without_device("it counts bytes and sends none");
  return command.run(argc, argv, [](const app::Options&) {
    show("linear", td::nn::Sequential(td::nn::Linear(10, 5)));
    show("cnn", cifar_net());
    show("deep", deep_net());
  });
}
