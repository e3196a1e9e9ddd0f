// Notes as files of one folder. open_store makes it for file: urls.
#pragma once

#include "distributed/rendezvous/store.h"

namespace td::distributed {

/// All ranks name the same folder, on one host or on a network's file system.
class FileStore final : public Store {
 public:
  /// Makes the folder where it is missing. @throws Error when it cannot be written to.
  explicit FileStore(const std::string& folder);
  void set(const std::string& name, const std::string& note) override;
  bool add(const std::string& name, const std::string& note) override;
  std::optional<std::string> get(const std::string& name) override;
  void remove(const std::string& name) override;
  std::string describe() const override { return "the folder " + folder_; }

 private:
  std::string write_draft(const std::string& note);

  const std::string folder_;
};

}  // namespace td::distributed
