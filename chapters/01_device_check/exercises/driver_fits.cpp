// driver_fits: exercise 1.driver_fits, declared in exercises.h.
#include <algorithm>
#include <sstream>

#include "exercises.h"
#include "td/exercise.h"

Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows) {
  // Your code here: Compare number by number: own row, then major version. About 15 lines.
  td::not_done_yet("driver_fits");
}
