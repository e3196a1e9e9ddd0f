#include "exercises.h"

#include <set>

#include <ostream>

#include "td/device/stream.h"

// answer: always_the_first_of_a_kind
// expect: wishes {sim}: expected sim:1, got sim:0
// Takes "sim" for sim:0. That is true until the program makes another device current.
namespace always_the_first_of_a_kind {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) (void)td::Device(wish);
  for (const auto& wish : wishes) {
    const td::Device device(wish);
    try {
      td::Device found = td::check_device(device);
      if (!device.is_cpu() && !device.has_index()) found = td::Device(device.type(), 0);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& error) {
      log << wish << ": " << error.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
}  // namespace always_the_first_of_a_kind

// answer: asks_for_the_kind_only
// expect: wishes {sim:99, sim:0}: expected sim:0, got sim:99
// Right on the README's example. Asks whether there is any device of the kind, not whether this one
// exists.
namespace asks_for_the_kind_only {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) {
    const td::Device device(wish);
    if (td::device_count(device.type()) > 0) {
      log << "using " << device << '\n';
      return device.is_cpu() || device.has_index() ? device : td::check_device(device);
    }
    log << wish << ": this machine has no such device\n";
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
}  // namespace asks_for_the_kind_only

// answer: cpu_is_always_there
// expect: wishes {cpu:1, sim:0}: expected sim:0, got cpu:1
// Does not check the index of a cpu, as if every cpu device existed.
namespace cpu_is_always_there {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  const std::vector<td::Device> parsed(wishes.begin(), wishes.end());
  for (const td::Device wish : parsed) {
    try {
      const td::Device found = wish.is_cpu() ? wish : td::check_device(wish);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& error) {
      log << wish << " is not used: " << error.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
}  // namespace cpu_is_always_there

// answer: forgets_the_last_line
// expect: wishes {cuda:127}: two lines were expected, the last one with cpu
// Logs what it tried and what it found, but not the last fallback.
namespace forgets_the_last_line {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  std::vector<td::Device> parsed(wishes.begin(), wishes.end());
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    try {
      const td::Device found = td::check_device(parsed[i]);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& error) {
      log << wishes[i] << ": " << error.what() << '\n';
    }
  }
  return td::Device("cpu");
}
}  // namespace forgets_the_last_line

// answer: makes_it_current
// expect: look for set_device
// Tries a device by making it current, and leaves it so.
namespace makes_it_current {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) (void)td::Device(wish);
  for (const auto& wish : wishes) {
    try {
      const td::Device found = td::check_device(wish);
      if (!found.is_cpu()) td::set_device(found);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& error) {
      log << wish << " is not used: " << error.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
}  // namespace makes_it_current

// answer: parses_late
// expect: wishes {cpu, cuda0} with "cuda0", which is no device: an error was expected, none was
// thrown Finds a typing mistake only if no device before it in the list exists.
namespace parses_late {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) {
    const td::Device device(wish);
    try {
      const td::Device found = td::check_device(device);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& error) {
      log << wish << " is not used: " << error.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
}  // namespace parses_late

// answer: swallows_mistakes
// expect: which is no device: an error was expected, none was thrown
// Catches every error: "cuda0" becomes cpu without a message.
namespace swallows_mistakes {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) {
    try {
      const td::Device found = td::check_device(td::Device(wish));
      log << "using " << found << '\n';
      return found;
    } catch (const std::exception& error) {
      log << wish << " passed over: " << error.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
}  // namespace swallows_mistakes

// answer: tells_nobody
// expect: three lines were expected, for cuda:127, sim:99 and sim:0
// Picks the right device but logs nothing: a reader of the output takes the cpu for a GPU.
namespace tells_nobody {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream&) {
  for (const auto& wish : wishes) {
    const td::Device device(wish);
    try {
      return td::check_device(device);
    } catch (const td::DeviceError&) {
    }
  }
  return td::Device("cpu");
}
}  // namespace tells_nobody

// answer: without_reason
// expect: the line of cuda:127 should contain the reason
// Logs the fallback, but not why: the reader cannot tell a missing driver from a wrong index.
namespace without_reason {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) (void)td::Device(wish);
  for (const auto& wish : wishes) {
    try {
      const td::Device found = td::check_device(wish);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError&) {
      log << wish << " is not available\n";
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
}  // namespace without_reason

// answer: resets_to_the_first
// expect: sim:1 was the current sim device before pick_device({"sim:0"})
// Makes the device current in order to try it, and takes sim:0 for what was current before.
namespace resets_to_the_first {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) td::Device parsed(wish);
  for (const auto& wish : wishes) try {
      const td::Device found = td::check_device(wish);
      if (!found.is_cpu()) {
        td::set_device(found);
        td::set_device(td::Device(found.type(), 0));
      }
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& reason) {
      log << wish << ": " << reason.what() << '\n';
    }
  log << "using cpu\n";
  return td::kCPU;
}
}  // namespace resets_to_the_first

// answer: tries_them_all
// expect: wishes {sim:0, cuda:127, sim:99}: one line was expected
// Tries every wish, and takes the first one that exists afterwards.
namespace tries_them_all {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  std::vector<td::Device> found;
  for (const auto& wish : wishes) td::Device parsed(wish);
  for (const auto& wish : wishes) try {
      const td::Device device = td::check_device(wish);
      if (found.empty()) found.push_back(device);
    } catch (const td::DeviceError& reason) {
      if (!found.empty() && wish == "cpu") continue;
      log << wish << ": " << reason.what() << '\n';
    }
  if (found.empty()) found.push_back(td::kCPU);
  log << "using " << found[0] << '\n';
  return found[0];
}
}  // namespace tries_them_all

// answer: each_wish_once
// expect: wishes {sim:99, sim:99, sim:0}: a line for each wish was expected
// Remembers what it has tried, and passes over a repeated wish without a word.
namespace each_wish_once {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) td::Device parsed(wish);
  std::set<std::string> tried;
  for (const auto& wish : wishes) {
    if (!tried.insert(wish).second) continue;
    try {
      const td::Device found = td::check_device(wish);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& reason) {
      log << wish << ": " << reason.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::kCPU;
}
}  // namespace each_wish_once

// answer: needs_a_wish
// expect: wishes {}: all of these are device strings, but an error was thrown
// Looks at the first wish before it knows that there is one.
namespace needs_a_wish {
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const std::string& wish : wishes) td::Device parsed(wish);
  std::size_t i = 0;
  do {
    const std::string& wish = wishes.at(i);
    try {
      const td::Device device = td::check_device(wish);
      log << device << '\n';
      return device;
    } catch (const td::DeviceError& error) {
      log << wish << ": " << error.what() << '\n';
    }
  } while (++i < wishes.size());
  log << "cpu\n";
  return td::kCPU;
}
}  // namespace needs_a_wish
