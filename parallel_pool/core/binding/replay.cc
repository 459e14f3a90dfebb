#include "parallel_pool/core/binding/replay.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "parallel_pool/core/binding/replay_arrays.h"
#include "parallel_pool/core/learner/replay_rows.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

class PythonRows {
 public:
  PythonRows(int64_t lines, int64_t length, int64_t stack, bool checks_frames, bool whole_episodes,
             bool has_priorities, int num_threads)
      : num_threads_(std::max(num_threads, 1)),
        rows_(lines, length, stack, checks_frames, whole_episodes, has_priorities) {}

  void SetArrays(const std::vector<std::pair<py::array, int64_t>>& obs, const py::array& reward,
                 const ArrayList& others) {
    std::vector<RingArray> rings;
    obs_.clear();
    others_.clear();
    for (const auto& [array, frames] : obs) obs_.push_back(Ring(array, frames));
    for (const py::array& array : others) others_.push_back(Ring(array, 1));
    for (const ReplayColumn& known : obs_) rings.push_back(known.ring);
    reward_ = Ring(reward, 1);
    rows_.SetArrays(std::move(rings), reward_.ring);
  }

  // False, with nothing written, if an array is not contiguous or not of its column's dtype.
  bool Observe(const LineIds& lines, const ArrayList& obs, const std::optional<py::array>& reward,
               const std::optional<py::array>& terminated,
               const std::optional<py::array>& truncated, const std::optional<ArrayList>& finals,
               const std::optional<py::array>& has_final, bool resets_at_once) {
    const int64_t n = lines.size();
    CheckLines(lines);
    if (!Fit(obs_, obs, n) || (finals && !Fit(obs_, *finals, n))) return false;
    if (reward && !(reward_.Fits(*reward, n) && terminated && truncated)) return false;
    ArrivedRows rows;
    rows.lines = ViewOf(lines);
    rows.obs = MemoryOf(obs);
    if (finals) rows.finals = MemoryOf(*finals);
    rows.has_final = FlagsOf(has_final, n);
    if (reward) rows.reward = MemoryOf(*reward);
    rows.terminated = FlagsOf(terminated, n);
    rows.truncated = FlagsOf(truncated, n);
    rows.resets_at_once = resets_at_once;
    rows_.Observe(rows);
    return true;
  }

  // Whether the values of the other arrays, in their order, can be given to Act() as they are.
  bool FitsOthers(const py::list& values, int64_t n) const {
    ArrayList arrays;
    for (const py::handle value : values) {
      if (!py::isinstance<py::array>(value)) return false;
      arrays.push_back(py::reinterpret_borrow<py::array>(value));
    }
    return Fit(others_, arrays, n) && std::ranges::equal(others_, arrays, HaveSameRows);
  }

  // False as of Observe().
  bool Act(const LineIds& lines, const ArrayList& values) {
    CheckLines(lines);
    if (!Fit(others_, values, lines.size())) return false;
    std::vector<RingArray> rings;
    for (const ReplayColumn& known : others_) rings.push_back(known.ring);
    rows_.Act(ViewOf(lines), rings, MemoryOf(values));
    return true;
  }

  py::array Shows(const LineIds& lines, const ArrayList& obs) const {
    CheckLines(lines);
    RowFlags shows(lines.size());
    const bool fit = Fit(obs_, obs, lines.size());
    for (int64_t i = 0; i < lines.size(); ++i) {
      shows.mutable_data()[i] = fit && rows_.Shows(lines.data()[i], MemoryOf(obs), i);
    }
    return shows;
  }

  py::array FindIds(const RowIds& numbers) const {
    RowIds ids(numbers.size());
    rows_.FindIds(ViewOf(numbers), ids.mutable_data());
    return ids;
  }

  py::array FindNewest(const LineIds& lines) const {
    CheckLines(lines);
    RowIds ids(lines.size());
    std::ranges::transform(ViewOf(lines), ids.mutable_data(),
                           [&](int32_t line) { return rows_.FindNewest(line); });
    return ids;
  }

