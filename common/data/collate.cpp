// See collate.h.
#include "data/collate.h"

#include <algorithm>
#include <utility>

#include "td/autograd/modes.h"
#include "td/ops/ops.h"

namespace td::data {
namespace {

thread_local bool pins_batches = false;

// Whether rows of one sort can be written into one block of host memory; stack() knows the rest,
// and the texts of what cannot be joined at all.
bool one_sort(const TensorList& items) {
  return !items.empty() && std::all_of(items.begin(), items.end(), [&](const Tensor& item) {
    return item.defined() && item.is_cpu() && item.dtype() == items[0].dtype() &&
           item.sizes() == items[0].sizes();
  });
}

}  // namespace

PinnedCollation::PinnedCollation(bool pins) : previous_(std::exchange(pins_batches, pins)) {}
PinnedCollation::~PinnedCollation() { pins_batches = previous_; }

Tensor collate(const TensorList& items) {
  if (!pins_batches || !one_sort(items)) return stack(items);
  const NoGradGuard no_grad;
  Sizes sizes(items[0].sizes());
  sizes.insert(0, static_cast<std::int64_t>(items.size()));
  const Tensor batch = empty(sizes, items[0].options().pinned_memory(true));
  for (std::size_t i = 0; i < items.size(); ++i)
    batch.select(0, static_cast<std::int64_t>(i)).copy_(items[i]);
  return batch;
}

}  // namespace td::data
