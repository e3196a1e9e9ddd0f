// expect: an error without a text: an error was expected, none was thrown
// An empty message counts as no error.
#include <exception>
#include <sstream>
#include <thread>

#include "exercises.h"

std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size())
    throw td::Error("parallel_apply: as many inputs as modules are needed");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i, stream = td::getCurrentStream(inputs[i].device())] {
      try {
        const td::AutoGradMode mode(recorded);
        const td::StreamGuard guard(stream);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception& error) {
        errors[i] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i].empty()) continue;
    std::ostringstream text;
    text << "replica " << i << " on " << inputs[i].device() << ": " << errors[i];
    throw td::Error(text.str());
  }
  return outputs;
}
