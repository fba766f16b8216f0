"""Arrays as they lie in memory: what is refused, what is copied, and that numbers are never mixed up."""

import numpy
import pytest
from conftest import load

CHANNELS_LAST = (0, 2, 3, 1)


def images():
    return numpy.arange(24, dtype=numpy.float32).reshape(1, 2, 3, 4)


def channels_last(array):
    """The same values, the channels innermost in memory."""
    return numpy.ascontiguousarray(array.transpose(CHANNELS_LAST)).transpose(0, 3, 1, 2)


@pytest.mark.parametrize("program", ["sum_4d", "sum_channels_last"])
@pytest.mark.parametrize("one", [images, lambda: channels_last(images())])
@pytest.mark.parametrize("other", [images, lambda: channels_last(images())])
def test_values_count_whatever_the_order_in_memory(program, one, other):
    (output,) = load(program).execute([one(), other()])
    assert (output == 2 * images()).all()
    expected = images() if program == "sum_4d" else channels_last(images())
    assert output.strides == expected.strides


def test_torch_memory_formats(torch):
    tensor = torch.arange(24.0).reshape(1, 2, 3, 4)
    last = tensor.to(memory_format=torch.channels_last)
    (output,) = load("sum_channels_last").execute([tensor, last])
    assert torch.equal(output, 2 * tensor)
    assert output.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize(
    "array",
    [
        numpy.zeros((3, 2), numpy.float32).T,
        numpy.zeros((4, 3), numpy.float32)[::2],
        numpy.zeros((2, 3), numpy.float32)[:, ::-1],
        numpy.broadcast_to(numpy.float32(1), (2, 3)),
    ],
)
@pytest.mark.parametrize("name", ["sum_planned", "sum"])
def test_other_orders_are_refused(name, array):
    with pytest.raises(RuntimeError, match="Input 0 for method forward should be contiguous"):
        load(name).execute([array, array])


def test_strides_of_dimensions_of_one_element_do_not_matter():
    array = numpy.lib.stride_tricks.as_strided(
        numpy.arange(24, dtype=numpy.float32), (1, 2, 3, 4), (4, 48, 16, 4)
    )
    (output,) = load("sum_4d").execute([array, array])
    assert (output == 2 * images()).all()


def test_another_byte_order_is_refused():
    array = numpy.zeros((2, 3), ">f4")
    with pytest.raises(RuntimeError, match="Unsupported python type"):
        load("sum").execute([array, array])


def test_memory_that_is_not_aligned_is_copied():
    raw = bytearray(25)
    array = numpy.frombuffer(raw, numpy.float32, 6, 1).reshape(2, 3)
    array[:] = [[0, 1, 2], [3, 4, 5]]
    assert not array.flags.aligned
    (output,) = load("sum").execute([array, array])
    assert output.tolist() == [[0, 2, 4], [6, 8, 10]]


@pytest.mark.parametrize("name", ["sum_planned", "sum"])
def test_memory_that_can_not_be_written_is_an_input_too(name):
    array = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    array.flags.writeable = False
    (output,) = load(name).execute([array, array])
    assert (output == 2 * array).all()


def test_a_program_that_writes_to_an_input_never_writes_to_what_is_read_only():
    array = numpy.ones((2, 3), numpy.float32)
    array.flags.writeable = False
    (output,) = load("in_place").execute([array, array])
    assert (output == 2).all()
    assert (array == 1).all()


def test_a_program_that_writes_to_an_input_writes_to_the_callers_array():
    array, other = numpy.ones((2, 3), numpy.float32), numpy.ones((2, 3), numpy.float32)
    (output,) = load("in_place").execute([array, other])
    assert (output == 2).all()
    assert (array == 2).all()
    assert not numpy.shares_memory(output, array)


def test_an_input_without_a_place_is_not_copied():
    array = numpy.ones((2, 3), numpy.float32)
    (output,) = load("same_float32")._method([array], clone_outputs=False)
    assert numpy.shares_memory(output, array)


def test_views_whose_values_are_not_what_lies_in_memory(torch):
    tensor = torch.complex(torch.zeros(2, 3), torch.ones(2, 3)).conj()
    (output,) = load("same_complex64").execute([tensor])
    assert torch.equal(output, tensor.resolve_conj())
    negative = tensor.imag
    assert negative.is_neg()
    (output,) = load("same_float32").execute([negative.contiguous()])
    assert torch.equal(output, torch.full((2, 3), -1.0))


def test_tensors_that_require_gradients(torch):
    tensor = torch.ones(2, 3, requires_grad=True)
    for given in (tensor, torch.nn.Parameter(torch.ones(2, 3))):
        (output,) = load("sum").execute([given, given])
        assert not output.requires_grad
        assert torch.equal(output, torch.full((2, 3), 2.0))
