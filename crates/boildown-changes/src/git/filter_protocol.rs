//! The protocol of long-running filters, version 2, for one file.
//!
//! Git starts such a filter once and sends it one file after another. Here, each file has a filter
//! of its own, so that a limit on its time is one on the file. Nothing that git says depends on an
//! answer of the filter, so all of it is written before the filter starts.

use gix::bstr::{BStr, ByteSlice as _};

/// The direction of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the repository.
    Clean,
    /// To the work tree.
    Smudge,
}

impl Direction {
    /// Returns the name that git gives to it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Smudge => "smudge",
        }
    }
}

/// The largest content of a packet.
const MAX_PACKET: usize = 65_516;

/// The packet that ends a list or a content.
const FLUSH: &[u8] = b"0000";

/// Returns everything that git says to a filter that converts one file.
pub(super) fn request(direction: Direction, path: &BStr, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 256);
    let lists: [&[&[u8]]; 3] = [
        &[b"git-filter-client", b"version=2"],
        &[b"capability=clean", b"capability=smudge"],
        &[
            &[b"command=", direction.name().as_bytes()].concat(),
            &[b"pathname=", path.as_bytes()].concat(),
        ],
    ];
    for list in lists {
        for line in list {
            packet(&mut out, &[line, b"\n".as_slice()].concat());
        }
        out.extend_from_slice(FLUSH);
    }
    for chunk in bytes.chunks(MAX_PACKET) {
        packet(&mut out, chunk);
    }
    out.extend_from_slice(FLUSH);
    out
}

fn packet(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(format!("{:04x}", bytes.len() + 4).as_bytes());
    out.extend_from_slice(bytes);
}

/// Returns the content that a filter answered; `Some(None)` if it does not convert in this
/// direction, `None` if it reports an error or breaks the protocol.
pub(super) fn answer(direction: Direction, output: &[u8]) -> Option<Option<Vec<u8>>> {
    let mut rest = output;
    let welcome = list(&mut rest)?;
    if welcome.first()?.trim_end() != b"git-filter-server" {
        return None;
    }
    let offered = format!("capability={}", direction.name());
    if !(list(&mut rest)?.iter()).any(|line| line.trim_end() == offered.as_bytes()) {
        return Some(None);
    }
    let is_success = |lines: &[&[u8]]| {
        let mut statuses = lines
            .iter()
            .filter_map(|line| line.strip_prefix(b"status="));
        statuses
            .next()
            .map(|status| status.trim_end() == b"success")
    };
    if is_success(&list(&mut rest)?) != Some(true) {
        return None;
    }
    let content = list(&mut rest)?.concat();
    // An empty list keeps the status.
    match is_success(&list(&mut rest)?) {
        Some(false) => None,
        Some(true) | None => Some(Some(content)),
    }
}

/// Takes the packets up to the next flush.
fn list<'a>(rest: &mut &'a [u8]) -> Option<Vec<&'a [u8]>> {
    let mut packets = Vec::new();
    loop {
        let (length, after) = rest.split_at_checked(4)?;
        let length = usize::from_str_radix(length.to_str().ok()?, 16).ok()?;
        if length == 0 {
            *rest = after;
            return Some(packets);
        }
        let (packet, after) = after.split_at_checked(length.checked_sub(4)?)?;
        packets.push(packet);
        *rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lists: &[&[&[u8]]]) -> Vec<u8> {
        let mut out = Vec::new();
        for list in lists {
            for bytes in *list {
                packet(&mut out, bytes);
            }
            out.extend_from_slice(FLUSH);
        }
        out
    }

    const WELCOME: &[&[u8]] = &[b"git-filter-server\n", b"version=2\n"];
    const BOTH: &[&[u8]] = &[b"capability=clean\n", b"capability=smudge\n"];

    #[test]
    fn a_request_is_the_talk_of_git() {
        let request = request(Direction::Smudge, "a b".into(), b"text");
        let expected = "0016git-filter-client\n000eversion=2\n0000\
                        0015capability=clean\n0016capability=smudge\n0000\
                        0013command=smudge\n0011pathname=a b\n00000008text0000";
        assert_eq!(String::from_utf8(request).unwrap(), expected);
    }

    #[test]
    fn a_content_of_several_packets_is_one_answer() {
        let good = said(&[WELCOME, BOTH, &[b"status=success\n"], &[b"TE", b"XT"], &[]]);
        let answered = answer(Direction::Smudge, &good);
        assert_eq!(answered, Some(Some(b"TEXT".to_vec())));
        let late = &[b"status=error\n".as_slice()];
        let failed = said(&[WELCOME, BOTH, &[b"status=success\n"], &[b"TE"], late]);
        assert_eq!(answer(Direction::Smudge, &failed), None);
    }

    #[test]
    fn errors_and_half_answers_are_no_answers() {
        let failed = said(&[WELCOME, BOTH, &[b"status=error\n"]]);
        assert_eq!(answer(Direction::Smudge, &failed), None);
        let good = said(&[WELCOME, BOTH, &[b"status=success\n"], &[b"TEXT"], &[]]);
        for length in 0..good.len() {
            assert_eq!(answer(Direction::Smudge, &good[..length]), None, "{length}");
        }
        let one_way = said(&[WELCOME, &[b"capability=clean\n"]]);
        assert_eq!(answer(Direction::Smudge, &one_way), Some(None));
    }
}
