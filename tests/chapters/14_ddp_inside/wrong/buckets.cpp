#include "exercises.h"

#include <algorithm>
#include <map>

// answer: as_it_lies
// expect: packed: a transposed gradient, one that is not there, sevens: index
// Takes the elements in the order of memory. Right for gradients that are contiguous.
namespace as_it_lies {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(parameters[p].dtype(), Open{{}, 0, first_cap}).first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).as_strided({parameter.numel()}, {1}));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace as_it_lies

// answer: by_element_size
// expect: float16, bfloat16, float16, bfloat16: expected {3 1}, {2 0}
// Types of the same size share a bucket.
namespace by_element_size {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<std::size_t, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(td::element_size(parameters[p].dtype()), Open{{}, 0, first_cap})
                       .first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).reshape({-1}));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace by_element_size

// answer: from_the_front
// expect: first_cap 4, cap 8: expected {4}, {3 2}, {1 0}, got
// The order of registration: backward completes the first bucket last.
namespace from_the_front {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    Open& bucket = open.try_emplace(parameters[p].dtype(), Open{{}, 0, first_cap}).first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() < b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).reshape({-1}));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace from_the_front

// answer: loses_the_last
// expect: 4 parameters, first_cap 4, cap 8: expected {3}, {2 1}, {0}, got {3}, {2 1}
// A bucket that is not full at the end is forgotten. Right when the caps come out even.
namespace loses_the_last {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(parameters[p].dtype(), Open{{}, 0, first_cap}).first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).reshape({-1}));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace loses_the_last

// answer: mixes_types
// expect: float 8, double 16, float 8, double 16, float 8 bytes in buckets without end: expected {3
// 1}, {4 2 0} One list for all element types.
namespace mixes_types {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(td::kFloat, Open{{}, 0, first_cap}).first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).reshape({-1}));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace mixes_types

// answer: never_overshoots
// expect: first_cap 8, cap 16: expected {4 3}, {2 1 0}, got
// Closes a bucket before the parameter that would reach the cap. Right on the example.
namespace never_overshoots {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(parameters[p].dtype(), Open{{}, 0, first_cap}).first->second;
    if (!bucket.members.empty() && bucket.bytes + parameters[p].nbytes() > bucket.cap) {
      buckets.push_back(bucket.members);
      bucket = {{}, 0, cap};
    }
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).reshape({-1}));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace never_overshoots

// answer: one_cap
// expect: first_cap 4, cap 8: expected {4}, {3 2}, {1 0}, got {4 3}, {2 1}, {0}
// The first bucket is as large as the others, and communication starts late.
namespace one_cap {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(parameters[p].dtype(), Open{{}, 0, cap}).first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).reshape({-1}));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace one_cap

// answer: one_first_bucket
// expect: float, double, double, float of 8 bytes each
// Only the first bucket of all types is closed at first_cap.
namespace one_first_bucket {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket =
        open.try_emplace(parameters[p].dtype(), Open{{}, 0, buckets.empty() ? first_cap : cap})
            .first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).reshape({-1}));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace one_first_bucket

// answer: skips_what_is_not_there
// expect: the packed gradients: expected
// A gradient that is not there takes no room, so that the ranks' elements do not match.
namespace skips_what_is_not_there {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(parameters[p].dtype(), Open{{}, 0, first_cap}).first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined()) pieces.push_back(parameter.grad().reshape({-1}));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace skips_what_is_not_there

// answer: sorted_by_first
// expect: the one whose smallest index is the largest
// Sorts by the largest index of each bucket.
namespace sorted_by_first {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(parameters[p].dtype(), Open{{}, 0, first_cap}).first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.front() > b.front(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).reshape({-1}));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace sorted_by_first

// answer: float_zeros
// expect: packed: a double parameter without a gradient: expected elements of type float64
// Makes zeros of float32 for a parameter without a gradient.
namespace float_zeros {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(parameters[p].dtype(), Open{{}, 0, first_cap}).first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(parameter.grad().defined()
                         ? parameter.grad().reshape({-1})
                         : td::zeros({parameter.numel()}, td::device(parameter.device())));
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
}
}  // namespace float_zeros

// answer: pieces_of_equal_length
// expect: narrow: start 38 and length 1 leave dimension 0 of size 38
// A piece has at least one element. Right where no parameter is empty.
namespace pieces_of_equal_length {
struct Open {
  std::vector<std::size_t> members;
  std::size_t bytes = 0, cap = 0;
};
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(parameters[p].dtype(), Open{{}, 0, first_cap}).first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = Open{{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}
td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& p : parameters) pieces.push_back(gradient_or_zeros(p).reshape({-1}));
  return td::cat(pieces);
}
void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  std::int64_t begin = 0;
  for (const td::Tensor& p : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, p.numel());
    td::Tensor grad = td::zeros_like(p.detach());
    grad.view({-1}).copy_(piece);
    p.mutable_grad() = grad;
    begin += std::max<std::int64_t>(p.numel(), 1);
  }
}
}  // namespace pieces_of_equal_length

// answer: writes_to_a_copy
// expect: the unpacked gradient, which is a transposed tensor
// Writes to gradient.contiguous(), which is a copy of a gradient that is not contiguous.
namespace writes_to_a_copy {
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  struct Open {
    std::vector<std::size_t> indices;
    std::size_t bytes = 0;
    bool first = true;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t i = parameters.size(); i-- > 0;) {
    Open& bucket = open[parameters[i].scalar_type()];
    bucket.indices.push_back(i);
    bucket.bytes += parameters[i].nbytes();
    if (bucket.bytes < (bucket.first ? first_cap : cap)) continue;
    buckets.push_back(bucket.indices);
    bucket = {{}, 0, false};
  }
  for (const auto& [type, bucket] : open)
    if (!bucket.indices.empty()) buckets.push_back(bucket.indices);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  td::TensorList pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).flatten());
  return td::cat(pieces);
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  const td::NoGradGuard no_grad;
  std::int64_t at = 0;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.grad().defined()) parameter.mutable_grad() = td::zeros_like(parameter.detach());
    const td::Tensor all = parameter.grad().contiguous().view({-1});
    all.detach().copy_(flat.narrow(0, at, parameter.numel()));
    at += parameter.numel();
  }
}
}  // namespace writes_to_a_copy
