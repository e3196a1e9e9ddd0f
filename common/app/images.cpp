// Draws by way of td::data, with a moving line on a terminal.
#include "app/images.h"

#include <filesystem>
#include <iostream>
#include <vector>

#include "data/shapes10.h"

namespace app {
namespace {

namespace fs = std::filesystem;

const char* folder_name(Images images) {
  return images == Images::kColor ? "shapes10" : "shapes10-grey";
}

/// All of them, because Ctrl-C may have come between two.
bool all_there(const fs::path& folder, Images images) {
  static const std::vector<std::string> color = {"data_batch_1.bin", "data_batch_2.bin",
                                                 "data_batch_3.bin", "data_batch_4.bin",
                                                 "data_batch_5.bin", "test_batch.bin"};
  static const std::vector<std::string> gray = {"train-images-idx3-ubyte",
                                                "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
                                                "t10k-labels-idx1-ubyte"};
  for (const auto& name : images == Images::kColor ? color : gray)
    if (!fs::exists(folder / name)) return false;
  return true;
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
  if (!all_there(folder, images)) {
    std::cout << "drawing the training pictures, once, into " << folder.string() << '\n';
    draw(folder, images, 0);
  }
  return folder.string();
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
