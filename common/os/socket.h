// A TCP connection that carries whole messages and never blocks its owner. The coordination service
// uses nothing else; one thread handles all sockets of a rank with poll(2).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "os/file.h"

namespace td {

/// Waits for connections at a free port.
class Listener {
 public:
  /// @param address an IPv4 address of this host. @throws Error
  explicit Listener(const std::string& address);
  /// The port that the system has chosen.
  int port() const;
  int get() const { return socket_.get(); }
  /// The next connection; empty when there is none.
  FileDescriptor accept();

 private:
  FileDescriptor socket_;
};

/// One connection.
class Socket {
 public:
  explicit Socket(FileDescriptor connected);
  /// Connects to an IPv4 address. @throws Error when there is no answer in time.
  static Socket connect(const std::string& address, int port, std::chrono::milliseconds timeout);
  int get() const { return socket_.get(); }

  /// Sends what the connection accepts now and keeps the rest for flush().
  void send(const std::string& message);
  void flush();
  /// True while something is kept.
  bool wants_to_write() const { return !unsent_.empty(); }
  /// The messages that have come. Afterwards closed() tells whether there can be more.
  std::vector<std::string> receive();
  /// The other side has closed the connection, or it broke.
  bool closed() const { return closed_; }

 private:
  FileDescriptor socket_;
  std::string unsent_, received_;
  bool closed_ = false;
};

/// Waits up to `timeout` for one of poll(2)'s events. False when there is none.
bool wait_for_event(int descriptor, short event, std::chrono::milliseconds timeout);

}  // namespace td
