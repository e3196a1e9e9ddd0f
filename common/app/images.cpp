// Draws the images with td::data, and shows a progress line on a terminal.
#include "app/images.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "data/shapes10.h"

namespace app {
namespace {

namespace fs = std::filesystem;

const char* folder_name(Images images) {
  return images == Images::kColor ? "shapes10" : "shapes10-grey";
}

/// The file that is written last. It is missing if Ctrl-C stopped the drawing.
const char* last_file(Images images) {
  return images == Images::kColor ? "batches.meta.txt" : "t10k-labels-idx1-ubyte";
}

void draw(const fs::path& folder, Images images, std::uint64_t seed) {
  ProgressLine line;
  const auto progress = [&](const std::string& file, std::size_t done, std::size_t total) {
    line.show(file + ": " + std::to_string(done) + " of " + std::to_string(total));
  };
  if (images == Images::kColor)
    td::data::write_shapes10(folder.string(), seed, progress);
  else
    td::data::write_grey_shapes10(folder.string(), seed, progress);
}

}  // namespace

std::string image_folder(const Options& options, Images images) {
  if (!options.data.empty()) return options.data;
  const fs::path folder = fs::path(TD_DATA_FOLDER) / folder_name(images);
  if (!fs::exists(folder / last_file(images))) {
    std::cout << "drawing the training pictures, once, into " << folder.string() << '\n';
    draw(folder, images, 0);
  }
  return folder.string();
}

std::string image_folder(Images images) {
  Options options;
  if (const char* folder = std::getenv("TD_DATA")) options.data = folder;
  return image_folder(options, images);
}

void draw_images(const std::string& folder, std::uint64_t seed) {
  for (const Images images : {Images::kColor, Images::kGray}) {
    const fs::path target =
        fs::path(folder.empty() ? TD_DATA_FOLDER : folder) / folder_name(images);
    draw(target, images, seed);
    std::cout << target.string() << '\n';
  }
}

}  // namespace app
