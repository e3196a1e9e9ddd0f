// Draws whole sets of pictures and writes them in the two file formats.
#include "data/shapes10.h"

#include "data/drawing.h"
#include "td/base/file.h"
#include "td/base/parallel.h"
#include "td/ops/ops.h"

namespace td::data {
namespace {

constexpr std::size_t kBatches = 5;  // as many training files as CIFAR-10 has

// Picture `index` has a random stream of its own, so that any part of a set can be drawn alone and
// by any thread. The lowest bit tells train from test: their seeds never meet.
DrawingRandom stream_of(std::uint64_t seed, bool train, std::size_t index) {
  DrawingRandom of_seed(seed);
  const std::uint64_t key = of_seed.bits() & ~std::uint64_t{0xffffffff};
  DrawingRandom mixed(key | (std::uint64_t{index} << 1) | (train ? 0 : 1));
  return DrawingRandom(mixed.bits());
}

// A set of pictures as files hold them: for each, a label and planes of bytes.
struct Set {
  std::uint64_t seed;
  bool train;
  int size, channels;

  std::size_t pixels() const { return static_cast<std::size_t>(channels * size * size); }
  // Labels go round, so that all classes are equally frequent; the loader shuffles.
  static int label(std::size_t index) { return static_cast<int>(index % kShapeKinds); }

  // Draws pictures [begin, end), the first to `images`.
  void draw(std::size_t begin, std::size_t end, std::uint8_t* images, std::size_t stride) const {
    const auto count = static_cast<std::int64_t>(end - begin);
    parallel_for(0, count, 16, [&](std::int64_t from, std::int64_t to) {
      for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
        DrawingRandom random = stream_of(seed, train, begin + i);
        draw_picture(label(begin + i), size, channels, random, images + i * stride);
      }
    });
  }
};

// Draws in pieces, so that the caller can show progress.
void draw_with_progress(const Set& set, std::size_t begin, std::size_t end, std::uint8_t* images,
                        std::size_t stride, const std::string& file,
                        const Shapes10Progress& progress) {
  constexpr std::size_t kPiece = 512;
  for (std::size_t at = begin; at < end; at += kPiece) {
    const std::size_t until = std::min(at + kPiece, end);
    set.draw(at, until, images + (at - begin) * stride, stride);
    if (progress) progress(file, until - begin, end - begin);
  }
}

void write_cifar(const std::string& folder, const char* name, const Set& set, std::size_t begin,
                 std::size_t end, const Shapes10Progress& progress) {
  const std::size_t record = 1 + set.pixels();
  Bytes file((end - begin) * record);
  draw_with_progress(set, begin, end, file.data() + 1, record, name, progress);
  for (std::size_t i = begin; i < end; ++i)
    file[(i - begin) * record] = static_cast<std::uint8_t>(Set::label(i));
  write_file(folder + "/" + name, file.data(), file.size());
}

void put_big_endian(Bytes& file, std::size_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    file.push_back(static_cast<std::uint8_t>(value >> shift & 0xff));
}

void write_idx(const std::string& folder, const std::string& kind, const Set& set,
               std::size_t count, const Shapes10Progress& progress) {
  Bytes images, labels;
  const auto size = static_cast<std::size_t>(set.size);
  for (std::size_t number : {std::size_t{0x0803}, count, size, size})
    put_big_endian(images, number);
  for (std::size_t number : {std::size_t{0x0801}, count}) put_big_endian(labels, number);
  const std::size_t header = images.size();
  images.resize(header + count * set.pixels());
  const std::string name = kind + "-images-idx3-ubyte";
  draw_with_progress(set, 0, count, images.data() + header, set.pixels(), name, progress);
  for (std::size_t i = 0; i < count; ++i)
    labels.push_back(static_cast<std::uint8_t>(Set::label(i)));
  write_file(folder + "/" + name, images.data(), images.size());
  write_file(folder + "/" + kind + "-labels-idx1-ubyte", labels.data(), labels.size());
}

}  // namespace

const std::vector<std::string>& shapes10_classes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (int kind = 0; kind < kShapeKinds; ++kind) list.push_back(shape_name(kind));
    return list;
  }();
  return names;
}

datasets::ImageDataset draw_shapes10(std::size_t count, std::uint64_t seed, bool train,
                                     int channels) {
  TD_CHECK(Error, channels == 1 || channels == 3, "draw_shapes10: channels is ", channels,
           "; expected 3 (colour) or 1 (grey)");
  const Set set{seed, train, channels == 3 ? 32 : 28, channels};
  const auto n = static_cast<std::int64_t>(count);
  Tensor images = empty({n, channels, set.size, set.size}, kByte), labels = empty({n}, kLong);
  set.draw(0, count, images.data_ptr<std::uint8_t>(), set.pixels());
  for (std::size_t i = 0; i < count; ++i) labels.data_ptr<std::int64_t>()[i] = Set::label(i);
  return {images, labels};
}

void write_shapes10(const std::string& folder, std::uint64_t seed, const Shapes10Progress& progress,
                    Shapes10Sizes sizes) {
  TD_CHECK(Error, sizes.train >= kBatches && sizes.test > 0, "write_shapes10: ", sizes.train,
           " training and ", sizes.test, " test pictures; each of the ", kBatches,
           " training files and the test file needs at least one");
  make_folder(folder);
  const Set train{seed, true, 32, 3}, test{seed, false, 32, 3};
  for (std::size_t b = 0; b < kBatches; ++b) {
    const std::string name = "data_batch_" + std::to_string(b + 1) + ".bin";
    write_cifar(folder, name.c_str(), train, sizes.train * b / kBatches,
                sizes.train * (b + 1) / kBatches, progress);
  }
  write_cifar(folder, "test_batch.bin", test, 0, sizes.test, progress);
  std::string names;
  for (const std::string& name : shapes10_classes()) names += name + "\n";
  write_file(folder + "/batches.meta.txt", names.data(), names.size());
}

void write_grey_shapes10(const std::string& folder, std::uint64_t seed,
                         const Shapes10Progress& progress, Shapes10Sizes sizes) {
  make_folder(folder);
  write_idx(folder, "train", {seed, true, 28, 1}, sizes.train, progress);
  write_idx(folder, "t10k", {seed, false, 28, 1}, sizes.test, progress);
}

}  // namespace td::data
