#!/usr/bin/env python3
"""A small text-mode browser of 1999: browser.py [--screen] PAGE

Lays the page out in columns of characters, then either shows it on the screen
(--screen: one endless page) or prints it (sheets with a header and a number).

Element names are matched in upper case only, the way the pages of the day
write them. As HTML asks for, an unknown element is ignored and its text is
laid out as if its tags were not there.
"""
import argparse
import re
import sys
from html.parser import HTMLParser

VOID = {"AREA", "BASE", "BR", "HR", "IMG", "INPUT", "LINK", "META"}
HIDDEN = {"HEAD", "MAP", "SCRIPT", "STYLE", "TITLE"}
CONTROLS = {"BUTTON", "INPUT", "SELECT", "TEXTAREA"}
LISTS = {"DIR", "MENU", "OL", "UL"}
HEADINGS = {"H1", "H2", "H3", "H4", "H5", "H6"}
BLOCKS = LISTS | HEADINGS | {
    "ADDRESS", "BLOCKQUOTE", "BODY", "CENTER", "DD", "DIV", "DL", "DT", "FORM",
    "HTML", "LI", "P", "TD", "TH", "TR",
}
# An element of the key's kind ends an open element of these kinds.
ENDS = {
    "LI": {"LI", "P"}, "DT": {"DT", "DD", "P"}, "DD": {"DT", "DD", "P"},
    "OPTION": {"OPTION"}, "P": {"P"}, "TD": {"TD", "TH", "P"},
    "TH": {"TD", "TH", "P"}, "TR": {"TR", "TD", "TH", "P"},
}
# ... but never one outside the innermost of these.
SCOPES = LISTS | {"DL", "FORM", "SELECT", "TABLE"}
MAX_DEPTH = 120
MIN_CELL = 6


class Element:
    def __init__(self, name, attributes=()):
        self.name = name
        self.attributes = dict(attributes)
        self.children = []
        # Finished lines by width: a cell is laid out to measure it, and again to fit it.
        self.laid_out = {}

    def number(self, attribute, default):
        match = re.match(r"\d{1,4}", self.attributes.get(attribute) or "")
        return int(match.group()) if match else default

    def text(self):
        parts = []
        for child in self.children:
            if isinstance(child, str):
                parts.append(child)
            elif child.name not in HIDDEN:
                parts.append(child.text())
        return " ".join("".join(parts).split())

    def find(self, name):
        """All elements called `name` below this one, in page order."""
        for child in self.children:
            if isinstance(child, Element):
                if child.name == name:
                    yield child
                yield from child.find(name)


