//! The split factor of ddmin.

use boildown_search::algorithms::ParsedName;

/// The number of chunks at the start, and the factor by which their number grows when none can be
/// dropped: at least 2.
///
/// With 2, as in the paper, chunks halve. With at least the length of the list, every chunk is a
/// single element from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitFactor(usize);

impl SplitFactor {
    /// Chunks halve, as in the paper.
    pub const HALVES: Self = Self(2);

    /// Returns the factor, or `None` if it is below 2.
    #[must_use]
    pub const fn new(factor: usize) -> Option<Self> {
        match factor {
            0 | 1 => None,
            _ => Some(Self(factor)),
        }
    }

    /// Takes the parameter `split` out of a name.
    pub(super) fn parse(name: &mut ParsedName<'_>, default: Self) -> Result<Self, String> {
        name.value("split", default, |text| {
            let factor = text.parse().ok().and_then(Self::new);
            factor.ok_or_else(|| "a whole number of at least 2".to_owned())
        })
    }

    /// Returns `split=…`, or `None` for the default.
    pub(super) fn non_default(self, default: Self) -> Option<String> {
        (self != default).then(|| format!("split={}", self.0))
    }

    /// Returns the factor: at least 2.
    #[must_use]
    pub fn get(self) -> usize {
        self.0
    }
}
