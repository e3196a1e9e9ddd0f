// Translates a preprocessed file in CUDA C++ for the build (cmake/compile_program.sh), as
// `./course cuda` does it for a learner's program: translate_cuda IN OUT.
#include <fstream>
#include <iostream>
#include <sstream>

#include "token_editor.h"
#include "translate_cuda.h"

int main(int, char** words) try {
  std::stringstream text;
  text << std::ifstream(words[1]).rdbuf();
  std::ofstream out(words[2]);
  out << course::translate_cuda(text.str());
  return out.flush() ? 0 : 1;
} catch (const course::TranslationError& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
