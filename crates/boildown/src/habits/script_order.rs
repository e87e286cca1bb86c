//! The inputs of a reduction: they exist and are given once, and a script and a file may be in
//! either order.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use boildown_exec::TestCommand;
use boildown_oracle::{Capture, OracleError, Property};

use super::cures::{below, check_interpreter, from_standard_input};
use super::line::{Line, is_program};
use super::{By, without_dashes};
use crate::commands::reduce::args::{NO_FILE, ReduceArgs};
use crate::error::CliError;
use crate::input::script_likeness;
use crate::report::format::EscapedPath as _;
use crate::report::notes::waiting;
use crate::signals::interrupt_within;
use crate::{input, limits, property};

/// Makes `--test SCRIPT` of a script that is given beside the file, before or after it.
///
/// A file that can be executed, or has a first line that names an interpreter, is the script. If
/// that is true of both or of neither, each is tried on the other: the script is the one whose
/// property holds.
///
/// # Errors
/// [`CliError`] when there are not two files, or when they cannot be told apart.
pub(crate) fn settle(args: &mut ReduceArgs) -> Result<(), CliError> {
    if args.runs.property.test.is_some() || !args.runs.command.is_empty() {
        check_repeated(args)?;
        return check_inputs(args);
    }
    if let Some(script) = script_among(&args.inputs()) {
        args.more.retain(|path| *path != script);
        if args.input == script {
            args.input = args.more.remove(0);
        }
        args.runs.property.test = Some(script);
        check_repeated(args)?;
        return check_inputs(args);
    }
    let [second] = args.more.as_slice() else {
        return match args.more.is_empty() && args.input.exists() {
            true => Ok(()),
            false if args.more.is_empty() => {
                missing_dashes(By::Program).map_or_else(|| check_inputs(args), Err)
            }
            false => Err(without_command(&args.inputs())),
        };
    };
    let second = second.clone();
    args.more.clear();
    let first = args.input.clone();
    for path in [&first, &second] {
        let is_input = path.is_file() || path.is_dir();
        if !is_input {
            if let Some(error) = missing_dashes(By::Program) {
                return Err(error);
            }
            check_inputs(args)?;
            return Err(CliError::unreadable(path, "there is no such file")
                .hint("give a file and a script, or put a command after `--`: boildown reduce FILE -- COMMAND"));
        }
    }
    if first.is_dir() && second.is_dir() {
        return Err(without_command(&[first, second]));
    }
    let (of_first, of_second) = (script_likeness(&first), script_likeness(&second));
    let first_is_script = (first.clone(), second.clone());
    let second_is_script = (second, first);
    let (script, file) = match of_first.cmp(&of_second) {
        _ if first_is_script.1.is_dir() => first_is_script,
        _ if second_is_script.1.is_dir() => second_is_script,
        std::cmp::Ordering::Greater => first_is_script,
        std::cmp::Ordering::Less => second_is_script,
        std::cmp::Ordering::Equal => by_trying(
            |order| holds(args, order),
            first_is_script,
            second_is_script,
        )?,
    };
    check_interpreter(&script)?;
    args.input = file;
    args.runs.property.test = Some(script);
    Ok(())
}

/// Checks that the inputs of a reduction exist.
///
/// # Errors
/// [`CliError`] with the line to type, if a file of that name is in a folder below this one or on
/// standard input.
fn check_inputs(args: &ReduceArgs) -> Result<(), CliError> {
    if args.input == Path::new("-") && !args.input.exists() {
        return Err(CliError::usage("failed to read -")
            .because("standard input can be read only once, and is no file")
            .cure("save it first", from_standard_input(&Line::typed())));
    }
    let real = |path: &Path| fs::canonicalize(path).ok();
    let test = args.runs.property.test.as_deref().and_then(real);
    if test.is_some() && test == real(&args.input) {
        return Err(CliError::usage("the test is the input")
            .hint("a test is a script that exits with 0 while the failure is there")
            .cure(
                "type",
                Line::typed()
                    .without_value(&["--test"])
                    .ending(["--test".into(), "SCRIPT".into()])
                    .shown(),
            ));
    }
    // A test with white space is a line for the shell.
    let is_line = |test: &Path| {
        test.as_os_str()
            .as_bytes()
            .iter()
            .any(u8::is_ascii_whitespace)
    };
    let script = (args.runs.property.test.as_deref())
        .filter(|test| !is_line(test) && !is_program(test.as_os_str()));
    if let Some(test) = &args.runs.property.test {
        check_interpreter(test)?;
    }
    let inputs = args.inputs();
    if let Some((file, test)) = inputs.iter().find_map(|input| test_of_pytest(input)) {
        let typed = Line::typed();
        let command = match typed.0.get(typed.dashes()..) {
            Some([]) | None => ["--", "pytest", test].map(OsString::from).into(),
            Some(command) => command.to_vec(),
        };
        let line = typed.replacing(test, file).ending(command);
        let error = CliError::unreadable(Path::new(test), "it is a test, not a file");
        return Err(error.cure("type", line.shown()));
    }
    let paths = inputs.iter().map(AsRef::as_ref).chain(script);
    for path in paths.filter(|path| !path.exists() && *path != Path::new(NO_FILE)) {
        let Some(found) = below(path) else { continue };
        let line = Line::typed().replacing(path, found);
        let error = CliError::unreadable(path, "there is no such file");
        return Err(error.cure("it may be this one", line.shown()));
    }
    if let Some(result) = args.more.last().filter(|path| !path.exists())
        && args.output.is_none()
    {
        let line = Line::typed().before(result, "-o").shown();
        return Err(
            CliError::unreadable(result, "there is no such file or folder")
                .cure("if it is the result", line),
        );
    }
    Ok(())
}

