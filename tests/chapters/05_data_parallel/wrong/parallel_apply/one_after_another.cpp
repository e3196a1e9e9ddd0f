// expect: they run one after another
// A loop without threads: every answer is right, and nothing is faster. (On accelerators the work
// itself would still run concurrently, because the host only launches it.)
#include <sstream>

#include "exercises.h"

std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs) {
  if (modules.size() != inputs.size()) throw td::Error("parallel_apply: counts differ");
  std::vector<td::Tensor> outputs;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    try {
      outputs.push_back(modules[i]->forward(inputs[i]));
    } catch (const std::exception& error) {
      std::ostringstream text;
      text << "replica " << i << " on " << inputs[i].device() << ": " << error.what();
      throw td::Error(text.str());
    }
  }
  return outputs;
}
