// The collectives, each as what a rank does with the pieces that all ranks show.
#include "distributed/transport/peer_memory_transport.h"

#include <algorithm>
#include <cstring>

namespace td::distributed {
namespace {

char* at(void* memory, std::int64_t element, ScalarType dtype) {
  return static_cast<char*>(memory) + static_cast<std::size_t>(element) * element_size(dtype);
}

// A block is given to the other ranks while it and theirs are in the nearest cache; measured.
constexpr std::int64_t kBlock = 1024;

// result = the ranks' elements [begin, end) of a piece, reduced in the order of ranks.
void reduce_range(void* result, const std::vector<void*>& ranks, std::int64_t begin,
                  std::int64_t end, const CollectiveFingerprint& key) {
  constexpr std::size_t kFew = 64;
  const void* few[kFew];
  std::vector<const void*> many(ranks.size() > kFew ? ranks.size() : 0);
  const void** arrays = many.empty() ? few : many.data();
  for (std::size_t r = 0; r < ranks.size(); ++r) arrays[r] = at(ranks[r], begin, key.dtype);
  reduce_all(result, arrays, static_cast<int>(ranks.size()), end - begin, key.dtype, key.reduce);
}

}  // namespace

PeerMemoryTransport::Slice PeerMemoryTransport::my_slice(std::int64_t numel,
                                                         ScalarType dtype) const {
  const std::int64_t line = 64 / static_cast<std::int64_t>(element_size(dtype));
  const std::int64_t lines = (numel + line - 1) / line;
  const auto border = [&](int r) { return std::min(numel, lines * r / size_ * line); };
  return {border(rank_), border(rank_ + 1)};
}

// anchor: all_reduce
// Reduce-scatter and all-gather in one pass: slice r of all ranks' data is touched by rank r
// alone, which reads it, reduces it, and writes the result to all ranks.
void PeerMemoryTransport::all_reduce(const CollectiveFingerprint& key, void* data) {
  exchange_buffers(key, data, key.numel, Access::kSlices, [&](const Piece& piece) {
    const Slice mine = my_slice(piece.numel(), key.dtype);
    for (std::int64_t begin = mine.begin; begin < mine.end; begin += kBlock) {
      const std::int64_t end = std::min(mine.end, begin + kBlock);
      void* const result = at(piece.ranks[rank_], begin, key.dtype);
      reduce_range(result, piece.ranks, begin, end, key);
      for (int r = 0; r < size_; ++r)
        if (r != rank_)
          std::memcpy(at(piece.ranks[r], begin, key.dtype), result,
                      static_cast<std::size_t>(end - begin) * element_size(key.dtype));
    }
  });
}
// anchor end

void PeerMemoryTransport::reduce(const CollectiveFingerprint& key, void* data) {
  exchange_buffers(key, data, key.numel, Access::kRead, [&](const Piece& piece) {
    if (rank_ == key.peer)
      reduce_range(at(data, piece.begin, key.dtype), piece.ranks, 0, piece.numel(), key);
  });
}

void PeerMemoryTransport::broadcast(const CollectiveFingerprint& key, void* data) {
  void* const shown = rank_ == key.peer ? data : nullptr;
  exchange_buffers(key, shown, key.numel, Access::kRead, [&](const Piece& piece) {
    if (rank_ != key.peer && piece.numel())
      std::memcpy(at(data, piece.begin, key.dtype), piece.ranks[key.peer],
                  static_cast<std::size_t>(piece.numel()) * element_size(key.dtype));
  });
}

void PeerMemoryTransport::all_gather(const CollectiveFingerprint& key, const void* input,
                                     void* output) {
  exchange_buffers(
      key, const_cast<void*>(input), key.numel, Access::kRead, [&](const Piece& piece) {
        const auto bytes = static_cast<std::size_t>(piece.numel()) * element_size(key.dtype);
        for (int r = 0; r < size_; ++r)  // `input` may be a part of `output`
          if (bytes)
            std::memmove(at(output, r * key.numel + piece.begin, key.dtype), piece.ranks[r], bytes);
      });
}

void PeerMemoryTransport::reduce_scatter(const CollectiveFingerprint& key, const void* input,
                                         void* output) {
  const std::int64_t first = rank_ * key.numel;
  exchange_buffers(key, const_cast<void*>(input), size_ * key.numel, Access::kRead,
                   [&](const Piece& piece) {
                     const std::int64_t begin = std::max(first, piece.begin);
                     const std::int64_t end = std::min(first + key.numel, piece.end);
                     if (begin < end)
                       reduce_range(at(output, begin - first, key.dtype), piece.ranks,
                                    begin - piece.begin, end - piece.begin, key);
                   });
}

void PeerMemoryTransport::barrier(const CollectiveFingerprint& key) {
  exchange_buffers(key, nullptr, 0, Access::kRead, [](const Piece&) {});
}

}  // namespace td::distributed
