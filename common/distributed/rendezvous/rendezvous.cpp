// The roll call. Rank 0 leaves the run's mark in the value "run". Each other rank leaves a request
// under that mark, "<run>.request_<rank>", and waits for rank 0's answer, "<run>.all", which
// repeats all cards. A rank that finds its own request there knows that the answer is not one of an
// earlier run.
#include "distributed/rendezvous/rendezvous.h"

#include <map>
#include <random>
#include <thread>

#include "distributed/collective.h"
#include "distributed/rendezvous/host_info.h"

namespace td::distributed {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPause(3);  // between two looks into the store
// How much longer than rank 0 the others wait, so that they hear whom it missed.
constexpr std::chrono::seconds kWorkersWaitLonger(2);
constexpr const char* kRunLetters = "0123456789abcdef";
constexpr std::size_t kRunLength = 16;

struct JoinRequest {
  std::string nonce;  // differs between any two processes
  int world_size = 1;
  Member member;
  std::string fault;  // why this rank cannot take part
};

std::string encode(const JoinRequest& request) {
  return join_texts({request.nonce, std::to_string(request.world_size), encode(request.member.host),
                     request.member.address, request.fault});
}

JoinRequest decode_request(const std::string& text) {
  const auto parts = split_texts(text, 5);
  return {parts[0], std::stoi(parts[1]), {decode_host_info(parts[2]), parts[3]}, parts[4]};
}

std::string random_id() {
  std::random_device device;
  std::string mark;
  while (mark.size() < kRunLength) mark += kRunLetters[device() % 16];
  return mark;
}

// The id of the latest run, or nothing. A foreign file that has our key's name is
// none.
std::optional<std::string> latest_run(Store& store) {
  auto mark = store.get("run");
  const bool ours = mark && mark->size() == kRunLength &&
                    mark->find_first_not_of(kRunLetters) == std::string::npos;
  return ours ? mark : std::nullopt;
}

JoinRequest make_request(int world_size) {
  JoinRequest request;
  request.world_size = world_size;
  request.member.host = read_host_info();
  request.nonce = random_id();
  try {
    request.member.address = reachable_address();
  } catch (const Error& e) {
    request.fault = e.what();
  }
  return request;
}

std::string duplicate_rank_error(int rank, const Member& a, const Member& b) {
  return "two processes say that they are rank " + std::to_string(rank) + ": process " +
         std::to_string(a.host.pid) + " on " + a.host.hostname + " and process " +
         std::to_string(b.host.pid) + " on " + b.host.hostname +
         ". Each rank must have its own number, and each program its own place to meet";
}

std::string missing_ranks_error(const std::string& who, int world_size,
                                std::chrono::milliseconds timeout, const Store& store) {
  return who + " of " + std::to_string(world_size) + " did not come within " + in_words(timeout) +
         ": all ranks must start, and meet at " + store.describe() +
         ". Look at the missing rank's own output, or start all by ./course launch -n " +
         std::to_string(world_size) + " PROGRAM";
}

// Rank 0's side.
class RendezvousCoordinator {
 public:
  RendezvousCoordinator(Store& store, const JoinOptions& options, const Listen& listen)
      : store_(store), options_(options), listen_(listen), run_(random_id()) {}

  RendezvousInfo run() {
    requests_[0] = make_request(options_.world_size);
    store_.set(run_ + ".request_0", encode(requests_[0]));
    store_.set("run", run_);
    RendezvousInfo info;
    std::string fault = collect();
    if (fault.empty()) fault = compare();
    if (fault.empty()) fault = choose_addresses(info);
    std::vector<std::string> answer = {fault, info.control};
    for (auto& [rank, request] : requests_) answer.push_back(encode(request));
    if (!fault.empty()) append_all_requests(answer);
    store_.set(run_ + ".all", join_texts(answer));
    if (!fault.empty()) throw DistributedError(fault);
    for (auto& [rank, request] : requests_) info.members.push_back(request.member);
    info.run = run_;
    return info;
  }

 private:
  // Until all requests are there; or the fault that ends it before.
  std::string collect() {
    const auto end = Clock::now() + options_.timeout;
    while (true) {
      std::string missing;
      for (int r = 1; r < options_.world_size; ++r) {
        if (requests_.count(r)) continue;
        if (const auto value = store_.get(run_ + ".request_" + std::to_string(r)))
          requests_[r] = decode_request(*value);
        else
          missing += (missing.empty() ? "rank " : ", rank ") + std::to_string(r);
      }
      if (const std::string fault = find_duplicate_rank(); !fault.empty()) return fault;
      if (missing.empty()) return {};
      if (Clock::now() > end)
        return missing_ranks_error(missing, options_.world_size, options_.timeout, store_);
      std::this_thread::sleep_for(kPause);
    }
  }

  // A second process with the number of one that is here.
  std::string find_duplicate_rank() {
    if (const auto fault = store_.get(run_ + ".fault")) return *fault;
    for (auto& [rank, request] : requests_)
      if (const auto value = store_.get(run_ + ".again_" + std::to_string(rank)))
        return duplicate_rank_error(rank, request.member, decode_request(*value).member);
    const auto now = latest_run(store_);
    if (!now || *now == run_) return {};
    const auto other = store_.get(*now + ".request_0");
    const std::string fault = duplicate_rank_error(
        0, requests_[0].member, other ? decode_request(*other).member : Member{});
    store_.set(*now + ".fault", fault);
    return fault;
  }

