// expect: a model over sim:1 and sim:0: expected {sim:1, sim:0}, got {sim:1}
// Right on the README's example: it takes two devices of one kind for the same.
#include <algorithm>

#include "exercises.h"

std::vector<td::Device> devices_of(const td::nn::Module& model) {
  std::vector<td::Device> found;
  const auto note = [&](const td::Tensor& t) {
    const auto same_kind = [&](td::Device d) { return d.type() == t.device().type(); };
    if (std::none_of(found.begin(), found.end(), same_kind)) found.push_back(t.device());
  };
  for (const td::Tensor& p : model.parameters()) note(p);
  for (const td::Tensor& b : model.buffers()) note(b);
  return found;
}
