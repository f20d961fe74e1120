#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ABI: libtegu.so exports exactly the functions that tegu.h declares, all in version TEGU_0; it knows the
Python package's view of tegu.h: same structs, same lists, same version. Of the lists that tegu.h repeats,
request.cpp asserts statuses and element types. The package's lists are what tegu-describe prints."""

import ctypes
import inspect
import os
import re
import subprocess
import sys
import tempfile

import harness

harness.preload_sanitizer()
import tegu  # noqa: E402
from tegu import _abi, _types  # noqa: E402

HEADER = os.path.join(harness.SOURCE, "client", "tegu.h")
LIBRARY = os.path.join(harness.BUILD, "lib", "libtegu.so.0")


def declared():
    with open(HEADER) as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return set(re.findall(r"TEGU_API[^;(]*?(tegu_\w+)\(", text))


def exported():
    lines = subprocess.check_output(["nm", "-D", "--defined-only", LIBRARY]).decode().splitlines()
    symbols = [line.split()[1:] for line in lines]
    return {name for kind, name in symbols if kind != "A"}


def check(condition, text):
    if not condition:
        print(text)
        check.failed = True


check.failed = False


def check_exports():
    functions, symbols = declared(), exported()
    check(len(functions) > 30, "only %d functions were found in tegu.h" % len(functions))
    check(all(name.endswith("@@TEGU_0") for name in symbols), "not in version TEGU_0: %s" % sorted(symbols))
    names = {name.split("@")[0] for name in symbols}
    check(names == functions, "declared and exported differ: %s" % sorted(names ^ functions))
    soname = subprocess.check_output(["readelf", "-d", LIBRARY]).decode()
    check("[libtegu.so.0]" in soname, "the soname is not libtegu.so.0")


def check_python():
    check(set(_abi.FUNCTIONS) <= declared(), "not in tegu.h: %s" % sorted(set(_abi.FUNCTIONS) - declared()))
    structs = {
        "tegu_error": _abi.Error,
        "tegu_options": _abi.Options,
        "tegu_field": _abi.Field,
        "tegu_buffer_info": _abi.BufferInfo,
        "tegu_job": _abi.JobInfo,
        "tegu_kernel": _abi.Kernel,
        "tegu_operand": _abi.Operand,
        "tegu_params": _abi.Params,
        "tegu_part": _abi.Part,
        "tegu_request": _abi.Request,
        "tegu_array": _abi.Array,
        "tegu_timing": _abi.Timing,
        "tegu_poll_state": _abi.PollState,
        "tegu_python": _abi.Python,
        "tegu_shape": _abi.Shape,
        "tegu_ran": _abi.Ran,
    }
    structs.update(("tegu_%s_params" % stem, struct) for stem, struct in _abi.PARAMS.items())
    lines = []
    for name, struct in sorted(structs.items()):
        lines.append('printf("%%zu\\n", sizeof(%s));' % name)
        lines += ['printf("%%zu\\n", offsetof(%s, %s));' % (name, field[0]) for field in struct._fields_]
    expected = []
    for name, struct in sorted(structs.items()):
        expected.append(ctypes.sizeof(struct))
        expected += [getattr(struct, field[0]).offset for field in struct._fields_]
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "offsets.c"), os.path.join(folder, "offsets")
        with open(source, "w") as file:
            file.write(
                '#include "client/tegu.h"\n#include <stdio.h>\nint main(void) {\n%s\nreturn 0;\n}\n'
                % "\n".join(lines)
            )
        subprocess.check_call(["cc", "-std=c99", "-I", harness.SOURCE, "-o", program, source])
        found = [int(line) for line in subprocess.check_output([program]).decode().split()]
    check(found == expected, "sizes and offsets differ: C %s, Python %s" % (found, expected))
    library = _abi.library()
    for number in range(256):
        word = library.tegu_element_word(number)
        check(
            (word.decode() if word else None) == _types.WORDS.get(number),
            "element type %d: %s" % (number, word),
        )
        check(
            library.tegu_element_bytes(number) == _types.BYTES.get(number, 0),
            "bytes of element type %d" % number,
        )
    for number, name in enumerate(_abi.STATISTICS):
        check(library.tegu_role_word(number + 1) == name.encode(), "statistic %d: %s" % (number, name))
    check(
        library.tegu_role_word(len(_abi.STATISTICS) + 1) is None, "a statistic that the package does not know"
    )


def constants(prefix):
    """{"SUM": 2, ...}: the enumerators TEGU_<prefix>... of tegu.h, with their values."""
    with open(HEADER) as file:
        found = re.findall(r"\bTEGU_%s(\w+) = (\d+)(?: << (\d+))?" % prefix, file.read())
    return {name: int(value) << int(shift or 0) for name, value, shift in found}


def check_lists():
    library = _abi.library()
    statistics = {name.upper(): 1 << number for number, name in enumerate(_abi.STATISTICS)}
    check(constants("STAT_") == statistics, "TEGU_STAT_*: %s" % constants("STAT_"))
    roles = {
        (library.tegu_role_word(number) or b"").decode().upper(): number
        for number in range(len(statistics) + 1, 256)
    }
    roles.pop("", None)
    check(constants("ROLE_") == roles, "TEGU_ROLE_*: %s, the library has %s" % (constants("ROLE_"), roles))
    package = {word.upper(): number for word, number in _abi.ROLES.items()}
    check(package == roles, "ROLES of the package: %s" % package)
    numbers = constants("")
    check(
        all(numbers.get(stem.upper()) == number for stem, number in _abi.OPERATIONS.items()),
        "operations of tegu.h",
    )
    backends = {name.lower(): number for name, number in constants("BACKEND_").items() if name != "AUTO"}
    check(
        {word: number for number, word in _abi.BACKENDS.items()} == backends,
        "BACKENDS of the package: %s" % _abi.BACKENDS,
    )
    check(_abi.DEADLINE_EXCEEDED == numbers["DEADLINE_EXCEEDED"], "DEADLINE_EXCEEDED of the package")


def check_described():
    """The package's lists are those of base/operations, and so are the defaults of its calls."""
    described = subprocess.check_output([os.path.join(harness.BUILD, "tests", "tegu-describe")]).decode()
    with open(os.path.join(harness.SOURCE, "client", "python", "tegu", "_described.py")) as file:
        check(file.read() == described, "_described.py is old: cmake --build . --target describe")
    for stem, parameters in _abi.PARAMETERS.items():
        given = inspect.signature(getattr(tegu.Client, stem)).parameters
        check("options" in given or stem == "fused", "%s() takes no options" % stem)
        for name, _, usual, _ in parameters:
            if name in given and given[name].default is not inspect.Parameter.empty:
                check(str(given[name].default) == str(usual), "the default of %s in %s()" % (name, stem))


def check_versions():
    version = _abi.library().tegu_version().decode()
    check(tegu.__version__ == version, "tegu.__version__ is not %s" % version)


check_exports()
check_python()
check_lists()
check_described()
check_versions()
print("failed" if check.failed else "the ABI is as declared")
sys.exit(1 if check.failed else 0)