  std::span<const uint8_t> flags() const { return rows_.flags(); }

  py::tuple Draw(const RowNumbers& numbers) const {
    RowIds ids(numbers.size());
    RowNumbers chances(numbers.size());
    rows_.Draw(ViewOf(numbers), ids.mutable_data(), chances.mutable_data());
    return py::make_tuple(ids, chances);
  }

  void SetPriorities(const RowIds& ids, const RowNumbers& priorities) {
    if (ids.size() != priorities.size()) throw py::value_error("a priority for each id");
    rows_.SetPriorities(ViewOf(ids), priorities.data());
  }

  template <class T>
  py::tuple FindNSteps(const RowIds& ids, int64_t n, double gamma) const {
    Check(ids);
    py::array_t<T> reward(ids.size()), discount(ids.size());
    py::array_t<bool> terminated(ids.size()), truncated(ids.size());
    RowIds next(ids.size());
    rows_.FindNSteps<T>(ViewOf(ids), n, gamma,
                        {.reward = reward.mutable_data(),
                         .discount = discount.mutable_data(),
                         .terminated = terminated.mutable_data(),
                         .truncated = truncated.mutable_data(),
                         .next = next.mutable_data()});
    return py::make_tuple(reward, discount, terminated, truncated, next);
  }

  py::tuple NSteps(const RowIds& ids, int64_t n, double gamma) const {
    return reward_.ring.bytes == sizeof(float) ? FindNSteps<float>(ids, n, gamma)
                                               : FindNSteps<double>(ids, n, gamma);
  }

  py::tuple FindEpisodes(const RowIds& ids) const {
    Check(ids);
    RowIds index(ids.size()), steps(ids.size());
    rows_.FindEpisodes(ViewOf(ids), index.mutable_data(), steps.mutable_data());
    return py::make_tuple(index, steps);
  }

  py::tuple FindSequences(const RowIds& ids, int64_t before, int64_t length) const {
    Check(ids);
    const std::vector<py::ssize_t> shape{ids.size(), before + length};
    RowIds first(ids.size()), rows(ids.size()), learned(ids.size());
    RowFlags is_transition(shape), terminated(shape), truncated(shape);
    rows_.FindSequences(ViewOf(ids), before, length,
                        {.first = first.mutable_data(),
                         .rows = rows.mutable_data(),
                         .learned = learned.mutable_data(),
                         .is_transition = is_transition.mutable_data(),
                         .terminated = terminated.mutable_data(),
                         .truncated = truncated.mutable_data()});
    return py::make_tuple(first, rows, learned, is_transition, terminated, truncated);
  }

  // The columns of a batch: see core/learner/replay_rows.h. `obs` have room for the frames of an
  // observation, and without `next_obs` for one more.
  py::tuple Fill(const RowIds& ids, int64_t n, double gamma, const ArrayList& obs,
                 const std::optional<ArrayList>& next_obs, const ArrayList& others) const {
    const py::tuple steps = NSteps(ids, n, gamma);
    const auto next = steps[4].cast<RowIds>();
    std::vector<ReplayRows::Place> at, after;
    rows_.FindPlaces(ViewOf(ids), at);
    if (next_obs) rows_.FindPlaces(ViewOf(next), after);
    std::vector<Copy> copies;
    const auto copy = [&](const ReplayColumn& column, const auto& places, int64_t before,
                          int64_t width, const py::array& out) {
      copies.push_back({column.ring, &places, before, width, RoomIn(column, ids, width, out)});
    };
    for (size_t k = 0; k < obs_.size(); ++k) {
      const int64_t frames = obs_[k].ring.frames;
      copy(obs_[k], at, frames - 1, frames + (next_obs ? 0 : 1), obs.at(k));
      if (next_obs) copy(obs_[k], after, frames - 1, frames, next_obs->at(k));
    }
    for (size_t k = 0; k < others_.size(); ++k) copy(others_[k], at, 0, 1, others.at(k));
    const py::gil_scoped_release unlocked;
    MakeCopies(copies, ids.size());
    return steps;
  }

