#include "exercises.h"

#include <exception>
#include <future>
#include <sstream>
#include <thread>

// answer: exception_pointers
// Exceptions are stored as pointers; the threads join themselves.
namespace exception_pointers {
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
}  // namespace exception_pointers

// answer: futures
// Futures carry outputs and errors; the caller computes replica 0.
namespace futures {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  const std::size_t n = modules.size();
  if (n != inputs.size()) throw td::Error("as many inputs as modules are needed");
  const bool recorded = td::GradMode::is_enabled();
  const auto run = [&](std::size_t i, const td::Stream& stream) {
    const td::AutoGradMode mode(recorded);
    const td::StreamGuard guard(stream);
    return modules[i]->forward(inputs[i]);
  };
  std::vector<std::future<td::Tensor>> futures;
  for (std::size_t i = 0; i < n; ++i)
    futures.push_back(
        std::async(std::launch::async, run, i, td::getCurrentStream(inputs[i].device())));
  for (auto& future : futures) future.wait();
  std::vector<td::Tensor> outputs;
  for (std::size_t i = 0; i < n; ++i) try {
      outputs.push_back(futures[i].get());
    } catch (const std::exception& error) {
      std::ostringstream text;
      text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
      throw td::Error(text.str());
    }
  return outputs;
}
}  // namespace futures
