#include "exercises.h"

#include <map>
#include <tuple>
#include <utility>

// answer: all_as_float
// expect: expected elements of type
// Packs everything as float.
namespace all_as_float {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), td::kFloat}];
      pack.parts.push_back(x.reshape({-1}).to(td::kFloat));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace all_as_float

// answer: by_address
// expect: only the same tensor (is_same) is a repetition
// Takes tensors with the same memory for repetitions.
namespace by_address {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!(tensors[i].is_same(x) || (x.numel() > 0 && tensors[i].data_ptr() == x.data_ptr() &&
                                       tensors[i].sizes() == x.sizes())))
      ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace by_address

// answer: by_element_size
// expect: tensors of six types to
// Packs int32 with float, because both have 4 bytes, and converts back: large integers are rounded.
namespace by_element_size {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype() == td::kInt ? td::kFloat : x.dtype()}];
      pack.parts.push_back(x.reshape({-1}).to(x.dtype() == td::kInt ? td::kFloat : x.dtype()));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel())
                     .view(tensors[i].sizes())
                     .to(tensors[i].dtype());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace by_element_size

// answer: does_not_wait
// expect: its tensor was filled with 10 by work that was still queued
// Packs into pinned memory and does not wait: with one tensor in the pack, or a reused buffer, the
// host is too early.
namespace does_not_wait {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = (pack.parts.size() == 1 ? pack.parts[0] : td::cat(pack.parts))
                                  .to(target, /*non_blocking=*/true);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace does_not_wait

// answer: first_index_is_zero
// expect: "sim" while sim:1 is current
// Takes "sim" for sim:0.
namespace first_index_is_zero {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(
      device.is_cpu() || device.has_index() ? device : td::Device(device.type(), 0));
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace first_index_is_zero

// answer: flat_results
// expect: expected sizes [3, 5], got [15]
// Forgets to restore the sizes.
namespace flat_results {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace flat_results

// answer: forgets_repetitions
// expect: results 0, 2 and 3 should be the same tensor
// Moves a repeated tensor again.
namespace forgets_repetitions {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (&tensors[i] != &x) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace forgets_repetitions

// answer: one_by_one
// expect: four float tensors to sim:0: expected 1 transfer of
// Right values, but every tensor costs a transfer.
namespace one_by_one {
std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  const td::Device target = td::check_device(device);
  std::vector<td::Tensor> moved;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::size_t first = 0;
    while (!tensors[first].is_same(tensors[i])) ++first;
    moved.push_back(first < i ? moved[first] : tensors[i].to(target));
  }
  return moved;
}
}  // namespace one_by_one

// answer: one_of_a_kind
// expect: cat: "tensors[4]" is on sim:1 but "tensors[0]" is on sim:0
// Packs by the kind of the source device: tensors of sim:0 and sim:1 get into one pack.
namespace one_of_a_kind {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{td::device_type_name(x.device().type()), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace one_of_a_kind

// answer: one_source_device
// expect: four tensors of cpu and four of sim:0 to sim:1
// Handles tensors of one device only: copies all others to the cpu first.
namespace one_source_device {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{"", x.dtype()}];
      pack.parts.push_back(x.cpu().reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace one_source_device

// answer: packs_what_is_there
// expect: expected the tensor itself
// Packs also what is on the device already.
namespace packs_what_is_there {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace packs_what_is_there

// answer: repeats_in_the_pack
// expect: {x, y, x, x} to sim:0: x is moved once: expected 1 transfer
// Returns the same tensor for repetitions, but packs each of them.
namespace repeats_in_the_pack {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace repeats_in_the_pack

// answer: skips_empty_ones
// expect: result 0 is undefined
// Forgets that tensors without elements need a result, too.
namespace skips_empty_ones {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      continue;
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace skips_empty_ones

// answer: wrong_offsets
// expect: result 2: index 0
// Counts rows instead of elements, so later parts begin too early.
namespace wrong_offsets {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].dim() ? tensors[i].size(0) : 1;
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace wrong_offsets

// answer: empty_ones_each
// expect: {x, y, x} without elements to sim:0: results 0 and 2 should be the same
// Makes a new empty tensor for each repetition of one.
namespace empty_ones_each {
namespace {

struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else if (first_of(x) == i) {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!moved[i].defined()) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace empty_ones_each

// answer: empty_ones_first
// expect: tensor 0 has no elements and is on sim:0 already
// Asks for elements before it asks for the device.
namespace empty_ones_first {
namespace {

struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;
    if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else if (x.device() == target) {
      moved[i] = x;
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!moved[i].defined()) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace empty_ones_first

// answer: pinned_ones_apart
// expect: two pinned tensors and two others to sim:0: expected 1 transfer
// Packs pinned tensors by themselves, because they are faster to copy.
namespace pinned_ones_apart {
namespace {

struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::tuple<std::string, td::ScalarType, bool>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype(), x.is_pinned()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!moved[i].defined()) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace pinned_ones_apart

// answer: all_contiguous
// expect: tensor 0 is a transposed view on sim:0 already: expected the tensor itself
// Returns a copy of a tensor that is there already and is not contiguous.
namespace all_contiguous {
namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x.contiguous();
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype()}];
      pack.parts.push_back(x.reshape({-1}));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel()).view(tensors[i].sizes());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
}  // namespace all_contiguous
