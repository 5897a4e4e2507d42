"""Plots of latency over size as SVG: a panel an operation, two logarithmic axes, one
line a library."""
# SPDX-License-Identifier: BSD-3-Clause
import math

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 560, 380, 62, 34, 28, 44
COLOURS = {"gshmem": "#d55e00", "oshmem": "#0072b2", "openmpi": "#56b4e9", "mpich": "#009e73",
           "NVSHMEM": "#76b900",
           "raw": "#888888"}


def scale(low, high, start, end):
    """A logarithmic map of [low, high] to [start, end]."""
    span = math.log(high / low) or 1
    return lambda value: start + (end - start) * math.log(value / low) / span


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{words}</text>'


def size_name(size):
    for shift, unit in ((20, "Mi"), (10, "Ki")):
        if size >= 1 << shift:
            return f"{size >> shift} {unit}B"
    return f"{size} B"


def grid(sizes, decades, x, y):
    for size in sizes:
        at = x(size)
        yield f'<path class="grid" d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}"/>'
        yield text(at, HEIGHT - BOTTOM + 16, size_name(size))
    for value in decades:
        at = y(value)
        yield f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>'
        yield text(LEFT - 6, at + 4, f"{value:g}", "end")


def curve(points, name, x, y):
    path = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in points)
    colour = COLOURS.get(name, "#333")
    dash = ' stroke-dasharray="5 3"' if name == "raw" else ""
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
    for size, value in points:
        yield f'<circle cx="{x(size):.1f}" cy="{y(value):.1f}" r="2.5" fill="{colour}"/>'


def panel(key, lines, names):
    """`lines` is {library: [(bytes, microseconds)]}."""
    points = [point for line in lines.values() for point in line]
    sizes = sorted({size for size, _ in points})
    values = [value for _, value in points]
    low, high = (math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))))
    x = scale(sizes[0], sizes[-1], LEFT, WIDTH - RIGHT)
    y = scale(10.0 ** low, 10.0 ** high, HEIGHT - BOTTOM, TOP)
    ticks = [size for size in sizes if size != 16][::2] if len(sizes) > 6 else sizes
    yield text((LEFT + WIDTH - RIGHT) / 2, 20, key, "middle", 'style="font-weight:bold"')
    yield from grid(ticks, [10.0 ** i for i in range(low, high + 1)], x, y)
    for i, (name, line) in enumerate(lines.items()):
        yield from curve(line, name, x, y)
        yield text(LEFT + 12, TOP + 18 + 16 * i, names.get(name, name), "start",
                   f'style="fill:{COLOURS.get(name, "#333")};font-weight:bold"')
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "bytes of one PE")
    yield text(14, HEIGHT / 2, "median, µs", "middle", f'transform="rotate(-90 14 {HEIGHT / 2})"')


def plot(path, panels, names):
    """Writes `panels`, {key: lines}, two in a row."""
    panels = {key: {name: line for name, line in lines.items() if line}
              for key, lines in panels.items()}
    panels = {key: lines for key, lines in panels.items() if lines}
    rows = (len(panels) + 1) // 2
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {rows * HEIGHT}">',
           "<style>text{font:12px sans-serif;fill:#333}.grid{stroke:#ddd}</style>",
           f'<rect width="{2 * WIDTH}" height="{rows * HEIGHT}" fill="#fff"/>']
    for i, (key, lines) in enumerate(panels.items()):
        out.append(f'<g transform="translate({i % 2 * WIDTH} {i // 2 * HEIGHT})">')
        out += panel(key, lines, names)
        out.append("</g>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n</svg>\n")
