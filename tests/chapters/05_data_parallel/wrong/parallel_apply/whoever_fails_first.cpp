// expect: the error should say "replica 0"
// One variable for the errors of all replicas: which error is thrown depends on timing.
#include <mutex>
#include <sstream>
#include <thread>

#include "exercises.h"

std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: counts differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::string first;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        const td::AutoGradMode mode(recorded);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        std::ostringstream text;
        text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
        if (first.empty()) first = text.str();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (!first.empty()) throw td::Error(first);
  return outputs;
}
