"""How far a walk over a folder may go.

A folder that somebody else wrote (a cloned repository, an unpacked archive) may hold links to
anything that its reader may read. A link is followed where it leads to something below the root of
the walk, and further only if the user says so. The file systems in which the kernel shows itself
(``/proc``, ``/sys``, ``/dev``) hold no documents and have no end: they are never entered.
"""

from __future__ import annotations

import os
from pathlib import Path

from recollect.named_tuple import NamedTuple

_KERNEL = frozenset(
    "autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devfs devpts devtmpfs efivarfs fusectl "
    "hugetlbfs mqueue nsfs proc pstore rpc_pipefs securityfs selinuxfs sysfs tracefs".split()
)
_MOUNTS = "/proc/self/mountinfo"


class Bounds(NamedTuple):
    """The limits of one walk."""

    inside: str
    """Links lead to places whose real path begins with this."""
    kernel: frozenset[int]
    """The devices of the kernel's file systems."""

    @classmethod
    def at(cls, root: Path, *, follow: bool) -> Bounds:
        """Returns the limits of a walk of *root*; none for links if *follow*."""
        inside = "/" if follow else os.path.join(os.path.realpath(root), "")
        return cls(inside, _kernel_devices())

    def refusal(self, path: str, info: os.stat_result, *, is_link: bool) -> str:
        """Returns why the walk does not take this entry; empty if it does."""
        if info.st_dev in self.kernel:
            return "on a file system of the kernel; never read"
        if is_link and not os.path.join(os.path.realpath(path), "").startswith(self.inside):
            return "a link out of the folder; not followed (setting import.follow_links)"
        return ""


def _kernel_devices() -> frozenset[int]:
    try:
        mounts = Path(_MOUNTS).read_text("utf-8", "replace").splitlines()
    except OSError:  # not Linux: there is /dev alone
        devices = {os.stat(place).st_dev for place in ("/", "/dev")}
        return frozenset(devices - {os.stat("/").st_dev})
    return frozenset(filter(None, map(_kernel_device, mounts)))


def _kernel_device(mount: str) -> int:
    """Returns the device of a line of mountinfo; 0 if its file system is an ordinary one."""
    about, _, source = mount.partition(" - ")
    if source.partition(" ")[0] not in _KERNEL:
        return 0
    major, _, minor = about.split(" ")[2].partition(":")
    return os.makedev(int(major), int(minor))
