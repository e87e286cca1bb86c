//! Resolution of the arguments of `boildown reduce`: what is reduced, the commands, how candidates
//! are made and run, and what all of that is found by.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_document::{Language, Split};
use boildown_exec::{Delivered, InputBackup, Project};
use boildown_oracle::Interrupt;
use boildown_reduce::{
    ElementOrder, GateMode, IdleReason, Layout, NamePolicy, PassSelection, Strategy, TrivialInputs,
    Units, idle_passes, pass_names,
};
use boildown_show::ChoiceRecord;
use boildown_store::Identity;

use super::args::{Part, ReduceArgs};
use super::delivery::{
    command_as_input, name_of_command, without_response_files, words_and_variables,
};
use super::destination::{Destination, RequestedResult};
use super::other_failure::OtherFailure;
use super::plan::{Plan, check_list, keep, nothing_to_try, passes, rules};
use super::proposers::{ChosenProposers, suits_clang_delta};
use super::same_culprit::SameCulprit;
use super::subject::Subject;
use crate::commands::history::earlier_result;
use crate::copying::Copying;
use crate::error::CliError;
use crate::folder::{self, FolderCase, FolderSource};
use crate::input::read_regular;
use crate::job::Job;
use crate::property::PropertyCommands;
use crate::report::format::EscapedPath as _;
use crate::session::Beginning;
use crate::valid::{self, InstalledPrograms, TestedCommand};
use crate::{choices, identity, input, project};

impl ReduceArgs {
    /// Reads the inputs. Several files become the folder that they are in, also here.
    pub(super) fn subject(&mut self, interrupt: &Interrupt) -> Result<Subject, CliError> {
        if self.reduces_command() {
            self.input = name_of_command(&self.runs.command, &self.parts, self.part)?;
            self.runs.command = without_response_files(&self.runs.command);
        }
        let inputs = self.inputs();
        let is_folder = !self.reduces_command() && folder::is_folder(&inputs);
        // Of a folder, each file is read in the language of its name.
        let checked = (!is_folder && !self.reduces_command()).then_some(self.input.as_path());
        let own = self.own_language.load(checked)?;
        if checked.is_some() && self.language.is_none() {
            self.language = own.map(|language| language.name.to_owned());
        }
        if self.input.file_name().is_none() {
            self.input = folder::resolved(&self.input)?;
        }
        if !is_folder && !self.reduces_command() && !self.input.exists() {
            // Before what is wrong with the place of the result.
            read(&self.input)?;
        }
        let destination = self.destination()?;
        let (failure, destination) = OtherFailure::find(
            self.failure.as_deref(),
            &mut self.runs.property.expectations,
            destination,
        )?;
        let copying = Copying::new(interrupt, &self.runs.printing);
        let case = || self.folder_case(&inputs, &destination, copying);
        let folder = is_folder.then(case).transpose()?;
        let input = match &folder {
            Some(folder) => Arc::clone(&folder.whole),
            None if self.reduces_command() => {
                let variables = || self.variables.clone();
                command_as_input(
                    &self.runs.command,
                    self.reduces_environment().then(variables),
                )
            }
            None => read(&self.input)?,
        };
        let (input, file) = match (self.backtrack, &failure) {
            (Some(number), _) => {
                let earlier = earlier_result(&destination.output, &input, number)?;
                (earlier.into(), Some(input))
            }
            (None, Some(failure)) => {
                let project = folder.as_ref().map(|folder| folder.project.as_ref());
                let text = failure.text(project, &destination.output, self.runs.fresh)?;
                (text, Some(input))
            }
            (None, None) => (input, None),
        };
        let is_stated = self.split().is_some() || self.units.is_some() || self.language.is_some();
        let is_list_by_name = !is_folder && !is_stated && is_named_list(&self.input, &input);
        if is_list_by_name {
            self.split = Some(Split::JsonLines);
        }
        if inputs.len() > 1 {
            self.input = folder::subject(&inputs)?;
        }
        let snapshot = folder.as_ref().map(|folder| Arc::clone(&folder.project));
        Ok(Subject {
            inputs,
            destination: destination.of_folder(snapshot),
            folder,
            input,
            file,
            failure,
            is_command: self.reduces_command(),
            target_size: self.until,
            is_list_by_name,
        })
    }

