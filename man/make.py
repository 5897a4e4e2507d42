#!/usr/bin/env python3
"""Makes the man pages out of man/*.md, the headers and the texts of the commands.

    make.py SOURCE INCLUDE VERSION OUT

A page `man/NAME.SECTION.md` is one line with what it is about, then text with a few marks
of Markdown (see text()) and directives:

    @synopsis NAMES...       prototypes out of the preprocessed headers. TYPE stands for the
                             name of an element type and SIZE for a number of bits; forms
                             with a context need not be named
    @contract HEADER         the first comment of a header, without its title
    @about HEADER STRING     the comment over the declaration with STRING in it
    @options FILE            the options in the usage text of a command
    @environment PREFIX      the variables of src/core/env.def
    @types                   the names of the element types
    @pages                   a list of the pages

So the facts have one source, which is the headers. Every function gets a link to its page
under its own name and under that without a type.
"""
# SPDX-License-Identifier: BSD-3-Clause
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

PROTOTYPE = re.compile(r'__attribute__\(\(visibility\("default"\)\)\)\s*([^;]*?)(\w+)\(([^;]*)\);')
SIZED = re.compile(r'(put|get|alltoalls?|broadcast|f?collect)(8|16|32|64|128)(?=_|$)')
PREFERRED = ('float', 'int', 'uint')


class Interface:
    """The functions of the headers, reduced to families."""

    def __init__(self, include):
        source = '#include <nvshmem.h>\n#include <shmem.h>\n'
        command = shlex.split(os.environ.get('CC', 'cc')) + ['-E', '-P', '-I', include, '-']
        plain = subprocess.run(command, input=source, text=True, check=True,
                               capture_output=True).stdout
        rows = (Path(include) / 'gshmem/types.h').read_text()
        self.types = dict(re.findall(r'X\((\w+), ([\w ]+?), __VA_ARGS__', rows))
        for name in ('name', 'type'):
            self.types.pop(name, None)
        self.typed = re.compile(r'^(nvshmem|shmem(?:_ctx)?)_(%s)_(?=\w)' % '|'.join(
            sorted(self.types, key=len, reverse=True)))
        self.functions = {}  # name: (result, parameters)
        self.families = {}   # reduced name: {TYPE or SIZE or '': name}
        for result, name, parameters in PROTOTYPE.findall(plain):
            if name.lstrip('_').startswith('p'):  # the second names, for profilers
                continue
            self.functions[name] = (result.strip(), ' '.join(parameters.split()))
            family, which = self.reduce(name)
            self.families.setdefault(family, {})[which] = name
        generic = (Path(include) / 'gshmem/shmem/generic.h').read_text()
        self.generic = set(re.findall(r'^#define (shmem_\w+)\(', generic, re.M))

    def reduce(self, name):
        """nvshmem_float_put: (nvshmem_TYPE_put, float)."""
        typed = self.typed.match(name)
        if typed:
            return f'{typed[1]}_TYPE_{name[typed.end():]}', typed[2]
        sized = SIZED.search(name)
        if sized:
            return name[:sized.start(2)] + 'SIZE' + name[sized.end(2):], sized[2]
        return name, ''

    def example(self, family):
        forms = self.families[family]
        for which in PREFERRED:
            if which in forms:
                return forms[which]
        return forms.get('64') or next(iter(forms.values()))

    def with_context(self, family):
        other = family.replace('shmem_', 'shmem_ctx_', 1)
        return other if family.startswith('shmem_') and other in self.families else None


def fail(text):
    sys.exit(f'make.py: {text}')


# ---- Text ----

def inline(line):
    line = line.replace('\\', '\\e').replace("'", "\\(aq")
    line = re.sub(r'\*\*(.+?)\*\*', r'\\fB\1\\fR', line)
    line = re.sub(r'`(.+?)`', lambda m: '\\fB' + m[1].replace('-', '\\-') + '\\fR', line)
    line = re.sub(r'\b(n?v?shmemx?_\w+)(?=\(\))', r'\\fB\1\\fR', line)
    return '\\&' + line if line.startswith('.') else line


def text(lines):
    """Paragraphs, `## heading`, fenced code, and items: `- term: meaning` or, as comments
    have them, `term: meaning` whose further lines are indented."""
    out, code, item, fresh = [], False, False, True
    for line in lines:
        if line.startswith('```'):
            code = not code
            out += ['.PP', '.RS 4', '.EX'] if code else ['.EE', '.RE']
            item = False
            continue
        if code:
            out.append(line.replace('\\', '\\e').replace("'", "\\(aq").replace('-', '\\-')
                       if not line.startswith('.') else '\\&' + line)
            continue
        term = re.match(r'- (.+?): +(.*)', line) or re.match(r'([a-z_]\w*(?:, \w+)*): +(.*)', line)
        if line.startswith('## '):
            out.append('.SH ' + line[3:])
            item, fresh = False, False
        elif not line.strip():
            fresh = True
        elif term:
            out += ['.TP', inline(term[1] if '`' in term[1] else f'`{term[1]}`'), inline(term[2])]
            item, fresh = True, False
        else:
            if fresh or (item and not line.startswith(' ')):
                if out and not out[-1].startswith('.SH'):
                    out.append('.PP')
                item, fresh = False, False
            out.append(inline(line.strip()))
    return out


