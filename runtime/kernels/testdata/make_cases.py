#!/usr/bin/env python3
"""Writes cases.txt: calls of the operators with the results that torch gives for them.

Usage: make_cases.py > cases.txt        (needs torch; run on 2.13.0 for the file in the tree)

Lines of the file:
  torch VERSION
  t DTYPE SIZES ORDER BYTES          a tensor; they are numbered from 0. SIZES is 2x3 or - (no
                                     dimensions), ORDER the dim order (0231) or =, BYTES the memory in base 64
  c OPERATOR CHECK ARGUMENT... > EXPECTED...
  f OPERATOR ARGUMENT... > OUT...    the call must be refused
Arguments: tN tensor, i int, d float, b bool, s string, n none, I ints, D floats, T tensors,
O optional tensors (- is none). EXPECTED: tN for an output, TN,.. for a list of outputs.
CHECK: = bit for bit (any NaN equals any NaN); eX relative error X of each element; tX error X
relative to the largest element of the tensor; xX both sides rounded by one step of a narrow type.
"""
import base64
import itertools
import sys

import torch

DTYPES = {torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4,
          torch.float16: 5, torch.float32: 6, torch.float64: 7, torch.bool: 11,
          torch.bfloat16: 15, torch.uint16: 27, torch.uint32: 28, torch.uint64: 29}
U8, I8, I16, I32, I64 = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64
F16, F32, F64, BOOL, BF16 = (torch.float16, torch.float32, torch.float64, torch.bool,
                             torch.bfloat16)
REAL = [F32, F64, F16, BF16]
INTS = [I64, I32, I16, I8, U8]
NAN, INF = float("nan"), float("inf")

lines = []
tensors = {}
skipped = []


def order_of(t):
    """The dim order of a dense tensor, by falling stride; '=' for row-major."""
    if t.is_contiguous():
        return "="
    order = sorted(range(t.dim()), key=lambda d: -t.stride(d))
    if not t.permute(order).is_contiguous():
        return None
    return "".join("%x" % d for d in order)


def tensor_id(t):
    t = t.detach()
    order = order_of(t)
    if order is None:
        t, order = t.contiguous(), "="
    memory = t if order == "=" else t.permute([int(c, 16) for c in order])
    data = base64.b64encode(memory.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()).decode()
    sizes = "x".join(map(str, t.shape)) or "-"
    line = "t %d %s %s %s" % (DTYPES[t.dtype], sizes, order, data or "-")
    if line not in tensors:
        tensors[line] = len(tensors)
        lines.append(line)
    return tensors[line]


def argument(value, kind):
    if value is None:
        return "n"
    if isinstance(value, torch.Tensor):
        return "t%d" % tensor_id(value)
    if isinstance(value, torch.dtype):
        return "i%d" % DTYPES[value]
    if isinstance(value, torch.memory_format):
        return "i%d" % {torch.contiguous_format: 0, torch.preserve_format: 1,
                        torch.channels_last: 2}[value]
    if isinstance(value, bool):
        return "b%d" % value
    if isinstance(value, int):
        return ("d%s" % float(value).hex()) if kind == "float" else "i%d" % value
    if isinstance(value, float):
        return "d" + (value.hex() if value == value and abs(value) != INF else str(value))
    if isinstance(value, str):
        return "s" + value
    values = list(value)
    if "Tensor" in kind:
        mark = "O" if "Optional" in kind or "?" in kind else "T"
        return mark + ",".join("-" if v is None else str(tensor_id(v)) for v in values)
    if "float" in kind:
        return "D" + ",".join(float(v).hex() for v in values)
    return "I" + ",".join(map(str, values))


def default_check(expected):
    worst = "="
    for t in expected:
        if t.dtype in (F16, BF16):
            return "x1"
        if t.dtype.is_floating_point:
            worst = "e2e-6" if t.dtype == F32 else "e1e-14"
    return worst


def emit(op, kinds, args, expected, check):
    flat = [t for e in expected for t in (e if isinstance(e, (list, tuple)) else [e])]
    tokens = [argument(a, k) for a, k in zip(args, kinds)]
    outs = ["T" + ",".join(str(tensor_id(t)) for t in e) if isinstance(e, (list, tuple))
            else "t%d" % tensor_id(e) for e in expected]
    lines.append(" ".join(["c", op, check or default_check(flat), *tokens, ">", *outs]))


def schema_of(op):
    name, _, overload = op.removeprefix("aten::").partition(".")
    packet = getattr(torch.ops.aten, name)
    return packet, getattr(packet, overload or "default")


def run(op, args, out=None):
    """What torch gives for the out variant `op`: a list of tensors (or one list of them)."""
    packet, function = schema_of(op)
    schema = function._schema
    inputs = [a for a in schema.arguments if not a.is_out]
    outs = [a for a in schema.arguments if a.is_out]
    assert len(inputs) == len(args), (op, [a.name for a in inputs])
    positional = [v for a, v in zip(inputs, args) if not a.kwarg_only]
    keywords = {a.name: v for a, v in zip(inputs, args) if a.kwarg_only}
    kinds = [str(a.type) for a in inputs]
    if not outs:  # in place: works on a clone of the first argument
        positional[0] = positional[0].clone()
        return kinds, [function(*positional, **keywords)]
    if out is None:
        wanted = [(a.name, str(a.type)) for a in inputs]
        for overload in packet.overloads():
            candidate = getattr(packet, overload)
            own = [a for a in candidate._schema.arguments
                   if a.name not in ("dtype", "layout", "device", "pin_memory")
                   or (a.name, str(a.type)) in wanted]
            if [(a.name, str(a.type)) for a in own] == wanted and not any(a.is_out for a in own):
                result = candidate(*positional, **keywords)
                break
        else:
            raise LookupError("no functional form of " + op)
        if isinstance(result, torch.Tensor):
            return kinds, [result]
        result = list(result)
        return kinds, [result] if str(outs[0].type).startswith("List") else result
    targets = [torch.empty(0, dtype=d) for d in (out if isinstance(out, list) else [out])]
    function(*positional, **keywords, **{a.name: t for a, t in zip(outs, targets)})
    return kinds, targets


def case(op, *args, out=None, check=None):
    try:
        kinds, expected = run(op, args, out)
    except (RuntimeError, IndexError, NotImplementedError) as error:
        skipped.append("%s: %s" % (op, str(error).splitlines()[0]))
        return
    # The exporter gives an output the dim order of the inputs of its rank.
    given = [a for v in args for a in (v if isinstance(v, list) else [v]) if isinstance(a, torch.Tensor)]
    if any(a.dim() == 4 and order_of(a) == "0231" for a in given):
        expected = [channels_last(e) if isinstance(e, torch.Tensor) and e.dim() == 4 else e for e in expected]
    emit(op, kinds, args, expected, check)


def known(op, kinds, args, *expected, check=None):
    """A case for an operator that torch does not have."""
    emit(op, kinds, args, list(expected), check)


def refuse(op, *args, out):
    """torch raises, or the output cannot hold the result."""
    name, _, overload = op.removeprefix("aten::").partition(".")
    kinds = [str(a.type) for a in schema_of(op)[1]._schema.arguments if not a.is_out]
    outs = out if isinstance(out, list) else [out]
    tokens = [argument(a, k) for a, k in zip(args, kinds)]
    lines.append(" ".join(["f", op, *tokens, ">", *["t%d" % tensor_id(t) for t in outs]]))


# --- inputs: few, so that the file stays small ---------------------------------------------------

SPECIAL = [NAN, INF, -INF, -0.0, 1e-40, 3e38, 0.5, -0.5, 1.0, -1.0]


def rand(dtype, *shape, seed=0, low=-3.0, high=3.0):
    g = torch.Generator().manual_seed(1000 * seed + len(shape) * 7 + sum(shape))
    if dtype == BOOL:
        return torch.randint(0, 2, shape, generator=g).bool()
    if not dtype.is_floating_point:
        least = max(int(3 * low), 0 if dtype == U8 else -128)
        return torch.randint(least, int(3 * high), shape, generator=g).to(dtype)
    # Multiples of 1/16 are exact in every type.
    return (torch.randint(int(16 * low), int(16 * high), shape, generator=g) / 16).to(dtype)


def special(dtype=F32):
    return torch.tensor(SPECIAL, dtype=F64).to(dtype)


