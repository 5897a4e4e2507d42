#!/usr/bin/env python3
"""Makes a picture of what a terminal shows: picture.py TITLE <text >picture.svg

Each line becomes one <text>, so that a test can read it back (tests/docs/races.sh).
"""
# SPDX-License-Identifier: BSD-3-Clause
import html
import sys

WIDTH, HEIGHT, MARGIN, SIZE = 8.3, 18, 14, 13
COLOURS = (("$ ", "#8ec07c"), ("race: ", "#fb4934"), ("    PE ", "#fabd2f"),
           ("    before: ", "#fabd2f"), ("  > ", "#83a598"))


def colour(line):
    for start, value in COLOURS:
        if line.startswith(start):
            return value
    return "#ebdbb2"


def picture(lines, title):
    width = round(max(map(len, lines)) * WIDTH + 2 * MARGIN)
    height = len(lines) * HEIGHT + 2 * MARGIN
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="monospace" font-size="{SIZE}">')
    yield f"<title>{html.escape(title)}</title>"
    yield f'<rect width="{width}" height="{height}" rx="8" fill="#282828"/>'
    for i, line in enumerate(lines):
        y = MARGIN + (i + 1) * HEIGHT - 5
        yield (f'<text x="{MARGIN}" y="{y}" fill="{colour(line)}" xml:space="preserve">'
               f"{html.escape(line, quote=False)}</text>")
    yield "</svg>"


if __name__ == "__main__":
    print("\n".join(picture(sys.stdin.read().splitlines(), sys.argv[1])))
