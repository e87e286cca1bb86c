//! The property of all formats with units of their own: any set of the units of a sample is
//! well-formed. It reads back, mentions no name that it does not define, defines none twice, and
//! the tool of its format accepts it, if that is installed. Broken inputs are read and written too.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use boildown_document::Document;
use boildown_document::module_checks::cuts_of;
use boildown_reduce::{Facts, Format};
use boildown_search::{Subset, Verdict, minimize};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::checker::InstalledChecker;
use crate::samples::{Checker, Sample, SampledFormat};
use crate::{FORMATS, SAMPLED};

/// How many random sets of units are written in each view of a sample.
const RANDOM_SETS: usize = 120;

/// How many of the sets are checked by the tool of the format: each takes a process.
const CHECKED_SETS: usize = 100;

/// How many broken inputs are made of each sample in each of its views.
const BROKEN_INPUTS: u32 = 100;

/// A sample in one of its views.
struct Units<'a> {
    format: &'static dyn Format,
    sample: &'a Sample,
    document: Document,
}

/// The units that are deleted, ascending.
type Deleted = Vec<usize>;

#[test]
fn every_format_with_units_of_its_own_has_samples() {
    for format in FORMATS.0 {
        let of_format = |other: &&SampledFormat| other.format.name() == format.name();
        let samples = SAMPLED
            .iter()
            .find(of_format)
            .map(|other| (other.samples)());
        let mut samples = samples.into_iter().flatten();
        let has_samples = samples.any(|sample| !sample.views.is_empty());
        let has_views = !format.views().is_empty();
        assert!(
            has_samples == has_views,
            "{format:?} in the registry: views: {has_views}, samples behind `=>`: {has_samples}"
        );
    }
}

