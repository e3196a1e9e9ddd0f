// The two file formats: every length and every label is checked, and an error message names the
// file and the offset.
#include "data/images.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "os/file.h"
#include "td/ops/ops.h"

namespace td::data::datasets {

ImageDataset::ImageDataset(Tensor images, Tensor labels)
    : images_(std::move(images)), labels_(std::move(labels)) {}
Example<> ImageDataset::get(std::size_t index) {
  const auto i = static_cast<std::int64_t>(index);
  return {images_[i].to(kFloat).mul_(1.0 / 255), labels_[i]};
}
optional<std::size_t> ImageDataset::size() const {
  return static_cast<std::size_t>(images_.size(0));
}
ImageDataset ImageDataset::first(std::size_t count) const {
  const auto n = static_cast<std::int64_t>(std::min(count, *size()));
  return {images_.narrow(0, 0, n), labels_.narrow(0, 0, n)};
}

namespace {

constexpr std::size_t kCifarPixels = 3 * 32 * 32, kCifarRecord = 1 + kCifarPixels;
constexpr int kClasses = 10;

Bytes read_data(const std::string& path) {
  return read_file(path, "check the folder's name, or draw the data with ./course data");
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + "/" + name;
}

// Appends a file's records to `records`.
void append_cifar(const std::string& path, Bytes& records) {
  const Bytes file = read_data(path);
  TD_CHECK(IoError, !file.empty(), path, ": the file is empty; expected records of ", kCifarRecord,
           " bytes (1 label, 3072 colours). Draw the data again with ./course data.");
  TD_CHECK(IoError, file.size() % kCifarRecord == 0, path, ": the file ends at offset ",
           file.size(), ", in the middle of record ", file.size() / kCifarRecord,
           "; expected whole records of ", kCifarRecord,
           " bytes (1 label, 3072 colours). It is truncated or not in CIFAR-10's binary "
           "format; download it, or draw it with ./course data, again.");
  for (std::size_t at = 0; at < file.size(); at += kCifarRecord)
    TD_CHECK(IoError, file[at] < kClasses, path, ": byte ", int{file[at]}, " at offset ", at,
             "; expected the label of record ", at / kCifarRecord,
             ", 0 to 9. The file is damaged or not in CIFAR-10's binary format.");
  records.insert(records.end(), file.begin(), file.end());
}

ImageDataset read_cifar(const std::string& folder, ImageDataset::Mode mode) {
  const bool train = mode == ImageDataset::Mode::kTrain;
  Bytes records;
  if (!train) append_cifar(in_folder(folder, "test_batch.bin"), records);
  for (int batch = 1; train; ++batch) {
    const std::string path = in_folder(folder, "data_batch_" + std::to_string(batch) + ".bin");
    if (batch > 1 && !std::filesystem::exists(path)) break;
    append_cifar(path, records);
  }
  const std::size_t count = records.size() / kCifarRecord;
  const auto n = static_cast<std::int64_t>(count);
  Tensor images = empty({n, 3, 32, 32}, kByte), labels = empty({n}, kLong);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* record = records.data() + i * kCifarRecord;
    labels.data_ptr<std::int64_t>()[i] = record[0];
    std::memcpy(images.data_ptr<std::uint8_t>() + i * kCifarPixels, record + 1, kCifarPixels);
  }
  return {images, labels};
}

std::vector<std::string> read_class_names(const std::string& folder) {
  const std::string path = in_folder(folder, "batches.meta.txt");
  std::vector<std::string> names;
  if (std::filesystem::exists(path)) {
    const Bytes text = read_data(path);
    std::istringstream lines(std::string(text.begin(), text.end()));
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) names.push_back(line);
    TD_CHECK(IoError, names.size() == kClasses, path, ": ", names.size(),
             " names of classes; expected ", kClasses, ", one a line");
  }
  for (int c = static_cast<int>(names.size()); c < kClasses; ++c)
    names.push_back(std::to_string(c));
  return names;
}

std::uint32_t big_endian(const Bytes& file, std::size_t at) {
  return std::uint32_t{file[at]} << 24 | std::uint32_t{file[at + 1]} << 16 |
         std::uint32_t{file[at + 2]} << 8 | std::uint32_t{file[at + 3]};
}

