// The program behind `./course time`. With --worker it measures: work/worker.h.
#include <iostream>
#include <string_view>

#include "work/worker.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--worker")
    return timing::work(std::cin, std::cout);
  std::cerr << "course-time: expected --worker\n";
  return 2;
}
