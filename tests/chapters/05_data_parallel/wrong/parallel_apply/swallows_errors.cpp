// expect: an error was expected, none was thrown
// The thread no longer ends the program, and the caller gets an undefined tensor.
#include <thread>

#include "exercises.h"

std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: counts differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        const td::AutoGradMode mode(recorded);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception&) {
      }
    });
  for (std::thread& thread : threads) thread.join();
  return outputs;
}
