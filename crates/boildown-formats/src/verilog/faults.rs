//! Faults of Verilog that each tool rejects: undeclared names, words that are never neighbours.

use std::collections::{BTreeMap, BTreeSet};

/// What is wrong with a text in Verilog.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct VerilogFaults {
    /// The names that no module, or not the one that mentions them, declares, also as a task that
    /// is called, or as a variable that is assigned; and the modules that an instance has too many
    /// or too few connections for. Nets that a connection or an assignment declares implicitly
    /// count as declared.
    pub(super) undeclared: BTreeSet<Box<[u8]>>,
    /// Whether words are neighbours that never are. The grammar is more lenient than most tools.
    pub(super) is_broken: bool,
}

impl VerilogFaults {
    /// Reads a text. Of one with constructs whose names are not known here, such as packages,
    /// nothing is said.
    pub(super) fn of(text: &[u8]) -> Self {
        let tokens = tokens(text);
        if tokens.iter().any(|token| FOREIGN.contains(token)) {
            return Self::default();
        }
        let token = |at: usize| tokens.get(at).copied().unwrap_or_default();
        let is_broken = (1..=tokens.len()).any(|at| {
            let before = at.checked_sub(2).map_or(&b""[..], token);
            is_no_pair(before, token(at - 1), token(at))
        });
        let is_broken = is_broken || !is_balanced(&tokens);
        Self {
            undeclared: undeclared(&tokens),
            is_broken,
        }
    }
}

/// Returns whether brackets and blocks end in the order in which they begin.
fn is_balanced(tokens: &[&[u8]]) -> bool {
    let mut open: Vec<&[u8]> = Vec::new();
    let mut last: &[u8] = b"";
    for &token in tokens {
        let begins: &[u8] = match token {
            b")" => b"(",
            b"]" => b"[",
            b"}" => b"{",
            b"end" => b"begin",
            b"endcase" => b"case",
            b"endmodule" => b"module",
            b"endfunction" => b"function",
            b"endtask" => b"task",
            b"endgenerate" => b"generate",
            b"join" | b"join_any" | b"join_none" => b"fork",
            _ => b"",
        };
        if !begins.is_empty() && open.pop() != Some(begins) {
            return false;
        }
        match token {
            b"casex" | b"casez" => open.push(b"case"),
            b"macromodule" => open.push(b"module"),
            b"fork" if matches!(last, b"disable" | b"wait") => {}
            b"(" | b"[" | b"{" | b"begin" | b"case" | b"module" | b"function" | b"task"
            | b"generate" | b"fork" => open.push(token),
            _ => {}
        }
        last = token;
    }
    open.is_empty()
}

/// Returns whether two tokens, after another one, are never neighbours.
fn is_no_pair(before: &[u8], this: &[u8], next: &[u8]) -> bool {
    let is_close = matches!(next, b")" | b";" | b"," | b"]" | b"}" | b"");
    let is_sign = |token: &[u8]| matches!(token, [sign] if b"=<>+-*/%&|^!~?".contains(sign));
    let is_wildcard = this == b"*" && matches!(before, b"(" | b"@" | b".");
    if is_sign(this) && is_close && !is_wildcard {
        return true;
    }
    if is_one_of(OPENING, this) && (is_close || next == b"=" || next == b"<") {
        return true;
    }
    if is_one_of(ASKING, this) && next != b"(" {
        return true;
    }
    let is_unfinished = is_sign(this) || this == b")" || is_name(this) && before != b":";
    if is_unfinished && matches!(next, b"endmodule" | b"endcase" | b"else" | b"end") {
        return true;
    }
    // Only an instance has the name of a module before its own.
    let is_in_list = matches!(before, b"," | b"(") || is_one_of(DECLARING, before);
    if is_in_list && is_name(this) && this != b"type" && is_name(next) {
        return true;
    }
    // The names of an instance are followed by its connections.
    let is_close = is_close || next == b"=";
    if is_close && is_name(before) && is_name(this) {
        return true;
    }
    let is_number = |token: &[u8]| token.first().is_some_and(u8::is_ascii_digit);
    let is_no_declaration = is_one_of(DECLARING, this) && is_number(next)
        || matches!(this, b"," | b"(" | b"{") && matches!(next, b"reg" | b"wire");
    let is_empty = match next {
        b")" => this == b"(" && is_one_of(ASKING, before),
        b":" => this == b"[",
        b"]" => this == b":",
        b"," | b";" => before == b"localparam" && is_name(this),
        _ => false,
    };
    if is_no_declaration || is_empty {
        return true;
    }
    let begins_statement = matches!(this, b";" | b"begin" | b"else");
    let is_operator = matches!(next, b"=" | b"<" | b">" | b"*" | b"/" | b"?");
    begins_statement && (next == b"," || is_operator)
        || this == b")" && next == b"=" && before == b"*"
        || this == b";" && matches!(next, b"]" | b"}" | b"." | b"|" | b"^")
        || this == b"module" && !is_name(next)
}

