//! Mutations of real inputs, the same ones for the same seed.

/// Texts that grammars, scanners and readers of formats treat in a special way.
const WORDS: &[&[u8]] = &[
    b"{",
    b"}",
    b"(",
    b")",
    b"[",
    b"]",
    b"<",
    b">",
    b"</",
    b"/>",
    b"\"",
    b"'",
    b"`",
    b"```",
    b"\"\"\"",
    b"'''",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"/*",
    b"*/",
    b"//",
    b"#",
    b"#|",
    b"|#",
    b"--",
    b"{-",
    b"-}",
    b"(*",
    b"*)",
    b"<<EOF\n",
    b"<<~EOF\n",
    b"EOF\n",
    b"<<<",
    b"R\"(",
    b")\"",
    b"r#\"",
    b"\"#",
    b"${",
    b"#{",
    b"%{",
    b"%(",
    b"$(",
    b"{{",
    b"}}",
    b"{%",
    b"%}",
    b"<?",
    b"?>",
    b"<%",
    b"%>",
    b"\\",
    b"\\\n",
    b"\0",
    b"\r",
    b"\r\n",
    b"\n",
    b"\n\n",
    b"\t",
    b"\x0c",
    b"\x1a",
    b"\xff",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\xc3",
    b"\xf0\x9f\x92\xa9",
    b":",
    b";",
    b",",
    b"=",
    b"=>",
    b"->",
    b"|",
    b"|\n",
    b">-\n",
    b"&",
    b"*",
    b"@",
    b"!",
    b"---\n",
    b"...\n",
    b"begin",
    b"end",
    b"if",
    b"else",
    b"class A(B): ",
    b"fn ",
    b"0",
    b"-1",
    b"18446744073709551616",
    b"1e999",
    b"0x",
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\x7f",
    b"PK\x03\x04",
];

/// The length of the longest input, in bytes.
const LONGEST: usize = 6000;

/// A generator of mutated inputs.
#[derive(Debug)]
pub(crate) struct Mutator {
    state: u64,
    seeds: Vec<Vec<u8>>,
}

impl Mutator {
    /// Returns a generator; there is at least one input to mutate.
    pub(crate) fn new(seed: u64, seeds: Vec<Vec<u8>>) -> Self {
        Self { state: seed, seeds }
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % (end.max(1) as u64)).unwrap()
    }

    /// Returns the next input.
    pub(crate) fn next_input(&mut self) -> Vec<u8> {
        let mut text = self.some_seed();
        for _ in 0..=self.below(8) {
            self.mutate(&mut text);
            text.truncate(LONGEST);
        }
        text
    }

    /// Returns a part of an input as it is.
    fn some_seed(&mut self) -> Vec<u8> {
        let index = self.below(self.seeds.len());
        let seed = &self.seeds[index];
        if seed.len() <= LONGEST {
            return seed.clone();
        }
        let start = self.below(self.seeds[index].len() - LONGEST);
        self.seeds[index][start..start + LONGEST].to_vec()
    }

    fn mutate(&mut self, text: &mut Vec<u8>) {
        let at = self.below(text.len() + 1);
        let longest = self.below(text.len() + 1).min(200);
        let length = 1 + self.below(longest + 1);
        let end = (at + length).min(text.len());
        match self.below(9) {
            0 => drop(text.drain(at..end)),
            1 => {
                let times = 1 + self.below(30);
                let part = text[at..end].repeat(times);
                drop(text.splice(at..at, part));
            }
            2 => drop(text.splice(at..end, self.word())),
            3 => drop(text.splice(at..at, self.word())),
            4 => {
                let times = 1 + self.below(300);
                let words = self.word().repeat(times);
                drop(text.splice(at..at, words));
            }
            5 => {
                let other = self.some_seed();
                let from = self.below(other.len() + 1);
                let part = &other[from..(from + length).min(other.len())];
                drop(text.splice(at..end, part.iter().copied()));
            }
            6 => text.truncate(at),
            7 => text[at..end].reverse(),
            _ => {
                if let Some(byte) = text.get_mut(at) {
                    *byte ^= 1 << self.below(8);
                }
            }
        }
    }

    fn word(&mut self) -> Vec<u8> {
        WORDS[self.below(WORDS.len())].to_vec()
    }
}
