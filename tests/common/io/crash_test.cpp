// A writer is killed, or the disk is full, at any moment: the name always holds a whole file.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "../data/folder.h"
#include "faults.h"
#include "os/file.h"
#include "td/td.h"

using namespace td;

namespace {

// The old file and the new one, of two tensors each.
struct Files {
  Files() {
    old_state.tensors.insert("w", full({5}, 1));
    old_state.tensors.insert("n", full({3}, 1, kLong));
    new_state.tensors.insert("w", full({50}, 2));
    new_state.tensors.insert("n", full({30}, 2, kLong));
    io::save_file(new_state, path);
    new_bytes = get(path);
    put_old();
    old_bytes = get(path);
  }
  void put_old() { io::save_file(old_state, path); }
  void put_new() { io::save_file(new_state, path); }

  TemporaryFolder folder;
  std::string path = folder / "run.safetensors";
  io::StateDict old_state, new_state;
  std::string old_bytes, new_bytes;
};

// Runs `work` in a process of its own; returns 128 + the signal that ended it, or what `work`
// gives.
template <class Work>
int in_child(Work work) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(work());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void check_kills(Faults::Kind kind) {
  Files files;
  std::size_t old_files = 0, new_files = 0;
  for (std::size_t at = 0;; ++at) {
    INFO("killed at call " << at);
    REQUIRE(at < 100);
    files.put_old();
    const int end = in_child([&] {
      const Faults faults(at, kind);
      files.put_new();
      return 0;
    });
    if (end == 0) break;  // the writer was done before the strike
    REQUIRE(end == 128 + SIGKILL);
    const std::string bytes = get(files.path);
    const bool is_old = bytes == files.old_bytes, is_new = bytes == files.new_bytes;
    CHECK((is_old || is_new));
    CHECK(io::load_file(files.path).tensors.size() == 2);
    old_files += is_old;
    new_files += is_new;
    // The new file is there from the rename on, and never before.
    CHECK((is_new || new_files == 0));
  }
  // Length, header, two tensors, flush, close, rename; then the folder's flush and close.
  CHECK(old_files == 7);
  CHECK(new_files == 2);
  CHECK(get(files.path) == files.new_bytes);
}

// Lets this process mount: root of a user namespace of its own.
bool become_root_of_a_namespace() {
  const auto map = [](const char* file, const std::string& text) {
    const FileDescriptor opened(file, O_WRONLY);
    return opened.get() >= 0 &&
           ::write(opened.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  };
  const std::string user = "0 " + std::to_string(getuid()) + " 1\n",
                    group = "0 " + std::to_string(getgid()) + " 1\n";
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && map("/proc/self/setgroups", "deny") &&
         map("/proc/self/uid_map", user) && map("/proc/self/gid_map", group);
}

}  // namespace

TEST_CASE("a writer killed at any of its system calls leaves the old file or the new one") {
  check_kills(Faults::Kind::kKill);
}

TEST_CASE("a writer killed in the middle of a write leaves the old file or the new one") {
  check_kills(Faults::Kind::kKillInside);
}

TEST_CASE("a full disk at any system call is an error, and only the old file stays") {
  Files files;
  std::size_t refused = 0;
  for (std::size_t at = 0;; ++at) {
    INFO("call " << at << " fails");
    REQUIRE(at < 100);
    files.put_old();
    std::string text;
    bool struck = false;
    {
      const Faults faults(at, Faults::Kind::kDiskFull);
      try {
        files.put_new();
      } catch (const IoError& error) {
        text = error.what();
      }
      struck = faults.struck();
    }
    CHECK(files.folder.files() == 1);
    if (!struck) break;
    if (text.empty()) continue;  // closing the folder, when everything is done
    ++refused;
    CHECK(text == "cannot write " + files.path +
                      ": No space left on device; free some space, or choose a folder on another "
                      "disk");
    // The seventh call is the rename; after it the new file is in place.
    CHECK(get(files.path) == (at < 7 ? files.old_bytes : files.new_bytes));
  }
  CHECK(refused == 8);
  CHECK(get(files.path) == files.new_bytes);
}

TEST_CASE("on a disk that is really full the old checkpoint stays readable") {
  TemporaryFolder folder;
  constexpr int kNoNamespace = 77;
  const int end = in_child([&] {
    if (!become_root_of_a_namespace() ||
        mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=256k") != 0)
      return kNoNamespace;
    const std::string path = folder / "run.safetensors";
    const auto save_numbers = [&](std::int64_t count, int value) {
      io::StateDict state;
      state.tensors.insert("w", full({count}, value));
      io::save_file(state, path);
    };
    save_numbers(10000, 1);
    try {
      save_numbers(100000, 2);
      return 1;
    } catch (const IoError& error) {
      if (std::strstr(error.what(), "No space left on device; free some space") == nullptr)
        return 2;
    }
    if (folder.files() != 1) return 3;
    const Tensor w = io::load_file(path).tensors["w"];
    if (w.numel() != 10000 || w.sum().item<float>() != 10000) return 4;
    save_numbers(20000, 3);  // room again, as nothing was left behind
    return 0;
  });
  if (end == kNoNamespace)
    WARN("skipped: this machine lets no process make a file system of its own");
  else
    CHECK(end == 0);
}
