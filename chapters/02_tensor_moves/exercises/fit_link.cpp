// fit_link, predict_seconds and half_bandwidth_bytes: exercise 2.fit_link, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds) {
  // Your code here: The means, then the slope of the line, then its start. About 11 lines.
  td::not_done_yet("fit_link");
}

double predict_seconds(const LinkCost& link, double bytes) {
  // Your code here: The formula of the section. One line.
  td::not_done_yet("fit_link");
}

double half_bandwidth_bytes(const LinkCost& link) {
  // Your code here: For which size do the two terms take equally long? One line.
  td::not_done_yet("fit_link");
}
