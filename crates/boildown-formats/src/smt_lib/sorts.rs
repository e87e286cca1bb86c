//! Sorts, and what the operations of SMT-LIB take and give.

use super::terms::Term;

/// A sort; what is not known is any sort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sort {
    Any,
    Bool,
    Int,
    Real,
    Text,
    Language,
    /// Bit vectors of a width.
    Bits(u32),
    /// Floating-point numbers, by the widths of exponent and significand.
    Float(u32, u32),
    /// Rounding modes.
    Rounding,
    /// Arrays, by index and element.
    Array(Box<(Self, Self)>),
    /// A sort of another name.
    Named(Vec<u8>),
}

impl Sort {
    /// Returns the sort that a term names, if it has no parameters but those of bit vectors and
    /// arrays.
    pub(super) fn of(term: &Term<'_>, named: &mut dyn FnMut(&[u8]) -> Self) -> Self {
        match term.atom() {
            Some(b"Bool") => return Self::Bool,
            Some(b"Int") => return Self::Int,
            Some(b"Real") => return Self::Real,
            Some(b"String") => return Self::Text,
            Some(b"RegLan") => return Self::Language,
            Some(b"RoundingMode") => return Self::Rounding,
            Some(b"Float16") => return Self::Float(5, 11),
            Some(b"Float32") => return Self::Float(8, 24),
            Some(b"Float64") => return Self::Float(11, 53),
            Some(b"Float128") => return Self::Float(15, 113),
            Some(name) => return named(name),
            None => {}
        }
        match term.application() {
            Some((b"_", [name, width])) if name.atom() == Some(b"BitVec") => {
                number(width).map_or(Self::Any, Self::Bits)
            }
            Some((b"_", [name, exponent, significand]))
                if name.atom() == Some(b"FloatingPoint") =>
            {
                Self::float(exponent, significand)
            }
            Some((b"Array", [index, element])) => {
                let index = Self::of(index, named);
                Self::Array(Box::new((index, Self::of(element, named))))
            }
            _ => Self::Any,
        }
    }

    /// Returns a sort of floating-point numbers, by the widths of exponent and significand.
    pub(super) fn float(exponent: &Term<'_>, significand: &Term<'_>) -> Self {
        let widths = number(exponent).zip(number(significand));
        widths.map_or(Self::Any, |(exponent, significand)| {
            Self::Float(exponent, significand)
        })
    }

    /// Returns whether a word names a sort that nothing declares.
    pub(super) fn is_built_in(name: &[u8]) -> bool {
        matches!(
            name,
            b"Bool"
                | b"Int"
                | b"Real"
                | b"String"
                | b"RegLan"
                | b"RoundingMode"
                | b"Float16"
                | b"Float32"
                | b"Float64"
                | b"Float128"
        )
    }

    pub(super) fn fits(&self, expected: &Self) -> bool {
        match (self, expected) {
            (Self::Any, _) | (_, Self::Any) => true,
            // Solvers convert one to the other.
            (Self::Int | Self::Real, Self::Int | Self::Real) => true,
            (Self::Array(found), Self::Array(expected)) => {
                found.0.fits(&expected.0) && found.1.fits(&expected.1)
            }
            _ => self == expected,
        }
    }

    /// Returns whether all of a sort is known.
    pub(super) fn is_known(&self) -> bool {
        match self {
            Self::Any => false,
            Self::Array(parts) => parts.0.is_known() && parts.1.is_known(),
            _ => true,
        }
    }

    /// Returns the sort as a declaration names it; `None` if it is not known.
    pub(super) fn text(&self) -> Option<Vec<u8>> {
        let text = match self {
            Self::Any => return None,
            Self::Bool => "Bool".to_owned(),
            Self::Int => "Int".to_owned(),
            Self::Real => "Real".to_owned(),
            Self::Text => "String".to_owned(),
            Self::Language => "RegLan".to_owned(),
            Self::Rounding => "RoundingMode".to_owned(),
            Self::Bits(width) => format!("(_ BitVec {width})"),
            Self::Float(exponent, significand) => {
                format!("(_ FloatingPoint {exponent} {significand})")
            }
            Self::Array(parts) => {
                let (index, element) = (parts.0.text()?, parts.1.text()?);
                return Some([b"(Array ", &index[..], b" ", &element, b")"].concat());
            }
            Self::Named(name) => return Some(name.clone()),
        };
        Some(text.into_bytes())
    }

