"""The kernel of a student: `python -I -m gate.grading.boxed -f CONNECTION_FILE`. It takes its limits, then is a kernel.

Not here: what it may see (`protect`), how long it may take (`runner`), what all its processes may use (`watch`).
"""

from __future__ import annotations

import os
import socket
import struct
import sys

MEMORY = 2 * 1024**3  # bytes of address space, for each process
FILE = 16 * 1024**2  # bytes of one file
FILES = 256  # open at once
PROCESSES = 4096  # of this user, who has others; the system does not count an administrator's (`family` does)
ALONE = "GATE_ALONE"  # set where there is a network of its own, in which nothing is up yet
_SIOCSIFFLAGS, _UP_AND_RUNNING = 0x8914, 0x41


def limit() -> None:
    """Take the limits for this process and all that it starts; where the system has none, nothing happens."""
    try:
        import resource
    except ImportError:
        return
    limits = {"RLIMIT_AS": MEMORY, "RLIMIT_FSIZE": FILE, "RLIMIT_NOFILE": FILES, "RLIMIT_NPROC": PROCESSES,
              "RLIMIT_CORE": 0}  # fmt: skip
    for name, most in limits.items():
        if hasattr(resource, name):
            hard = resource.getrlimit(getattr(resource, name))[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(getattr(resource, name), (most, most))


def loopback() -> None:
    """Let this machine talk to itself, which a local judge needs; Linux's way, without a tool."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _UP_AND_RUNNING))


def main() -> None:
    """Run the kernel, without history and without anything of this user's."""
    if os.environ.pop(ALONE, ""):
        loopback()
    os.environ.setdefault("IPYTHONDIR", os.path.join(os.getcwd(), ".ipython"))
    limit()
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(argv=[*sys.argv[1:], "--HistoryManager.enabled=False"])


if __name__ == "__main__":
    main()