  // An error is for all ranks that left a request, also for those that do not belong here.
  void append_all_requests(std::vector<std::string>& answer) {
    int most = options_.world_size;
    for (auto& [rank, request] : requests_) most = std::max(most, request.world_size);
    for (int r = 0; r < most; ++r)
      for (const char* kind : {".request_", ".again_"})
        if (const auto value = store_.get(run_ + kind + std::to_string(r)))
          answer.push_back(*value);
  }

  std::string compare() const {
    for (auto& [rank, request] : requests_) {
      if (request.world_size != options_.world_size)
        return "the ranks do not agree on how many they are: rank 0 says " +
               std::to_string(options_.world_size) + ", rank " + std::to_string(rank) + " says " +
               std::to_string(request.world_size) + ". WORLD_SIZE must be the same for all";
      if (!request.fault.empty()) return describe(rank, request.member) + ": " + request.fault;
    }
    return {};
  }

  // On one host the loopback serves; otherwise each rank needs an address that others can reach.
  std::string choose_addresses(RendezvousInfo& info) {
    bool one_host = true;
    for (auto& [rank, request] : requests_)
      one_host = one_host && same_host(requests_[0].member.host, request.member.host);
    for (auto& [rank, request] : requests_) {
      std::string& address = request.member.address;
      if (one_host) address = "127.0.0.1";
      if (!one_host && (address.empty() || is_loopback(address)))
        return describe(rank, request.member) + " has no address that other hosts can reach" +
               (address.empty() ? "" : " but " + address) +
               "; give the name of its network interface as TD_INTERFACE";
    }
    info.control = listen_(requests_[0].member.address);
    return {};
  }

  Store& store_;
  const JoinOptions& options_;
  const Listen& listen_;
  const std::string run_;
  std::map<int, JoinRequest> requests_;
};

// The answer of rank 0 to `mine`, or nothing while there is none for this process: what an earlier
// run left is answered to other requests.
std::optional<RendezvousInfo> read_answer(Store& store, const std::string& run,
                                          const JoinRequest& mine) {
  const auto value = store.get(run + ".all");
  if (!value) return std::nullopt;
  const auto parts = split_texts(*value);
  RendezvousInfo info;
  bool ours = false;
  for (std::size_t i = 2; i < parts.size(); ++i) {
    const JoinRequest request = decode_request(parts[i]);
    ours = ours || request.nonce == mine.nonce;
    info.members.push_back(request.member);
  }
  if (!ours) return std::nullopt;
  if (!parts[0].empty()) throw DistributedError(parts[0]);
  info.run = run;
  info.control = parts[1];
  return info;
}

// What rank 0 of the last run there said to others, which may be the reason why it is not here.
std::string previous_error(Store& store, const std::string& run) {
  const auto value = run.empty() ? std::nullopt : store.get(run + ".all");
  if (!value || split_texts(*value)[0].empty()) return {};
  return ". The last rank 0 there said: " + split_texts(*value)[0];
}

RendezvousInfo join_as_worker(Store& store, const JoinOptions& options) {
  const JoinRequest mine = make_request(options.world_size);
  const std::string number = std::to_string(options.rank);
  const auto end = Clock::now() + options.timeout + kWorkersWaitLonger;
  std::vector<std::string> runs;  // in which this rank has left a request, the latest at the end
  while (true) {
    const auto now = latest_run(store);
    if (now && (runs.empty() || *now != runs.back())) {
      // A request that is there already is of an earlier run, or of a second process with this
      // number.
      if (!store.set_if_absent(*now + ".request_" + number, encode(mine)))
        store.set(*now + ".again_" + number, encode(mine));
      runs.push_back(*now);
    }
    for (const std::string& run : runs)
      if (auto info = read_answer(store, run, mine)) return *info;
    TD_CHECK(DistributedError, Clock::now() < end,
             missing_ranks_error("rank 0", options.world_size, options.timeout, store),
             previous_error(store, runs.empty() ? "" : runs.back()));
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

std::string describe(int rank, const Member& member) {
  return "rank " + std::to_string(rank) + " (process " + std::to_string(member.host.pid) + " on " +
         member.host.hostname + ")";
}

RendezvousInfo join(Store& store, const JoinOptions& options, const Listen& listen) {
  if (options.rank == 0) return RendezvousCoordinator(store, options, listen).run();
  return join_as_worker(store, options);
}

void clear_rendezvous_keys(Store& store, const RendezvousInfo& info) {
  store.delete_key("run");
  for (const char* value : {".all", ".fault"}) store.delete_key(info.run + value);
  for (std::size_t r = 0; r < info.members.size(); ++r)
    for (const char* value : {".request_", ".again_", ".gloo.rank_", ".gloo."})
      store.delete_key(info.run + value + std::to_string(r));
}

}  // namespace td::distributed