    /// Returns where the result goes.
    fn destination(&self) -> Result<Destination, CliError> {
        Destination::new(&RequestedResult {
            input: &self.input,
            inputs: &self.inputs(),
            output: self.output.as_deref(),
            is_in_place: self.in_place,
            is_forced: self.force,
            is_command: self.reduces_command(),
            is_silent: self.runs.printing.json || self.part == Part::First,
        })
    }

    /// Takes a snapshot of the folder, or of the copy that an earlier session with --in-place made.
    fn folder_case(
        &self,
        inputs: &[PathBuf],
        destination: &Destination,
        copying: Copying<'_>,
    ) -> Result<FolderCase, CliError> {
        let backup = destination.existing_backup();
        let moved = backup.map(|backup| InputBackup::new(&self.input, backup));
        let original = |word: &OsStr| match (&moved, std::path::absolute(word)) {
            (Some(moved), Ok(path)) => moved.original(&path),
            _ => PathBuf::from(word),
        };
        let property = &self.runs.property;
        let script = property.test.as_deref();
        let words = (self.runs.command.iter())
            .chain(&property.also)
            .chain(&property.not)
            .map(OsString::as_os_str)
            .chain(script.map(Path::as_os_str));
        let tested = TestedCommand::read_from(words, &original);
        let backup = backup.map(|backup| vec![backup.to_owned()]);
        let left_out = destination
            .results()
            .filter_map(|path| std::path::absolute(path).ok());
        let source = FolderSource {
            test: tested.text(),
            inputs: backup.as_deref().unwrap_or(inputs),
            // A link to a folder stands for the folder, under the name that the command uses.
            name: self.input.file_name().unwrap_or_default(),
            options: &self.folder,
            left_out: left_out.collect(),
            script,
            is_in_place: destination.backup.is_some(),
            jobs: self.copies(),
        };
        FolderCase::read(&source, copying)
    }

    /// Returns the commands that test candidates, and the versions whose culprit they have to
    /// share. The options become those of the bad version.
    pub(super) fn commands(
        &mut self,
        subject: &Subject,
        interrupt: &Interrupt,
    ) -> Result<(PropertyCommands, Option<SameCulprit>), CliError> {
        let versions = self.same_culprit.start(&mut self.runs, interrupt)?;
        self.runs.property.asks_versions = versions.is_some();
        self.choose_checks(&subject.input)?;
        let usage = format!("boildown reduce {}", self.input.escaped());
        let (tested, words) = (subject.tested(&self.input), &self.runs.command);
        let mut commands = PropertyCommands::new(&self.runs.property, words, tested, &usage)?;
        self.deliver(&mut commands)?;
        Ok((commands, versions))
    }

