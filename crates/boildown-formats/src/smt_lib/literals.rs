//! Literals of bit vectors and numbers: values of operations on them, and narrower ones.

use std::collections::BTreeSet;

use super::sorts::number;
use super::terms::{ReadTerms, Term, parse};
use super::uses::ByteEdits;

/// Bit vectors that are wider than this are not read.
const WIDEST: usize = 64;

/// The widths that all bit vectors of one width are given.
const WIDTHS: [usize; 4] = [1, 2, 4, 8];

/// Only of scripts with at most this many widths.
const FEW_WIDTHS: usize = 4;

/// A bit vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bits {
    value: u128,
    width: usize,
}

impl Bits {
    fn new(value: u128, width: usize) -> Option<Self> {
        (1..=WIDEST).contains(&width).then(|| Self {
            value: value & ((1 << width) - 1),
            width,
        })
    }

    /// Reads `#x0f`, `#b1010` or `(_ bv5 8)`.
    fn read(term: &Term<'_>) -> Option<Self> {
        if let Some((b"_", [value, width])) = term.application() {
            let value = std::str::from_utf8(value.atom()?.strip_prefix(b"bv")?).ok()?;
            return Self::new(value.parse().ok()?, number(width)? as usize);
        }
        let atom = std::str::from_utf8(term.atom()?).ok()?;
        let (digits, radix, bits) = match atom.strip_prefix("#x") {
            Some(digits) => (digits, 16, 4),
            None => (atom.strip_prefix("#b")?, 2, 1),
        };
        let width = digits.len() * bits;
        let value = (width <= WIDEST).then(|| u128::from_str_radix(digits, radix));
        Self::new(value?.ok()?, width)
    }

    fn text(self) -> Vec<u8> {
        let Self { value, width } = self;
        let text = match width % 4 {
            0 => format!("#x{value:0width$x}", width = width / 4),
            _ => format!("#b{value:0width$b}"),
        };
        text.into_bytes()
    }

    /// Returns the value of an operation on bit vectors; `None` if it is not known.
    fn of_operation(head: &Term<'_>, arguments: &[Self]) -> Option<Self> {
        if let Some((b"_", [name, rest @ ..])) = head.application() {
            let numbers: Option<Vec<usize>> = (rest.iter())
                .map(|term| number(term).map(|number| number as usize))
                .collect();
            return match (name.atom()?, &numbers?[..], arguments) {
                (b"zero_extend", [more], [a]) => Self::new(a.value, a.width + more),
                (b"sign_extend", [more], [a]) => {
                    let is_negative = a.value >> (a.width - 1) == 1;
                    let sign = if is_negative { u128::MAX << a.width } else { 0 };
                    Self::new(a.value | sign, a.width + more)
                }
                (b"extract", [high, low], [a]) if *high < a.width && low <= high => {
                    Self::new(a.value >> low, high - low + 1)
                }
                _ => None,
            };
        }
        let same = |value: u128, a: &Self, b: &Self| {
            (a.width == b.width).then(|| Self::new(value, a.width))?
        };
        match (head.atom()?, arguments) {
            (b"bvnot", [a]) => Self::new(!a.value, a.width),
            (b"bvneg", [a]) => Self::new(a.value.wrapping_neg(), a.width),
            (b"bvadd", [a, b]) => same(a.value.wrapping_add(b.value), a, b),
            (b"bvsub", [a, b]) => same(a.value.wrapping_sub(b.value), a, b),
            (b"bvmul", [a, b]) => same(a.value.wrapping_mul(b.value), a, b),
            (b"bvand", [a, b]) => same(a.value & b.value, a, b),
            (b"bvor", [a, b]) => same(a.value | b.value, a, b),
            (b"bvxor", [a, b]) => same(a.value ^ b.value, a, b),
            (b"concat", [a, b]) => Self::new(a.value << b.width | b.value, a.width + b.width),
            _ => None,
        }
    }
}

/// Calls a function with each term in some terms, outer ones first, until it returns whether to
/// look inside.
fn walk<'t, 'a>(terms: &'t [Term<'a>], mut enter: impl FnMut(&'t Term<'a>) -> bool) {
    let mut rest: Vec<&Term<'_>> = terms.iter().rev().collect();
    while let Some(term) = rest.pop() {
        if enter(term) {
            rest.extend(term.list().unwrap_or_default().iter().rev());
        }
    }
}