def positive(dtype, *shape, seed=0):
    return rand(dtype, *shape, seed=seed).abs() + 1


def channels_last(t):
    return t.contiguous(memory_format=torch.channels_last)


def make_unary():
    real = ("acos acosh asin asinh atan atanh cos cosh erf exp expm1 log log10 log1p log2 "
            "reciprocal rsqrt sigmoid sin sinh sqrt tan tanh").split()
    same = "abs ceil floor neg relu round sign trunc".split()
    flags = "isinf isnan logical_not".split()
    for name in real + same + flags:
        op = "aten::%s.out" % name
        check = "e4e-6" if name in real else None
        wide = name in ("sin", "cos", "tan", "exp", "sinh", "cosh")
        numbers = torch.tensor([NAN, INF, -INF, -0.0, 0.0, 1e-40, 0.5, -0.5, 1.0, -1.0, 88.0, -100.0]) \
            if wide else special()
        case(op, numbers, check=check)
        unit = name in ("acos", "asin", "atanh")
        span = dict(low=-1, high=1) if unit else {}
        shift = positive if name in ("acosh", "log", "log10", "log2", "rsqrt", "sqrt") else rand
        span = {} if shift is positive else span
        for dtype in (F64, F16, BF16):
            case(op, shift(dtype, 2, 5, **span), check="e1e-13" if dtype == F64 and check else None)
        for dtype in (I64, U8, BOOL):
            case(op, positive(dtype, 5) if dtype != BOOL else rand(BOOL, 5), check=check)
        case(op, shift(F32, 0, 3, **span), check=check)
        case(op, shift(F32, **span), check=check)
        case(op, channels_last(shift(F32, 2, 3, 2, 2, **span)), check=check)
    for dtype in (I64, I32, U8, I8, BOOL):
        case("aten::bitwise_not.out", rand(dtype, 6))
    case("aten::abs.out", rand(I8, 270, low=-42, high=42))
    case("aten::exp.out", torch.linspace(-105, 89, 200), check="e2e-6")
    case("aten::sigmoid.out", torch.linspace(-105, 105, 200), check="e2e-6")
    case("aten::sigmoid.out", rand(I64, 4), check="e2e-6")
    case("aten::sin.out", rand(F32, 4), out=F64, check="e1e-6")
    case("aten::logical_not.out", rand(F32, 4), out=F32)
    case("aten::logical_not.out", rand(I8, 4), out=I64)
    for approximate, dtype in itertools.product(("none", "tanh"), REAL):
        check = "t2e-6" if dtype == F32 else "t1e-14" if dtype == F64 else None
        case("aten::gelu.out", rand(dtype, 4, 9), approximate, check=check)
    case("aten::gelu.out", torch.tensor([NAN, INF, 1e-40, 20.0, -20.0]), "none", check="t2e-6")
    for dtype in (F32, F64, BF16):
        case("aten::elu.out", rand(dtype, 9), 1.5, 2.0, 0.5, check="x1" if dtype == BF16 else "t2e-6")
        case("aten::leaky_relu.out", rand(dtype, 9), 0.25)
        case("aten::logit.out", rand(dtype, 9, low=0, high=1), 0.125, check="x1" if dtype == BF16 else "t4e-6")
        case("aten::logit.out", rand(dtype, 9, low=0, high=1), None, check="x1" if dtype == BF16 else "t4e-6")
    case("aten::elu.out", special(), 1, 1, 1, check="e4e-6")
    case("aten::leaky_relu.out", special(), 0.01)
    refuse("aten::sin.out", rand(I64, 4), out=rand(I64, 4))
    refuse("aten::abs.out", rand(F32, 4), out=rand(F32, 5))
    refuse("aten::abs.out", rand(F32, 4), out=rand(F32, 2, 2))
    refuse("aten::abs.out", rand(F32, 4), out=rand(I64, 4))
    refuse("aten::neg.out", rand(BOOL, 4), out=rand(BOOL, 4))
    refuse("aten::bitwise_not.out", rand(F32, 4), out=rand(F32, 4))
    refuse("aten::gelu.out", rand(F32, 4), "quick", out=rand(F32, 4))