    /// Returns how candidates are run.
    pub(super) fn job<'a>(
        &'a self,
        commands: &'a PropertyCommands,
        beginning: &'a Beginning,
    ) -> Job<'a> {
        Job {
            copies: self.copies(),
            is_strict: self.strict,
            keeps_quantity: self.objective.keeps_quantity(),
            ..Job::new(&self.runs, commands, &self.input, beginning)
        }
    }

    /// Chooses the checks that `--valid` stands for.
    pub(crate) fn choose_checks(&mut self, input: &[u8]) -> Result<(), CliError> {
        if self.valid.is_empty() {
            return Ok(());
        }
        let language = input::language(self.language.as_deref(), &self.input, input)?;
        let stated = self.language.as_deref().and_then(input::format_named);
        let script = self.runs.property.test.as_deref().map(Path::as_os_str);
        let words = self.runs.command.iter().map(OsString::as_os_str);
        let tested = TestedCommand::of_input(words.chain(script), &self.input);
        self.runs.property.companions = valid::choose(
            &self.valid,
            valid::checked_as(input, language, stated),
            input,
            &tested,
            &InstalledPrograms::list(&tested),
        )?;
        Ok(())
    }

    /// Lets candidates decide about the parts of the command that the options name.
    ///
    /// # Errors
    /// [`CliError`] when there is no current directory.
    pub(crate) fn deliver(&self, commands: &mut PropertyCommands) -> Result<(), CliError> {
        if self.reduces_command() {
            return commands.deliver(&self.input, move |candidate| {
                // No candidate is asked about without a command.
                let (words, variables) = words_and_variables(candidate).unwrap_or_default();
                Delivered {
                    words: Some(words),
                    variables,
                    ..Delivered::default()
                }
            });
        }
        if let Some(variables) = self.variables.clone() {
            return commands.deliver(&self.input, move |_| Delivered {
                variables: Some(variables.clone()),
                ..Delivered::default()
            });
        }
        match self.split().filter(|_| self.names_items()) {
            Some(split) => commands.deliver_items(&self.input, split),
            None => Ok(()),
        }
    }

    /// Reads the options, and starts the machines that run candidates.
    ///
    /// # Errors
    /// [`CliError`] when options do not fit the subject, or no test could be run.
    pub(super) fn plan(
        &self,
        job: Job<'_>,
        subject: &Subject,
        choices: &mut Vec<ChoiceRecord>,
    ) -> Result<Plan, CliError> {
        let (requested, split) = (self.language.as_deref(), self.split());
        let language = subject.language(&self.input, requested, split.as_ref(), choices)?;
        choices.push(choices::jobs(&job.runs.jobs));
        let is_file = subject.folder.is_none();
        let strategy = self.strategy(is_file.then_some((&subject.input, language)))?;
        let is_fit = is_file && suits_clang_delta(&self.input, language, &strategy);
        let mut executors = job.executors()?;
        executors.warm.kind = self.warm.kind();
        Ok(Plan {
            language,
            strategy,
            executors,
            proposers: ChosenProposers::new(&self.pass_command, is_fit)?,
            is_incremental: self.incremental,
        })
    }

    /// Returns the strategy for a file in this language; for a folder (`None`) that of its files,
    /// without what depends on the content or the language of a single one.
    fn strategy(
        &self,
        file: Option<(&Arc<[u8]>, Option<&'static Language>)>,
    ) -> Result<Strategy, CliError> {
        let counts_bytes = self.objective.counts_bytes();
        let strategy = Strategy {
            gate: match self.no_gate {
                true => GateMode::Off,
                false => GateMode::Adaptive,
            },
            algorithm: self.algorithm.clone(),
            schedule: self.schedule.clone(),
            names: match (self.rename || counts_bytes, self.preserve_names) {
                (true, false) => NamePolicy::Canonical,
                (_, true) => NamePolicy::Preserved,
                (false, false) => NamePolicy::Free,
            },
            layout: match self.compact || counts_bytes {
                true => Layout::Compact,
                false => Layout::Tidy,
            },
            units: self.smallest(),
            order: match self.order {
                true => ElementOrder::Sorted,
                false => ElementOrder::Kept,
            },
            redacts: self.redact,
            text_order: self.objective.text_order(),
            // A trivial file is no trivial folder.
            trivial: TrivialInputs::Untried,
            ..boildown_formats::strategy()
        };
        let Some((input, language)) = file else {
            return Ok(strategy);
        };
        let rules = rules(&self.rules, language)?;
        let keep = keep(&self.keep, input)?;
        let (path, split) = (&self.input, self.split());
        match &split {
            None => {
                let needs_list = [("--units-only", self.units_only), ("--order", self.order)];
                if let Some((option, _)) = needs_list.iter().find(|(_, is_given)| *is_given) {
                    return Err(CliError::usage(format!("`{option}` without a list"))
                        .hint("--split says what the elements of the input are"));
                }
            }
            Some(split) => check_list(path, input, split, self.names_items())?,
        }
        let strategy = Strategy {
            format: self.language.as_deref().and_then(input::format_named),
            rules: Arc::new(rules),
            keep,
            split,
            trivial: match self.allow_trivial {
                true => TrivialInputs::Allowed,
                false => TrivialInputs::Reported,
            },
            ..strategy
        };
        let passes = passes(&self.passes, path, &pass_names(input, language, &strategy))?;
        let strategy = Strategy { passes, ..strategy };
        if strategy.passes != PassSelection::All {
            let idle = idle_passes(input, language, &strategy);
            let may_run = |(_, why): &(_, IdleReason)| *why == IdleReason::NothingReported;
            if !idle.is_empty() && !idle.iter().any(may_run) {
                return Err(nothing_to_try(path, &idle, input.len()));
            }
        }
        Ok(strategy)
    }

    /// Returns the identity of a reduction.
    pub(crate) fn identity(
        &self,
        commands: &PropertyCommands,
        input: &[u8],
        project: Option<&Project>,
    ) -> Identity {
        let mut identity = Identity::default();
        identity.add_hash("the input", input);
        identity.add("the name of the input", identity::quoted_name(&self.input));
        identity::add_runs(&self.runs, commands, &mut identity);
        identity.add("--language", format!("{:?}", self.language));
        identity.add("--keep", format!("{:?}", self.keep));
        identity.add("--passes", format!("{:?}", self.passes));
        if let Some(content) = self.own_language.content() {
            identity.add_hash("--grammar and --language-file", &content);
        }
        // Runs of earlier versions have no such values, nor those that are added if they are given.
        if let Some(units) = self.units.filter(|units| *units != Units::default()) {
            identity.add("--units", format!("{units:?}"));
        }
        if let Some(split) = self.split() {
            let (units_only, order) = (self.units_only, self.order);
            let what = format!("{split}, only whole: {units_only}, sorted: {order}");
            identity.add("--split", what);
        }
        if let Some(variables) = &self.variables {
            identity.add_hash("the environment", format!("{variables:?}").as_bytes());
        }
        identity.add("--algorithm", identity::chosen(self.algorithm.as_ref()));
        identity.add(
            "--schedule",
            identity::chosen((!self.schedule.is_default()).then_some(&self.schedule)),
        );
        let rules: Vec<_> = (self.rules.iter())
            .map(|path| read_regular(path).ok())
            .collect();
        identity.add_hash("--rules", format!("{rules:?}").as_bytes());
        for (option, is_given) in [
            ("--preserve-names", self.preserve_names),
            ("--rename", self.rename),
            ("--compact", self.compact),
            ("--no-gate", self.no_gate),
        ] {
            identity.add(option, format!("{is_given}"));
        }
        for (option, is_given) in [
            ("--allow-trivial", self.allow_trivial),
            ("--strict", self.strict),
            ("--incremental", self.incremental),
            ("--redact", self.redact),
        ] {
            if is_given {
                identity.add(option, "true");
            }
        }
        if let Some(versions) = self.same_culprit.identity() {
            identity.add("--same-culprit", versions);
        }
        if let Some((option, measures)) = self.objective.identity() {
            identity.add(option, measures);
        }
        folder::add_to_identity(&mut identity, &self.folder);
        project::add_to_identity(&mut identity, project);
        identity
    }
}

fn read(path: &Path) -> Result<Arc<[u8]>, CliError> {
    let hint = "the file to reduce comes first: boildown reduce FILE -- COMMAND";
    let input = input::read(path, hint)?;
    if input.is_empty() {
        let what = format!("{} is empty: there is nothing to reduce", path.escaped());
        return Err(CliError::usage(what));
    }
    Ok(input)
}

/// Returns whether a file is a `.jsonl` file, each line of which is a JSON value.
fn is_named_list(path: &Path, input: &[u8]) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    matches!(extension, Some("jsonl" | "ndjson")) && Split::JsonLines.count(input).is_ok()
}
