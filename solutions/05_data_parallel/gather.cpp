// gather: exercise 5.gather, declared in exercises.h.
#include <sstream>

#include "exercises.h"
#include "td/exercise.h"

// solution only
namespace {

// Throws unless a part has the sizes of part 0, except in dimension 0.
void check_part(const td::Tensor& part, const td::Tensor& first, std::size_t i) {
  bool fits = part.dim() == first.dim();
  for (std::int64_t d = 1; fits && d < part.dim(); ++d) fits = part.size(d) == first.size(d);
  if (fits) return;
  std::ostringstream text;
  text << "gather: part " << i << " on " << part.device() << " has sizes " << part.sizes()
       << " but part 0 on " << first.device() << " has " << first.sizes()
       << "; they may differ in dimension 0 only";
  throw td::ShapeError(text.str());
}

}  // namespace
// end

td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  // blank: Check the sizes, bring all parts to the destination, join them. About 10 lines.
  if (parts.empty()) throw td::Error("gather: no parts; give at least one");
  std::vector<td::Tensor> moved;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_part(parts[i], parts[0], i);
    const td::Tensor part = parts[i].to(destination);
    moved.push_back(part.dim() == 0 ? part.unsqueeze(0) : part);
  }
  return td::cat(moved);
  // end
}
