// The two image formats: the values that are read from good files, and the errors for bad ones.
#include <sys/resource.h>
#include <csignal>

#include "data/data.h"
#include "folder.h"
#include "os/file.h"

using namespace td;
using data::datasets::CIFAR10;
using data::datasets::MNIST;

namespace {

std::string record(int label, int red, int green, int blue) {
  return std::string(1, static_cast<char>(label)) + std::string(1024, static_cast<char>(red)) +
         std::string(1024, static_cast<char>(green)) + std::string(1024, static_cast<char>(blue));
}
std::string idx(std::vector<int> numbers, const std::string& bytes) {
  std::string file;
  for (int n : numbers)
    for (int shift = 24; shift >= 0; shift -= 8) file += static_cast<char>(n >> shift & 0xff);
  return file + bytes;
}

}  // namespace

TEST_CASE("CIFAR-10 records become images of planes and labels") {
  TemporaryFolder folder;
  put(folder / "data_batch_1.bin", record(3, 255, 0, 51) + record(9, 0, 102, 0));
  put(folder / "data_batch_2.bin", record(0, 1, 2, 3));
  put(folder / "test_batch.bin", record(7, 4, 5, 6));
  CIFAR10 train(folder.path()), test(folder.path(), CIFAR10::Mode::kTest);
  CHECK(*train.size() == 3);
  CHECK(*test.size() == 1);
  CHECK(values(train.targets()) == std::vector<double>{3, 9, 0});
  const auto [image, label] = train.get(0);
  CHECK(image.sizes() == IntArrayRef{3, 32, 32});
  CHECK(image.dtype() == kFloat32);
  CHECK(label.item<int>() == 3);
  CHECK(label.dim() == 0);
  CHECK(image[0][0][0].item<float>() == Approx(1));
  CHECK(image[1][31][31].item<float>() == 0);
  CHECK(image[2][5][7].item<float>() == Approx(0.2));
  CHECK(test.get(0).target.item<int>() == 7);
  CHECK(train.classes()[4] == "4");
}

TEST_CASE("a damaged CIFAR-10 file is an error with file, offset and expected value") {
  TemporaryFolder folder;
  const std::string path = folder / "data_batch_1.bin";
  CHECK(message<IoError>([&] { CIFAR10 set(folder.path()); }) ==
        "cannot read " + path +
            ": No such file or directory; check the folder's name, or draw the "
            "data with ./course data");
  put(path, "");
  CHECK(message<IoError>([&] { CIFAR10 set(folder.path()); }).find("the file is empty") !=
        std::string::npos);
  put(path, record(1, 0, 0, 0) + record(2, 0, 0, 0).substr(0, 100));
  CHECK(
      message<IoError>([&] { CIFAR10 set(folder.path()); }) ==
      path +
          ": the file ends at offset 3173, in the middle of record 1; expected whole records of "
          "3073 bytes (1 label, 3072 colours). It is truncated or not in CIFAR-10's binary format; "
          "download it, or draw it with ./course data, again.");
  put(path, record(1, 0, 0, 0) + record(10, 0, 0, 0));
  CHECK(message<IoError>([&] { CIFAR10 set(folder.path()); }) ==
        path +
            ": byte 10 at offset 3073; expected the label of record 1, 0 to 9. The file is "
            "damaged or not in CIFAR-10's binary format.");
  put(path, record(1, 0, 0, 0));
  put(folder / "data_batch_2.bin", "x");
  CHECK(message<IoError>([&] { CIFAR10 set(folder.path()); }).find("data_batch_2.bin") !=
        std::string::npos);
  std::filesystem::remove(folder / "data_batch_2.bin");
  put(folder / "batches.meta.txt", "cat\ndog\n");
  CHECK(message<IoError>([&] { CIFAR10 set(folder.path()); }) ==
        folder / "batches.meta.txt" + ": 2 names of classes; expected 10, one a line");
}

