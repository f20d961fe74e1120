# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel: the package of setup.cfg with the version of CMakeLists.txt, and libtegu.so.0 inside if
it is built or $TEGU_LIBRARY names it. Works offline and leaves nothing beside the sources."""

import atexit
import os
import re
import shutil
import struct
import sys
import tempfile

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    try:
        from wheel.bdist_wheel import bdist_wheel
    except ImportError:
        bdist_wheel = None

LIBRARY = "libtegu.so.0"
OLDEST_GLIBC = 27  # 2.27, of Ubuntu 18.04
MACHINES = {62: "x86_64", 183: "aarch64"}


def checkout():
    """The folder of the project. An old pip copies this folder elsewhere; then it is the shell's folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    shell = os.environ.get("PWD", here)
    for folder in (os.path.join(here, "..", ".."), shell, os.path.join(shell, "..", "..")):
        if os.path.isfile(os.path.join(folder, "client", "tegu.h")):
            return os.path.abspath(folder)
    sys.exit("tegu: run pip in the checkout: neither %s nor %s is in one" % (here, shell))


def version():
    with open(os.path.join(checkout(), "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"^project\(tegu VERSION ([\d.]+)", file.read(), re.M).group(1)


def library():
    """The path of the library to put in, or None."""
    named = os.environ.get("TEGU_LIBRARY")
    if named:
        named = os.path.join(os.environ.get("PWD", ""), named)
    if named and not os.path.isfile(named):
        sys.exit("tegu: there is no file %s ($TEGU_LIBRARY)" % named)
    path = named or os.path.join(checkout(), "build", "release", "lib", LIBRARY)
    return path if os.path.isfile(path) else None


def platform_of(path):
    """The tag of the systems that this library runs on, as pip names them."""
    with open(path, "rb") as file:
        image = file.read()
    if image[:6] != b"\x7fELF\x02\x01":
        sys.exit("tegu: %s is not a 64-bit little-endian ELF file" % path)
    machine = MACHINES.get(struct.unpack_from("<H", image, 18)[0])
    if machine is None:
        sys.exit("tegu: %s is for a machine that tegu does not run on" % path)
    needed = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", image)]
    if not needed or b"libstdc++.so" in image:  # no promise: it needs more than the C library of its system
        return "linux_" + machine
    return "manylinux_2_%d_%s" % (max([OLDEST_GLIBC] + needed), machine)


class Build(build_py):
    """The package, with its version and the library."""

    def run(self):
        build_py.run(self)
        package = os.path.join(self.build_lib, "tegu")
        with open(os.path.join(package, "_version.py"), "w", encoding="utf-8") as file:
            file.write('# SPDX-License-Identifier: Apache-2.0\n__version__ = "%s"\n' % version())
        path = library()
        if path is not None:
            shutil.copyfile(path, os.path.join(package, LIBRARY))
        else:
            self.warn("without %s: build it first, or install it on the system" % LIBRARY)

    def get_outputs(self, *arguments, **options):
        inside = [] if library() is None else [os.path.join(self.build_lib, "tegu", LIBRARY)]
        return build_py.get_outputs(self, *arguments, **options) + inside


class Project(Distribution):
    """With the library inside, the package belongs among those for one kind of machine."""

    def has_ext_modules(self):
        return library() is not None


commands = {"build_py": Build}
if bdist_wheel is not None:

    class Wheel(bdist_wheel):
        """For every Python 3; for one kind of machine if the library is inside."""

        def get_tag(self):
            path = library()
            return "py3", "none", "any" if path is None else platform_of(path)

    commands["bdist_wheel"] = Wheel

options = {}
if "develop" not in sys.argv:
    scratch = tempfile.mkdtemp(prefix="tegu-wheel-")
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    options = {"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}}

setup(version=version(), distclass=Project, cmdclass=commands, options=options)
