// One file for all parts: the name of a tensor is "<part>.<name in the part's state>".
#include "io/checkpoint.h"

#include <algorithm>

namespace td::io {
namespace {

// The tensors of one file, part by part.
class Parts {
 public:
  explicit Parts(const NamedTensors& tensors) {
    for (const auto& item : tensors) {
      const std::size_t dot = item.key().find('.');
      const std::string part = item.key().substr(0, dot);
      if (!parts_.contains(part)) parts_.insert(part, NamedTensors("Entry"));
      if (dot != std::string::npos) parts_[part].insert(item.key().substr(dot + 1), item.value());
    }
  }
  const NamedTensors* find(const std::string& name) const { return parts_.find(name); }
  std::vector<std::string> names() const { return parts_.keys(); }

 private:
  OrderedDict<std::string, NamedTensors> parts_{"Part"};
};

}  // namespace

Checkpoint& Checkpoint::add(const std::string& name, std::function<NamedTensors()> get,
                            std::function<void(const NamedTensors&)> put) {
  TD_CHECK(Error, !name.empty() && name.find('.') == name.npos, "checkpoint: a part's name must ",
           "not be empty and must have no dot, but is \"", name, '"');
  for (const Part& part : parts_)
    TD_CHECK(Error, part.name != name, "checkpoint: there is a part \"", name, "\" already");
  parts_.push_back({name, std::move(get), std::move(put)});
  return *this;
}

Checkpoint& Checkpoint::add(const std::string& name, Generator& generator) {
  const auto get = [&generator] {
    const Generator::State state = generator.get_state();
    NamedTensors all("Entry");
    // 64 bits without a sign; an int64 keeps them.
    all.insert("seed", number_entry(static_cast<std::int64_t>(state.seed)));
    all.insert("offset", number_entry(static_cast<std::int64_t>(state.offset)));
    return all;
  };
  return add(name, get, [&generator](const NamedTensors& state) {
    generator.set_state({static_cast<std::uint64_t>(number_in(state, "seed")),
                         static_cast<std::uint64_t>(number_in(state, "offset"))});
  });
}

void Checkpoint::save(const std::string& path) const {
  StateDict all;
  all.metadata = metadata;
  for (const Part& part : parts_)
    for (const auto& item : part.get())
      all.tensors.insert(part.name + "." + item.key(), item.value());
  save_file(all, path);
}

void Checkpoint::load(const std::string& path) {
  const StateDict file = load_file(path);
  const Parts parts(file.tensors);
  std::ostringstream problems;
  for (const std::string& name : parts.names())
    if (std::none_of(parts_.begin(), parts_.end(), [&](const Part& p) { return p.name == name; }))
      problems << "\nunexpected part: \"" << name << '"';
  for (const Part& part : parts_) {
    // A part without tensors, such as an optimizer's of no groups, leaves no trace in the file.
    static const NamedTensors nothing("Entry");
    const NamedTensors* state = parts.find(part.name);
    try {
      part.put(state ? *state : nothing);
    } catch (const Error& error) {
      problems << "\npart \"" << part.name << '"' << (state ? ": " : " is not in the file: ")
               << error.what();
    }
  }
  TD_CHECK(Error, problems.str().empty(), path, " does not fit this training:", problems.str());
  metadata = file.metadata;
}

}  // namespace td::io
