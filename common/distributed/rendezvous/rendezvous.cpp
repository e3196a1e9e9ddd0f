// The roll call. Rank 0 leaves the run's mark in the note "run". Each other rank leaves a card
// under that mark, "<run>.card_<rank>", and waits for rank 0's answer, "<run>.all", which repeats
// all cards. A rank that finds its own card there knows that the answer is not one of an earlier
// run.
#include "distributed/rendezvous/rendezvous.h"

#include <map>
#include <random>
#include <thread>

#include "distributed/mismatch.h"
#include "distributed/rendezvous/interface.h"
#include "distributed/rendezvous/text_list.h"
#include "distributed/work.h"

namespace td::distributed {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPause(3);  // between two looks into the store
// How much longer than rank 0 the others wait, so that they hear whom it missed.
constexpr std::chrono::seconds kPatience(2);
constexpr const char* kMarkLetters = "0123456789abcdef";
constexpr std::size_t kMarkLength = 16;

struct Card {
  std::string self;  // differs between any two processes
  int world_size = 1;
  Member member;
  std::string fault;  // why this rank cannot take part
};

std::string encode(const Card& card) {
  return join_texts({card.self, std::to_string(card.world_size), encode(card.member.host),
                     card.member.address, card.fault});
}

Card decode_card(const std::string& text) {
  const auto parts = split_texts(text, 5);
  return {parts[0], std::stoi(parts[1]), {decode_host_facts(parts[2]), parts[3]}, parts[4]};
}

std::string random_mark() {
  std::random_device device;
  std::string mark;
  while (mark.size() < kMarkLength) mark += kMarkLetters[device() % 16];
  return mark;
}

// The mark of the latest run, or nothing. A file of somebody else's that has our note's name is
// none.
std::optional<std::string> latest_run(Store& store) {
  auto mark = store.get("run");
  const bool ours = mark && mark->size() == kMarkLength &&
                    mark->find_first_not_of(kMarkLetters) == std::string::npos;
  return ours ? mark : std::nullopt;
}

Card make_card(int world_size) {
  Card card;
  card.world_size = world_size;
  card.member.host = read_host_facts();
  card.self = random_mark();
  try {
    card.member.address = reachable_address();
  } catch (const Error& e) {
    card.fault = e.what();
  }
  return card;
}

std::string twice(int rank, const Member& a, const Member& b) {
  return "two processes say that they are rank " + std::to_string(rank) + ": process " +
         std::to_string(a.host.pid) + " on " + a.host.hostname + " and process " +
         std::to_string(b.host.pid) + " on " + b.host.hostname +
         ". Each rank must have its own number, and each program its own place to meet";
}

std::string not_come(const std::string& who, int world_size, std::chrono::milliseconds timeout,
                     const Store& store) {
  return who + " of " + std::to_string(world_size) + " did not come within " + in_words(timeout) +
         ": all ranks must start, and meet at " + store.describe() +
         ". Look at the missing rank's own output, or start all by ./course launch -n " +
         std::to_string(world_size) + " PROGRAM";
}

// Rank 0's side.
class Collector {
 public:
  Collector(Store& store, const JoinOptions& options, const Listen& listen)
      : store_(store), options_(options), listen_(listen), run_(random_mark()) {}

  Meeting run() {
    cards_[0] = make_card(options_.world_size);
    store_.set(run_ + ".card_0", encode(cards_[0]));
    store_.set("run", run_);
    Meeting meeting;
    std::string fault = collect();
    if (fault.empty()) fault = compare();
    if (fault.empty()) fault = choose_addresses(meeting);
    std::vector<std::string> answer = {fault, meeting.control};
    for (auto& [rank, card] : cards_) answer.push_back(encode(card));
    if (!fault.empty()) add_the_others(answer);
    store_.set(run_ + ".all", join_texts(answer));
    if (!fault.empty()) throw DistributedError(fault);
    for (auto& [rank, card] : cards_) meeting.members.push_back(card.member);
    meeting.run = run_;
    return meeting;
  }

 private:
  // Until all cards are there; the fault that ends it before.
  std::string collect() {
    const auto end = Clock::now() + options_.timeout;
    while (true) {
      std::string missing;
      for (int r = 1; r < options_.world_size; ++r) {
        if (cards_.count(r)) continue;
        if (const auto note = store_.get(run_ + ".card_" + std::to_string(r)))
          cards_[r] = decode_card(*note);
        else
          missing += (missing.empty() ? "rank " : ", rank ") + std::to_string(r);
      }
      if (const std::string fault = another(); !fault.empty()) return fault;
      if (missing.empty()) return {};
      if (Clock::now() > end)
        return not_come(missing, options_.world_size, options_.timeout, store_);
      std::this_thread::sleep_for(kPause);
    }
  }

