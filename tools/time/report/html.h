// The report as one page that needs no network: pictures inline, light and dark, readable on a
// phone. Called by the driver. Invariant: the page names no other file and no address.
#pragma once

#include <string>
#include <vector>

#include "model.h"
#include "pictures.h"

namespace report {

/// The page. @param before an older report to compare with, or null.
std::string to_html(const Report& report, const Report* before,
                    const std::vector<Picture>& pictures);

/// `text` with the five characters that have a meaning in HTML replaced.
std::string escaped(const std::string& text);

}  // namespace report
