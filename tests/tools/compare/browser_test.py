#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page in a real Chromium without a window: it is rendered on a desktop, on a phone of 360 pixels, in
dark and on paper; nothing stands in the console, nothing is loaded, and the text is there without scripts."""

import os
import re
import sys
import unittest

import browser
import support

support.skip_without("jinja2", "matplotlib")
if browser.find() is None:
    print("SKIPPED: no Chromium here")
    sys.exit(support.SKIPPED)

with open(os.path.join(support.HERE, "page_checks.js"), encoding="utf-8") as checks:
    CHECKS = checks.read()


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = support.Folder().__enter__()
        cls.path = os.path.join(cls.folder.path, "report.html")
        code, _, error = support.run(
            *cls.folder.files.values(), "--model", "jetson-nano,jetson-orin-nano", "-o", cls.path
        )
        assert code == 0, error
        with open(cls.path, encoding="utf-8") as file:
            cls.text = file.read()
        cls.browser = browser.Browser(browser.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.__exit__()

    def show(self, width=1200, scheme="light", kind="", mobile=False, scripts=True):
        self.browser.resize(width, 900, mobile)
        self.browser.media(scheme, kind)
        self.browser.scripts(scripts)
        self.browser.open(self.path)

    def check(self, expression):
        return self.browser.value("%s\n%s" % (CHECKS, expression))

    def test_it_loads_nothing_and_has_nothing_to_complain_of(self):
        self.show()
        self.browser.value("document.querySelectorAll('details').forEach(one => one.open = true)")
        self.browser.screenshot()
        requests = [
            parameters["request"]["url"]
            for name, parameters in self.browser.events
            if name == "Network.requestWillBeSent"
        ]
        self.assertEqual(
            [url for url in requests if not url.startswith("data:")], ["file://" + os.path.abspath(self.path)]
        )
        noises = [
            event
            for event in self.browser.events
            if event[0] in ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        ]
        self.assertEqual(noises, [])

    def test_the_test_would_see_a_request_and_an_error(self):
        path = os.path.join(self.folder.path, "bad.html")
        with open(path, "w") as out:
            out.write("<!DOCTYPE html><title>x</title><img src='http://example.invalid/x.png'>")
            out.write("<script>throw new Error('x')</script>")
        self.browser.scripts(True)
        self.browser.open(path)
        self.assertTrue(
            any(
                "example.invalid" in str(parameters)
                for name, parameters in self.browser.events
                if name == "Network.requestWillBeSent"
            )
        )
        self.assertTrue(any(name == "Runtime.exceptionThrown" for name, _ in self.browser.events))

    def test_the_text_is_there_without_scripts(self):
        self.show(scripts=True)
        with_scripts = self.browser.value("document.body.innerText")
        self.show(scripts=False)
        self.assertEqual(self.browser.value("document.scripts.length"), 0)
        self.assertEqual(self.browser.value("document.body.innerText"), with_scripts)
        for words in (
            "Who is faster at what",
            "Fixture Jetson O is 2.88× as fast as Fixture Jetson N",
            "Modelled, not measured",
            "How to read this",
        ):
            self.assertIn(words, with_scripts)

    def test_pictures_are_drawn_and_every_text_in_them_can_be_read(self):
        for width in (1200, 360):
            self.show(width, mobile=width == 360)
            self.assertGreater(self.check("shownPictures().length"), 20)
            self.assertEqual(self.check("badTexts()"), [], width)
            self.assertGreater(self.check("smallestText()"), 9.0, width)

    def test_the_test_would_see_texts_that_overlap_or_are_cut_off(self):
        self.show()
        self.browser.value("document.querySelector('#roofline svg.plot.wide text').setAttribute('x', -20)")
        fifth = "document.querySelectorAll('#roofline svg.plot.wide text')[5]"
        self.browser.value("%s.parentNode.append(%s.cloneNode(true))" % (fifth, fifth))
        found = " ".join(self.check("badTexts()"))
        self.assertIn("overlap: ", found)
        self.assertIn("cut off: ", found)

    def test_a_phone_scrolls_in_one_direction(self):
        for width in (360, 768, 1200):
            self.show(width, mobile=width == 360)
            self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), width)

    def test_light_and_dark(self):
        papers = []
        for scheme in ("light", "dark"):
            self.show(scheme=scheme)
            papers.append(self.browser.value("getComputedStyle(document.body).backgroundColor"))
            contrast, where = self.check("lowestContrast()")
            self.assertGreaterEqual(contrast, 4.5, where)
        self.assertEqual(papers[0], "rgb(255, 255, 255)")
        self.assertNotEqual(papers[0], papers[1])

    def test_on_paper_it_is_light_and_without_what_is_for_screens(self):
        self.show(scheme="dark", kind="print")
        self.assertEqual(
            self.browser.value("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)"
        )
        self.assertEqual(
            self.browser.value("getComputedStyle(document.querySelector('nav')).display"), "none"
        )
        self.browser.media()
        pdf = self.browser.pdf()
        self.assertTrue(pdf.startswith(b"%PDF"))
        pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
        self.assertTrue(3 <= pages <= 30, pages)

    def test_the_page_of_real_boards(self):
        path = os.path.join(support.SOURCE, "docs", "benchmarks", "boards", "report.html")
        self.browser.media()
        self.browser.scripts(False)
        for width in (1200, 360):
            self.browser.resize(width, 900, width == 360)
            self.browser.open(path)
            self.assertGreater(self.check("shownPictures().length"), 40)
            self.assertEqual(self.check("badTexts()"), [], width)
            self.assertGreater(self.check("smallestText()"), 9.0, width)
            self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), width)
            requests = [one for name, one in self.browser.events if name == "Network.requestWillBeSent"]
            self.assertEqual([one for one in requests if "data:" not in one["request"]["url"]], requests[:1])
            self.assertEqual(
                [
                    event
                    for event in self.browser.events
                    if event[0] in ("Log.entryAdded", "Runtime.exceptionThrown")
                ],
                [],
            )
        # The answer is in the first screen of a PC and of a phone.
        self.browser.resize(360, 740, True)
        self.assertLess(
            self.browser.value("document.querySelector('.answer').getBoundingClientRect().top"), 400
        )
        self.assertIn("as fast as", self.browser.value("document.querySelector('.answer').innerText"))

    def test_a_hostile_board_runs_nothing(self):
        content = support.fixture_boards.content("desktop")
        content["identity"]["cpu"]["name"] = (
            "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"
        )
        path = os.path.join(self.folder.path, "hostile.html")
        code, _, error = support.run(self.folder.write("hostile.json", content), "-o", path)
        self.assertEqual((code, error), (0, ""))
        self.browser.scripts(True)
        self.browser.open(path)
        self.assertIn("<img src=x", self.browser.value("document.title"))
        self.assertEqual(self.browser.value("document.images.length + document.scripts.length"), 0)
        self.assertEqual(
            len([name for name, _ in self.browser.events if name == "Network.requestWillBeSent"]), 1
        )


if __name__ == "__main__":
    unittest.main()
