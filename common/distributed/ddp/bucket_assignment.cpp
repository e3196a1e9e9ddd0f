// Fills buckets one parameter after another.
#include "distributed/ddp/bucket_assignment.h"

#include <algorithm>

namespace td::distributed {
namespace {

// The bucket that parameters of one type and device are put into.
struct Open {
  ScalarType dtype;
  Device device;
  std::size_t limit, bytes = 0;
  std::vector<std::size_t> numbers = {}, places = {};
};

Open& open_bucket(std::vector<Open>& open, const Tensor& parameter, std::size_t first_bytes) {
  for (Open& bucket : open)
    if (bucket.dtype == parameter.dtype() && bucket.device == parameter.device()) return bucket;
  open.push_back(Open{parameter.dtype(), parameter.device(), first_bytes});
  return open.back();
}

}  // namespace

std::size_t bytes_of(const Tensor& tensor) {
  return static_cast<std::size_t>(tensor.numel()) * element_size(tensor.dtype());
}

std::vector<std::vector<std::size_t>> assign_buckets(const TensorList& parameters,
                                                     const std::vector<std::size_t>& order,
                                                     std::size_t first_bytes, std::size_t bytes) {
  std::vector<Open> open, full;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Tensor& parameter = parameters[order[place]];
    Open& bucket = open_bucket(open, parameter, first_bytes);
    bucket.numbers.push_back(order[place]);
    bucket.places.push_back(place);
    bucket.bytes += bytes_of(parameter);
    if (bucket.bytes < bucket.limit) continue;
    full.push_back(bucket);
    bucket = Open{parameter.dtype(), parameter.device(), bytes};
  }
  for (const Open& bucket : open)
    if (!bucket.numbers.empty()) full.push_back(bucket);
  // What is left over of one type may be complete before the last full bucket of another.
  std::sort(full.begin(), full.end(),
            [](const Open& a, const Open& b) { return a.places.back() < b.places.back(); });
  std::vector<std::vector<std::size_t>> buckets;
  for (Open& bucket : full) buckets.push_back(std::move(bucket.numbers));
  return buckets;
}

}  // namespace td::distributed
