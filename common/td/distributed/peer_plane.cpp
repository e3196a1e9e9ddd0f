// Reduce-scatter and all-gather over memory that all ranks see.
#include "td/distributed/peer_plane.h"

#include <algorithm>
#include <cstring>

#include "td/distributed/host_reduce.h"

namespace td::distributed {
namespace {

char* at(void* memory, std::int64_t element, ScalarType dtype) {
  return static_cast<char*>(memory) + static_cast<std::size_t>(element) * element_size(dtype);
}

// result = the ranks' elements [begin, end), reduced in the order of ranks.
void reduce_range(void* result, const std::vector<void*>& ranks, std::int64_t begin,
                  std::int64_t end, const CollectiveKey& key) {
  std::vector<const void*> arrays;
  for (void* memory : ranks) arrays.push_back(at(memory, begin, key.dtype));
  reduce_all(result, arrays.data(), static_cast<int>(arrays.size()), end - begin, key.dtype,
             key.reduce);
}

}  // namespace

PeerPlane::Slice PeerPlane::slice_of(int rank, const CollectiveKey& key) const {
  // Two ranks that write to one cache line would pass it to and fro.
  const std::int64_t line = 64 / static_cast<std::int64_t>(element_size(key.dtype));
  const std::int64_t lines = (key.numel + line - 1) / line;
  const auto border = [&](int r) { return std::min(key.numel, lines * r / size_ * line); };
  return {border(rank), border(rank + 1)};
}

// Reduce-scatter, then all-gather, both in place: slice r of every rank's data is read by rank r
// alone until it holds the result, and then by everybody.
void PeerPlane::all_reduce(const CollectiveKey& key, void* data) {
  const std::vector<void*>& ranks = meet(key, data);
  const Slice mine = slice_of(rank_, key);
  reduce_range(at(data, mine.begin, key.dtype), ranks, mine.begin, mine.end, key);
  part(key);
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    const Slice slice = slice_of(r, key);
    std::memcpy(at(data, slice.begin, key.dtype), at(ranks[r], slice.begin, key.dtype),
                static_cast<std::size_t>(slice.end - slice.begin) * element_size(key.dtype));
  }
  part(key);
}

void PeerPlane::reduce(const CollectiveKey& key, void* data) {
  const std::vector<void*>& ranks = meet(key, data);
  if (rank_ == key.peer) reduce_range(data, ranks, 0, key.numel, key);
  part(key);
}

void PeerPlane::broadcast(const CollectiveKey& key, void* data) {
  const std::vector<void*>& ranks = meet(key, data);
  if (rank_ != key.peer && key.bytes()) std::memcpy(data, ranks[key.peer], key.bytes());
  part(key);
}

void PeerPlane::all_gather(const CollectiveKey& key, const void* input, void* output) {
  const std::vector<void*>& ranks = meet(key, const_cast<void*>(input));
  for (int r = 0; r < size_; ++r)
    if (key.bytes()) std::memmove(at(output, r * key.numel, key.dtype), ranks[r], key.bytes());
  part(key);
}

void PeerPlane::reduce_scatter(const CollectiveKey& key, const void* input, void* output) {
  const std::vector<void*>& ranks = meet(key, const_cast<void*>(input));
  reduce_range(output, ranks, rank_ * key.numel, (rank_ + 1) * key.numel, key);
  part(key);
}

void PeerPlane::barrier(const CollectiveKey& key) {
  meet(key, nullptr);
  part(key);
}

}  // namespace td::distributed
