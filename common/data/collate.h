// Joining items into a batch, in page-locked memory where the loader asks for it: then the bytes of
// an item are copied once on the host, and the device copies the batch from there by itself. The
// Stack transforms call collate; the loader's threads hold a PinnedCollation.
#pragma once

#include "td/tensor/tensor.h"

namespace td::data {

/// While it lives, and `pins`, collate() of this thread makes batches in page-locked memory.
class PinnedCollation {
 public:
  explicit PinnedCollation(bool pins);
  ~PinnedCollation();
  PinnedCollation(const PinnedCollation&) = delete;
  PinnedCollation& operator=(const PinnedCollation&) = delete;

 private:
  bool previous_;
};

/// Tensors of equal sizes along a new first dimension, like stack().
/// @throws ShapeError when they differ.
Tensor collate(const TensorList& items);

}  // namespace td::data
