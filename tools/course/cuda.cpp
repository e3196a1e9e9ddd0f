// `./course cuda FILE.cu`: runs a whole program in CUDA C++, on a GPU where there is one, else on
// this machine's CPU, and checks or profiles its kernels.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>

#include "builder.h"
#include "command.h"
#include "cuda_program.h"
#include "os/start_process.h"
#include "process.h"

namespace course {
namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs the program with this terminal. @return its exit code, or 128 and its signal.
int run_here(const std::vector<std::string>& words, const Environment& environment, bool silent) {
  std::cout << std::flush;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("a program cannot be started: fork failed");
  if (child == 0) {
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    if (silent) dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    try {
      become(words);
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
    }
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  if (!silent)
    std::cerr << "The program was ended by a signal: " << signal_name(WTERMSIG(status)) << ".\n";
  return 128 + WTERMSIG(status);
}

std::vector<std::string> with_arguments(const std::string& program, const CudaWords& words) {
  std::vector<std::string> all = {program};
  all.insert(all.end(), words.arguments.begin(), words.arguments.end());
  return all;
}

/// What the runs of a program under --check have found.
struct Found {
  struct Kernel {
    long launches = 0, faults = 0;
  };
  std::map<std::string, Kernel> kernels;
  long of_host = 0;

  bool is_fault() const {
    for (const auto& [name, kernel] : kernels)
      if (kernel.faults > 0) return true;
    return of_host > 0;
  }
};

Found read_found(const fs::path& file) {
  Found found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, name;
    long launches = 0, faults = 0;
    std::getline(words, kind, '\t');
    if (kind == "kernel" && std::getline(words, name, '\t') && words >> launches >> faults) {
      found.kernels[name].launches = std::max(found.kernels[name].launches, launches);
      found.kernels[name].faults += faults;
    }
    if (kind == "host" && words >> faults) found.of_host += faults;
  }
  return found;
}

std::string count_of(long count) {
  return count == 0 ? "nothing" : std::to_string(count) + (count == 1 ? " fault" : " faults");
}

void print_verdict(const Found& found) {
  std::size_t width = 16;
  for (const auto& [name, kernel] : found.kernels) width = std::max(width, name.size());
  const auto row = [&](const std::string& name, const std::string& launches,
                       const std::string& faults) {
    std::cout << std::left << std::setw(static_cast<int>(width) + 2) << name << std::right
              << std::setw(8) << launches << "  " << faults << '\n';
  };
  row("checked", "launches", "found");
  for (const auto& [name, kernel] : found.kernels)
    row(name, std::to_string(kernel.launches), count_of(kernel.faults));
  row("calls of CUDA", "", count_of(found.of_host));
}

/// Two runs, in two orders of threads. The second one's output is the first one's.
int check(const fs::path& program, const CudaWords& words, Environment environment) {
  const fs::path file = program.string() + ".check";
  std::error_code ignored;
  fs::remove(file, ignored);
  environment.push_back({"TD_CUDA_CHECK", file.string()});
  const int exit_code = run_here(with_arguments(program, words), environment, false);
  environment.push_back({"TD_CUDA_ORDER", "reversed"});
  const int second = run_here(with_arguments(program, words), environment, true);
  if (!fs::exists(file)) {
    std::cerr << "The program ended before the observers could report.\n";
    return exit_code ? exit_code : 1;
  }
  const Found found = read_found(file);
  print_verdict(found);
  if (!found.is_fault() && exit_code == 0 && second != 0)
    std::cout << "With the threads and streams in the reversed order the program ends with "
              << second << ": it depends on an order that CUDA does not guarantee.\n";
  if (found.is_fault()) return 1;
  return exit_code ? exit_code : second;
}

int profile(const fs::path& program, const CudaWords& words, Environment environment) {
  const fs::path file = program.string() + ".profile";
  std::error_code ignored;
  fs::remove(file, ignored);
  environment.push_back({"TD_CUDA_PROFILE", file.string()});
  if (!words.json.empty())
    environment.push_back({"TD_CUDA_JSON", fs::absolute(words.json).string()});
  if (!words.pictures.empty()) {
    fs::create_directories(words.pictures);
    environment.push_back({"TD_CUDA_PICTURES", fs::absolute(words.pictures).string()});
  }
  const int exit_code = run_here(with_arguments(program, words), environment, false);
  if (fs::exists(file)) std::cout << '\n' << read_file(file);
  return exit_code;
}

bool has_gpu() {
  if (td::find_program("nvcc").empty() || td::find_program("nvidia-smi").empty()) return false;
  Program list;
  list.words = {"nvidia-smi", "-L"};
  const Outcome outcome = run(list);
  return outcome.exit_code == 0 && outcome.output.find("GPU ") != std::string::npos;
}

/// Where there is a GPU: NVIDIA's compiler, and compute-sanitizer for --check.
int run_on_gpu(const Course& course, const CudaWords& words) {
  const fs::path program = course.build / "cuda/on_gpu";
  fs::create_directories(program.parent_path());
  Program nvcc;
  nvcc.words = {"nvcc", "-arch=native", "-lineinfo", "-o", program.string()};
  for (const auto* more : {&words.files, &words.compile, &words.link})
    nvcc.words.insert(nvcc.words.end(), more->begin(), more->end());
  const Outcome outcome = run(nvcc);
  std::cerr << outcome.output;
  if (outcome.exit_code != 0) return 1;
  std::vector<std::string> all;
  if (words.check) all = {"compute-sanitizer", "--error-exitcode", "1"};
  if (words.profile) all = {"ncu"};
  if (!all.empty() && td::find_program(all[0]).empty()) {
    std::cerr << all[0] << " is missing; it is part of NVIDIA's toolkit. --cpu "
              << (words.check ? "checks" : "profiles") << " the program on the CPU.\n";
    return 1;
  }
  std::cerr << "Runs on the GPU, compiled by nvcc" << (all.empty() ? "" : ", under " + all[0])
            << "; --cpu runs it on the CPU.\n";
  const auto own = with_arguments(program, words);
  all.insert(all.end(), own.begin(), own.end());
  become(all);
}

int run_on_cpu(const Course& course, const CudaWords& words) {
  const std::string errors = build(course, {"cuda_programs"});
  if (!errors.empty()) {
    std::cerr << errors << "The course's runtime for CUDA programs could not be built.\n";
    return 1;
  }
  const fs::path program = make_cuda_program(course, words);
  std::cerr << words.files[0] << " runs on this machine's CPU"
            << (words.cpu ? "" : ": there is no GPU here") << ".\n";
  Environment environment;
  if (!words.gpu.empty()) environment.push_back({"TD_CUDA_GPU", words.gpu});
  if (words.check) return check(program, words, environment);
  if (words.profile) return profile(program, words, environment);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::cout << std::flush;
  become(with_arguments(program, words));
}

class Cuda : public Command {
 public:
  const char* name() const override { return "cuda"; }
  const char* help() const override {
    return "run your own CUDA program, on a GPU where there is one, else on the CPU; after -- come "
           "its arguments";
  }
  const char* example() const override { return "./course cuda vecadd.cu --check"; }
  void syntax(Syntax& syntax) override {
    // For the help: work() reads the words itself, because files and options mix.
    syntax.usage("FILE.cu [OPTIONS] [-- ARGUMENTS]");
    syntax.flag("--check", flag_,
                "find mistakes of kernels and of calls, in two orders of threads");
    syntax.flag("--profile", flag_, "count what Nsight Compute counts, for each kernel and line");
    syntax.option("--json", value_, "the profile as JSON", "FILE");
    syntax.option("--pictures", value_, "the profile's accesses as pictures", "DIR");
    syntax.option("--gpu", value_, "whose limits hold: H100, A100, T4, ...", "NAME");
    syntax.flag("--cpu", flag_, "on the CPU, also where there is a GPU");
    syntax.rest(rest_);
  }
  int work(const Session& session) override {
    const CudaWords words = read_cuda_words(session.typed);
    if (words.help) throw HelpWanted();
    const Course course = session.course();
    return !words.cpu && has_gpu() ? run_on_gpu(course, words) : run_on_cpu(course, words);
  }

 private:
  bool flag_ = false;
  std::string value_;
  std::vector<std::string> rest_;
};

}  // namespace

std::unique_ptr<Command> make_cuda() { return std::make_unique<Cuda>(); }

}  // namespace course
