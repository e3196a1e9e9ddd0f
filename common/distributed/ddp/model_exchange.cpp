// Texts and numbers as tensors, and the comparison of models.
#include "distributed/ddp/model_exchange.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>

#include "distributed/ddp/bucket.h"
#include "distributed/transport/work_queue.h"
#include "td/autograd/modes.h"
#include "td/ops/ops.h"

namespace td::distributed {
namespace {

// The same as in PyTorch: few large messages, and never the whole model twice in memory.
constexpr std::size_t kBroadcastBytes = 250 << 20;

using Numbers = std::vector<std::int64_t>;

// One broadcast of tensors of one type and device.
void broadcast_together(ProcessGroup& group, const TensorList& tensors, int root,
                        const std::function<void(const Tensor&, const Tensor&)>& take) {
  std::int64_t numel = 0;
  TensorList flat;
  for (const Tensor& t : tensors) {
    numel += t.numel();
    if (group.rank() == root) flat.push_back(t.detach().reshape({-1}));
  }
  const Tensor all =
      flat.empty() ? empty({numel}, tensors[0].options().requires_grad(false)) : cat(flat);
  const InlineExecutionGuard run_inline;
  group.broadcast(all, root)->wait();
  std::int64_t offset = 0;
  for (const Tensor& t : tensors) {
    if (group.rank() != root) take(t, all.narrow(0, offset, t.numel()).view(t.sizes()));
    offset += t.numel();
  }
}

}  // namespace

std::vector<Numbers> all_gather_numbers(ProcessGroup& group, const Numbers& numbers,
                                        Device device) {
  NoGradGuard no_grad;
  const auto count = static_cast<std::int64_t>(numbers.size());
  Tensor input = empty({count}, kLong);
  std::copy(numbers.begin(), numbers.end(), input.data_ptr<std::int64_t>());
  input = input.to(device);
  const Tensor output = empty({group.size() * count}, input.options());
  const InlineExecutionGuard run_inline;
  group.all_gather_into_tensor(output, input)->wait();
  const Tensor host = output.to(kCPU);
  const auto* const all = host.data_ptr<std::int64_t>();
  std::vector<Numbers> by_rank;
  for (int rank = 0; rank < group.size(); ++rank)
    by_rank.emplace_back(all + rank * count, all + (rank + 1) * count);
  return by_rank;
}

std::vector<std::string> all_gather_text(ProcessGroup& group, const std::string& text,
                                         Device device) {
  const auto sizes = all_gather_numbers(group, {static_cast<std::int64_t>(text.size())}, device);
  Numbers letters(text.begin(), text.end());
  letters.resize(static_cast<std::size_t>((*std::max_element(sizes.begin(), sizes.end()))[0]));
  std::vector<std::string> texts;
  for (const Numbers& all : all_gather_numbers(group, letters, device))
    texts.emplace_back(all.begin(), all.begin() + sizes[texts.size()][0]);
  return texts;
}

void broadcast_coalesced(ProcessGroup& group, const TensorList& tensors, int root,
                         const std::function<void(const Tensor&, const Tensor&)>& take) {
  NoGradGuard no_grad;
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0);
  for (const auto& numbers : assign_buckets(tensors, order, kBroadcastBytes, kBroadcastBytes)) {
    TensorList together;
    for (std::size_t number : numbers) together.push_back(tensors[number]);
    broadcast_together(group, together, root, take);
  }
}

void check_same_model(ProcessGroup& group, const std::vector<std::string>& lines, Device device) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  std::vector<std::istringstream> ranks;
  for (const std::string& rank : all_gather_text(group, text, device)) ranks.emplace_back(rank);
  for (bool more = true; more;) {
    more = false;
    std::map<std::string, std::string> who;  // line: the ranks that have it
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      std::string line;
      if (std::getline(ranks[r], line))
        more = true;
      else
        line = "nothing more";
      who[line] += (who[line].empty() ? "rank " : ", ") + std::to_string(r);
    }
    if (who.size() == 1) continue;
    std::vector<std::string> sides;
    for (const auto& [line, names] : who) sides.push_back(names + ": " + line);
    std::sort(sides.begin(), sides.end());
    std::string difference;
    for (const std::string& side : sides) difference += "\n  " + side;
    fail<Error>(
        "DistributedDataParallel: the ranks do not have the same model. The first difference:",
        difference, "\nAll ranks must build the module and the options alike");
  }
}

JoinStep agree(ProcessGroup& group, bool has_batch, bool gradients, bool buffers, Device device) {
  const auto all = all_gather_numbers(group, {has_batch, gradients, buffers}, device);
  JoinStep step;
  step.active = 0;
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto& said = all[static_cast<std::size_t>(rank)];
    if (!said[0]) continue;
    const bool first = step.active++ == 0;
    if (first) {
      step.root = rank;
      step.gradients = said[1];
      step.buffers = said[2];
    }
    TD_CHECK(Error, step.gradients == bool(said[1]) && step.buffers == bool(said[2]),
             "join: ranks ", step.root, " and ", rank,
             " do different things in one step: only one of them is inside no_sync() or "
             "NoGradGuard. All ranks that have a batch must do the same");
  }
  return step;
}

}  // namespace td::distributed