def make_binary():
    shapes = [((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((2, 1, 4), (3, 1)), ((5,), ()), ((), (5,)),
              ((0, 3), (3,)), ((1, 260), (1, 260)), ((), ())]
    plain = {"mul.out": (), "div.out": (), "add.out": (2,), "sub.out": (2,), "maximum.out": (),
             "minimum.out": (), "atan2.out": (), "floor_divide.out": (), "fmod.Tensor_out": (),
             "remainder.Tensor_out": (), "logical_and.out": (), "logical_or.out": (),
             "logical_xor.out": (), "eq.Tensor_out": (), "ne.Tensor_out": (), "lt.Tensor_out": (),
             "le.Tensor_out": (), "gt.Tensor_out": (), "ge.Tensor_out": (),
             "div.out_mode": ("floor",)}
    nonzero = ("div.out", "floor_divide.out", "fmod.Tensor_out", "remainder.Tensor_out",
               "div.out_mode")
    pairs = [(F64, F64), (F32, F64), (I64, I64), (I32, I64), (U8, I8), (I8, I8), (U8, U8),
             (F16, F16), (BF16, F32), (F16, BF16), (I64, F32), (BOOL, I32), (BOOL, BOOL), (BOOL, F32)]
    for name, extra in plain.items():
        op = "aten::" + name
        other = positive if name in nonzero else rand
        for a, b in shapes if name in ("add.out", "mul.out") else shapes[1:4]:
            case(op, rand(F32, *a), other(F32, *b, seed=1), *extra)
        for a, b in pairs:
            second = other(b, 2, 5, seed=1) if b != BOOL else rand(b, 2, 5, seed=1)
            case(op, rand(a, 2, 5), second, *extra)
        case(op, rand(I32, 5), other(F32), *extra)       # a 0-d tensor of a higher kind decides
        case(op, rand(F16, 5), other(F32), *extra)       # of the same kind it does not
        case(op, rand(I8, 5), other(I64), *extra)
        specials = special()
        if name in ("fmod.Tensor_out", "remainder.Tensor_out"):
            specials = specials[(specials != 1e-40) & (specials != 3e38)]  # torch has NaN there
        case(op, specials.repeat_interleave(len(specials)), specials.repeat(len(specials)),
             *[1 if e == 2 else e for e in extra])
        case(op, channels_last(rand(F32, 2, 3, 2, 2)), channels_last(other(F32, 2, 3, 2, 2, seed=1)),
             *extra)
        case(op, channels_last(rand(F32, 2, 3, 2, 2)), other(F32, 3, 1, 1), *extra)
        for dtype in (F64, I64, BOOL, F16):
            case(op, rand(F32, 5), other(F32, 5, seed=1), *extra, out=dtype)
            case(op, rand(U8, 5), other(U8, 5, seed=1), *extra, out=dtype)
    case("aten::add.out", rand(F32, 4), rand(F32, 4, seed=1), 0.5)
    case("aten::add.out", rand(I64, 4), rand(I64, 4, seed=1), -3)
    case("aten::add.out", torch.full((3,), 2**62), torch.full((3,), 2**62), 1)
    case("aten::mul.out", torch.full((3,), 2**40), torch.full((3,), 2**40 + 3))
    case("aten::div.out_mode", rand(F32, 9), positive(F32, 9), "trunc")
    case("aten::div.out_mode", rand(I64, 9), positive(I64, 9), "trunc")
    case("aten::div.out_mode", rand(I64, 9), positive(I64, 9), None)
    case("aten::div.out_mode", rand(I64, 9), -positive(I64, 9), "floor")
    case("aten::floor_divide.out", torch.tensor([-2**63, 7, -7]), torch.tensor([-1, -2, 2]))
    scalars = [2, 0.5, True, -1.5]
    for name, extra in {"add.Scalar_out": (1,), "sub.Scalar_out": (2,), "rsub.Scalar_out": (1,),
                        "mul.Scalar_out": (), "div.Scalar_out": (), "fmod.Scalar_out": (),
                        "remainder.Scalar_out": (), "eq.Scalar_out": (), "ne.Scalar_out": (),
                        "lt.Scalar_out": (), "le.Scalar_out": (), "gt.Scalar_out": (),
                        "ge.Scalar_out": ()}.items():
        for dtype, scalar in itertools.product([F32, F64, F16, BF16, I64, I32, U8, BOOL], scalars):
            case("aten::" + name, rand(dtype, 2, 3), scalar, *extra)
        case("aten::" + name, special(), 0.5, *extra)
        case("aten::" + name, special(), -INF, *extra)
        case("aten::" + name, rand(F32, 0), 0.5, *extra)
        case("aten::" + name, channels_last(rand(F32, 2, 3, 2, 2)), 2, *extra)
    for mode, dtype in itertools.product(("floor", "trunc", None), (F32, I64, BF16)):
        case("aten::div.Scalar_mode_out", rand(dtype, 9), 2, mode)
        case("aten::div.Scalar_mode_out", rand(dtype, 9), -1.5, mode)
    for name in "and or xor".split():
        for dtype in (I64, I32, U8, I8, BOOL):
            case("aten::bitwise_%s.Tensor_out" % name, rand(dtype, 2, 5), rand(dtype, 5, seed=1))
            case("aten::bitwise_%s.Scalar_out" % name, rand(dtype, 6), 5 if dtype != BOOL else True)
        case("aten::bitwise_%s.Tensor_out" % name, rand(U8, 6), rand(I16, 6))
        refuse("aten::bitwise_%s.Tensor_out" % name, rand(F32, 6), rand(F32, 6), out=rand(F32, 6))
        refuse("aten::bitwise_%s.Scalar_out" % name, rand(F32, 6), 1, out=rand(F32, 6))
    for name in "left right".split():
        for dtype in INTS:
            shifts = torch.tensor([0, 1, 3, 7, 8, 31, 33, 63, 64, 100, -1, 5]).to(dtype)
            value = rand(dtype, 12)
            case("aten::bitwise_%s_shift.Tensor_out" % name, value, shifts)
            case("aten::bitwise_%s_shift.Tensor_Scalar_out" % name, value, 2)
    for dtype in REAL:
        for exponent in (2, 3, 0.5, -0.5, -1, -2, 1.75, 0):
            case("aten::pow.Tensor_Scalar_out", positive(dtype, 6), exponent,
                 check="e4e-6" if dtype == F32 else None)
        case("aten::pow.Tensor_Tensor_out", positive(dtype, 6), rand(dtype, 6, seed=1),
             check="e4e-6" if dtype == F32 else None)
        case("aten::pow.Scalar_out", 2.0, rand(dtype, 6), check="e4e-6" if dtype == F32 else None)
    for exponent in (2, 0.5, -1.0, 0.0, 1.5):
        case("aten::pow.Tensor_Scalar_out", special(), exponent, check="e4e-6")
    case("aten::pow.Tensor_Tensor_out", special(), special().flip(0), check="e4e-6")
    for dtype in (I64, I32, U8):
        for exponent in (0, 1, 2, 5, 0.5):
            case("aten::pow.Tensor_Scalar_out", rand(dtype, 6), exponent, check="e4e-6" if exponent == 0.5 else None)
        case("aten::pow.Tensor_Tensor_out", rand(dtype, 6), rand(dtype, 6, seed=1).abs())
        case("aten::pow.Scalar_out", 3, rand(dtype, 6).abs())
    case("aten::pow.Tensor_Tensor_out", torch.tensor([1, -1, -1, 2, 0]), torch.tensor([-1, -1, -2, -1, 3]))
    refuse("aten::pow.Tensor_Scalar_out", rand(I64, 3), -1, out=rand(I64, 3))
    refuse("aten::add.out", rand(F32, 3), rand(F32, 4), 1, out=rand(F32, 4))
    refuse("aten::add.out", rand(F32, 3), rand(F32, 3), 1, out=rand(I64, 3))
    refuse("aten::add.out", rand(F32, 3), rand(F32, 3), 1, out=rand(F32, 5))
    refuse("aten::add.out", rand(I64, 3), rand(I64, 3), 0.5, out=rand(I64, 3))
    refuse("aten::add.out", channels_last(rand(F32, 2, 3, 2, 2)), rand(F32, 2, 3, 2, 2), 1,
           out=rand(F32, 2, 3, 2, 2))
    refuse("aten::sub.out", rand(BOOL, 3), rand(BOOL, 3), 1, out=rand(BOOL, 3))
    refuse("aten::mul.out", rand(F32, 3), rand(F32, 2), out=rand(F32, 3))
    for name in ("floor_divide.out", "remainder.Tensor_out", "fmod.Tensor_out"):
        refuse("aten::" + name, rand(I64, 3), torch.tensor([1, 0, 2]), out=rand(I64, 3))
    refuse("aten::remainder.Scalar_out", rand(I64, 3), 0, out=rand(I64, 3))
    refuse("aten::div.out_mode", rand(F32, 3), rand(F32, 3), "up", out=rand(F32, 3))


def make_select():
    for a, b in [(F32, F32), (I64, I64), (F32, F64), (I64, F32), (F16, F16), (BF16, BF16),
                 (BOOL, BOOL), (U8, I8)]:
        case("aten::where.self_out", rand(BOOL, 2, 5), rand(a, 2, 5), rand(b, 2, 5, seed=1))
        case("aten::where.self_out", rand(BOOL, 5), rand(a, 2, 5), rand(b))
    case("aten::where.self_out", rand(BOOL, 2, 1), rand(F32, 3), rand(F32, 1, 3, seed=1))
    case("aten::where.self_out", rand(BOOL, 10), special(), special().flip(0))
    case("aten::where.self_out", rand(BOOL, 2, 260), rand(F32), torch.tensor(-INF))
    case("aten::where.self_out", rand(BOOL, 0), rand(F32, 0), rand(F32))
    case("aten::where.self_out", channels_last(rand(BOOL, 2, 3, 2, 2)),
         channels_last(rand(F32, 2, 3, 2, 2)), rand(F32))
    for dtype in (F32, F64, F16, I64, I32):
        for low, high in [(-1, 1), (None, 1), (-1, None), (-0.5, 1.5), (2, 1)]:
            case("aten::clamp.out", rand(dtype, 2, 5), low, high)
        case("aten::hardtanh.out", rand(dtype, 2, 5), -1, 1)
        case("aten::clamp.Tensor_out", rand(dtype, 2, 5), rand(dtype, 5, seed=1), rand(dtype, 1, seed=2))
        case("aten::clamp.Tensor_out", rand(dtype, 2, 5), None, rand(dtype, 5, seed=1))
        case("aten::clamp.Tensor_out", rand(dtype, 2, 5), rand(dtype, 2, 1, seed=1), None)
        case("aten::masked_fill.Scalar_out", rand(dtype, 2, 5), rand(BOOL, 5), 3)
        case("aten::masked_fill.Scalar_out", rand(dtype, 5), rand(BOOL, 2, 1), -INF)
    case("aten::clamp.out", special(), -1, 1.0)
    case("aten::clamp.out", special(), NAN, 1.0)
    case("aten::clamp.Tensor_out", special(), special().flip(0), special().roll(3))
    case("aten::hardtanh.out", special(), -1.0, 2.0)
    case("aten::masked_fill.Scalar_out", rand(BOOL, 6), rand(BOOL, 6, seed=1), True)
    refuse("aten::clamp.out", rand(F32, 3), None, None, out=rand(F32, 3))
    refuse("aten::clamp.out", rand(F32, 3), 0.5, None, out=rand(I64, 3))
    refuse("aten::where.self_out", rand(F32, 3), rand(F32, 3), rand(F32, 3), out=rand(F32, 3))
    refuse("aten::masked_fill.Scalar_out", rand(I64, 3), rand(BOOL, 3), 0.5, out=rand(I64, 3))


def make_copies():
    every = [F32, F64, I64, I32, I16, I8, U8, BOOL, F16, BF16]
    for dtype in every:
        x = rand(dtype, 2, 3, 4)
        case("aten::permute_copy.out", x, (2, 0, 1))
        case("aten::clone.out", x, None)
        case("aten::slice_copy.Tensor_out", x, 1, 1, None, 2)
        case("aten::cat.out", [x, rand(dtype, 2, 1, 4)], 1)
        case("aten::flip.out", x, (0, 2))
        case("aten::select_copy.int_out", x, -1, 2)
        case("aten::repeat.out", rand(dtype, 2, 2), (2, 1, 3))
        case("aten::transpose_copy.int_out", x, 0, -1)
    for a, b in itertools.product(every, every):
        source = rand(a, 7)
        emit("aten::_to_copy.out", ["Tensor", "bool", "int?"], [source, False, None], [source.to(b)], "=")
    emit("aten::_to_copy.out", ["Tensor", "bool", "int?"],
         [special(F64), False, None], [special(F64).to(F32)], "=")
    for b in (F16, BF16, BOOL, F64):
        emit("aten::_to_copy.out", ["Tensor", "bool", "int?"], [special(F32), False, None],
             [special(F32).to(b)], "=")
    halves = torch.tensor([65504.0, 65519.0, 65520.0, 6e-8, 2.9e-8, 3e-8, 6.1e-5, 1.00048828125, 1.0009765625,
                           1.00146484375, -1e-7, 2049.0, 2051.0])
    for b in (F16, BF16):
        emit("aten::_to_copy.out", ["Tensor", "bool", "int?"], [halves, False, None], [halves.to(b)], "=")
        emit("aten::_to_copy.out", ["Tensor", "bool", "int?"], [halves.to(b), False, None],
             [halves.to(b).float()], "=")
    emit("aten::_to_copy.out", ["Tensor", "bool", "int?"],
         [torch.tensor([300, -1, 2**40, -129]), False, None],
         [torch.tensor([300, -1, 2**40, -129]).to(I8)], "=")
    emit("aten::_to_copy.out", ["Tensor", "bool", "int?"],
         [torch.tensor([2.9, -2.9, 0.5, -0.5, 255.0]), False, None],
         [torch.tensor([2.9, -2.9, 0.5, -0.5, 255.0]).to(I64)], "=")
    for big in (torch.uint16, torch.uint32, torch.uint64):
        x = torch.tensor([0, 1, 65535], dtype=big)
        emit("aten::_to_copy.out", ["Tensor", "bool", "int?"], [x, False, None], [x.to(F32)], "=")
        emit("aten::clone.out", ["Tensor", "int?"], [x, None], [x.clone()], "=")
    x = rand(F32, 2, 3, 2, 2)
    to = ["Tensor", "bool", "int[]"]
    for op in ("dim_order_ops::_to_dim_order_copy.out", "dim_order_ops::_clone_dim_order.out"):
        known(op, to, [x, False, (0, 2, 3, 1)], channels_last(x), check="=")
        known(op, to, [channels_last(x), False, (0, 1, 2, 3)], x, check="=")
        known(op, to, [channels_last(x), False, (0, 2, 3, 1)], channels_last(x), check="=")
        known(op, to, [x, False, None], x, check="=")
    known("dim_order_ops::_to_dim_order_copy.out", to, [x, False, (0, 2, 3, 1)], channels_last(x.half()), check="=")
    known("dim_order_ops::_to_dim_order_copy.out", to, [rand(I64), False, ()], rand(I64).float(), check="=")
    for a, b in [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 4), ()), ((0, 4), (4,))]:
        case("aten::copy_", rand(F32, *a), rand(F32, *b, seed=1), False)
        case("aten::copy.out", rand(F32, *a), rand(I64, *b, seed=1), False)
    case("aten::copy.out", channels_last(x), channels_last(x) + 1, False)
    for name in "alias_copy detach_copy lift_fresh_copy".split():
        case("aten::%s.out" % name, rand(F32, 2, 3))
        case("aten::%s.out" % name, rand(BOOL, 0))
        refuse("aten::%s.out" % name, rand(F32, 2, 3), out=rand(F64, 2, 3))
    big = rand(F32, 19, 21)
    case("aten::permute_copy.out", big, (1, 0))
    case("aten::permute_copy.out", rand(F32, 2, 5, 3, 4), (0, 2, 1, 3))
    case("aten::permute_copy.out", rand(F32, 2, 5, 3, 4), (0, 3, 1, 2))
    case("aten::permute_copy.out", rand(U8, 19, 23), (-1, 0))
    case("aten::permute_copy.out", rand(F32), ())
    case("aten::permute_copy.out", rand(F32, 0, 2), (1, 0))
    case("aten::transpose_copy.int_out", rand(F32), 0, 0)
    for shape in ((), (3,), (3, 4), (0, 4)):
        case("aten::t_copy.out", rand(F32, *shape))
    for sizes in ((4, -1), (24,), (2, 3, 2, 2), (-1,)):
        case("aten::view_copy.out", rand(F32, 2, 3, 4), sizes)
    case("aten::view_copy.out", rand(F32, 1), ())
    case("aten::view_copy.out", rand(F32, 0, 3), (3, 0))
    for dim in (0, 1, -1, 2):
        case("aten::unsqueeze_copy.out", rand(F32, 2, 3), dim)
        case("aten::squeeze_copy.dim_out", rand(F32, 2, 1, 3), dim)
    case("aten::unsqueeze_copy.out", rand(F32), -1)
    case("aten::squeeze_copy.dim_out", rand(F32), 0)
    case("aten::squeeze_copy.dims_out", rand(F32, 1, 2, 1, 3), (0, 2))
    case("aten::squeeze_copy.dims_out", rand(F32, 1, 2, 1, 3), (1, -2))
    case("aten::squeeze_copy.dims_out", rand(F32, 2), ())
    case("aten::expand_copy.out", rand(F32, 3, 1), (2, 3, 4), False)
    case("aten::expand_copy.out", rand(F32, 3, 1), (-1, 4), False)
    case("aten::expand_copy.out", rand(I64), (2, 2), False)
    case("aten::expand_copy.out", rand(F32, 1, 3), (0, 3), False)
    for start, end, step in [(None, None, 1), (1, 3, 1), (-2, None, 1), (0, 100, 3), (3, 1, 1), (-100, -1, 2),
                             (9223372036854775807, None, 1), (1, 9223372036854775807, 2)]:
        case("aten::slice_copy.Tensor_out", rand(F32, 3, 5), 1, start, end, step)
        case("aten::slice_copy.Tensor_out", rand(F32, 5, 2), 0, start, end, step)
    case("aten::narrow_copy.out", rand(F32, 3, 5), 1, 2, 2)
    case("aten::narrow_copy.out", rand(F32, 3, 5), 1, -2, 2)
    case("aten::narrow_copy.out", rand(F32, 3, 5), 0, 3, 0)
    case("aten::select_copy.int_out", rand(F32, 3), 0, -1)
    for offset in (0, 1, -1, 5):
        case("aten::diagonal_copy.out", rand(F32, 3, 4), offset, 0, 1)
        case("aten::diagonal_copy.out", rand(F32, 3, 2, 4), offset, -1, 0)
    case("aten::unfold_copy.out", rand(F32, 2, 7), 1, 3, 2)
    case("aten::unfold_copy.out", rand(I64, 7), 0, 2, 1)
    case("aten::as_strided_copy.out", rand(F32, 12), (2, 3), (1, 2), 3)
    case("aten::as_strided_copy.out", rand(F32, 12), (2, 3), (6, 0), None)
    case("aten::flip.out", rand(F32, 5), (0,))
    case("aten::flip.out", rand(F32, 2, 3), ())
    case("aten::flip.out", rand(F32, 0, 3), (0,))
    f = rand(F32, 3, 4)
    refuse("aten::permute_copy.out", f, (0, 0), out=f)
    refuse("aten::permute_copy.out", f, (0, 2), out=f)
    refuse("aten::view_copy.out", f, (5, -1), out=rand(F32, 5, 2))
    refuse("aten::expand_copy.out", f, (3, 5), False, out=rand(F32, 3, 5))
    refuse("aten::select_copy.int_out", f, 0, 3, out=rand(F32, 4))
    refuse("aten::slice_copy.Tensor_out", f, 2, 0, 1, 1, out=f)
    refuse("aten::slice_copy.Tensor_out", f, 0, 0, 1, 0, out=f)
    refuse("aten::as_strided_copy.out", f, (4, 4), (4, 1), 0, out=rand(F32, 4, 4))
    refuse("aten::clone.out", f, None, out=rand(I64, 3, 4))
    refuse("aten::unfold_copy.out", f, 1, 5, 1, out=f)
    refuse("aten::narrow_copy.out", f, 0, 2, 2, out=rand(F32, 2, 4))


