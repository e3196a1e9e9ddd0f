// collate and Loader: exercise 4.loader, declared in exercises.h.
#include <algorithm>
#include <utility>

#include "exercises.h"
#include "td/exercise.h"

Batch collate(const std::vector<Batch>& samples) {
  // Your code here: Find the longest; zeros in pinned memory; copy each sample to its place. About 14 lines.
  td::not_done_yet("loader");
}

// Each argument initializes the member of the same name.
Loader::Loader(Get get, std::int64_t size, std::int64_t batch_size)
    : get_(std::move(get)), size_(size), batch_size_(batch_size) {}

void Loader::begin() {
  // Your code here: A new order from td::randperm; start at its front. About 5 lines.
  td::not_done_yet("loader");
}

std::optional<Batch> Loader::next() {
  // Your code here: Get up to batch_size_ samples from position_ on, and collate them. About 6 lines.
  td::not_done_yet("loader");
}