/// Words that something follows.
const OPENING: &str = " input output inout wire reg integer genvar parameter localparam logic \
    assign posedge negedge module function task initial ";

/// Words that a parenthesis follows.
const ASKING: &str = " if case casex casez for while repeat ";

/// Returns the names that are not declared where they are mentioned.
fn undeclared(tokens: &[&[u8]]) -> BTreeSet<Box<[u8]>> {
    let mut modules: BTreeMap<&[u8], VerilogNames<'_>> = BTreeMap::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] != b"module" {
            at += 1;
            continue;
        }
        let length = tokens[at..].iter().position(|token| *token == b"endmodule");
        let end = length.map_or(tokens.len(), |length| at + length);
        let name = tokens.get(at + 1).copied().unwrap_or_default();
        let module = VerilogNames::read(tokens.get(at + 2..end).unwrap_or_default());
        modules.insert(name, module);
        at = end;
    }
    let mut undeclared: BTreeSet<Box<[u8]>> = BTreeSet::new();
    for module in modules.values() {
        let is_known = |name: &&&[u8]| module.declared.contains(**name);
        let names = module.mentioned.iter().filter(|name| !is_known(name));
        undeclared.extend(names.map(|name| Box::from(*name)));
        let calls = module.called.difference(&module.routines);
        undeclared.extend(calls.map(|name| [name, &b"()"[..]].concat().into()));
        let assigned = module.assigned.difference(&module.variables);
        undeclared.extend(assigned.map(|name| [name, &b"="[..]].concat().into()));
        for (instance, count) in &module.instances {
            let ports = modules.get(instance).and_then(|of| of.ports);
            if ports.is_some_and(|ports| ports != *count) {
                undeclared.insert([instance, &b"#"[..]].concat().into());
            }
        }
        for (instance, port) in &module.connections {
            match (modules.get(instance), port) {
                (None, _) => {
                    undeclared.insert(Box::from(*instance));
                }
                (Some(of), Some(port)) if !of.declared.contains(port) => {
                    undeclared.insert([instance, &b"."[..], port].concat().into());
                }
                _ => {}
            }
        }
    }
    undeclared
}

/// Words of constructs that declare names in other ways.
#[rustfmt::skip]
const FOREIGN: [&[u8]; 14] = [
    b"package", b"class", b"interface", b"struct", b"union", b"enum", b"typedef", b"import",
    b"program", b"primitive", b"specify", b"bind", b"covergroup", b"checker",
];

/// Words that begin a declaration of names.
const DECLARING: &str = " input output inout wire reg integer genvar parameter localparam logic \
    real realtime time tri tri0 tri1 trireg triand trior wand wor uwire supply0 supply1 bit byte \
    int shortint longint event var specparam function task ";

/// Words that declare what a procedure may assign.
const VARIABLES: &str = " reg integer genvar logic real realtime time bit byte int shortint longint \
    var function ";

/// Words that are no names, but for those of declarations.
const KEYWORDS: &str = " module endmodule begin end if else for while repeat forever case casex \
    casez endcase default assign deassign force release always always_comb always_ff always_latch \
    initial final posedge negedge edge or and nand nor not xor xnor buf bufif0 bufif1 notif0 notif1 \
    generate endgenerate endfunction endtask signed unsigned automatic static fork join join_any \
    join_none wait disable defparam unique unique0 priority inside do break continue return void \
    const assert assume cover strong0 strong1 pullup pulldown small medium large scalared vectored \
    iff string ";

/// Words of gates, which may have a name.
const GATES: &str = " and nand or nor not xor xnor buf bufif0 bufif1 notif0 notif1 ";