    /// Returns the sort of a literal; `None` for a symbol.
    pub(super) fn of_literal(atom: &[u8]) -> Option<Self> {
        let width = |bits: usize| u32::try_from(bits).map_or(Self::Any, Self::Bits);
        match atom {
            b"true" | b"false" => Some(Self::Bool),
            [b'"', ..] => Some(Self::Text),
            [b'#', b'x', digits @ ..] => Some(width(4 * digits.len())),
            [b'#', b'b', digits @ ..] => Some(width(digits.len())),
            [b'#', ..] => Some(Self::Any),
            [b'0'..=b'9', ..] if atom.contains(&b'.') => Some(Self::Real),
            [b'0'..=b'9', ..] => Some(Self::Int),
            b"RNE"
            | b"RNA"
            | b"RTP"
            | b"RTN"
            | b"RTZ"
            | b"roundNearestTiesToEven"
            | b"roundNearestTiesToAway"
            | b"roundTowardPositive"
            | b"roundTowardNegative"
            | b"roundTowardZero" => Some(Self::Rounding),
            b"re.all" | b"re.none" | b"re.allchar" => Some(Self::Language),
            _ => None,
        }
    }

    /// Returns texts of values of the sort that need no declaration.
    pub(super) fn values(&self) -> Vec<Vec<u8>> {
        match self {
            Self::Bool => vec![b"true".to_vec(), b"false".to_vec()],
            Self::Int | Self::Real => vec![b"0".to_vec()],
            Self::Text => vec![b"\"\"".to_vec()],
            Self::Bits(width) => vec![
                match width {
                    0..=256 if width % 4 == 0 => format!("#x{}", "0".repeat(*width as usize / 4)),
                    0..=64 => format!("#b{}", "0".repeat(*width as usize)),
                    _ => format!("(_ bv0 {width})"),
                }
                .into_bytes(),
            ],
            Self::Float(exponent, significand) => {
                vec![format!("(_ +zero {exponent} {significand})").into_bytes()]
            }
            Self::Rounding => vec![b"RNE".to_vec()],
            _ => Vec::new(),
        }
    }
}

impl Sort {
    /// Returns the text of the number one of the sort.
    pub(super) fn one(&self) -> Option<Vec<u8>> {
        match self {
            Self::Int | Self::Real => Some(b"1".to_vec()),
            Self::Bits(_) => {
                let mut one = self.values().pop().filter(|zero| zero.starts_with(b"#"))?;
                *one.last_mut()? = b'1';
                Some(one)
            }
            _ => None,
        }
    }
}

/// Returns the number that a term is.
pub(super) fn number(term: &Term<'_>) -> Option<u32> {
    std::str::from_utf8(term.atom()?).ok()?.parse().ok()
}

/// What an operation takes and gives.
pub(super) struct Operation {
    pub(super) expected: Expected,
    pub(super) result: Sort,
}

pub(super) enum Expected {
    /// Arguments of these sorts.
    Sorts(Vec<Sort>),
    /// At least as many arguments, all of a sort.
    AtLeast(usize, Sort),
}

