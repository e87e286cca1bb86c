//! Edits of modules that overwrite bytes and gain nothing.

use wasmparser::{Operator, Parser, Payload};

use super::older_types::from_older;

/// Returns whether an edit that keeps the size of a module overwrites a name, or an instruction by
/// one that ends the execution. The first one of a body may be overwritten: those after it then
/// need no operands.
pub(crate) fn is_overwritten(module: &[u8], edited: &[u8]) -> bool {
    if module.len() != edited.len() {
        return false;
    }
    let is_overwritten = |module: &[u8], edited: &[u8]| {
        let (before, after) = (Overwritable::read(module)?, Overwritable::read(edited)?);
        Some(before.is_overwritten(&after))
    };
    let older = || {
        let mut both = from_older(module).zip(from_older(edited));
        both.find_map(|(module, edited)| is_overwritten(&module, &edited))
    };
    is_overwritten(module, edited)
        .or_else(older)
        .unwrap_or(false)
}

/// What is not worth overwriting in a module.
#[derive(Debug, Default)]
struct Overwritable<'a> {
    names: Vec<&'a str>,
    bodies: Vec<BodyTraps>,
}

/// The instructions `unreachable` of a body.
#[derive(Debug, Default)]
struct BodyTraps {
    begins_with_trap: bool,
    traps: usize,
}

impl<'a> Overwritable<'a> {
    /// Returns `None` if a module cannot be read.
    fn read(module: &'a [u8]) -> Option<Self> {
        let mut all = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload.ok()? {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        let import = import.ok()?;
                        all.names.extend([import.module, import.name]);
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        all.names.push(export.ok()?.name);
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let mut read = BodyTraps::default();
                    let operators = body.get_operators_reader().ok()?.into_iter();
                    for (index, operator) in operators.enumerate() {
                        let is_trap = matches!(operator.ok()?, Operator::Unreachable);
                        read.begins_with_trap |= is_trap && index == 0;
                        read.traps += usize::from(is_trap);
                    }
                    all.bodies.push(read);
                }
                _ => {}
            }
        }
        Some(all)
    }

    /// Returns whether something of this is overwritten in another one.
    fn is_overwritten(&self, other: &Self) -> bool {
        let mut bodies = self.bodies.iter().zip(&other.bodies);
        self.names != other.names
            || bodies.any(|(before, after)| {
                before.traps < after.traps && before.begins_with_trap == after.begins_with_trap
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overwrites(from: &str, to: &str) -> bool {
        let [from, to] = [from, to]
            .map(|text| super::super::printed::binary(text.as_bytes()).expect("a module"));
        is_overwritten(&from, &to)
    }

    #[test]
    fn names_and_instructions_are_not_overwritten() {
        let module = "(module (memory 2 3) (func (export \"f\") (param i32) local.get 0 drop))";
        let without_name = module.replace("\"f\"", "\"\\00\"");
        assert!(overwrites(module, &without_name));
        let traps = module.replace("local.get 0", "unreachable unreachable");
        assert!(!overwrites(module, &traps), "the first one");
        let traps = module.replace("drop", "unreachable");
        assert!(overwrites(module, &traps));
        assert!(!overwrites(module, &module.replace("2 3", "0 0")));
        assert!(!overwrites(
            module,
            &module.replace("local.get 0 drop", "nop nop nop")
        ));
        assert!(!overwrites(module, "(module)"), "another size");
    }
}
