//! Shorter numbers and strings.

use boildown_document::{is_word, words};

/// Returns the value of an operation on two decimal numbers, which may be in brackets. A part of
/// it, `8` of `8 - 1`, is another number, and often one too many: the width of a vector. The value
/// has to be the same in each language, so a quotient is whole and a difference not negative.
pub(super) fn value_of_operation(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    let text = inner.unwrap_or(text).trim();
    let is_digit = |letter: char| letter.is_ascii_digit();
    let left = &text[..text.find(|letter| !is_digit(letter))?];
    let right = &text[text.trim_end_matches(is_digit).len()..];
    let sign = text.get(left.len()..text.len() - right.len())?.trim();
    // An octal number begins with a zero.
    let number = |digits: &str| match digits.as_bytes() {
        [b'0', _, ..] => None,
        _ => digits.parse::<u64>().ok(),
    };
    let (left, right) = (number(left)?, number(right)?);
    match sign {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => (left.checked_rem(right)? == 0).then(|| left / right),
        "<<" => left.checked_mul(1_u64.checked_shl(right.try_into().ok()?)?),
        _ => None,
    }
}

/// Returns shorter decimal fractions: one of a single digit, for each digit, then less of the
/// fraction. Which of them a program rounds wrongly follows from no length, so each deletion of a
/// digit alone may miss: `0.013` → `0.3`.
pub(super) fn shorter_decimals(text: &[u8]) -> Vec<Vec<u8>> {
    let Some(point) = text.iter().position(|&byte| byte == b'.') else {
        return Vec::new();
    };
    let (whole, fraction) = (&text[..point], &text[point + 1..]);
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    if !is_number(whole) || !is_number(fraction) || text.len() < 4 {
        return Vec::new();
    }
    let mut shorter: Vec<Vec<u8>> = Vec::new();
    for &digit in whole.iter().chain(fraction) {
        let short = vec![b'0', b'.', digit];
        if digit != b'0' && !shorter.contains(&short) {
            shorter.push(short);
        }
    }
    for end in [fraction.len() / 2, fraction.len() - 1] {
        let short = &text[..=point + end];
        if end > 0 && !shorter.iter().any(|text| text == short) {
            shorter.push(short.to_vec());
        }
    }
    shorter
}

/// Returns a string in triple quotes as one in single quotes with its first word: that a string is
/// empty or begins a line differently is another property.
pub(super) fn plain_string(text: &[u8]) -> Option<Vec<u8>> {
    let start = text.iter().position(|byte| !byte.is_ascii_alphabetic())?;
    let (prefix, quoted) = text.split_at(start);
    let quotes = [&b"\"\"\""[..], b"'''"];
    let quotes = quotes
        .into_iter()
        .find(|quotes| quoted.starts_with(quotes))?;
    let inside = quoted.strip_prefix(quotes)?.strip_suffix(quotes)?;
    let word = words(inside, 0..inside.len()).find(|word| is_word(inside[word.start]))?;
    Some([prefix, &quotes[..1], &inside[word], &quotes[..1]].concat())
}

/// Returns the value of a number of Verilog with a base, as in `4'b0101`; `None` if some bits are
/// unknown.
pub(super) fn value_of_based_number(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let (width, digits) = text.split_once('\'')?;
    if !width.trim().bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim().to_ascii_lowercase().replace('_', "");
    let digits = digits.strip_prefix('s').unwrap_or(&digits);
    let radix = match digits.bytes().next()? {
        b'b' => 2,
        b'o' => 8,
        b'd' => 10,
        b'h' => 16,
        _ => return None,
    };
    u64::from_str_radix(digits[1..].trim(), radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_with_a_base_has_a_value() {
        let value = |text: &str| value_of_based_number(text.as_bytes());
        assert_eq!(value("4'b0101"), Some(5));
        assert_eq!(value("'h1_F"), Some(31));
        assert_eq!(value("8 'sd 12"), Some(12));
        for text in ["4'b01x1", "1'000", "'a", "x'b1", "4'b"] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[test]
    fn a_decimal_fraction_becomes_one_of_a_single_digit_or_loses_digits() {
        let shorter = |text: &str| -> Vec<String> {
            (shorter_decimals(text.as_bytes()).into_iter())
                .map(|text| String::from_utf8(text).unwrap())
                .collect()
        };
        assert_eq!(shorter("0.013"), ["0.1", "0.3", "0.0", "0.01"]);
        assert_eq!(shorter("12.5"), ["0.1", "0.2", "0.5"]);
        assert_eq!(shorter("0.1616"), ["0.1", "0.6", "0.16", "0.161"]);
        for text in ["0.5", "10", ".25", "1.", "1.5f", "1.2.3", "-0.25", "v1.25"] {
            assert!(shorter(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn an_operation_on_two_numbers_has_a_value() {
        let value = |text: &str| value_of_operation(text.as_bytes());
        assert_eq!(value("8-1"), Some(7));
        assert_eq!(value("(2 * 8)"), Some(16));
        assert_eq!(value("12 / 4"), Some(3));
        assert_eq!(value("1 << 4"), Some(16));
        assert_eq!(value("7 + 0"), Some(7));
        for text in [
            "8",
            "8-",
            "-1",
            "1 - 2",
            "7 / 2",
            "1 / 0",
            "010 + 1",
            "1 - 2 - 3",
            "1.5 + 2",
            "1 << 64",
            "8'h1 + 2",
            "é",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[test]
    fn a_string_in_triple_quotes_becomes_a_plain_one() {
        let plain = |text: &str| plain_string(text.as_bytes());
        assert_eq!(
            plain("\"\"\"Read it.\n  \"\"\""),
            Some(b"\"Read\"".to_vec())
        );
        assert_eq!(plain("rb''' (é)'''"), Some("rb'é'".into()));
        for text in ["\"Read it.\"", "\"\"\"\"\"\"", "\"\"\" ?\"\"\"", "read", ""] {
            assert_eq!(plain(text), None, "{text}");
        }
    }
}