impl Operation {
    /// Returns what an operation takes that nothing declares, given the sorts of its arguments.
    /// `None` if it is not known.
    pub(super) fn of(head: &[u8], sorts: &[Sort]) -> Option<Self> {
        use Sort::{Any, Array, Bool, Int, Language, Real, Text};
        let known = |sorts: &[Sort]| {
            let mut sorts = sorts.iter().filter(|sort| **sort != Any);
            sorts.next().cloned().unwrap_or(Any)
        };
        let at_least = |count, sort, result| {
            let expected = Expected::AtLeast(count, sort);
            Some(Self { expected, result })
        };
        let fixed = |sorts: &[Sort], result| {
            let expected = Expected::Sorts(sorts.to_vec());
            Some(Self { expected, result })
        };
        match head {
            b"and" | b"or" | b"xor" | b"=>" => at_least(2, Bool, Bool),
            b"<" | b"<=" | b">" | b">=" => at_least(2, Int, Bool),
            b"+" | b"*" | b"-" => {
                let is_real = sorts.contains(&Real);
                let result = if is_real { Real } else { known(sorts) };
                let fewest = if head == b"-" { 1 } else { 2 };
                at_least(fewest, Int, if result == Any { Int } else { result })
            }
            b"/" => at_least(2, Int, Real),
            b"div" => at_least(2, Int, Int),
            b"str.++" => at_least(2, Text, Text),
            b"re.++" | b"re.union" | b"re.inter" | b"re.diff" => at_least(2, Language, Language),
            b"=" | b"distinct" => at_least(2, known(sorts), Bool),
            b"not" => fixed(&[Bool], Bool),
            b"ite" => {
                let branch = known(sorts.get(1..).unwrap_or_default());
                fixed(&[Bool, branch.clone(), branch.clone()], branch)
            }
            b"mod" => fixed(&[Int, Int], Int),
            b"abs" => fixed(&[Int], known(sorts)),
            b"to_real" => fixed(&[Int], Real),
            b"to_int" => fixed(&[Int], Int),
            b"is_int" => fixed(&[Int], Bool),
            b"str.len" | b"str.to.int" | b"str.to_int" | b"str.to_code" => fixed(&[Text], Int),
            b"int.to.str" | b"str.from_int" | b"str.from_code" => fixed(&[Int], Text),
            b"str.at" => fixed(&[Text, Int], Text),
            b"str.substr" => fixed(&[Text, Int, Int], Text),
            b"str.prefixof" | b"str.suffixof" | b"str.contains" | b"str.<" | b"str.<=" => {
                fixed(&[Text, Text], Bool)
            }
            b"str.indexof" => fixed(&[Text, Text, Int], Int),
            b"str.replace" | b"str.replace_all" => fixed(&[Text, Text, Text], Text),
            b"str.replace_re" | b"str.replace_re_all" => fixed(&[Text, Language, Text], Text),
            b"str.is_digit" => fixed(&[Text], Bool),
            b"str.in.re" | b"str.in_re" => fixed(&[Text, Language], Bool),
            b"str.to.re" | b"str.to_re" => fixed(&[Text], Language),
            b"re.*" | b"re.+" | b"re.opt" | b"re.comp" => fixed(&[Language], Language),
            b"re.range" => fixed(&[Text, Text], Language),
            b"select" => match sorts.first() {
                Some(array @ Array(parts)) => {
                    fixed(&[array.clone(), parts.0.clone()], parts.1.clone())
                }
                _ => fixed(&[Any, Any], Any),
            },
            b"store" => match sorts.first() {
                Some(array @ Array(parts)) => {
                    let all = [array.clone(), parts.0.clone(), parts.1.clone()];
                    fixed(&all, array.clone())
                }
                _ => fixed(&[Any, Any, Any], Any),
            },
            [b'f', b'p', ..] => Self::of_floats(head, sorts),
            _ => Self::of_bits(head, sorts),
        }
    }

    /// Returns what an operation on floating-point numbers takes.
    fn of_floats(head: &[u8], sorts: &[Sort]) -> Option<Self> {
        use Sort::{Any, Bits, Bool, Float, Real, Rounding};
        let is_float = |sort: &&Sort| matches!(sort, Float(..));
        let same = sorts.iter().find(is_float).cloned().unwrap_or(Any);
        let fixed = |sorts: &[Sort], result: &Sort| {
            let (expected, result) = (Expected::Sorts(sorts.to_vec()), result.clone());
            Some(Self { expected, result })
        };
        match head {
            b"fp" => match sorts {
                [_, Bits(exponent), Bits(significand)] => {
                    let all = [Bits(1), Bits(*exponent), Bits(*significand)];
                    fixed(&all, &Float(*exponent, significand.saturating_add(1)))
                }
                _ => fixed(&[Any, Any, Any], &Any),
            },
            b"fp.abs" | b"fp.neg" => fixed(std::slice::from_ref(&same), &same),
            b"fp.rem" | b"fp.min" | b"fp.max" => fixed(&[same.clone(), same.clone()], &same),
            b"fp.sqrt" | b"fp.roundToIntegral" => fixed(&[Rounding, same.clone()], &same),
            b"fp.add" | b"fp.sub" | b"fp.mul" | b"fp.div" => {
                fixed(&[Rounding, same.clone(), same.clone()], &same)
            }
            b"fp.fma" => {
                let all = [Rounding, same.clone(), same.clone(), same.clone()];
                fixed(&all, &same)
            }
            b"fp.leq" | b"fp.lt" | b"fp.geq" | b"fp.gt" | b"fp.eq" => Some(Self {
                expected: Expected::AtLeast(2, same),
                result: Bool,
            }),
            b"fp.to_real" => fixed(&[same], &Real),
            _ if head.starts_with(b"fp.is") => fixed(&[same], &Bool),
            _ => None,
        }
    }