def make_joins():
    f = rand(F32, 2, 3)
    case("aten::cat.out", [f, f + 1, rand(F32, 2, 0)], 1)
    case("aten::cat.out", [f, torch.empty(0), f], 0)
    case("aten::cat.out", [rand(F32, 3), rand(I64, 2)], 0)
    case("aten::cat.out", [rand(F16, 3), rand(F32, 2)], -1)
    case("aten::cat.out", [channels_last(rand(F32, 2, 3, 2, 2)), channels_last(rand(F32, 2, 1, 2, 2))], 1)
    case("aten::cat.out", [torch.empty(0), torch.empty(0)], 0)
    case("aten::stack.out", [f, f + 1, f + 2], 0)
    case("aten::stack.out", [f, f + 1], -1)
    case("aten::stack.out", [rand(I64), rand(I64, seed=1)], 0)
    for dtype in (F32, I64, BOOL):
        case("aten::split_copy.Tensor_out", rand(dtype, 5, 2), 2, 0)
        case("aten::split_with_sizes_copy.out", rand(dtype, 2, 5), (1, 0, 4), -1)
        case("aten::unbind_copy.int_out", rand(dtype, 2, 3), 1)
        case("aten::constant_pad_nd.out", rand(dtype, 2, 3), (1, 2, 0, 1), 1)
        case("aten::roll.out", rand(dtype, 3, 4), (1, -1), (0, 1))
        case("aten::slice_scatter.out", rand(dtype, 4, 3), rand(dtype, 2, 3, seed=1), 0, 1, None, 2)
        case("aten::select_scatter.out", rand(dtype, 4, 3), rand(dtype, 4, seed=1), 1, -1)
        case("aten::pixel_shuffle.out", rand(dtype, 2, 8, 2, 3), 2) if dtype != BOOL else None
        case("aten::pixel_unshuffle.out", rand(dtype, 2, 2, 4, 6), 2) if dtype != BOOL else None
    case("aten::constant_pad_nd.out", rand(F32, 2, 3), (-1, 1), 0.5)
    case("aten::constant_pad_nd.out", rand(F32, 2, 3), (-1, -1, 1, 0), -INF)
    case("aten::constant_pad_nd.out", rand(F32, 2, 3), (0, 0), 0)
    case("aten::constant_pad_nd.out", rand(F32, 0, 3), (0, 0, 1, 1), 2)
    case("aten::roll.out", rand(F32, 3, 4), (5,), ())
    case("aten::roll.out", rand(F32, 3, 4), (7, -5), (1, 1))
    case("aten::roll.out", rand(F32, 0, 4), (1,), (0,))
    case("aten::repeat.out", rand(F32, 3), (2, 2))
    case("aten::repeat.out", rand(F32, 3), (0,))
    case("aten::repeat.out", rand(F32), (2, 2))
    refuse("aten::cat.out", [f, rand(F32, 3, 3)], 1, out=rand(F32, 2, 6))
    refuse("aten::cat.out", [f, f], 2, out=rand(F32, 4, 3))
    refuse("aten::stack.out", [f, rand(F32, 2, 2)], 0, out=rand(F32, 2, 2, 3))
    refuse("aten::constant_pad_nd.out", f, (1,), 0, out=f)
    refuse("aten::constant_pad_nd.out", f, (-4, 0), 0, out=f)
    refuse("aten::repeat.out", f, (2,), out=f)
    refuse("aten::select_scatter.out", f, rand(F32, 3), 1, 0, out=f)


