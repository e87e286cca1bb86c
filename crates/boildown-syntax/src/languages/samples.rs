//! A few lines of each language, written for these tests.

/// Returns the sample of the language of this name.
#[track_caller]
pub(super) fn of(name: &str) -> &'static str {
    let sample = SAMPLES.iter().find(|(language, _)| *language == name);
    sample
        .unwrap_or_else(|| panic!("write a sample of {name}"))
        .1
        .trim_start_matches('\n')
}

/// Name of the language, sample.
pub(super) const SAMPLES: &[(&str, &str)] = &[
    (
        "Ada",
        r#"
with Ada.Text_IO; use Ada.Text_IO;
procedure Count is
   Total : Integer := 0;
begin
   for I in 1 .. 3 loop
      Total := Total + I;
   end loop;
   Put_Line ("total" & Integer'Image (Total));
end Count;
"#,
    ),
    (
        "Assembly",
        r#"
.text
.globl main
main:
    pushq %rbp
    movl $0, %eax
    ret
"#,
    ),
    (
        "Bash",
        r#"
set -eu
for file in *.c; do
    if grep -q "main" "$file"; then
        echo "${file%.c}: $(wc -l < "$file")"
    fi
done
"#,
    ),
    (
        "C",
        r#"
#include <stdio.h>
struct point { int x, y; };
int main(void) {
    struct point p = { .x = 1 };
    for (int i = 0; i < 3; i++)
        p.y += i;
    return printf("%d\n", p.y) < 0;
}
"#,
    ),
    (
        "C#",
        r#"
using System;
public class Counter {
    public int Total { get; private set; }
    public void Add(int step) => Total += step;
    public static void Main() { Console.WriteLine(new Counter().Total); }
}
"#,
    ),
    (
        "C++",
        r#"
#include <vector>
template <typename T> class Stack {
    std::vector<T> items;
public:
    void push(T item) { items.push_back(item); }
    auto size() const -> decltype(items.size()) { return items.size(); }
};
int main() { Stack<int> s; s.push(1); return [&] { return s.size() == 1; }() ? 0 : 1; }
"#,
    ),
    (
        "CMake",
        r#"
cmake_minimum_required(VERSION 3.20)
project(sample C)
if(WIN32)
  add_definitions(-DWINDOWS)
endif()
add_executable(sample main.c)
"#,
    ),
    (
        "Common Lisp",
        r#"
(defun total (items)
  "The sum of ITEMS."
  (loop for item in items sum item))
(format t "~a~%" (total '(1 2 3)))
"#,
    ),
    (
        "CSS",
        r#"
:root { --gap: 4px; }
ul > li.item:first-child {
  margin: calc(var(--gap) * 2) 0;
  color: #c0ffee;
}
@media (max-width: 40em) { li { display: none; } }
"#,
    ),
    (
        "Cypher",
        r#"
MATCH (a:Person)-[:KNOWS]->(b:Person)
WHERE a.age > 30 AND b.name = 'Ann'
RETURN a.name, count(b) AS friends
ORDER BY friends DESC
LIMIT 5;
"#,
    ),
    (
        "D",
        r#"
import std.stdio;
int twice(int x) { return 2 * x; }
void main()
{
    foreach (i; 0 .. 3)
        writeln(twice(i));
}
"#,
    ),
    (
        "Dart",
        r#"
class Point {
  final int x;
  const Point(this.x);
  Point operator +(Point other) => Point(x + other.x);
}
void main() {
  print((Point(1) + Point(2)).x);
}
"#,
    ),
    (
        "Diff",
        r#"
diff --git a/list.txt b/list.txt
index 1111111..2222222 100644
--- a/list.txt
+++ b/list.txt
@@ -1,3 +1,3 @@
 apples
-pears
+plums
 cherries
"#,
    ),
    (
        "Dockerfile",
        r#"
FROM debian:stable AS build
RUN apt-get update && apt-get install -y gcc
COPY main.c /src/
WORKDIR /src
ENTRYPOINT ["gcc", "main.c"]
"#,
    ),
    (
        "DTD",
        r#"
<!ELEMENT list (item+)>
<!ELEMENT item (#PCDATA)>
<!ATTLIST item id ID #REQUIRED>
<!ENTITY dash "-">
"#,
    ),
    (
        "Elixir",
        r#"
defmodule Counter do
  def total([]), do: 0
  def total([head | tail]) do
    head + total(tail)
  end
end
IO.puts(Counter.total([1, 2, 3]))
"#,
    ),
    (
        "Elm",
        r#"
module Main exposing (main)

import Html exposing (Html, text)

twice : Int -> Int
twice n =
    n * 2

main : Html msg
main =
    text (String.fromInt (twice 21))
"#,
    ),
    (
        "Erlang",
        r#"
-module(counter).
-export([total/1]).
total([]) -> 0;
total([H | T]) when is_integer(H) ->
    H + total(T).
"#,
    ),
    (
        "Fortran",
        r#"
program count
  implicit none
  integer :: i, total
  total = 0
  do i = 1, 3
    total = total + i
  end do
  print *, total
end program count
"#,
    ),
    (
        "Gleam",
        r#"
import gleam/io

pub fn main() {
  let total = case 1 + 2 {
    3 -> "three"
    _ -> "other"
  }
  io.println(total)
}
"#,
    ),
    (
        "GLSL",
        r#"
#version 310 es
layout(location = 0) out vec4 colour;
uniform float time;
void main() {
    colour = vec4(sin(time), 0.0, 0.0, 1.0);
}
"#,
    ),
    (
        "Go",
        r#"
package main

import "fmt"

type pair[T any] struct{ first, second T }

func main() {
	for i, p := range []pair[int]{{1, 2}} {
		go fmt.Println(i, p.first)
	}
}
"#,
    ),
    (
        "GraphQL",
        r#"
query Books($first: Int!) {
  books(first: $first) {
    title
    ...author
  }
}
fragment author on Book { author { name } }
"#,
    ),
    (
        "Haskell",
        r#"
module Main where

import Data.List (sort)

total :: [Int] -> Int
total [] = 0
total (x : xs) = x + total xs

main :: IO ()
main = print (total (sort [3, 1, 2]))
"#,
    ),
    (
        "HCL",
        r#"
variable "count" {
  type    = number
  default = 2
}
resource "null_resource" "items" {
  count = var.count > 1 ? 3 : 1
}
"#,
    ),
    (
        "HLSL",
        r#"
cbuffer Scene { float time; };
float4 main(float2 uv : TEXCOORD0) : SV_Target
{
    return float4(sin(time) * uv.x, uv.y, 0.0, 1.0);
}
"#,
    ),
    (
        "HTML",
        r#"
<!DOCTYPE html>
<html>
<head><title>Sample</title></head>
<body>
<p class="first">One<br>two &amp; three</p>
<script>let x = 1;</script>
</body>
</html>
"#,
    ),
    (
        "INI",
        r#"
; settings
[server]
host = localhost
port = 8080

[client]
retries = 3
"#,
    ),
    (
        "Java",
        r#"
import java.util.List;
public class Main {
    record Point(int x, int y) {}
    public static void main(String[] args) {
        List<Point> points = List.of(new Point(1, 2));
        points.stream().map(p -> p.x()).forEach(System.out::println);
    }
}
"#,
    ),
    (
        "JavaScript",
        r#"
import { readFile } from "node:fs";
class Counter {
  #total = 0;
  add = (step = 1) => (this.#total += step);
}
const [a, ...rest] = [1, 2, 3];
export default async () => `${await rest[0]} ${a ?? 2}`;
"#,
    ),
    (
        "JSON",
        r#"
{
  "name": "sample",
  "sizes": [1, 2.5e3, -4],
  "nested": { "on": true, "none": null }
}
"#,
    ),
    (
        "Jsonnet",
        r#"
local twice(x) = 2 * x;
{
  base: 21,
  answer: twice(self.base),
  names: [name + '.txt' for name in ['a', 'b']],
}
"#,
    ),
    (
        "Julia",
        r#"
module Sample
struct Point{T}
    x::T
end
total(xs) = sum(x -> x^2, xs)
for i in 1:3
    println("$i: ", total([i, 2i]))
end
end
"#,
    ),
    (
        "Kotlin",
        r#"
package sample
data class Point(val x: Int, val y: Int = 0)
fun main() {
    val points = listOf(Point(1), Point(2))
    for (p in points) {
        println("x = ${p.x}")
    }
}
"#,
    ),
    (
        "LLVM IR",
        r#"
define i32 @twice(i32 %x) {
entry:
  %sum = add nsw i32 %x, %x
  %big = icmp sgt i32 %sum, 10
  br i1 %big, label %yes, label %no
yes:
  ret i32 %sum
no:
  ret i32 0
}
"#,
    ),
    (
        "Lua",
        r#"
local Stack = {}
function Stack.push(self, item)
  self[#self + 1] = item
end
for i = 1, 3 do
  Stack:push(i)
end
print(#Stack .. " items")
"#,
    ),
    (
        "Make",
        r#"
CC ?= cc
OBJECTS := main.o list.o

sample: $(OBJECTS)
	$(CC) -o $@ $^

.PHONY: clean
clean:
	rm -f sample $(OBJECTS)
"#,
    ),
    (
        "Markdown",
        r#"
# Title

Some *text* with a [link](there).

- one
- two

```c
int x;
```
"#,
    ),
    (
        "MLIR",
        r#"
func.func @twice(%x: i32) -> i32 {
  %sum = arith.addi %x, %x : i32
  return %sum : i32
}
"#,
    ),
    (
        "Nix",
        r#"
{ pkgs ? import <nixpkgs> { } }:
let
  twice = x: 2 * x;
in
pkgs.mkShell {
  packages = with pkgs; [ gcc ];
  ANSWER = "${toString (twice 21)}";
}
"#,
    ),
    (
        "Objective-C",
        r#"
#import <Foundation/Foundation.h>
@interface Counter : NSObject
@property(nonatomic) int total;
- (void)add:(int)step;
@end
@implementation Counter
- (void)add:(int)step { self.total += step; [self description]; }
@end
"#,
    ),
    (
        "OCaml",
        r#"
type shape = Circle of float | Square of { side : float }
let area = function
  | Circle r -> 3.14 *. r *. r
  | Square { side } -> side *. side
let () = List.iter (fun s -> Printf.printf "%f\n" (area s)) [ Circle 1.0 ]
"#,
    ),
    (
        "OCaml interface",
        r#"
type 'a t
val empty : 'a t
val add : 'a -> 'a t -> 'a t
module type Ordered = sig
  val compare : int -> int -> int
end
"#,
    ),
    (
        "Pascal",
        r#"
program Count;
var
  i, total: Integer;
begin
  total := 0;
  for i := 1 to 3 do
    total := total + i;
  WriteLn('total ', total);
end.
"#,
    ),
    (
        "Perl",
        r#"
use strict;
my %count = (a => 1);
foreach my $word (split /\s+/, "a b a") {
    $count{$word}++;
}
print "$_ $count{$_}\n" for sort keys %count;
"#,
    ),
    (
        "PHP",
        r#"
<?php
namespace Sample;
final class Point {
    public function __construct(private int $x = 0) {}
    public function next(): ?int { return $this->x + 1; }
}
echo "x = {$argc}", PHP_EOL;
"#,
    ),
    (
        "PowerShell",
        r#"
function Get-Total([int[]]$Items) {
    $total = 0
    foreach ($item in $Items) {
        $total += $item
    }
    return $total
}
Write-Output (Get-Total 1, 2, 3)
"#,
    ),
    (
        "Prolog",
        r#"
parent(ann, bob).
parent(bob, eve).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Y) :- parent(X, Z), ancestor(Z, Y).
"#,
    ),
    (
        "Protobuf",
        r#"
syntax = "proto3";
package sample;
message Book {
  string title = 1;
  repeated int32 pages = 2;
  oneof by { string author = 3; int64 id = 4; }
}
service Library { rpc Find(Book) returns (stream Book); }
"#,
    ),
    (
        "Python",
        r#"
from dataclasses import dataclass

@dataclass
class Point:
    x: int = 0

def total(points: list[Point]) -> int:
    match points:
        case [first, *rest]:
            return first.x + total(rest)
    return len([p for p in points if not p.x])
"#,
    ),
    (
        "R",
        r#"
total <- function(items, scale = 1) {
  result <- 0
  for (item in items) {
    result <- result + item * scale
  }
  result
}
print(total(c(1, 2, 3), scale = 2) %in% 12L)
"#,
    ),
    (
        "Racket",
        r#"
#lang racket
(define (total items)
  (foldl + 0 items))
(displayln (total '(1 2 3)))
"#,
    ),
    ("Regex", r#"^(?<year>\d{4})-[01]?\d(?:-(\d+|x*))$"#),
    (
        "Ruby",
        r##"
class Counter
  attr_reader :total
  def initialize(start: 0) = @total = start
  def each
    yield total if block_given?
  end
end
puts [1, 2].map { |x| "#{x * 2}" }.join(", ")
"##,
    ),
    (
        "Rust",
        r#"
use std::fmt;
struct Point<T> { x: T }
impl<T: fmt::Display> Point<T> {
    fn show(&self) -> String { format!("{}", self.x) }
}
fn main() {
    if let Some(p) = Some(Point { x: 1 }) { println!("{}", p.show()); }
}
"#,
    ),
    (
        "Scala",
        r#"
package sample
case class Point(x: Int, y: Int)
object Main {
  def main(args: Array[String]): Unit = {
    val points = for (i <- 1 to 3) yield Point(i, i)
    points.foreach { case Point(x, _) => println(s"x = $x") }
  }
}
"#,
    ),
    (
        "Scheme",
        r#"
(define (total items)
  (if (null? items)
      0
      (+ (car items) (total (cdr items)))))
(display (total '(1 2 3)))
"#,
    ),
    (
        "Solidity",
        r#"
pragma solidity ^0.8.0;
contract Counter {
    uint256 public total;
    event Added(address indexed who, uint256 step);
    function add(uint256 step) external {
        total += step;
        emit Added(msg.sender, step);
    }
}
"#,
    ),
    (
        "Souffle",
        r#"
.decl edge(x: number, y: number)
.decl path(x: number, y: number)
.output path
edge(1, 2).
path(x, y) :- edge(x, y).
path(x, z) :- path(x, y), edge(y, z).
"#,
    ),
    (
        "SQL",
        r#"
CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
INSERT INTO book VALUES (1, 'One'), (2, 'Two');
SELECT b.title, count(*) AS n
FROM book AS b LEFT JOIN loan AS l ON l.book = b.id
WHERE b.id > 1
GROUP BY b.title
ORDER BY n DESC;
"#,
    ),
    (
        "Starlark",
        r#"
load("//tools:defs.bzl", "sample_rule")

def _files(names):
    return [name + ".c" for name in names if name]

sample_rule(
    name = "sample",
    srcs = _files(["a", "b"]),
)
"#,
    ),
    (
        "Swift",
        r#"
struct Point: Equatable {
    var x = 0
    func moved(by step: Int) -> Point { Point(x: x + step) }
}
let points = [Point(x: 1), Point()]
for p in points where p.x > 0 {
    print("x = \(p.moved(by: 2).x)")
}
"#,
    ),
    (
        "TOML",
        r#"
title = "sample"
[server]
ports = [8000, 8001]
since = 1979-05-27T07:32:00Z
[[item]]
size = { width = 1, height = 2.5 }
"#,
    ),
    (
        "TSX",
        r#"
type Props = { names: string[] };
export function List({ names }: Props) {
  return <ul>{names.map((n) => <li key={n}>{n as string}</li>)}</ul>;
}
"#,
    ),
    (
        "TypeScript",
        r#"
interface Point<T extends number = number> { readonly x: T; y?: T }
enum Kind { A, B = 2 }
abstract class Shape {
  constructor(protected at: Point, public kind: Kind) {}
  abstract area(): number | undefined;
}
const first = <T,>(items: T[]): T => items[0]!;
"#,
    ),
    (
        "Verilog",
        r#"
module counter(input clk, input rst, output reg [3:0] count);
  always @(posedge clk) begin
    if (rst)
      count <= 4'b0000;
    else
      count <= count + 1;
  end
endmodule
"#,
    ),
    (
        "VHDL",
        r#"
library ieee;
use ieee.std_logic_1164.all;
entity inverter is
  port (a : in std_logic; b : out std_logic);
end entity;
architecture rtl of inverter is
begin
  b <= not a;
end architecture;
"#,
    ),
    (
        "WGSL",
        r#"
struct Scene { time: f32 };
@group(0) @binding(0) var<uniform> scene: Scene;
@fragment
fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    let red = sin(scene.time) * uv.x;
    return vec4<f32>(red, uv.y, 0.0, 1.0);
}
"#,
    ),
    (
        "XML",
        r#"
<?xml version="1.0" encoding="UTF-8"?>
<!-- a list -->
<list xmlns:x="urn:sample">
  <item id="1">one &lt; two</item>
  <x:empty/>
  <![CDATA[a & b]]>
</list>
"#,
    ),
    (
        "YAML",
        r#"
name: sample
base: &base
  steps: [build, "test"]
jobs:
  - <<: *base
    script: |
      echo one
      echo two
"#,
    ),
    (
        "Zig",
        r#"
const std = @import("std");
fn twice(comptime T: type, x: T) T {
    return x * 2;
}
pub fn main() !void {
    const items = [_]u32{ 1, 2, 3 };
    for (items) |item| std.debug.print("{d}\n", .{twice(u32, item)});
}
"#,
    ),
];
