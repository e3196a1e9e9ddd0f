// The list for editors and scripts. Called by `list --json`.
#pragma once

#include <string>

#include "progress.h"

namespace course {

/// One JSON object: `passed`, `exercises` (counts), `next` (an id, or null), and `chapters`, each
/// with its `exercises`. Paths are relative to the course's folder. One line per exercise.
std::string list_as_json(const Course& course, const std::vector<const Chapter*>& chapters,
                         const Progress& progress);

}  // namespace course
