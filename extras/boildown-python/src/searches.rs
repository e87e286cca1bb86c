//! The three searches: lists, contents of files, differences.

use std::sync::Arc;

use boildown_document::{Document, Language};
use boildown_reduce::{
    Finest, Isolation, PassSelection, Reduction, Strategy, TrivialInputs, Units, pass_names,
    reduction,
};
use boildown_search::algorithms::Algorithm;
use boildown_search::list::{List, ListAlgorithm as _, Sweep};
use boildown_search::{AnyListSearch, Search as _, Sequence, Verdict, usual};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::algorithms::NamedAlgorithm;
use crate::errors::{NotInteresting, UnknownName};
use crate::events::Summary;
use crate::forms::{Content, Form, Items};
use crate::judge::Judge;
use crate::runner::{Look, run};
use crate::settings::Settings;

/// Returns the elements that the test needs, as a sequence of the type that is named.
#[pyfunction]
#[pyo3(signature = (items, test, *, sequence, algorithm, weights, sweep, settings))]
#[expect(
    clippy::too_many_arguments,
    reason = "keyword arguments of the Python layer"
)]
pub(crate) fn minimize<'py>(
    py: Python<'py>,
    items: &Bound<'py, PyList>,
    test: Py<PyAny>,
    sequence: &str,
    algorithm: Option<&str>,
    weights: Option<Vec<u32>>,
    sweep: bool,
    settings: &Bound<'py, Settings>,
) -> PyResult<Finished<'py>> {
    let items = Items::new(items, sequence)?;
    let settings = settings.get();
    let named = named(algorithm, settings)?;
    let search = py.detach(|| list_search(items.len(), named.as_ref(), weights, sweep))?;
    let judge = judge(test, &items, settings);
    check(
        py,
        &judge,
        &search.best(),
        Verdict::Interesting,
        "the input",
    )?;
    let look = Look {
        best: |search: &AnyListSearch| search.best().count(),
        pass: |_| None,
    };
    let ended = run(py, search, &judge, settings, &look, 1);
    let best = items.sequence(py, &ended.search.best())?;
    with_best(py, checked(ended.result, named.as_ref()), best)
}

/// Returns the algorithm with a name, if there is one.
fn named(algorithm: Option<&str>, settings: &Settings) -> PyResult<Option<NamedAlgorithm>> {
    let stop = settings.stop.as_ref();
    let named = algorithm.map(|name| NamedAlgorithm::new(name, stop));
    named.transpose()
}

/// Returns the error of a program with an algorithm in place of the end that it led to.
fn checked(result: PyResult<Summary>, algorithm: Option<&NamedAlgorithm>) -> PyResult<Summary> {
    let summary = result?;
    algorithm.map_or(Ok(()), NamedAlgorithm::check)?;
    Ok(summary)
}

/// Starts the search for the elements of a list that are needed: an algorithm, and perhaps a sweep
/// that proves its result 1-minimal. Without a name, the usual one for lists.
pub(crate) fn list_search(
    length: usize,
    algorithm: Option<&NamedAlgorithm>,
    weights: Option<Vec<u32>>,
    sweep: bool,
) -> PyResult<AnyListSearch> {
    let algorithm = algorithm.map(|named| &named.algorithm);
    let list = match weights {
        Some(weights) if weights.len() == length => List::weighted(weights),
        Some(weights) => {
            let given = weights.len();
            let message = format!("there are {given} weights for {length} elements");
            return Err(PyValueError::new_err(message));
        }
        None => List::uniform(length),
    };
    Ok(match (algorithm, sweep) {
        (None, true) => usual(&list),
        (None, false) => Algorithm::usual(&list).on(list),
        (Some(algorithm), true) => {
            let search = algorithm.on(list.clone());
            AnyListSearch::new(Sequence::new(search, Sweep::on(list)))
        }
        (Some(algorithm), false) => algorithm.on(list),
    })
}

