// Operations that read where an index tensor points: index_select, embedding, gather, and, with
// indices found from the data, masked_select and nonzero; also one_hot. Checks, gradients and
// kernels. scatter.cu writes where an index points: reading and adding are each other's gradients.
#include "td/ops/index/index_shape.h"

namespace td {
namespace {

constexpr Op select_op{"index_select", {"input", "index"}}, gather_op{"gather", {"input", "index"}};
constexpr Op embedding_op{"embedding", {"weight", "index"}};
constexpr Op mask_op{"masked_select", {"input", "mask"}};

// Indices in the flattened tensor where `mask` is true, on the host. The host counts them: a size
// must be known there before a tensor can be made.
Tensor indices_where(const char* op, const Tensor& mask) {
  check_may_wait(op, mask.device());
  const Tensor host = mask.detach().to(kCPU).contiguous();
  const auto* const values = static_cast<const std::uint8_t*>(host.data_ptr());
  const std::int64_t count = std::count(values, values + host.numel(), 1);
  // Each step writes its index, and the next step overwrites it if the value was false. A branch
  // would be mispredicted too often.
  const Tensor indices = empty({count + 1}, TensorOptions(kLong));
  std::int64_t* next = indices.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    *next = i;
    next += values[i];
  }
  return indices.narrow(0, 0, count);
}

// out[o, i, in] = x[o, index[i], in]: on cuda one worker per element, on the host one per slice.
template <class T>
struct SelectElements {
  Block b;  // of x
  const T* x;
  T* out;
  TD_HD std::int64_t cost() const { return 4; }
  TD_HD void operator()(std::int64_t i) const {
    const std::int64_t slice = quotient(i, b.inner), o = quotient(slice, b.picked);
    out[i] = x[(o * b.n + b.slice(slice - o * b.picked) - slice) * b.inner + i];
  }
};
template <class T>
struct SelectSlices {
  Block b;
  const T* x;
  T* out;
  TD_HD std::int64_t cost() const { return 4 + b.inner; }
  TD_HD void operator()(std::int64_t slice) const {
    const std::int64_t o = quotient(slice, b.picked);
    const T* from = x + (o * b.n + b.slice(slice - o * b.picked)) * b.inner;
    for (std::int64_t in = 0; in < b.inner; ++in) out[slice * b.inner + in] = from[in];
  }
};

template <class T>
struct Gather {
  Lines l;
  const T* x;
  T* out;
  TD_HD void operator()(std::int64_t i, std::int64_t line) const { out[i] = x[l.element(i, line)]; }
};

// out[o, i, in] = x[o, index[i], in] where dimension `dim` of x is the middle one.
void select_slices(const char* op, const Tensor& out, const Tensor& x, std::int64_t dim,
                   const Tensor& index) {
  Block b = block_of(op, x, dim, index);
  const std::size_t bytes = static_cast<std::size_t>(b.inner) * x.element_size();
  dispatch_width(width_of(bytes, x.data_ptr(), out.data_ptr()), [&]<class T>(CppType<T>) {
    b.inner = static_cast<std::int64_t>(bytes / sizeof(T));
    const T* from = kernel_pointer<const T>(x);
    T* to = kernel_pointer<T>(out);
    const std::int64_t slices = b.inner ? b.outer * b.picked : 0;
    if (out.is_cuda())
      launch_index_kernel(op, out.device(), SelectElements<T>{b, from, to}, slices * b.inner,
                          {&x, &index}, {&out});
    else
      launch_index_kernel(op, out.device(), SelectSlices<T>{b, from, to}, slices, {&x, &index},
                          {&out});
  });
}

// The gradient of selected slices: each is added to the slice it came from.
Tensor spread_back(const Tensor& g, const Sizes& sizes, std::int64_t dim, const Tensor& index) {
  const Tensor all = zeros(sizes, g.options().dtype(sum_dtype(g)));
  return as_type(all.index_add_(dim, index, as_type(g, all.dtype())), g.dtype());
}

}  // namespace

Tensor kernels::gather(const Tensor& input, std::int64_t dim, const Tensor& index) {
  const Tensor x = input.detach();
  Tensor out = empty_on(index.impl().sizes, x.dtype(), x.device());
  dispatch_width(x.element_size(), [&]<class T>(CppType<T>) {
    const Gather<T> work{lines_of("gather", x, index, dim), Pointer{x}, Pointer{out}};
    launch_elements(out.device(), work, {&x, &index}, {&out});
  });
  return out;
}

void record_selection(const char* op, const Tensor& values, const Tensor& input, std::int64_t dim,
                      const Tensor& index) {
  if (recording(input))
    record(op, values, {&input},
           [index = save(index), dim, sizes = input.impl().sizes](const Tensor& g) {
             const Tensor at = index();
             const Tensor all = zeros(sizes, g.options().dtype(sum_dtype(g)));
             all.scatter_add_(dim, at, as_type(g.reshape(at.sizes()), all.dtype()));
             return as_type(all, g.dtype());
           });
}

