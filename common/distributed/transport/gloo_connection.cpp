// gloo's handshake and its unbound buffers, with td's own errors.
#include "distributed/transport/gloo_connection.h"

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>

namespace td::distributed {
namespace {

// How much longer a message may take than a call: the coordination service ends the call before,
// and reports why.
constexpr std::chrono::seconds kAfterCoordination(10);

// gloo's handshake sets two values per rank in a store and reads those of all ranks: "rank_<r>",
// its host, and "<r>", its addresses. Here each value is one all-gather of the coordination
// service.
class ExchangeAsStore final : public gloo::rendezvous::Store {
 public:
  explicit ExchangeAsStore(const Exchange& exchange) : exchange_(exchange) {}

  void set(const std::string&, const std::vector<char>& data) override {
    values_ = exchange_(std::string(data.begin(), data.end()));
  }
  std::vector<char> get(const std::string& key) override {
    peer_ = key.substr(key.rfind('_') + 1);  // the whole key if there is no '_'
    const std::string& value = values_.at(std::stoul(peer_));
    return {value.begin(), value.end()};
  }
  void wait(const std::vector<std::string>&) override {}
  void wait(const std::vector<std::string>&, const std::chrono::milliseconds&) override {}

  const std::string& peer() const { return peer_; }

 private:
  const Exchange& exchange_;
  std::vector<std::string> values_;
  std::string peer_ = "?";  // the rank that gloo is about to connect to
};

}  // namespace

GlooMesh::GlooMesh(const Member& member) : timeout_(member.timeout + kAfterCoordination) {
  ExchangeAsStore store(member.exchange);
  const std::string& address = member.hosts[member.rank].address;
  const NoPipeSignal quiet;  // for gloo's own thread, which starts here
  try {
    gloo::transport::tcp::attr where;
    where.hostname = address;
    auto device = gloo::transport::tcp::CreateDevice(where);
    const auto context = std::make_shared<gloo::rendezvous::Context>(member.rank, member.size());
    // gloo waits five times its limit for each connection.
    context->setTimeout(member.timeout / 5);
    context->connectFullMesh(store, device);
    context->setTimeout(timeout_);
    context_ = context;
  } catch (const DistributedError&) {
    throw;
  } catch (const std::exception& e) {
    fail<DistributedError>("rank ", member.rank, " at address ", address,
                           " cannot connect to rank ", store.peer(), ": ", e.what(),
                           ". Can their hosts reach each other? TD_INTERFACE names ",
                           "the network interface to use");
  }
}

void GlooMesh::abort(const std::string& why) {
  if (!failure_.set(why)) return;
  {
    std::lock_guard lock(mutex_);
    for (GlooBuffer* buffer : buffers_) {
      buffer->buffer_->abortWaitRecv();
      buffer->buffer_->abortWaitSend();
    }
  }
  // The memory of messages in flight may be freed now.
  context_->closeConnections();
}

GlooBuffer::GlooBuffer(GlooMesh& mesh, const void* data, std::size_t bytes)
    : mesh_(mesh), buffer_(mesh.context_->createUnboundBuffer(const_cast<void*>(data), bytes)) {
  std::lock_guard lock(mesh_.mutex_);
  mesh_.failure_.check();
  mesh_.buffers_.insert(this);
}

GlooBuffer::~GlooBuffer() {
  std::lock_guard lock(mesh_.mutex_);
  mesh_.buffers_.erase(this);
}

// Calls gloo; false means that abort() ended a wait. The group's failure explains gloo's errors.
template <class Call>
void GlooBuffer::guarded(Call&& call) {
  std::string error = "aborted";
  try {
    if (call()) return;
  } catch (const std::exception& e) {
    error = e.what();
  }
  mesh_.failure_.check();
  throw DistributedError(error);
}

void GlooBuffer::send(int to, std::uint64_t tag, std::size_t offset, std::size_t bytes) {
  const NoPipeSignal quiet;
  guarded([&] { return buffer_->send(to, tag, offset, bytes), true; });
  ++sends_;
}

void GlooBuffer::receive(int from, std::uint64_t tag, std::size_t offset, std::size_t bytes) {
  const NoPipeSignal quiet;
  guarded([&] { return buffer_->recv(from, tag, offset, bytes), true; });
  ++receives_;
}

void GlooBuffer::wait_receive() {
  guarded([&] { return buffer_->waitRecv(nullptr, mesh_.timeout_); });
  --receives_;
}

void GlooBuffer::wait_all() {
  while (receives_) wait_receive();
  for (; sends_; --sends_) guarded([&] { return buffer_->waitSend(nullptr, mesh_.timeout_); });
}

}  // namespace td::distributed
