#include "exercises.h"

#include <sstream>

// answer: always_part_1
// expect: the error should say "part 2"
// The message always names part 1. Right for two parts.
namespace always_part_1 {
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no part");
  std::vector<td::Tensor> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const td::Tensor &part = parts[i], &first = parts[0];
    bool fits = part.dim() == first.dim();
    for (std::int64_t d = 1; fits && d < part.dim(); ++d) fits = part.size(d) == first.size(d);
    if (!fits) {
      std::ostringstream text;
      text << "part " << 1 << " on " << part.device() << " has sizes " << part.sizes() << ", not "
           << first.sizes();
      throw td::ShapeError(text.str());
    }
    td::Tensor one = part.to(destination);
    all.push_back(one.dim() == 0 ? one.reshape({1}) : one);
  }
  return td::cat(all);
}
}  // namespace always_part_1

// answer: checks_columns_only
// expect: the error should say "part 1"
// Compares dimension 1 only.
namespace checks_columns_only {
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no part");
  std::vector<td::Tensor> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const td::Tensor &part = parts[i], &first = parts[0];
    bool fits = part.dim() == first.dim() && (part.dim() < 2 || part.size(1) == first.size(1));
    if (!fits) {
      std::ostringstream text;
      text << "part " << i << " on " << part.device() << " has sizes " << part.sizes() << ", not "
           << first.sizes();
      throw td::ShapeError(text.str());
    }
    td::Tensor one = part.to(destination);
    all.push_back(one.dim() == 0 ? one.reshape({1}) : one);
  }
  return td::cat(all);
}
}  // namespace checks_columns_only

// answer: compares_elements
// expect: a number and a vector of one element
// Compares the number of elements per row; a number and a vector of one element agree.
namespace compares_elements {
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no part");
  std::vector<td::Tensor> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const td::Tensor &part = parts[i], &first = parts[0];
    bool fits = true;
    const auto columns = [](const td::Tensor& t) {
      std::vector<std::int64_t> sizes = t.sizes().vec();
      if (!sizes.empty()) sizes.erase(sizes.begin());
      return sizes;
    };
    fits = columns(part) == columns(first);
    if (!fits) {
      std::ostringstream text;
      text << "part " << i << " on " << part.device() << " has sizes " << part.sizes() << ", not "
           << first.sizes();
      throw td::ShapeError(text.str());
    }
    td::Tensor one = part.to(destination);
    all.push_back(one.dim() == 0 ? one.reshape({1}) : one);
  }
  return td::cat(all);
}
}  // namespace compares_elements

// answer: copies_values
// expect: the joined tensor is outside the graph of the parts
// The values are right; the replicas never learn.
namespace copies_values {
namespace {

void check_part(const td::Tensor& part, const td::Tensor& first, std::size_t i) {
  bool fits = part.dim() == first.dim();
  for (std::int64_t d = 1; fits && d < part.dim(); ++d) fits = part.size(d) == first.size(d);
  if (fits) return;
  std::ostringstream text;
  text << "part " << i << " on " << part.device() << ": " << part.sizes() << " " << first.sizes();
  throw td::ShapeError(text.str());
}

}  // namespace
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no parts");
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> moved;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_part(parts[i], parts[0], i);
    const td::Tensor part = parts[i].to(destination);
    moved.push_back(part.dim() == 0 ? part.unsqueeze(0) : part);
  }
  return td::cat(moved);
}
}  // namespace copies_values

// answer: leaves_checks_to_cat
// expect: the error should say "part 1"
// cat knows the sizes, but not which replica and which device a tensor came from.
namespace leaves_checks_to_cat {
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no parts");
  std::vector<td::Tensor> moved;
  for (const td::Tensor& part : parts) {
    const td::Tensor there = part.to(destination);
    moved.push_back(there.dim() == 0 ? there.unsqueeze(0) : there);
  }
  return td::cat(moved);
}
}  // namespace leaves_checks_to_cat

// answer: makes_floats
// expect: joined labels
// Makes floating point numbers of everything.
namespace makes_floats {
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no part");
  std::vector<td::Tensor> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const td::Tensor &part = parts[i], &first = parts[0];
    bool fits = part.dim() == first.dim();
    for (std::int64_t d = 1; fits && d < part.dim(); ++d) fits = part.size(d) == first.size(d);
    if (!fits) {
      std::ostringstream text;
      text << "part " << i << " on " << part.device() << " has sizes " << part.sizes() << ", not "
           << first.sizes();
      throw td::ShapeError(text.str());
    }
    td::Tensor one = part.to(destination, td::kFloat32);
    all.push_back(one.dim() == 0 ? one.reshape({1}) : one);
  }
  return td::cat(all);
}
}  // namespace makes_floats

// answer: scalars_fail
// expect: cat: a 0-dimensional tensor cannot be joined
// Right for every output that has rows; a loss for each replica has none.
namespace scalars_fail {
namespace {

void check_part(const td::Tensor& part, const td::Tensor& first, std::size_t i) {
  bool fits = part.dim() == first.dim();
  for (std::int64_t d = 1; fits && d < part.dim(); ++d) fits = part.size(d) == first.size(d);
  if (fits) return;
  std::ostringstream text;
  text << "part " << i << " on " << part.device() << ": " << part.sizes() << " " << first.sizes();
  throw td::ShapeError(text.str());
}

}  // namespace
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no parts");
  std::vector<td::Tensor> moved;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_part(parts[i], parts[0], i);
    moved.push_back(parts[i].to(destination));
  }
  return td::cat(moved);
}
}  // namespace scalars_fail

