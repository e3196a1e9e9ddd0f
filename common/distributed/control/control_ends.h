// The two ends of the control plane's star. control.cpp makes them.
#pragma once

#include <optional>
#include <vector>

#include "distributed/control/control.h"

namespace td::distributed {

/// Rank 0: collects what all ranks tell, judges, and tells all the verdict.
class ControlCenter final : public Control {
 public:
  ControlCenter(const Meeting& meeting, const Limits& limits, Listener& listener);
  ~ControlCenter() override { stop(); }

 private:
  struct Peer {
    std::optional<Socket> socket;
    Report report;
    Clock::time_point heard, trouble_since;
    std::optional<std::string> gift;
    bool dismissed = false;  // told that it may go
  };

  std::vector<Socket*> sockets() override;
  void step(Clock::time_point now) override;
  void wait_for_all(Listener& listener);
  bool greet(Descriptor connection, Clock::time_point end);
  void hear(Peer& peer, const Message& message, Clock::time_point now);
  void report_self(Clock::time_point now);
  void decide(Clock::time_point now);
  void hand_out_gifts();
  void dismiss(Clock::time_point now);
  void tell_all(Kind kind, const std::string& body);

  std::vector<Peer> peers_;  // peers_[0] is this rank, without a socket
};

/// The other ranks: tell rank 0, and listen.
class ControlMember final : public Control {
 public:
  ControlMember(int rank, const Meeting& meeting, const Limits& limits);
  ~ControlMember() override { stop(); }

 private:
  std::vector<Socket*> sockets() override;
  void step(Clock::time_point now) override;
  void hear(const Message& message);
  void say(Clock::time_point now);

  Socket socket_;
  Clock::time_point heard_;
  bool said_error_ = false, said_trouble_ = false, said_leave_ = false;
};

/// A Status as bytes, and back. @throws Error for bytes of another length.
///@{
std::string encode(const Status& status);
Status decode_status(const std::string& bytes);
///@}

}  // namespace td::distributed
