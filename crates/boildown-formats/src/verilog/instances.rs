//! Modules of Verilog in the place of their only instance: ports become what they are connected
//! to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use boildown_document::Document;
use boildown_reduce::{Edit, WordList};

use super::faults::is_name;

/// Returns for each module with a single instance the edits that put its contents there.
pub(super) fn contents_for_instances(document: &Document) -> Vec<Vec<Edit>> {
    let design = VerilogDesign::read(document);
    let modules = design.modules.iter();
    modules.filter_map(|module| design.edits(module)).collect()
}

/// The words of a design, and its modules.
struct VerilogDesign<'a> {
    words: WordList<'a>,
    modules: Vec<VerilogModule<'a>>,
}

/// A module. All ranges are of words.
struct VerilogModule<'a> {
    all: Range<usize>,
    name: &'a [u8],
    /// What stands in the brackets of `#( … )`, and of the ports.
    parameters: Range<usize>,
    ports: Range<usize>,
    body: Range<usize>,
}

/// A port, from the list of ports or from a declaration in the body.
#[derive(Clone)]
struct VerilogPort<'a> {
    name: &'a [u8],
    direction: &'a [u8],
    is_variable: bool,
    /// Whether it is signed, and its range.
    shape: Vec<u8>,
}

/// What is connected: by name or by position.
struct Connections<'a> {
    named: BTreeMap<&'a [u8], Vec<u8>>,
    ordered: Vec<Vec<u8>>,
}

impl Connections<'_> {
    fn get(&self, position: usize, name: &[u8]) -> &[u8] {
        let named = self.named.get(name);
        named
            .or(self.ordered.get(position))
            .map_or(b"", |text| text)
    }
}

/// The text of a module in the place of an instance, while it is made.
#[derive(Default)]
struct Inlining<'a> {
    declarations: Vec<u8>,
    /// What is written for names of the module.
    names: BTreeMap<&'a [u8], Vec<u8>>,
    /// The nets around the instance that the module assigns as variables.
    variables: BTreeSet<Vec<u8>>,
}

impl<'a> VerilogDesign<'a> {
    fn read(document: &'a Document) -> Self {
        let mut design = Self {
            words: WordList::of(document),
            modules: Vec::new(),
        };
        let mut at = 0;
        while at < design.words.count() {
            match design.words.word(at) == b"module" {
                true => {
                    let end = design.words.next(at..design.words.count(), b"endmodule");
                    let module = end.and_then(|end| design.module(at..end + 1));
                    design.modules.extend(module);
                    at = end.map_or(design.words.count(), |end| end + 1);
                }
                false => at += 1,
            }
        }
        design
    }

    /// Returns the words in brackets that may stand at a word, and the word after them.
    fn optional_bracket(&self, at: usize) -> Option<(Range<usize>, usize)> {
        match self.words.word(at) {
            b"(" => self.words.bracket(at).map(|end| (at + 1..end - 1, end)),
            _ => Some((at..at, at)),
        }
    }