# ---- Comments of headers ----

SENTENCES = re.compile(r'(?:Names are given for \w+\.|(?:\w+ )?The rules are those of \S+?\.(?= |$)|'
                       r'TYPE is each of\s+\w+(?:, BITS each of\s+\w+)?\.|; TYPE is each of \w+)'
                       r' ?')


def comment(block):
    """The lines of a comment without its frame, prototypes and notes on the headers."""
    body = re.sub(r'^/\*|\*/$', '', block)
    lines = [re.sub(r'^ \* ?', '', line).rstrip() for line in body.split('\n')]
    plain, depth = [], 0
    for line in lines:
        if depth == 0 and not re.match(r'\s*(One word: |_Bool )?(void|int|float|size_t)\s+\w+\(', line):
            plain.append(line.rstrip())
            continue
        depth = max(0, depth + line.count('(') - line.count(')'))
    paragraphs = '\n'.join(plain).strip().split('\n\n')
    # A sentence may cross lines: look for it in the paragraph as a whole.
    for i, paragraph in enumerate(paragraphs):
        pattern = SENTENCES.pattern.replace(' ', r'\s+').replace(r'\s+?)', r' ?)')
        paragraphs[i] = re.sub(pattern.rstrip(r'\s+?') + r'\s*', '', paragraph)
    return '\n\n'.join(p for p in paragraphs if p.strip()).split('\n')


def contract(include, header):
    block = re.match(r'/\*.*?\*/', (Path(include) / header).read_text(), re.S)
    lines = comment(block[0])
    return lines[lines.index('') + 1:] if '' in lines else []


def about(include, header, string):
    source = (Path(include) / header).read_text()
    at = source.find(string)
    blocks = [b for b in re.finditer(r'^/\*.*?\*/', source, re.S | re.M) if b.end() <= at]
    if at < 0 or not blocks or '\n\n' in source[blocks[-1].end():at].strip('\n'):
        fail(f'{header} has no comment over "{string}"')
    return comment(blocks[-1][0])


# ---- Directives ----

def prototype(interface, name):
    result, parameters = interface.functions[name]
    space = '' if result.endswith('*') else ' '
    lines = [f'\\fB{result}{space}{name}(']
    width = len(result) + len(name) + 2
    parts = parameters.split(', ')
    for i, part in enumerate(parts):
        end = ');' if i == len(parts) - 1 else ', '
        if width + len(part) > 74:
            lines[-1] = lines[-1].rstrip()
            lines.append(' ' * 8)
            width = 8
        width += len(part) + 2
        lines[-1] += re.sub(r'^(.*[ *])(\w+)$', r'\1\\fI\2\\fB', part) + end
    lines[-1] += '\\fR'
    return lines


def type_sets(interface, families):
    """The paragraphs that say what TYPE and SIZE are."""
    sets = {}
    for family in families:
        which = tuple(interface.families[family])
        if which != ('',):
            sets.setdefault(which, []).append(family)
    for which, members in sets.items():
        word = 'SIZE' if 'SIZE' in members[0] else 'TYPE'
        those = '' if len(sets) == 1 or len({'SIZE' in m for m in members}) > 1 else ' in ' + \
            ', '.join(f'**{m}**' for m in members)
        yield from ('.PP', inline(f'{word}{those} is one of {", ".join(which)}.'))


def synopsis(interface, page, names):
    for name in names:
        if name not in interface.families:
            fail(f'{page}: there is no {name} in the headers')
    out = []
    for header in ('nvshmem', 'shmem'):
        mine = [n for n in names if n.startswith('nvshmem') == (header == 'nvshmem')]
        if not mine:
            continue
        out += ['.PP', f'.B #include <{header}.h>', '.PP', '.nf']
        for name in mine:
            out += prototype(interface, interface.example(name))
        out.append('.fi')
        out += type_sets(interface, mine)
        contexts = [n for n in mine if interface.with_context(n)]
        if contexts:
            out += ['.PP', inline('Each call' if len(contexts) == len(mine) else
                                  'Each of ' + ', '.join(f'**{n}**' for n in contexts)),
                    inline('has a form with a context, which begins with `shmem_ctx_` in place of '
                           '`shmem_` and takes `shmem_ctx_t ctx` first.')]
        generic = sorted({n.replace('_TYPE', '') for n in mine if '_TYPE' in n} & interface.generic)
        if generic:
            out += ['.PP', 'In C11 there are type-generic names:',
                    inline(', '.join(f'`{n}()`' for n in generic) + '.')]
    return out


