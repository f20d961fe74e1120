#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/notebook is executed anew: it prints what it printed when it was committed, to the last digit, and
draws as many pictures. The picture of docs/examples.md is one of these."""

import base64
import os
import unittest

import example

example.skip_without(["numpy", "matplotlib", "nbformat", "nbclient", "ipykernel"])
import nbclient  # noqa: E402
import nbformat  # noqa: E402

NOTEBOOK = os.path.join(example.EXAMPLES, "notebook", "hubble.ipynb")
PICTURE = os.path.join(example.harness.SOURCE, "docs", "examples", "notebook.png")


def texts(notebook):
    """What each cell printed."""
    return [
        "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def pictures(notebook):
    return [
        base64.b64decode(output.data["image/png"])
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]


class Notebook(example.Case):
    def test_executed_anew_it_has_the_same_results(self):
        committed = nbformat.read(NOTEBOOK, as_version=4)
        anew = nbformat.read(NOTEBOOK, as_version=4)
        for cell in anew.cells:
            if cell.cell_type == "code":
                cell.outputs = []
        os.environ.update(
            TEGU_SOCKET=self.daemon.socket, MPLBACKEND="module://matplotlib_inline.backend_inline"
        )
        runner = nbclient.NotebookClient(
            anew,
            timeout=120,
            kernel_name="python3",
            resources={"metadata": {"path": os.path.dirname(NOTEBOOK)}},
        )
        runner.execute()
        self.assertGreater(len("".join(texts(committed))), 400)
        self.assertEqual(texts(anew), texts(committed))
        self.assertEqual(len(pictures(anew)), len(pictures(committed)))
        self.assertGreater(len(pictures(anew)), 3)


class Page(unittest.TestCase):
    def test_the_picture_of_the_page_is_one_of_its_pictures(self):
        with open(PICTURE, "rb") as file:
            self.assertIn(file.read(), pictures(nbformat.read(NOTEBOOK, as_version=4)))


if __name__ == "__main__":
    unittest.main()
