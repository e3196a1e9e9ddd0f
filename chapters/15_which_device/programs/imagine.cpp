// Would another device help? Calculates a step on a device from its data sheet, and compares it
// with the times of this machine.
#include <algorithm>
#include <iostream>
#include <sstream>

#include "advise_picture.h"
#include "app/app.h"
#include "choice.h"

namespace advising {
namespace {

/// A device that two numbers of its data sheet and the time of a launch describe. Calculated, never
/// measured.
struct HypotheticalDevice {
  double tflops = 0, gb_per_s = 0, launch_us = 0;

  /// @throws app::OptionError unless `text` is three positive numbers with commas.
  explicit HypotheticalDevice(const std::string& text) {
    std::istringstream in(text);
    char comma = 0, second_comma = 0;
    in >> tflops >> comma >> gb_per_s >> second_comma >> launch_us;
    const bool read = !in.fail() && in.peek() == EOF && comma == ',' && second_comma == ',';
    TD_CHECK(app::OptionError, read && tflops > 0 && gb_per_s > 0 && launch_us > 0, "--data-sheet ",
             text,
             ": expected three positive numbers, as in 82.6,1008,5: TFLOPS and GB/s of the data "
             "sheet, and microseconds that a launch takes");
  }

  // anchor: seconds
  /// Launches run one after another; memory and arithmetic run meanwhile. The slowest one decides.
  double seconds(const StepWork& work) const {
    return std::max({work.launches * launch_us * 1e-6, work.bytes / gb_per_s * 1e-9,
                     2 * work.multiply_adds / tflops * 1e-12});
  }
  // anchor end
};

/// Adds a row that is calculated from the data sheet of the hypothetical device.
void add_imagined(Timings& timings, const std::string& name, const HypotheticalDevice& imagined,
                  const std::vector<StepWork>& works) {
  std::vector<double> seconds;
  for (const StepWork& work : works) seconds.push_back(imagined.seconds(work));
  timings.costs.push_back(fit_known(timings.sizes, seconds));
  timings.names.push_back(name);
  timings.seconds.push_back(std::move(seconds));
  timings.spread.push_back(0);
}

}  // namespace
}  // namespace advising

int main(int argc, char** argv) {
  advising::AdvisorOptions settings;
  std::string sheet = "82.6,1008,5", picture;
  app::Command command("ch15-imagine", "Calculates a step on a device that you do not have.");
  settings.add_to(command);
  command.option("--data-sheet", sheet, "TFLOPS,GB/s,us per launch of the device");
  command.option("--picture", picture, "draw the times into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    const advising::HypotheticalDevice imagined(sheet);
    auto [contenders, works, timings] = advising::measure(options, settings);
    const std::size_t own = contenders.size();
    advising::add_imagined(timings, "imagined", imagined, works);
    const std::vector<Advice> without = advising::choose(timings, own);
    const std::vector<Advice> with = advising::choose(timings, own + 1);
    advising::print_times(timings, without);
    std::cout << "\nUse\n";
    advising::print_choices(timings, without);
    std::cout << "With a device of " << sheet
              << " (TFLOPS, GB/s, us per launch; calculated, not measured), use\n";
    advising::print_choices(timings, with);
    if (!picture.empty()) advising::write_picture(picture, timings, own, {without, with});
  });
}
