// The arithmetic of sectors and banks. Invariant: allocates only memory for the sectors.
#include "simt/observe/warp_request.h"

#include <algorithm>
#include <bit>

namespace td::simt {
namespace {

/// The offsets of the lanes that take part, in ascending order.
struct Offsets {
  std::array<std::int64_t, 32> values;
  int count = 0;

  explicit Offsets(const WarpRequest& request) {
    bool ascending = true;
    for (std::uint32_t mask = request.mask; mask != 0; mask &= mask - 1) {
      const std::int64_t offset = request.offset[std::countr_zero(mask)];
      if (count > 0 && offset < values[count - 1]) ascending = false;
      values[count++] = offset;
    }
    if (!ascending) std::sort(begin(), end());
  }
  std::int64_t* begin() { return values.data(); }
  std::int64_t* end() { return values.data() + count; }
};

int most_in_one_word(Offsets& offsets) {
  int most = 0, run = 0;
  std::int64_t last = 0;
  for (const std::int64_t offset : offsets) {
    run = offset >> 2 == last ? run + 1 : 1;
    last = offset >> 2;
    most = std::max(most, run);
  }
  return most;
}

/// The different words that the lanes of a group need of each bank.
class Banks {
 public:
  void want(std::int64_t word) {
    const auto bank = static_cast<std::size_t>(word & (kBanks - 1));
    auto& words = words_[bank];
    for (int i = 0; i < count_[bank]; ++i)
      if (words[i] == word) return;
    words[count_[bank]++] = word;
    most_ = std::max<int>(most_, count_[bank]);
  }
  int most() const { return most_; }

 private:
  std::array<std::uint8_t, kBanks> count_{};
  std::array<std::array<std::int64_t, 32>, kBanks> words_;
  int most_ = 0;
};

}  // namespace

RequestCost global_cost(const WarpRequest& request, std::uintptr_t base,
                        std::vector<std::uintptr_t>& sectors) {
  sectors.clear();
  Offsets offsets(request);
  RequestCost cost;
  const std::int64_t size = request.bytes;
  std::int64_t counted = offsets.values[0];  // bytes below it are counted
  for (const std::int64_t offset : offsets) {
    cost.bytes += static_cast<std::size_t>(
        std::max<std::int64_t>(0, offset + size - std::max(offset, counted)));
    counted = std::max(counted, offset + size);
    const std::uintptr_t first = base + static_cast<std::uintptr_t>(offset);
    const std::uintptr_t last = (first + request.bytes - 1) / kSectorBytes;
    std::uintptr_t sector = first / kSectorBytes;
    if (!sectors.empty()) sector = std::max(sector, sectors.back() + 1);
    for (; sector <= last; ++sector) sectors.push_back(sector);
  }
  cost.transfers = sectors.size();
  cost.ideal = (cost.bytes + kSectorBytes - 1) / kSectorBytes;
  cost.same_word = most_in_one_word(offsets);
  return cost;
}

int lanes_per_pass(std::uint32_t bytes) {
  return 128 / static_cast<int>(std::clamp<std::uint32_t>(bytes, 4, 32));
}

RequestCost shared_cost(const WarpRequest& request) {
  const int lanes_per_group = lanes_per_pass(request.bytes);
  RequestCost cost;
  for (int first = 0; first < 32; first += lanes_per_group) {
    Banks banks;
    for (int lane = first; lane < first + lanes_per_group; ++lane) {
      if (!(request.mask >> lane & 1)) continue;
      const std::int64_t end = request.offset[lane] + request.bytes;
      for (std::int64_t word = request.offset[lane] >> 2; word * 4 < end; ++word) banks.want(word);
    }
    if (banks.most() == 0) continue;
    cost.transfers += static_cast<std::size_t>(banks.most());
    cost.ideal += 1;
    cost.ways = std::max(cost.ways, banks.most());
  }
  Offsets offsets(request);
  cost.same_word = most_in_one_word(offsets);
  cost.bytes = static_cast<std::size_t>(offsets.count) * request.bytes;
  return cost;
}

}  // namespace td::simt
