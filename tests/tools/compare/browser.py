# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that a test drives over the pipe of its DevTools protocol: no driver program, no port,
no network."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


class BrowserError(Exception):
    pass


class Browser:
    """One window. Events that came while a reply was awaited are kept in `events`, as (method,
    parameters)."""

    def __init__(self, program, timeout=60):
        self.events, self._number, self._timeout, self._buffer = [], 0, timeout, b""
        self._documents = set()  # all that were begun
        self._folder = tempfile.mkdtemp(prefix="tegu-browser-")
        from_browser, for_browser = os.pipe(), os.pipe()
        self._read, self._write = from_browser[0], for_browser[1]
        # The protocol is spoken on descriptors 3 and 4; sh puts them there.
        command = 'exec "$@" 3<&%d 4>&%d' % (for_browser[0], from_browser[1])
        self._process = subprocess.Popen(
            [
                "/bin/sh",
                "-c",
                command,
                "sh",
                program,
                "--headless=new",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--hide-scrollbars",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-proxy-server",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--force-color-profile=srgb",
                "--user-data-dir=" + self._folder,
                "about:blank",
            ],
            pass_fds=(for_browser[0], from_browser[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
        )
        os.close(for_browser[0])
        os.close(from_browser[1])
        os.set_blocking(self._read, False)
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _message(self, until):
        while b"\0" not in self._buffer:
            if time.monotonic() > until:
                raise BrowserError("the browser does not answer")
            try:
                data = os.read(self._read, 1 << 16)
            except BlockingIOError:
                time.sleep(0.005)
                continue
            if not data:
                raise BrowserError("the browser has ended with %s" % self._process.wait())
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message.decode("utf-8"))

    def call(self, method, **parameters):
        """The result of a method of the protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + self._timeout
        while True:
            answer = self._message(until)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise BrowserError("%s: %s" % (method, answer["error"].get("message")))
                return answer["result"]
            self._keep(answer)

    def _keep(self, answer):
        if "method" not in answer:
            return
        parameters = answer.get("params", {})
        self.events.append((answer["method"], parameters))
        if answer["method"] == "Page.lifecycleEvent":
            self._documents.add(parameters["loaderId"])

    def _is_loaded(self, frame, known):
        return any(
            method == "Page.lifecycleEvent"
            and (parameters["name"], parameters["frameId"]) == ("load", frame)
            and parameters["loaderId"] not in known
            for method, parameters in self.events
        )

    def open(self, path):
        """Loads a file and waits until it is complete; events are those since then."""
        self.visit("file://" + os.path.abspath(path))

    def visit(self, url):
        """The same of any address; of hosts 127.0.0.1 alone is known."""
        self.events, known = [], set(self._documents)  # one of these may be complete only now
        frame = self.call("Page.navigate", url=url)["frameId"]
        until = time.monotonic() + self._timeout
        while not self._is_loaded(frame, known):
            self._keep(self._message(until))

    def value(self, expression):
        """The value of an expression of JavaScript, which this program evaluates and not the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise BrowserError("%s: %s" % (expression, result["exceptionDetails"]))
        return result["result"].get("value")

    def wait_until(self, expression, words):
        """Waits until the value of an expression contains the words."""
        until = time.monotonic() + self._timeout
        while words not in str(self.value(expression)):
            if time.monotonic() > until:
                raise BrowserError("%s is %s" % (expression, self.value(expression)))
            time.sleep(0.05)

    def resize(self, width, height=800, mobile=False):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=mobile,
        )

    def media(self, scheme="light", kind=""):
        self.call(
            "Emulation.setEmulatedMedia",
            media=kind,
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def scripts(self, allowed):
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def screenshot(self, path=None):
        """The whole page as PNG."""
        data = base64.b64decode(
            self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        )
        if path:
            with open(path, "wb") as out:
                out.write(data)
        return data

    def pdf(self, path=None):
        data = base64.b64decode(
            self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"]
        )
        if path:
            with open(path, "wb") as out:
                out.write(data)
        return data
