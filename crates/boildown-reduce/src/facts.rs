//! Facts that a format states about a text, for the gate that compares candidates with the best
//! one, and the policy by which it compares them.

use std::collections::{BTreeMap, BTreeSet};

/// What a candidate is compared by. Each fact is a number or a name of the format's own making;
/// the gate only compares them with those of the input and of the best candidate.
#[derive(Debug, Default)]
pub struct Facts {
    /// The names that are mentioned and not declared, with the number of their scope. A candidate
    /// has none that the best one lacks.
    pub undeclared: BTreeSet<ScopedName>,
    /// The faults of the text, a bit each. A candidate has none that the best one lacks.
    pub faults: u8,
    /// What has to stay as it is, if it stays: the types of operations that a tool knows. Each is
    /// one of the input or of the best candidate.
    pub signatures: BTreeSet<u64>,
    /// The forms of its parts: neighbouring words, shapes of lines, types. Each is one of the input
    /// or of the best candidate, or of what theirs [may become](Self::may_become).
    pub forms: BTreeSet<u64>,
    /// What its forms may become.
    pub may_become: BTreeSet<u64>,
    /// What most tools require, with how often it is there. The gate learns from misses which of
    /// them must not become fewer.
    pub needs: BTreeMap<u64, usize>,
    /// A number that does not fall: of the parts that only units of a module delete.
    pub never_fewer: usize,
    /// A number that does not rise.
    pub never_more: usize,
    /// The parts of strings. A candidate with a new one is never tested, not even as a sample: it
    /// says nothing else than one without the string.
    pub strings: BTreeSet<u64>,
}

/// A name, with the number of its scope; 0 for names of the whole text.
pub type ScopedName = (usize, Box<[u8]>);

impl Facts {
    /// Returns facts about names that are not declared anywhere in the text.
    pub fn of_undeclared(names: BTreeSet<Box<[u8]>>) -> Self {
        Self {
            undeclared: names.into_iter().map(|name| (0, name)).collect(),
            ..Self::default()
        }
    }

    /// Returns the only fact about a text: whether it is invalid.
    pub fn of_validity(is_valid: bool) -> Self {
        Self {
            faults: u8::from(!is_valid),
            ..Self::default()
        }
    }
}

/// How the candidates of a format are compared, and which of those that are to be skipped are
/// tested all the same.
#[derive(Debug, Clone)]
pub struct GatePolicy {
    /// Below this size of the best candidate, in bytes, everything is tested.
    pub gated_from: usize,
    /// What the passes that prove a result 1-minimal delete.
    pub proof: Proof,
    /// Whether a name that is not declared may be one of the input, such as a built-in type.
    pub knows_input_names: bool,
    /// Which candidates are not tested again.
    pub misses: MissMemory,
    /// Below this size of the best candidate, in bytes, forms are not compared, and more of what is
    /// skipped is tested.
    pub forms_from: usize,
    /// What a candidate with a new form is.
    pub new_form: Objection,
    /// Which malformed candidates are tested.
    pub malformed: Sampling,
    /// Which unfamiliar candidates are tested; `None` for none of them.
    pub unfamiliar: Option<Sampling>,
}

impl GatePolicy {
    /// From this size on, in bytes, there are too many deletions to try all of them.
    pub const MANY: usize = 128;

    /// Returns the policy of a format whose tools reject what is malformed while they read it.
    pub const STRICT: Self = Self {
        gated_from: Self::MANY,
        proof: Proof::Units,
        knows_input_names: false,
        misses: MissMemory::Words,
        forms_from: 0,
        new_form: Objection::Malformed,
        malformed: Sampling::Usual,
        unfamiliar: None,
    };
}

/// What the passes that prove a result 1-minimal have tried to delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Each token, or byte, whatever the rest is.
    Tokens,
    /// Each token that leaves a well-formed text.
    WellFormedTokens,
    /// Each unit of a module, such as an instruction, and each token that leaves a well-formed
    /// text.
    Units,
}

/// Why a candidate is to be skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objection {
    /// A tool rejects it while it reads it.
    Malformed,
    /// It has a form that neither the input nor the best candidate has. It may be well-formed.
    Unfamiliar,
}

/// Which candidates are not tested because of one that was not interesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissMemory {
    /// None: spaces matter, or the input is a binary.
    Nothing,
    /// Those that differ from it in the width of spaces alone.
    Words,
    /// Those, and those that change a line in the same way, after the same line.
    WordsAndChanges,
}

/// Which of the candidates that are to be skipped are tested, as samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// Some of the first ones, then one in 32, until these are hopeless. The gate opens when two of
    /// the first four, or later one in four, are interesting.
    Usual,
    /// The same, but samples become rare after the first one that misses.
    Strict,
    /// Few, because there are thousands and hardly any is well-formed. The gate opens when half of
    /// them are interesting.
    Rare,
    /// Many, because many tools, such as formatters, do not look at what the facts are about. The
    /// gate opens when two, one in four, are interesting.
    Often,
}
