#include "runtime/testing/flatbuffer_writer.h"

#include <algorithm>
#include <utility>

namespace executorch::runtime::testing {

namespace {

class Writer {
 public:
  explicit Writer(Bytes& out) : out_(out) {}

  std::size_t table(const Node& node) {
    // Widest first, so that fields need no padding between them.
    std::vector<std::pair<unsigned, const Field*>> order;
    for (const auto& [id, field] : node.fields()) order.emplace_back(id, &field);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return inline_size(*a.second) > inline_size(*b.second);
    });
    const unsigned slots = node.fields().empty() ? 0 : node.fields().rbegin()->first + 1;

    pad(2);
    const std::size_t vtable = out_.size();
    out_.resize(vtable + 4 + 2 * std::size_t{slots});
    pad(kWidest);
    const std::size_t start = out_.size();
    out_.resize(start + sizeof(std::int32_t));
    put_number(out_, start, static_cast<std::int32_t>(start - vtable));
    std::vector<std::pair<std::size_t, const Field*>> references;
    for (const auto& [id, field] : order) {
      pad(inline_size(*field));
      put_number(out_, vtable + 4 + 2 * std::size_t{id},
                 static_cast<std::uint16_t>(out_.size() - start));
      if (field->kind == Field::Kind::kNumber) {
        out_.insert(out_.end(), field->bytes.begin(), field->bytes.end());
      } else {
        references.emplace_back(out_.size(), field);
        append_number(out_, std::uint32_t{0});
      }
    }
    put_number(out_, vtable, static_cast<std::uint16_t>(4 + 2 * slots));
    put_number(out_, vtable + 2, static_cast<std::uint16_t>(out_.size() - start));
    for (const auto& [at, field] : references) {
      const std::size_t target = referenced(*field);
      put_number(out_, at, static_cast<std::uint32_t>(target - at));
    }
    return start;
  }

 private:
  static constexpr std::size_t kWidest = 8;

  static std::size_t inline_size(const Field& field) {
    return field.kind == Field::Kind::kNumber ? field.width : sizeof(std::uint32_t);
  }

  void pad(std::size_t alignment) {
    while (out_.size() % alignment != 0) out_.push_back(0);
  }

  std::size_t referenced(const Field& field) {
    if (field.kind == Field::Kind::kTable) return table(field.nodes.front());
    // The count stands right before the first element, which is what is aligned.
    const std::size_t alignment = std::max({field.alignment, field.width, sizeof(std::uint32_t)});
    while ((out_.size() + sizeof(std::uint32_t)) % alignment != 0) out_.push_back(0);
    const std::size_t start = out_.size();
    if (field.kind == Field::Kind::kTables) {
      append_number(out_, static_cast<std::uint32_t>(field.nodes.size()));
      out_.resize(out_.size() + sizeof(std::uint32_t) * field.nodes.size());
      for (std::size_t i = 0; i < field.nodes.size(); ++i) {
        const std::size_t at = start + sizeof(std::uint32_t) * (i + 1);
        const std::size_t target = table(field.nodes[i]);
        put_number(out_, at, static_cast<std::uint32_t>(target - at));
      }
      return start;
    }
    append_number(out_, static_cast<std::uint32_t>(field.bytes.size() / field.width));
    out_.insert(out_.end(), field.bytes.begin(), field.bytes.end());
    if (field.kind == Field::Kind::kString) out_.push_back(0);
    return start;
  }

  Bytes& out_;
};

}  // namespace

Field Field::string(std::string_view text) {
  Field field(Kind::kString);
  field.bytes.assign(text.begin(), text.end());
  field.width = 1;
  return field;
}

Field Field::table(Node node) {
  Field field(Kind::kTable);
  field.nodes.push_back(std::move(node));
  return field;
}

Field Field::tables(std::vector<Node> nodes) {
  Field field(Kind::kTables);
  field.nodes = std::move(nodes);
  return field;
}

Bytes write_flatbuffer(const Node& root, std::string_view identifier, std::size_t reserved) {
  constexpr std::size_t kIdentifier = 4;
  Bytes out(sizeof(std::uint32_t));
  for (std::size_t i = 0; i < kIdentifier; ++i) {
    out.push_back(i < identifier.size() ? static_cast<std::uint8_t>(identifier[i])
                                        : std::uint8_t{0});
  }
  out.resize(out.size() + reserved);
  const std::size_t at = Writer(out).table(root);
  put_number(out, 0, static_cast<std::uint32_t>(at));
  return out;
}

}  // namespace executorch::runtime::testing
