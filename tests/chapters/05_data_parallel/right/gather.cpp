#include "exercises.h"

#include <sstream>

// answer: stacks_losses
// Checks all parts first; losses are stacked, everything else is joined.
namespace stacks_losses {
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather needs at least one part");
  const auto rest = [](const td::Tensor& t) {
    std::vector<std::int64_t> sizes = t.sizes().vec();
    if (!sizes.empty()) sizes[0] = -1;
    return sizes;
  };
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (rest(parts[i]) != rest(parts[0])) {
      std::ostringstream text;
      text << "cannot join " << parts[0].sizes() << " and part " << i << ": " << parts[i].sizes()
           << " on " << parts[i].device();
      throw td::ShapeError(text.str());
    }
  std::vector<td::Tensor> here;
  for (const td::Tensor& part : parts) here.push_back(part.to(destination));
  return parts[0].dim() == 0 ? td::stack(here) : td::cat(here, 0);
}
}  // namespace stacks_losses
