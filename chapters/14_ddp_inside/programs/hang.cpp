// Three programs that hang, what a recorder has kept of each rank's calls, and what the exercise
// diagnose_hang reads from it. The ranks are threads of this process.
#include <algorithm>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "recorded_group.h"

namespace {

constexpr int kRanks = 3;

// anchor: programs
// One step: the gradients of two buckets, then the loss of all ranks.
void step(ProcessGroup& group, bool with_loss = true) {
  group.all_reduce(td::zeros({325}), td::ReduceOp::AVG)->wait();
  group.all_reduce(td::zeros({4160}), td::ReduceOp::AVG)->wait();
  if (with_loss) group.all_reduce(td::zeros({1}))->wait();
}

// Rank 1 does not need the sum of the losses, because it prints nothing.
void skipped(ProcessGroup& group) {
  for (int i = 0; i < 3; ++i) step(group, group.rank() != 1 || i != 1);
}

// Rank 2 has one batch less.
void uneven(ProcessGroup& group) {
  for (int i = 0; i < (group.rank() == 2 ? 2 : 3); ++i) step(group);
}

// Rank 0 builds its buckets in another order.
void reordered(ProcessGroup& group) {
  step(group);
  const std::int64_t first = group.rank() == 0 ? 4160 : 325;
  group.all_reduce(td::zeros({first}), td::ReduceOp::AVG)->wait();
  group.all_reduce(td::zeros({4485 - first}), td::ReduceOp::AVG)->wait();
}
// anchor end

void show(const std::string& name, const std::function<void(ProcessGroup&)>& program) {
  const std::vector<CallRecords> records = record_ranks(kRanks, program);
  std::cout << name << '\n';
  for (int r = 0; r < kRanks; ++r) {
    std::cout << "  rank " << r << ':';
    for (const auto& call : records[static_cast<std::size_t>(r)].calls)
      std::cout << "  #" << call.sequence << (call.reduce == td::ReduceOp::AVG ? " avg " : " sum ")
                << std::left << std::setw(4) << call.numel;
    std::cout << '\n';
  }
  const Diagnosis found = diagnose_hang(records);
  std::cout << "  call #" << found.call
            << (found.reason == Diagnosis::kDifferent ? ": another call on rank"
                                                      : ": not made by rank");
  for (const int rank : found.ranks) std::cout << ' ' << rank;
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch14-hang", "Shows the calls of ranks that hang, and what is wrong.");
  command.without_device("the ranks are threads and use the cpu");
  return command.run(argc, argv, [](const app::Options&) {
    show("skipped", skipped);
    show("uneven", uneven);
    show("reordered", reordered);
  });
}
