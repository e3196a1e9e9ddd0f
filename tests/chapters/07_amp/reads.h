// Counts what the host reads of sim:0 in the tests of chapter 07.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "td/device/record.h"
#include "td/td.h"

/// How many copies between the host and sim:0 `work` makes: every way to read a value is one.
inline int copies_in(const std::function<void()>& work) {
  std::atomic<int> copies{0};
  td::synchronize("sim:0");
  const td::RecordObserver counting([&](const td::Record& record, td::Device) {
    if (std::string(record.name) == "copy") ++copies;
  });
  work();
  return copies;
}
