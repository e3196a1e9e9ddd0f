// MNIST's pair of IDX files: labels, then images. What is read holds the files' bytes.
#include <cstring>

#include "data/images.h"
#include "fuzz.h"
#include "td/base/error.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  fuzz::Input input(data, size);
  const std::string labels = input.part(), images = input.rest();
  folder.put("t10k-labels-idx1-ubyte", labels);
  folder.put("t10k-images-idx3-ubyte", images);
  using td::data::datasets::MNIST;
  fuzz::parses<td::IoError>([&] {
    const MNIST set(folder.path(), MNIST::Mode::kTest);
    fuzz::expect(labels.size() == 8 + *set.size(), "every byte is a label");
    fuzz::expect(images.size() == 16 + set.images().nbytes(), "every byte is a pixel");
    if (set.images().numel() > 0)
      fuzz::expect(
          std::memcmp(set.images().data_ptr(), images.data() + 16, images.size() - 16) == 0,
          "pixels are the file's");
    for (std::size_t i = 0; i < *set.size(); ++i)
      fuzz::expect(set.targets().data_ptr<std::int64_t>()[i] == labels[8 + i],
                   "labels are the file's");
  });
  return 0;
}
