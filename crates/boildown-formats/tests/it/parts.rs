//! Binaries that consist of parts with lengths.

use std::sync::Arc;

use boildown_document::{Document, View};
use boildown_reduce::reduction;
use boildown_search::{Search as _, Subset, Verdict, run};

/// Reduces a binary to one for which `keeps` holds; returns it with the number of queries.
fn reduced(input: &[u8], keeps: impl Fn(&[u8]) -> bool) -> (Vec<u8>, usize) {
    assert!(keeps(input), "the input is interesting");
    let mut queries = 0;
    let search = reduction(&input.into(), None, boildown_formats::strategy());
    let search = run(search, |candidate| {
        queries += 1;
        match keeps(candidate.bytes()) {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        }
    });
    (search.best().bytes().to_vec(), queries)
}

/// Returns the CRC-32 of PNG, computed bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    })
}

fn big(number: usize) -> [u8; 4] {
    u32::try_from(number).expect("it is small").to_be_bytes()
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

fn chunk(kind: &str, content: &[u8]) -> Vec<u8> {
    let body = [kind.as_bytes(), content].concat();
    [&big(content.len())[..], &body, &crc(&body).to_be_bytes()].concat()
}

/// Returns the kinds and contents of the chunks of a PNG; `None` when it is invalid.
fn chunks(png: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut rest = png.strip_prefix(PNG)?;
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let body = after.get(..4 + length)?;
        let sum = after.get(4 + length..8 + length)?;
        (crc(body).to_be_bytes() == sum).then_some(())?;
        chunks.push((
            String::from_utf8(body[..4].to_vec()).ok()?,
            body[4..].to_vec(),
        ));
        rest = &after[8 + length..];
    }
    Some(chunks)
}

fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..length).map(next).collect()
}

#[test]
fn a_png_stays_valid_while_its_chunks_shrink() {
    let png = [
        PNG.to_vec(),
        chunk("IHDR", &[0, 0, 0, 32, 0, 0, 0, 32, 8, 2, 0, 0, 0]),
        chunk("gAMA", &[0, 0, 177, 143]),
        chunk("tEXt", &[&b"Comment\0"[..], &noise(900)].concat()),
        chunk("IDAT", &noise(3000)),
        chunk("IDAT", &[&noise(50)[..], b"needle", &noise(700)].concat()),
        chunk("IEND", b""),
    ]
    .concat();
    let has_needle = |png: &[u8]| {
        chunks(png).is_some_and(|chunks| {
            let data = |(kind, content): &(String, Vec<u8>)| {
                kind == "IDAT" && content.windows(6).any(|window| window == b"needle")
            };
            chunks.iter().any(data) && chunks.last().is_some_and(|(kind, _)| kind == "IEND")
        })
    };
    let (result, queries) = reduced(&png, has_needle);
    let left = [PNG.to_vec(), chunk("IDAT", b"needle"), chunk("IEND", b"")].concat();
    assert_eq!(result, left);
    assert!(queries < 400, "{queries} queries");
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
    bytes
}

fn sized(content: &[u8]) -> Vec<u8> {
    [leb(content.len()), content.to_vec()].concat()
}

const WASM: &[u8] = b"\0asm\x01\0\0\0";

/// Returns the function bodies of a module; `None` when it is invalid.
fn functions(wasm: &[u8]) -> Option<Vec<Vec<u8>>> {
    let bodies = pieces(wasm)?;
    let ends = bodies.iter().all(|body| body.last() == Some(&0x0b));
    ends.then_some(bodies)
}

fn number(bytes: &mut &[u8]) -> Option<usize> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return Some(value);
        }
    }
}

fn piece<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let size = number(bytes)?;
    let (piece, rest) = bytes.split_at_checked(size)?;
    *bytes = rest;
    Some(piece)
}

/// Returns the numbers and contents of the sections of a module; `None` when they are invalid.
fn sections(wasm: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let mut rest = wasm.strip_prefix(WASM)?;
    let mut sections = Vec::new();
    while let Some((&id, after)) = rest.split_first() {
        rest = after;
        sections.push((id, piece(&mut rest)?));
    }
    Some(sections)
}

/// Returns the entries of the code section of a module; `None` when they are invalid.
fn pieces(wasm: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut functions = Vec::new();
    for (_, mut content) in sections(wasm)?.into_iter().filter(|&(id, _)| id == 10) {
        let count = number(&mut content)?;
        for _ in 0..count {
            functions.push(piece(&mut content)?.to_vec());
        }
        content.is_empty().then_some(())?;
    }
    Some(functions)
}

