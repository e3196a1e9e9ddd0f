// The plane of a group of one rank, which has nobody to exchange anything with. init_process_group
// makes it, so that a program runs the same code with one rank as with many.
#pragma once

#include <cstring>

#include "distributed/planes/host_plane.h"

namespace td::distributed {

/// Everything reduced over one rank is what that rank had; an average too.
class OnePlane final : public HostPlane {
 public:
  const char* name() const override { return "one rank"; }
  void broadcast(const CollectiveKey&, void*) override {}
  void all_reduce(const CollectiveKey&, void*) override {}
  void reduce(const CollectiveKey&, void*) override {}
  void all_gather(const CollectiveKey& key, const void* input, void* output) override {
    copy(key, input, output);
  }
  void reduce_scatter(const CollectiveKey& key, const void* input, void* output) override {
    copy(key, input, output);
  }
  void barrier(const CollectiveKey&) override {}
  // ProcessGroup refuses to send to oneself.
  void send(const CollectiveKey&, const void*) override {}
  void receive(const CollectiveKey&, void*) override {}
  void abort(const std::string&) override {}

 private:
  static void copy(const CollectiveKey& key, const void* input, void* output) {
    if (key.bytes()) std::memmove(output, input, key.bytes());
  }
};

}  // namespace td::distributed
