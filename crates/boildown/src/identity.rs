//! Texts of option values in the identity of a run.
//!
//! The identity is stored with a run, and a run is resumed only if the identity is equal. These
//! texts were the debug output of types that have since been renamed; they are written here so
//! that runs of earlier versions can be resumed.

use boildown_search::algorithms::{Algorithm, Schedule};

/// Returns the text of the list algorithm that the user chose.
pub(crate) fn algorithm(chosen: Option<Algorithm>) -> String {
    match chosen {
        None => "None".to_owned(),
        Some(algorithm) => format!("Some({})", list_algorithm(&algorithm.to_string())),
    }
}

/// Returns the text of a schedule.
pub(crate) fn schedule(chosen: Schedule) -> String {
    let spec = chosen.to_string();
    let (name, parameters) = split(&spec);
    match name {
        "boildown" => "Boildown".to_owned(),
        "hdd" if parameters.is_empty() => "Hdd".to_owned(),
        "hdd*" => "HddStar".to_owned(),
        "hdd-coarse" => "HddCoarse".to_owned(),
        "hddr" => format!(
            "Hddr(Order {{ pop: {}, append: {} }})",
            word(parameters, "pop", "last"),
            word(parameters, "append", "forwards")
        ),
        "hdd-hoist" => "HddHoist".to_owned(),
        "perses" => "Perses".to_owned(),
        "pardis" => "Pardis(Alone)".to_owned(),
        "pardis-hybrid" => "Pardis(Together)".to_owned(),
        _ => spec,
    }
}

fn list_algorithm(spec: &str) -> String {
    let (name, parameters) = split(spec);
    let word = |parameter, default| word(parameters, parameter, default);
    let ddmin = || {
        let direction = word("direction", "forwards");
        format!(
            "DdminOptions {{ subsets: {}, subset_direction: {direction}, \
             complement_direction: {direction}, resume: {}{} }}",
            word("subsets", "try"),
            word("resume", "restart"),
            further(parameters, "split"),
        )
    };
    let sigma = || format!("Sigma({})", number(parameters, "sigma", "0.1"));
    match name {
        "halving" => format!(
            "Halving({}, {})",
            word("order", "depth"),
            word("direction", "backwards")
        ),
        "adaptive" => "Adaptive".to_owned(),
        "ddmin" => format!("Ddmin({})", ddmin()),
        "ddmin*" => format!("DdminStar({})", ddmin()),
        "wddmin" => "Wddmin".to_owned(),
        "probdd" => format!(
            "ProbDd({}, {}{})",
            sigma(),
            word("ties", "last"),
            further(parameters, "estimate")
        ),
        "wprobdd" => {
            // Earlier versions knew the longest prefix only.
            let prefix = match word("prefix", "shortest").as_str() {
                "Longest" => String::new(),
                other => format!(", {other}"),
            };
            let estimate = further(parameters, "estimate");
            format!(
                "WProbDd({}, {}{prefix}{estimate})",
                sigma(),
                word("ties", "last")
            )
        }
        "cdd" => format!("Cdd({}, {})", sigma(), word("direction", "backwards")),
        "coarsen" => format!("ActiveCoarsen({})", value(parameters, "seed", "0")),
        "pma" => format!("Pma({})", number(parameters, "threshold", "0.1")),
        "bisection" => "Bisection".to_owned(),
        "naive" => "Naive".to_owned(),
        "sweep" => "Sweep".to_owned(),
        "n-minimal" => format!("NMinimal({})", value(parameters, "n", "2")),
        _ => spec.to_owned(),
    }
}

/// Splits `probdd:sigma=0.25,ties=first` into the name and the parameters.
fn split(spec: &str) -> (&str, &str) {
    spec.split_once(':').unwrap_or((spec, ""))
}