    fn module(&self, all: Range<usize>) -> Option<VerilogModule<'a>> {
        let name = self.words.word(all.start + 1);
        let mut at = all.start + 2;
        let mut parameters = at..at;
        if self.words.word(at) == b"#" {
            (parameters, at) = self.optional_bracket(at + 1)?;
        }
        let (ports, at) = self.optional_bracket(at)?;
        (is_name(name) && self.words.word(at) == b";").then(|| VerilogModule {
            name,
            parameters,
            ports,
            body: at + 1..all.end - 1,
            all,
        })
    }

    /// Returns the edits that put a module in the place of its only instance.
    fn edits(&self, module: &VerilogModule<'a>) -> Option<Vec<Edit>> {
        let mentions = (0..self.words.count()).filter(|&at| self.words.word(at) == module.name);
        let mut others = mentions.filter(|at| *at != module.all.start + 1);
        let (instance, None) = (others.next()?, others.next()) else {
            return None;
        };
        let outer = self.modules.iter().find(|of| of.body.contains(&instance))?;
        let mut at = instance + 1;
        let mut values = at..at;
        if self.words.word(at) == b"#" {
            (values, at) = self.optional_bracket(at + 1)?;
        }
        let name = self.words.word(at);
        let (connections, end) = self.optional_bracket(at + 1)?;
        if !is_name(name) || self.words.word(end) != b";" || outer.all == module.all {
            return None;
        }
        let mut inlining = Inlining::default();
        self.parameters(module, &values, &mut inlining)?;
        let declared = self.declared_ports(module)?;
        let ports = self.ports(module, &declared)?;
        let names = self.names_in(outer, &(instance..end + 1));
        let connected = self.connections(&connections)?;
        for (position, port) in ports.iter().enumerate() {
            let value = connected.get(position, port.name);
            connect(port, value, &names, &mut inlining)?;
        }
        self.rename(module, name, &names, &mut inlining);
        let mut text = inlining.declarations.clone();
        self.write(module, &declared, &inlining, &mut text);
        let mut edits = vec![
            self.words.edit(&module.all, Vec::new()),
            self.words.edit(&(instance..end + 1), text),
        ];
        for variable in &inlining.variables {
            edits.extend(self.variable(outer, variable));
        }
        Some(edits)
    }

    /// Declares the parameters of a module, with the values that the instance gives them.
    fn parameters(
        &self,
        module: &VerilogModule<'a>,
        values: &Range<usize>,
        inlining: &mut Inlining<'a>,
    ) -> Option<()> {
        let values = self.connections(values)?;
        for (position, parameter) in self.words.elements(&module.parameters).iter().enumerate() {
            let equals = self.words.next(parameter.clone(), b"=")?;
            let name = self.words.word(equals.checked_sub(1)?);
            let start =
                parameter.start + usize::from(self.words.word(parameter.start) == b"parameter");
            let value = match values.get(position, name) {
                b"" => self.words.source(&(equals + 1..parameter.end)),
                value => value,
            };
            inlining.declarations.extend_from_slice(b"localparam ");
            let head = self.words.source(&(start..equals + 1));
            inlining.declarations.extend_from_slice(head);
            inlining.declarations.push(b' ');
            inlining.declarations.extend_from_slice(value);
            inlining.declarations.extend_from_slice(b"; ");
        }
        Some(())
    }

    /// Returns the declarations of ports in the body of a module.
    fn declared_ports(&self, module: &VerilogModule<'a>) -> Option<Vec<Range<usize>>> {
        let mut all = Vec::new();
        let mut at = module.body.start;
        while at < module.body.end {
            let end = match self.words.word(at) {
                b"function" => self.words.next(at..module.body.end, b"endfunction")?,
                b"task" => self.words.next(at..module.body.end, b"endtask")?,
                b"input" | b"output" | b"inout" => {
                    let end = self.words.next(at..module.body.end, b";")?;
                    all.push(at..end + 1);
                    end
                }
                _ => at,
            };
            at = end + 1;
        }
        Some(all)
    }

    /// Returns the ports in the order of their list.
    fn ports(
        &self,
        module: &VerilogModule<'a>,
        declared: &[Range<usize>],
    ) -> Option<Vec<VerilogPort<'a>>> {
        let mut in_body: BTreeMap<&[u8], VerilogPort<'a>> = BTreeMap::new();
        for declaration in declared {
            let list = declaration.start..declaration.end - 1;
            let mut last = None;
            for element in self.words.elements(&list) {
                let port = self.port(&element, last.as_ref())?;
                in_body.insert(port.name, port.clone());
                last = Some(port);
            }
        }
        let mut ports: Vec<VerilogPort<'a>> = Vec::new();
        for element in self.words.elements(&module.ports) {
            let other = in_body.get(self.words.word(element.start));
            let port = match other {
                Some(port) if element.len() == 1 => port.clone(),
                _ => self.port(&element, ports.last())?,
            };
            ports.push(port);
        }
        Some(ports)
    }

    /// Reads a port; what it does not say is as for the one before.
    fn port(
        &self,
        element: &Range<usize>,
        before: Option<&VerilogPort<'a>>,
    ) -> Option<VerilogPort<'a>> {
        let mut at = element.start;
        let direction = self.words.word(at);
        let has_direction = matches!(direction, b"input" | b"output" | b"inout");
        if !has_direction {
            let name = direction;
            let before = before.filter(|_| element.len() == 1 && is_name(name))?;
            return Some(VerilogPort {
                name,
                ..before.clone()
            });
        }
        at += 1;
        let mut is_variable = false;
        let mut shape = Vec::new();
        loop {
            match self.words.word(at) {
                b"wire" => {}
                b"reg" | b"logic" => is_variable = true,
                b"signed" => shape.extend_from_slice(b"signed "),
                b"[" => {
                    let end = self.words.bracket(at)?;
                    shape.extend_from_slice(self.words.source(&(at..end)));
                    shape.push(b' ');
                    at = end - 1;
                }
                _ => break,
            }
            at += 1;
        }
        let name = self.words.word(at);
        (at + 1 == element.end && is_name(name)).then_some(VerilogPort {
            name,
            direction,
            is_variable,
            shape,
        })
    }

    /// Reads the connections of an instance, or the values of its parameters.
    fn connections(&self, list: &Range<usize>) -> Option<Connections<'a>> {
        let mut connections = Connections {
            named: BTreeMap::new(),
            ordered: Vec::new(),
        };
        for element in self.words.elements(list) {
            match self.words.word(element.start) {
                b"." => {
                    let name = self.words.word(element.start + 1);
                    let value = match self.optional_bracket(element.start + 2)? {
                        (_, end) if end == element.start + 2 => name,
                        (value, _) => self.words.source(&value),
                    };
                    connections.named.insert(name, value.to_vec());
                }
                b".*" => return None,
                _ => connections
                    .ordered
                    .push(self.words.source(&element).to_vec()),
            }
        }
        Some(connections)
    }

    /// Returns the names in a module, but for those in an instance.
    fn names_in(&self, module: &VerilogModule<'a>, but: &Range<usize>) -> BTreeSet<&'a [u8]> {
        let words = (module.all.clone()).filter(|at| !but.contains(at) && self.is_name(*at));
        words.map(|at| self.words.word(at)).collect()
    }

    /// Returns whether a word is a name that is looked up in its module.
    fn is_name(&self, at: usize) -> bool {
        let before = at
            .checked_sub(1)
            .map_or(&b""[..], |before| self.words.word(before));
        is_name(self.words.word(at)) && !matches!(before, b"." | b"`" | b"'" | b"$" | b"module")
    }

    /// Gives another name to what the module around the instance names too.
    fn rename(
        &self,
        module: &VerilogModule<'a>,
        instance: &[u8],
        names: &BTreeSet<&[u8]>,
        inlining: &mut Inlining<'a>,
    ) {
        for at in module.body.clone().filter(|&at| self.is_name(at)) {
            let name = self.words.word(at);
            let is_module = self.modules.iter().any(|module| module.name == name);
            if names.contains(name) && !is_module {
                let other = || [instance, b"_", name].concat();
                inlining.names.entry(name).or_insert_with(other);
            }
        }
    }

    /// Writes the body of a module.
    fn write(
        &self,
        module: &VerilogModule<'a>,
        declared: &[Range<usize>],
        inlining: &Inlining<'a>,
        text: &mut Vec<u8>,
    ) {
        let mut declared = declared.iter().peekable();
        let mut at = module.body.start;
        while at < module.body.end {
            if let Some(declaration) = declared.next_if(|next| next.start == at) {
                at = declaration.end;
                continue;
            }
            let word = self.words.word(at);
            match inlining.names.get(word).filter(|_| self.is_name(at)) {
                Some(other) => text.extend_from_slice(other),
                None => text.extend_from_slice(word),
            }
            if at + 1 < module.body.end {
                let both = self.words.source(&(at..at + 2));
                let gap = &both[word.len()..both.len() - self.words.word(at + 1).len()];
                text.extend_from_slice(gap);
            }
            at += 1;
        }
    }

    /// Returns the edit that makes a net a variable, if it is not.
    fn variable(&self, module: &VerilogModule<'a>, name: &[u8]) -> Option<Edit> {
        let of = |at: &usize| self.words.word(*at) == name && self.is_name(*at);
        let first = (module.all.start + 2..module.all.end).find(of)?;
        let mut at = first;
        while at > module.all.start {
            at -= 1;
            match self.words.word(at) {
                b"reg" | b"logic" | b";" | b"input" => return None,
                b"wire" => return Some(self.words.edit(&(at..at + 1), b"reg".to_vec())),
                b"output" => return Some(self.words.edit(&(at..at + 1), b"output reg".to_vec())),
                _ => {}
            }
        }
        None
    }
}