  void Gather(const py::array& array, const RowIds& ids, const std::optional<RowIds>& used,
              int64_t width, const py::array& out) const {
    Check(ids);
    for (int64_t i = 0; used && i < ids.size(); ++i) {
      const int64_t n = used->size() == ids.size() ? used->data()[i] : -1;
      if (n < 0 || n > width) throw py::value_error("wrong numbers of rows");
    }
    const ReplayColumn column = Ring(array, 1);
    std::byte* const memory = RoomIn(column, ids, width, out);
    const int64_t* const counts = used ? used->data() : nullptr;
    std::vector<ReplayRows::Place> places;
    rows_.FindPlaces(ViewOf(ids), places);
    const py::gil_scoped_release unlocked;
    rows_.Gather(column.ring, places, 0, width, counts, memory);
  }

  void CheckLines(const LineIds& lines) const {
    for (const int32_t line : ViewOf(lines)) {
      if (line < 0 || line >= rows_.lines()) throw py::value_error("an unknown line");
    }
  }
  void Check(const RowIds& ids) const {
    if (!rows_.HasAll(ViewOf(ids))) throw py::value_error("rows that were replaced");
  }

  ReplayRows& rows() { return rows_; }

 private:
  struct Copy {
    RingArray ring;
    const std::vector<ReplayRows::Place>* places;
    int64_t before, width;
    std::byte* out;
  };

  ReplayColumn Ring(const py::array& array, int64_t frames) const {
    const int64_t rows = rows_.lines() * rows_.length(), bytes = array.nbytes() / rows;
    std::byte* const data = Memory(array, bytes * rows, true);
    return {.array = array, .ring = {.data = data, .bytes = bytes, .frames = frames}};
  }
  // Threads share copies that take much longer than a thread needs to begin.
  void MakeCopies(const std::vector<Copy>& copies, int64_t n) const {
    int64_t bytes = 0;
    for (const Copy& c : copies) bytes += c.ring.bytes * c.width * n;
    const int64_t parts = std::clamp<int64_t>(bytes / kBytesOfThread, 1, num_threads_);
    const auto make = [&](int64_t part) {
      const int64_t begin = n * part / parts, end = n * (part + 1) / parts;
      for (const Copy& c : copies) {
        const std::span places(c.places->data() + begin, static_cast<size_t>(end - begin));
        std::byte* const out = c.out + c.ring.bytes * c.width * begin;
        rows_.Gather(c.ring, places, c.before, c.width, nullptr, out);
      }
    };
    std::vector<std::jthread> threads;
    for (int64_t part = 1; part < parts; ++part) threads.emplace_back(make, part);
    make(0);
  }

  // The memory of `out`, which has room for `width` rows of each id.
  std::byte* RoomIn(const ReplayColumn& column, const RowIds& ids, int64_t width,
                    const py::array& out) const {
    if (width < 1 || width > rows_.length()) throw py::value_error("a wrong width");
    return Memory(out, column.ring.bytes * width * ids.size(), true);
  }
  static bool Fit(const std::vector<ReplayColumn>& columns, const ArrayList& arrays, int64_t n) {
    if (arrays.size() != columns.size()) return false;
    for (size_t k = 0; k < arrays.size(); ++k) {
      if (!columns[k].Fits(arrays[k], n)) return false;
    }
    return true;
  }
  static const std::byte* MemoryOf(const py::array& array) {
    return static_cast<const std::byte*>(array.data());
  }
  static std::vector<const std::byte*> MemoryOf(const ArrayList& arrays) {
    std::vector<const std::byte*> memory;
    for (const py::array& array : arrays) memory.push_back(MemoryOf(array));
    return memory;
  }
  static const bool* FlagsOf(const std::optional<py::array>& flags, int64_t n) {
    if (!flags) return nullptr;
    if (!py::isinstance<RowFlags>(*flags)) throw py::value_error("flags that are no bools");
    return reinterpret_cast<const bool*>(Memory(*flags, n));
  }

