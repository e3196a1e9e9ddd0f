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
// Futures carry outputs and errors.
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

// answer: caller_takes_the_first
// The calling thread runs replica 0 while the threads of the others run.
namespace caller_takes_the_first {
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("numbers of modules and inputs differ");
  const bool recorded = td::GradMode::is_enabled();
  std::vector<td::Tensor> outputs(modules.size());
  std::vector<std::string> errors(modules.size());
  const auto run = [&](std::size_t i, const td::Stream& stream) {
    const td::AutoGradMode mode(recorded);
    const td::StreamGuard guard(stream);
    try {
      outputs[i] = modules[i]->forward(inputs[i]);
    } catch (const std::exception& error) {
      errors[i] =
          "replica " + std::to_string(i) + " on " + inputs[i].device().str() + ": " + error.what();
    }
  };
  std::vector<td::Stream> streams;
  for (const td::Tensor& input : inputs) streams.push_back(td::getCurrentStream(input.device()));
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < modules.size(); ++i) threads.emplace_back(run, i, streams[i]);
  if (!modules.empty()) run(0, streams[0]);
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
}  // namespace caller_takes_the_first
