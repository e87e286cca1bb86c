//! Which bracket belongs to which.

/// For each text, the place of its partner when it is an opening delimiter that has one.
///
/// A stray closing delimiter closes nothing; one that closes an outer pair leaves the inner ones without partners.
pub(super) fn partners<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Vec<Option<usize>> {
    let mut partners = Vec::new();
    let mut open: Vec<(&[u8], usize)> = Vec::new();
    for (at, text) in texts.enumerate() {
        partners.push(None);
        match text {
            b"(" => open.push((b")", at)),
            b"[" => open.push((b"]", at)),
            b"{" => open.push((b"}", at)),
            close @ (b")" | b"]" | b"}") => {
                if let Some(depth) = open.iter().rposition(|&(wanted, _)| wanted == close) {
                    partners[open[depth].1] = Some(at);
                    open.truncate(depth);
                }
            }
            _ => {}
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stray_delimiters_have_no_partner() {
        let partners = |text: &str| partners(text.as_bytes().chunks(1));
        assert_eq!(
            partners("(a[b])"),
            [Some(5), None, Some(4), None, None, None]
        );
        assert_eq!(partners("([)]"), [Some(2), None, None, None]);
        assert_eq!(partners(")}(]"), [None; 4]);
    }
}
