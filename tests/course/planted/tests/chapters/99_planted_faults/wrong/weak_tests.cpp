#include "exercises.h"

#include <cstdlib>
#include <iostream>

// answer: stops_the_program
// expect: the host read device memory
// Ends with exit code 70, as the report of a host read of device memory does; here a success.
namespace stops_the_program {
int weak_tests(int) {
  std::cout << "the host read device memory" << std::endl;
  std::_Exit(70);
}
}  // namespace stops_the_program
