"""Where the models of this machine run: on the processor, or on an accelerator that ONNX Runtime
has an execution provider for.

What a device needs is another build of ONNX Runtime, which is no dependency. Where it is not there,
or the accelerator is not, models run on the processor, and it is said why. A model that is loaded
for one question runs on the processor in any case: an accelerator takes longer to begin.
"""

from __future__ import annotations

import os
import warnings

from recollect.named_tuple import NamedTuple

# On Linux its wheels keep a device id and a queue of events in the user's cache folder and look a
# telemetry host up for as long as the process lives. The variable is read when the library is
# loaded, so it is set before; processes that are started from here inherit it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime

__all__ = ["CPU", "DEVICES", "is_accelerated", "onnxruntime", "providers", "warn", "why_not"]

CPU = "cpu"
_PROCESSOR = "CPUExecutionProvider"


class Device(NamedTuple):
    """An execution provider, and what has it."""

    provider: str
    package: str


DEVICES = {
    CPU: Device(_PROCESSOR, "onnxruntime"),
    "cuda": Device("CUDAExecutionProvider", "onnxruntime-gpu, with CUDA and cuDNN"),
    "coreml": Device("CoreMLExecutionProvider", "onnxruntime on macOS"),
    "directml": Device("DmlExecutionProvider", "onnxruntime-directml on Windows"),
}


def providers(name: str) -> list[str]:
    """Returns the execution providers for a device, the one to be tried first before others."""
    wanted = DEVICES[name].provider
    there = wanted in onnxruntime.get_available_providers()
    return [wanted, _PROCESSOR] if there and wanted != _PROCESSOR else [_PROCESSOR]


def is_accelerated(session: onnxruntime.InferenceSession) -> bool:
    """Whether an accelerator runs this session, as far as it can."""
    return bool(session.get_providers()[0] != _PROCESSOR)


def why_not(name: str, used: list[str] | None = None) -> str:
    """Says why models do not run on this device; empty if they do. *used* are the providers of a
    session that was made for it: one that is there may still fail to begin."""
    device = DEVICES[name]
    there: list[str] = onnxruntime.get_available_providers()
    if device.provider not in there:
        return (
            f"device is {name}, and this ONNX Runtime has no {device.provider} "
            f"({device.package} has it): models run on the processor"
        )
    if used is not None and device.provider not in used:
        return (
            f"device is {name}, and {device.provider} could not begin (its driver or libraries "
            "are missing): models run on the processor"
        )
    return ""


def warn(name: str, used: list[str]) -> None:
    """Says on standard error, once, that models do not run where they should."""
    if why := why_not(name, used):
        warnings.warn(why, RuntimeWarning, stacklevel=2)