fn module(bodies: &[Vec<u8>]) -> Vec<u8> {
    let code: Vec<u8> = bodies.iter().flat_map(|body| sized(body)).collect();
    let code = [leb(bodies.len()), code].concat();
    [
        WASM.to_vec(),
        [vec![1], sized(&[1, 0x60, 0, 0])].concat(),
        [vec![10], sized(&code)].concat(),
        [
            vec![0],
            sized(&[&sized(b"producers")[..], &noise(40)].concat()),
        ]
        .concat(),
    ]
    .concat()
}

#[test]
fn deleting_functions_of_a_module_corrects_counts_and_lengths() {
    let mut bodies: Vec<Vec<u8>> = (0..150)
        .map(|index| [&[0][..], &noise(20 + index), &[0x0b]].concat())
        .collect();
    bodies[77] = [&[0][..], &noise(30), b"\x41\x2a\x1a", &noise(200), &[0x0b]].concat();
    let wasm = module(&bodies);
    let has_drop = |wasm: &[u8]| {
        functions(wasm).is_some_and(|bodies| {
            let needed = |body: &Vec<u8>| body.windows(3).any(|window| window == b"\x41\x2a\x1a");
            bodies.iter().any(needed)
        })
    };
    let (result, queries) = reduced(&wasm, has_drop);
    let body = b"\x41\x2a\x1a\x0b".to_vec();
    let code = [vec![1], sized(&body)].concat();
    assert_eq!(result, [WASM.to_vec(), vec![10], sized(&code)].concat());
    assert!(queries < 400, "{queries} queries");
}

#[test]
fn lists_that_describe_the_same_items_are_reduced_together() {
    // As in a module: a list of types, then a list of bodies, which must have equal lengths.
    let bodies: Vec<Vec<u8>> = (0..40).map(|index| noise(10 + index)).collect();
    let section = |id: u8, items: &[Vec<u8>]| {
        let content = [leb(items.len()), items.concat()].concat();
        [vec![id], sized(&content)].concat()
    };
    let file = |bodies: &[Vec<u8>]| {
        let kinds: Vec<Vec<u8>> = bodies.iter().map(|_| vec![0]).collect();
        let code: Vec<Vec<u8>> = bodies.iter().map(|body| sized(body)).collect();
        [WASM.to_vec(), section(3, &kinds), section(10, &code)].concat()
    };
    let count = |wasm: &[u8]| {
        let kinds = wasm
            .strip_prefix(WASM)
            .filter(|rest| rest.first() == Some(&3))?;
        (kinds.len() > 2 && usize::from(kinds[1]) == usize::from(kinds[2]) + 1).then_some(kinds[2])
    };
    let keeps = |wasm: &[u8]| {
        let Some(kinds) = count(wasm) else {
            return false;
        };
        let code = &wasm[11 + usize::from(kinds)..];
        let items = code.first() == Some(&10) && kinds > 0;
        let as_one = [WASM, &[10], code.get(1..).unwrap_or(&[])].concat();
        let read = pieces(&as_one);
        items
            && read.is_some_and(|bodies| {
                bodies.len() == usize::from(kinds) && bodies.contains(&noise(27))
            })
    };
    let (result, queries) = reduced(&file(&bodies), keeps);
    assert_eq!(result, file(&[noise(27)]));
    assert!(queries < 600, "{queries} queries");
}

#[test]
fn bytes_that_cannot_be_deleted_become_zeros() {
    let mut input = noise(300);
    input[100] = 0;
    let needed = input[7];
    let (result, _) = reduced(&input, |bytes| bytes.len() == 300 && bytes[7] == needed);
    let mut left = vec![0; 300];
    left[7] = needed;
    assert_eq!(result, left);
}

#[test]
fn deletions_inside_a_part_keep_the_numbers_right() {
    let png: Arc<[u8]> = [
        PNG.to_vec(),
        chunk("IHDR", &noise(13)),
        chunk("IDAT", &noise(70)),
        chunk("IDAT", &noise(300)),
        chunk("IEND", b""),
    ]
    .concat()
    .into();
    let document = Document::new(&png, View::Parts(16));
    let everything = Subset::full(document.len());
    assert_eq!(document.render(&everything)[..], png[..]);
    let mut seen = 0;
    for unit in document.tree().units() {
        let gone = document.render(&everything.only(unit.clone()));
        if unit.start == 0 || gone[0] == b'I' {
            continue; // What the file or a chunk begins with.
        }
        let without = document.render(&everything.without([unit.clone()]));
        assert!(chunks(&without).is_some(), "{unit:?}");
        seen += 1;
    }
    assert!(seen > 50, "{seen} units");
}

