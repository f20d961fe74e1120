# SPDX-License-Identifier: Apache-2.0
"""tegu-bench compare: reads the files that `tegu-bench run` writes on boards and shows them beside each
other.

Data flows one way: files become Boards (load, schema, board), Boards become findings (ranking, roofline,
crossover, seeds, caveats), findings become a Report of sections with tables and pictures (sections), and a
Report is written as a page, as Markdown or as CSV. Only pictures/ needs matplotlib, only page/ needs
Jinja2."""
