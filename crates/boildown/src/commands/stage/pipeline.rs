//! Lists of passes in which a pass may have others inside, such as `a,function<x>(b,loop(c))`.

/// A pass, and those that it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pass {
    /// Its name, with parameters.
    name: String,
    inside: Vec<Self>,
}

impl Pass {
    /// Returns the passes that it runs, each with what is around it; fewer than two if there is
    /// nothing to tell apart.
    pub(super) fn parts(&self) -> Vec<Self> {
        let around = |inside: Self| Self {
            name: self.name.clone(),
            inside: vec![inside],
        };
        match self.inside.as_slice() {
            [only] => only.parts().into_iter().map(around).collect(),
            several => several.iter().cloned().map(around).collect(),
        }
    }
}

impl std::fmt::Display for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        for (number, inside) in self.inside.iter().enumerate() {
            f.write_str(if number == 0 { "(" } else { "," })?;
            inside.fmt(f)?;
        }
        match self.inside.is_empty() {
            true => Ok(()),
            false => f.write_str(")"),
        }
    }
}

/// Returns the passes of a list; `None` if its brackets do not match.
pub(super) fn parse(text: &str) -> Option<Vec<Pass>> {
    let mut rest = text.trim();
    let passes = list(&mut rest)?;
    rest.is_empty().then_some(passes)
}

/// Reads a list up to its end or to a closing bracket.
fn list(rest: &mut &str) -> Option<Vec<Pass>> {
    let mut passes = Vec::new();
    loop {
        let mut depth = 0_usize;
        let end = rest.find(|letter| {
            match letter {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && ",()".contains(letter)
        });
        let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
        *rest = after;
        let mut pass = Pass {
            name: name.to_owned(),
            inside: Vec::new(),
        };
        if let Some(inside) = rest.strip_prefix('(') {
            *rest = inside;
            pass.inside = list(rest)?;
            *rest = rest.strip_prefix(')')?;
        }
        if pass.name.is_empty() {
            return None;
        }
        passes.push(pass);
        match rest.strip_prefix(',') {
            Some(after) => *rest = after,
            None => return Some(passes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_with_parameters_and_passes_inside() {
        let text = "verify,function<eager-inv>(sroa,simplifycfg<a=1;b>,loop(licm)),cgscc(inline)";
        let passes = parse(text).unwrap();
        let shown: Vec<String> = passes.iter().map(Pass::to_string).collect();
        assert_eq!(shown.join(","), text);
        assert_eq!(shown.len(), 3);
        let parts = passes[1].parts();
        let parts: Vec<String> = parts.iter().map(Pass::to_string).collect();
        assert_eq!(
            parts,
            [
                "function<eager-inv>(sroa)",
                "function<eager-inv>(simplifycfg<a=1;b>)",
                "function<eager-inv>(loop(licm))"
            ]
        );
        assert!(passes[2].parts().is_empty());
    }

    #[test]
    fn a_pass_around_a_single_one_is_split_inside_of_that() {
        let pass = &parse("cgscc(devirt<4>(inline,function(sroa,gvn<>)))").unwrap()[0];
        let parts: Vec<String> = pass.parts().iter().map(Pass::to_string).collect();
        assert_eq!(parts[0], "cgscc(devirt<4>(inline))");
        assert_eq!(parts[1], "cgscc(devirt<4>(function(sroa,gvn<>)))");
    }

    #[test]
    fn brackets_have_to_match() {
        assert_eq!(parse("a(b"), None);
        assert_eq!(parse("a)b"), None);
        assert_eq!(parse("a,,b"), None);
        assert_eq!(parse(""), None);
    }
}
