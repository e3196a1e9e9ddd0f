// Builds into build/…/cuda/<number>, where the number follows from the words of the command.
#include "cuda_program.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <map>
#include <sstream>

#include "builder.h"
#include "process.h"
#include "translate_cuda.h"

namespace course {
namespace {

/// What cmake/CudaPrograms.cmake has written: the values of each word.
using Settings = std::map<std::string, std::vector<std::string>>;

Settings read_settings(const fs::path& file) {
  Settings settings;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (space != line.npos) settings[line.substr(0, space)].push_back(line.substr(space + 1));
  }
  return settings;
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// What a learner reads of a compiler's errors; the others follow from these, mostly.
std::string first_lines(const std::string& output) {
  constexpr int kMost = 30;
  std::istringstream in(output);
  std::string shown, line;
  for (int i = 0; i < kMost && std::getline(in, line); ++i) shown += line + '\n';
  if (std::getline(in, line)) shown += "…\n";
  if (!shown.empty()) shown.pop_back();
  return shown;
}

class Maker {
 public:
  Maker(const Course& course, const CudaWords& words)
      : course_(course), words_(words), settings_(read_settings(course.build / "cuda/settings")) {
    folder_ = course.build / "cuda" / number();
  }

  fs::path make() {
    const fs::path program = folder_ / words_.files[0];
    const fs::path result = folder_ / program.stem();
    if (is_new(result)) return result;
    fs::create_directories(folder_);
    std::vector<std::future<fs::path>> objects;
    for (std::size_t i = 0; i < words_.files.size(); ++i)
      objects.push_back(std::async(std::launch::async, [this, i] { return compile(i); }));
    std::vector<std::string> made;
    for (auto& object : objects) made.push_back(object.get().string());
    link(result, made);
    return result;
  }

 private:
  /// A plain run has a program of its own, whose kernels have no hooks and are optimized more.
  bool is_observed() const { return words_.check || words_.profile; }

  /// Follows from all that decides what the program becomes, apart from the contents of files.
  std::string number() const {
    std::string all = fs::current_path().string() + (is_observed() ? "\nobserved" : "\nplain");
    for (const auto* words : {&words_.files, &words_.compile, &words_.link})
      for (const auto& word : *words) all += '\n' + word;
    std::ostringstream out;
    out << std::hex << std::setw(16) << std::setfill('0') << std::hash<std::string>()(all);
    return out.str();
  }

  fs::path part(std::size_t file, const char* suffix) const {
    return folder_ / (std::to_string(file) + suffix);
  }

  /// Whether the program exists, and is newer than what it was made of.
  bool is_new(const fs::path& program) const {
    std::error_code error;
    const auto made = fs::last_write_time(program, error);
    if (error) return false;
    const auto is_older = [&](const fs::path& file) {
      const auto time = fs::last_write_time(file, error);
      return !error && time <= made;
    };
    for (const char* word : {"library", "hooks"})
      for (const auto& file : settings_.at(word))
        if (!is_older(file)) return false;
    if (!is_older(course_.build / "cuda/settings")) return false;
    for (std::size_t i = 0; i < words_.files.size(); ++i)
      for (const auto& file : dependencies(part(i, ".d")))
        if (!is_older(file)) return false;
    return true;
  }

  /// The files that the compiler read, in the form of Make.
  static std::vector<std::string> dependencies(const fs::path& list) {
    std::vector<std::string> files;
    std::ifstream in(list);
    for (std::string word, whole; in >> word;) {
      if (word == "\\" || word.back() == ':') continue;
      whole += word;
      if (whole.back() == '\\') {  // a space in a name
        whole.back() = ' ';
        continue;
      }
      files.push_back(std::exchange(whole, ""));
    }
    if (files.empty()) files.push_back("no list");
    return files;
  }

  std::string run_compiler(const std::vector<std::string>& words) const {
    Program program;
    program.words = words;
    program.environment = {{"GCC_COLORS", ""}};
    const Outcome outcome = run(program);
    if (outcome.exit_code != 0 || outcome.signal != 0)
      throw std::runtime_error(first_lines(outcome.output));
    return outcome.output;
  }

  /// @return the object file
  fs::path compile(std::size_t i) const {
    const std::string suffix = fs::path(words_.files[i]).extension().string();
    if (suffix == ".cu") compile_kernels(i);
    if (suffix != ".cu") compile_host(i, suffix == ".c");
    return part(i, ".o");
  }

  std::vector<std::string> begin(std::size_t i) const {
    std::vector<std::string> words = {settings_.at("compiler")[0],
                                      "-MD",
                                      "-MF",
                                      part(i, ".d").string(),
                                      "-U_FORTIFY_SOURCE",
                                      "-I" + (course_.root / "common/cuda/include").string(),
                                      "-I" + (course_.root / "common").string()};
    append(words, words_.compile);
    return words;
  }

  void compile_kernels(std::size_t i) const {
    const fs::path preprocessed = part(i, ".i"), translated = part(i, ".ii");
    std::vector<std::string> words = begin(i);
    append(words, {"-x", "c++", "-std=gnu++20", "-fno-char8_t", "-E", "-include", "cuda_runtime.h",
                   words_.files[i], "-o", preprocessed.string()});
    if (!is_observed()) words.push_back("-DTD_SIMT_WITHOUT_HOOKS");
    run_compiler(words);
    write_file(translated, translate_cuda(read_file(preprocessed),
                                          is_observed() ? Hooks::kEverywhere : Hooks::kOnHost));
    // A kernel may copy eight halves as one float4: nvcc compiles device code without strict
    // aliasing.
    words = {settings_.at("compiler")[0], "-std=gnu++20", "-fno-char8_t", "-w",
             "-fno-strict-aliasing"};
    append(words, settings_.at("flag"));
    if (!is_observed()) words.push_back("-O2");
    if (std::count(words_.compile.begin(), words_.compile.end(), "-fopenmp"))
      words.push_back("-fopenmp");
    append(words, {"-c", translated.string(), "-o", part(i, ".o").string()});
    run_compiler(words);
  }

  /// A file without kernels, by the C++ compiler, or as C, whose functions have other names.
  void compile_host(std::size_t i, bool is_c) const {
    std::vector<std::string> words = begin(i);
    append(words,
           {"-x", is_c ? "c" : "c++", is_c ? "-std=gnu17" : "-std=gnu++20", "-O2", "-g", "-w",
            "-DTD_CUDA_HOST_FILE", "-c", words_.files[i], "-o", part(i, ".o").string()});
    run_compiler(words);
  }

  void link(const fs::path& program, const std::vector<std::string>& objects) const {
    std::vector<std::string> words = {(course_.root / "cmake/link_kernels.sh").string(),
                                      settings_.at("compiler")[0], "-o", program.string()};
    append(words, objects);
    append(words, settings_.at("hooks"));
    append(words, settings_.at("link"));
    for (const char* symbol : {"td_kernel_library", "td_dynamic_shared"})
      words.push_back(std::string("-Wl,--export-dynamic-symbol=") + symbol);
    append(words, settings_.at("library"));
    words.push_back("-Wl,-rpath," + fs::path(settings_.at("library")[0]).parent_path().string());
    append(words, words_.link);
    run_compiler(words);
  }

  const Course& course_;
  const CudaWords& words_;
  const Settings settings_;
  fs::path folder_;
};

}  // namespace

fs::path make_cuda_program(const Course& course, const CudaWords& words) {
  return Maker(course, words).make();
}

}  // namespace course
