// Futures carry outputs and errors; the caller computes replica 0.
#include <future>
#include <sstream>

#include "exercises.h"

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