def make_creation():
    for value, dtype in itertools.product((0, 2.5, True, -3), (F32, I64, F16, BOOL, U8)):
        if dtype == U8 and value == -3:
            continue
        emit("aten::full.out", ["int[]", "Scalar"], [(2, 3), value], [torch.full((2, 3), value).to(dtype)], "=")
        emit("aten::scalar_tensor.out", ["Scalar"], [value], [torch.tensor(value).to(dtype)], "=")
        emit("aten::full_like.out", ["Tensor", "Scalar", "int?"], [rand(dtype, 2, 3), value, None],
             [torch.full((2, 3), value).to(dtype)], "=")
        emit("aten::fill.Scalar_out", ["Tensor", "Scalar"], [rand(dtype, 2, 3), value],
             [torch.full((2, 3), value).to(dtype)], "=")
    emit("aten::full.out", ["int[]", "Scalar"], [(0, 3), 1], [torch.ones(0, 3)], "=")
    emit("aten::full.out", ["int[]", "Scalar"], [(), -INF], [torch.tensor(-INF)], "=")
    emit("aten::full_like.out", ["Tensor", "Scalar", "int?"], [channels_last(rand(F32, 2, 3, 2, 2)), 3, None],
         [channels_last(torch.full((2, 3, 2, 2), 3.0))], "=")
    emit("aten::fill.Tensor_out", ["Tensor", "Tensor"], [rand(F32, 2, 3), rand(I64)],
         [torch.full((2, 3), float(rand(I64)))], "=")
    for dtype in (F32, I64, BOOL):
        emit("aten::ones.out", ["int[]"], [(2, 3)], [torch.ones(2, 3, dtype=dtype)], "=")
        emit("aten::zeros.out", ["int[]"], [(2, 3)], [torch.zeros(2, 3, dtype=dtype)], "=")
    emit("aten::empty.out", ["int[]", "int?"], [(0, 2), None], [torch.empty(0, 2)], "=")
    known("dim_order_ops::_empty_dim_order.out", ["int[]", "int[]"], [(0, 2), None], torch.empty(0, 2), check="=")
    for start, end, step in [(0, 5, 1), (2, 11, 3), (5, 0, -2), (0.0, 1.0, 0.25), (3, 3, 1), (0, 300, 1)]:
        emit("aten::arange.start_out", ["Scalar", "Scalar", "Scalar"], [start, end, step],
             [torch.arange(start, end, step)], None)
        emit("aten::arange.start_out", ["Scalar", "Scalar", "Scalar"], [start, end, step],
             [torch.arange(start, end, step, dtype=F32)], None)
    emit("aten::arange.out", ["Scalar"], [6], [torch.arange(6)], "=")
    emit("aten::arange.out", ["Scalar"], [2.5], [torch.arange(2.5)], None)
    refuse("aten::full.out", (2, 3), 1, out=rand(F32, 2, 4))
    refuse("aten::arange.start_out", 0, 5, 0, out=rand(F32, 5))
    refuse("aten::arange.start_out", 0, 5, -1, out=rand(F32, 5))