    /// Returns what an operation on bit vectors takes.
    fn of_bits(head: &[u8], sorts: &[Sort]) -> Option<Self> {
        use Sort::{Any, Bits, Bool};
        let mut known = sorts.iter().filter(|sort| **sort != Any);
        let same = known.next().cloned().unwrap_or(Any);
        let at_least = |count, sort, result| {
            let expected = Expected::AtLeast(count, sort);
            Some(Self { expected, result })
        };
        let fixed = |sorts: &[Sort], result| {
            let expected = Expected::Sorts(sorts.to_vec());
            Some(Self { expected, result })
        };
        match head {
            b"concat" => match sorts {
                [Bits(high), Bits(low)] => fixed(sorts, Bits(high.saturating_add(*low))),
                _ => at_least(2, Any, Any),
            },
            b"bvnot" | b"bvneg" => fixed(std::slice::from_ref(&same), same.clone()),
            b"bvadd" | b"bvmul" | b"bvand" | b"bvor" | b"bvxor" => {
                at_least(2, same.clone(), same.clone())
            }
            b"bvsub" | b"bvudiv" | b"bvurem" | b"bvsdiv" | b"bvsrem" | b"bvsmod" | b"bvshl"
            | b"bvlshr" | b"bvashr" | b"bvnor" | b"bvnand" | b"bvxnor" => {
                fixed(&[same.clone(), same.clone()], same.clone())
            }
            b"bvult" | b"bvule" | b"bvugt" | b"bvuge" | b"bvslt" | b"bvsle" | b"bvsgt"
            | b"bvsge" => fixed(&[same.clone(), same.clone()], Bool),
            b"bvcomp" => fixed(&[same.clone(), same.clone()], Bits(1)),
            _ => None,
        }
    }

    /// Returns what an operation with numbers takes, such as `(_ extract 3 0)`. `None` if it is not
    /// known.
    pub(super) fn indexed(parts: &[Term<'_>], sorts: &[Sort]) -> Option<Self> {
        use Sort::{Any, Bits, Bool};
        let fixed = |argument: Sort, result| {
            let expected = Expected::Sorts(vec![argument]);
            Some(Self { expected, result })
        };
        let [name, indices @ ..] = parts else {
            return None;
        };
        let width = match sorts.first() {
            Some(Bits(width)) => Some(*width),
            _ => None,
        };
        let widened = |by: Option<u32>| match (width, by) {
            (Some(width), Some(by)) => Bits(width.saturating_add(by)),
            _ => Any,
        };
        let same = || width.map_or(Any, Bits);
        match (name.atom()?, indices) {
            (b"is", [_]) => fixed(Any, Bool),
            (b"extract", [high, low]) => {
                let (high, low) = (number(high)?, number(low)?);
                // A width below the highest bit is wrong.
                let is_wrong = high < low || width.is_some_and(|width| high >= width);
                match is_wrong {
                    true => fixed(Sort::Language, Any),
                    false => fixed(same(), Bits(high - low + 1)),
                }
            }
            (b"zero_extend" | b"sign_extend", [by]) => fixed(same(), widened(number(by))),
            (b"re.loop", [_, _]) | (b"re.^", [_]) => fixed(Sort::Language, Sort::Language),
            (b"rotate_left" | b"rotate_right", [_]) => fixed(same(), same()),
            (b"repeat", [times]) => {
                let times = number(times).zip(width);
                fixed(
                    same(),
                    times.map_or(Any, |(by, width)| Bits(width.saturating_mul(by))),
                )
            }
            (b"to_fp" | b"to_fp_unsigned", [exponent, significand]) => {
                let result = Sort::float(exponent, significand);
                let takes = if sorts.len() == 1 {
                    vec![Any]
                } else {
                    vec![Sort::Rounding, Any]
                };
                let expected = Expected::Sorts(takes);
                Some(Self { expected, result })
            }
            (b"fp.to_ubv" | b"fp.to_sbv", [width]) => {
                let expected = Expected::Sorts(vec![Sort::Rounding, Any]);
                let result = number(width).map_or(Any, Bits);
                Some(Self { expected, result })
            }
            _ => None,
        }
    }
}
