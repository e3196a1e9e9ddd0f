// The store that mpirun and srun keep for their processes, over PMIx. A library of its own,
// libtd_pmix.so: PMIx costs a process some 15 ms, and few programs need it.
// Invariant: PMIx finds a value by the rank that set it, which is rank 0 (see Store).
#include <pmix.h>

#include "distributed/rendezvous/store.h"
#include "td/base/error.h"

namespace td::distributed {
namespace {

void check(pmix_status_t status, const std::string& call) {
  TD_CHECK(Error, status == PMIX_SUCCESS, "init_process_group: pmix: ", call,
           " failed: ", PMIx_Error_string(status),
           "; was this program started by mpirun, or by srun --mpi=pmix?");
}

class PmixStore final : public Store {
 public:
  PmixStore() {
    check(PMIx_Init(&self_, nullptr, 0), "PMIx_Init");
    pmix_proc_t all;
    PMIX_LOAD_PROCID(&all, self_.nspace, PMIX_RANK_WILDCARD);
    pmix_value_t* ranks = nullptr;  // of this host: "0,1,2"
    if (PMIx_Get(&all, PMIX_LOCAL_PEERS, nullptr, 0, &ranks) != PMIX_SUCCESS) return;
    const std::string list = std::string(",") + ranks->data.string + ",";
    is_host_of_rank_0_ = list.find(",0,") != std::string::npos;
    PMIX_VALUE_RELEASE(ranks);
  }
  ~PmixStore() override { PMIx_Finalize(nullptr, 0); }

  void set(const std::string& key, const std::string& value) override {
    pmix_value_t bytes;
    PMIX_VALUE_CONSTRUCT(&bytes);
    bytes.type = PMIX_BYTE_OBJECT;
    bytes.data.bo.bytes = const_cast<char*>(value.data());
    bytes.data.bo.size = value.size();
    check(PMIx_Put(PMIX_GLOBAL, key.c_str(), &bytes), "PMIx_Put");
    check(PMIx_Commit(), "PMIx_Commit");
  }

  // The value is removed with the job.
  void delete_key(const std::string&) override {}

  std::optional<std::string> get(const std::string& key) override {
    pmix_proc_t author;
    PMIX_LOAD_PROCID(&author, self_.nspace, 0);
    // The server of this host would delay a request that comes before the value for whole seconds.
    // That of another host is queried only if the request may wait, and then it answers soon.
    pmix_info_t how;
    PMIX_INFO_CONSTRUCT(&how);
    bool yes = true;
    int seconds = 1;
    if (is_host_of_rank_0_)
      PMIX_INFO_LOAD(&how, PMIX_IMMEDIATE, &yes, PMIX_BOOL);
    else
      PMIX_INFO_LOAD(&how, PMIX_TIMEOUT, &seconds, PMIX_INT);
    pmix_value_t* bytes = nullptr;
    const pmix_status_t status = PMIx_Get(&author, key.c_str(), &how, 1, &bytes);
    if (status == PMIX_ERR_NOT_FOUND || status == PMIX_ERR_TIMEOUT) return std::nullopt;
    check(status, "PMIx_Get");
    const std::string value(bytes->data.bo.bytes, bytes->data.bo.size);
    PMIX_VALUE_RELEASE(bytes);
    return value;
  }

  std::string describe() const override { return std::string("the job ") + self_.nspace; }

 private:
  pmix_proc_t self_{};
  bool is_host_of_rank_0_ = false;
};

}  // namespace
}  // namespace td::distributed

/// Called by open_pmix_store, which owns the result.
extern "C" td::distributed::Store* td_pmix_store() { return new td::distributed::PmixStore; }
