// Command: the options, parsed by CLI11, and the exit code of each exception.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "app/app.h"
#include "app/command.h"
#include "td/exercise.h"

namespace app {

struct Command::Parser {
  explicit Parser(const std::string& summary, const std::string& name) : cli(summary, name) {}
  CLI::App cli;
  std::string why_no_device;  // empty: there is one
};

Command::Command(std::string name, std::string summary)
    : name_(std::move(name)), parser_(std::make_unique<Parser>(summary, name_)) {
  auto& cli = parser_->cli;
  cli.set_help_flag("-h,--help", "this text");
  cli.option_defaults()->always_capture_default();
  cli.add_option("--device", options.device, "auto, cpu, sim, sim:1, cuda, cuda:0 ...");
  cli.add_option("--trace", options.trace, "write what the devices did to this file");
  cli.add_flag("--mine", options.mine, "use your exercises instead of the course's own");
}

Command::~Command() = default;

Command& Command::takes(const std::vector<std::string>& names) {
  auto& cli = parser_->cli;
  for (const auto& name : names) {
    const std::string dashed = "--" + name;
    if (name == "devices")
      cli.add_option(dashed, options.devices, "several, with commas: sim:0,sim:1")->delimiter(',');
    else if (name == "epochs")
      cli.add_option(dashed, options.epochs, "passes over the data")->check(CLI::PositiveNumber);
    else if (name == "batch-size")
      cli.add_option(dashed, options.batch_size, "samples a step")->check(CLI::PositiveNumber);
    else if (name == "seed")
      cli.add_option(dashed, options.seed, "of all random numbers");
    else if (name == "data")
      cli.add_option(dashed, options.data, "folder of the data files");
    else
      throw std::logic_error("there is no shared option " + dashed);
  }
  return *this;
}

Command& Command::without_device(const std::string& why) {
  auto& cli = parser_->cli;
  for (const char* name : {"--device", "--trace"}) cli.remove_option(cli.get_option(name));
  // Not in --help: a user who passes a device to every program learns why this one has none.
  cli.add_option("--device", options.device)->group("");
  parser_->why_no_device = why;
  return *this;
}

Command& Command::option(const std::string& name, std::string& value, const std::string& help) {
  parser_->cli.add_option(name, value, help);
  return *this;
}

Command& Command::choice(const std::string& name, std::string& value,
                         const std::vector<std::string>& allowed, const std::string& help) {
  parser_->cli.add_option(name, value, help)->check(CLI::IsMember(allowed));
  return *this;
}

Command& Command::option(const std::string& name, std::int64_t& value, const std::string& help) {
  parser_->cli.add_option(name, value, help);
  return *this;
}

Command& Command::option(const std::string& name, double& value, const std::string& help) {
  parser_->cli.add_option(name, value, help);
  return *this;
}

Command& Command::flag(const std::string& name, bool& value, const std::string& help) {
  parser_->cli.add_flag(name, value, help);
  return *this;
}

namespace {

int complain(const std::string& message, int code) {
  // Flushed so that a log has the output before the error.
  std::cout << std::flush;
  std::cerr << message << '\n';
  return code;
}

int run_body(const std::string& name, const Options& options,
             const std::function<void(const Options&)>& body) {
  try {
    body(options);
    std::cout << std::flush;
    return 0;
  } catch (const Stopped& stop) {
    return complain(std::string("Stopped by Ctrl-C after ") + stop.what() + ".", 130);
  } catch (const CannotRunHere& error) {
    return complain(error.what(), 77);
  } catch (const td::NotDoneYet& stub) {
    return complain(std::string(stub.what()) + ". ./course check tells more.", 1);
  } catch (const std::exception& error) {
    return complain(name + ": " + error.what(), 1);
  }
}

}  // namespace

int Command::run(int argc, char** argv, const std::function<void(const Options&)>& body) {
  // Line-buffered, so that a reader of a pipe sees progress.
  setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  try {
    parser_->cli.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return parser_->cli.exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(name_ + ": " + error.what() + "\n" + name_ + " --help shows the options.", 2);
  }
  // Inside the body, so that a missing library is reported like any other error.
  return run_body(name_, options, [&](const Options& parsed) {
    if (const std::string& why = parser_->why_no_device; !why.empty() && parsed.device != "auto")
      throw CannotRunHere(name_ + ": there is no --device here: " + why);
    if (parsed.mine) switch_to_mine(name_, argv);
    run_with_trace(parsed.trace, [&] { body(parsed); });
  });
}

}  // namespace app
