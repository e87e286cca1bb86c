//! The table of all algorithms.

pub use super::entry::{Entry, Family};
use super::list::Algorithm;
use crate::changes::{DdPlus, Isolate};
use crate::literature::changes::{Dd, SimpleDd};
use crate::literature::graph::{BinaryReduction, Chisel, Closed, Rejecting};
use crate::literature::tree::{Hdd, Hddr, HoistingHdd, Pardis, Perses, TreeProbDd};
use crate::tree::TreeSearch;

/// The descriptions of the algorithms that are not list algorithms. Those of tree schedules are in
/// the order of `Schedule::ALL`.
const OTHERS: &[Entry] = &[
    TreeSearch::<Algorithm>::ENTRY,
    Hdd::<Algorithm>::ENTRY,
    Hdd::<Algorithm>::STAR,
    Hdd::<Algorithm>::COARSE,
    Hddr::<Algorithm>::ENTRY,
    HoistingHdd::<Algorithm>::ENTRY,
    Perses::<Algorithm>::ENTRY,
    Pardis::<Algorithm>::ENTRY,
    Pardis::<Algorithm>::HYBRID,
    TreeProbDd::ENTRY,
    SimpleDd::ENTRY,
    Dd::ENTRY,
    DdPlus::ENTRY,
    Isolate::ENTRY,
    BinaryReduction::ENTRY,
    Closed::<()>::ENTRY,
    Rejecting::<()>::ENTRY,
    Chisel::ENTRY,
];

/// All algorithms: first the list algorithms, then the others.
pub const CATALOGUE: &[Entry] = &{
    let lists = Algorithm::ENTRIES;
    let mut all = [OTHERS[0]; Algorithm::ENTRIES.len() + OTHERS.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = match index < lists.len() {
            true => lists[index],
            false => OTHERS[index - lists.len()],
        };
        index += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Schedule;

    #[track_caller]
    fn check(family: Family, named: impl Iterator<Item = String>) {
        let listed = CATALOGUE.iter().filter(|entry| entry.family == family);
        let listed: Vec<&str> = listed.map(|entry| entry.name).collect();
        let named: Vec<String> = named.filter(|name| !name.contains(':')).collect();
        assert_eq!(listed, named);
    }

    #[test]
    fn every_algorithm_with_a_name_is_in_the_catalogue() {
        check(Family::List, Algorithm::ALL.iter().map(ToString::to_string));
        check(Family::Tree, Schedule::ALL.iter().map(ToString::to_string));
    }

    #[test]
    fn every_description_is_complete_and_every_name_unique() {
        for (index, entry) in CATALOGUE.iter().enumerate() {
            let texts = [entry.name, entry.guarantee, entry.cost, entry.source];
            assert!(texts.iter().all(|text| !text.is_empty()), "{entry:?}");
            let same = |other: &Entry| other.name == entry.name;
            assert!(!CATALOGUE[..index].iter().any(same), "{entry:?}");
        }
    }
}
