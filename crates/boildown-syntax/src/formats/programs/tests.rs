//! Names that are left undeclared by deletions, one by one.

use std::sync::Arc;

use boildown_search::Verdict;

use super::*;
use crate::formats::testing::gate;

fn names(language: CompiledLanguage, text: &str) -> Vec<String> {
    let names = undeclared(language, text.as_bytes()).into_iter();
    names
        .map(|name| String::from_utf8_lossy(&name).into_owned())
        .collect()
}

/// Returns what is newly undeclared after a change.
#[track_caller]
fn left(language: CompiledLanguage, text: &str, from: &str, to: &str) -> Vec<String> {
    assert!(text.contains(from), "no {from:?}");
    let known = names(language, text);
    let mut left = names(language, &text.replace(from, to));
    left.retain(|name| !known.contains(name));
    left
}

const C: &str = "\
#include <stdio.h>
#define LOW 2
typedef unsigned long u64;
typedef struct node { struct node *next; int key; } node, *list;
enum color { RED, GREEN = LOW, };
static const u64 table[2] = { RED, GREEN }, *row = table;
int (*hook)(int, const char *);
int compare(a, b) int a; int b; { return a - b; }
static __attribute__((unused)) u64 walk(list l, u64 *out)
{
  node n = { .key = 1 };
  register count = 0, *p = &n.key;
again:
  for (int i = 0, j = 1; i < j; i++) out[i] = l->key * *p;
  if (hook) goto again; /* z */
  printf(\"q\", compare(1, count), row, 'x');
  return sizeof(u64) * (u64) n.key;
}
";

#[test]
fn names_of_libraries_are_all_that_is_not_declared_in_c() {
    assert_eq!(names(CompiledLanguage::C, C), ["printf"]);
}

#[test]
fn a_deleted_declaration_of_c_leaves_its_name_undeclared() {
    let c = |from, to| left(CompiledLanguage::C, C, from, to);
    assert_eq!(c("#define LOW 2\n", ""), ["LOW"]);
    assert_eq!(c("typedef unsigned long u64;\n", ""), ["u64"]);
    assert_eq!(c(" node, *list;", ";"), ["list", "node"]);
    assert_eq!(c("RED, GREEN = LOW,", "RED"), ["GREEN"]);
    assert_eq!(c(", *row = table", ""), ["row"]);
    assert_eq!(c("int (*hook)(int, const char *);\n", ""), ["hook"]);
    assert_eq!(
        c("compare(a, b) int a; int b; { return a - b; }", "x;"),
        ["compare"]
    );
    assert_eq!(c("list l, ", ""), ["l"]);
    assert_eq!(c("u64 *out", "u64"), ["out"]);
    assert_eq!(c("  node n = { .key = 1 };\n", ""), ["n"]);
    assert_eq!(c("register count = 0, *p = &n.key;", ";"), ["count", "p"]);
    assert_eq!(c("again:\n", ""), ["again"]);
    assert_eq!(c("int i = 0, j = 1", ""), ["i", "j"]);
    assert_eq!(c("int i = 0, j = 1", "int i"), ["j"]);
}

const CXX: &str = "\
template <class T, int N> struct Array { T data[N]; Array(T t) : first{t} {} T first; };
namespace a { using Int = int; template <typename... Ts> void f(Ts &&...ts); }
Array<a::Int, 3> *array(Array<int, 2> &other) {
  auto [x, y] = other.data;
  auto g = [z = x](const auto &w) { return w + z; };
  for (auto &e : other.data) g(e), y;
  try { throw 1; } catch (const char *message) { puts(message); }
  return new Array<int, 3>(x);
}
";

#[test]
fn a_deleted_declaration_of_cxx_leaves_its_name_undeclared() {
    assert_eq!(names(CompiledLanguage::Cxx, CXX), ["puts"]);
    let cxx = |from, to| left(CompiledLanguage::Cxx, CXX, from, to);
    assert_eq!(cxx("class T, ", ""), ["T"]);
    assert_eq!(cxx(", int N", ""), ["N"]);
    assert_eq!(cxx(" T first;", ""), ["first"]);
    assert_eq!(cxx(" &other", ""), ["other"]);
    assert_eq!(cxx("auto [x, y] = other.data;", ""), ["x", "y"]);
    assert_eq!(cxx("z = x", ""), ["z"]);
    assert_eq!(cxx("const auto &w", ""), ["w"]);
    assert_eq!(cxx("auto &e :", ""), ["e"]);
    assert_eq!(cxx("const char *message", "..."), ["message"]);
}

const JAVA: &str = "\
package a.b;
import java.util.List;
import java.util.function.*;
@Deprecated
public class Streams<T extends Comparable<T>> {
  enum Kind { LOW, HIGH(1) { int f() { return 0; } }; Kind() {} Kind(int size) {} }
  record Pair<A, B>(A left, B... right) {}
  private final int[] sizes = { 1 }, others;
  <K> List<K> map(List<T> all, Function<T, K> change) throws E1 {
    Map<K, T> m = new HashMap<>();
    for (T one : all) m.put(change.apply(one), one);
    BiFunction<Integer, Integer, Integer> sum = (x, y) -> x + y, twice = z -> 2 * z;
    outer: while (true) { break outer; }
    if (all instanceof Pair<?, ?> p && p.left() != Kind.LOW) return others[sizes[0]];
    switch (Kind.HIGH) { case LOW: helper(); default -> throw new E1(Kind::new); }
    String s = \"not, names\"; char c = '\\'';
    return s + c + this.sizes;
  }
  void helper() {}
}
";

#[test]
fn a_deleted_declaration_of_java_leaves_its_name_undeclared() {
    let known = [
        "BiFunction",
        "Comparable",
        "Deprecated",
        "E1",
        "Function",
        "HashMap",
        "Integer",
        "Map",
        "String",
    ];
    assert_eq!(names(CompiledLanguage::Java, JAVA), known);
    let java = |from, to| left(CompiledLanguage::Java, JAVA, from, to);
    assert_eq!(java("import java.util.List;\n", ""), ["List"]);
    assert_eq!(java("<T extends Comparable<T>>", ""), ["T"]);
    assert_eq!(java("LOW, ", ""), ["LOW"]);
    assert_eq!(
        java("record Pair<A, B>(A left, B... right) {}", ""),
        ["Pair"]
    );
    assert_eq!(
        java("private final int[] sizes = { 1 }, others;", ""),
        ["others", "sizes"]
    );
    assert_eq!(java("  <K> List", "  List"), ["K"]);
    assert_eq!(java(", Function<T, K> change", ""), ["change"]);
    assert_eq!(java("T one : all", ""), ["one"]);
    assert_eq!(java("(x, y) -> x", "x"), ["x", "y"]);
    assert_eq!(java(", twice = z -> 2 * z", ""), [""; 0]);
    assert_eq!(java("z -> 2", "2"), ["z"]);
    assert_eq!(java("outer: ", ""), ["outer"]);
    assert_eq!(java("<?, ?> p &&", " &&"), ["p"]);
    assert_eq!(java("void helper() {}", ""), ["helper"]);
}

const RUST: &str = "\
use std::{collections::BTreeMap, fmt::{self, Debug as D}};
macro_rules! twice { ($e:expr) => { 2 * $e }; }
#[derive(Clone)]
pub struct Stack<'a, T: D, const N: usize> { items: &'a [T], top: Option<u8> }
enum Shape { #[allow(dead_code)] Round(f32), Flat { width: u8 }, None }
type Pair = (u8, u8);
static mut COUNT: u8 = r#\"not \"names\"\"#.len() as u8;
impl<'a, T, const N: usize> Stack<'a, T, N> {
    fn find<F: Fn(u8) -> bool>(&self, test: F, pair: Pair) -> Option<Self> {
        let (a, mut b) = pair;
        if let Some(one) = self.top { b += one; }
        for (i, item) in self.items.iter().enumerate() { print(i, item, a as u8, 'x'); }
        let m = BTreeMap::<u8, fmt::Error>::new();
        match shape(&m) {
            Shape::Round(r) if r > 1.0 => {}
            Shape::Flat { width } | w @ width => { let c = width; drop(c) }
            other => test(other),
        }
        'out: loop { break 'out; }
        pair.map(|x, &y| twice!(x + y + b + COUNT)).filter(move |_| w)
    }
}
fn shape(_: &u8) -> Shape { Shape::None }
";

