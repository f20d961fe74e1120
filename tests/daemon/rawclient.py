# SPDX-License-Identifier: Apache-2.0
"""A client of tegud that sends whatever bytes it is told to, for tests that must break the rules: all of its
files under one name."""

from memfds import *  # noqa: F401,F403
from rawconnection import *  # noqa: F401,F403
from rawdaemon import *  # noqa: F401,F403
from rawmessages import *  # noqa: F401,F403