TEST_CASE("IDX files become images and labels") {
  TemporaryFolder folder;
  put(folder / "train-images-idx3-ubyte",
      idx({0x803, 2, 2, 3}, std::string(6, '\0') + "\xff\xff\xff\xff\xff\x33"));
  put(folder / "train-labels-idx1-ubyte", idx({0x801, 2}, "\x05\x09"));
  MNIST set(folder.path());
  CHECK(*set.size() == 2);
  CHECK(set.images().sizes() == IntArrayRef{2, 1, 2, 3});
  CHECK(set.get(1).data[0][1][2].item<float>() == Approx(0.2));
  CHECK(set.get(1).target.item<int>() == 9);
  // Images without pixels are images.
  put(folder / "train-images-idx3-ubyte", idx({0x803, 2, 0, 3}, ""));
  CHECK(MNIST(folder.path()).images().sizes() == IntArrayRef{2, 1, 0, 3});
  CHECK(values(MNIST(folder.path()).targets()) == std::vector<double>{5, 9});
}

TEST_CASE("a damaged IDX file is an error with file, offset and expected value") {
  TemporaryFolder folder;
  const std::string images = folder / "t10k-images-idx3-ubyte",
                    labels = folder / "t10k-labels-idx1-ubyte";
  const auto read = [&] { MNIST set(folder.path(), MNIST::Mode::kTest); };
  put(labels, idx({0x801, 1}, "\x05"));
  put(images, "abc");
  CHECK(message<IoError>(read) == images +
                                      ": the file ends at offset 3; expected an IDX header of "
                                      "16 bytes. It is truncated or not in IDX format.");
  put(images, idx({0x1f8b0800, 1, 1, 1}, "x"));
  CHECK(message<IoError>(read).find("the number at offset 0 is 529205248; expected 2051") !=
        std::string::npos);
  put(images, idx({0x803, 1, 2, 2}, "xyz"));
  CHECK(message<IoError>(read) ==
        images +
            ": the file ends at offset 19; its header asks for 20 "
            "bytes. It is truncated; download it, or draw it with ./course data, again.");
  put(images, idx({0x803, 0x7fffffff, 0x7fffffff, 0x7fffffff}, "xyz"));
  CHECK(message<IoError>(read).find("not believable") != std::string::npos);
  // No images of a size that no number holds.
  put(images, idx({0x803, 0, -1, -1}, ""));
  CHECK(message<IoError>(read) ==
        images + ": the size at offset 12 is 4294967295, which is not believable");
  put(images, idx({0x803, 2, 1, 1}, "xy"));
  CHECK(message<IoError>(read).find("1 labels for the 2 images of") != std::string::npos);
  put(images, idx({0x803, 1, 1, 1}, "x"));
  put(labels, idx({0x801, 1}, "\x0a"));
  CHECK(message<IoError>(read) == labels +
                                      ": byte 10 at offset 8; expected a label, 0 to 9. The "
                                      "file is damaged.");
}

TEST_CASE("a file is written whole or not at all") {
  TemporaryFolder folder;
  const std::string path = folder / "out.bin";
  write_file(path, "old", 3);
  CHECK(get(path) == "old");
  const std::string large(100000, 'x');
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small{4096, before.rlim_max};  // stands for a full disk
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string text;
  try {
    write_file(path, large.data(), large.size());
  } catch (const IoError& error) {
    text = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(text == "cannot write " + path + ": File too large; check the disk and the path");
  CHECK(get(path) == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("an unusable directory is an error that says why") {
  TemporaryFolder folder;
  put(folder / "file", "x");
  CHECK(message<IoError>([&] { make_folder(folder / "file/below"); }) ==
        "cannot make the folder " + (folder / "file") +
            ": File exists; a file stands where a folder "
            "is needed; choose another name");
  CHECK(message<IoError>([&] {
          write_file(folder / "none/out", "x", 1);
        }).find("cannot write " + (folder / "none/out") + ": No such file or directory") == 0);
  CHECK(message<IoError>([&] {
          data::write_shapes10("/proc/td/data");
        }).find("cannot make the folder /proc/td") == 0);
  make_folder(folder / "a/b/c");
  make_folder(folder / "a/b/c");
  CHECK(std::filesystem::is_directory(folder / "a/b/c"));
}
