# The model check, rule by rule: a right model is changed in one place and must be refused, in
# the same words by engine_check() and engine_open().

import copy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tflite

from builder import Array, Model, Op, Quantization, constant
from checking import ERR_MODEL, check, copy_of
from programs import run

Change = Callable[[Model], None]


def tensor(index: int, **values: object) -> Change:
    def change(model: Model) -> None:
        vars(model.tensors[index]).update(values)

    return change


def values(index: int, array: Array) -> Change:
    """Another constant, with its shape and type."""
    new = constant(array)
    return tensor(index, shape=new.shape, type=new.type, data=new.data)


def scales(index: int, *new: float, zero_point: int = 0, dimension: int = 0) -> Change:
    quantization = Quantization(list(new), [zero_point] * len(new), dimension)
    return tensor(index, quantization=quantization)


def options(**values: object) -> Change:
    def change(model: Model) -> None:
        model.ops[0].values.update(values)

    return change


def op(**values: object) -> Change:
    def change(model: Model) -> None:
        vars(model.ops[0]).update(values)

    return change


def input_as(place: int, index: int) -> Change:
    def change(model: Model) -> None:
        model.ops[0].inputs[place] = index

    return change


def graph(**values: object) -> Change:
    def change(model: Model) -> None:
        vars(model).update(values)

    return change


def in_subgraph(change: Change) -> Change:
    return lambda model: change(model.subgraphs[0])


def without_handle(model: Model) -> None:
    """What was a handle is an input."""
    handle = next(op for op in model.ops if op.code == tflite.BuiltinOperator.VAR_HANDLE)
    model.ops.remove(handle)
    model.inputs += handle.outputs


def many_handles(model: Model) -> None:
    code = tflite.BuiltinOperator.VAR_HANDLE
    (handle, *_) = [op for op in model.ops if op.code == code]
    for _ in range(256):
        new = model.add(copy.copy(model.tensors[handle.outputs[0]]))
        model.ops.insert(0, Op(code, [], [new], handle.options, handle.values))


def deep(depth: int) -> Change:
    """A layer of so many inputs."""

    def change(model: Model) -> None:
        model.tensors[0].shape = [2, depth]
        model.tensors[1].shape = [7, depth]
        model.tensors[1].data = bytes(7 * depth)

    return change


def twice(model: Model) -> None:
    model.ops.append(copy.deepcopy(model.ops[0]))


def shared_output(model: Model) -> None:
    model.ops[0].outputs[1] = model.ops[0].outputs[0]


