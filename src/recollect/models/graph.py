"""ONNX graphs as bytes: with a further output, with their weights left in the file, or in floats.

A graph is a message of protocol buffers, which can be cut and put together without reading what is
in it. The numbers are the fields of onnx.proto: 7 of a model is its graph; 1 of that a node, 5 a
tensor, 12 an output; 1, 2, 4 and 5 of a node what goes in and comes out, its operator and its
attributes; 2 of a tensor its type, 9 its bytes, 13 and 14 where else these are.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

from recollect.named_tuple import NamedTuple

_LARGE = 4096
"""Bytes of a tensor from which on it is left in the file."""
_BYTES = (2, 3)
"""Types whose numbers are one byte long, so that they may lie anywhere: uint8, int8."""


class _Field(NamedTuple):
    number: int
    begin: int
    start: int
    """Of its value, which is behind its tag."""
    end: int


def with_output(graph: bytes, name: str) -> bytes:
    """Returns the graph with an inner value as a further output: messages that stand behind each
    other are one, of which lists are joined."""
    return graph + _message(7, _message(12, _message(1, name.encode())))


def without_weights(path: Path) -> bytes:
    """Returns the graph of a file whose large tensors say where in the file they are: the runtime
    maps those into memory, and reads what a run needs."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return b"".join(
            _message(7, b"".join(_graph(data, one, path.name)))
            if one.number == 7
            else data[one.begin : one.end]
            for one in _fields(data, 0, len(data))
        )


def in_floats(graph: bytes) -> bytes:
    """Returns a graph that multiplies in floats where it would in bytes: accelerators have no
    operator for that, and each product would go through the processor."""
    return b"".join(
        _message(7, b"".join(_nodes_in_floats(graph, one)))
        if one.number == 7
        else graph[one.begin : one.end]
        for one in _fields(graph, 0, len(graph))
    )


def _nodes_in_floats(data: bytes, graph: _Field) -> Iterator[bytes]:
    for one in _fields(data, graph.start, graph.end):
        node = _node(data, one) if one.number == 1 else None
        if node is not None and node.operator == "QuantizeLinear":
            yield _written_node("Identity", node.inputs[:1], node.output)
        elif node is not None and node.operator == "MatMulIntegerToFloat":
            yield from _product(node)
        else:
            yield data[one.begin : one.end]


class _Node(NamedTuple):
    operator: str
    inputs: list[str]
    output: str
    """The first."""


def _node(data: bytes, node: _Field) -> _Node:
    said: dict[int, list[str]] = {1: [], 2: [], 4: []}
    for one in _fields(data, node.start, node.end):
        if one.number in said:
            said[one.number].append(data[one.start : one.end].decode())
    return _Node(said[4][0], said[1], said[2][0])


def _product(node: _Node) -> Iterator[bytes]:
    """The product of what was quantised (and is not any more) with weights of one byte, each
    column of which has a scale."""
    left, weights, _, scales, *more = node.inputs
    bias = more[2:]
    cast, whole, product = (f"{node.output}.{part}" for part in ("cast", "whole", "product"))
    yield _written_node("Cast", [weights], cast, _TO_FLOAT)
    yield _written_node("Mul", [cast, scales], whole)
    yield _written_node("MatMul", [left, whole], product if bias else node.output)
    if bias:
        yield _written_node("Add", [product, *bias], node.output)


def _written_node(operator: str, inputs: list[str], output: str, attribute: bytes = b"") -> bytes:
    parts = [_message(1, name.encode()) for name in inputs]
    parts += [_message(2, output.encode()), _message(4, operator.encode()), attribute]
    return _message(1, b"".join(parts))


def _graph(data: mmap.mmap, graph: _Field, file: str) -> Iterator[bytes]:
    since = graph.start
    for one in _fields(data, graph.start, graph.end):
        if one.number == 5 and one.end - one.start >= _LARGE:
            yield data[since : one.begin]
            yield _message(5, _tensor(data, one, file))
            since = one.end
    yield data[since : graph.end]


def _tensor(data: mmap.mmap, tensor: _Field, file: str) -> bytes:
    fields = {one.number: one for one in _fields(data, tensor.start, tensor.end)}
    raw = fields.get(9)
    if raw is None or data[fields[2].start] not in _BYTES:
        return data[tensor.start : tensor.end]
    said = {"location": file, "offset": str(raw.start), "length": str(raw.end - raw.start)}
    where = [
        _message(13, _message(1, k.encode()) + _message(2, v.encode())) for k, v in said.items()
    ]
    is_elsewhere = bytes((14 << 3, 1))
    kept = data[tensor.start : raw.begin] + data[raw.end : tensor.end]
    return b"".join((kept, *where, is_elsewhere))


def _fields(data: mmap.mmap | bytes, at: int, end: int) -> Iterator[_Field]:
    while at < end:
        begin = at
        tag, at = _number(data, at)
        if tag & 7 == 2:
            size, at = _number(data, at)
            after = at + size
        else:
            after = _number(data, at)[1] if tag & 7 == 0 else at + (8 if tag & 7 == 1 else 4)
        yield _Field(tag >> 3, begin, at, after)
        at = after


def _number(data: mmap.mmap | bytes, at: int) -> tuple[int, int]:
    """Returns the number that is written here, seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        if data[at] < 128:
            return value, at + 1
        at, shift = at + 1, shift + 7


def _message(number: int, value: bytes) -> bytes:
    return _written(number << 3 | 2) + _written(len(value)) + value


def _written(number: int) -> bytes:
    sevens = [number >> shift & 127 for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([*(seven | 128 for seven in sevens[:-1]), sevens[-1]])


_TO_FLOAT = _message(5, _message(1, b"to") + bytes((3 << 3, 1)) + _written(20 << 3) + b"\2")
"""The attribute of a cast: to the type 1, given as an integer (2)."""
