//! Groups of inputs that fail in the same way.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Assessment, FailureKey};

/// An input that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupedInput {
    /// Its size in bytes.
    pub bytes: u64,
    /// What its runs showed.
    pub assessment: Assessment,
}

/// Inputs that fail in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureGroup {
    /// The failure.
    pub key: FailureKey,
    /// The indices of the inputs, the best example first: steady ones before flaky ones, and small
    /// ones before large ones. At least one.
    pub members: Vec<usize>,
}

impl FailureGroup {
    /// Returns the index of the input that stands for the group.
    pub fn example(&self) -> usize {
        self.members[0]
    }
}

/// Groups the inputs that fail by their failures, the most severe first, and large groups before
/// small ones.
pub fn group_by_failure(inputs: &[GroupedInput]) -> Vec<FailureGroup> {
    let mut by_key: BTreeMap<&FailureKey, Vec<usize>> = BTreeMap::new();
    for (index, input) in inputs.iter().enumerate() {
        if let Some(key) = &input.assessment.key {
            by_key.entry(key).or_default().push(index);
        }
    }
    let mut groups: Vec<FailureGroup> = by_key
        .into_iter()
        .map(|(key, mut members)| {
            members.sort_by_key(|&index| {
                let input = &inputs[index];
                (input.assessment.is_flaky(), input.bytes, index)
            });
            FailureGroup {
                key: key.clone(),
                members,
            }
        })
        .collect();
    // Stable: equals stay in the order of their keys.
    groups.sort_by_key(|group| (group.key.class(), Reverse(group.members.len())));
    groups
}

/// Merges groups whose messages differ only in words of the inputs: one message that says what was
/// read. `input` returns the content of an input.
pub fn merge_by_message<'a>(
    groups: Vec<FailureGroup>,
    input: impl Fn(usize) -> &'a [u8],
) -> Vec<FailureGroup> {
    let mut merged: Vec<FailureGroup> = Vec::with_capacity(groups.len());
    for group in groups {
        let content = input(group.example());
        let same = merged.iter_mut().find(|other| {
            (other.key).differs_by_input(input(other.example()), &group.key, content)
        });
        match same {
            Some(other) => other.members.extend(group.members),
            None => merged.push(group),
        }
    }
    merged.sort_by_key(|group| (group.key.class(), Reverse(group.members.len())));
    merged
}

/// Merges groups whose examples have the same canonical form. Returns the numbers of the groups
/// that belong together, each list and the lists in ascending order.
///
/// Only failures of the same class are merged. A group without a form stays alone.
pub fn merge_by_form(groups: &[FailureGroup], forms: &[Option<String>]) -> Vec<Vec<usize>> {
    let mut merged: Vec<Vec<usize>> = Vec::new();
    let mut by_form = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        let Some(form) = forms.get(number).and_then(Option::as_ref) else {
            merged.push(vec![number]);
            continue;
        };
        let place = *by_form
            .entry((group.key.class(), form))
            .or_insert(merged.len());
        match merged.get_mut(place) {
            Some(others) => others.push(number),
            None => merged.push(vec![number]),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use boildown_oracle::{Outcome, Run};

    use super::*;

    fn key(stderr: &str) -> FailureKey {
        let run = Run::ended(Outcome::Signalled(6), stderr);
        FailureKey::of_run(&run, "in.c".as_ref(), 0)
    }

    fn assertion(what: &str) -> FailureKey {
        key(&format!("a.c:1: f: Assertion `{what}' failed.\n"))
    }

    fn input(key: Option<&FailureKey>, bytes: u64, hits: u32) -> GroupedInput {
        GroupedInput {
            bytes,
            assessment: Assessment {
                key: key.cloned(),
                hits,
                runs: 2,
            },
        }
    }

    #[test]
    fn the_example_is_the_smallest_steady_input() {
        let (a, b) = (assertion("a"), assertion("b"));
        let inputs = [
            input(Some(&a), 5, 2),
            input(Some(&b), 9, 2),
            input(None, 1, 0),
            input(Some(&b), 3, 1),
            input(Some(&b), 7, 2),
        ];
        let groups = group_by_failure(&inputs);
        let listed: Vec<_> = groups
            .iter()
            .map(|group| (&group.key, group.members.as_slice()))
            .collect();
        assert_eq!(listed, [(&b, &[4, 1, 3][..]), (&a, &[0][..])]);
        assert_eq!(groups[0].example(), 4);
    }

    #[test]
    fn groups_with_equal_forms_are_merged_within_a_class() {
        let timed_out = FailureKey::of_run(&Run::ended(Outcome::TimedOut, ""), "in.c".as_ref(), 0);
        let keys = [
            assertion("a"),
            assertion("b"),
            timed_out,
            assertion("c"),
            assertion("d"),
        ];
        let groups: Vec<FailureGroup> = keys
            .into_iter()
            .map(|key| FailureGroup {
                key,
                members: vec![0],
            })
            .collect();
        let form = |text: &str| Some(text.to_owned());
        let forms = [form("x"), None, form("x"), form("x"), form("y")];
        assert_eq!(
            merge_by_form(&groups, &forms),
            [vec![0, 3], vec![1], vec![2], vec![4]]
        );
    }
}