class TreeBuilder(HTMLParser):
    """Builds the tree of elements; forgives missing and stray end tags."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = Element("HTML")
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        name = self.get_starttag_text()[1:1 + len(tag)]
        ends = ENDS.get(name, ())
        for depth in range(len(self.open) - 1, 0, -1):
            if self.open[depth].name in ends:
                del self.open[depth:]
            elif self.open[depth].name in SCOPES:
                break
        element = Element(name, attrs)
        self.open[-1].children.append(element)
        if name not in VOID and len(self.open) < MAX_DEPTH:
            self.open.append(element)

    def handle_endtag(self, tag):
        for depth in range(len(self.open) - 1, 0, -1):
            name = self.open[depth].name
            if name.lower() == tag:
                del self.open[depth:]
                return
            if name == "TABLE":
                return

    def handle_data(self, data):
        self.open[-1].children.append(data)


def parse(source):
    builder = TreeBuilder()
    builder.feed(source)
    builder.close()
    return builder.root


class Device:
    """Where the page appears: how wide it is, and how it draws form controls."""

    width = 76
    height = None

    def control_width(self, element):
        """Columns a form control takes, or None if the device draws none such."""
        if element.name == "INPUT":
            kind = (element.attributes.get("type") or "text").lower()
            if kind == "hidden":
                return 0
            if kind in ("checkbox", "radio"):
                return 3
            if kind in ("submit", "reset", "button"):
                return len(element.attributes.get("value") or kind) + 4
            return element.number("size", 20) + 2
        if element.name == "TEXTAREA":
            return element.number("cols", 40) + 2
        if element.name == "BUTTON":
            return len(element.text()) + 4
        return None

    def draw_control(self, element, width):
        """The control as a box of its value, exactly `width` columns wide."""
        if width == 0:
            return ""
        kind = (element.attributes.get("type") or "text").lower()
        if kind in ("checkbox", "radio"):
            mark = "x" if "checked" in element.attributes else " "
            return f"({mark})" if kind == "radio" else f"[{mark}]"
        value = element.attributes.get("value") or element.text()
        return f"[{value[:width - 2].center(width - 2)}]"


class Screen(Device):
    """Has the drop-down lists of its window system, which know their size."""

    def control_width(self, element):
        if element.name == "SELECT":
            labels = [option.text() for option in element.find("OPTION")]
            return max(map(len, labels), default=0) + 4
        return super().control_width(element)

    def draw_control(self, element, width):
        if element.name == "SELECT":
            shown = next(element.find("OPTION"), element).text()
            return f"[{shown[:width - 4].ljust(width - 4)} v]"
        return super().draw_control(element, width)


class Printer(Device):
    """Has no window system: only what every device draws by itself."""

    height = 56


class Flow:
    """Lays the children of a block out as lines of at most `width` columns."""

    def __init__(self, device, width):
        self.device = device
        self.width = max(width, MIN_CELL)
        self.lines = []
        self.words = []
        self.used = 0
        self.preformatted = False
        self.touching = False

    def end_line(self):
        if self.words:
            self.lines.append(" ".join(self.words))
        self.words, self.used, self.touching = [], 0, False

    def gap(self):
        """An empty line, unless there is one already or nothing above."""
        self.end_line()
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def put(self, word, width):
        if self.used + width > self.width:
            self.end_line()
        while len(word) > self.width:
            self.lines.append(word[:self.width])
            word = word[self.width:]
            width = len(word)
        self.words.append(word)
        self.used += width + 1

    def put_text(self, text):
        if self.preformatted:
            first, *rest = text.split("\n")
            self.words.append(first)
            for line in rest:
                self.lines.append(" ".join(self.words))
                self.words = [line]
            return
        words = text.split()
        # No blank between two elements that have none on the page.
        glued = self.touching and words and not text[0].isspace()
        if glued and self.words and self.used + len(words[0]) <= self.width:
            self.words[-1] += words[0]
            self.used += len(words.pop(0))
        for word in words:
            self.put(word, len(word))
        self.touching = not text[-1:].isspace()

    def put_control(self, element):
        width = self.device.control_width(element)
        if self.used + width > self.width:
            self.end_line()
        width = min(width, self.width)
        box = self.device.draw_control(element, width)
        if box:
            self.put(box, width)
            self.touching = False

    def put_lines(self, lines, first, indent):
        self.end_line()
        for number, line in enumerate(lines):
            margin = " " * indent if number else first.rjust(indent)
            self.lines.append((margin + line).rstrip())

    def nested(self, element, indent=0):
        inner = Flow(self.device, self.width - indent)
        inner.put_children(element)
        inner.end_line()
        return inner.lines

    def put_children(self, element):
        for child in element.children:
            if isinstance(child, str):
                self.put_text(child)
            else:
                self.put_element(child)

    def put_element(self, element):
        name = element.name
        if name in HIDDEN:
            return
        if name in CONTROLS:
            self.put_control(element)
        elif name == "BR":
            self.end_line()
        elif name == "HR":
            self.end_line()
            self.lines.append("-" * self.width)
        elif name == "IMG":
            self.put_text(element.attributes.get("alt") or "")
        elif name == "TABLE":
            self.end_line()
            self.lines.extend(Table(self.device, element).lay_out(self.width))
        elif name == "PRE":
            self.gap()
            self.preformatted = True
            self.put_children(element)
            self.preformatted = False
            self.gap()
        elif name in LISTS:
            self.put_list(element)
        elif name in HEADINGS:
            self.gap()
            self.put_children(element)
            self.end_line()
            if name == "H1" and self.lines:
                self.lines.append("=" * len(self.lines[-1]))
            self.gap()
        elif name in ("BLOCKQUOTE", "DD"):
            self.put_lines(self.nested(element, 4), "", 4)
        elif name == "P":
            self.gap()
            self.put_children(element)
            self.gap()
        elif name in BLOCKS:
            self.end_line()
            self.put_children(element)
            self.end_line()
        else:
            self.put_children(element)

    def put_list(self, element):
        self.end_line()
        number = 0
        for child in element.children:
            if isinstance(child, Element) and child.name == "LI":
                number += 1
                mark = f"{number}. " if element.name == "OL" else "* "
                self.put_lines(self.nested(child, 4), mark, 4)
            elif isinstance(child, Element):
                self.put_element(child)
            else:
                self.put_text(child)
        self.end_line()


class Table:
    """Columns as wide as their longest line, shrunk in proportion to fit."""

    def __init__(self, device, element):
        self.device = device
        self.border = element.number("border", 0) > 0
        self.rows = []
        self.loose = Element("TD")
        self.collect(element)

    def collect(self, element):
        """Finds the rows, also below sections, forms and unknown elements."""
        for child in element.children:
            if isinstance(child, str) or child.name == "CAPTION" or child.name in CONTROLS:
                self.loose.children.append(child)
            elif child.name == "TR":
                self.rows.append([])
                self.collect(child)
            elif child.name in ("TD", "TH"):
                if not self.rows:
                    self.rows.append([])
                self.rows[-1].append(child)
            elif child.name == "TABLE" or child.name in BLOCKS and child.name != "FORM":
                self.loose.children.append(child)
            elif child.name not in HIDDEN:
                self.collect(child)

    def lay_cell(self, cell, width):
        if width not in cell.laid_out:
            cell.laid_out[width] = Flow(self.device, width).nested(cell)
        return cell.laid_out[width]

    def lay_out(self, width):
        lines = self.lay_cell(self.loose, width)
        count = max((len(row) for row in self.rows), default=0)
        if count == 0:
            return lines
        wanted = [1] * count
        for row in self.rows:
            if len(row) < count:
                continue
            for column, cell in enumerate(row):
                longest = max(map(len, self.lay_cell(cell, width)), default=0)
                wanted[column] = max(wanted[column], longest)
        room = max(width - 3 * (count - 1), count * MIN_CELL)
        if sum(wanted) > room:
            wanted = [max(MIN_CELL, w * room // sum(wanted)) for w in wanted]
        between = " | " if self.border else "   "
        for row in self.rows:
            widths = wanted[:len(row)]
            if len(row) == 1:
                widths = [width]
            cells = [self.lay_cell(*pair) for pair in zip(row, widths)]
            for y in range(max(map(len, cells), default=0)):
                parts = [(c[y] if y < len(c) else "").ljust(w) for c, w in zip(cells, widths)]
                lines.append(between.join(parts).rstrip())
            if self.border:
                lines.append("-" * min(width, sum(wanted) + 3 * (count - 1)))
        return lines


def paginate(title, lines, height):
    """Cuts the lines into sheets, each with the title and its number on top."""
    sheets = [lines[at:at + height] for at in range(0, len(lines), height)] or [[]]
    pages = []
    for number, sheet in enumerate(sheets, 1):
        where = f"page {number} of {len(sheets)}"
        head = title[:76 - len(where) - 1].ljust(76 - len(where)) + where
        pages.append("\n".join([head, "", *sheet]) + "\n")
    return "\f".join(pages)


def render(source, device):
    root = parse(source)
    flow = Flow(device, device.width)
    flow.put_children(root)
    flow.end_line()
    if device.height is None:
        return "\n".join(flow.lines) + "\n"
    title = next(root.find("TITLE"), Element("TITLE"))
    return paginate(title.text(), flow.lines, device.height)


def main():
    arguments = argparse.ArgumentParser(description="Print or show a page.")
    arguments.add_argument("page")
    arguments.add_argument("--screen", action="store_true", help="show, do not print")
    options = arguments.parse_args()
    with open(options.page, encoding="latin-1") as file:
        source = file.read()
    text = render(source, Screen() if options.screen else Printer())
    sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    main()
