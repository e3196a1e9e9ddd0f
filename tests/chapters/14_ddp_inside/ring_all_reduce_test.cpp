// Tests of ring_all_reduce: the sums, and the messages that each rank sends.
#include <sstream>

#include "exercises.h"
#include "ranks.h"

namespace {

using td::distributed::CollectiveFingerprint;
using td::distributed::CollectiveType;

// What rank r holds before: integers, whose sums are exact.
td::Tensor start_of(int rank, const std::vector<std::int64_t>& sizes,
                    const td::TensorOptions& options) {
  std::int64_t n = 1;
  for (const std::int64_t size : sizes) n *= size;
  return ((td::arange(n) + 1) * (rank + 1))
      .to(td::kFloat)
      .reshape(sizes)
      .to(options.dtype())
      .to(options.device());
}

// Runs the ranks. After a run that ended in a deadlock, all further runs fail immediately.
void run_or_hang(int ranks, const std::function<void(ProcessGroup&)>& work) {
  static bool hung = false;
  check::expect(!hung, "not run, because the ranks of an earlier test waited for each other");
  try {
    run_ranks(ranks, work, std::chrono::seconds(2));
  } catch (const td::distributed::DistributedError&) {
    hung = true;
    throw;
  }
}

using Calls = std::vector<std::vector<CollectiveFingerprint>>;

// Runs it in threads, and compares every rank with the sum. Returns the calls of each rank.
Calls expect_sums(int ranks, const std::vector<std::int64_t>& sizes,
                  const td::TensorOptions& options = {}) {
  std::vector<td::Tensor> tensors, views;
  for (int r = 0; r < ranks; ++r) {
    tensors.push_back(start_of(r, sizes, options));
    views.push_back(tensors.back().view({-1}));  // the same memory
  }
  Calls calls(tensors.size());
  run_or_hang(ranks, [&](ProcessGroup& group) {
    CountedGroup counted(group);
    const auto r = static_cast<std::size_t>(group.rank());
    ring_all_reduce(tensors[r], counted);
    calls[r] = counted.calls;
  });
  const std::vector<double> one = check::values(start_of(0, sizes, {}));
  std::vector<double> expected;
  for (const double value : one) expected.push_back(value * ranks * (ranks + 1) / 2);
  for (int r = 0; r < ranks; ++r) {
    std::ostringstream what;
    what << one.size() << " elements, " << rank_name(r, ranks) << " on "
         << tensors[static_cast<std::size_t>(r)].device();
    check::expect_close(check::values(tensors[static_cast<std::size_t>(r)]), expected, 0,
                        what.str());
    check::expect_close(check::values(views[static_cast<std::size_t>(r)]), expected, 0,
                        what.str() + ": a view that existed before");
  }
  return calls;
}

}  // namespace

TEST_CASE("two ranks with three elements, as in the example", "[ring_all_reduce]") {
  expect_sums(2, {3});
}

TEST_CASE("any number of ranks and elements, also fewer elements than ranks", "[ring_all_reduce]") {
  for (const int ranks : {1, 2, 3, 4})
    for (const std::int64_t n : {1, 2, 5, 31, 1024}) expect_sums(ranks, {n});
}

TEST_CASE("matrices, double, integers, and every device", "[ring_all_reduce]") {
  expect_sums(3, {3, 5, 2}, td::kDouble);
  expect_sums(3, {7, 3}, td::kInt64);
  for (const td::Device device : check::devices())
    if (!device.is_cuda()) expect_sums(3, {4, 5}, device);
}

TEST_CASE("each rank sends to its right neighbor and receives from its left one, and nothing else",
          "[ring_all_reduce]") {
  for (const int ranks : {4, 3, 2}) {  // 4 first: with 2, rank r + 1 is also rank r - 1
    const std::int64_t n = 1003, each = (n + ranks - 1) / ranks;
    const Calls calls = expect_sums(ranks, {n});
    for (int r = 0; r < ranks; ++r) {
      std::int64_t sent = 0, largest = 0;
      int messages = 0;
      for (const CollectiveFingerprint& call : calls[static_cast<std::size_t>(r)]) {
        const std::string who =
            rank_name(r, ranks) + " calls " + td::distributed::collective_name(call.type);
        check::expect(call.type == CollectiveType::kSend || call.type == CollectiveType::kReceive,
                      who + "; the exercise is to use send and recv only");
        const int neighbor =
            call.type == CollectiveType::kSend ? (r + 1) % ranks : (r + ranks - 1) % ranks;
        check::expect(
            call.peer == neighbor,
            who + " with rank " + std::to_string(call.peer) +
                "; in the ring it sends to rank r + 1 and receives from rank r - 1, here " +
                std::to_string(neighbor));
        if (call.type != CollectiveType::kSend) continue;
        sent += call.numel;
        largest = std::max(largest, call.numel);
        ++messages;
      }
      check::expect(sent <= 2 * (ranks - 1) * each && messages <= 2 * (ranks - 1),
                    rank_name(r, ranks) + " sends " + std::to_string(sent) + " of " +
                        std::to_string(n) + " elements in " + std::to_string(messages) +
                        " messages; 2 (p - 1) slices of " + std::to_string(each) +
                        " elements are enough: send one slice per round, not the whole tensor");
      check::expect(largest <= each, "a slice has at most ceil(" + std::to_string(n) + " / " +
                                         std::to_string(ranks) + ") = " + std::to_string(each) +
                                         " elements; " + rank_name(r, ranks) + " sends one of " +
                                         std::to_string(largest));
    }
  }
}

