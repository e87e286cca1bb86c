//! The project in whose copies a command may have to be run: chosen, or stated with `--within`.

use std::cell::OnceCell;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_exec::{
    PlanError, PlanLimits, Project, ProjectPlan, ProjectRequest, Runner, possible_roots,
};
use boildown_oracle::OracleError;
use boildown_store::Identity;

use crate::copying::Copying;
use crate::error::{CliError, ExitKind};
use crate::property::PropertyCommands;
use crate::report::format::EscapedPath as _;

/// The value of `--within` for a fresh directory.
const NO_PROJECT: &str = "none";

/// Where candidates are run.
#[derive(Debug, Clone)]
pub(crate) enum RunPlace {
    /// Alone in a fresh directory.
    Alone,
    /// In a copy of the project.
    Project(Arc<Project>),
    /// Where the command fails as in this project.
    Either(Arc<Project>),
}

/// The places in which candidates can be run.
#[derive(Debug)]
pub(crate) struct RunPlaces<'a> {
    pub(crate) within: Option<&'a Path>,
    pub(crate) input: &'a Path,
    pub(crate) commands: &'a PropertyCommands,
    /// The results of this session and earlier ones.
    pub(crate) results: Vec<PathBuf>,
    pub(crate) jobs: usize,
    copying: Copying<'a>,
    /// The folder that is reduced, if the input is one: candidates are run in its copies.
    folder: Option<Arc<Project>>,
    /// The project that was chosen, and why there is none.
    chosen: OnceCell<(Option<Arc<Project>>, Option<PlanError>)>,
}

impl<'a> RunPlaces<'a> {
    pub(crate) fn new(
        within: Option<&'a Path>,
        input: &'a Path,
        commands: &'a PropertyCommands,
        results: impl IntoIterator<Item = PathBuf>,
        jobs: usize,
        copying: Copying<'a>,
    ) -> Self {
        let results = results.into_iter().filter_map(|path| resolved(&path));
        Self {
            within,
            input,
            commands,
            results: results.collect(),
            jobs,
            copying,
            folder: None,
            chosen: OnceCell::new(),
        }
    }

    /// Returns the only place for the states of a folder.
    pub(crate) fn of_folder(mut self, folder: Option<Arc<Project>>) -> Self {
        self.folder = folder;
        self
    }

    /// Returns the folder that is reduced.
    pub(crate) fn folder(&self) -> Option<&Project> {
        self.folder.as_deref()
    }

    /// Returns the place that `--within` states; `None` if it is not given.
    pub(crate) fn stated(&self) -> Result<Option<RunPlace>, CliError> {
        if let Some(folder) = &self.folder {
            return Ok(Some(RunPlace::Project(Arc::clone(folder))));
        }
        let Some(root) = self.within else {
            return Ok(None);
        };
        if root == Path::new(NO_PROJECT) {
            return Ok(Some(RunPlace::Alone));
        }
        let plan = self.plan(root, PlanLimits::STATED).map_err(|error| {
            let hint = "--within DIR names a directory that holds the input and what it needs; \
                        `none` stands for a fresh directory";
            match error {
                PlanError::Unreadable { .. } => CliError::failed_to(ExitKind::InvalidUsage, &error),
                error => CliError::usage(error.to_string()),
            }
            .hint(hint)
        })?;
        let project = self.copied(plan).map_err(CliError::before("the search"))?;
        Ok(Some(RunPlace::Project(Arc::new(project))))
    }

    /// Returns the project that is chosen; `None` if the input has no company, or too much.
    pub(crate) fn chosen(&self) -> Option<&Arc<Project>> {
        let (project, _) = self.chosen.get_or_init(|| self.choose());
        project.as_ref()
    }

    /// Returns a hint if the project is too large to be copied.
    pub(crate) fn too_large_hint(&self) -> Option<String> {
        let (_, problem) = self.chosen.get()?;
        let problem = problem.as_ref()?;
        Some(format!(
            "{problem}; --within DIR copies a directory in which the command finds its other files"
        ))
    }

    fn choose(&self) -> (Option<Arc<Project>>, Option<PlanError>) {
        let named: Vec<&Path> = self.commands.constant_parts().map(Path::new).collect();
        let mut problem = None;
        for root in self.roots() {
            match self.plan(&root, PlanLimits::CHOSEN) {
                Ok(plan) if plan.has_company(&named) => {
                    // Without a project, candidates are run alone.
                    return (self.copied(plan).ok().map(Arc::new), problem);
                }
                Ok(_) => return (None, problem),
                Err(error @ PlanError::TooLarge { .. }) => problem = problem.or(Some(error)),
                Err(_) => {}
            }
        }
        (None, problem)
    }

    /// Takes a snapshot of a project.
    fn copied(&self, plan: ProjectPlan) -> Result<Project, OracleError> {
        let root = plan.root().to_owned();
        self.copying.show(&root, |interrupt| {
            Project::new(plan, self.jobs, &env::temp_dir(), interrupt)
        })
    }

    /// Returns the directories that may be the project, but none that holds unrelated files.
    fn roots(&self) -> Vec<PathBuf> {
        let (Some(input), Ok(user_dir)) = (resolved(self.input), env::current_dir()) else {
            return Vec::new();
        };
        let home = env::var_os("HOME").map(PathBuf::from);
        let temporary = [
            env::temp_dir(),
            "/tmp".into(),
            "/var/tmp".into(),
            "/dev/shm".into(),
        ];
        let shared = home.into_iter().chain(temporary);
        let shared: Vec<PathBuf> = shared.filter_map(|dir| dir.canonicalize().ok()).collect();
        possible_roots(&input, &user_dir, &shared)
    }

    fn plan(&self, root: &Path, limits: PlanLimits) -> Result<ProjectPlan, PlanError> {
        let input = std::path::absolute(self.input);
        let user_dir = env::current_dir();
        let unreadable = |source| PlanError::Unreadable {
            path: root.to_owned(),
            source,
        };
        ProjectPlan::new(&ProjectRequest {
            root,
            input: &input.map_err(unreadable)?,
            user_dir: &user_dir.map_err(unreadable)?,
            left_out: &self.results,
            limits,
        })
    }
}

impl RunPlace {
    /// Returns the project, if it is known that candidates are run in it.
    pub(crate) fn project(&self) -> Option<&Project> {
        match self {
            Self::Project(project) => Some(project),
            Self::Alone | Self::Either(_) => None,
        }
    }

    /// Returns the runner for candidates in this place; alone, if it is not chosen yet.
    pub(crate) fn runner(&self, runner: Runner) -> Runner {
        match self {
            Self::Project(project) => runner.within(Arc::clone(project)),
            Self::Alone | Self::Either(_) => runner,
        }
    }
}

/// Adds the project to the identity of a run. Runs in a fresh directory have none, as those of
/// earlier versions.
pub(crate) fn add_to_identity(identity: &mut Identity, project: Option<&Project>) {
    // A folder that is reduced is the input.
    if let Some(project) = project.filter(|project| project.folder().is_none()) {
        let root = project.plan().root().escaped();
        identity.add("the project", format!("{} of {root}", project.hash()));
    }
}

/// Returns the absolute path of a file, without links in its directory. The file need not exist.
fn resolved(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}
