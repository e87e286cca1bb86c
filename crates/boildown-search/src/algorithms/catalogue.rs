//! The registry of algorithms.

use super::entry::Entry;
use super::names::ParsedName;
use super::{Algorithm, ListEntry, Schedule, ScheduleEntry};
use crate::changes::{Dd, DdPlus, Isolate, SimpleDd};
use crate::graph::BinaryReduction;
use crate::list::{Adaptive, GroupTesting, Halving, Sweep};

/// Algorithms that can be chosen by name, and descriptions of others.
#[derive(Debug, Clone, Copy)]
pub struct AlgorithmSet {
    /// List algorithms.
    pub lists: &'static [ListEntry],
    /// Tree schedules.
    pub schedules: &'static [ScheduleEntry],
    /// Descriptions of algorithms that are a library only.
    pub others: &'static [Entry],
}

impl AlgorithmSet {
    /// No algorithm.
    pub const NONE: Self = Self {
        lists: &[],
        schedules: &[],
        others: &[],
    };
}

/// The algorithms of this crate.
pub const CORE: AlgorithmSet = AlgorithmSet {
    lists: &[
        ListEntry::of::<Halving>(),
        ListEntry::of::<GroupTesting>(),
        ListEntry::of::<Adaptive>(),
        ListEntry::of::<Sweep>(),
    ],
    schedules: &[ScheduleEntry::DEFAULT],
    others: &[
        SimpleDd::ENTRY,
        Dd::ENTRY,
        DdPlus::ENTRY,
        Isolate::ENTRY,
        BinaryReduction::ENTRY,
    ],
};

/// A registry: the algorithms of this crate, and those that were added.
///
/// ```
/// use boildown_search::algorithms::Algorithms;
///
/// let algorithms = Algorithms::default();
/// let halving = algorithms.parse_list("halving:direction=forwards")?;
/// assert_eq!(halving.to_string(), "halving:direction=forwards");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone)]
pub struct Algorithms(Vec<AlgorithmSet>);

/// The algorithms of this crate.
impl Default for Algorithms {
    fn default() -> Self {
        Self(vec![CORE])
    }
}

impl Algorithms {
    /// Adds algorithms. Of two with the same name the first is found.
    #[must_use]
    pub fn with(mut self, more: AlgorithmSet) -> Self {
        self.0.push(more);
        self
    }

    /// Returns all list algorithms.
    pub fn lists(&self) -> impl Iterator<Item = &'static ListEntry> + '_ {
        self.0.iter().flat_map(|set| set.lists)
    }

    /// Returns all tree schedules.
    pub fn schedules(&self) -> impl Iterator<Item = &'static ScheduleEntry> + '_ {
        self.0.iter().flat_map(|set| set.schedules)
    }

    /// Returns the descriptions of all algorithms: lists, trees, and those that are a library only.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        let others = self.0.iter().flat_map(|set| set.others).copied();
        let lists = self.lists().map(|list| list.entry);
        let schedules = self.schedules().map(|schedule| schedule.entry);
        lists.chain(schedules).chain(others)
    }

    /// Returns the list algorithm that is written so: its name and parameters.
    ///
    /// # Errors
    /// Says what names there are, or what is wrong with a parameter.
    pub fn parse_list(&self, text: &str) -> Result<Algorithm, String> {
        let entries = self.lists().map(|known| (known.entry.name, known));
        parse(text, entries, ListEntry::parse)
    }

    /// Returns the tree schedule that is written so: its name and parameters.
    ///
    /// # Errors
    /// As [`parse_list`](Self::parse_list).
    pub fn parse_schedule(&self, text: &str) -> Result<Schedule, String> {
        let entries = self.schedules().map(|known| (known.entry.name, known));
        parse(text, entries, |known, name| (known.parse)(name))
    }
}

/// Finds a name among entries, and takes its parameters out.
fn parse<E, T>(
    text: &str,
    entries: impl Iterator<Item = (&'static str, E)>,
    parameters: impl FnOnce(E, &mut ParsedName<'_>) -> Result<T, String>,
) -> Result<T, String> {
    let mut name = ParsedName::parse(text)?;
    let mut known = Vec::new();
    for (entry_name, entry) in entries {
        if entry_name == name.name {
            let parsed = parameters(entry, &mut name)?;
            name.finish()?;
            return Ok(parsed);
        }
        known.push(entry_name);
    }
    let known = known.join(", ");
    Err(format!("there is no `{}` among {known}", name.name))
}

#[cfg(any(test, feature = "testing"))]
impl Algorithms {
    /// Checks that every description is complete, every name unique, and every parameter that is
    /// described parsed, with its first value as the default.
    ///
    /// # Panics
    /// If one is not.
    pub fn check(&self) {
        let entries: Vec<Entry> = self.entries().collect();
        for (index, entry) in entries.iter().enumerate() {
            let texts = [entry.name, entry.guarantee, entry.cost, entry.source];
            assert!(texts.iter().all(|text| !text.is_empty()), "{entry:?}");
            let same = |other: &Entry| other.name == entry.name;
            assert!(!entries[..index].iter().any(same), "{entry:?}");
        }
        for known in self.lists() {
            let algorithm = known.algorithm();
            assert_eq!(algorithm.to_string(), known.entry.name);
            for text in described(&known.entry) {
                assert_eq!(self.parse_list(&text).as_ref(), Ok(&algorithm), "{text}");
            }
        }
        for known in self.schedules() {
            let name = known.entry.name;
            let schedule = self.parse_schedule(name).expect("the name of an entry");
            assert_eq!(schedule.to_string(), name);
            for text in described(&known.entry) {
                assert_eq!(self.parse_schedule(&text).as_ref(), Ok(&schedule), "{text}");
            }
        }
    }
}

/// Returns the name with each parameter that an entry describes, with its first value.
#[cfg(any(test, feature = "testing"))]
fn described(entry: &Entry) -> Vec<String> {
    let parameters = entry.parameters.split(", ").filter(|text| !text.is_empty());
    let first = |values: &str| values.split('|').next().map(str::to_owned);
    let named = parameters.map(|parameter| {
        let (name, values) = parameter.split_once('=').expect(parameter);
        let value = first(values).expect("never empty");
        format!("{}:{name}={value}", entry.name)
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_complete_and_names_unique_and_parsed() {
        Algorithms::default().check();
    }

    #[test]
    fn a_name_with_parameters_is_written_as_it_was_parsed() {
        let name = "halving:order=breadth,direction=forwards";
        let parsed = Algorithms::default().parse_list(name);
        assert_eq!(parsed.expect(name).to_string(), name);
    }

    #[test]
    fn parse_errors_name_what_is_allowed() {
        let algorithms = Algorithms::default();
        let error = |text: &str| algorithms.parse_list(text).expect_err(text);
        assert_eq!(
            error("dmin"),
            "there is no `dmin` among halving, group-testing, adaptive, sweep"
        );
        assert_eq!(error("sweep:n=2"), "`sweep` has no parameter `n`");
        assert_eq!(
            algorithms.parse_schedule("hd").expect_err("no such name"),
            "there is no `hd` among boildown"
        );
    }
}
