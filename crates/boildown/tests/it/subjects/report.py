"""Sums up what a shop sold, by month and by kind."""

import sys
from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Sale:
    month: str
    kind: str
    price: float
    count: int = 1

    def total(self):
        return self.price * self.count


def read(lines):
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            month, kind, price, count = line.split(",")
            yield Sale(month, kind, float(price), int(count))
        except ValueError as error:
            raise SystemExit(f"line {number}: {error}") from error


def sums(sales, key):
    total = defaultdict(float)
    for sale in sales:
        total[key(sale)] += sale.total()
    return dict(sorted(total.items()))


def show(title, rows):
    print(title)
    width = max((len(name) for name in rows), default=0)
    for name, value in rows.items():
        print(f"  {name:<{width}}  {value:>10.2f}")
    print()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        sales = list(read(file))
    show("By month", sums(sales, lambda sale: sale.month))
    show("By kind", sums(sales, lambda sale: sale.kind))
    best = max(sales, key=Sale.total, default=None)
    if best is not None:
        print("The best was", best)


if __name__ == "__main__":
    main()
