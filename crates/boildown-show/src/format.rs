//! Numbers and times as texts.

/// Returns a number with thin spaces between thousands.
pub(crate) fn grouped(number: u64) -> String {
    group(&number.to_string(), '\u{202f}')
}

/// Returns a number with commas between thousands.
pub(crate) fn with_commas(number: u64) -> String {
    group(&number.to_string(), ',')
}

/// Returns a difference with its sign, a minus for growth.
pub(crate) fn removed(number: i64) -> String {
    match number {
        0 => "0".to_owned(),
        1.. => grouped(number.unsigned_abs()),
        _ => format!("+{}", grouped(number.unsigned_abs())),
    }
}

fn group(digits: &str, separator: char) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// Returns a number with its noun, in the plural unless it is 1.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// Returns a duration: `0.24 s`, `12 s`, `3 min 05 s`, `2 h 10 min`.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("{seconds:.2} s");
    }
    let whole = whole(seconds.round());
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
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
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // The algorithm of Howard Hinnant's `civil_from_days`, for years from 1970.
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute) = (rest / 3600, rest % 3600 / 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
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
        assert_eq!(with_commas(1_234_567), "1,234,567");
        assert_eq!(with_commas(999), "999");
        assert_eq!(removed(-5), "+5");
        assert_eq!(count(1, "test"), "1 test");
        assert_eq!(duration(0.2449), "0.24 s");
        assert_eq!(duration(59.6), "1 min 00 s");
        assert_eq!(duration(185.0), "3 min 05 s");
        assert_eq!(duration(7800.0), "2 h 10 min");
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