// Checks an IDX header of `dims` sizes and the length of what follows; returns the sizes.
std::vector<std::size_t> idx_sizes(const std::string& path, const Bytes& file, std::uint32_t dims) {
  const std::size_t header = 4 + 4 * dims;
  const std::uint32_t wanted = 0x0800 | dims;  // 8: unsigned bytes
  TD_CHECK(IoError, file.size() >= header, path, ": the file ends at offset ", file.size(),
           "; expected an IDX header of ", header, " bytes. It is truncated or not in IDX format.");
  const std::uint32_t magic = big_endian(file, 0);
  TD_CHECK(IoError, magic == wanted, path, ": the number at offset 0 is ", magic, "; expected ",
           wanted, " (IDX, unsigned bytes, ", dims, dims == 1 ? " dimension" : " dimensions",
           "). Is the file still compressed (.gz), or another kind of file?");
  std::vector<std::size_t> sizes;
  std::size_t bytes = 1, extent = 1;
  for (std::uint32_t d = 0; d < dims; ++d) {
    sizes.push_back(big_endian(file, 4 + 4 * d));
    // A damaged size could overflow the product, and with it the strides, even where another size
    // is 0; no file is that large.
    const std::size_t factor = std::max<std::size_t>(sizes[d], 1);
    TD_CHECK(IoError, extent <= (std::size_t{1} << 48) / factor, path, ": the size at offset ",
             4 + 4 * d, " is ", sizes[d], ", which is not believable");
    extent *= factor;
    bytes *= sizes[d];
  }
  TD_CHECK(IoError, file.size() == header + bytes, path, ": the file ends at offset ", file.size(),
           "; its header asks for ", header + bytes, " bytes. It is ",
           file.size() < header + bytes ? "truncated" : "followed by something else",
           "; download it, or draw it with ./course data, again.");
  return sizes;
}

ImageDataset read_idx(const std::string& folder, ImageDataset::Mode mode) {
  const std::string kind = mode == ImageDataset::Mode::kTrain ? "train" : "t10k";
  const std::string image_path = in_folder(folder, kind + "-images-idx3-ubyte");
  const std::string label_path = in_folder(folder, kind + "-labels-idx1-ubyte");
  const Bytes image_file = read_data(image_path), label_file = read_data(label_path);
  const std::vector<std::size_t> sizes = idx_sizes(image_path, image_file, 3);
  const std::size_t count = idx_sizes(label_path, label_file, 1)[0];
  TD_CHECK(IoError, count == sizes[0], label_path, ": ", count, " labels for the ", sizes[0],
           " images of ", image_path, "; the two files do not belong together");
  const auto size = [&](std::size_t d) { return static_cast<std::int64_t>(sizes[d]); };
  Tensor images = empty({size(0), 1, size(1), size(2)}, kByte), labels = empty({size(0)}, kLong);
  // Without pixels there is no memory, and a copy must not get a null pointer even for 0 bytes.
  if (images.numel() > 0)
    std::memcpy(images.data_ptr<std::uint8_t>(), image_file.data() + 16, image_file.size() - 16);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t label = label_file[8 + i];
    TD_CHECK(IoError, label < kClasses, label_path, ": byte ", int{label}, " at offset ", 8 + i,
             "; expected a label, 0 to 9. The file is damaged.");
    labels.data_ptr<std::int64_t>()[i] = label;
  }
  return {images, labels};
}

}  // namespace

CIFAR10::CIFAR10(const std::string& folder, Mode mode)
    : ImageDataset(read_cifar(folder, mode)), classes_(read_class_names(folder)) {}

MNIST::MNIST(const std::string& folder, Mode mode) : ImageDataset(read_idx(folder, mode)) {}

TensorDataset::TensorDataset(Tensor data, Tensor targets)
    : data_(std::move(data)), targets_(std::move(targets)) {
  TD_CHECK(ShapeError, data_.dim() > 0 && targets_.dim() > 0 && data_.size(0) == targets_.size(0),
           "TensorDataset: data ", data_.sizes(), " and targets ", targets_.sizes(),
           " must have the same number of rows");
}
Example<> TensorDataset::get(std::size_t index) {
  const auto i = static_cast<std::int64_t>(index);
  return {data_[i], targets_[i]};
}
optional<std::size_t> TensorDataset::size() const {
  return static_cast<std::size_t>(data_.size(0));
}

}  // namespace td::data::datasets