def make_index():
    table = rand(F32, 6, 4)
    rows = torch.tensor([[3, 0], [5, 3]])
    for dtype in (F32, I64, F16, BOOL, I8):
        case("aten::embedding.out", rand(dtype, 6, 4), rows, -1, False, False)
        case("aten::index_select.out", rand(dtype, 3, 4), 1, torch.tensor([3, 0, 0]))
        case("aten::gather.out", rand(dtype, 3, 4), 1, torch.tensor([[3, 0], [1, 1]]), False)
        case("aten::scatter.src_out", rand(dtype, 3, 4), 0, torch.tensor([[2, 0], [1, 1]]), rand(dtype, 2, 2, seed=1))
        case("aten::scatter_add.out", rand(dtype, 3, 4), 0, torch.tensor([[2, 0], [2, 1]]), rand(dtype, 2, 2, seed=1))
        case("aten::scatter.value_out", rand(dtype, 3, 4), 1, torch.tensor([[2, 0], [1, 1]]), 1)
        case("aten::index.Tensor_out", rand(dtype, 3, 4), [torch.tensor([2, -3])])
        case("aten::index_put.out", rand(dtype, 3, 4), [torch.tensor([2, 0])], rand(dtype, 2, 4, seed=1), False)
        case("aten::index_put.out", rand(dtype, 3, 4), [torch.tensor([2, 2])], rand(dtype, 2, 4, seed=1), True)
        case("aten::index_put_", rand(dtype, 3, 4), [None, torch.tensor([1])], rand(dtype, 3, 1, seed=1), False)
    case("aten::embedding.out", table, torch.tensor(2), -1, False, False)
    case("aten::embedding.out", table, rows.int(), -1, False, False)
    case("aten::embedding.out", table, torch.empty(0, dtype=I64), -1, False, False)
    case("aten::index_select.out", rand(F32, 3, 4), 0, torch.tensor([2], dtype=I32))
    case("aten::index_select.out", rand(F32, 3, 4), 0, torch.tensor(1))
    case("aten::index_select.out", rand(F32), 0, torch.tensor([0]))
    case("aten::index_select.out", rand(F32, 3, 4), 0, torch.empty(0, dtype=I64))
    case("aten::gather.out", rand(F32, 4), 0, torch.tensor([3, 3, 0]), False)
    case("aten::gather.out", rand(F32, 2, 3, 2), -2, torch.tensor([[[0, 2]], [[1, 0]]]), False)
    case("aten::gather.out", rand(F32, 3, 4), 0, torch.empty(0, 4, dtype=I64), False)
    x = rand(F32, 3, 4, 2)
    a, b = torch.tensor([2, 0]), torch.tensor([1, -1])
    for indices in ([a], [None, b], [a, b], [a, None, b.clamp(min=-2)], [None, a.view(2, 1), b.clamp(max=1).view(1, 2)],
                    [rand(BOOL, 3)], [rand(BOOL, 3, 4)], [None, rand(BOOL, 4)], [torch.zeros(3, dtype=BOOL)],
                    [torch.tensor(1)], [a, torch.tensor(3)], [torch.empty(0, dtype=I64)]):
        case("aten::index.Tensor_out", x, indices)
    case("aten::index_put.out", x, [a, b], rand(F32, 2), False)
    case("aten::index_put.out", x, [None, b], torch.tensor(7.0), False)
    case("aten::index_put.out", x, [a, None, torch.tensor([0, 1])], rand(F32, 2, 4, seed=2), True)
    case("aten::index_put.out", x, [rand(BOOL, 3, 4)], torch.tensor(2.0), False)
    case("aten::index_put_", x, [a.int()], rand(F32, 4, 2, seed=3), True)
    refuse("aten::embedding.out", table, torch.tensor([6]), -1, False, False, out=rand(F32, 1, 4))
    refuse("aten::embedding.out", table, torch.tensor([-1]), -1, False, False, out=rand(F32, 1, 4))
    refuse("aten::index_select.out", table, 0, torch.tensor([6]), out=rand(F32, 1, 4))
    refuse("aten::gather.out", table, 0, torch.tensor([[6]]), False, out=rand(F32, 1, 1))
    refuse("aten::index.Tensor_out", table, [torch.tensor([6])], out=rand(F32, 1, 4))
    refuse("aten::index.Tensor_out", table, [torch.tensor([-7])], out=rand(F32, 1, 4))
    refuse("aten::index_put.out", table, [torch.tensor([6])], rand(F32, 4), False, out=table)
    refuse("aten::scatter.value_out", table, 0, torch.tensor([[-1]]), 1, out=table)
    refuse("aten::index_put.out", table, [torch.tensor([1])], rand(F32, 3), False, out=table)


def make_reductions():
    x = rand(F32, 2, 3, 4)
    for dims in (None, (), (0,), (1,), (-1,), (0, 2), (0, 1, 2)):
        for keepdim in (False, True):
            case("aten::sum.IntList_out", x, dims, keepdim, None, check="t2e-6")
            case("aten::mean.out", x, dims, keepdim, None, check="t2e-6")
            case("aten::var.correction_out", x, dims, 1, keepdim, check="t2e-6")
            if dims is not None:
                case("aten::amax.out", x, dims, keepdim)
                case("aten::amin.out", x, dims, keepdim)
            case("aten::any.dims_out", rand(BOOL, 2, 3, 4), dims, keepdim)
    for dtype in (F64, F16, BF16, I64, I32, U8, BOOL):
        y = rand(dtype, 3, 35)
        for dim in (0, 1):
            case("aten::sum.IntList_out", y, (dim,), False, None)
            case("aten::mean.out", y, (dim,), False, None)
            case("aten::mean.out", y, (dim,), False, F32)
            case("aten::amax.out", y, (dim,), False)
            case("aten::amin.out", y, (dim,), True)
            case("aten::any.out", y, dim, False)
            case("aten::prod.int_out", y[:, :5], dim, False, None)
            case("aten::var.out", y, (dim,), True, False)
            case("aten::argmax.out", y, dim, False)
            case("aten::argmin.out", y, dim, True)
            case("aten::max.dim_max", y, dim, False)
            case("aten::min.dim_min", y, dim, True)
            case("aten::cumsum.out", y[:, :9], dim, None)
        case("aten::any.all_out", y)
        case("aten::max.unary_out", y)
        case("aten::min.unary_out", y)
        case("aten::prod.out", y[0, :6], None)
        case("aten::argmax.out", y, None, False)
        case("aten::topk.values", torch.randperm(12, generator=torch.Generator().manual_seed(3)).to(dtype), 5, 0, True,
             True) if dtype != BOOL else None
    case("aten::sum.IntList_out", rand(I32, 3, 4), (1,), False, F32)
    case("aten::sum.IntList_out", rand(F32, 3, 4), (1,), False, I64)
    case("aten::sum.IntList_out", rand(F32, 3, 4), (1,), False, F64)
    case("aten::sum.IntList_out", rand(F32, 3, 0), (1,), False, None)
    case("aten::sum.IntList_out", rand(F32, 0, 3), (1,), True, None)
    case("aten::sum.IntList_out", rand(F32), (0,), False, None)
    case("aten::sum.IntList_out", rand(F32, 2, 520), (1,), False, None, check="t2e-6")
    case("aten::sum.IntList_out", rand(F32, 260, 2), (0,), False, None, check="t2e-6")
    case("aten::sum.IntList_out", channels_last(rand(F32, 2, 3, 2, 5)), (2, 3), True, None, check="t2e-6")
    case("aten::sum.IntList_out", channels_last(rand(F32, 2, 3, 2, 5)), (1,), True, None, check="t2e-6")
    case("aten::mean.out", rand(F32, 3, 0), (1,), False, None)
    case("aten::mean.dtype_out", rand(F32, 3, 4), None, check="t2e-6")
    case("aten::mean.dtype_out", rand(I64, 3, 4), F32, check="t2e-6")
    case("aten::prod.int_out", rand(F32, 3, 0), 1, False, None)
    case("aten::prod.out", rand(F32, 6), None, check="t2e-6")
    case("aten::prod.int_out", positive(F32, 3, 4), 1, True, None, check="t2e-6")
    nan = torch.tensor([[1.0, NAN, 3.0], [INF, 2.0, -INF], [5.0, 5.0, 1.0]])
    for dim in (0, 1):
        for name in "amax amin".split():
            case("aten::%s.out" % name, nan, (dim,), False)
        case("aten::sum.IntList_out", nan, (dim,), False, None)
        case("aten::any.out", nan, dim, True)
        case("aten::argmax.out", nan, dim, False)
        case("aten::argmin.out", nan, dim, False)
        case("aten::max.dim_max", nan, dim, False)
        case("aten::min.dim_min", nan, dim, False)
        case("aten::cumsum.out", nan, dim, None)
        case("aten::topk.values", torch.tensor([[1.0, NAN, 3.0], [INF, 2.0, -INF], [5.0, 4.0, 1.0]]), 2, dim, True, True)
        case("aten::topk.values", torch.tensor([[1.0, NAN, 3.0], [INF, 2.0, -INF], [5.0, 4.0, 1.0]]), 2, dim, False, True)
        case("aten::var.correction_out", nan, (dim,), 0, False)
    case("aten::max.unary_out", nan)
    case("aten::min.unary_out", nan)
    case("aten::argmax.out", rand(F32), None, True)
    case("aten::argmin.out", rand(F32, 2, 3), None, True)
    case("aten::max.dim_max", rand(F32), 0, True)
    case("aten::cumsum.out", rand(F32, 2, 260), 1, None, check="t2e-6")
    case("aten::cumsum.out", rand(I32, 5), 0, F32)
    case("aten::cumsum.out", rand(F32), 0, None)
    case("aten::cumsum.out", rand(F32, 0), 0, None)
    case("aten::var.correction_out", rand(F32, 2, 1), (1,), 1, False)
    case("aten::var.correction_out", rand(F32, 2, 5), (1,), 0.5, False, check="t2e-6")
    case("aten::var.correction_out", rand(F32, 2, 5), None, None, False, check="t2e-6")
    case("aten::var_mean.correction_out", rand(F32, 2, 5), (1,), 1, True, check="t2e-6")
    case("aten::var_mean.correction_out", rand(F64, 5, 2), (0,), 0, False)
    case("aten::var.out", 10000 + rand(F32, 2, 50), (1,), False, False, check="t1e-5")
    for dtype, diagonal in itertools.product((F32, I64, BOOL), (0, 1, -1, 9, -9)):
        case("aten::tril.out", rand(dtype, 2, 3, 4), diagonal)
    for dtype in (F32, I64, BOOL):
        case("aten::nonzero.out", rand(dtype, 3, 4))
        case("aten::masked_select.out", rand(dtype, 3, 4), rand(BOOL, 4))
        case("aten::masked_scatter.out", rand(dtype, 3, 4), rand(BOOL, 3, 4, seed=1), rand(dtype, 12, seed=2))
    case("aten::nonzero.out", torch.tensor(2.0))
    case("aten::nonzero.out", torch.zeros(2, 2))
    case("aten::masked_select.out", rand(F32, 3), torch.zeros(3, dtype=BOOL))
    case("aten::repeat_interleave.Tensor_out", torch.tensor([2, 0, 3]), None)
    case("aten::repeat_interleave.Tensor_out", torch.tensor([1, 1], dtype=I32), 2)
    f = rand(F32, 2, 3)
    refuse("aten::sum.IntList_out", f, (2,), False, None, out=f)
    refuse("aten::sum.IntList_out", f, (0, 0), False, None, out=rand(F32, 3))
    refuse("aten::sum.IntList_out", f, (0,), False, None, out=rand(I64, 3))
    refuse("aten::mean.out", rand(I64, 2, 3), (0,), False, None, out=rand(F32, 3))
    refuse("aten::amax.out", rand(F32, 2, 0), (1,), False, out=rand(F32, 2))
    refuse("aten::argmax.out", rand(F32, 2, 0), 1, False, out=rand(I64, 2))
    refuse("aten::topk.values", f, 4, 1, True, True, out=[f, rand(I64, 2, 3)])
    refuse("aten::masked_scatter.out", f, torch.ones(2, 3, dtype=BOOL), rand(F32, 2), out=f)
    refuse("aten::nonzero.out", f, out=rand(F32, 2, 2))
    refuse("aten::tril.out", rand(F32, 3), 0, out=rand(F32, 3))
    refuse("aten::repeat_interleave.Tensor_out", torch.tensor([-1, 1]), None, out=rand(I64, 2))


