// expect: an error of another type was thrown
// Joins all threads, but passes an error on unchanged, so that it does not name the replica.
#include <exception>
#include <thread>

#include "exercises.h"

std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: counts differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::exception_ptr> errors(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        const td::AutoGradMode mode(recorded);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return outputs;
}
