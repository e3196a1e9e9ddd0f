// The chapters' main programs that use only what libtorch has, as they are in the course: libtorch
// compiles them with its own header in the place of td/td.h, and they find the same. The others use
// what is Python's or the course's own: GradScaler, the DataParallel module, ranks, XLA, CIFAR10.
#include <iostream>
#include <sstream>

#include "conformance.h"

// Before the namespaces, where nothing is included again.
#include "app/app.h"
#include "td/td.h"

#define main main_program
namespace chapter_02 {
#include "../../chapters/02_tensor_moves/main.cpp"
}
namespace chapter_03 {
#include "../../chapters/03_model_moves/main.cpp"
}
#undef main

namespace {

/// What a program prints. Tensors look different: td prints them as Python does.
std::string printed_by(int (*program)(int, char**)) {
  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  std::string words[] = {"main", "--device", "cpu"};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  program(3, argv);
  std::cout.rdbuf(before);
  return text.str();
}

/// The rest of the line that begins with `label`.
std::string after(const std::string& text, const std::string& label) {
  const std::size_t at = ("\n" + text).find("\n" + label);
  if (at == std::string::npos) return "there is no such line";
  const std::size_t begin = at + label.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

int main() {
  const std::string moves = printed_by(chapter_02::main_program);
  REPORT(after(moves, "x.device()"));
  REPORT(after(moves, "y.sum().item()"));
  const std::string model = printed_by(chapter_03::main_program);
  REPORT(after(model, "created on"));
  REPORT(after(model, "moved to"));
  REPORT(after(model, "This device is the cpu"));
  return 0;
}
