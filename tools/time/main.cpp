// course-time, the program behind `./course time`: the driver, and with --worker the program that
// it starts to measure. Invariant: the worker's stdout belongs to the protocol alone.
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "app/option_parser.h"
#include "report/driver.h"
#include "report/options.h"
#include "report/protocol.h"
#include "work/worker.h"

namespace {

int complain(const std::exception& error, int exit_code) {
  std::cout << std::flush;
  std::cerr << error.what() << '\n';
  return exit_code;
}

int drive(int argc, char** argv) {
  try {
    report::Settings settings;
    settings.executable = "/proc/self/exe";
    return report::read_options(argc, argv, settings) ? report::drive(settings) : 0;
  } catch (const app::OptionError& error) {
    return complain(error, 2);
  } catch (const std::invalid_argument& error) {
    return complain(error, 2);
  } catch (const std::exception& error) {
    return complain(error, 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--worker") == 0) return timing::work(std::cin, std::cout);
  // Whole lines at once, so that a log shows progress.
  setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  return drive(argc, argv);
}
