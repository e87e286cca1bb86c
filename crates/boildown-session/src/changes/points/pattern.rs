//! The protocol between the search and a program with numbered points.

use std::collections::HashSet;
use std::fmt;

use boildown_search::Subset;

/// A point of a program, as the program reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// A hash of what the point is, such as its file and line.
    pub id: u64,
    /// The rest of the line that reported it.
    pub description: String,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#018x}  {}", self.id, self.description)
    }
}

/// The pattern of no point.
pub(super) const NONE: &str = "n";

/// The pattern of all points.
pub(super) const ALL: &str = "y";

/// What begins the report of a point. The hash in hexadecimal digits and `]` follow.
const MARKER: &str = "[bisect-match 0x";

/// Returns the points that an output reports, in the order in which they are first reported.
pub(super) fn points(output: &str) -> Vec<Point> {
    let mut known = HashSet::new();
    let lines = output.lines().filter_map(|line| {
        let (before, rest) = line.split_once(MARKER)?;
        let (digits, after) = rest.split_once(']')?;
        let id = u64::from_str_radix(digits, 16).ok()?;
        let description = format!("{} {}", before.trim(), after.trim());
        let description = description.trim().to_owned();
        Some(Point { id, description })
    });
    lines.filter(|point| known.insert(point.id)).collect()
}

/// Returns an output without the reports of points, which differ from run to run.
pub(super) fn without_reports(output: &[u8]) -> Vec<u8> {
    let is_report = |line: &[u8]| {
        line.windows(MARKER.len())
            .any(|text| text == MARKER.as_bytes())
    };
    let lines = output.split_inclusive(|byte| *byte == b'\n');
    lines
        .filter(|line| !is_report(line))
        .collect::<Vec<_>>()
        .concat()
}

/// Returns the pattern that enables these points and no others of `all`: a sum of endings of the
/// hashes, in binary digits, as short as the others allow.
pub(super) fn pattern(all: &[Point], enabled: &Subset) -> String {
    let ids: Vec<(u64, bool)> = (all.iter().enumerate())
        .map(|(at, point)| (point.id, enabled.contains(at)))
        .collect();
    if ids.iter().all(|(_, is_enabled)| *is_enabled) {
        return ALL.to_owned();
    }
    let mut text = String::new();
    add_endings(&ids, "", &mut text);
    match text.is_empty() {
        true => NONE.to_owned(),
        false => text,
    }
}

/// Adds the endings of the enabled ones of some hashes that share an ending.
fn add_endings(ids: &[(u64, bool)], ending: &str, text: &mut String) {
    let enabled = ids.iter().filter(|(_, is_enabled)| *is_enabled).count();
    if enabled == 0 {
        return;
    }
    if enabled == ids.len() {
        text.push('+');
        text.push_str(ending);
        return;
    }
    for digit in ["0", "1"] {
        let bit = u64::from(digit == "1");
        let is_in = |(id, _): &&(u64, bool)| (id >> ending.len()) & 1 == bit;
        let inside: Vec<(u64, bool)> = ids.iter().filter(is_in).copied().collect();
        add_endings(&inside, &format!("{digit}{ending}"), text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(ids: &[u64]) -> Vec<Point> {
        let point = |id: &u64| Point {
            id: *id,
            description: String::new(),
        };
        ids.iter().map(point).collect()
    }

    /// Decides as a program does: the last term that a hash ends with counts.
    fn enables(pattern: &str, id: u64) -> bool {
        match pattern {
            ALL => true,
            NONE => false,
            sum => sum.split('+').skip(1).any(|ending| {
                let value = u64::from_str_radix(ending, 2).unwrap();
                id & ((1 << ending.len()) - 1) == value
            }),
        }
    }

    #[test]
    fn a_pattern_enables_the_points_and_no_others() {
        let points = all(&[0b1010, 0b0010, 0b0111, 0xffff_ffff_ffff_fff0, 0]);
        for bits in 0..32_usize {
            let cut = (0..5).filter(|at| bits >> at & 1 == 0).map(|at| at..at + 1);
            let enabled = Subset::full(5).without(cut);
            let pattern = pattern(&points, &enabled);
            for (at, point) in points.iter().enumerate() {
                assert_eq!(
                    enables(&pattern, point.id),
                    enabled.contains(at),
                    "{pattern}"
                );
            }
        }
        let first = Subset::full(5).without([1..5]);
        assert_eq!(pattern(&points, &first), "+1010");
    }

    #[test]
    fn points_are_read_from_lines_with_a_marker() {
        let text = "hello\nmain.go:5 [bisect-match 0x00000000000000ff]\n\
                    [bisect-match 0x2] loop\nmain.go:6 [bisect-match 0xff]\n[bisect-match 0xzz]\n";
        let found = points(text);
        let found: Vec<String> = found.iter().map(Point::to_string).collect();
        assert_eq!(
            found,
            ["0x00000000000000ff  main.go:5", "0x0000000000000002  loop"]
        );
        assert_eq!(without_reports(text.as_bytes()), b"hello\n");
    }
}
