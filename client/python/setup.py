# SPDX-License-Identifier: Apache-2.0
"""For a pip that is too old for pyproject.toml; setup.cfg says everything."""

from setuptools import setup

setup()
