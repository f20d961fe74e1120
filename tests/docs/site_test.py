#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site of docs/: it is built as one version of several, has every page and every declaration, and is
opened and searched in a Chromium. A broken link ends the build."""

import functools
import http.server
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(SOURCE, "tests"), os.path.join(SOURCE, "tests", "tools", "compare")]
import browser  # noqa: E402
import peers  # noqa: E402

MODULES = ("mkdocs", "material", "mkdocstrings", "mike")
SKIPPED = 77
peers.go_on_with(*MODULES)
if not all(map(importlib.util.find_spec, MODULES)):
    print("SKIPPED: MkDocs and its parts are not installed and could not be fetched")
    sys.exit(SKIPPED)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class Server(http.server.ThreadingHTTPServer):
    """The files of a folder on a free port of this machine."""

    def __init__(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.address = "http://127.0.0.1:%d/" % self.server_port
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A copy of what the site is made of, as a repository of its own, and its version 0.2."""
        # Neither the settings of this user nor the repository of a hook that runs the test.
        os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"):
            os.environ.pop(name, None)
        cls.folder = tempfile.mkdtemp(prefix="tegu-site-")
        cls.tree, cls.built = os.path.join(cls.folder, "tree"), os.path.join(cls.folder, "built")
        os.makedirs(cls.tree)
        for name in ("docs", "client", "scripts"):
            shutil.copytree(os.path.join(SOURCE, name), os.path.join(cls.tree, name))
        shutil.copy(os.path.join(SOURCE, "mkdocs.yml"), cls.tree)
        for name in os.listdir(SOURCE):  # what pages link outside of docs/
            if name[0] != "." and name != "build" and not os.path.exists(os.path.join(cls.tree, name)):
                os.symlink(os.path.join(SOURCE, name), os.path.join(cls.tree, name))
        for command in ("init -q", "config user.name t", "config user.email t@localhost"):
            subprocess.check_call(["git"] + command.split(), cwd=cls.tree)
        subprocess.check_call(["git", "commit", "-q", "--allow-empty", "-m", "empty"], cwd=cls.tree)
        for words in ("deploy --update-aliases 0.2 latest", "set-default latest"):
            done = cls.run_python("-c", "from mike.driver import main; main()", *words.split())
            assert done.returncode == 0, done.stdout
        os.mkdir(cls.built)
        pages = subprocess.Popen(["git", "archive", "gh-pages"], cwd=cls.tree, stdout=subprocess.PIPE)
        subprocess.check_call(["tar", "x"], cwd=cls.built, stdin=pages.stdout)
        pages.stdout.close()
        assert pages.wait() == 0

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def run_python(cls, *words):
        environment = dict(os.environ, NO_MKDOCS_2_WARNING="1", PYTHONDONTWRITEBYTECODE="1")
        environment["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        return subprocess.run(
            [sys.executable] + list(words),
            cwd=cls.tree,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )

    def page(self, *path):
        return re.sub(r"<[^>]*>", "", read(self.built, "0.2", *path))

    def test_every_file_of_docs_is_in_it(self):
        for folder, _, names in os.walk(os.path.join(self.tree, "docs")):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), os.path.join(self.tree, "docs"))
                stem, extension = os.path.splitext(path)
                if extension == ".md":
                    parent = os.path.dirname(path) if os.path.basename(path) == "README.md" else stem
                    path = os.path.join(parent, "index.html")
                if "__pycache__" not in path:
                    self.assertTrue(os.path.isfile(os.path.join(self.built, "0.2", path)), path)

    def test_the_reference_of_c_has_every_declaration(self):
        page, header = self.page("reference", "c", "index.html"), read(SOURCE, "client", "tegu.h")
        names = re.findall(r"TEGU_API[^;(]*?\b(tegu_\w+)\(", header)
        names += re.findall(r"^(?:\} |typedef struct \w+ )(tegu_\w+);", header, re.M)
        names += re.findall(r"^\s+(TEGU_\w+) =", header, re.M)
        self.assertGreater(len(names), 130)
        self.assertEqual([name for name in names if name not in page], [])

    def test_the_reference_of_cpp_has_every_class_and_no_body(self):
        page = self.page("reference", "cpp", "index.html")
        for name in os.listdir(os.path.join(SOURCE, "client", "tegu")):
            for kind in re.findall(
                r"^(?:class|struct) (?:\[\[nodiscard\]\] )?(\w+)", read(SOURCE, "client", "tegu", name), re.M
            ):
                self.assertIn(kind, page)
        for words in ("static Expected&lt;Client&gt; connect(", "Expected&lt;std::uint64_t&gt; submit("):
            self.assertIn(words, page)
        for words in ("return Error::from", "private:", "client_ = nullptr"):
            self.assertNotIn(words, page)

    def test_the_reference_of_python_has_every_name(self):
        page = self.page("reference", "python", "index.html")
        listed = re.findall(
            r'^    "([A-Z]\w+)",$', read(SOURCE, "client", "python", "tegu", "__init__.py"), re.M
        )
        self.assertGreater(len(listed), 8)
        for name in listed + [
            "connect",
            "entropy_map",
            "quantile",
            "fused",
            "reconnects",
            "cancel_job",
            "freeze",
        ]:
            self.assertIn(name, page)
        self.assertIn("values, indices) of the k largest (smallest) elements", page)

    def test_lists_within_lists_and_their_code(self):
        sys.path.insert(0, os.path.join(SOURCE, "scripts"))
        import site_pages

        given = [
            "a:",
            "1. b",
            "   c",
            "   - d",
            "     e",
            "",
            "         f",
            "2. g",
            "",
            "   h",
            "",
            "    i",
            "- j",
        ]
        wanted = ["a:", "", "1. b", "    c", "    - d", "        e", "", "            f", "2. g", "", "    h"]
        self.assertEqual(site_pages.with_wide_lists(given)[: len(wanted)], wanted)
        code = ["```", "1. a", "   - b", "```", "", "    - c", "       d"]
        self.assertEqual(site_pages.with_wide_lists(code), code)
        rules = read(self.built, "0.2", "placement", "index.html").split('id="the-rules"')[1]
        first = rules[: rules.index("</ol>")]
        self.assertEqual(re.findall("<ul>|</ul>", first)[:2], ["<ul>", "</ul>"])
        self.assertIn("<em>wait</em>", first.split("<ul>")[1])
        steps = read(self.built, "0.2", "field", "index.html").split('id="from-the-sources-to-the-report"')[1]
        self.assertEqual(steps[: steps.index("</ol>")].count("<pre"), 4)

    def test_bars_in_tables(self):
        self.assertIn("tegu health | grep -E", self.page("hardware-checklist", "index.html"))

    def test_a_broken_link_ends_the_build(self):
        path = os.path.join(self.tree, "docs", "glossary.md")
        kept = read(path)
        with open(path, "a", encoding="utf-8") as out:
            out.write("\n[a](nowhere.md) [b](health.md#nowhere)\n")
        try:
            done = self.run_python("-m", "mkdocs", "build", "--site-dir", os.path.join(self.folder, "broken"))
        finally:
            with open(path, "w", encoding="utf-8") as out:
                out.write(kept)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("nowhere.md", done.stdout)
        self.assertIn("#nowhere", done.stdout)

    @unittest.skipIf(browser.find() is None, "no Chromium here")
    def test_it_is_read_and_searched_in_a_browser(self):
        server, window = Server(self.built), browser.Browser(browser.find())
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.addCleanup(window.close)
        window.visit(server.address)
        window.wait_until("location.pathname", "/latest/")
        window.visit(server.address + "latest/placement/")
        self.assertEqual(window.value("document.querySelector('h1').firstChild.data"), "Where a job runs")
        window.value(
            "(() => { const field = document.querySelector('.md-search__input'); field.focus();"
            "field.value = 'deficit round robin'; field.dispatchEvent(new Event('keyup')); })()"
        )
        links = "[...document.querySelectorAll('.md-search-result__link')].map(one => one.href).join(' ')"
        window.wait_until(links, "/architecture/")
        window.wait_until("(document.querySelector('.md-version') || {}).innerText || ''", "0.2")
        asked = [
            each["request"]["url"] for name, each in window.events if name == "Network.requestWillBeSent"
        ]
        self.assertEqual([url for url in asked if not url.startswith((server.address, "data:"))], [])
        noises = [each for each in window.events if each[0] in ("Log.entryAdded", "Runtime.exceptionThrown")]
        self.assertEqual(noises, [])
        window.visit(server.address + "latest/examples/")
        broken = "[...document.images].filter(one => one.naturalWidth == 0).map(one => one.src).join(' ')"
        self.assertEqual(window.value(broken), "")
        self.assertEqual(window.value("document.images.length"), 6)


if __name__ == "__main__":
    unittest.main()