fn value<'a>(parameters: &'a str, name: &str, default: &'a str) -> &'a str {
    let mut pairs = parameters
        .split(',')
        .filter_map(|pair| pair.split_once('='));
    let found = pairs.find(|(known, _)| *known == name);
    found.map_or(default, |(_, value)| value)
}

/// Returns a parameter that earlier versions did not have; nothing if it has its default value.
fn further(parameters: &str, name: &str) -> String {
    match value(parameters, name, "") {
        "" => String::new(),
        value => format!(", {name}: {value}"),
    }
}

/// Returns the value with a capital first letter.
fn word(parameters: &str, name: &str, default: &str) -> String {
    let value = value(parameters, name, default);
    let (first, rest) = value.split_at(1);
    first.to_ascii_uppercase() + rest
}

/// Returns the value as debug output of a number: `1.0`, `1e-9`.
fn number(parameters: &str, name: &str, default: &str) -> String {
    let value = value(parameters, name, default);
    let number = value.parse::<f64>();
    number.map_or_else(|_| value.to_owned(), |number| format!("{number:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_list_algorithms_are_those_of_earlier_versions() {
        let text = |name: &str| algorithm(Some(name.parse().expect(name)));
        assert_eq!(algorithm(None), "None");
        for (name, expected) in [
            ("halving", "Halving(Depth, Backwards)"),
            (
                "halving:order=breadth,direction=forwards",
                "Halving(Breadth, Forwards)",
            ),
            ("adaptive", "Adaptive"),
            (
                "ddmin",
                "Ddmin(DdminOptions { subsets: Try, subset_direction: Forwards, \
                 complement_direction: Forwards, resume: Restart })",
            ),
            (
                "ddmin*:subsets=skip,direction=backwards,resume=onwards",
                "DdminStar(DdminOptions { subsets: Skip, subset_direction: Backwards, \
                 complement_direction: Backwards, resume: Onwards })",
            ),
            (
                "ddmin:split=4",
                "Ddmin(DdminOptions { subsets: Try, subset_direction: Forwards, \
                 complement_direction: Forwards, resume: Restart, split: 4 })",
            ),
            (
                "probdd:estimate=answers",
                "ProbDd(Sigma(0.1), Last, estimate: answers)",
            ),
            ("wddmin", "Wddmin"),
            ("probdd", "ProbDd(Sigma(0.1), Last)"),
            (
                "wprobdd:sigma=0.000000001,ties=first,prefix=longest",
                "WProbDd(Sigma(1e-9), First)",
            ),
            ("wprobdd", "WProbDd(Sigma(0.1), Last, Shortest)"),
            (
                "cdd:sigma=0.3,direction=forwards",
                "Cdd(Sigma(0.3), Forwards)",
            ),
            ("coarsen", "ActiveCoarsen(0)"),
            ("coarsen:seed=7", "ActiveCoarsen(7)"),
            ("pma", "Pma(0.1)"),
            ("pma:threshold=1", "Pma(1.0)"),
            ("bisection", "Bisection"),
            ("naive", "Naive"),
            ("sweep", "Sweep"),
            ("n-minimal:n=3", "NMinimal(3)"),
        ] {
            assert_eq!(text(name), format!("Some({expected})"));
        }
    }

    #[test]
    fn texts_of_schedules_are_those_of_earlier_versions() {
        for (name, expected) in [
            ("boildown", "Boildown"),
            ("hdd", "Hdd"),
            ("hdd*", "HddStar"),
            ("hdd-coarse", "HddCoarse"),
            ("hddr", "Hddr(Order { pop: Last, append: Forwards })"),
            (
                "hddr:pop=first,append=reversed",
                "Hddr(Order { pop: First, append: Reversed })",
            ),
            ("hdd-hoist", "HddHoist"),
            ("perses", "Perses"),
            ("pardis", "Pardis(Alone)"),
            ("pardis-hybrid", "Pardis(Together)"),
        ] {
            assert_eq!(schedule(name.parse().expect(name)), expected);
        }
    }
}
