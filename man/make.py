#!/usr/bin/env python3
"""Makes the man pages out of man/*.md, the headers and the texts of the commands.

    make.py SOURCE INCLUDE VERSION OUT

A page `man/NAME.SECTION.md` is one line with what it is about, then text with a few marks
of Markdown (see text()) and directives:

    @synopsis NAMES...       prototypes out of the preprocessed headers. TYPE stands for the
                             name of an element type and SIZE for a number of bits; forms
                             with a context need not be named
    @contract HEADER         the first comment of a header, without its title
    @about HEADER STRING [TERM...]
                             the comment over the declaration with STRING in it, or
                             these of its items
    @options FILE            the options in the usage text of a command
    @environment PREFIX      the variables of src/core/env.def
    @accepted                the variables that have no effect
    @types                   the names of the element types
    @also NAMES...           more names of the page
    @scopes NAMES...         such that have forms of a warp, a warpgroup and a block
    @pages SECTION           a list of the pages

So the facts have one source, which is the headers. Every function gets a link to its page
under its own name and under that without a type. What kernels can call stands on the same
page: the headers mark it, and the forms of a warp or a block are found by their names.
"""
# SPDX-License-Identifier: BSD-3-Clause
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

PROTOTYPE = re.compile(r'__attribute__\(\(visibility\("default"\)\)\)\s*(__device__ )?'
                       r'([^;]*?)(\w+)\(([^;]*)\);')
KERNEL_ONLY = re.compile(r'extern "C" __device__ ([^;]*?)(\w+) *\(([^;]*)\);')
SCOPES = ('warp', 'warpgroup', 'block')
SCOPE = re.compile(f'_({"|".join(SCOPES)})$')
# Calls of host and kernels are marked in the prototypes; the rest of those of kernels follows.
SOURCE = """#include <gshmem/attr.h>
#undef GSH_ANY
#define GSH_ANY GSH_API __device__
#include <nvshmem.h>
#include <shmem.h>
#include <gshmem/qp.h>
#include <gshmem/impl/names.cuh>
"""
SIZED = re.compile(r'(put|get|alltoalls?|broadcast|f?collect)(8|16|32|64|128)(?=_|$)')
# What stands in the headers for types that not every compiler knows.
OPAQUE = {'gsh_complexf': 'float _Complex', 'gsh_complexd': 'double _Complex',
          'gsh_half': '__half', 'gsh_bfloat16': '__nv_bfloat16'}
PREFERRED = ('float', 'int', 'uint')


class Interface:
    """The functions of the headers, reduced to families."""

    def __init__(self, include):
        command = shlex.split(os.environ.get('CC', 'cc')) + ['-E', '-P', '-I', include, '-']
        plain = subprocess.run(command, input=SOURCE, text=True, check=True,
                               capture_output=True).stdout
        rows = (Path(include) / 'gshmem/types.h').read_text()
        self.types = dict(re.findall(r'X\((\w+), ([\w ]+?), __VA_ARGS__', rows))
        for name in ('name', 'type'):
            self.types.pop(name, None)
        names = '|'.join(sorted(self.types, key=len, reverse=True))
        self.typed = re.compile(rf'^(nvshmemx(?:_qp)?|nvshmem|shmem(?:_ctx)?)_({names})_(?=\w)')
        self.functions = {}  # name: (result, parameters)
        self.families = {}   # reduced name: {TYPE or SIZE or '': name}
        self.in_kernels = set()   # families that kernels can call, one thread by itself
        self.only_kernels = set()
        self.more_types = {}  # family: {TYPE: name} that only kernels have
        self.scoped = {}      # family: {scope: {TYPE or SIZE or '': name}}
        for mark, result, name, parameters in PROTOTYPE.findall(plain):
            if name.lstrip('_').startswith('p'):  # the second names, for profilers
                continue
            family = self.add(result, name, parameters)
            if mark:
                self.in_kernels.add(family)
        host = set(self.families)
        for result, name, parameters in KERNEL_ONLY.findall(plain):
            self.add_kernel_only(host, result, name, parameters)
        generic = (Path(include) / 'gshmem/shmem/generic.h').read_text()
        self.generic = set(re.findall(r'^#define (shmem_\w+)\(', generic, re.M))

    def declare(self, result, name, parameters):
        parameters = re.sub(r'\* +', '*', ' '.join(parameters.split()))
        self.functions[name] = (result.strip(), parameters)

    def add(self, result, name, parameters):
        self.declare(result, name, parameters)
        family, which = self.reduce(name)
        self.families.setdefault(family, {})[which] = name
        return family

    def add_kernel_only(self, host, result, name, parameters):
        scope = SCOPE.search(name)
        if scope:
            family, which = self.reduce(name[:scope.start()])
            self.declare(result, name, parameters)
            self.scoped.setdefault(family, {}).setdefault(scope[1], {})[which] = name
        elif self.reduce(name)[0] in host:
            self.declare(result, name, parameters)
            family, which = self.reduce(name)
            self.more_types.setdefault(family, {})[which] = name
        else:
            family = self.add(result, name, parameters)
            self.in_kernels.add(family)
            self.only_kernels.add(family)

    def scopes(self, family):
        """The forms of threads that call together: nvshmemx_TYPE_put for nvshmem_TYPE_put."""
        return self.scoped.get(family.replace('nvshmem_', 'nvshmemx_', 1), {})

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
        return self.pick(self.families[family])

    def pick(self, forms):
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


