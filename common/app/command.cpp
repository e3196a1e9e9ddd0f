// The options of a Command.
#include <cstdio>

#include "app/app.h"

namespace app {

Command::Command(std::string name, std::string summary)
    : OptionParser(name, summary), name_(std::move(name)) {
  option("--device", options.device, "auto, cpu, sim, sim:1, cuda, cuda:0 ...", "DEVICE");
  option("--trace", options.trace, "write what the devices did to this file", "FILE");
  flag("--mine", options.mine, "use your exercises instead of the course's own");
}

Command& Command::takes(const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const std::string dashed = "--" + name;
    if (name == "devices")
      texts(dashed, options.devices, "several, with commas: sim:0,sim:1", "DEVICES");
    else if (name == "epochs")
      option(dashed, options.epochs, "passes over the data", 1);
    else if (name == "batch-size")
      option(dashed, options.batch_size, "samples per step", 1);
    else if (name == "seed")
      option(dashed, options.seed, "of all random numbers");
    else if (name == "data")
      option(dashed, options.data, "folder of the data files", "FOLDER");
    else
      throw std::logic_error("there is no shared option " + dashed);
  }
  return *this;
}

Command& Command::without_device(const std::string& why) {
  remove("--device").remove("--trace");
  // Not in --help: a user who passes a device to every program learns why this one has none.
  option("--device", options.device, "").hide("--device");
  why_no_device_ = why;
  return *this;
}

int Command::run(int argc, char** argv, const std::function<void(const Options&)>& body) {
  // Line-buffered, so that a reader of a pipe sees progress.
  setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  try {
    if (!parse(argc, argv)) return 0;
  } catch (const OptionError& error) {
    return complain(name_ + ": " + error.what(), 2);
  }
  return run_body(argv, body);
}

}  // namespace app
