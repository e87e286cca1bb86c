//! Culprit search: finds the smallest set of changes between a good and a bad state of a folder.
//!
//! The two states are commits, a commit and the work tree, or two directories. A command tells
//! good from bad. [`Problem`] holds all of that; [`Problem::check`] runs both states, and
//! [`CheckedProblem::find`] searches:
//!
//! 1. It bisects the history between the two states, down to one commit if all can be tested.
//! 2. It cuts the changes of that commit into directories, files, hunks and lines, and removes at
//!    each layer the units that are not needed to make the difference. For that it writes the
//!    files of a set of changes into a folder of its own and runs the command there.
//!    Before that it tests a few guesses: changes that hold words of the failure's message. If
//!    all other changes fail in the same way, it searches them for another cause.
//!    If what is left fails in another way than all changes, it searches for what does not. If a
//!    state with what is left works, that is half of a cause, and it searches for what no such
//!    state has.
//!    Where it leaves lines of which several words are changed, it searches these words.
//! 3. It applies what is left to the good state. If that is not enough, the culprit needs an older
//!    change, which it searches in the same way.
//!    If the bad state is as before without the culprit, it searches the later commits for another
//!    cause.
//! 4. It runs the last good revision and the culprit again. If runs disagree, it begins again with
//!    repeated runs.
//! 5. It runs the culprit alone in a fresh folder, the bad state without it, and the culprit
//!    without each of its hunks, for the [`CulpritReport`].

mod causes;
mod change_units;
mod command;
mod completion;
mod counts;
mod culprit;
mod end_rates;
mod endpoints;
mod error;
mod file_maker;
mod final_checks;
mod guesses;
mod history_path;
mod history_search;
mod later_causes;
mod outcome_rule;
mod parse_check;
mod phases;
mod points;
mod problem;
mod report;
mod requirements;
mod same_failure;
mod search;
mod statements;
mod steadiness;
mod tree_oracle;
mod tree_runner;
mod tree_search;
mod word_changes;
mod word_search;

pub use command::TreeCommand;
pub use counts::CulpritCounts;
pub use end_rates::EndRates;
pub use error::SearchError;
pub use history_path::{HistoryPath, Revision, RevisionFiles, commit_records};
pub use outcome_rule::{OutcomeRule, SearchTarget, UnresolvedReason};
pub use points::{Point, PointsError, PointsProblem, PointsReport};
pub use problem::{CheckedProblem, Problem};
pub use report::{CulpritHunk, CulpritReport, LayerCounts, OtherCause, RepairScope, Trial};
pub use tree_oracle::TreeAnswer;
pub use tree_runner::{Company, PrepareTree, TreeTest};