fn is_one_of(words: &str, token: &[u8]) -> bool {
    !token.is_empty()
        && token.iter().all(|&byte| is_letter(byte))
        && (words.as_bytes().windows(token.len() + 2)).any(|word| {
            word[0] == b' ' && word[token.len() + 1] == b' ' && word[1..].starts_with(token)
        })
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Returns whether a token is a name, and no word of the language.
pub(crate) fn is_name(token: &[u8]) -> bool {
    let is_first = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'\\');
    token.first().is_some_and(is_first)
        && !is_one_of(KEYWORDS, token)
        && !is_one_of(DECLARING, token)
}

/// The names of a module.
#[derive(Debug, Default)]
struct VerilogNames<'a> {
    declared: BTreeSet<&'a [u8]>,
    mentioned: BTreeSet<&'a [u8]>,
    /// The number of its ports, if it has a list of them.
    ports: Option<usize>,
    /// What is declared as a variable, and what a procedure assigns.
    variables: BTreeSet<&'a [u8]>,
    assigned: BTreeSet<&'a [u8]>,
    /// The functions and tasks, and the tasks that are called without arguments.
    routines: BTreeSet<&'a [u8]>,
    called: BTreeSet<&'a [u8]>,
    /// The modules of its instances, and the number of connections in order.
    instances: BTreeSet<(&'a [u8], usize)>,
    /// The modules of its instances, and a name that each connects.
    connections: BTreeSet<(&'a [u8], Option<&'a [u8]>)>,
}

/// A declaration that continues.
#[derive(Debug, Clone, Copy)]
struct OpenDeclaration<'a> {
    word: &'a [u8],
    /// The number of brackets around it.
    depth: usize,
    is_value: bool,
}

