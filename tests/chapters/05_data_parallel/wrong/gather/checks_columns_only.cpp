// expect: the error should say "part 1"
// Compares dimension 1 only.
#include "exercises.h"

#include <sstream>

td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no part");
  std::vector<td::Tensor> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const td::Tensor &part = parts[i], &first = parts[0];
    bool fits = part.dim() == first.dim() && (part.dim() < 2 || part.size(1) == first.size(1));
    if (!fits) {
      std::ostringstream text;
      text << "part " << i << " on " << part.device() << " has sizes " << part.sizes() << ", not "
           << first.sizes();
      throw td::ShapeError(text.str());
    }
    td::Tensor one = part.to(destination);
    all.push_back(one.dim() == 0 ? one.reshape({1}) : one);
  }
  return td::cat(all);
}
