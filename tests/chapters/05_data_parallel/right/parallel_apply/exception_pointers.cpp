// Exceptions are stored as pointers; the threads join themselves.
#include <exception>
#include <thread>

#include "exercises.h"

std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (inputs.size() != modules.size()) throw td::Error("one input per module, please");
  std::vector<td::Tensor> outputs(inputs.size());
  std::vector<std::exception_ptr> errors(inputs.size());
  {
    const bool enabled = td::GradMode::is_enabled();
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const td::Stream stream = td::getCurrentStream(inputs[i].device());
      threads.emplace_back([&, i, stream] {
        td::GradMode::set_enabled(enabled);
        const td::DeviceGuard guard(inputs[i].device());
        td::setCurrentStream(stream);
        try {
          outputs[i] = modules[i]->forward(inputs[i]);
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!errors[i]) continue;
    try {
      std::rethrow_exception(errors[i]);
    } catch (const std::exception& error) {
      throw td::Error("replica " + std::to_string(i) + " on " + inputs[i].device().str() + ": " +
                      error.what());
    }
  }
  return outputs;
}