#[test]
fn a_deleted_declaration_of_rust_leaves_its_name_undeclared() {
    let known = [
        "Fn", "Option", "Some", "bool", "drop", "f32", "print", "u8", "usize",
    ];
    assert_eq!(names(CompiledLanguage::Rust, RUST), known);
    let rust = |from, to| left(CompiledLanguage::Rust, RUST, from, to);
    assert_eq!(rust("collections::BTreeMap, ", ""), ["BTreeMap"]);
    assert_eq!(rust("self, Debug as D", ""), ["D", "fmt"]);
    assert_eq!(
        rust("macro_rules! twice { ($e:expr) => { 2 * $e }; }", ""),
        ["twice"]
    );
    assert_eq!(rust("enum Shape {", "enum {"), ["Shape"]);
    assert_eq!(rust("type Pair = (u8, u8);", ""), ["Pair"]);
    assert_eq!(rust("static mut COUNT: u8 =", "const _: u8 ="), ["COUNT"]);
    assert_eq!(rust("<F: Fn(u8) -> bool>", ""), ["F"]);
    assert_eq!(rust("let (a, mut b) = pair;", ""), ["a", "b"]);
    assert_eq!(rust("if let Some(one) = self.top ", "if b "), ["one"]);
    assert_eq!(rust("(i, item) in", "_ in"), ["i", "item"]);
    assert_eq!(rust("let m =", "_ ="), ["m"]);
    assert_eq!(rust("Shape::Round(r) if", "Shape::Round if"), ["r"]);
    assert_eq!(rust("other => test", "_ => test"), ["other"]);
    assert_eq!(rust("|x, &y| ", ""), ["x", "y"]);
    assert_eq!(
        rust("fn shape(_: &u8) -> Shape { Shape::None }", ""),
        ["shape"]
    );
    assert_eq!(
        rust(
            "pub struct Stack<'a, T: D, const N: usize> { items: &'a [T], top: Option<u8> }",
            ""
        ),
        ["Stack"]
    );
}