#[test]
fn any_set_of_units_reads_back() {
    let failures = each_view_of_samples(|units| {
        let mut sets = units.written();
        let first = sets.find(|(_, written)| units.fault(written).is_some());
        first.map(|(deleted, _)| units.report(&deleted, |written| units.fault(written)))
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn any_set_of_units_is_accepted_by_the_tool_of_its_format() {
    // Views of a sample have many sets in common.
    let checked: RefCell<BTreeSet<Vec<u8>>> = RefCell::default();
    let failures = each_view_of_samples(|units| {
        let tool = units.sample.checker.as_ref()?;
        let Some(checker) = units.installed(tool) else {
            let (tool, name) = (tool.name(), units.sample.name);
            println!("skipped: there is no {tool} that knows {name}");
            return None;
        };
        let mut written: Vec<_> = units.written().collect();
        written.retain(|(_, written)| {
            units.has_what_is_demanded(written) && checked.borrow_mut().insert(written.clone())
        });
        let step = written.len().div_ceil(CHECKED_SETS);
        let written: Vec<_> = written.into_iter().step_by(step.max(1)).collect();
        let texts: Vec<&[u8]> = written.iter().map(|(_, text)| &text[..]).collect();
        let deleted = &written[checker.first_rejected(&texts)?].0;
        Some(units.report(deleted, |written| checker.complaint(written)))
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn any_input_is_given_back_and_any_set_of_its_units_is_written() {
    let failures = each_view_of_samples(|units| units.fault_of_broken_inputs());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Checks each view of each sample of all formats, and returns what is wrong.
fn each_view_of_samples(check: impl Fn(&Units<'_>) -> Option<String>) -> Vec<String> {
    let mut failures = Vec::new();
    for sampled in SAMPLED {
        for sample in &(sampled.samples)() {
            for &view in &sample.views {
                let document = Document::new(&Arc::from(&*sample.bytes), view);
                let units = Units {
                    format: sampled.format,
                    sample,
                    document,
                };
                failures.extend(match units.document.is_module() {
                    true => check(&units),
                    false => Some(format!("{}\nis read as no module", units.title())),
                });
            }
        }
    }
    failures
}

impl Units<'_> {
    /// Returns sets of units to delete: none, all, each one, all but each one, each node with what
    /// is inside of it, and random ones.
    fn sets(&self) -> Vec<Deleted> {
        let all = 0..self.document.len();
        let mut sets: Vec<Deleted> = vec![Vec::new(), all.clone().collect()];
        sets.extend(all.clone().map(|unit| vec![unit]));
        let nodes = self.document.tree().nodes.iter();
        sets.extend(nodes.map(|node| node.tokens().collect()));
        sets.extend((all.clone()).map(|unit| all.clone().filter(|&other| other != unit).collect()));
        let kept = (0.0..1.0)
            .prop_flat_map(|share| prop::collection::vec(prop::bool::weighted(share), all.len()));
        let mut runner = TestRunner::deterministic();
        for _ in 0..RANDOM_SETS {
            let kept = kept.new_tree(&mut runner).expect("nothing is rejected");
            let kept = kept.current();
            sets.push(all.clone().filter(|&unit| !kept[unit]).collect());
        }
        sets
    }

    /// Returns the sets of which something else is written than of those before, with what it is.
    fn written(&self) -> impl Iterator<Item = (Deleted, Vec<u8>)> {
        let mut known: BTreeSet<Vec<u8>> = BTreeSet::new();
        let all = self.sets().into_iter().map(|deleted| {
            let written = self.without(&deleted);
            (deleted, written)
        });
        all.filter(move |(_, written)| known.insert(written.clone()))
    }

    fn without(&self, deleted: &[usize]) -> Vec<u8> {
        let cuts = deleted.iter().map(|&unit| unit..unit + 1);
        (self.document).render(&Subset::full(self.document.len()).without(cuts))
    }

    /// Returns the tool of the format, if one that accepts the sample is installed.
    fn installed(&self, checker: &Checker) -> Option<InstalledChecker> {
        let checker = checker.installed();
        checker.filter(|checker| checker.complaint(&self.sample.bytes).is_none())
    }

    fn has_what_is_demanded(&self, written: &[u8]) -> bool {
        let has = |part: &[u8]| written.windows(part.len()).any(|window| window == part);
        self.sample.demanded.iter().all(|part| has(part))
    }

    /// Returns what is wrong with what was written, as far as boildown can tell.
    fn fault(&self, written: &[u8]) -> Option<String> {
        let document = Document::new(&Arc::from(written), self.document.view());
        if document.render(&Subset::full(document.len())) != written {
            return Some("does not read back".to_owned());
        }
        if !document.is_module() {
            // In a few words there is no unit.
            let words = written.split(u8::is_ascii_whitespace);
            let words = words.filter(|word| !word.is_empty()).count();
            return (words > 9).then(|| "is no module".to_owned());
        }
        if let Some(fault) = (self.sample.fault)(written) {
            return Some(fault);
        }
        let facts = self.format.facts(written);
        let before = self.format.facts(&self.sample.bytes);
        // The numbers of scopes change with the functions before them.
        let names = |facts: Facts| facts.undeclared.into_iter().map(|(_, name)| name);
        let new = facts.faults & !before.faults;
        let known: BTreeSet<_> = names(before).collect();
        // So do those of values and blocks without a name in a text, and some stand nowhere.
        let is_text = std::str::from_utf8(written).is_ok();
        let is_number = |name: &[u8]| {
            let number = name.strip_prefix(b"%").filter(|_| is_text);
            number.is_some_and(|number| number.iter().all(u8::is_ascii_digit))
        };
        let undeclared = names(facts).filter(|name| !known.contains(name) && !is_number(name));
        let undeclared = shown(undeclared);
        if !undeclared.is_empty() {
            return Some(format!("does not define: {undeclared}"));
        }
        (new != 0).then(|| format!("has the faults {new:b}"))
    }

    /// Returns what is wrong with a sample after a few edits. Of these, the fewest are reported.
    fn fault_of_broken_inputs(&self) -> Option<String> {
        let byte = || prop_oneof![4 => b' '..=b'~', 1 => any::<u8>()];
        let edit = (
            0..self.sample.bytes.len(),
            prop::collection::vec(byte(), 0..4),
        );
        let edits = prop::collection::vec(edit, 0..6);
        let kept = prop::collection::vec(any::<bool>(), 1..100);
        let config = Config {
            cases: BROKEN_INPUTS,
            failure_persistence: None,
            ..Config::default()
        };
        let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let mut runner = TestRunner::new_with_rng(config, random);
        let result = runner.run(&(edits, kept), |(edits, kept)| {
            let mut bytes = self.sample.bytes.clone();
            for (at, inserted) in edits {
                let at = at.min(bytes.len() - 1);
                bytes.splice(at..=at, inserted);
            }
            let document = Document::new(&Arc::from(&*bytes), self.document.view());
            let all = Subset::full(document.len());
            prop_assert!(document.render(&all) == bytes, "is not given back");
            let rest = document.render(&all.without(cuts_of(&document, &kept)));
            // Everything may be deleted; what is not read as a name is never made up.
            let is_longer = rest.len() >= 64 * (bytes.len() + 64);
            prop_assert!(!is_longer, "is {} bytes long without units", rest.len());
            Ok(())
        });
        let error = result.err()?;
        Some(format!("{}, after edits\n{error}", self.title()))
    }

    fn title(&self) -> String {
        format!("== {} in {:?}", self.sample.name, self.document.view())
    }

    /// Returns what is wrong with the smallest set of units that is wrong.
    fn report(&self, deleted: &[usize], fault: impl Fn(&[u8]) -> Option<String>) -> String {
        let ids = |deleted: &[&usize]| deleted.iter().map(|&&unit| unit).collect::<Deleted>();
        let smallest = minimize(deleted, |deleted: &[&usize]| {
            match fault(&self.without(&ids(deleted))) {
                Some(_) => Verdict::Interesting,
                None => Verdict::Uninteresting,
            }
        });
        let smallest = ids(&smallest);
        let written = self.without(&smallest);
        format!(
            "{}, without {}\n{}\n{}",
            self.title(),
            shown(
                smallest
                    .iter()
                    .map(|&unit| self.document.text(unit..unit + 1))
            ),
            fault(&written).unwrap_or_default(),
            String::from_utf8_lossy(&written),
        )
    }
}

/// Returns texts, divided by spaces.
fn shown(texts: impl Iterator<Item = impl AsRef<[u8]>>) -> String {
    let texts = texts.map(|text| format!("`{}`", String::from_utf8_lossy(text.as_ref())));
    texts.collect::<Vec<_>>().join(" ")
}
