// How ranks join. Rank 0 stores its card, with the run's mark, which no other run has, and the port
// where it listens. Each other rank connects, sends its own card with that mark, and waits for the
// answer on the same connection. The card of an earlier run names a port where no process listens,
// or a rank 0 that has another mark and closes the connection.
#include "distributed/rendezvous/rendezvous.h"

#include <poll.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <tuple>

#include "distributed/coordination/messages.h"

namespace td::distributed {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr milliseconds kPause(3);           // between two reads of the store
constexpr milliseconds kLongestWait(2000);  // for one connection
// How much longer than rank 0 the others wait, to receive its error with the missing ranks.
constexpr milliseconds kWorkersWaitLonger(2000);
// How long rank 0 holds back an error while ranks are still missing, so that all receive it.
constexpr milliseconds kLateRanks(1000);
constexpr const char* kKey = "run";

/// Rank 0's card, or nothing. Another program's file with the name of our key is not a card.
std::optional<Card> card_in(Store& store) try {
  const auto text = store.get(kKey);
  if (!text) return std::nullopt;
  return decode<Card>(*text);
} catch (const Error&) {
  return std::nullopt;
}

Card make_card(const RendezvousConfig& config) {
  Card card;
  card.rank = config.rank;
  card.world_size = config.world_size;
  card.host = read_host_info();
  try {
    card.host.address = reachable_address();
  } catch (const Error& e) {
    card.error = e.what();
  }
  return card;
}

/// Sends `mine` to the rank 0 whose card is `there`.
Socket connect_and_send(const Card& there, const Card& mine) {
  const bool one_host = same_host(there.host, mine.host);
  const std::string address = one_host ? "127.0.0.1" : there.host.address;
  Socket socket = Socket::connect(address, there.port, kLongestWait);
  socket.send(there.run + encode(mine));
  return socket;
}

/// Both ranks report the same text.
std::string duplicate_rank_error(int rank, const HostInfo& a, const HostInfo& b) {
  const auto order = [](const HostInfo& h) { return std::tie(h.hostname, h.pid); };
  if (order(b) < order(a)) return duplicate_rank_error(rank, b, a);
  const auto process = [](const HostInfo& h) {
    return "process " + std::to_string(h.pid) + " on " + h.hostname;
  };
  return "two processes say that they are rank " + std::to_string(rank) + ": " + process(a) +
         " and " + process(b) +
         ". Each rank must have its own number, and each program its own place to meet";
}

std::string missing_ranks_error(const std::string& who, int world_size, milliseconds timeout,
                                const Store& store) {
  return who + " of " + std::to_string(world_size) + " did not come within " + in_words(timeout) +
         ": all ranks must start, and meet at " + store.describe() +
         ". Look at the missing rank's own output, or start all by ./course launch -n " +
         std::to_string(world_size) + " PROGRAM";
}

/// Rank 0's side.
class RendezvousCoordinator {
 public:
  RendezvousCoordinator(Store& store, const RendezvousConfig& config, milliseconds timeout)
      : store_(store),
        world_size_(config.world_size),
        timeout_(timeout),
        listener_("0.0.0.0"),
        mine_(make_card(config)) {
    std::random_device random;
    for (int i = 0; i < 4; ++i) mine_.run += std::to_string(random()) + ".";
    mine_.port = listener_.port();
    cards_[0] = mine_;
  }

  RendezvousInfo run() {
    store_.set(kKey, encode(mine_));
    const auto end = Clock::now() + timeout_;
    while (error_.empty() && !all_are_here()) {
      if (Clock::now() > end)
        error_ = missing_ranks_error(missing(), world_size_, timeout_, store_);
      find_second_rank_0();
      take_guests();
    }
    if (error_.empty()) choose_addresses();
    const auto late = std::min(end, Clock::now() + kLateRanks);
    while (!all_are_here() && Clock::now() < late) take_guests();
    return answer();
  }

 private:
  struct Guest {
    Socket socket;
    int rank = -1;  // until its card has come
  };

  bool all_are_here() const { return cards_.size() >= static_cast<std::size_t>(world_size_); }

  std::string missing() const {
    std::string ranks;
    for (int r = 0; r < world_size_; ++r)
      if (!cards_.count(r)) ranks += (ranks.empty() ? "rank " : ", rank ") + std::to_string(r);
    return ranks;
  }

  // If another rank 0 has replaced our card in the store, sends our card to it, as a rank would.
  void find_second_rank_0() {
    const auto there = card_in(store_);
    if (!there || there->run == mine_.run || !there->error.empty()) return;
    error_ = duplicate_rank_error(0, mine_.host, there->host);
    try {
      connect_and_send(*there, mine_);
    } catch (const Error&) {
    }  // it is gone
  }

