// gloo's handshake. Its own waits have fixed limits of 30 s and more and name no rank, so the store
// it is given does the waiting, and remembers which rank gloo was about to connect to.
#include "distributed/planes/gloo_mesh.h"

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>

#include <cctype>
#include <thread>

#include "distributed/planes/pipe_signal.h"
#include "distributed/work.h"

namespace td::distributed {
namespace {

using Clock = std::chrono::steady_clock;

// A Store as gloo sees one. gloo's names are "rank_<r>" and "<r>": a rank's host and its addresses.
class StoreForGloo final : public gloo::rendezvous::Store {
 public:
  StoreForGloo(td::distributed::Store& store, const GlooOptions& options)
      : store_(store),
        options_(options),
        prefix_(options.run + ".gloo."),
        end_(Clock::now() + options.connect_timeout) {}

  void set(const std::string& key, const std::vector<char>& data) override {
    store_.set(prefix_ + key, std::string(data.begin(), data.end()));
  }

  std::vector<char> get(const std::string& key) override {
    peer_ = key.substr(key.rfind('_') + 1);  // all of it where there is no '_'
    while (true) {
      if (const auto note = store_.get(prefix_ + key)) return {note->begin(), note->end()};
      if (options_.check) options_.check();
      TD_CHECK(DistributedError, Clock::now() < end_, "rank ", peer_,
               " did not begin to connect in time; look at its own output");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) get(key);
  }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override {
    wait(keys);
  }

  const std::string& peer() const { return peer_; }

 private:
  td::distributed::Store& store_;
  const GlooOptions& options_;
  const std::string prefix_;
  const Clock::time_point end_;
  std::string peer_;
};

}  // namespace

std::shared_ptr<gloo::Context> connect_mesh(const GlooOptions& options, Store& store) {
  StoreForGloo notes(store, options);
  const NoPipeSignal quiet;  // for gloo's own thread, which starts here
  try {
    gloo::transport::tcp::attr where;
    where.hostname = options.address;
    auto device = gloo::transport::tcp::CreateDevice(where);
    auto context = std::make_shared<gloo::rendezvous::Context>(options.rank, options.size);
    // gloo waits five times its limit for each connection.
    context->setTimeout(options.connect_timeout / 5);
    context->connectFullMesh(notes, device);
    context->setTimeout(options.timeout);
    return context;
  } catch (const DistributedError&) {
    throw;
  } catch (const std::exception& e) {
    fail<DistributedError>(
        "rank ", options.rank, " at address ", options.address, " cannot connect to rank ",
        notes.peer().empty() ? "?" : notes.peer(), ": ", e.what(),
        ". Can their hosts reach each other? TD_INTERFACE names ", "the network interface to use");
  }
}

}  // namespace td::distributed