  // A second process with the number of one that is here.
  std::string another() {
    if (const auto fault = store_.get(run_ + ".fault")) return *fault;
    for (auto& [rank, card] : cards_)
      if (const auto note = store_.get(run_ + ".again_" + std::to_string(rank)))
        return twice(rank, card.member, decode_card(*note).member);
    const auto now = latest_run(store_);
    if (!now || *now == run_) return {};
    const auto other = store_.get(*now + ".card_0");
    const std::string fault =
        twice(0, cards_[0].member, other ? decode_card(*other).member : Member{});
    store_.set(*now + ".fault", fault);
    return fault;
  }

  // An error is for everybody who left a card, also for those who do not belong here.
  void add_the_others(std::vector<std::string>& answer) {
    int most = options_.world_size;
    for (auto& [rank, card] : cards_) most = std::max(most, card.world_size);
    for (int r = 0; r < most; ++r)
      for (const char* kind : {".card_", ".again_"})
        if (const auto note = store_.get(run_ + kind + std::to_string(r))) answer.push_back(*note);
  }

  std::string compare() const {
    for (auto& [rank, card] : cards_) {
      if (card.world_size != options_.world_size)
        return "the ranks do not agree on how many they are: rank 0 says " +
               std::to_string(options_.world_size) + ", rank " + std::to_string(rank) + " says " +
               std::to_string(card.world_size) + ". WORLD_SIZE must be the same for all";
      if (!card.fault.empty()) return describe(rank, card.member) + ": " + card.fault;
    }
    return {};
  }

  // On one host the loopback serves; else everybody needs an address that others can reach.
  std::string choose_addresses(Meeting& meeting) {
    bool one_host = true;
    for (auto& [rank, card] : cards_)
      one_host = one_host && same_host(cards_[0].member.host, card.member.host);
    for (auto& [rank, card] : cards_) {
      std::string& address = card.member.address;
      if (one_host) address = "127.0.0.1";
      if (!one_host && (address.empty() || is_loopback(address)))
        return describe(rank, card.member) + " has no address that other hosts can reach" +
               (address.empty() ? "" : " but " + address) +
               "; give the name of its network interface as TD_INTERFACE";
    }
    meeting.control = listen_(cards_[0].member.address);
    return {};
  }

  Store& store_;
  const JoinOptions& options_;
  const Listen& listen_;
  const std::string run_;
  std::map<int, Card> cards_;
};

// The answer of rank 0 to `mine`, or nothing while there is none for this process: what an earlier
// run left is answered to other cards.
std::optional<Meeting> read_answer(Store& store, const std::string& run, const Card& mine) {
  const auto note = store.get(run + ".all");
  if (!note) return std::nullopt;
  const auto parts = split_texts(*note);
  Meeting meeting;
  bool ours = false;
  for (std::size_t i = 2; i < parts.size(); ++i) {
    const Card card = decode_card(parts[i]);
    ours = ours || card.self == mine.self;
    meeting.members.push_back(card.member);
  }
  if (!ours) return std::nullopt;
  if (!parts[0].empty()) throw DistributedError(parts[0]);
  meeting.run = run;
  meeting.control = parts[1];
  return meeting;
}

// What rank 0 of the last run there said to others, which may be the reason why it is not here.
std::string last_words(Store& store, const std::string& run) {
  const auto note = run.empty() ? std::nullopt : store.get(run + ".all");
  if (!note || split_texts(*note)[0].empty()) return {};
  return ". The last rank 0 there said: " + split_texts(*note)[0];
}

Meeting answer_roll_call(Store& store, const JoinOptions& options) {
  const Card mine = make_card(options.world_size);
  const std::string number = std::to_string(options.rank);
  const auto end = Clock::now() + options.timeout + kPatience;
  std::vector<std::string> runs;  // in which this rank has left a card, the latest at the end
  while (true) {
    const auto now = latest_run(store);
    if (now && (runs.empty() || *now != runs.back())) {
      // A card that is there already is of an earlier run, or of a second process with this number.
      if (!store.add(*now + ".card_" + number, encode(mine)))
        store.set(*now + ".again_" + number, encode(mine));
      runs.push_back(*now);
    }
    for (const std::string& run : runs)
      if (auto meeting = read_answer(store, run, mine)) return *meeting;
    TD_CHECK(DistributedError, Clock::now() < end,
             not_come("rank 0", options.world_size, options.timeout, store),
             last_words(store, runs.empty() ? "" : runs.back()));
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

std::string describe(int rank, const Member& member) {
  return "rank " + std::to_string(rank) + " (process " + std::to_string(member.host.pid) + " on " +
         member.host.hostname + ")";
}

Meeting join(Store& store, const JoinOptions& options, const Listen& listen) {
  if (options.rank == 0) return Collector(store, options, listen).run();
  return answer_roll_call(store, options);
}

void forget(Store& store, const Meeting& meeting) {
  store.remove("run");
  for (const char* note : {".all", ".fault"}) store.remove(meeting.run + note);
  for (std::size_t r = 0; r < meeting.members.size(); ++r)
    for (const char* note : {".card_", ".again_", ".gloo.rank_", ".gloo."})
      store.remove(meeting.run + note + std::to_string(r));
}

}  // namespace td::distributed