def make_norms():
    for dtype in REAL:
        check = {F32: "t2e-6", F64: "t1e-14"}.get(dtype)
        x = rand(dtype, 3, 4, 5)
        for dim in (0, 1, -1):
            case("aten::_softmax.out", x, dim, False, check=check)
            # torch subtracts in the narrow type: one step more
            case("aten::_log_softmax.out", x, dim, False, check=check or "x4")
        w, b = rand(dtype, 5, seed=1), rand(dtype, 5, seed=2)
        case("aten::native_layer_norm.out", x, (5,), w, b, 1e-5, check=check)
        case("aten::native_layer_norm.out", x, (4, 5), None, None, 1e-3, check=check)
        image = rand(dtype, 2, 4, 3, 2)
        c, d = rand(dtype, 4, seed=1), rand(dtype, 4, seed=2)
        case("aten::native_group_norm.out", image, c, d, 2, 4, 6, 2, 1e-5, check=check)
        case("aten::native_group_norm.out", image, None, None, 2, 4, 6, 1, 1e-5, check=check)
        case("aten::_native_batch_norm_legit_no_training.out", image, c, d, rand(dtype, 4), positive(dtype, 4), 0.1,
             1e-5, check=check)
        case("aten::_native_batch_norm_legit_no_training.out", image, None, None, rand(dtype, 4), positive(dtype, 4),
             0.1, 1e-5, check=check)
    x = torch.tensor([[1.0, NAN, 2.0], [INF, 1.0, 2.0], [-INF, -INF, -INF], [-INF, 0.0, 1000.0]])
    for dim in (0, 1):
        case("aten::_softmax.out", x, dim, False, check="t2e-6")
        case("aten::_log_softmax.out", x, dim, False, check="t2e-6")
    case("aten::_softmax.out", rand(F32), 0, False)
    case("aten::_softmax.out", rand(F32, 0, 3), 1, False)
    case("aten::_softmax.out", rand(F32, 3, 0), 1, False)
    case("aten::_softmax.out", rand(F32, 2, 260), 1, False, check="t2e-6")
    case("aten::_softmax.out", rand(F32, 3, 35), 0, False, check="t2e-6")
    case("aten::_softmax.out", channels_last(rand(F32, 2, 3, 2, 2)), 1, False, check="t2e-6")
    case("aten::native_layer_norm.out", 100 + rand(F32, 2, 260), (260,), rand(F32, 260), None, 1e-5, check="t1e-5")
    case("aten::native_layer_norm.out", rand(F32, 0, 5), (5,), None, None, 1e-5)
    case("aten::_native_batch_norm_legit_no_training.out", channels_last(rand(F32, 2, 4, 3, 2)), None, None,
         rand(F32, 4), positive(F32, 4), 0.1, 1e-5, check="t2e-6")
    f = rand(F32, 2, 3)
    refuse("aten::_softmax.out", f, 2, False, out=f)
    refuse("aten::_softmax.out", rand(I64, 3), 0, False, out=rand(F32, 3))
    refuse("aten::native_layer_norm.out", f, (2,), None, None, 1e-5, out=[f, rand(F32, 2, 1), rand(F32, 2, 1)])
    refuse("aten::native_layer_norm.out", f, (3,), rand(F32, 2), None, 1e-5,
           out=[f, rand(F32, 2, 1), rand(F32, 2, 1)])


def make_matmul():
    for dtype in REAL + [I64, I32, U8]:
        check = {F32: "t1e-6", F64: "t1e-14"}.get(dtype)
        for m, k, n in ((3, 4, 5), (1, 7, 1), (1, 4, 9), (9, 4, 1), (0, 3, 2), (2, 0, 3), (17, 33, 19)):
            if m == 17 and dtype not in (F32, F64, I64):
                continue
            a, b = rand(dtype, m, k, low=-1, high=2), rand(dtype, k, n, seed=1, low=-1, high=2)
            case("aten::mm.out", a, b, check=check)
            case("aten::addmm.out", rand(dtype, n, seed=2), a, b, 1, 1, check=check)
            case("aten::bmm.out", torch.stack([a, a]), torch.stack([b, b]), check=check)
            if dtype.is_floating_point:
                case("aten::linear.out", a, b.t().contiguous(), rand(dtype, n, seed=2), check=check)
        case("aten::addmm.out", rand(dtype, 3, 1, seed=2), rand(dtype, 3, 4), rand(dtype, 4, 5), 2, 3, check=check)
        case("aten::addmm.out", rand(dtype), rand(dtype, 3, 4), rand(dtype, 4, 5), 1, 0, check=check)
    a, b = rand(F32, 3, 4), rand(F32, 4, 5)
    case("aten::mm.out", a, rand(F32, 5, 4).t(), check="t1e-6")
    case("aten::mm.out", rand(F32, 4, 3).t(), b, check="t1e-6")
    case("aten::mm.out", rand(F32, 4, 3).t(), rand(F32, 5, 4).t(), check="t1e-6")
    case("aten::addmm.out", torch.full((5,), NAN), a, b, 0, 1, check="t1e-6")
    case("aten::addmm.out", rand(F32, 5), a, b, 0.5, -1.5, check="t1e-6")
    case("aten::mm.out", torch.tensor([[NAN, 1.0], [INF, 0.0]]), torch.tensor([[1.0, 0.0], [2.0, 1.0]]))
    case("aten::linear.out", rand(F32, 2, 3, 4), rand(F32, 5, 4), None, check="t1e-6")
    case("aten::linear.out", rand(F32, 4), rand(F32, 5, 4), rand(F32, 5), check="t1e-6")
    case("aten::bmm.out", rand(F32, 0, 2, 3), rand(F32, 0, 3, 4))
    refuse("aten::mm.out", a, a, out=rand(F32, 3, 4))
    refuse("aten::mm.out", a, rand(F64, 4, 5), out=rand(F32, 3, 5))
    refuse("aten::mm.out", a, rand(F32, 4), out=rand(F32, 3))
    refuse("aten::mm.out", a, b, out=rand(F32, 3, 6))
    refuse("aten::addmm.out", rand(F32, 4), a, b, 1, 1, out=rand(F32, 3, 5))
    refuse("aten::bmm.out", rand(F32, 2, 3, 4), rand(F32, 3, 4, 5), out=rand(F32, 2, 3, 5))
    refuse("aten::linear.out", a, b, None, out=rand(F32, 3, 5))


