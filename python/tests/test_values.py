"""What inputs may be, and what outputs become."""

import numpy
import pytest
from conftest import Foreign, load, program_path
from executorch.extension.pybindings import portable_lib

NUMPY_TYPES = [
    "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128", "bool",
]  # fmt: skip
VALUES = [None, -3, True, 1.5, "gelu"]


def numbers(dtype):
    return numpy.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)


@pytest.mark.parametrize("place", ["same_planned", "same"])
@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_each_type_of_numpy_comes_back_as_it_went_in(place, dtype):
    array = numbers(dtype)
    (output,) = load(f"{place}_{dtype}").execute([array])
    assert output.dtype == array.dtype
    assert (output == array).all()


@pytest.mark.parametrize("place", ["same_planned", "same"])
@pytest.mark.parametrize("dtype", [*NUMPY_TYPES, "bfloat16"])
def test_each_type_of_torch_comes_back_as_it_went_in(place, dtype, torch):
    tensor = torch.arange(6).reshape(2, 3).to(getattr(torch, dtype))
    (output,) = load(f"{place}_{dtype}").execute([tensor])
    assert output.dtype == tensor.dtype
    assert torch.equal(output, tensor)


def test_a_tensor_of_another_library_gives_tensors_with_dlpack():
    (output,) = load("sum_planned").execute([Foreign(numbers("float32"))] * 2)
    assert not isinstance(output, numpy.ndarray)
    assert output.__dlpack_device__() == (1, 0)
    assert (numpy.from_dlpack(output) == 2 * numbers("float32")).all()


def test_torch_and_numpy_together_give_torch(torch):
    array = numbers("float32")
    (output,) = load("sum_planned").execute([array, torch.from_numpy(array)])
    assert isinstance(output, torch.Tensor)
    assert (output.numpy() == 2 * array).all()


def test_bfloat16_is_added_as_torch_does(torch):
    one, other = torch.randn(2, 3).bfloat16(), torch.randn(2, 3).bfloat16()
    (output,) = load("sum_bfloat16").execute([one, other])
    assert output.dtype == torch.bfloat16
    assert torch.equal(output, one + other)


def test_a_type_is_never_taken_for_another():
    with pytest.raises(RuntimeError, match="type BFloat16, not Half"):
        load("sum_bfloat16").execute([numpy.zeros((2, 3), numpy.float16)] * 2)


def test_scalars_none_and_strings_come_back():
    outputs = load("values").execute(VALUES)
    assert outputs[:5] == VALUES
    assert [type(output) for output in outputs[:5]] == [type(value) for value in VALUES]


def test_lists_come_back():
    ints, doubles, bools, constant, tensors, optional = load("values").execute(VALUES)[5:]
    assert ints == [-3, -3]
    assert doubles == [0.5, -2.0]
    assert bools == [True, False, True]
    assert [numpy.asarray(tensor).tolist() for tensor in tensors] == [[7, 8], [7, 8]]
    assert optional[0] is None
    assert numpy.asarray(optional[1]).tolist() == numpy.asarray(constant).tolist() == [7, 8]


@pytest.mark.parametrize(
    "index, value, words",
    [
        (0, 1, "Input 0 of method 'forward' is None, not Int"),
        (1, 4, "Input 1 is not the Int that the program was exported with"),
        (1, -3.0, "Input 1 of method 'forward' is Int, not Double"),
        (2, 1, "Input 2 of method 'forward' is Bool, not Int"),
        (3, 1.6, "Input 3 is not the Double that the program was exported with"),
        (4, "relu", "Input 4 is not the String that the program was exported with"),
        (1, 1 << 70, "Input 1 for method forward is an int of more than 64 bits"),
    ],
)
def test_another_value_than_the_exported_one_is_refused_in_words(index, value, words):
    values = list(VALUES)
    values[index] = value
    with pytest.raises(RuntimeError, match=words):
        load("values").execute(values)


def test_a_tensor_of_rank_0():
    method = load("sum_scalar")
    (output,) = method.execute([numpy.float32(2), numpy.array(3, numpy.float32)])
    assert output.shape == ()
    assert output == 5


def test_a_tensor_without_elements():
    (output,) = load("sum_empty").execute([numpy.empty((0, 3), numpy.float32)] * 2)
    assert output.shape == (0, 3)


def test_one_tensor_is_a_sequence_of_one():
    module = portable_lib._load_for_executorch(program_path("same_float32"))
    array = numbers("float32")
    assert (module(array)[0] == array).all()
    assert (module.forward([array])[0] == array).all()


@pytest.mark.parametrize("name", ["sum_bounded", "sum_bounded_planned"])
def test_shapes_up_to_the_bound(name):
    method = load(name)
    for shape in [(4, 8), (1, 2), (0, 8), (3, 8), (4, 8)]:
        array = numpy.random.default_rng(1).random(shape, numpy.float32)
        (output,) = method.execute([array, array])
        assert output.shape == shape
        assert (output == array + array).all()
    with pytest.raises(RuntimeError, match="error: 0x10"):
        method.execute([numpy.zeros((5, 8), numpy.float32)] * 2)
    (output,) = method.execute([array, array])
    assert (output == array + array).all()
