// Opens libtd_pmix.so, which alone links PMIx (pmix/pmix_store.cpp).
#include "distributed/rendezvous/pmix_library.h"

#include "td/base/error.h"
#include "td/base/own_library.h"

namespace td::distributed {

std::unique_ptr<Store> open_pmix_store() {
  std::string reason;
  void* const factory = own_library_function("libtd_pmix.so", "td_pmix_store", reason);
  TD_CHECK(Error, factory, "init_process_group: pmix: cannot be used: ", reason,
           "; install libpmix-dev (Debian), then configure and build again. file: and redis: need "
           "no PMIx");
  return std::unique_ptr<Store>(reinterpret_cast<Store* (*)()>(factory)());
}

}  // namespace td::distributed
