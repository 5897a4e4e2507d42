"""A plot of latency over size as SVG: two logarithmic axes, one line a key."""
# SPDX-License-Identifier: BSD-3-Clause
import math

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 460, 70, 20, 130, 50
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]


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
        yield text(at, HEIGHT - BOTTOM + 18, size_name(size))
    for value in decades:
        at = y(value)
        yield f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>'
        yield text(LEFT - 8, at + 4, f"{value:g}", "end")


def curve(points, colour, x, y):
    path = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for size, value in points:
        yield f'<circle cx="{x(size):.1f}" cy="{y(value):.1f}" r="3" fill="{colour}"/>'


def plot(path, lines):
    """Writes `lines`, {key: [(bytes, microseconds)]}, to path; nothing when all are empty."""
    points = [point for line in lines.values() for point in line]
    if not points:
        return
    sizes = sorted({size for size, _ in points})
    values = [value for _, value in points]
    low, high = (math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))))
    x = scale(sizes[0], sizes[-1], LEFT, WIDTH - RIGHT)
    y = scale(10.0 ** low, 10.0 ** high, HEIGHT - BOTTOM, TOP)
    ticks = [size for size in sizes if size != 16][::2] if len(sizes) > 6 else sizes
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
           "<style>text{font:12px sans-serif;fill:#333}.grid{stroke:#ddd}</style>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    out += grid(ticks, [10.0 ** i for i in range(low, high + 1)], x, y)
    for i, (key, line) in enumerate(lines.items()):
        colour = COLOURS[i % len(COLOURS)]
        out += curve(line, colour, x, y)
        out.append(text(WIDTH - RIGHT + 14, TOP + 16 + 20 * i, key, "start",
                        f'style="fill:{colour};font-weight:bold"'))
    out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "bytes of one PE"))
    out.append(text(16, HEIGHT / 2, "median, µs", "middle",
                    f'transform="rotate(-90 16 {HEIGHT / 2})"'))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n</svg>\n")
