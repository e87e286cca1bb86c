//! Numbers and times as text.

use std::time::Duration;

pub(crate) use boildown_show::{count, grouped};

/// Returns a number in at most five characters: `812`, `45.2k`, `3.9M`.
#[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
pub(crate) fn short(number: u64) -> String {
    let scaled = |unit: f64, letter: &str| {
        let value = number as f64 / unit;
        match value {
            ..9.95 => format!("{value:.1}{letter}"),
            _ => format!("{value:.0}{letter}"),
        }
    };
    match number {
        0..10_000 => number.to_string(),
        10_000..999_500 => scaled(1e3, "k"),
        999_500..999_500_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// Returns a duration in full seconds: `5s`, `2m05s`, `3h07m`.
pub(crate) fn clock(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        _ => boildown_show::clock(time),
    }
}

/// Returns a short duration with a digit after the point below ten seconds: `0.4s`, `12s`.
pub(crate) fn precise(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 9.95 => format!("{seconds:.1}s"),
        _ => clock(time),
    }
}

/// Returns a rate: `214`, `34`, `3.4`, `0.25`.
pub(crate) fn rate(per_second: f64) -> String {
    match per_second {
        9.95.. => format!("{per_second:.0}"),
        0.95.. => format!("{per_second:.1}"),
        _ => format!("{per_second:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_take_few_columns() {
        let shown = [
            0,
            9_999,
            10_000,
            45_249,
            999_499,
            999_500,
            3_909_725,
            5_000_000_000,
        ];
        let texts = shown.map(short);
        assert_eq!(
            texts,
            ["0", "9999", "10k", "45k", "999k", "1.0M", "3.9M", "5.0G"]
        );
        assert!(texts.iter().all(|text| text.len() <= 5));
    }

    #[test]
    fn times_have_two_units_at_most() {
        let shown = [0, 59, 125, 11_220].map(|seconds| clock(Duration::from_secs(seconds)));
        assert_eq!(shown, ["0s", "59s", "2m05s", "3h07m"]);
        assert_eq!(precise(Duration::from_millis(420)), "0.4s");
        assert_eq!(precise(Duration::from_millis(12_400)), "12s");
    }
}
