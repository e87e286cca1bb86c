"""Prints the installed packages that files import, directly or through others."""
import ast
import importlib.util
import os
import sys


def statements(path):
    """Yields the modules that a file imports, and how many packages up each one is."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name, 0
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield module, node.level
            for name in node.names:
                yield (module + "." + name.name).strip("."), node.level


def file_of(path):
    """Returns the file of a module, by its path without an ending."""
    for name in (path + ".py", path + "/__init__.py", path + ".pyi", path + "/__init__.pyi"):
        if os.path.isfile(name):
            return name


inputs = sys.argv[1:]
own = {os.path.splitext(os.path.basename(path))[0] for path in inputs}
folders = {os.path.dirname(os.path.abspath(path)) for path in inputs}
own |= {os.path.basename(path) for path in folders if len(inputs) > 1}
sys.path = [path for path in sys.path if path]
packages, seen, files = {}, set(inputs), list(inputs)
while files:
    here = files.pop()
    for module, level in statements(here):
        parts = module.split(".")
        if level:
            base = os.path.dirname(here)
            for _ in range(level - 1):
                base = os.path.dirname(base)
        else:
            top = parts[0]
            if top in own or top in sys.stdlib_module_names or top in ("", "__future__"):
                continue
            if top not in packages:
                try:
                    spec = importlib.util.find_spec(top)
                except (ImportError, ValueError):
                    spec = None
                folders = list(spec.submodule_search_locations or []) if spec else []
                path = folders[0] if folders else spec and spec.has_location and spec.origin
                packages[top] = path or None
            if not packages[top]:
                continue
            base = os.path.dirname(packages[top])
        for end in range(1, len(parts) + 1):
            found = file_of(os.path.join(base, *parts[:end]))
            if found and found not in seen:
                seen.add(found)
                files.append(found)
        if level and not module:
            found = file_of(base)
            if found and found not in seen:
                seen.add(found)
                files.append(found)
for name, path in sorted(packages.items()):
    if path:
        print(name, path, sep="\t")
        # Packages read their versions from there.
        base = os.path.dirname(path)
        for entry in sorted(os.listdir(base)):
            if entry.lower().startswith(name.lower() + "-") and entry.endswith(".dist-info"):
                print(name, os.path.join(base, entry), sep="\t")