/// Returns the smallest content for which the test holds.
#[pyfunction]
#[pyo3(signature = (data, test, *, is_text, language, file_name, units, algorithm, schedule, passes, settings))]
#[expect(
    clippy::too_many_arguments,
    reason = "keyword arguments of the Python layer"
)]
pub(crate) fn reduce<'py>(
    py: Python<'py>,
    data: &[u8],
    test: Py<PyAny>,
    is_text: bool,
    language: Option<&str>,
    file_name: Option<&str>,
    units: &str,
    algorithm: Option<&str>,
    schedule: Option<&str>,
    passes: Vec<String>,
    settings: &Bound<'py, Settings>,
) -> PyResult<Finished<'py>> {
    let (settings, content) = (settings.get(), content(is_text));
    let language = self::language(language, file_name, data)?;
    let known = boildown_literature::algorithms();
    let named = named(algorithm, settings)?;
    let strategy = Strategy {
        units: match units {
            "lines" => Units::Lines,
            "tokens" => Units::Tokens,
            "bytes" => Units::Bytes,
            _ => return Err(unknown_units(units, "lines, tokens, bytes")),
        },
        algorithm: named.as_ref().map(|named| named.algorithm.clone()),
        schedule: (schedule.map(|name| known.parse_schedule(name)).transpose())
            .map_err(UnknownName::new_err::<String>)?
            .unwrap_or_default(),
        trivial: TrivialInputs::Untried,
        ..boildown_formats::strategy()
    };
    let judge = judge(test, &content, settings);
    let input = input(data)?;
    let passes = selection(passes, &pass_names(&input, language, &strategy))?;
    let strategy = Strategy { passes, ..strategy };
    check(py, &judge, &input, Verdict::Interesting, "the input")?;
    let search = py.detach(|| reduction(&input, language, strategy));
    let look = Look {
        best: |search: &Reduction| search.best().bytes().len(),
        pass: |search| search.inner().pass().map(|pass| pass.name()),
    };
    let ended = run(py, search, &judge, settings, &look, 1);
    let best = object(py, content, ended.search.best().bytes())?;
    with_best(py, checked(ended.result, named.as_ref()), best)
}

/// Returns a content for which the test does not hold and one for which it does, which differ as
/// little as possible.
#[pyfunction]
#[pyo3(signature = (good, bad, test, *, is_text, language, file_name, units, settings))]
#[expect(
    clippy::too_many_arguments,
    reason = "keyword arguments of the Python layer"
)]
pub(crate) fn isolate<'py>(
    py: Python<'py>,
    good: &[u8],
    bad: &[u8],
    test: Py<PyAny>,
    is_text: bool,
    language: Option<&str>,
    file_name: Option<&str>,
    units: &str,
    settings: &Bound<'py, Settings>,
) -> PyResult<Finished<'py>> {
    let (settings, content) = (settings.get(), content(is_text));
    let language = self::language(language, file_name, bad)?;
    let finest = match units {
        "keys" => Finest::Keys,
        "lines" => Finest::Lines,
        "tokens" => Finest::Tokens,
        "characters" => Finest::Characters,
        _ => return Err(unknown_units(units, "keys, lines, tokens, characters")),
    };
    let judge = judge(test, &content, settings);
    let (good, bad) = (input(good)?, input(bad)?);
    check(py, &judge, &bad, Verdict::Interesting, "the bad input")?;
    check(py, &judge, &good, Verdict::Uninteresting, "the good input")?;
    let search = py.detach(|| Isolation::between(&good, &bad, language, finest));
    let look = Look {
        best: Isolation::bytes,
        pass: |search| Some(search.units()),
    };
    let ended = run(py, search, &judge, settings, &look, 2);
    let passing = object(py, content, &ended.search.passing())?;
    let failing = object(py, content, &ended.search.failing())?;
    with_best(
        py,
        ended.result,
        (passing, failing).into_pyobject(py)?.into_any(),
    )
}

