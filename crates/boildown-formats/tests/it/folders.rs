//! Folders with files of formats.

use std::collections::BTreeMap;
use std::sync::Arc;

use boildown_document::Language;
use boildown_folder::FolderText;
use boildown_formats::{FORMATS, strategy};
use boildown_reduce::memory_folder::folder;
use boildown_reduce::{Input, folder_reduction};
use boildown_search::{Verdict, run};

/// The files by their paths.
type Files = BTreeMap<String, String>;

/// Returns the number of queries that reduce files for a property of them.
fn queries(files: &[(&str, &str)], holds: impl Fn(&Files) -> bool) -> u32 {
    let input = folder(files);
    let text_of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let read = |state: &[u8]| -> Files {
        let text = FolderText::read(state, &input.listing).expect("a state of the folder");
        let kept = text.kept().filter_map(|entry| {
            let content = input.content_in(&text, entry)?;
            Some((
                text_of(&input.listing.entries()[entry].path),
                text_of(&content),
            ))
        });
        kept.collect()
    };
    let whole = FolderText::whole(&input.listing).write(&input.listing);
    let search = folder_reduction(&input, &whole, strategy()).expect("it is the whole folder");
    let mut queries = 0;
    let search = run(search, |candidate| {
        queries += 1;
        match holds(&read(candidate.bytes())) {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        }
    });
    assert!(search.inner().is_proved());
    queries
}

fn has(files: &Files, path: &str, text: &str) -> bool {
    (files.get(path)).is_some_and(|content| content.contains(text))
}

const PROGRAM: (&str, &str) = (
    "lib/a.c",
    "int used(int a) { return a; }\nint other() { return 2; }\n",
);

/// A module in which names mention definitions, and a program without any.
const MODULE: (&str, &str) = (
    "code.ll",
    "define i32 @used(i32 %a) {\n  %b = mul i32 %a, 3\n  %c = add i32 %b, %a\n  \
     br label %next\n\nnext:\n  %d = sub i32 %c, 7\n  ret i32 %d\n}\n\n\
     define i32 @main(i32 %n, ptr %p) {\n  %x = load i32, ptr %p\n  \
     %y = call i32 @used(i32 %x)\n  %z = xor i32 %y, %n\n  store i32 %z, ptr %p\n  \
     ret i32 %z\n}\n",
);

#[test]
fn a_module_in_a_folder_is_reduced_as_it_is_alone() {
    let is_well_formed = |text: &String| {
        let bytes: Arc<[u8]> = text.as_bytes().into();
        let input = Input {
            bytes: &bytes,
            language: Language::named("LLVM IR"),
            stated: None,
        };
        let format = FORMATS.format_of(&input);
        let facts = format.map(|format| format.facts(&bytes));
        facts.is_some_and(|facts| facts.undeclared.is_empty() && facts.faults == 0)
    };
    let module = |files: &Files| {
        has(files, "code.ll", "xor i32") && files.get("code.ll").is_some_and(is_well_formed)
    };
    let program = |files: &Files| has(files, "lib/a.c", "other() {");
    let of_module = queries(&[MODULE], module);
    let of_program = queries(&[PROGRAM], program);
    let of_both = queries(&[MODULE, PROGRAM], |files| module(files) && program(files));
    assert!(4 * of_both < 5 * (of_module + of_program), "{of_both}");
}

const ADDER: (&str, &str) = (
    "rtl/adder.v",
    "module adder(input [7:0] a, input [7:0] b, output [7:0] sum);\n  wire [7:0] left, right;\n  \
     assign left = a;\n  assign right = b;\n  assign sum = left + right;\nendmodule\n\n\
     module unused(input clk, output reg q);\n  reg d;\n  always @(posedge clk) begin\n    \
     d <= ~d;\n    q <= d;\n  end\nendmodule\n",
);

const TOP: (&str, &str) = (
    "rtl/top.v",
    "module top(input [7:0] x, input clk, output reg [7:0] y);\n  wire [7:0] sum;\n  \
     reg [7:0] last;\n  adder add(.a(x), .b(last), .sum(sum));\n  always @(posedge clk) begin\n    \
     last <= x;\n    y <= sum ^ last;\n  end\nendmodule\n",
);

#[test]
fn files_that_are_malformed_are_not_tested_in_a_folder_either() {
    let is_well_formed = |text: &String| {
        let bytes: Arc<[u8]> = text.as_bytes().into();
        let input = Input {
            bytes: &bytes,
            language: Language::named("Verilog"),
            stated: None,
        };
        let format = FORMATS.format_of(&input).expect("there is one for it");
        let facts = format.facts(&bytes);
        facts.undeclared.is_empty() && facts.faults == 0
    };
    let holds =
        |files: &Files| files.values().all(is_well_formed) && has(files, "rtl/top.v", "sum ^ last");
    // Without a gate over both files, 141.
    assert!(queries(&[ADDER, TOP], holds) < 125);
}