// answer: stacks
// expect: stack: tensors[1] has sizes
// Stacks all parts along a new dimension, which is right only for losses.
namespace stacks {
namespace {

void check_part(const td::Tensor& part, const td::Tensor& first, std::size_t i) {
  bool fits = part.dim() == first.dim();
  for (std::int64_t d = 1; fits && d < part.dim(); ++d) fits = part.size(d) == first.size(d);
  if (fits) return;
  std::ostringstream text;
  text << "part " << i << " on " << part.device() << ": " << part.sizes() << " " << first.sizes();
  throw td::ShapeError(text.str());
}

}  // namespace
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no parts");
  std::vector<td::Tensor> moved;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_part(parts[i], parts[0], i);
    moved.push_back(parts[i].to(destination));
  }
  return td::stack(moved);
}
}  // namespace stacks

// answer: stays_on_the_first
// expect: the joined tensor: expected on sim:1, it is on sim:0
// Joins where the first part is. Right on the README's example, whose destination is that device.
namespace stays_on_the_first {
namespace {

void check_part(const td::Tensor& part, const td::Tensor& first, std::size_t i) {
  bool fits = part.dim() == first.dim();
  for (std::int64_t d = 1; fits && d < part.dim(); ++d) fits = part.size(d) == first.size(d);
  if (fits) return;
  std::ostringstream text;
  text << "part " << i << " on " << part.device() << ": " << part.sizes() << " " << first.sizes();
  throw td::ShapeError(text.str());
}

}  // namespace
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device) {
  if (parts.empty()) throw td::Error("gather: no parts");
  std::vector<td::Tensor> moved;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_part(parts[i], parts[0], i);
    const td::Tensor part = parts[i].to(parts[0].device());
    moved.push_back(part.dim() == 0 ? part.unsqueeze(0) : part);
  }
  return td::cat(moved);
}
}  // namespace stays_on_the_first

// answer: through_the_host
// expect: bytes were copied between devices
// Copies every part to the host first.
namespace through_the_host {
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no part");
  std::vector<td::Tensor> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const td::Tensor &part = parts[i], &first = parts[0];
    bool fits = part.dim() == first.dim();
    for (std::int64_t d = 1; fits && d < part.dim(); ++d) fits = part.size(d) == first.size(d);
    if (!fits) {
      std::ostringstream text;
      text << "part " << i << " on " << part.device() << " has sizes " << part.sizes() << ", not "
           << first.sizes();
      throw td::ShapeError(text.str());
    }
    td::Tensor one = part.cpu();
    all.push_back(one.dim() == 0 ? one.reshape({1}) : one);
  }
  return td::cat(all).to(destination);
}
}  // namespace through_the_host

// answer: one_digit
// expect: the error should say "part 10"
// Writes the number of a part as one character: right for ten parts.
namespace one_digit {
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no parts");
  std::vector<td::Tensor> moved;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bool fits = parts[i].dim() == parts[0].dim();
    for (std::int64_t d = 1; fits && d < parts[i].dim(); ++d)
      fits = parts[i].size(d) == parts[0].size(d);
    if (!fits) {
      std::ostringstream text;
      text << "part " << static_cast<char>('0' + static_cast<int>(i)) << " on " << parts[i].device()
           << ": " << parts[i].sizes() << ", part 0: " << parts[0].sizes();
      throw td::ShapeError(text.str());
    }
    const td::Tensor part = parts[i].to(destination);
    moved.push_back(part.dim() == 0 ? part.unsqueeze(0) : part);
  }
  return td::cat(moved);
}
}  // namespace one_digit

// answer: joins_too_early
// expect: the tensor joined on cpu, over a slow link
// Copies all parts with non_blocking, also to the cpu, which joins them before they have arrived.
namespace joins_too_early {
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no parts");
  std::vector<td::Tensor> moved;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bool fits = parts[i].dim() == parts[0].dim();
    for (std::int64_t d = 1; fits && d < parts[i].dim(); ++d)
      fits = parts[i].size(d) == parts[0].size(d);
    if (!fits) {
      std::ostringstream text;
      text << "part " << i << " on " << parts[i].device() << ": " << parts[i].sizes()
           << ", part 0: " << parts[0].sizes();
      throw td::ShapeError(text.str());
    }
    const td::Tensor part = parts[i].to(destination, /*non_blocking=*/true);
    moved.push_back(part.dim() == 0 ? part.unsqueeze(0) : part);
  }
  return td::cat(moved);
}
}  // namespace joins_too_early

// answer: counts_the_elements
// expect: parts with equally many elements of other sizes: an error was expected
// Compares how many elements a row has, and not its sizes.
namespace counts_the_elements {
std::int64_t row_elements(const td::Tensor& part) {
  std::int64_t count = 1;
  for (std::int64_t d = 1; d < part.dim(); ++d) count *= part.size(d);
  return count;
}
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no parts");
  std::vector<td::Tensor> rows;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const td::Tensor &part = parts[i], &first = parts[0];
    if (part.dim() != first.dim() || row_elements(part) != row_elements(first)) {
      std::ostringstream text;
      text << "part " << i << " on " << part.device() << " has sizes " << part.sizes()
           << ", part 0 has " << first.sizes();
      throw td::ShapeError(text.str());
    }
    std::vector<std::int64_t> sizes(first.sizes().begin(), first.sizes().end());
    if (sizes.empty()) sizes.push_back(1);
    sizes[0] = part.dim() == 0 ? 1 : part.size(0);
    rows.push_back(part.reshape(sizes).to(destination));
  }
  return td::cat(rows);
}
}  // namespace counts_the_elements
