#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/CMakeLists.txt as a project of its own, against the installed client library."""

import os
import subprocess
import tempfile
import unittest

import example


class Build(unittest.TestCase):
    def test_against_what_is_installed(self):
        with tempfile.TemporaryDirectory(prefix="tegu-examples-") as folder:
            prefix, out = os.path.join(folder, "prefix"), os.path.join(folder, "out")
            script = os.path.join(example.harness.BUILD, "cmake_install.cmake")
            install = ["-DCMAKE_INSTALL_PREFIX=" + prefix, "-DCMAKE_INSTALL_COMPONENT=client", "-P", script]
            subprocess.check_call(["cmake"] + install, stdout=subprocess.DEVNULL)
            os.mkdir(out)
            for command in (
                ["cmake", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_PREFIX_PATH=" + prefix, example.EXAMPLES],
                ["cmake", "--build", "."],
            ):
                done = subprocess.run(command, cwd=out, stdout=-1, stderr=subprocess.STDOUT)
                self.assertEqual(done.returncode, 0, done.stdout.decode())
            for name in ("sensor_stream", "camera_anomaly"):
                self.assertTrue(os.access(os.path.join(out, name), os.X_OK), name)


if __name__ == "__main__":
    unittest.main()
