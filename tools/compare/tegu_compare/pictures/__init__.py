# SPDX-License-Identifier: Apache-2.0
"""Pictures by matplotlib, without its windows and its global state. Each module draws one kind; svg.py makes
SVG of a figure whose colours follow the page's CSS."""
