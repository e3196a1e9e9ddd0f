// Linked to every test program. Tests set td::record_observer and leave it null; where the program
// runs on the stand-in for CUDA, whose kernels come by way of it, each section begins with it set.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <dlfcn.h>

#include <catch2/catch.hpp>

namespace {

struct StandInListener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void sectionStarting(const Catch::SectionInfo& section) override {
    TestEventListenerBase::sectionStarting(section);
    static void* const listen = dlsym(RTLD_DEFAULT, "td_cuda_stand_in_listen");
    if (listen) reinterpret_cast<void (*)()>(listen)();
  }
};

}  // namespace

CATCH_REGISTER_LISTENER(StandInListener)