/// Returns how many of 40 candidates without a declaration are asked about, if the first `hits` of
/// these are interesting.
fn asked_without_declaration(hits: usize) -> usize {
    let best: Arc<[u8]> = C.as_bytes().into();
    let mut gate = gate(&super::C, &best);
    let mut asked = 0;
    for number in 0..40 {
        let candidate = C.replace("list l, ", &" ".repeat(number));
        if gate.admits(candidate.as_bytes(), &best) {
            let verdict = match asked < hits {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            };
            gate.tell(candidate.as_bytes(), verdict);
            asked += 1;
        }
    }
    asked
}

#[test]
fn a_tool_that_reads_no_names_opens_the_gate() {
    assert_eq!(asked_without_declaration(0), 12);
    assert_eq!(asked_without_declaration(1), 12);
    assert_eq!(asked_without_declaration(2), 40);
}

#[test]
fn an_attribute_of_rust_belongs_to_something() {
    let is_lost = |text| names(CompiledLanguage::Rust, text) == ["#"];
    assert!(is_lost("mod m { #[inline] }") && is_lost("#[inline]"));
    assert!(!is_lost("#[inline] fn f() {}") && !is_lost("#![no_std]"));
}

#[test]
fn names_in_blocks_of_earlier_arms_are_mentions() {
    let text = "fn f() { match 1 { 1 => { a } 2 => {} } }";
    assert_eq!(names(CompiledLanguage::Rust, text), ["a"]);
}

#[test]
fn nested_brackets_are_read_once() {
    for (language, open) in [
        (CompiledLanguage::C, "f("),
        (CompiledLanguage::Java, "f("),
        (CompiledLanguage::Rust, "f("),
        (CompiledLanguage::Rust, "|("),
    ] {
        let text = open.repeat(200_000) + "1" + &")".repeat(200_000) + "; a;";
        let left = names(language, &text);
        assert!(left.contains(&"a".to_owned()), "{left:?}");
    }
}

#[test]
fn texts_that_are_cut_off_are_read_to_the_end() {
    for (language, text) in [
        (CompiledLanguage::C, C),
        (CompiledLanguage::Cxx, CXX),
        (CompiledLanguage::Java, JAVA),
        (CompiledLanguage::Rust, RUST),
    ] {
        for end in 0..text.len() {
            names(language, &text[..end]);
        }
    }
}
