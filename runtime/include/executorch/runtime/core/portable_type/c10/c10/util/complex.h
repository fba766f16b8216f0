#pragma once

#include <c10/util/Half.h>

namespace c10 {

/// A complex number of two T next to each other, also of types that std::complex doesn't take.
template <typename T>
struct alignas(sizeof(T) * 2) complex {
  using value_type = T;

  T real_ = T(0);
  T imag_ = T(0);

  constexpr complex() = default;
  /* implicit */ constexpr complex(T real, T imag = T(0)) : real_(real), imag_(imag) {}

  constexpr T real() const { return real_; }
  constexpr T imag() const { return imag_; }
  constexpr void real(T value) { real_ = value; }
  constexpr void imag(T value) { imag_ = value; }

  constexpr complex& operator+=(const complex& other) { return *this = *this + other; }
  constexpr complex& operator-=(const complex& other) { return *this = *this - other; }
  constexpr complex& operator*=(const complex& other) { return *this = *this * other; }
  constexpr complex& operator/=(const complex& other) { return *this = *this / other; }

  friend constexpr complex operator+(const complex& a, const complex& b) {
    return {a.real_ + b.real_, a.imag_ + b.imag_};
  }
  friend constexpr complex operator-(const complex& a, const complex& b) {
    return {a.real_ - b.real_, a.imag_ - b.imag_};
  }
  friend constexpr complex operator-(const complex& a) { return {-a.real_, -a.imag_}; }
  friend constexpr complex operator*(const complex& a, const complex& b) {
    return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
  }
  friend constexpr complex operator/(const complex& a, const complex& b) {
    const T norm = b.real_ * b.real_ + b.imag_ * b.imag_;
    return {(a.real_ * b.real_ + a.imag_ * b.imag_) / norm,
            (a.imag_ * b.real_ - a.real_ * b.imag_) / norm};
  }
  friend constexpr bool operator==(const complex& a, const complex& b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  friend constexpr bool operator!=(const complex& a, const complex& b) { return !(a == b); }
};

/// Half has no constexpr arithmetic; storage is all that is needed of it.
template <>
struct alignas(4) complex<Half> {
  using value_type = Half;

  Half real_;
  Half imag_;

  complex() = default;
  /* implicit */ complex(const Half& real, const Half& imag = Half(0.0f))
      : real_(real), imag_(imag) {}
  /* implicit */ complex(const complex<float>& value) : real_(value.real()), imag_(value.imag()) {}
  /* implicit */ operator complex<float>() const { return {real_, imag_}; }

  constexpr Half real() const { return real_; }
  constexpr Half imag() const { return imag_; }
};

}  // namespace c10