INT8 = tflite.TensorType.INT8
LSTM = "unidirectional_sequence_lstm"
HYBRID = "float activations with int8 weights: convert with full integer"
REFUSALS: list[tuple[str, Change, str]] = [
    # the model
    ("abs_float32", graph(version=4), "schema version 4, 3 is needed"),
    ("abs_float32", graph(inputs=[7]), "input 0: tensor 7 of 2"),
    ("abs_float32", graph(outputs=[-1]), "output 0: tensor -1 of 2"),
    ("reshape_int8", graph(inputs=[0, 1]), "input 1 has another source"),
    ("variables_float32", options(InitSubgraphIndex=2), "no such subgraph"),
    ("variables_float32", options(InitSubgraphIndex=0), "no such subgraph"),
    (
        "variables_float32",
        in_subgraph(op(code=tflite.BuiltinOperator.READ_VARIABLE)),
        "its READ_VARIABLE does not assign a constant",
    ),
    (
        "variables_float32",
        in_subgraph(tensor(1, data=None)),
        "its ASSIGN_VARIABLE does not assign a constant",
    ),
    ("variables_float32", in_subgraph(tensor(1, shape=[1, 3])), "values of one variable differ"),
    ("variables_float32", without_handle, "no variable"),
    ("variables_float32", without_handle, "input 1 stands for a variable"),
    ("variables_float32", many_handles, "more than 256 operators for variables"),
    ("add_float32_same", graph(inputs=[0, 0]), "input 1 has another source"),
    ("fully_connected_int8_2", deep(66000), "sums of 66000 values"),
    ("fully_connected_uint8_2", deep(33100), "sums of 33100 values"),
    ("abs_float32", tensor(0, type=12), "type 12 is not supported"),
    ("abs_float32", tensor(0, shape=[1] * 6), "rank 6, at most 5 is supported"),
    ("abs_float32", tensor(0, shape=[-1]), "impossible shape"),
    ("abs_float32", tensor(0, shape=[1 << 15, 1 << 15]), "impossible shape"),
    ("abs_float32", tensor(0, shape=[0]), "no elements"),
    ("abs_float32", tensor(0, buffer=9), "buffer 9 of 1"),
    ("reshape_int8", tensor(1, data=b"123"), "3 bytes of data, 8 are needed"),
    ("reshape_int8", tensor(1, variable=True), "a variable with data"),
    ("relu_int8", scales(0, 0.1, zero_point=128), "zero point 0 is out of range"),
    ("relu_int8", tensor(0, quantization=Quantization([1] * 3, [0] * 2)), "2 zero points for 3"),
    ("relu_int8", scales(0, 0.0), "input 0: scale not positive"),
    # any operator
    ("abs_float32", op(inputs=[0, 0]), "2 inputs and 1 outputs"),
    ("abs_float32", op(outputs=[]), "1 inputs and 0 outputs"),
    ("abs_float32", op(inputs=[-1]), "input 0 is absent"),
    ("abs_float32", op(inputs=[5]), "tensor 5 of 2"),
    ("abs_float32", graph(inputs=[]), "input without a source"),
    ("abs_float32", twice, "output with another source"),
    ("split_int8", shared_output, "output with another source"),
    ("add_int8_same", op(options=None), "options of type 0, 11 are needed"),
    ("add_int8_same", op(options_type=1), "options of type 1, 11 are needed"),
    ("add_int8_same", options(FusedActivationFunction=77), "damaged options"),
    ("add_int8_same", options(FusedActivationFunction=4), "fused activation 4 not supported"),
    ("abs_float32", tensor(1, type=INT8), "float32 to int8 is not supported"),
    ("abs_float32", tensor(1, shape=[2, 12]), "rank 2, 3 is needed"),
    ("abs_float32", tensor(1, shape=[2, 4, 3]), "dimension 1 is 4, 3 is needed"),
    # layers
    ("conv_2d_float32_same", tensor(1, type=INT8), HYBRID),
    ("fully_connected_float32_2", tensor(1, type=INT8), HYBRID),
    ("conv_2d_float32_same", options(Padding=2), "padding is not known"),
    ("conv_2d_float32_same", options(StrideH=0), "filter 3, stride 0, dilation 1"),
    ("conv_2d_float32_same", options(StrideW=3), "image size 3, 2 is needed"),
    ("conv_2d_float32_same", options(DilationHFactor=1 << 20), "dilation 1048576"),
    (
        "conv_2d_int8_same",
        scales(1, *[0.1] * 8, dimension=3),
        "quantized dimension 3, 0 is needed",
    ),
    ("conv_2d_int8_same", scales(1, *[0.1] * 7), "number of scales 7, 8 is needed"),
    ("conv_2d_int8_same", scales(1, 0.1, zero_point=1), "zero point 1, 0 is needed"),
    ("conv_2d_int8_same", scales(1, -0.1), "scale out of range"),
    ("conv_2d_int8_same", scales(1, *[float("nan")] * 8), "scale out of range"),
    ("conv_2d_int8_same", scales(1, 1e6), "output scale too small"),
    ("conv_2d_int8_same", tensor(1, quantization=None), "number of scales 0, 1 is needed"),
    ("conv_2d_int8_same", tensor(0, quantization=None), "number of scales 0, 1 is needed"),
    ("conv_2d_uint8_same", scales(2, 9.0), "scale is not input times weights"),
    ("conv_2d_int8_same", values(2, np.zeros(7, np.int32)), "size 7, 8 is needed"),
    ("conv_2d_float32_same", tensor(1, shape=[8, 3, 3, 2]), "3 channels to 8 with filters of 2"),
    ("conv_2d_int16_same", scales(0, 0.1, zero_point=1), "zero point 1, 0 is needed"),
    ("depthwise_conv_2d_int8_same", options(DepthMultiplier=1), "1 times 3 channels are not 6"),
    ("fully_connected_int8_2", options(WeightsFormat=1), "shuffled weights not supported"),
    (
        "fully_connected_int8_2",
        tensor(0, shape=[2, 11]),
        "size 22 does not fit",
    ),
    ("fully_connected_int8_2", tensor(3, shape=[2, 6]), "last dimension, 7 is needed"),
    ("fully_connected_int8_2", scales(2, 9.0), "scale is not input times weights"),
    ("svdf_int8", options(Rank=3), "8 filters, 4 units, rank 3"),
    ("svdf_int8", options(Rank=0), "8 filters, 4 units, rank 0"),
    ("svdf_int8", op(inputs=[0, 1, 2, 3, 0]), "int8 int8 int16 int32 int8 to int8"),
    ("svdf_float32", op(inputs=[0, 1, 2, 3, 1]), "dimension 0 is 8, 2 is needed"),
    ("svdf_int8", tensor(4, shape=[1, 39]), "8 times 5 are needed"),
    ("svdf_int8", tensor(4, variable=False), "input without a source"),
    ("svdf_int8", options(FusedActivationFunction=4), "fused activation 4"),
    ("svdf_int8", scales(4, 0.001, zero_point=1), "zero point 1, 0 is needed"),
    ("svdf_int8", scales(3, 1.0), "scale is not state times time weights"),
    (f"{LSTM}_int8", op(inputs=[0, 1, 2]), "3 inputs and 1 outputs"),
    (f"{LSTM}_int8", input_as(1, -1), "input 1 is absent"),
    (f"{LSTM}_int8", input_as(9, 1), "peephole weights not supported"),
    (f"{LSTM}_int8", input_as(16, 1), "projection not supported"),
    (f"{LSTM}_int8", input_as(20, 1), "layer normalisation not supported"),
    (f"{LSTM}_int8", options(FusedActivationFunction=0), "fused activation 0"),
    (f"{LSTM}_int8", options(TimeMajor=True), "dimension 0 is 1, 4 is needed"),
    (f"{LSTM}_int8", input_as(18, 0), "a variable is needed"),
    (f"{LSTM}_int8", tensor(5, shape=[25]), "rank 1, 2 is needed"),
    (f"{LSTM}_int8", scales(14, 0.0007), "scale is no power of two"),
    (f"{LSTM}_int8", scales(15, 0.001), "scale is not that of the state"),
    (f"{LSTM}_float32", tensor(1, type=9), HYBRID),
    ("average_pool_2d_int8_0", scales(1, 0.06), "inputs and outputs of different scales"),
    ("max_pool_2d_float32_1", options(FilterWidth=0), "filter 0, stride 2, dilation 1"),
    ("transpose_conv_int8_same", op(inputs=[0, 1, 2, 2]), "int32 int8 int8 int8 to int8 is not"),
    (
        "transpose_conv_int8_same",
        values(0, np.array([1, 6, 4, 3], np.int32)),
        "dimension 3 is 4, 3 is needed",
    ),
    ("transpose_conv_int8_same", options(StrideH=3), "image size 3, 2 is needed"),
    ("transpose_conv_int8_same", options(FusedActivationFunction=1), "fused activation 1 not"),
    ("transpose_conv_int8_same", scales(1, 1e6), "output scale too small"),
    ("transpose_conv_int8_computed", tensor(4, shape=[1, 5, 3, 3]), "dimension 3 is 3, 4 is"),
    ("batch_matmul_int8_2", options(AdjX=True), "depths of 3 and 4"),
    ("batch_matmul_int8_4", tensor(1, shape=[1, 4, 5]), "dimension 1 is 3, 1 is needed"),
    ("batch_matmul_int8_4", tensor(1, shape=[3, 1, 4, 5]), "batches of 2 and 3"),
    ("batch_matmul_int8_2", tensor(0, shape=[12]), "no matrices"),
    ("batch_matmul_int8_2", scales(2, 1e-9), "output scale too small"),
    ("batch_matmul_int16_2", scales(1, 0.02, zero_point=1), "zero point 1, 0 is needed"),
    ("batch_matmul_float32_2", tensor(1, type=INT8), HYBRID),
    ("transpose_conv_float32_same", tensor(1, type=INT8), HYBRID),
    # arithmetic
    ("relu_int8", scales(1, 1e-9), "output scale too small"),
    ("logistic_int8", scales(1, 1 / 256), "scale 1/256 and zero point -128 are needed"),
    ("tanh_int8", scales(1, 1 / 256), "scale 1/128 and zero point 0 are needed"),
    ("tanh_int8", scales(0, 1e-9), "scale too small"),
    ("softmax_int8", scales(1, 1 / 128, zero_point=-128), "scale 1/256 and zero point -128"),
    ("softmax_int8", options(Beta=-1.0), "scale too small"),
    ("l2_normalization_float32", options(FusedActivationFunction=1), "fused activation 1 not"),
    ("l2_normalization_uint8", scales(1, 1 / 128), "scale 1/128 and zero point 128 are needed"),
    ("quantize_float32_int8", scales(1, 0.1, 0.2), "number of scales 2, 1 is needed"),
    ("dequantize_int8_int32", scales(1, 0.1, zero_point=1), "one scale and zero point 0"),
    ("equal_int8_same", scales(0, 2e4), "input scale too large"),
    ("add_float32_channels", tensor(1, shape=[3]), "shapes do not broadcast in 5 dimensions"),
    ("add_int8_same", scales(2, 1e-9), "output scale too small"),
    ("maximum_int8_same", scales(0, 1.5), "inputs and outputs of different scales"),
    ("mul_int8_same", scales(2, 1e-9), "output scale too small"),
    ("arg_max_int8", values(1, np.array([3], np.int32)), "axis 3 of 3"),
    ("arg_max_int8", tensor(1, data=None), "input without a source"),
    ("arg_max_int8", graph(inputs=[0, 2]), "output with another source"),
    ("add_int16_same", scales(0, 0.04, zero_point=1), "zero point 1, 0 is needed"),
    ("mul_int16_same", scales(2, 1e-4), "output scale too small"),
    ("div_int8_same", scales(2, 1e-9), "output scale too small"),
    ("squared_difference_int8_same", scales(2, 1e-9), "output scale too small"),
    ("mean_float32_2", values(1, np.array([1, 4], np.int32)), "axis 4 of 4"),
    ("mean_float32_2", options(KeepDims=False), "rank 4, 2 is needed"),
    ("mean_int8_2", tensor(0, shape=[2, 4096, 2048, 5]), "sums of 8388608 values"),
    ("reduce_max_int8_2", scales(2, 0.9), "inputs and outputs of different scales"),
    # moving values
    ("reshape_int8", tensor(2, shape=[23]), "size 23, 24 is needed"),
    ("reshape_int8", scales(2, 0.9), "inputs and outputs of different scales"),
    ("reshape_int8_options", options(NewShape=[1] * 9), "damaged options"),
    ("pad_int8", values(1, np.array([[1, 0], [-2, 5]], np.int32)), "padding of -2"),
    ("pad_int8", values(1, np.array([[1, 0], [2, 2]], np.int32)), "dimension 1 is 6, 7 is needed"),
    ("pad_int8", values(1, np.array([[1, 0], [2, 1]], np.int64)), "int8 int64 to int8 is not"),
    ("padv2_int8", values(2, np.array([1, 2], np.int8)), "size 2, 1 is needed"),
    ("concatenation_int8", options(Axis=3), "axis 3 of 3"),
    ("concatenation_int8", scales(0, 0.9), "inputs and outputs of different scales"),
    ("concatenation_float32", op(inputs=[0, 1]), "size along the axis 7, 5 is needed"),
    ("pack_int8", options(ValuesCount=3), "3 values"),
    ("unpack_int8", options(Num=5), "5 values"),
    ("split_int8", tensor(1, shape=[2, 7, 3]), "size 7 in 3 parts"),
    ("split_v_int8", values(1, np.array([1, 4, 2], np.int32)), "dimension 1 is 3, 4 is needed"),
    ("split_v_int8", tensor(0, shape=[2, 7, 3]), "size along the axis 7, 6 is needed"),
    ("squeeze_int8", tensor(1, shape=[3, 2]), "shapes differ"),
    ("shape_int8_int32", tensor(1, shape=[4]), "dimension 0 is 4, 3 is needed"),
    ("transpose_int8", values(1, np.array([2, 0, 2], np.int32)), "axis 2 of 3"),
    ("transpose_int8", tensor(1, data=None), "input without a source"),
    ("reverse_v2_int8", values(1, np.array([1, -2], np.int32)), "axis 1 twice"),
    ("tile_int8", values(1, np.array([2, 4], np.int32)), "4 times dimension 1"),
    ("fill_int8", values(0, np.array([2, 4], np.int32)), "dimension 1 is 3, 4 is needed"),
    ("mirror_pad_int8_0", values(1, np.array([[2, 0], [1, 2]], np.int32)), "padding of 2"),
    ("slice_int8", values(1, np.array([0, 3, 1], np.int32)), "dimension 1 is 3, 2 is needed"),
    ("slice_int8", values(1, np.array([0, 2, 5], np.int32)), "3 elements from 5"),
    ("slice_int8", values(1, np.array([0, -2, 1], np.int32)), "-1 elements from -2"),
    ("strided_slice_int8", options(EllipsisMask=1), "rank 2, 3 is needed"),
    ("strided_slice_int8", options(Offset=True), "options not supported"),
    ("strided_slice_int8", values(1, np.array([3, 4, 1], np.int32)), "3 entries do not fit"),
    ("strided_slice_int8", values(3, np.array([1, 0, 2], np.int32)), "stride 0"),
    ("strided_slice_int8", values(2, np.array([9, 0], np.int32)), "size 2, 3 is needed"),
    ("space_to_batch_nd_int8", values(1, np.array([3, 3], np.int32)), "do not fit the blocks"),
    ("batch_to_space_nd_int8", tensor(3, shape=[2, 3, 5, 2]), "do not fit the blocks"),
    ("space_to_depth_int8", options(BlockSize=3), "shapes do not fit blocks of 3"),
    ("depth_to_space_int8", options(BlockSize=0), "shapes do not fit blocks of 0"),
    ("gather_int8", options(Axis=2), "dimension 1 is 4, 5 is needed"),
    ("gather_int8", options(BatchDims=2), "axis 2 of 2"),
    ("gather_int8", options(BatchDims=1), "dimension 0 differs"),
    ("gather_int8", options(BatchDims=-2), "-2 batch dimensions"),
    ("gather_int8", values(1, np.array([4, 0, 5, 2], np.int32)), "index 5 of 5"),
    ("gather_nd_int8", values(1, np.array([[1, 0], [0, -1]], np.int32)), "index -1 of 3"),
    ("gather_nd_int8", values(1, np.zeros((2, 4), np.int32)), "too many indices"),
    (
        "resize_bilinear_int8",
        options(AlignCorners=True, HalfPixelCenters=True),
        "align_corners with half_pixel_centers",
    ),
    (
        "resize_nearest_neighbor_int8",
        values(1, np.array([5, 5], np.int32)),
        "dimension 2 is 4, 5 is needed",
    ),
]


@pytest.mark.parametrize(("name", "change", "words"), REFUSALS)
def test_refused(name: str, change: Change, words: str, tmp_path: Path) -> None:
    model = copy_of(name)
    change(model)
    record = check(model, tmp_path)
    assert any(words in problem for problem in record["problems"]), record["problems"]
    assert record["status"] == ERR_MODEL
    assert record["problem"] == record["problems"][0]
    (opened,) = run("x64", tmp_path / "model.tflite")
    assert opened | record == opened | {"problems": record["problems"]}
