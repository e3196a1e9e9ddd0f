// Which device for which batch: times a network on the devices of this machine, and says which one
// to use from which size on, and why.
#include <iomanip>
#include <iostream>

#include "advise_picture.h"
#include "app/app.h"
#include "choice.h"

namespace advising {
namespace {

/// The middle half of equal runs differs by less than this on a machine that does nothing else.
constexpr double kQuiet = 0.2;

/// Compares contenders that are never advised with the advised ones at the two extreme sizes.
void print_losers(const Timings& timings, const std::vector<Advice>& choices, std::size_t count) {
  for (std::size_t n = 0; n < count; ++n) {
    bool chosen = false;
    for (const Advice& choice : choices) chosen = chosen || choice.device == n;
    if (chosen) continue;
    const std::size_t first = choices.front().device, last = choices.back().device;
    const double at_first = timings.seconds[n].front() / timings.seconds[first].front();
    const double at_last = timings.seconds[n].back() / timings.seconds[last].back();
    std::cout << "  " << timings.names[n] << " for no batch: " << std::fixed << std::setprecision(1)
              << at_first << " times as long as " << timings.names[first] << " at batch "
              << timings.sizes.front() << ", " << at_last << " times as long as "
              << timings.names[last] << " at batch " << timings.sizes.back() << ". On "
              << timings.names[first] << ' ' << reason(timings, first, n) << '\n';
  }
}

void advise_about(const Timings& timings, std::size_t count, const std::string& picture) {
  const std::vector<Advice> choices = choose(timings, count);
  print_times(timings, choices);
  if (*std::max_element(timings.spread.begin(), timings.spread.end()) > kQuiet)
    std::cout << "This machine was busy: equal runs took different times, and what follows may be "
                 "chance. Run it again when nothing else runs.\n";
  std::cout << "\nUse\n";
  print_choices(timings, choices);
  print_losers(timings, choices, count);
  if (!picture.empty()) write_picture(picture, timings, count, {choices});
}

}  // namespace
}  // namespace advising

int main(int argc, char** argv) {
  advising::AdvisorOptions settings;
  std::string picture;
  app::Command command("ch15-advise", "Measures which device to use, and when.");
  settings.add_to(command);
  command.option("--picture", picture, "draw the times into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    const advising::Measured measured = advising::measure(options, settings);
    advising::advise_about(measured.timings, measured.contenders.size(), picture);
  });
}