/// Connects a port: its name becomes that of the net, or it is declared.
fn connect<'a>(
    port: &VerilogPort<'a>,
    value: &[u8],
    names: &BTreeSet<&[u8]>,
    inlining: &mut Inlining<'a>,
) -> Option<()> {
    let kind: &[u8] = if port.is_variable { b"reg " } else { b"wire " };
    let declare = |name: &[u8]| [kind, &port.shape[..], name].concat();
    let is_known = names.contains(value);
    let declarations = &mut inlining.declarations;
    if is_name(value)
        && value
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    {
        if port.is_variable && is_known {
            inlining.variables.insert(value.to_vec());
        }
        if !is_known {
            declarations.extend_from_slice(&declare(value));
            declarations.extend_from_slice(b"; ");
        }
        inlining.names.insert(port.name, value.to_vec());
        return Some(());
    }
    declarations.extend_from_slice(&declare(port.name));
    match (value, port.direction) {
        (b"", _) => declarations.extend_from_slice(b"; "),
        (_, b"input") => declarations.extend_from_slice(&[b" = ", value, b"; "].concat()),
        (_, b"output") => {
            let assignment = [b"; assign ", value, b" = ", port.name, b"; "].concat();
            declarations.extend_from_slice(&assignment);
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use boildown_reduce::text_after;

    use crate::testing::program_in;

    use super::contents_for_instances;

    /// Returns the text after the first edits.
    fn inlined(text: &str) -> Option<String> {
        let document = program_in("Verilog", text);
        let edits = contents_for_instances(&document).into_iter().next()?;
        Some(text_after(&document, edits))
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(inlined(text).as_deref(), Some(expect));
    }

    #[test]
    fn ports_become_the_nets_that_they_are_connected_to() {
        check(
            "module m (input a, b, output y); assign y = a & b; endmodule \
             module n (input c, d, output z); m i (.a(c), .y(z), .b(d)); endmodule",
            "module n (input c, d, output z); assign z = c & d; endmodule",
        );
        check(
            "module n (input c, output z); m i (c, z); endmodule \
             module m (a, y); input a; output [1:0] y; assign y = a; endmodule",
            "module n (input c, output z); assign z = c; endmodule",
        );
    }

    #[test]
    fn ports_without_a_net_are_declared() {
        check(
            "module m (input [1:0] a, b, output y); assign y = a & b; endmodule \
             module n (input c); m i (.a(~c)); endmodule",
            "module n (input c); wire [1:0] a = ~c; wire [1:0] b; wire y; assign y = a & b; \
             endmodule",
        );
    }

    #[test]
    fn a_net_that_the_module_assigns_becomes_a_variable() {
        check(
            "module m (input a, output reg y); always @* y = a; endmodule \
             module n (input a, output z); m i (.a, .y(z)); endmodule",
            "module n (input a, output reg z); always @* z = a; endmodule",
        );
    }

    #[test]
    fn parameters_have_the_values_of_the_instance() {
        check(
            "module m #(parameter W = 4, V = 2) (input [W:0] a); endmodule \
             module n; m #(.W(8)) i (); endmodule",
            "module n; localparam W = 8; localparam V = 2; wire [W:0] a; endmodule",
        );
    }

    #[test]
    fn names_that_both_modules_have_become_others() {
        check(
            "module m (output y); wire w = 1; assign y = w; endmodule \
             module n; wire w, v; m i (v); endmodule",
            "module n; wire w, v; wire i_w = 1; assign v = i_w; endmodule",
        );
    }

    #[test]
    fn a_module_with_several_instances_stays() {
        assert_eq!(
            inlined("module m; endmodule module n; m i (); m j (); endmodule"),
            None
        );
    }
}