namespace {

// What a rank does with its messages: it knows the end of one by wait() or is_completed().
class WatchedGroup : public CountedGroup {
 public:
  using CountedGroup::CountedGroup;
  int sent = 0, received = 0, sends_waited = 0, receives_waited = 0;
  int alone = 0;  ///< waits for a message while its partner of the round was not started

 protected:
  std::shared_ptr<td::distributed::Work> start(td::distributed::Collective call) override {
    const bool sends = call.key.type == CollectiveType::kSend;
    const int index = (sends ? sent : received)++;
    return std::make_shared<Message>(CountedGroup::start(std::move(call)), *this, sends, index);
  }

 private:
  class Message : public td::distributed::Work {
   public:
    Message(std::shared_ptr<td::distributed::Work> work, WatchedGroup& group, bool sends, int index)
        : work_(std::move(work)), group_(group), sends_(sends), index_(index) {}
    void wait() override {
      if (!known_) group_.alone += (sends_ ? group_.received : group_.sent) <= index_;
      work_->wait();
      know();
    }
    bool is_completed() const override {
      if (!work_->is_completed()) return false;
      know();
      return true;
    }

   private:
    void know() const {
      (sends_ ? group_.sends_waited : group_.receives_waited) += !known_;
      known_ = true;
    }
    std::shared_ptr<td::distributed::Work> work_;
    WatchedGroup& group_;
    const bool sends_;
    const int index_;  // of this message among the sent or among the received ones
    mutable bool known_ = false;
  };
};

}  // namespace

TEST_CASE("a rank starts both messages of a round, and waits for both", "[ring_all_reduce]") {
  constexpr int kRanks = 3;
  std::vector<int> alone(kRanks), sent(kRanks), sends(kRanks), received(kRanks), receives(kRanks);
  run_or_hang(kRanks, [&](ProcessGroup& group) {
    WatchedGroup watched(group);
    ring_all_reduce(td::ones({7}), watched);
    const auto r = static_cast<std::size_t>(group.rank());
    alone[r] = watched.alone;
    sent[r] = watched.sent, sends[r] = watched.sends_waited;
    received[r] = watched.received, receives[r] = watched.receives_waited;
    group.barrier()->wait();
  });
  for (std::size_t r = 0; r < kRanks; ++r) {
    const std::string rank = "rank " + std::to_string(r);
    check::expect(receives[r] == received[r],
                  rank + " received " + std::to_string(received[r]) + " messages and waited for " +
                      std::to_string(receives[r]) +
                      " of them: recv returns a Work immediately, and the values are there after "
                      "wait()");
    check::expect(sends[r] == sent[r],
                  rank + " sent " + std::to_string(sent[r]) + " messages and waited for " +
                      std::to_string(sends[r]) +
                      " of them: send returns a Work immediately, and the slice must not change "
                      "before wait() has returned");
    check::expect(alone[r] == 0, rank + " waited " + std::to_string(alone[r]) +
                                     " times after only one of the send and the recv of a round "
                                     "was started: if every rank did this, all would wait for "
                                     "each other");
  }
}

TEST_CASE("integers are added as integers", "[ring_all_reduce]") {
  const std::int64_t large = (std::int64_t{1} << 40) + 1;
  std::vector<td::Tensor> tensors = {td::full({3}, large, td::kInt64),
                                     td::full({3}, large, td::kInt64)};
  run_or_hang(2, [&](ProcessGroup& group) {
    ring_all_reduce(tensors[static_cast<std::size_t>(group.rank())], group);
  });
  for (const td::Tensor& tensor : tensors)
    check::expect_close(check::values(tensor),
                        std::vector<double>(3, 2 * static_cast<double>(large)), 0,
                        "int64 values that float32 cannot hold");
}

TEST_CASE("a parameter that requires grad can be reduced", "[ring_all_reduce]") {
  std::vector<td::Tensor> parameters = {parameter_with({3}, 1), parameter_with({3}, 2)};
  run_or_hang(2, [&](ProcessGroup& group) {
    ring_all_reduce(parameters[static_cast<std::size_t>(group.rank())].grad(), group);
  });
  for (const td::Tensor& parameter : parameters)
    check::expect_close(check::values(parameter.grad()), std::vector<double>{3, 3, 3}, 0,
                        "the gradients 1 and 2 of two ranks, reduced where they are");
}
