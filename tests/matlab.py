"""A small evaluator of MATLAB, by its grammar: the statements and operators that `kinetree dh --format matlab` writes.

Functions with outputs, `if`, `for` over a range, assignments to names, fields and matrices, and expressions of double
matrices, texts and cells. Anything else raises SyntaxError: it is checked by nothing here, so it must not be written.
"""

import re

import numpy as np

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z]\w*)|(?P<text>'(?:[^']|'')*')"
    r"|(?P<sign>~=|==|\|\||[-+*/(){}\[\],;:=<.]))"
)
BINARY = [("||",), ("~=", "==", "<"), (":",), ("+", "-"), ("*", "/")]
CALLS = {"sin": np.sin, "cos": np.cos, "size": lambda x, i: float(np.shape(x)[int(i) - 1]), "numel": np.size}
CALLS |= {
    "zeros": lambda m, n: np.zeros((int(m), int(n))),
    "char": lambda codes: "".join(map(chr, np.ravel(codes).astype(int))),
}


class MatlabError(Exception):
    """What `error(…)` raises."""


def lines_of(source):
    """Lines of code: without comments, continued at `...`, open brackets closed; MATLAB ends a row at a line's end."""
    code, kept = "", []
    for line in source.splitlines():
        outside = re.sub(r"'(?:[^']|'')*'", lambda m: "x" * len(m[0]), line)
        line = line[: outside.index("%")] if "%" in outside else line
        code += line.rstrip().removesuffix("...") + " "
        outside = re.sub(r"'(?:[^']|'')*'", "", code)
        if not line.rstrip().endswith("...") and outside.count("[") == outside.count("]"):
            if code.strip():
                kept.append(code.strip())
            code = ""
    assert not code
    return kept


class Function:
    """The function of a file. Call it with arguments: a tuple of its outputs."""

    def __init__(self, source):
        first, *self.lines = lines_of(source)
        found = re.fullmatch(r"function \[(.*)\] = (\w+)\((.*)\)", first)
        self.outputs, self.name, self.inputs = found[1].split(", "), found[2], found[3].split(", ")
        assert self.lines.pop() == "end"

    def __call__(self, *given):
        self.names = {"pi": np.pi, "Inf": np.inf, "nargin": float(len(given))}
        self.names |= dict(zip(self.inputs, given, strict=False))
        self.block(self.lines)
        return tuple(self.names[name] for name in self.outputs)

    def block(self, lines):
        i = 0
        while i < len(lines):
            if re.match(r"(if|for) ", lines[i]):
                depth, end = 1, i
                while depth:
                    end += 1
                    depth += bool(re.match(r"(if|for) ", lines[end])) - (lines[end] == "end")
                self.nested(lines[i], lines[i + 1 : end])
                i = end + 1
            else:
                self.statements(lines[i])
                i += 1

    def nested(self, head, inside):
        if head.startswith("if "):
            if self.value(head[3:]):
                self.block(inside)
            return
        name, _, range_ = head[4:].partition(" = ")
        for value in self.value(range_):
            self.names[name] = float(value)
            self.block(inside)

    def statements(self, line):
        if not line.endswith(";"):
            raise SyntaxError(f"would print its value: {line}")
        tokens = self.tokens(line)
        while tokens:
            if tokens[:2] == [("name", "error"), ("sign", "(")]:
                raise MatlabError(self.expression(tokens[2:]))
            target = [tokens.pop(0)[1]]
            while tokens[0] == ("sign", "."):
                target.append(tokens[1][1])
                del tokens[:2]
            self.expect(tokens, "=")
            value = self.expression(tokens)
            self.expect(tokens, ";")
            if len(target) == 1:
                self.names[target[0]] = value
            else:
                self.names.setdefault(target[0], {})[target[1]] = value

    def tokens(self, text):
        found, at = [], 0
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            if not match:
                raise SyntaxError(text[at:])
            found.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
        return found

    def expect(self, tokens, sign):
        if not tokens or tokens.pop(0) != ("sign", sign):
            raise SyntaxError(f"{sign} expected before {tokens}")

    def value(self, text):
        tokens = self.tokens(text)
        value = self.expression(tokens)
        if tokens:
            raise SyntaxError(str(tokens))
        return value

    def expression(self, tokens, level=0):
        if level == len(BINARY):
            return self.unary(tokens)
        left = self.expression(tokens, level + 1)
        while tokens and tokens[0][0] == "sign" and tokens[0][1] in BINARY[level]:
            sign = tokens.pop(0)[1]
            left = binary(sign, left, self.expression(tokens, level + 1))
        return left

    def unary(self, tokens):
        kind, text = tokens.pop(0)
        if (kind, text) == ("sign", "-"):
            return -self.unary(tokens)
        if kind == "number":
            return float(text)
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if text in ("[", "{"):
            return self.rows(tokens, "]" if text == "[" else "}")
        if kind != "name":
            raise SyntaxError(text)
        if not (tokens and tokens[0] == ("sign", "(")):
            return self.names[text]
        del tokens[0]
        arguments = [self.expression(tokens)]
        while tokens[0] == ("sign", ","):
            del tokens[0]
            arguments.append(self.expression(tokens))
        self.expect(tokens, ")")
        if text not in self.names:
            return CALLS[text](*arguments)
        whole = np.asarray(self.names[text])
        at = tuple(int(argument) - 1 for argument in arguments)
        return float(whole.ravel()[at[0]] if len(at) == 1 else whole[at])

    def rows(self, tokens, end):
        rows = [[]]
        while tokens[0] != ("sign", end):
            if tokens[0][1] == ";" and tokens[0][0] == "sign":
                rows.append([])
                del tokens[0]
            elif tokens[0] == ("sign", ","):
                del tokens[0]
            else:
                rows[-1].append(self.expression(tokens))
        del tokens[0]
        if end == "}":
            return [cell for row in rows for cell in row]
        return np.array(rows, dtype=float)


def binary(sign, a, b):
    match sign:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a @ b if np.ndim(a) == np.ndim(b) == 2 else a * b
        case "/":
            return a / b
        case ":":
            return np.arange(a, b + 1)
        case "~=":
            return a != b
        case "==":
            return a == b
        case "<":
            return a < b
        case "||":
            return a or b
    raise SyntaxError(sign)