def options(path):
    """The options of a usage text, which lies in a C string or in a here document."""
    source = path.read_text()
    if path.suffix == '.c':
        usage = re.search(r'static const char \w+\[\] =\n(\s+"usage:.*?);\n', source, re.S)[1]
        usage = ''.join(re.findall(r'"((?:\\.|[^"\\])*)"', usage))
        usage = usage.replace('\\n', '\n').replace('\\"', '"')
    else:
        usage = re.search(r'cat <<END\n(.*?)\nEND\n', source, re.S)[1]
    out = []
    for line in usage.split('\n'):
        option = re.match(r'  (-.*?) {2,}(.*)', line)
        if option:
            out += ['.TP', inline(f'`{option[1]}`'), inline(option[2])]
        elif out and line.startswith('        '):
            out.append(inline(line.strip()))
    return out


def environment(path, prefix):
    out = []
    row = re.compile(r'^ENV\((\w+), (\w+), (\w+), "(.*?)", (\w+), "(.*)"\)', re.M)
    for first, name, kind, default, _, meaning in row.findall(path.read_text()):
        if first == prefix:
            shown = f' (default {default})' if default else ''
            out += ['.TP', inline(f'`{first}_{name}` ({kind})'), inline(meaning + shown + '.')]
    return out


def accepted(path):
    names = re.findall(r'^ACCEPTED\((\w+)\)', path.read_text(), re.M)
    return [inline(', '.join('NVSHMEM_' + name for name in names) + '.')]


class Page:
    def __init__(self, path, interface):
        self.name, self.section, _ = path.name.split('.')
        self.about, *self.lines = path.read_text().rstrip().split('\n')
        self.names = []
        for line in self.lines:
            if line.startswith('@synopsis '):
                self.names += line.split()[1:]
        self.names += [c for c in map(interface.with_context, self.names)
                       if c and c not in self.names]

    def links(self, interface):
        """Every name under which the page is found, generic ones first."""
        for family in self.names:
            if '_TYPE' in family:
                yield family.replace('_TYPE', '')
            yield from interface.families[family].values()

    def titles(self):
        short = (n.replace('_TYPE', '') for n in self.names if '_ctx_' not in n or n in self.shown())
        return list(dict.fromkeys([self.name] + [n for n in short if 'SIZE' not in n]))

    def shown(self):
        return {n for line in self.lines if line.startswith('@synopsis ') for n in line.split()}

    def directive(self, line, interface, source, include, pages):
        word, *rest = line[1:].split(maxsplit=2)
        if word == 'contract':
            return text(contract(include, rest[0]))
        if word == 'about':
            return text(about(include, *rest))
        if word == 'options':
            return options(source / rest[0])
        if word == 'environment':
            return environment(source / 'src/core/env.def', rest[0])
        if word == 'accepted':
            return accepted(source / 'src/core/env.def')
        if word == 'types':
            return [row for name, c in interface.types.items() for row in
                    ('.TP 14', inline(f'`{name}`'), c.replace('gsh_complexf', 'float _Complex')
                     .replace('gsh_complexd', 'double _Complex').replace('gsh_half', '__half')
                     .replace('gsh_bfloat16', '__nv_bfloat16'))]
        if word == 'pages':
            return [row for p in pages if p.section == rest[0] for row in
                    ('.TP', f'.BR {p.name} ({p.section})', inline(p.about))]
        return fail(f'{self.name}: unknown directive @{word}')

    def roff(self, interface, source, include, version, pages):
        out = ['.\\" Made by man/make.py out of man/' + f'{self.name}.{self.section}.md.',
               '.\\" SPDX-License-Identifier: BSD-3-Clause',
               f'.TH {self.name.upper()} {self.section} "" "gshmem {version}" "gshmem"',
               '.SH NAME', ', '.join(self.titles()) + ' \\- ' + inline(self.about)]
        names = [n for line in self.lines if line.startswith('@synopsis ') for n in line.split()[1:]]
        if names:
            out += ['.SH SYNOPSIS'] + synopsis(interface, self.name, names)
        waiting = []
        for line in self.lines:
            if line.startswith('@'):
                out += text(waiting)
                waiting = []
                if not line.startswith('@synopsis '):
                    more = self.directive(line, interface, source, include, pages)
                    if not out[-1].startswith('.SH') and not more[0].startswith('.TP'):
                        out.append('.PP')
                    out += more
                    waiting = ['']
            else:
                waiting.append(line)
        return '\n'.join(out + text(waiting)) + '\n'


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(content)


def link(path, target):
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def main():
    if len(sys.argv) != 5:
        sys.exit('usage: make.py SOURCE INCLUDE VERSION OUT')
    source, include, version, out = Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
    interface = Interface(include)
    pages = [Page(path, interface) for path in sorted((source / 'man').glob('*.[137].md'))]
    for page in pages:
        folder = out / f'man{page.section}'
        file = f'{page.name}.{page.section}'
        write(folder / file, page.roff(interface, source, include, version, pages))
        also = re.findall(r'^@also (.*)', '\n'.join(page.lines), re.M)
        for name in list(page.links(interface)) + ' '.join(also).split():
            if name != page.name:
                link(folder / f'{name}.{page.section}', file)


main()
