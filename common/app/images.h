// The training images of the chapters: where they are stored, and drawing them once.
// Included by those chapters' main.cpp and by ./course data.
#pragma once

#include <cstdint>
#include <string>

#include "app/app.h"

namespace app {

/// Which images a model reads.
enum class Images {
  kColor,  ///< 32x32 color, CIFAR-10's binary format
  kGray    ///< 28x28 gray, MNIST's IDX format
};

/// Returns the directory of `--data`, or the course's own `data/shapes10` or `data/shapes10-grey`.
/// Draws the course's own images first where they are absent, which takes seconds, and prints a
/// line.
/// @throws td::IoError when the folder cannot be written.
std::string image_folder(const Options& options, Images images);
/// For a program without `--data`: the directory that the variable TD_DATA names, or the course's
/// own.
std::string image_folder(Images images);

/// Draws Shapes-10 into `folder`/shapes10 and `folder`/shapes10-grey, and replaces existing files.
/// @throws td::IoError when a folder cannot be made or written.
void draw_images(const std::string& folder, std::uint64_t seed);

}  // namespace app
