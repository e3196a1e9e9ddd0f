// expect: three inputs for two modules
// Notices missing inputs, but not superfluous ones.
#include <sstream>
#include <thread>

#include "exercises.h"

std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (inputs.size() < modules.size()) throw td::Error("parallel_apply: numbers differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  const auto work = [&](std::size_t i, const td::Stream& stream) {
    try {
      const td::AutoGradMode mode(recorded);
      const td::StreamGuard guard(stream);
      outputs[i] = modules[i]->forward(inputs[i]);
    } catch (const std::exception& error) {
      std::ostringstream text;
      text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
      errors[i] = text.str();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back(work, i, td::getCurrentStream(inputs[i].device()));
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