Tensor index_select(const Tensor& input, std::int64_t dim, const Tensor& index) {
  const Device device = common_device(select_op, input, index);
  TD_CHECK(ShapeError, index.dim() <= 1,
           "index_select: \"index\" must have one dimension but has sizes ", index.sizes());
  if (input.dim() == 0) return index_select(input.reshape({1}), 0, index).reshape({});
  const std::int64_t d = wrap_dim("index_select", dim, input.dim());
  const Tensor at = checked_index("index_select", index, device);
  const Tensor x = input.contiguous();
  Sizes sizes(x.sizes());
  sizes[d] = at.numel();
  Tensor y = empty_on(sizes, x.dtype(), device);
  select_slices("index_select", y, x, d, at);
  if (recording(x))
    record("index_select", y, {&x}, [at = save(at), d, from = x.impl().sizes](const Tensor& g) {
      return spread_back(g, from, d, at());
    });
  return y;
}

Tensor gather(const Tensor& input, std::int64_t dim, const Tensor& index) {
  const Device device = common_device(gather_op, input, index);
  const std::int64_t d = wrap_dim("gather", dim, input.dim());
  check_fits("gather", input, index, d, false);
  const Tensor at = checked_int64("gather", index, device), x = input.to(device);
  const Tensor y = kernels::gather(x, d, at);
  record_selection("gather", y, x, d, at);
  return y;
}

Tensor embedding(const Tensor& weight, const Tensor& indices, std::int64_t padding_idx) {
  const Device device = common_device(embedding_op, weight, indices);
  TD_CHECK(ShapeError, weight.dim() == 2,
           "embedding: \"weight\" must be [rows, features] but has sizes ", weight.sizes());
  const Tensor at = checked_index("embedding", indices, device).reshape({-1});
  const Tensor w = weight.contiguous();
  Sizes sizes(indices.sizes());
  sizes.push_back(w.size(1));
  Tensor y = empty_on(sizes, w.dtype(), device);
  select_slices("embedding", y, w, 0, at);
  if (recording(w))
    record("embedding", y, {&w},
           [saved = save(at), padding_idx, from = w.impl().sizes](const Tensor& g) {
             const Tensor at = saved();
             const Tensor rows = g.reshape({at.numel(), from[1]});
             const Tensor all = spread_back(rows, from, 0, at);
             if (padding_idx < 0) return all;
             const Tensor row =
                 arange(from[0], TensorOptions(kLong).device(g.device())).unsqueeze(1);
             return all.masked_fill(row.eq(Scalar(padding_idx)), 0);
           });
  return y;
}

Tensor masked_select(const Tensor& input, const Tensor& mask) {
  const Device device = common_device(mask_op, input, mask);
  TD_CHECK(DtypeError, mask.dtype() == kBool, "masked_select: \"mask\" must be bool but is ",
           mask.dtype(), "; make it with a comparison such as x > 0");
  const Sizes sizes = broadcast_sizes("masked_select", input.sizes(), mask.sizes());
  const Tensor at = indices_where("masked_select", mask.expand(sizes)).to(device);
  return index_select(input.expand(sizes).reshape({-1}), 0, at);
}

Tensor nonzero(const Tensor& input) {
  const Device device = device_of("nonzero", input);
  const Tensor flat = indices_where("nonzero", input.detach().ne(Scalar(0)));
  const auto* const indices = flat.data_ptr<std::int64_t>();
  const std::int64_t dims = input.dim(), count = flat.numel();
  // One row of memory per dimension, as libtorch has it: a column is then quick to read.
  Tensor host = empty({dims, count}, TensorOptions(kLong));
  std::int64_t* out = host.data_ptr<std::int64_t>();
  std::int64_t at[kMaxDims] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    // The indices ascend, so a position follows from the one before, mostly without a division.
    std::int64_t steps = indices[i] - (i ? indices[i - 1] : 0);
    for (std::int64_t d = dims - 1; d >= 0; --d) {
      const std::int64_t reached = at[d] + steps, size = input.sizes()[d];
      steps = reached < size ? 0 : reached / size;
      out[d * count + i] = at[d] = reached - steps * size;
    }
  }
  return host.to(device).as_strided({count, dims}, {1, count});
}

Tensor one_hot(const Tensor& input, std::int64_t num_classes) {
  const Device device = device_of("one_hot", input);
  TD_CHECK(DtypeError, input.dtype() == kLong,
           "one_hot: \"input\" holds class numbers and must be int64 but is ", input.dtype(),
           "; convert it with to(kInt64)");
  TD_CHECK(ShapeError, num_classes > 0 || input.numel() > 0,
           "one_hot: an empty tensor does not tell how many classes there are; pass num_classes");
  TD_CHECK(ShapeError, num_classes != 0 || input.numel() == 0,
           "one_hot: num_classes is 0, but there are class numbers");
  if (num_classes <= 0) check_may_wait("one_hot without num_classes", input.device());
  const std::int64_t classes = num_classes > 0 ? num_classes : max(input).item<std::int64_t>() + 1;
  Sizes sizes(input.sizes());
  sizes.push_back(classes);
  const Tensor y = zeros(sizes, TensorOptions(kLong).device(device));
  const Tensor at = input.unsqueeze(-1).contiguous(), one = ones_like(at);
  kernels::scatter("one_hot", y, input.dim(), at, one, /*add=*/false);
  return y;
}

}  // namespace td
