// The operations of the stand-in for NCCL: collectives, and exchanges of sends and receives. A rank
// leaves its input in the shared file when the operation begins in its stream, and writes its
// output only after the ranks that it needs have begun theirs.
#include <algorithm>

#include "doubles/nccl_communicator.h"
#include "doubles/nccl_reduce.h"

namespace cuda_stand_in {
namespace {

std::vector<Use> uses_of(const Buffer& input, const Buffer& output) {
  std::vector<Use> uses;
  if (input.data) uses.push_back({input.data, input.bytes, false});
  if (output.data) uses.push_back({output.data, output.bytes, true});
  return uses;
}

class Collective final : public NcclOperation {
 public:
  Collective(const Signature& signature, Buffer input, Buffer output)
      : signature_(signature), input_(input), output_(output) {}
  std::string name() const override { return describe(signature_); }
  std::vector<Use> uses() const override { return uses_of(input_, output_); }

  bool step(ncclComm& comm) override {
    if (!begun_) begin(comm);
    if (!all_have_begun(comm)) return false;
    if (output_.data) write_output(comm);
    comm.segment->lock()->ranks[comm.rank].ended = number_ + 1;
    return true;
  }

 private:
  void begin(ncclComm& comm) {
    begun_ = true;
    number_ = comm.collectives++;
    if (input_.data)
      comm.segment->write(Segment::area(comm.rank, number_), device_view(input_.data),
                          input_.bytes);
    int other = 0;
    Signature theirs = signature_;
    {
      const auto control = comm.segment->lock();
      for (int r = 0; r < comm.size && theirs == signature_; ++r)
        if (control->ranks[r].published > number_)
          theirs = control->ranks[other = r].collectives[number_ % 2];
      control->ranks[comm.rank].collectives[number_ % 2] = signature_;
      control->ranks[comm.rank].published = number_ + 1;
    }
    if (!(theirs == signature_)) comm.refuse_mismatch(signature_, other, theirs);
  }

  // A rank that was aborted before its part was done has taken its input back.
  bool all_have_begun(ncclComm& comm) const {
    const auto control = comm.segment->lock();
    if (control->broken) return false;
    return std::all_of(control->ranks, control->ranks + comm.size, [&](const RankState& r) {
      return r.published > number_ && !(r.aborted && r.ended <= number_);
    });
  }

  void write_output(ncclComm& comm) const {
    const std::size_t bytes = signature_.count * size_of(signature_.type);
    char* const to = static_cast<char*>(device_view(output_.data));
    if (signature_.kind == Kind::kBroadcast)
      return comm.segment->read(Segment::area(signature_.root, number_), to, bytes);
    if (signature_.kind != Kind::kAllGather)
      return reduce(comm, signature_.kind == Kind::kReduceScatter ? comm.rank * bytes : 0, to);
    for (int r = 0; r < comm.size; ++r)
      comm.segment->read(Segment::area(r, number_), to + r * bytes, bytes);
  }

  // Adds up from another rank on each time, because NCCL's order is not known either. It is the
  // same order on all ranks, whose results are therefore equal.
  void reduce(ncclComm& comm, std::size_t from, char* to) const {
    constexpr std::size_t kPiece = 1 << 13;
    const std::size_t size = size_of(signature_.type), ranks = std::size_t(comm.size);
    std::vector<std::vector<char>> pieces(ranks, std::vector<char>(kPiece * size));
    std::vector<const void*> inputs;
    for (const auto& piece : pieces) inputs.push_back(piece.data());
    for (std::size_t done = 0; done < signature_.count; done += kPiece) {
      const std::size_t count = std::min(kPiece, signature_.count - done);
      for (std::size_t k = 0; k < ranks; ++k) {
        const int r = static_cast<int>((number_ + k) % ranks);
        comm.segment->read(Segment::area(r, number_) + from + done * size, pieces[k].data(),
                           count * size);
      }
      combine(signature_.type, signature_.op, inputs, count, to + done * size);
    }
  }

  const Signature signature_;
  const Buffer input_, output_;  // null where this rank has none
  bool begun_ = false;
  std::uint64_t number_ = 0;
};

class Exchange final : public NcclOperation {
 public:
  explicit Exchange(std::vector<Parcel> parcels) : parcels_(std::move(parcels)) {}
  std::string name() const override { return describe(parcels_[0].signature); }
  std::vector<Use> uses() const override {
    std::vector<Use> uses;
    for (const Parcel& p : parcels_)
      uses.push_back({p.buffer.data, p.buffer.bytes, p.signature.kind == Kind::kRecv});
    return uses;
  }

  // Messages between the same two ranks are sent one after another.
  bool step(ncclComm& comm) override {
    states_.resize(parcels_.size());
    bool done = true;
    for (std::size_t i = 0; i < parcels_.size(); ++i) {
      bool may_go = true;
      for (std::size_t earlier = 0; earlier < i; ++earlier)
        may_go &= states_[earlier].done || !same_way(parcels_[earlier], parcels_[i]);
      if (may_go && !states_[i].done) go_on(comm, parcels_[i], states_[i]);
      done &= states_[i].done;
    }
    return done;
  }

 private:
  struct State {
    bool begun = false, done = false;
    std::uint64_t number = 0;
  };

  static bool same_way(const Parcel& a, const Parcel& b) {
    return a.signature.kind == b.signature.kind && a.signature.root == b.signature.root;
  }

  static void go_on(ncclComm& comm, const Parcel& parcel, State& state) {
    if (parcel.signature.kind == Kind::kSend)
      send(comm, parcel, state);
    else
      receive(comm, parcel, state);
  }

  static void send(ncclComm& comm, const Parcel& parcel, State& state) {
    const int to = parcel.signature.root;
    if (!state.begun)
      comm.segment->write(Segment::area_of_pair(comm.rank, to), device_view(parcel.buffer.data),
                          parcel.buffer.bytes);
    const auto control = comm.segment->lock();
    PairState& pair = control->pairs[comm.rank][to];
    if (!state.begun) {
      state.begun = true;
      state.number = pair.sent++;
      pair.send = parcel.signature;
    }
    state.done = pair.taken > state.number;
  }

  static void receive(ncclComm& comm, const Parcel& parcel, State& state) {
    const int from = parcel.signature.root;
    Signature theirs;
    {
      const auto control = comm.segment->lock();
      PairState& pair = control->pairs[from][comm.rank];
      if (!std::exchange(state.begun, true)) state.number = pair.taken;
      const bool is_gone = control->ranks[from].aborted || control->broken;
      if (is_gone || pair.sent <= state.number) return;
      theirs = pair.send;
    }
    if (theirs.count != parcel.signature.count || theirs.type != parcel.signature.type)
      return comm.refuse_mismatch(parcel.signature, from, theirs);
    comm.segment->read(Segment::area_of_pair(from, comm.rank), device_view(parcel.buffer.data),
                       parcel.buffer.bytes);
    comm.segment->lock()->pairs[from][comm.rank].taken = state.number + 1;
    state.done = true;
  }

  const std::vector<Parcel> parcels_;
  std::vector<State> states_;
};

}  // namespace

std::shared_ptr<NcclOperation> make_collective(const Signature& signature, Buffer input,
                                               Buffer output) {
  return std::make_shared<Collective>(signature, input, output);
}

std::shared_ptr<NcclOperation> make_exchange(std::vector<Parcel> parcels) {
  return std::make_shared<Exchange>(std::move(parcels));
}

}  // namespace cuda_stand_in
