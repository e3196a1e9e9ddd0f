// Reads the command line of `./course cuda`; cuda_words.h describes it.
#include "cuda_words.h"

#include <algorithm>
#include <array>

#include "course.h"

namespace course {
namespace {

constexpr const char* kExample = "./course cuda vecadd.cu";
constexpr const char* kOptions =
    "Options: --check, --profile, --json FILE, --pictures DIR, --gpu NAME, --cpu, and nvcc's -I, "
    "-D, "
    "-U, -include, -std and -l. The program's own arguments come after --.";

/// Options of nvcc that make no difference on the CPU: the GPU's code, optimization, debugging.
bool is_without_effect(const std::string& word) {
  static const std::array exact = {"-g",
                                   "-G",
                                   "-lineinfo",
                                   "-rdc=true",
                                   "-rdc=false",
                                   "-dc",
                                   "-m64",
                                   "-w",
                                   "-v",
                                   "--device-debug",
                                   "-keep",
                                   "--extended-lambda",
                                   "-extended-lambda",
                                   "--expt-extended-lambda",
                                   "--expt-relaxed-constexpr",
                                   "-expt-relaxed-constexpr",
                                   "-use_fast_math",
                                   "--use_fast_math",
                                   "--generate-line-info",
                                   "--relocatable-device-code=true"};
  static const std::array starts = {"-O",
                                    "-arch=",
                                    "--arch=",
                                    "-gencode=",
                                    "-code=",
                                    "--ptxas-",
                                    "--gpu-architecture=",
                                    "--generate-code=",
                                    "-W",
                                    "-diag-",
                                    "--threads=",
                                    "-maxrregcount=",
                                    "--maxrregcount="};
  return std::find(exact.begin(), exact.end(), word) != exact.end() ||
         std::any_of(starts.begin(), starts.end(),
                     [&](const char* start) { return word.rfind(start, 0) == 0; });
}
/// The same, with a value in the next word.
bool has_value_without_effect(const std::string& word) {
  for (const char* name : {"-arch", "-gencode", "-code", "-maxrregcount", "-Xptxas", "-ccbin",
                           "--gpu-architecture", "--generate-code", "-t"})
    if (word == name) return true;
  return false;
}

bool is_library_of_cuda(const std::string& word) {
  for (const char* name : {"-lcudart", "-lcuda", "-lcublas", "-lcudadevrt", "-lcudart_static"})
    if (word == name) return true;
  return false;
}

bool is_source(const std::string& word) {
  const std::string suffix = fs::path(word).extension().string();
  for (const char* known : {".cu", ".cpp", ".cc", ".cxx", ".c"})
    if (suffix == known) return true;
  return false;
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : words_(words) {}

  CudaWords read() {
    for (; at_ < words_.size(); ++at_) {
      if (words_[at_] == "--") {
        all_.arguments.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, words_.end());
        break;
      }
      take(words_[at_]);
    }
    if (all_.files.empty() && !all_.help)
      throw UsageError(std::string("Which program? For example: ") + kExample);
    return std::move(all_);
  }

 private:
  void take(const std::string& word) {
    if (own(word) || is_without_effect(word) || is_library_of_cuda(word) || compiler(word)) return;
    if (has_value_without_effect(word)) return void(value(word));
    if (word[0] == '-') throw UsageError("There is no option " + word + ". " + kOptions);
    file(word);
  }

  bool own(const std::string& word) {
    if (word == "--help" || word == "-h") return all_.help = true;
    if (word == "--check") return all_.check = true;
    if (word == "--profile") return all_.profile = true;
    if (word == "--cpu") return all_.cpu = true;
    for (auto& [name, kept] :
         {std::pair{"--json", &all_.json}, {"--pictures", &all_.pictures}, {"--gpu", &all_.gpu}}) {
      const std::string with_value = std::string(name) + "=";
      if (word != name && word.rfind(with_value, 0) != 0) continue;
      *kept = word == name ? value(word) : word.substr(with_value.size());
      all_.profile |= kept != &all_.gpu;
      return true;
    }
    return false;
  }

  bool compiler(const std::string& word) {
    const auto begins = [&](const char* start) { return word.rfind(start, 0) == 0; };
    if (begins("-std=") || begins("--std=")) return true;  // the course's headers need C++20
    if (word == "-std" || word == "--std") return value(word), true;
    if (word == "-Xcompiler") return host(value(word)), true;
    for (const char* name : {"-I", "-D", "-U", "-isystem", "-include"}) {
      if (word != name && !(begins(name) && std::string(name).size() == 2)) continue;
      all_.compile.push_back(word);
      if (word == name) all_.compile.push_back(value(word));
      return true;
    }
    if (begins("-l") || begins("-L")) {
      return all_.link.push_back(word == "-l" ? word + value(word) : word), true;
    }
    if (word == "-o" || word == "-odir") return value(word), true;  // the program is kept elsewhere
    return false;
  }

  /// Options for the host's compiler, of which OpenMP matters.
  void host(const std::string& options) {
    if (options.find("-fopenmp") == options.npos) return;
    all_.compile.push_back("-fopenmp");
    all_.link.push_back("-fopenmp");
  }

  void file(const std::string& word) {
    if (!is_source(word))
      throw UsageError(word +
                       " is no program in CUDA: its name must end with .cu (or .cpp for a "
                       "file without kernels). Arguments of the program come after --: " +
                       kExample + " -- " + word);
    if (!fs::exists(word))
      throw UsageError("There is no file " + word + " in " + fs::current_path().string() + ".");
    all_.files.push_back(word);
  }

  std::string value(const std::string& word) {
    if (at_ + 1 == words_.size()) throw UsageError(word + " needs a value after it. " + kOptions);
    return words_[++at_];
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  CudaWords all_;
};

}  // namespace

CudaWords read_cuda_words(const std::vector<std::string>& words) { return Reader(words).read(); }

}  // namespace course