ITEMS = [re.compile(pattern) for pattern in (
    r'- (`[^`]*`(?:, `[^`]*`)*): (.*)', r'- (\w+): (.*)', r'([a-z_]\w*(?:, \w+)*): +(.*)',
    r'((?:\w+\(\)(?:, | and )?)+):()$')]


def item(line):
    for pattern in ITEMS:
        match = pattern.match(line)
        if match:
            term = match[1] if '`' in match[1] or '()' in match[1] else f'`{match[1]}`'
            return ['.TP', inline(term)] + ([inline(match[2])] if match[2] else [])
    return None


def text(lines, out):
    """Adds paragraphs, `## heading`, fenced code, and items: `- term: meaning`,
    `function():`, and `term: meaning` as comments have them. An item goes on where its
    sentence does, or the line is indented, or it began with a dash."""
    code, within, fresh = False, '', True
    for line in lines:
        if line.startswith('```'):
            code, within = not code, ''
            out += ['.PP', '.RS 4', '.EX'] if code else ['.EE', '.RE']
        elif code:
            out.append(re.sub(r'^\.', r'\&.', line.replace('\\', '\\e').replace("'", "\\(aq")
                              .replace('-', '\\-')))
        elif line.startswith('## '):
            out.append('.SH ' + line[3:])
            within, fresh = '', False
        elif not line.strip():
            fresh = True
        elif item(line):
            out += item(line)
            within, fresh = line[0], False
        else:
            ended = within and within != '-' and out[-1].endswith('.') and line[0] != ' '
            if (fresh or ended) and not out[-1].startswith('.SH'):
                out.append('.PP')
                within = ''
            fresh = False
            out.append(inline(line.strip()))


# ---- Comments of headers ----

# What only a reader of the headers needs; a space stands for any white space.
SENTENCES = [re.compile(pattern.replace(' ', r'\s+') + r'\s*') for pattern in (
    r'Names are given for \w+(?:; TYPE is each of \w+(?:, BITS each of \w+)?)?\.',
    r'TYPE is each of \w+, BITS each of \w+\.',
    r'The rules are those of \S+?(?:\.(?=\s|$)|; )',
    r'OpenSHMEM 1\.5, sections? [^.]*(?:\.\d+[^.]*)*\.(?=\s|$)')]


def comment(block):
    """The lines of a comment without its frame, prototypes and notes on the headers."""
    body = re.sub(r'^/\*|\*/$', '', block)
    lines = [re.sub(r'^ \* ?', '', line).rstrip() for line in body.split('\n')]
    plain, depth = [], 0
    signature = re.compile(r'\s*(One word: )?(void|int|float|size_t)\s+\w+\(')
    for line in lines:
        if depth == 0 and not signature.match(line):
            plain.append(line.rstrip())
            continue
        depth = max(0, depth + line.count('(') - line.count(')'))
    body = '\n'.join(plain).strip()
    for sentence in SENTENCES:
        body = sentence.sub('', body)
    return body.split('\n')


def contract(include, header):
    block = re.match(r'/\*.*?\*/', (Path(include) / header).read_text(), re.S)
    title = re.match(r'/\*.*?\n \*\n', block[0], re.S)
    if not title:
        fail(f'{header} begins with no comment that has a title')
    return comment('/*' + block[0][title.end() - 1:])


def about(include, header, string, *terms):
    source = (Path(include) / header).read_text()
    code = re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m[0]), source, flags=re.S)
    at = code.find(string)
    blocks = [b for b in re.finditer(r'^/\*.*?\*/', source, re.S | re.M) if b.end() <= at]
    if at < 0 or not blocks or '\n\n' in source[blocks[-1].end():at].strip('\n'):
        fail(f'{header} has no comment over "{string}"')
    lines = comment(blocks[-1][0])
    if not terms:
        return lines
    wanted, keep = [], False
    for line in lines:
        if item(line):
            keep = line.split(':')[0] in terms
        wanted += [line] if keep else []
    return wanted


# ---- Directives ----

def prototype(interface, name, shown=None):
    result, parameters = interface.functions[name]
    name = shown or name
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


