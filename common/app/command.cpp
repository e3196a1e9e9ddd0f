// The options of a Command, parsed by CLI11. No other file includes it, because it is slow to
// compile.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/app.h"

namespace app {

struct Command::Parser : CLI::App {
  using CLI::App::App;
};

Command::Command(std::string name, std::string summary)
    : name_(std::move(name)), parser_(std::make_unique<Parser>(summary, name_)) {
  parser_->set_help_flag("-h,--help", "this text");
  parser_->option_defaults()->always_capture_default();
  parser_->add_option("--device", options.device, "auto, cpu, sim, sim:1, cuda, cuda:0 ...");
  parser_->add_option("--trace", options.trace, "write what the devices did to this file");
  parser_->add_flag("--mine", options.mine, "use your exercises instead of the course's own");
}

Command::~Command() = default;

Command& Command::takes(const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const std::string dashed = "--" + name;
    if (name == "devices")
      parser_->add_option(dashed, options.devices, "several, with commas: sim:0,sim:1")
          ->delimiter(',');
    else if (name == "epochs")
      parser_->add_option(dashed, options.epochs, "passes over the data")
          ->check(CLI::PositiveNumber);
    else if (name == "batch-size")
      parser_->add_option(dashed, options.batch_size, "samples a step")->check(CLI::PositiveNumber);
    else if (name == "seed")
      parser_->add_option(dashed, options.seed, "of all random numbers");
    else if (name == "data")
      parser_->add_option(dashed, options.data, "folder of the data files");
    else
      throw std::logic_error("there is no shared option " + dashed);
  }
  return *this;
}

Command& Command::without_device(const std::string& why) {
  for (const char* name : {"--device", "--trace"})
    parser_->remove_option(parser_->get_option(name));
  // Not in --help: a user who passes a device to every program learns why this one has none.
  parser_->add_option("--device", options.device)->group("");
  why_no_device_ = why;
  return *this;
}

Command& Command::option(const std::string& name, std::string& value, const std::string& help) {
  parser_->add_option(name, value, help);
  return *this;
}

Command& Command::choice(const std::string& name, std::string& value,
                         const std::vector<std::string>& allowed, const std::string& help) {
  parser_->add_option(name, value, help)->check(CLI::IsMember(allowed));
  return *this;
}

Command& Command::option(const std::string& name, std::int64_t& value, const std::string& help) {
  parser_->add_option(name, value, help);
  return *this;
}

Command& Command::option(const std::string& name, double& value, const std::string& help) {
  parser_->add_option(name, value, help);
  return *this;
}

Command& Command::flag(const std::string& name, bool& value, const std::string& help) {
  parser_->add_flag(name, value, help);
  return *this;
}

int Command::run(int argc, char** argv, const std::function<void(const Options&)>& body) {
  // Line-buffered, so that a reader of a pipe sees progress.
  setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  try {
    parser_->parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return parser_->exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(name_ + ": " + error.what() + "\n" + name_ + " --help shows the options.", 2);
  }
  return run_body(argv, body);
}

}  // namespace app
