//! Every algorithm in one table.

/// An algorithm, for people who choose one.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name; for lists and trees also on the command line.
    pub name: &'static str,
    /// What it works on.
    pub family: Family,
    /// Its parameters, as they are written after the name; empty when it has none.
    pub parameters: &'static str,
    /// What holds of its result, given an oracle that answers the same every time.
    pub guarantee: &'static str,
    /// Questions for n elements, of which m are needed.
    pub cost: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

/// What an algorithm works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// A list of elements of which as few as possible are to be kept.
    List,
    /// A tree whose sibling lists a list algorithm minimises.
    Tree,
    /// A set of changes between a state that passes and one that fails, with unresolved outcomes.
    Changes,
    /// Elements that require others.
    Requirements,
}

impl Family {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::List, Self::Tree, Self::Changes, Self::Requirements];
}

const fn entry(
    family: Family,
    [name, parameters, guarantee, cost, source]: [&'static str; 5],
) -> Entry {
    Entry {
        name,
        family,
        parameters,
        guarantee,
        cost,
        source,
    }
}

/// All algorithms.
pub const CATALOGUE: &[Entry] = &[
    entry(
        Family::List,
        [
            "halving",
            "order=depth|breadth, direction=backwards|forwards",
            "minimal when monotone and unambiguous; 1-minimal after a sweep",
            "at most 2n - 1",
            "Gharachorlu, Sumner: Avoiding the Familiar (OPDD), QRS 2018; split by weight as in WDD, ICSE 2025; the default",
        ],
    ),
    entry(
        Family::List,
        [
            "adaptive",
            "",
            "minimal when monotone and unambiguous; 1-minimal after a sweep",
            "1 for each needed element, O(log k) for a run of k that can go",
            "MacIver, Donaldson: Test-Case Reduction via Test-Case Generation, ECOOP 2020",
        ],
    ),
    entry(
        Family::List,
        [
            "ddmin",
            "subsets=try|skip, direction=forwards|backwards, resume=restart|onwards",
            "1-minimal",
            "O(n^2); O(log n) when one element is needed",
            "Zeller, Hildebrandt, IEEE TSE 2002; complements only and backwards as in Picire",
        ],
    ),
    entry(
        Family::List,
        [
            "ddmin*",
            "as ddmin",
            "1-minimal, and a whole run of ddmin finds nothing",
            "that of ddmin for each run that finds something, and one",
            "Vince: Iterating the Minimizing Delta Debugging Algorithm (DD*), A-TEST 2022",
        ],
    ),
    entry(
        Family::List,
        [
            "wddmin",
            "",
            "1-minimal",
            "O(n^2)",
            "Zhou et al.: WDD, ICSE 2025",
        ],
    ),
    entry(
        Family::List,
        [
            "probdd",
            "sigma=0.1, ties=last|first",
            "minimal when monotone, minimum when unambiguous too; 1-minimal after a sweep",
            "O(n): 2.0 n when nothing can go, 1.75 n with sigma=0.25",
            "Wang et al.: Probabilistic Delta Debugging, ESEC/FSE 2021",
        ],
    ),
    entry(
        Family::List,
        [
            "wprobdd",
            "sigma=0.1, ties=last|first",
            "as probdd",
            "3 n at most in all our tests",
            "Zhou et al.: WDD, ICSE 2025",
        ],
    ),
    entry(
        Family::List,
        [
            "cdd",
            "sigma=0.1, direction=backwards|forwards",
            "as probdd",
            "2.1 n when nothing can go, 1.75 n with sigma=0.25; every round known in advance",
            "Zhang et al.: Toward a Better Understanding of ProbDD, ICSE 2025",
        ],
    ),
    entry(
        Family::List,
        [
            "coarsen",
            "seed=0",
            "minimal when monotone; 1-minimal after a sweep",
            "O(m log n) expected when m are needed",
            "Liang, Tripp, Naik: Learning Minimal Abstractions (ActiveCoarsen), POPL 2011",
        ],
    ),
    entry(
        Family::List,
        [
            "pma",
            "threshold=0.1",
            "1-minimal when monotone",
            "that of ddmin, less what lies below known misses",
            "after Tao, Xue: probabilistic monotonicity assessment, EASE 2025; the odds are ours",
        ],
    ),
    entry(
        Family::List,
        [
            "bisection",
            "",
            "none but an interesting result: it stops when no half will do",
            "2 log2 n",
            "lecture notes; for comparison",
        ],
    ),
    entry(
        Family::List,
        [
            "naive",
            "",
            "1-minimal",
            "O(n^2)",
            "textbook; for comparison",
        ],
    ),
    entry(
        Family::List,
        [
            "sweep",
            "",
            "1-minimal",
            "n and at most n more for each hit; n when nothing can go",
            "the last loop of ddmin, without its restarts; the proof that ends every reduction",
        ],
    ),
    entry(
        Family::List,
        [
            "n-minimal",
            "n=2",
            "n-minimal: no n elements or fewer can go together",
            "O(m^n)",
            "Zeller, Hildebrandt, IEEE TSE 2002, definition of n-minimality",
        ],
    ),
    entry(
        Family::Tree,
        [
            "boildown",
            "",
            "interesting; 1-tree-minimal after a sweep of the nodes",
            "the list algorithm's, one for each separator, at most eight replacements for each node that stays",
            "after Perses; heaviest first, replacements by parts that fit; the default",
        ],
    ),
    entry(
        Family::Tree,
        [
            "hdd",
            "",
            "interesting; 1-tree-minimal as hdd*",
            "the list algorithm's for each level",
            "Misherghi, Su: HDD, ICSE 2006",
        ],
    ),
    entry(
        Family::Tree,
        [
            "hdd*",
            "",
            "1-tree-minimal, with a 1-minimal list algorithm",
            "that of hdd for each run that finds something, and one",
            "Misherghi, Su: HDD, ICSE 2006",
        ],
    ),
    entry(
        Family::Tree,
        [
            "hdd-coarse",
            "",
            "interesting",
            "as hdd, over fewer nodes",
            "Hodovan, Kiss, Gyimothy: Coarse HDD, ICSME 2017",
        ],
    ),
    entry(
        Family::Tree,
        [
            "hddr",
            "pop=last|first, append=forwards|reversed",
            "interesting; 1-tree-minimal to a fixed point",
            "the list algorithm's for each node with children",
            "Kiss, Hodovan, Gyimothy: HDDr, A-TEST 2018",
        ],
    ),
    entry(
        Family::Tree,
        [
            "hdd-hoist",
            "",
            "interesting; 1-tree-minimal to a fixed point",
            "that of hdd and of its replacements",
            "Vince et al.: Extending HDD with Hoisting, AST 2021",
        ],
    ),
    entry(
        Family::Tree,
        [
            "perses",
            "",
            "interesting",
            "the list algorithm's, and at most 100 replacements for each node",
            "Sun et al.: Perses, ICSE 2018",
        ],
    ),
    entry(
        Family::Tree,
        [
            "pardis",
            "",
            "interesting",
            "at most one for each node that may go",
            "Gharachorlu, Sumner: PARDIS, FASE 2019",
        ],
    ),
    entry(
        Family::Tree,
        [
            "pardis-hybrid",
            "",
            "interesting",
            "the list algorithm's for each group of siblings of equal weight",
            "Gharachorlu, Sumner: PARDIS, FASE 2019",
        ],
    ),
    entry(
        Family::Changes,
        [
            "simpledd",
            "",
            "the culprit, when there is a single one",
            "log2 n",
            "seminar literature, the step before dd",
        ],
    ),
    entry(
        Family::Changes,
        [
            "dd",
            "",
            "the failing set, when consistent, monotone and unambiguous",
            "2 log2 n for one culprit, 2(n - 1) at most",
            "Zeller: Yesterday, my program worked, ESEC/FSE 1999",
        ],
    ),
    entry(
        Family::Changes,
        [
            "dd+",
            "",
            "every change found alone is to blame, whatever is unresolved",
            "as dd when nothing is unresolved, O(n^2) at most",
            "Zeller: Yesterday, my program worked, ESEC/FSE 1999",
        ],
    ),
    entry(
        Family::Changes,
        [
            "dd between two",
            "",
            "a 1-minimal difference between a passing and a failing configuration",
            "log2 n when nothing is unresolved, O(n^2) at most",
            "Zeller, Hildebrandt, IEEE TSE 2002, dd",
        ],
    ),
    entry(
        Family::Requirements,
        [
            "binary reduction",
            "",
            "closed; minimal when monotone and unambiguous over closed sets",
            "about log2 n + 1 for each required closure",
            "Kalhauge, Palsberg: Binary Reduction of Dependency Graphs (J-Reduce), ESEC/FSE 2019",
        ],
    ),
    entry(
        Family::Requirements,
        [
            "closed",
            "",
            "that of any list algorithm, over deletions that take along whatever requires them",
            "at most that of the list algorithm",
            "after J-Reduce",
        ],
    ),
    entry(
        Family::Requirements,
        [
            "rejecting",
            "",
            "that of any list algorithm, over deletions that break nothing",
            "at most that of the list algorithm",
            "the static rejection of CHISEL, Heo et al., CCS 2018",
        ],
    ),
    entry(
        Family::Requirements,
        [
            "chisel",
            "",
            "1-minimal over deletions that break nothing",
            "O(n^2)",
            "after CHISEL, Heo et al., CCS 2018; counts instead of a decision tree",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::Algorithm;
    use crate::tree::Schedule;

    #[track_caller]
    fn check(family: Family, known: impl Iterator<Item = String>) {
        let listed = CATALOGUE.iter().filter(|entry| entry.family == family);
        let listed: Vec<&str> = listed.map(|entry| entry.name).collect();
        let known: Vec<String> = known.filter(|name| !name.contains(':')).collect();
        assert_eq!(listed, known);
    }

    #[test]
    fn every_algorithm_that_has_a_name_is_listed() {
        check(Family::List, Algorithm::ALL.iter().map(ToString::to_string));
        check(Family::Tree, Schedule::ALL.iter().map(ToString::to_string));
    }
}