def kernel_synopsis(interface, names):
    """What of these kernels can call, and the forms of threads that call together."""
    out = []
    mine = [n for n in names if n in interface.in_kernels]
    if mine and all(n in interface.only_kernels for n in names):
        out += ['.PP', 'Only kernels make these calls.']
    elif mine:
        out += ['.PP', 'Kernels make these calls as well.' if mine == names else
                inline('Kernels make these calls as well: ' +
                       ', '.join(f'`{n}()`' for n in mine) + '.')]
    for name in names:
        more = interface.more_types.get(name)
        if more:
            out += ['.PP', inline(f'In kernels TYPE in **{name}** is also {", ".join(more)}.')]
    scoped = {}
    for name in names:
        if interface.scopes(name):
            scopes = sorted(interface.scopes(name), key=SCOPES.index)
            scoped.setdefault(tuple(scopes), []).append(name)
    for i, (scopes, members) in enumerate(scoped.items()):
        those = ', '.join(scopes[:-1]) + ' or ' * (len(scopes) > 1) + scopes[-1]
        out += ['.PP', f'And with SCOPE {those}:' if i else
                inline('Threads of a kernel make these calls together, with the same arguments '
                       f'(see **gshmem_device**(7)); SCOPE is {those}.'), '.PP', '.nf']
        for name in members:
            form = interface.pick(interface.scopes(name)[scopes[0]])
            out += prototype(interface, form, SCOPE.sub('_SCOPE', form))
        out.append('.fi')
    return out


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
        out += kernel_synopsis(interface, mine)
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
        self.names, self.also, self.scopes = [], [], []
        for line in self.lines:
            if line.startswith('@synopsis '):
                self.names += line.split()[1:]
            elif line.startswith('@also '):
                self.also += line.split()[1:]
            elif line.startswith('@scopes '):
                self.scopes += line.split()[1:]
        self.also += self.scopes
        self.shown = list(self.names)
        self.names += [c for c in map(interface.with_context, self.names)
                       if c and c not in self.names]

    def links(self, interface):
        """Every name under which the page is found."""
        yield from self.also
        yield from (f'{name}_{scope}' for name in self.scopes for scope in SCOPES)
        for family in self.names:
            if '_TYPE' in family:
                yield family.replace('_TYPE', '')
            yield from interface.families[family].values()
            yield from interface.more_types.get(family, {}).values()
            for scope, forms in interface.scopes(family).items():
                yield from forms.values()
                if '_TYPE' in family:
                    short = family.replace('_TYPE', '').replace('nvshmem_', 'nvshmemx_', 1)
                    yield f'{short}_{scope}'

    def titles(self):
        short = (n.replace('_TYPE', '') for n in self.shown if 'SIZE' not in n)
        return list(dict.fromkeys([self.name, *self.also, *short]))

    def directive(self, line, interface, source, include, pages, out):
        word, *rest = line[1:].split()
        if word == 'contract':
            text(contract(include, rest[0]), out)
        elif word == 'about':
            lines = about(include, *rest)
            if re.match(r'(\\fB\w+\\fR\(\)(, | and )?)+$', out[-1]):  # the term of an item
                while lines and not lines[0]:
                    lines = lines[1:]
                out.append(inline(lines[0]))
                out += [inline(line) if line else '.IP' for line in lines[1:]]
            else:
                text(lines, out)
        elif word == 'options':
            out += options(source / rest[0])
        elif word == 'environment':
            out += environment(source / 'src/core/env.def', rest[0])
        elif word == 'accepted':
            out += ['.PP'] + accepted(source / 'src/core/env.def')
        elif word == 'types':
            for name, c in interface.types.items():
                out += ['.TP 14', inline(f'`{name}`'), OPAQUE.get(c, c)]
        elif word == 'pages':
            for page in pages:
                if page.section == rest[0]:
                    out += ['.TP', f'.BR {page.name} ({page.section})', inline(page.about)]
        else:
            fail(f'{self.name}: unknown directive @{word}')

    def roff(self, interface, source, include, version, pages):
        out = ['.\\" Made by man/make.py out of man/' + f'{self.name}.{self.section}.md.',
               '.\\" SPDX-License-Identifier: BSD-3-Clause',
               f'.TH {self.name.upper()} {self.section} "" "gshmem {version}" "gshmem"',
               '.nh', '.ad l',
               '.SH NAME', ', '.join(self.titles()) + ' \\- ' + inline(self.about)]
        if self.shown:
            out += ['.SH SYNOPSIS'] + synopsis(interface, self.name, self.shown)
        waiting = []
        for line in self.lines:
            if not line.startswith('@'):
                waiting.append(line)
            elif not re.match('@(synopsis|also|scopes) ', line):
                text(waiting, out)
                self.directive(line, interface, source, include, pages, out)
                waiting = ['']
        text(waiting, out)
        needed = (line for i, line in enumerate(out)
                  if line != '.PP' or not out[i - 1].startswith('.SH'))
        return '\n'.join(needed) + '\n'


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
        for name in page.links(interface):
            if name != page.name:
                link(folder / f'{name}.{page.section}', file)


main()
