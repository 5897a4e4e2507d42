"""What the reports share: figures as text, goals, and sections of RESULTS.md."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


def size_text(size):
    for shift, unit in ((20, "Mi"), (10, "Ki")):
        if size and size % (1 << shift) == 0:
            return f"{size >> shift} {unit}B"
    return f"{size} B" if size else ""


def number(value):
    if not value:
        return ""
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def goals(path):
    """{what stands in front: (column, relation, value)}; whole numbers are ints."""
    table = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = line.split("#")[0].split()
            if fields:
                *place, column, relation, value = fields
                place = tuple(int(word) if word.isdigit() else word for word in place)
                table[place] = (column, relation, float(value))
    return table


def is_met(figure, goal):
    _, relation, value = goal
    return figure <= value if relation == "<=" else figure >= value


def goal_text(goal, units):
    """`units` is {column: what follows the number}."""
    column, relation, value = goal
    return f"{'≤' if relation == '<=' else '≥'} {value:g}{units.get(column, '')}"


def rewrite(head, body):
    """Puts `## head` and its body into RESULTS.md, in the place of the old section, which
    ends at the next `## `, or at the end."""
    path = os.path.join(HERE, "RESULTS.md")
    with open(path, encoding="utf-8") as file:
        old = file.read()
    parts = re.split(r"^(?=## )", old, flags=re.M)
    text = f"## {head}\n\n{body.strip()}\n\n"
    at = next((i for i, part in enumerate(parts) if part.startswith(f"## {head}\n")), None)
    if at is None:
        parts[-1] = parts[-1].rstrip() + "\n\n"
        parts.append(text)
    else:
        parts[at] = text
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(parts).rstrip() + "\n")
