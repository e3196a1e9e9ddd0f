// CIFAR-10's folder: names of classes, then a file of records. What is read holds the file's bytes.
#include <cstring>

#include "data/images.h"
#include "fuzz.h"
#include "td/base/error.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  constexpr std::size_t kPixels = 3072, kRecord = 1 + kPixels;
  fuzz::Input input(data, size);
  folder.put("batches.meta.txt", input.part());
  const std::string file = input.rest();
  folder.put("test_batch.bin", file);
  using td::data::datasets::CIFAR10;
  fuzz::parses<td::IoError>([&] {
    const CIFAR10 set(folder.path(), CIFAR10::Mode::kTest);
    fuzz::expect(*set.size() * kRecord == file.size(), "every byte is a record's");
    fuzz::expect(set.classes().size() == 10, "ten classes have names");
    const auto* pixels = set.images().data_ptr<std::uint8_t>();
    const auto* labels = set.targets().data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < *set.size(); ++i) {
      fuzz::expect(labels[i] == file[i * kRecord] && labels[i] < 10, "labels are the file's");
      fuzz::expect(std::memcmp(pixels + i * kPixels, file.data() + i * kRecord + 1, kPixels) == 0,
                   "pixels are the file's");
    }
  });
  return 0;
}
