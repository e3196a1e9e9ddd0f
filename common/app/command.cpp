// The options of a Command, on top of the parser that the tool uses, too.
#include <cstdio>

#include "app/app.h"
#include "app/option_parser.h"

namespace app {

struct Command::Parser : OptionParser {
  using OptionParser::OptionParser;
};

Command::Command(std::string name, std::string summary)
    : name_(std::move(name)), parser_(std::make_unique<Parser>(name_, summary)) {
  parser_->text("--device", options.device, "auto, cpu, sim, sim:1, cuda, cuda:0 ...", "DEVICE");
  parser_->text("--trace", options.trace, "write what the devices did to this file", "FILE");
  parser_->flag("--mine", options.mine, "use your exercises instead of the course's own");
}

Command::~Command() = default;

Command& Command::takes(const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const std::string dashed = "--" + name;
    if (name == "devices")
      parser_->texts(dashed, options.devices, "several, with commas: sim:0,sim:1", "DEVICES");
    else if (name == "epochs")
      parser_->integer(dashed, options.epochs, "passes over the data", 1);
    else if (name == "batch-size")
      parser_->integer(dashed, options.batch_size, "samples per step", 1);
    else if (name == "seed")
      parser_->integer(dashed, options.seed, "of all random numbers");
    else if (name == "data")
      parser_->text(dashed, options.data, "folder of the data files", "FOLDER");
    else
      throw std::logic_error("there is no shared option " + dashed);
  }
  return *this;
}

Command& Command::without_device(const std::string& why) {
  parser_->remove("--device").remove("--trace");
  // Not in --help: a user who passes a device to every program learns why this one has none.
  parser_->text("--device", options.device, "").hide("--device");
  why_no_device_ = why;
  return *this;
}

Command& Command::option(const std::string& name, std::string& value, const std::string& help) {
  parser_->text(name, value, help);
  return *this;
}

Command& Command::choice(const std::string& name, std::string& value,
                         const std::vector<std::string>& allowed, const std::string& help) {
  parser_->choice(name, value, allowed, help);
  return *this;
}

Command& Command::option(const std::string& name, std::int64_t& value, const std::string& help,
                         std::int64_t least) {
  parser_->integer(name, value, help, least);
  return *this;
}

Command& Command::option(const std::string& name, double& value, const std::string& help) {
  parser_->number(name, value, help);
  return *this;
}

Command& Command::flag(const std::string& name, bool& value, const std::string& help) {
  parser_->flag(name, value, help);
  return *this;
}

int Command::run(int argc, char** argv, const std::function<void(const Options&)>& body) {
  // Line-buffered, so that a reader of a pipe sees progress.
  setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  try {
    if (!parser_->parse(argc, argv)) return 0;
  } catch (const OptionError& error) {
    return complain(name_ + ": " + error.what(), 2);
  }
  return run_body(argv, body);
}

}  // namespace app
