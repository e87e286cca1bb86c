//! Numbers and times as texts.

use std::time::Duration;

/// Returns a number with a comma before each group of three digits: `127,611`.
pub fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::new();
    for (place, digit) in (1..=digits.len()).rev().zip(digits.chars()) {
        text.push(digit);
        if place > 1 && place % 3 == 1 {
            text.push(',');
        }
    }
    text
}

/// Returns a number with its noun: `1 test`, `2,000 tests`.
pub fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// Returns a size in bytes, with two or three digits: `812 bytes`, `45 kB`, `3.9 MB`.
#[expect(clippy::cast_precision_loss, reason = "shown with two or three digits")]
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => count(bytes, "byte"),
        1_000..1_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Returns a duration: `40ms`, `1.5s`, `2m05s`, `3h07m`.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 if time.as_millis() < 100 => format!("{}ms", time.as_millis()),
        0..60 => format!("{:.1}s", time.as_secs_f64()),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Returns a number of seconds as a duration.
pub(crate) fn duration(seconds: f64) -> String {
    clock(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// Returns a difference with its sign, a minus for growth.
pub(crate) fn removed(number: i64) -> String {
    match number {
        0 => "0".to_owned(),
        1.. => grouped(number.unsigned_abs()),
        _ => format!("+{}", grouped(number.unsigned_abs())),
    }
}

/// Returns a part of a whole in percent, never rounded to 0 or 100.
pub(crate) fn percent(part: f64, total: f64) -> String {
    if total <= 0.0 {
        return "0 %".to_owned();
    }
    let percent = part / total * 100.0;
    match percent {
        _ if part <= 0.0 => "0 %".to_owned(),
        ..0.05 => "< 0.1 %".to_owned(),
        99.95..100.0 => "> 99.9 %".to_owned(),
        10.0..90.0 => format!("{percent:.0} %"),
        _ if part >= total => "100 %".to_owned(),
        _ => format!("{percent:.1} %"),
    }
}

/// Returns a date and time of day in UTC: `2026-03-01 12:30 UTC`.
pub(crate) fn date(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    let date = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX);
    date.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Returns a number as one with a fraction. Exact below 2^53.
pub(crate) const fn real(number: u64) -> f64 {
    number as f64
}

/// Returns the whole part of a number that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float that is converted saturates"
)]
pub(crate) const fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_short() {
        for (number, text) in [
            (0_u64, "0"),
            (999, "999"),
            (1000, "1,000"),
            (127_611, "127,611"),
            (1_000_000, "1,000,000"),
        ] {
            assert_eq!(grouped(number), text);
        }
        let sizes = [1, 999, 45_200, 3_909_725].map(size);
        assert_eq!(sizes, ["1 byte", "999 bytes", "45 kB", "3.9 MB"]);
        assert_eq!(count(2000_u64, "test"), "2,000 tests");
        assert_eq!(removed(-5), "+5");
        assert_eq!(count(1_u64, "test"), "1 test");
        assert_eq!(duration(0.0042), "4ms");
        assert_eq!(duration(0.2449), "0.2s");
        assert_eq!(duration(185.0), "3m05s");
        assert_eq!(duration(7800.0), "2h10m");
        assert_eq!(percent(9999.0, 10_000.0), "> 99.9 %");
        assert_eq!(percent(1.0, 10_000.0), "< 0.1 %");
        assert_eq!(percent(948.0, 1000.0), "94.8 %");
        assert_eq!(percent(10.0, 10.0), "100 %");
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_399), "2000-02-28 23:59 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_772_368_200), "2026-03-01 12:30 UTC");
    }
}