impl<'a> VerilogNames<'a> {
    /// Reads what is between the name of a module and its end.
    fn read(tokens: &[&'a [u8]]) -> Self {
        let mut module = Self::default();
        let mut depth = 0_usize;
        let mut declaration: Option<OpenDeclaration<'a>> = None;
        module.ports = ports(tokens);
        // The first token of the statement.
        let mut first: &[u8] = b"";
        let mut is_routine = false;
        let mut instance: Option<&'a [u8]> = None;
        let token = |at: usize| tokens.get(at).copied().unwrap_or_default();
        let before = |at: usize| at.checked_sub(1).map_or(&b""[..], token);
        for (at, &this) in tokens.iter().enumerate() {
            let (last, next) = (before(at), token(at + 1));
            if last == b";" {
                first = this;
            }
            is_routine = is_inside_routine(is_routine, this);
            match this {
                b"(" | b"[" | b"{" => {
                    if this == b"(" && depth == 0 && is_name(last) {
                        module.connect(instance, &tokens[at + 1..]);
                    }
                    let ends = |open: OpenDeclaration<'_>| open.depth == depth && is_name(last);
                    if this == b"(" && declaration.is_some_and(ends) {
                        declaration = None;
                    }
                    depth += 1;
                }
                b")" | b"]" | b"}" => {
                    depth = depth.saturating_sub(1);
                    declaration = declaration.filter(|open| open.depth <= depth);
                }
                b";" => (declaration, instance) = (None, None),
                b"=" | b"," => {
                    if let Some(open) = declaration.as_mut().filter(|open| open.depth == depth) {
                        open.is_value = this == b"=";
                    }
                }
                b"always" if next != b"@" && next != b"#" => {
                    module.mentioned.insert(this);
                }
                _ if is_one_of(DECLARING, this) => {
                    declaration = Some(OpenDeclaration::begin(this, depth));
                }
                _ if !is_name(this) => {}
                _ if last == b"." => {
                    let is_connection = !is_name(before(at - 1)) && before(at - 1) != b"]";
                    let instance = instance.filter(|_| is_connection);
                    let connection = instance.map(|instance| (instance, Some(this)));
                    module.connections.extend(connection);
                }
                _ if declaration.is_some_and(|open| open.takes_name(depth)) => {
                    let word = declaration.map_or(&b""[..], |open| open.word);
                    module.declare(this, word, is_routine);
                }
                _ if depth == 0
                    && last != b":"
                    && (next == b"#" && token(at + 2) == b"(" || is_name(next)) =>
                {
                    instance = Some(this);
                    module.connections.insert((this, None));
                }
                _ if is_implicit(
                    [before(at.saturating_sub(1)), last],
                    next,
                    instance.is_some(),
                    depth,
                ) =>
                {
                    module.declared.insert(this);
                }
                _ => {
                    let begins = matches!(last, b";" | b"begin" | b"else" | b")" | b"end");
                    let begins = begins && first != b"assign";
                    module.mention(this, begins, [next, token(at + 2)]);
                }
            }
        }
        module
    }

    /// Notes a name that a declaration with this word declares.
    fn declare(&mut self, name: &'a [u8], word: &[u8], is_routine: bool) {
        self.declared.insert(name);
        if is_routine || is_one_of(VARIABLES, word) {
            self.variables.insert(name);
        }
        if matches!(word, b"function" | b"task") {
            self.routines.insert(name);
        }
    }

    /// Notes the connections of an instance, if they are in order.
    fn connect(&mut self, instance: Option<&'a [u8]>, connections: &[&[u8]]) {
        let is_ordered = !matches!(connections.first().copied(), Some(b"." | b")"));
        let instance = instance.filter(|_| is_ordered);
        let counted = instance.map(|instance| (instance, arguments(connections)));
        self.instances.extend(counted);
    }

    /// Notes a mention of a name, with whether it begins a statement, and what follows.
    fn mention(&mut self, name: &'a [u8], begins: bool, next: [&[u8]; 2]) {
        self.mentioned.insert(name);
        match next {
            [b";", _] if begins => _ = self.called.insert(name),
            [b"=", _] | [b"<", b"="] if begins => _ = self.assigned.insert(name),
            _ => {}
        }
    }
}

/// Returns whether a token is inside of a function or task, given this of the one before.
fn is_inside_routine(is_inside: bool, token: &[u8]) -> bool {
    match token {
        b"function" | b"task" => true,
        b"endfunction" | b"endtask" => false,
        _ => is_inside,
    }
}

/// Returns the number of ports in the list after the name of a module.
fn ports(tokens: &[&[u8]]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    if tokens.first() == Some(&&b"#"[..]) {
        at =
            1 + tokens[1..].iter().position(|token| {
                match *token {
                    b"(" => depth += 1,
                    b")" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0
            })? + 1;
    }
    let has_list = tokens.get(at) == Some(&&b"("[..]);
    has_list.then(|| arguments(&tokens[at + 1..]))
}

/// Returns the number of elements of a list that begins after its bracket.
fn arguments(tokens: &[&[u8]]) -> usize {
    if tokens.first() == Some(&&b")"[..]) {
        return 0;
    }
    let mut depth = 1_usize;
    let mut count = 1;
    for token in tokens {
        match *token {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth -= 1,
            b"," if depth == 1 => count += 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    count
}

impl<'a> OpenDeclaration<'a> {
    fn begin(word: &'a [u8], depth: usize) -> Self {
        Self {
            word,
            depth,
            is_value: false,
        }
    }

    /// Returns whether a name inside of this number of brackets is declared.
    fn takes_name(&self, depth: usize) -> bool {
        self.depth == depth && !self.is_value
    }
}

/// Returns whether a name at the outside of brackets, or in those of an instance, is that of an
/// instance, a gate or a block, or a net that may be declared here.
fn is_implicit(last: [&[u8]; 2], next: &[u8], is_instance: bool, depth: usize) -> bool {
    let is_label = last[1] == b":"
        && matches!(
            last[0],
            b"begin" | b"end" | b"fork" | b"endfunction" | b"endtask"
        );
    let is_net = is_instance && matches!(last[1], b"(" | b",") && matches!(next, b")" | b",");
    let is_named = depth == 0 && (is_instance || is_one_of(GATES, last[1]) && next == b"(");
    let is_assigned = last[1] == b"assign" && next == b"=";
    is_label || is_net || is_named || is_assigned
}

/// Divides a text into names, numbers, strings and signs. Directives are left out; macros are
/// numbers.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let until = |end: &[u8]| {
            let found = rest.windows(end.len()).position(|window| window == end);
            found.map_or(rest.len(), |found| found + end.len())
        };
        let letters = |from: usize| {
            let word = rest.iter().skip(from).take_while(|byte| is_letter(**byte));
            from + word.count()
        };
        let (length, token) = match rest[0] {
            byte if byte.is_ascii_whitespace() => (1, None),
            b'/' if rest.starts_with(b"//") => (until(b"\n"), None),
            b'/' if rest.starts_with(b"/*") => (until(b"*/"), None),
            b'"' => (string_length(rest), Some(&b"0"[..])),
            b'`' => match &rest[1..letters(1)] {
                b"define" | b"timescale" | b"include" | b"default_nettype" | b"undef"
                | b"ifdef" | b"ifndef" | b"elsif" => (until(b"\n"), None),
                b"else" | b"endif" | b"resetall" | b"celldefine" | b"endcelldefine" => {
                    (letters(1), None)
                }
                _ => (letters(1), Some(&b"0"[..])),
            },
            b'\\' => {
                let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace());
                let length = length.count();
                (length, Some(&rest[..length]))
            }
            b'\'' => {
                let digits = rest.iter().skip(1);
                let digits = digits.take_while(|byte| is_letter(**byte) || **byte == b'?');
                (1 + digits.count(), Some(&b"0"[..]))
            }
            byte if is_letter(byte) => {
                let length = letters(0);
                (length, Some(&rest[..length]))
            }
            _ => (1, Some(&rest[..1])),
        };
        tokens.extend(token);
        at += length;
    }
    tokens
}

fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != b'"' && text[at] != b'\n' {
        at += 1 + usize::from(text[at] == b'\\');
    }
    (at + 1).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTER: &str = "
`timescale 1ns/1ps
module inner #(parameter W = 4, parameter [W-1:0] INIT = 4'h0) (input c, input [W-1:0] d,
    output reg [W-1:0] q);
  initial q = INIT;
  always @(posedge c) q <= d;
endmodule
module outer (clk, a, y);
  input clk; input [3:0] a; output [3:0] y;
  localparam S = 1, T = S + 1;
  wire [3:0] b = a ^ T;
  genvar i;
  function [3:0] twice(input [3:0] v); twice = v << 1; endfunction
  generate for (i = 0; i < 2; i = i + 1) begin : part
    inner #(.W(4)) u (.c(clk), .d(twice(b)), .q(net));
  end endgenerate
  inner other (clk, b, y);
  assign extra = part[0].u.q | net;
  always @* case (a) S: begin end default: $display(\"%d x\", b); endcase
endmodule
";

    fn names(text: &str) -> Vec<String> {
        let names = VerilogFaults::of(text.as_bytes()).undeclared;
        let names = names.iter().map(|name| String::from_utf8_lossy(name));
        names.map(String::from).collect()
    }

    #[test]
    fn names_that_lose_their_declaration_are_found() {
        assert_eq!(names(COUNTER), [""; 0]);
        for (from, to, lost) in [
            ("localparam S = 1, T = S + 1", "localparam T = 1", "S"),
            ("genvar i;", "", "i"),
            ("input c, ", "", "c"),
            ("module inner", "module x", "inner"),
            ("parameter W = 4, ", "", "W"),
            ("[3:0] twice(", "[3:0] thrice(", "twice"),
            ("always @*", "always", "always"),
            ("output reg", "output", "q="),
            ("(clk, b, y)", "(clk, b)", "inner#"),
            ("begin end", "begin b; end", "b()"),
        ] {
            let text = COUNTER.replacen(from, to, 1);
            let names = names(&text);
            assert!(names.iter().any(|name| name == lost), "{lost}: {names:?}");
        }
        let port = COUNTER
            .replace(" c, ", " k, ")
            .replace("posedge c", "posedge k");
        assert_eq!(names(&port), ["inner.c"]);
    }

    #[test]
    fn words_that_are_never_neighbours_are_found() {
        let is_broken = |text: &str| VerilogFaults::of(text.as_bytes()).is_broken;
        assert!(!is_broken(COUNTER));
        for (from, to) in [
            ("input c,", "input ,"),
            ("input c,", "input re c,"),
            ("input c,", "re c,"),
            ("q <= d;", "q <= ;"),
            ("q <= d;", "q <= d"),
            ("posedge c", "posedge"),
            ("S: begin end default: $display(\"%d x\", b); ", ""),
            ("for (", "for "),
            ("S = 1,", "S,"),
            ("output reg [W-1:0] q", "reg [W-1:0] q"),
            ("genvar i", "genvar 1"),
            (" other (clk, b, y)", " other"),
            ("begin end", "begin"),
            ("[3:0] a;", "[3:0 a;"),
            ("case (a)", "case ()"),
            ("[3:0] b", "[:0] b"),
            ("module inner #(", "module #("),
            ("module outer (clk, a, y);", "module ;"),
        ] {
            let text = COUNTER.replacen(from, to, 1);
            assert!(text != COUNTER);
            assert!(is_broken(&text), "{from} -> {to}");
        }
    }

    #[test]
    fn of_packages_nothing_is_said() {
        let text = b"package p; endpackage module m; assign a = b; endmodule";
        assert_eq!(VerilogFaults::of(text), VerilogFaults::default());
    }
}
