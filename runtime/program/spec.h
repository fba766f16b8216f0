// Short names for the descriptions of tables that structure.h walks by.

#pragma once

#include "runtime/program/structure.h"

namespace executorch::runtime::format::spec {

using enum FieldKind;
using enum Presence;

constexpr FieldSpec scalar(const char* name, std::uint8_t width) {
  return {name, kScalar, width, kOptional, nullptr};
}
constexpr FieldSpec string(const char* name, Presence presence = kOptional) {
  return {name, kString, 1, presence, nullptr};
}
constexpr FieldSpec numbers(const char* name, std::uint8_t width, Presence presence = kOptional) {
  return {name, kNumbers, width, presence, nullptr};
}
constexpr FieldSpec table(const char* name, const TableSpec* const* of,
                          Presence presence = kOptional) {
  return {name, kTable, 0, presence, of};
}
constexpr FieldSpec tables(const char* name, const TableSpec* const* of,
                           Presence presence = kOptional) {
  return {name, kTables, 0, presence, of};
}
template <std::size_t kCount>
constexpr FieldSpec one_of(const char* name, const TableSpec* const (&of)[kCount]) {
  return {name, kUnion, std::uint8_t{kCount}, kOptional, of};
}
constexpr FieldSpec unused(const char* name) { return {name, kUnused, 0, kOptional, nullptr}; }

}  // namespace executorch::runtime::format::spec
