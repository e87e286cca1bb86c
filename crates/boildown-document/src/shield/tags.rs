//! The open tags of markup, counted without a parser.

use memchr::memchr_iter;

/// The most copies of open tags that a scanner may make, at each tag one for every tag that is
/// open: 9,000 tags that are never closed. That takes about half a second; ten times as many tags
/// take a minute.
pub(super) const MOST_COPIES: usize = 40_000_000;

/// Elements that a scanner closes itself: those without an end tag, and those whose end tags may be
/// left out.
const CLOSED_ANYHOW: [&[u8]; 25] = [
    b"area", b"base", b"body", b"br", b"col", b"dd", b"dt", b"embed", b"head", b"hr", b"html",
    b"img", b"input", b"li", b"link", b"meta", b"option", b"p", b"param", b"source", b"td", b"th",
    b"tr", b"track", b"wbr",
];

/// Returns how often a scanner copies an open tag: at each tag, all that are open there.
pub(super) fn copies(text: &[u8]) -> usize {
    // A tag has at least three bytes.
    let most = text.len() / 3;
    if most.saturating_mul(most) / 2 <= MOST_COPIES {
        return 0;
    }
    let (mut open, mut copies) = (0_usize, 0_usize);
    for at in memchr_iter(b'<', text) {
        let rest = &text[at + 1..];
        let is_end = rest.first() == Some(&b'/');
        let name = &rest[usize::from(is_end).min(rest.len())..];
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"_:-.".contains(byte) || *byte >= 128;
        let length = name.iter().take_while(|byte| is_part(byte)).count();
        let name = &name[..length];
        if length == 0
            || CLOSED_ANYHOW
                .iter()
                .any(|other| other.eq_ignore_ascii_case(name))
        {
            continue;
        }
        if is_end {
            open = open.saturating_sub(1);
        } else if !closes_itself(&rest[length..]) {
            open += 1;
        }
        copies = copies.saturating_add(open);
    }
    copies
}

/// Returns whether a tag ends with `/>`, from the text after its name. Long tags count as open.
fn closes_itself(rest: &[u8]) -> bool {
    const LONG: usize = 1000;
    let rest = &rest[..rest.len().min(LONG)];
    let end = rest.iter().position(|&byte| byte == b'>');
    end.is_some_and(|end| end > 0 && rest[end - 1] == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_count_as_long_as_they_are_open() {
        let times = |text: &str| copies(text.repeat(30_000).as_bytes());
        assert!(times("<a>") > MOST_COPIES && times("<a") > MOST_COPIES);
        assert_eq!(times("<a></a>"), 30_000);
        for closed in ["<a x='1'/>", "<br>", "<li>one", "<!-- a -->", "a < b "] {
            assert_eq!(times(closed), 0, "{closed}");
        }
        assert_eq!(copies(b"<a><b><c>"), 0, "too short to matter");
    }
}