  // Closes strangers, and ranks that have ended: another process may then take the rank's place.
  void take_guests() {
    wait_for_event(listener_.get(), POLLIN, kPause);
    while (FileDescriptor connection = listener_.accept())
      guests_.push_back({Socket(std::move(connection))});
    for (auto guest = guests_.begin(); guest != guests_.end();) {
      const auto messages = guest->socket.receive();
      const bool good = guest->rank >= 0 || messages.empty() || take_card(*guest, messages[0]);
      if (guest->socket.closed() && guest->rank > 0) cards_.erase(guest->rank);
      guest = good && !guest->socket.closed() ? guest + 1 : guests_.erase(guest);
    }
  }

  bool take_card(Guest& guest, const std::string& message) try {
    if (message.rfind(mine_.run, 0) != 0) return false;
    const Card card = decode<Card>(message.substr(mine_.run.size()));
    guest.rank = card.rank;
    const auto [place, is_new] = cards_.emplace(card.rank, card);
    if (!error_.empty()) return true;  // the first error is the one to report
    if (!is_new)
      error_ = duplicate_rank_error(card.rank, place->second.host, card.host);
    else if (card.world_size != world_size_)
      error_ = "the ranks do not agree on how many they are: rank 0 says " +
               std::to_string(world_size_) + ", rank " + std::to_string(card.rank) + " says " +
               std::to_string(card.world_size) + ". WORLD_SIZE must be the same for all";
    return true;
  } catch (const std::exception&) {
    return false;
  }

  // On one host the loopback serves; otherwise each rank needs an address that others can reach.
  void choose_addresses() {
    const bool one_host = std::all_of(cards_.begin(), cards_.end(), [&](const auto& item) {
      return same_host(mine_.host, item.second.host);
    });
    for (auto& [rank, card] : cards_) {
      std::string& address = card.host.address;
      if (one_host) address = "127.0.0.1";
      if (!card.error.empty())
        error_ = describe(rank, card.host) + ": " + card.error;
      else if (!one_host && (address.empty() || is_loopback(address)))
        error_ = describe(rank, card.host) + " has no address that other hosts can reach" +
                 (address.empty() ? "" : " but " + address) +
                 "; give the name of its network interface as TD_INTERFACE";
      if (!error_.empty()) return;
    }
  }

  // Sends the answer to all that have connected, also to ranks that do not belong to this run.
  RendezvousInfo answer() {
    RollCall answer{error_, {}};
    for (const auto& [rank, card] : cards_) answer.hosts.push_back(card.host);
    for (Guest& guest : guests_) guest.socket.send(encode(answer));
    if (!error_.empty()) {
      mine_.error = error_;
      store_.set(kKey, encode(mine_));  // for ranks that come too late
      throw DistributedError(error_);
    }
    store_.delete_key(kKey);
    RendezvousInfo info{std::move(answer.hosts), {}};
    std::sort(guests_.begin(), guests_.end(),
              [](const Guest& a, const Guest& b) { return a.rank < b.rank; });
    for (Guest& guest : guests_)
      if (guest.rank > 0) info.sockets.push_back(std::move(guest.socket));
    return info;
  }

  Store& store_;
  const int world_size_;
  const milliseconds timeout_;
  Listener listener_;
  Card mine_;
  std::vector<Guest> guests_;
  std::map<int, Card> cards_;  // of the ranks that are connected
  std::string error_;
};

/// Rank 0's answer on this connection; nothing when it closes first, or does not come until `end`.
std::optional<RendezvousInfo> wait_for_answer(Socket socket, Clock::time_point end) {
  std::vector<std::string> messages;
  while (messages.empty() && !socket.closed() && Clock::now() < end) {
    wait_for_event(socket.get(), POLLIN, milliseconds(50));
    messages = socket.receive();
  }
  if (messages.empty()) return std::nullopt;
  auto answer = decode<RollCall>(messages[0]);
  if (!answer.error.empty()) throw DistributedError(answer.error);
  RendezvousInfo info{std::move(answer.hosts), {}};
  info.sockets.push_back(std::move(socket));
  return info;
}

RendezvousInfo join_as_worker(Store& store, const RendezvousConfig& config, milliseconds timeout) {
  const Card mine = make_card(config);
  const auto end = Clock::now() + timeout + kWorkersWaitLonger;
  std::string trouble;
  while (Clock::now() < end) {
    const auto there = card_in(store);
    if (there && !there->error.empty()) {
      trouble = ". The last rank 0 there said: " + there->error;
    } else if (there) {
      try {
        if (auto info = wait_for_answer(connect_and_send(*there, mine), end))
          return std::move(*info);
      } catch (const DistributedError&) {
        throw;
      } catch (const Error& e) {
        trouble = ". " + describe(0, there->host) + " was there last: " + e.what() +
                  ". TD_INTERFACE names the network interface to use";
      }
    }
    std::this_thread::sleep_for(kPause);
  }
  throw DistributedError(missing_ranks_error("rank 0", config.world_size, timeout, store) +
                         trouble);
}

}  // namespace

RendezvousInfo join(Store& store, const RendezvousConfig& config, milliseconds timeout) {
  if (config.rank == 0) return RendezvousCoordinator(store, config, timeout).run();
  return join_as_worker(store, config, timeout);
}

}  // namespace td::distributed