#[test]
fn a_part_that_needs_no_other_is_found_though_all_others_need_each_other() {
    let section = |id: u8, content: &[u8]| [&[id], sized(content).as_slice()].concat();
    let code = section(10, &[3, 2, 65, 66, 2, 67, 68, 3, 69, 70, 71]);
    let others = [section(1, &code), section(3, &code), code].concat();
    let data = section(11, &[2, 3, 97, 98, 99, 2, 100, 101]);
    let keeps = |bytes: &[u8]| {
        let Some(sections) = sections(bytes) else {
            return false;
        };
        let has = |wanted| sections.iter().any(|&(id, _)| id == wanted);
        has(11) && has(1) == has(3) && has(3) == has(10)
    };
    let (result, queries) = reduced(&[WASM, &others, &data].concat(), keeps);
    assert_eq!(result, [WASM, &section(11, &[])].concat());
    insta::assert_snapshot!(queries, @"36");
}

/// Returns the tag and the content of each field of a message of Protocol Buffers; `None` when it
/// is none.
fn fields(mut rest: &[u8]) -> Option<Vec<(usize, &[u8])>> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let key = number(&mut rest)?;
        (key & 7 == 2 && key > 7).then_some(())?;
        fields.push((key >> 3, piece(&mut rest)?));
    }
    Some(fields)
}

#[test]
fn lengths_of_messages_around_a_deletion_become_shorter() {
    let field = |tag: u8, content: &[u8]| [&[tag << 3 | 2], &sized(content)[..]].concat();
    let node = |number: usize| {
        let name = format!("node {number}");
        let kind = if number == 21 { "bad" } else { "good" };
        let parts = [field(1, name.as_bytes()), field(2, kind.as_bytes())];
        field(4, &parts.concat())
    };
    let nodes: Vec<u8> = (0..40).flat_map(node).collect();
    let model = [field(2, b"a producer"), field(7, &nodes)].concat();
    let is_bad = |bytes: &[u8]| {
        let graphs = fields(bytes)?.into_iter().filter(|(tag, _)| *tag == 7);
        let nodes: Option<Vec<_>> = graphs.map(|(_, graph)| fields(graph)).collect();
        let nodes = nodes?.into_iter().flatten().filter(|(tag, _)| *tag == 4);
        let parts: Option<Vec<_>> = nodes.map(|(_, node)| fields(node)).collect();
        let mut parts = parts?.into_iter().flatten();
        Some(parts.any(|part| part == (2, b"bad")))
    };
    let (result, queries) = reduced(&model, |bytes| is_bad(bytes) == Some(true));
    assert_eq!(result, field(7, &field(4, &field(2, b"bad"))));
    assert!(queries < 100, "{queries} queries");
}

#[test]
fn a_table_of_offsets_in_a_text_shrinks_with_its_objects() {
    let mut text = String::from("%FILE\n");
    let mut table = String::new();
    for object in 0..30 {
        table += &format!("{:06}\n", text.len());
        let name = if object == 17 { "/Bad" } else { "/Good" };
        text += &format!("{object} obj\n<< /Kind /Page {name} >>\nendobj\n");
    }
    let start = text.len();
    text += &format!("table\n{table}at {start}\n");
    let is_bad = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).ok()?;
        let (before, start) = text.strip_suffix('\n')?.rsplit_once("at ")?;
        let table = before.get(start.parse().ok()?..)?.strip_prefix("table\n")?;
        let objects: Option<Vec<_>> = (table.lines())
            .map(|line| {
                let object = text.get(line.parse().ok()?..)?;
                let (number, object) = object.split_once(" obj")?;
                number.parse::<u32>().ok()?;
                object.split_once("endobj").map(|(object, _)| object)
            })
            .collect();
        Some(objects?.iter().any(|object| object.contains("/Bad")))
    };
    let (result, queries) = reduced(text.as_bytes(), |bytes| is_bad(bytes) == Some(true));
    assert!(result.len() < 50, "{}", String::from_utf8_lossy(&result));
    assert!(queries < 400, "{queries} queries");
}

#[test]
fn a_directory_that_is_damaged_loses_its_records_with_their_count() {
    // Fifteen records of sixteen bytes; one of them says that its content is beyond the end.
    let mut font = vec![0, 1, 0, 0, 0, 15, 0, 128, 0, 3, 0, 112];
    for record in 0..15_u8 {
        let length = if record == 9 { 0x7fff_fff0 } else { 200 };
        let offset = 12 + 15 * 16 + usize::from(record) * 200;
        let tag = [b't', b'a', b'b', b'a' + record];
        font.extend([tag, [record; 4], big(offset), big(length)].concat());
    }
    font.extend(noise(15 * 200));
    let is_beyond = |font: &[u8]| {
        let count = usize::from(*font.get(5)?);
        let records = font.get(12..12 + 16 * count)?.chunks(16);
        let bad = records
            .into_iter()
            .any(|record| record[..4] == *b"tabj" && record[12] == 0x7f);
        Some(font.starts_with(&[0, 1, 0, 0, 0]) && bad)
    };
    let (result, _) = reduced(&font, |bytes| is_beyond(bytes) == Some(true));
    assert_eq!(result.len(), 28, "{result:x?}");
}
