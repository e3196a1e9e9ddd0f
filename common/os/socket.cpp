// Frames: four bytes of length, then the message. Both ends have the same byte order: data
// transports do not convert it either.
#include "os/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "td/base/error.h"

namespace td {
namespace {

constexpr std::size_t kHead = sizeof(std::uint32_t);
constexpr std::uint32_t kLongest = 64u << 20;  // bytes: td's messages are far shorter

sockaddr_in parse(const std::string& address, int port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(static_cast<std::uint16_t>(port));
  TD_CHECK(Error, inet_pton(AF_INET, address.c_str(), &result.sin_addr) == 1, "\"", address,
           "\" is no IPv4 address");
  return result;
}

const sockaddr* generic(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

Listener::Listener(const std::string& address)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  const sockaddr_in here = parse(address, 0);
  TD_CHECK(Error,
           socket_ && ::bind(get(), generic(here), sizeof here) == 0 && ::listen(get(), 64) == 0,
           "cannot listen at ", address, ": ", std::strerror(errno));
}

int Listener::port() const {
  sockaddr_in here{};
  socklen_t size = sizeof here;
  ::getsockname(get(), reinterpret_cast<sockaddr*>(&here), &size);
  return ntohs(here.sin_port);
}

FileDescriptor Listener::accept() {
  return FileDescriptor(::accept4(get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

bool wait_for_event(int descriptor, short event, std::chrono::milliseconds timeout) {
  pollfd waiting{descriptor, event, 0};
  int ready = 0;
  do ready = ::poll(&waiting, 1, static_cast<int>(timeout.count()));
  while (ready < 0 && errno == EINTR);
  return ready == 1;
}

Socket::Socket(FileDescriptor connected) : socket_(std::move(connected)) {
  const int on = 1;
  ::setsockopt(get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Socket Socket::connect(const std::string& address, int port, std::chrono::milliseconds timeout) {
  const sockaddr_in there = parse(address, port);
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int error = 0;
  if (!socket ||
      (::connect(socket.get(), generic(there), sizeof there) != 0 && errno != EINPROGRESS))
    error = errno;
  if (!error && !wait_for_event(socket.get(), POLLOUT, timeout)) error = ETIMEDOUT;
  socklen_t size = sizeof error;
  if (!error) ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  TD_CHECK(Error, error == 0, "cannot connect to ", address, ":", port, ": ", std::strerror(error));
  return Socket(std::move(socket));
}

void Socket::send(const std::string& message) {
  const auto length = static_cast<std::uint32_t>(message.size());
  unsent_.append(reinterpret_cast<const char*>(&length), kHead).append(message);
  flush();
}

void Socket::flush() {
  while (!unsent_.empty() && !closed_) {
    const ssize_t sent = ::send(get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    // receive() finds any other error of the connection as well, after the last message.
    if (sent < 0) return;
    unsent_.erase(0, static_cast<std::size_t>(sent));
  }
}

std::vector<std::string> Socket::receive() {
  char block[4096];
  while (!closed_) {
    const ssize_t got = ::recv(get(), block, sizeof block, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0)
      closed_ = true;
    else
      received_.append(block, static_cast<std::size_t>(got));
  }
  std::vector<std::string> messages;
  while (received_.size() >= kHead) {
    std::uint32_t length = 0;
    std::memcpy(&length, received_.data(), sizeof length);
    if (length > kLongest) closed_ = true;  // not a process of td
    if (length > kLongest || received_.size() - kHead < length) break;
    messages.push_back(received_.substr(kHead, length));
    received_.erase(0, kHead + length);
  }
  return messages;
}

}  // namespace td
