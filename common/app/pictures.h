// The training pictures of the chapters that train: where they lie, and drawing them once.
// Included by those chapters' main.cpp and by ./course data.
#pragma once

#include <cstdint>
#include <string>

#include "app/app.h"

namespace app {

/// Which pictures a model reads.
enum class Pictures {
  kColour,  ///< 32x32 colour, CIFAR-10's binary format
  kGrey     ///< 28x28 grey, MNIST's IDX format
};

/// The folder of `--data`, or the course's own `data/shapes10` or `data/shapes10-grey`. Draws the
/// course's own pictures first where they are absent, which takes seconds, and says so.
/// @throws td::IoError when the folder cannot be written.
std::string picture_folder(const Options& options, Pictures pictures);

/// Draws Shapes-10 into `folder`/shapes10 and `folder`/shapes10-grey, whatever is there.
/// @throws td::IoError when a folder cannot be made or written.
void draw_pictures(const std::string& folder, std::uint64_t seed);

}  // namespace app