  static constexpr int64_t kBytesOfThread = 2 << 20;

  const int num_threads_;
  ReplayRows rows_;
  std::vector<ReplayColumn> obs_, others_;
  ReplayColumn reward_;
};

}  // namespace

void AddReplay(py::module_& m) {
  const auto none = py::none();
  py::class_<PythonRows>(m, "ReplayRows")
      .def(py::init<int64_t, int64_t, int64_t, bool, bool, bool, int>(), py::arg("lines"),
           py::arg("length"), py::arg("stack"), py::arg("checks_frames"), py::arg("whole_episodes"),
           py::arg("has_priorities"), py::arg("num_threads"))
      .def("set_arrays", &PythonRows::SetArrays, py::arg("obs"), py::arg("reward"),
           py::arg("others"))
      .def("observe", &PythonRows::Observe, py::arg("lines"), py::arg("obs"),
           py::arg("reward") = none, py::arg("terminated") = none, py::arg("truncated") = none,
           py::arg("finals") = none, py::arg("has_final") = none, py::arg("resets_at_once") = false)
      .def("fits", &PythonRows::FitsOthers, py::arg("values"), py::arg("count"))
      .def("act", &PythonRows::Act, py::arg("lines"), py::arg("values"))
      .def(
          "cut",
          [](PythonRows& self, const LineIds& lines) {
            self.CheckLines(lines);
            self.rows().Cut(ViewOf(lines));
          },
          py::arg("lines"))
      .def(
          "end_unseen",
          [](PythonRows& self, const LineIds& lines) {
            self.CheckLines(lines);
            self.rows().EndUnseen(ViewOf(lines));
          },
          py::arg("lines"))
      .def("shows", &PythonRows::Shows, py::arg("lines"), py::arg("obs"))
      .def_property_readonly("size", [](PythonRows& self) { return self.rows().size(); })
      .def("ids", &PythonRows::FindIds, py::arg("numbers"))
      .def("newest", &PythonRows::FindNewest, py::arg("lines"))
      .def_property_readonly("flags",
                             [](const py::object& self) {
                               const auto flags = self.cast<const PythonRows&>().flags();
                               py::array_t<uint8_t> view(static_cast<int64_t>(flags.size()),
                                                         flags.data(), self);
                               view.attr("flags").attr("writeable") = false;
                               return view;
                             })
      .def("draw", &PythonRows::Draw, py::arg("numbers"))
      .def("set_priorities", &PythonRows::SetPriorities, py::arg("ids"), py::arg("priorities"))
      .def("n_steps", &PythonRows::NSteps, py::arg("ids"), py::arg("n"), py::arg("gamma"))
      .def("episodes", &PythonRows::FindEpisodes, py::arg("ids"))
      .def("sequences", &PythonRows::FindSequences, py::arg("ids"), py::arg("before"),
           py::arg("length"))
      .def("fill", &PythonRows::Fill, py::arg("ids"), py::arg("n"), py::arg("gamma"),
           py::arg("obs"), py::arg("next_obs"), py::arg("others"))
      .def("gather", &PythonRows::Gather, py::arg("array"), py::arg("ids"), py::arg("used"),
           py::arg("width"), py::arg("out"))
      .def(
          "has_all",
          [](PythonRows& self, const RowIds& ids) { return self.rows().HasAll(ViewOf(ids)); },
          py::arg("ids"))
      .def_property_readonly("most_used", [](PythonRows& self) { return self.rows().most_used(); })
      .def("save", [](PythonRows& self) { return py::bytes(self.rows().Save()); })
      .def(
          "load",
          [](PythonRows& self, const std::string& saved) { return self.rows().Load(saved); },
          py::arg("saved"));
}

}  // namespace parallel_pool
