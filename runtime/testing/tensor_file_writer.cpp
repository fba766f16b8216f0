#include "runtime/testing/tensor_file_writer.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace executorch::runtime::testing {

namespace {

Node layout_node(const TensorFileLayout& layout) {
  std::vector<std::uint8_t> order(layout.sizes.size());
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  return Node()
      .set(0, static_cast<std::int8_t>(layout.type))
      .set(1, Field::numbers(layout.sizes))
      .set(2, Field::numbers(layout.dim_order.value_or(order)));
}

void pad(Bytes& bytes, std::uint64_t alignment) {
  while (bytes.size() % alignment != 0) bytes.push_back(0);
}

}  // namespace

Bytes write_tensor_file(const TensorFileSpec& spec) {
  Bytes data;
  std::vector<Node> segments;
  std::vector<Node> named;
  for (const TensorFileEntry& entry : spec.entries) {
    pad(data, spec.segment_alignment);
    Node node;
    node.set(0, entry.key.c_str()).set(1, static_cast<std::uint32_t>(segments.size()));
    if (entry.layout) node.set(2, Field::table(layout_node(*entry.layout)));
    named.push_back(std::move(node));
    segments.push_back(
        Node().set(0, std::uint64_t{data.size()}).set(1, std::uint64_t{entry.data.size()}));
    data.insert(data.end(), entry.data.begin(), entry.data.end());
  }
  Node root;
  root.set(0, std::uint32_t{0})
      .set(1, Field::tables(std::move(segments)))
      .set(2, Field::tables(std::move(named)));
  if (spec.edit) spec.edit(root);

  constexpr std::size_t kHeaderAt = 8;
  constexpr std::size_t kHeaderLength = 40;
  constexpr std::size_t kReserved = 48;
  Bytes file = write_flatbuffer(root, "FT01", kReserved);
  const std::uint64_t tables = file.size() - kReserved;
  pad(file, spec.segment_alignment);
  std::copy_n("FH01", 4, file.begin() + kHeaderAt);
  put_number(file, kHeaderAt + 4, std::uint32_t{kHeaderLength});
  put_number(file, kHeaderAt + 8, std::uint64_t{kReserved});
  put_number(file, kHeaderAt + 16, tables);
  put_number(file, kHeaderAt + 24, std::uint64_t{file.size()});
  put_number(file, kHeaderAt + 32, std::uint64_t{data.size()});
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

}  // namespace executorch::runtime::testing
