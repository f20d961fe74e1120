# SPDX-License-Identifier: Apache-2.0
"""Seeds of the fuzzers, in tests/data/corpus. A make_corpus.py beside the fuzzers says what they are; here
they are written or compared, so that those programs are called alike:

    make_corpus.py            writes the files
    make_corpus.py --check    exits with 1 if the files are not what would be written
Files whose name begins with "found-" (inputs that once broke something) are left alone.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORPUS = os.path.join(ROOT, "tests", "data", "corpus")


def existing(folders):
    """Path in the corpus -> content."""
    result = {}
    for folder in folders:
        path = os.path.join(CORPUS, folder)
        for name in os.listdir(path) if os.path.isdir(path) else []:
            if not name.startswith("found-"):
                with open(os.path.join(path, name), "rb") as seed:
                    result[folder + "/" + name] = seed.read()
    return result


def check(wanted, there, loose):
    wrong = sorted(
        name
        for name in set(wanted) | set(there)
        if (name in wanted) != (name in there) or (not name.startswith(loose) and wanted[name] != there[name])
    )
    print(
        "\n".join("differs: tests/data/corpus/" + name for name in wrong)
        or "%d seeds as they should be" % len(wanted)
    )
    return 1 if wrong or not wanted else 0


def write(wanted, there):
    for name in set(there) - set(wanted):
        os.unlink(os.path.join(CORPUS, name))
    for name, content in wanted.items():
        os.makedirs(os.path.dirname(os.path.join(CORPUS, name)), exist_ok=True)
        with open(os.path.join(CORPUS, name), "wb") as seed:
            seed.write(content)
    return 0


def main(wanted, loose=()):
    """Does what the command line says and exits. `wanted`: path in the corpus -> content, all seeds of the
    folders that it names. `loose`: a tuple of the beginnings of paths of which only the presence is
    checked."""
    there = existing({name.split("/")[0] for name in wanted})
    sys.exit(check(wanted, there, loose) if "--check" in sys.argv[1:] else write(wanted, there))