/// Returns the value of an operation on literals.
fn value(term: &Term<'_>) -> Option<Vec<u8>> {
    let (head, arguments) = term.list()?.split_first()?;
    let bits: Option<Vec<Bits>> = arguments.iter().map(Bits::read).collect();
    if let Some(bits) = bits.filter(|bits| !bits.is_empty()) {
        return Some(Bits::of_operation(head, &bits)?.text());
    }
    let numbers: Option<Vec<u64>> = (arguments.iter())
        .map(|term| number(term).map(u64::from))
        .collect();
    let number = match (head.atom()?, &numbers?[..]) {
        (b"+", [a, b]) => a.checked_add(*b),
        (b"-", [a, b]) => a.checked_sub(*b),
        (b"-", [0]) => Some(0),
        (b"*", [a, b]) => a.checked_mul(*b),
        _ => None,
    };
    Some(number?.to_string().into_bytes())
}

/// Returns the edits that put the value of an operation on literals in its place: of all of them,
/// then of each.
pub(super) fn values_of_operations(text: &[u8]) -> Vec<ByteEdits> {
    let ReadTerms::Script(terms) = parse(text) else {
        return Vec::new();
    };
    let mut edits = Vec::new();
    walk(&terms, |term| {
        let value = value(term);
        edits.extend(
            value
                .iter()
                .map(|value| (term.range.clone(), value.clone())),
        );
        value.is_none()
    });
    let mut all: Vec<ByteEdits> = edits.iter().map(|edit| vec![edit.clone()]).collect();
    if edits.len() > 1 {
        all.insert(0, edits);
    }
    all
}

/// Returns the edits that make all bit vectors of one width narrower: their sorts, their literals,
/// and the bits that are extracted of any.
pub(super) fn narrower(text: &[u8]) -> Vec<ByteEdits> {
    let ReadTerms::Script(terms) = parse(text) else {
        return Vec::new();
    };
    let mut widths = BTreeSet::new();
    walk(&terms, |term| {
        widths.extend(width_of_sort(term));
        true
    });
    if widths.len() > FEW_WIDTHS {
        return Vec::new();
    }
    let mut all = Vec::new();
    for &from in widths.iter().rev() {
        let to: BTreeSet<usize> = WIDTHS.into_iter().chain([from / 2]).collect();
        for to in to.into_iter().filter(|&to| 0 < to && to < from) {
            all.push(with_width(&terms, from, to));
        }
    }
    all
}

/// Returns the width of `(_ BitVec 8)`.
fn width_of_sort(term: &Term<'_>) -> Option<usize> {
    match term.application()? {
        (b"_", [name, width]) if name.atom() == Some(b"BitVec") => Some(number(width)? as usize),
        _ => None,
    }
}

/// Returns the edits that give all bit vectors of one width another one.
pub(super) fn with_width(terms: &[Term<'_>], from: usize, to: usize) -> ByteEdits {
    let mut edits = Vec::new();
    walk(terms, |term| {
        let other = of_width(term, from, to);
        let is_other = other.is_none();
        edits.extend(other.map(|text| (term.range.clone(), text)));
        is_other
    });
    edits
}

/// Returns what a sort, a literal or a choice of bits becomes.
fn of_width(term: &Term<'_>, from: usize, to: usize) -> Option<Vec<u8>> {
    if width_of_sort(term) == Some(from) {
        return Some(format!("(_ BitVec {to})").into_bytes());
    }
    if let Some(bits) = Bits::read(term) {
        return (bits.width == from).then(|| Some(Bits::new(bits.value, to)?.text()))?;
    }
    let (b"_", [name, high, low]) = term.application()? else {
        return None;
    };
    let (high, low) = (number(high)? as usize, number(low)? as usize);
    let is_cut = name.atom() == Some(b"extract") && (to..from).contains(&high) && low <= high;
    let low_after = (to - 1).checked_sub(high.checked_sub(low)?)?;
    is_cut.then(|| format!("(_ extract {} {low_after})", to - 1).into_bytes())
}