fn judge<'a, F>(test: Py<PyAny>, form: &'a F, settings: &Settings) -> Judge<'a, F> {
    Judge {
        test,
        form,
        errors_are_unresolved: settings.errors_are_unresolved,
    }
}

/// Fails unless the test gives this verdict on an input of the search.
fn check<C, F: Form<C>>(
    py: Python<'_>,
    judge: &Judge<'_, F>,
    input: &C,
    expected: Verdict,
    what: &str,
) -> PyResult<()> {
    match judge.verdict(py, input)? {
        verdict if verdict == expected => Ok(()),
        verdict => {
            let verdict = format!("{verdict:?}").to_lowercase();
            let expected = format!("{expected:?}").to_lowercase();
            Err(NotInteresting::new_err(format!(
                "{what} is {verdict}; the test has to find it {expected}"
            )))
        }
    }
}

/// A result, why the search ended early, and the numbers of tests and runs.
pub(crate) type Finished<'py> = (Bound<'py, PyAny>, Option<&'static str>, u64, u64);

/// Returns the result, or the exception with the best result so far as `boildown_best`.
fn with_best<'py>(
    py: Python<'py>,
    result: PyResult<Summary>,
    best: Bound<'py, PyAny>,
) -> PyResult<Finished<'py>> {
    match result {
        Ok(summary) => Ok((best, summary.stopped, summary.tests, summary.runs)),
        Err(raised) => {
            // Exceptions with slots take no attributes.
            raised.value(py).setattr("boildown_best", best).ok();
            Err(raised)
        }
    }
}

fn content(is_text: bool) -> Content {
    match is_text {
        true => Content::Text,
        false => Content::Bytes,
    }
}

fn object<'py>(py: Python<'py>, content: Content, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let object = content.convert(py, bytes);
    object.ok_or_else(|| PyValueError::new_err("the result is not UTF-8"))
}

/// Returns the input of a search.
fn input(bytes: &[u8]) -> PyResult<Arc<[u8]>> {
    if bytes.len() > Document::MAX {
        return Err(PyValueError::new_err("the input is larger than 4 GiB"));
    }
    Ok(bytes.into())
}

/// Returns the passes to run: those that are named, or all but those with a dash.
fn selection(named: Vec<String>, known: &[&str]) -> PyResult<PassSelection> {
    let known: Vec<String> = known.iter().map(|name| name.replace(' ', "-")).collect();
    for name in &named {
        if !known
            .iter()
            .any(|known| known == name.trim_start_matches('-'))
        {
            let known = known.join(", ");
            let message = format!("there is no pass `{name}` among {known}");
            return Err(UnknownName::new_err(message));
        }
    }
    let skipped = named.iter().filter_map(|name| name.strip_prefix('-'));
    let skipped: Vec<_> = skipped.map(str::to_owned).collect();
    match (named.len(), skipped.len()) {
        (0, _) => Ok(PassSelection::All),
        (_, 0) => Ok(PassSelection::Only(named)),
        (all, without) if all == without => Ok(PassSelection::Without(skipped)),
        _ => Err(PyValueError::new_err(
            "passes can't both name passes to run and passes to skip",
        )),
    }
}

fn unknown_units(units: &str, known: &str) -> PyErr {
    UnknownName::new_err(format!("there is no unit `{units}` among {known}"))
}

/// Returns the language with this name, or else that of the file name or the content.
fn language(
    name: Option<&str>,
    file_name: Option<&str>,
    content: &[u8],
) -> PyResult<Option<&'static Language>> {
    match name {
        Some("none") => Ok(None),
        Some(name) => Language::named(name).map(Some).ok_or_else(|| {
            UnknownName::new_err(format!(
                "there is no language `{name}`; boildown.languages() lists them"
            ))
        }),
        None => {
            let head = &content[..content.len().min(256)];
            let named = Language::detect(file_name.unwrap_or_default(), head);
            Ok(named.or_else(|| Language::guess(content)))
        }
    }
}