/// Returns the file of a test of pytest, as in `test_a.py::test_b`, and the whole.
fn test_of_pytest(input: &Path) -> Option<(&str, &str)> {
    let test = input.to_str().filter(|_| !input.exists())?;
    let (file, _) = test.split_once("::")?;
    Path::new(file).is_file().then_some((file, test))
}

/// Checks that no input is given twice.
///
/// # Errors
/// [`CliError`] with the line that names it once.
fn check_repeated(args: &ReduceArgs) -> Result<(), CliError> {
    let inputs = args.inputs();
    let real = |path: &PathBuf| fs::canonicalize(path).ok();
    for (index, path) in inputs.iter().enumerate() {
        let mut earlier = inputs[..index].iter();
        if real(path).is_some() && earlier.any(|earlier| real(earlier) == real(path)) {
            let what = format!("{} is given twice", path.escaped());
            let line = Line::typed().without_last(path).shown();
            return Err(CliError::usage(what).cure("type", line));
        }
    }
    Ok(())
}

/// Returns the script that is the first or the last one of three or more paths, if it is the only
/// one of them.
fn script_among(paths: &[PathBuf]) -> Option<PathBuf> {
    let is_script = |path: &&PathBuf| script_likeness(path) == 2;
    let mut scripts = paths.iter().filter(is_script);
    let script = scripts
        .next()
        .filter(|_| paths.len() > 2 && scripts.next().is_none())?;
    let is_at_end = [paths.first(), paths.last()].contains(&Some(script));
    let all_exist = paths.iter().all(|path| path.exists());
    (is_at_end && all_exist).then(|| script.clone())
}

/// Returns the error for a command that the user typed without `--`.
fn missing_dashes(by: By) -> Option<CliError> {
    without_dashes(&Line::typed().0, usize::MAX, by)
}

/// Returns the error for several inputs without a command.
fn without_command(inputs: &[PathBuf]) -> CliError {
    if let Some(error) = missing_dashes(By::Count) {
        return error;
    }
    let files: Vec<String> = inputs.iter().map(|path| path.escaped()).collect();
    let line = format!("boildown reduce {} -- COMMAND", files.join(" "));
    CliError::usage("no command to run on the candidates")
        .hint("give a script with --test, or the command that fails after `--`")
        .cure("type", Some(line))
}

/// A script and a file.
type Order = (PathBuf, PathBuf);

/// Returns the order in which the property holds.
fn by_trying(
    holds: impl Fn(&Order) -> Result<bool, CliError>,
    one: Order,
    other: Order,
) -> Result<Order, CliError> {
    match (holds(&one)?, holds(&other)?) {
        (true, false) => Ok(one),
        (false, true) => Ok(other),
        (both, _) => {
            check_interpreter(&one.0)?;
            check_interpreter(&other.0)?;
            let what = format!(
                "the script is either {} or {}: as a test, {} on the other one",
                one.0.escaped(),
                one.1.escaped(),
                if both {
                    "each succeeds"
                } else {
                    "neither succeeds"
                }
            );
            Err(CliError::usage(what).hint("state it: boildown reduce FILE --test SCRIPT"))
        }
    }
}

/// Runs the script on the file, once, and returns whether the property holds.
fn holds(args: &ReduceArgs, (script, file): &Order) -> Result<bool, CliError> {
    let bytes = input::read(file, "give a file and a script")?;
    let user_dir = std::env::current_dir().unwrap_or_default();
    if check_interpreter(script).is_err() {
        return Ok(false);
    }
    let Ok(test) = TestCommand::new(script.as_os_str(), &user_dir) else {
        return Ok(false);
    };
    let runner = limits::runner(
        file,
        test.command,
        &args.runs.sandbox,
        args.runs.timeout,
        &mut |_| {},
    )?;
    let stated = property::stated(&args.runs.property).unwrap_or_else(Property::test);
    let interrupt = interrupt_within(args.runs.budget.budget().time)?;
    let what = "running each file on the other one, to see which is the script";
    let _shown = waiting(&args.runs.printing, what, runner.limits.timeout);
    match runner.run(&bytes, Capture::Output, &interrupt) {
        Ok(run) => Ok(stated.verdict(&run).is_interesting()),
        Err(OracleError::Interrupted) => Err(CliError::interrupted_before("the reduction")),
        // It is no program.
        Err(_) => Ok(false),
    }
}