def make_convolution():
    def conv(x, w, b, stride, padding, dilation, transposed=False, extra=(0, 0), groups=1, check="t2e-6"):
        axes = x.dim() - 2
        case("aten::convolution.out", x, w, b, stride[:axes], padding[:axes], dilation[:axes], transposed,
             extra[:axes], groups, check=check)
    x = rand(F32, 1, 4, 7, 6)
    w = rand(F32, 6, 4, 3, 2, seed=1)
    b = rand(F32, 6, seed=2)
    conv(x, w, b, (1, 1), (0, 0), (1, 1))
    conv(x, w, None, (1, 1), (1, 1), (1, 1))
    conv(x, w, b, (2, 3), (1, 0), (1, 1))
    conv(x, w, b, (1, 2), (2, 3), (2, 1))
    conv(x, rand(F32, 6, 2, 3, 3), b, (1, 1), (1, 1), (1, 1), groups=2)
    conv(x, rand(F32, 4, 1, 3, 3), None, (1, 1), (1, 1), (1, 1), groups=4)
    conv(x, rand(F32, 8, 1, 3, 3), None, (2, 1), (1, 1), (1, 1), groups=4)
    conv(x, rand(F32, 4, 1, 3, 3), rand(F32, 4), (2, 2), (0, 1), (1, 2), groups=4)
    conv(x, rand(F32, 5, 4, 1, 1), None, (1, 1), (0, 0), (1, 1))
    conv(x, rand(F32, 5, 4, 1, 1), None, (2, 2), (0, 0), (1, 1))
    conv(rand(F32, 0, 4, 7, 6), w, b, (1, 1), (0, 0), (1, 1))
    conv(channels_last(x), channels_last(w), b, (1, 1), (1, 1), (1, 1))
    for dtype in (F64, F16, BF16):
        conv(x.to(dtype), w.to(dtype), b.to(dtype), (1, 1), (1, 1), (1, 1),
             check="t1e-14" if dtype == F64 else "x2")
    line = rand(F32, 2, 4, 9)
    conv(line, rand(F32, 6, 4, 3), b, (1,), (1,), (1,), extra=(0,))
    conv(line, rand(F32, 6, 4, 3), b, (2,), (0,), (2,), extra=(0,))
    y = rand(F32, 2, 4, 3, 4)
    conv(y, rand(F32, 4, 3, 3, 2), rand(F32, 3), (1, 1), (0, 0), (1, 1), True)
    conv(y, rand(F32, 4, 3, 3, 2), rand(F32, 3), (2, 3), (1, 0), (1, 1), True, (1, 2))
    conv(y, rand(F32, 4, 3, 3, 2), None, (2, 2), (1, 1), (1, 2), True, groups=2)
    conv(y, rand(F32, 4, 3, 1, 1), None, (1, 1), (0, 0), (1, 1), True)
    conv(line, rand(F32, 4, 3, 3), rand(F32, 3), (2,), (1,), (1,), True, (1,))
    out = rand(F32, 2, 6, 5, 5)
    refuse("aten::convolution.out", x, rand(F32, 6, 3, 3, 2), None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1, out=out)
    refuse("aten::convolution.out", x, w, None, (0, 1), (0, 0), (1, 1), False, (0, 0), 1, out=out)
    refuse("aten::convolution.out", x, w, None, (1, 1), (-1, 0), (1, 1), False, (0, 0), 1, out=out)
    refuse("aten::convolution.out", x, w, rand(F32, 5), (1, 1), (0, 0), (1, 1), False, (0, 0), 1, out=out)
    refuse("aten::convolution.out", rand(F32, 2, 4, 2, 6), w, None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1, out=out)


def make_pools():
    x = rand(F32, 2, 3, 7, 6)
    for kernel, stride, padding, ceil_mode in [((2, 2), (), (0, 0), False), ((3, 2), (2, 1), (1, 1), False),
                                               ((3,), (2,), (1,), True), ((2, 2), (3, 3), (0, 1), True)]:
        case("aten::max_pool2d_with_indices.out", x, kernel, stride, padding, (1, 1), ceil_mode)
        for count_padding, divisor in [(True, None), (False, None), (True, 3)]:
            case("aten::avg_pool2d.out", x, kernel, stride, padding, ceil_mode, count_padding, divisor, check="t2e-6")
    case("aten::max_pool2d_with_indices.out", x, (2, 2), (1, 1), (1, 1), (2, 2), False)
    case("aten::max_pool2d_with_indices.out", rand(F32, 3, 4, 4), (2, 2), (2, 2), (0, 0), (1, 1), False)
    case("aten::max_pool2d_with_indices.out", torch.tensor([[[1.0, NAN, 2.0], [3.0, 4.0, -INF]]]), (2, 2), (1, 1),
         (0, 0), (1, 1), False)
    case("aten::max_pool2d_with_indices.out", channels_last(x), (2, 2), (2, 2), (0, 0), (1, 1), False)
    for dtype in (F64, F16, BF16):
        case("aten::max_pool2d_with_indices.out", x.to(dtype), (2, 2), (2, 2), (0, 0), (1, 1), False)
        case("aten::avg_pool2d.out", x.to(dtype), (2, 2), (2, 2), (0, 0), False, True, None)
        case("aten::_adaptive_avg_pool2d.out", x.to(dtype), (1, 1))
    case("aten::avg_pool2d.out", rand(F32, 3, 4, 4), (2, 2), (), (0, 0), False, True, None, check="t2e-6")
    for size in ((1, 1), (3, 2), (7, 6), (9, 4)):
        case("aten::_adaptive_avg_pool2d.out", x, size, check="t2e-6")
    case("aten::_adaptive_avg_pool2d.out", rand(F32, 3, 5, 5), (2, 2), check="t2e-6")
    y = rand(F32, 1, 2, 3, 4)
    for sizes, factors in [((6, 8), None), ((5, 7), None), (None, (2.0, 1.5)), ((2, 2), None), ((1, 1), None)]:
        case("aten::upsample_nearest2d.vec_out", y, sizes, factors)
        for corners in (False, True):
            case("aten::upsample_bilinear2d.vec_out", y, sizes, corners, factors, check="t4e-6")
    case("aten::upsample_bilinear2d.vec_out", channels_last(rand(F32, 1, 2, 3, 4)), (6, 8), False, None, check="t4e-6")
    for name in ("reflection", "replication"):
        for dtype in (F32, F16):
            case("aten::%s_pad1d.out" % name, rand(dtype, 2, 5), (2, 1))
            case("aten::%s_pad2d.out" % name, rand(dtype, 2, 3, 4), (1, 2, 2, 0))
            case("aten::%s_pad3d.out" % name, rand(dtype, 1, 2, 2, 3), (1, 1, 1, 0, 0, 1))
        case("aten::%s_pad2d.out" % name, rand(F32, 1, 2, 3, 4), (-1, 2, 1, -1))
    refuse("aten::reflection_pad1d.out", rand(F32, 2, 5), (5, 0), out=rand(F32, 2, 10))
    refuse("aten::max_pool2d_with_indices.out", x, (2, 2), (2, 2), (2, 2), (1, 1), False, out=[x, x.long()])
    refuse("aten::avg_pool2d.out", x, (8, 8), (1, 1), (0, 0), False, True, None, out=x)
    refuse("aten::avg_pool2d.out", x, (2, 2), (2, 2), (0, 0), False, True, 0, out=x)


for make in (make_unary, make_binary, make_select, make_copies, make_joins, make_creation, make_index,
             make_reductions, make_norms, make_matmul, make_convolution, make_pools):
    make()
print("torch " + torch.__version__.split("+")[0])
print("\n".join(lines))
for line in sorted(set(skipped)):
    print(line, file=sys.stderr)
print("%d cases, %d refusals, %d tensors; torch itself raised for %d calls" % (
    sum(line[0] == "c" for line in lines), sum(line[0] == "f" for line in lines), len(tensors), len(skipped)),
    file=sys.stderr)
