// A rank other than 0 on the control plane.
#include <cstring>

#include "distributed/control/control_ends.h"
#include "distributed/rendezvous/text_list.h"
#include "distributed/work.h"

namespace td::distributed {

std::string encode(const Status& status) {
  return {reinterpret_cast<const char*>(&status), sizeof status};
}

Status decode_status(const std::string& bytes) {
  Status status;
  TD_CHECK(Error, bytes.size() == sizeof status,
           "a rank tells its state in a form that this program does not know: do all ranks run the "
           "same version?");
  std::memcpy(static_cast<void*>(&status), bytes.data(), sizeof status);
  return status;
}

namespace {

Socket connect_to_center(int rank, const Meeting& meeting, const Limits& limits) {
  try {
    return Socket::connect(meeting.control, limits.timeout);
  } catch (const Error& e) {
    fail<DistributedError>(describe(rank, meeting.members[rank]), " cannot reach ",
                           describe(0, meeting.members[0]), ": ", e.what(),
                           ". TD_INTERFACE names the network interface to use");
  }
}

}  // namespace

ControlMember::ControlMember(int rank, const Meeting& meeting, const Limits& limits)
    : Control(rank, meeting, limits),
      socket_(connect_to_center(rank, meeting, limits)),
      heard_(Clock::now()) {
  socket_.send({kHello, join_texts({meeting.run, std::to_string(rank)})});
  start();
}

void ControlMember::hear(const Message& message) {
  switch (static_cast<Kind>(message.kind)) {
    case kVerdict:
      if (failure_.empty()) failure_ = message.body;
      break;
    case kAll:
      gifts_ = split_texts(message.body);
      break;
    case kBye:
      may_go_ = true;
      break;
    default:
      break;  // a sign of life
  }
}

void ControlMember::say(Clock::time_point now) {
  if (!error_.empty() && !std::exchange(said_error_, true)) socket_.send({kFailed, error_});
  if (!trouble_.empty() && !std::exchange(said_trouble_, true)) socket_.send({kTrouble, trouble_});
  if (gift_) {
    socket_.send({kGive, *gift_});
    gift_.reset();
  }
  if (leaving_ && !std::exchange(said_leave_, true))
    socket_.send({kLeft, encode(status_now(now))});
  else if (!leaving_ && time_for_a_beat(now))
    socket_.send({kStatus, encode(status_now(now))});
  socket_.flush();
}

std::vector<Socket*> ControlMember::sockets() {
  if (socket_.closed()) return {};
  return {&socket_};
}

void ControlMember::step(Clock::time_point now) {
  const auto messages = socket_.receive();
  if (!messages.empty()) heard_ = now;
  for (const Message& message : messages) hear(message);
  if (!failure_.empty() || may_go_) return;
  if (socket_.closed()) {
    if (leaving_)
      may_go_ = true;
    else
      failure_ = gone_text(0, meeting_.members[0]);
    return;
  }
  if (now - heard_ > limits_.silence)
    failure_ = silent_text(0, meeting_.members[0], limits_.silence);
  say(now);
}

}  // namespace td::distributed
