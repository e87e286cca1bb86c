//! Delivery: how the content of a candidate becomes words of the command, or its environment.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::sync::Arc;

use super::{CommandLine, TypedCommand, Word, WordPart, find};
use crate::delivered::{Delivered, Delivery};
use boildown_oracle::OracleError;

/// The word that stands for the items of the candidate in a typed command.
const ITEMS: &[u8] = b"{items}";

impl CommandLine {
    /// Lets `read` decide what each candidate says about the command. From now on `{items}` in a
    /// word stands for the items of the candidate: an argument for each of them if it is a word of
    /// its own, and else all of them with a space between two.
    #[must_use]
    pub fn delivering(
        mut self,
        typed: &TypedCommand<'_>,
        read: impl Fn(&[u8]) -> Delivered + Send + Sync + 'static,
    ) -> Self {
        for word in &mut self.args {
            if let [WordPart::Text(text)] = word.0.as_slice()
                && find(text.as_bytes(), ITEMS).is_some()
            {
                *word = Word::replacing(text.as_bytes(), ITEMS, &WordPart::Items);
            }
        }
        self.delivery = Some(Delivery {
            read: Arc::new(read),
            input: typed.input.to_owned(),
            user_dir: typed.user_dir.to_owned(),
        });
        self
    }

    /// Returns whether a word of a typed command stands for items.
    #[must_use]
    pub fn names_items(word: &OsStr) -> bool {
        find(word.as_bytes(), ITEMS).is_some()
    }

    /// Returns whether there is a command for this candidate. There is none without items where
    /// the command names them: without arguments many programs do something else, such as running
    /// all tests.
    #[must_use]
    pub fn is_command_for(&self, candidate: &[u8]) -> bool {
        let Some(delivery) = &self.delivery else {
            return true;
        };
        let delivered = (delivery.read)(candidate);
        let names_items = |word: &Word| word.0.contains(&WordPart::Items);
        match &delivered.words {
            Some(words) => !words.is_empty(),
            None => !delivered.items.is_empty() || !self.words().any(names_items),
        }
    }

    /// Returns whether each candidate says something about the command, so that it has to be run in
    /// this process.
    #[must_use]
    pub fn differs_by_candidate(&self) -> bool {
        self.delivery.is_some()
    }

    /// Returns the command for this candidate, with what the candidate says about it.
    ///
    /// # Errors
    /// [`OracleError::NoCommand`] when the candidate says that there is no program.
    pub fn for_candidate(&self, candidate: &[u8]) -> Result<Cow<'_, Self>, OracleError> {
        let Some(delivery) = &self.delivery else {
            return Ok(Cow::Borrowed(self));
        };
        let Delivered {
            items,
            words,
            variables,
        } = (delivery.read)(candidate);
        let typed = TypedCommand {
            words: words.as_deref().unwrap_or_default(),
            input: &delivery.input,
            user_dir: &delivery.user_dir,
            backup: None,
            stdin: self.stdin,
        };
        let mut command = self.clone();
        if let Some(words) = &words {
            let program = words.first().ok_or(OracleError::NoCommand)?;
            command.program = Word::from_plain_program(program, &typed);
            command.args = (words.windows(2))
                .map(|pair| Word::from_plain_argument(&pair[1], &pair[0], &typed))
                .collect();
        }
        command.delivery = None;
        command.variables = variables;
        command.fill_items(&items, &typed);
        Ok(Cow::Owned(command))
    }

    fn fill_items(&mut self, items: &[OsString], typed: &TypedCommand<'_>) {
        let joined = || OsString::from_vec(items.join(OsStr::new(" ")).into_vec());
        let mut args: Vec<Word> = Vec::new();
        for mut word in std::mem::take(&mut self.args) {
            if word.0 == [WordPart::Items] {
                for item in items {
                    args.push(Word::from_plain_argument(item, OsStr::new(""), typed));
                }
                continue;
            }
            for part in &mut word.0 {
                if *part == WordPart::Items {
                    *part = WordPart::Text(joined());
                }
            }
            args.push(word);
        }
        self.args = args;
    }

    /// Returns whether the command is what the candidate says, and no file is part of it.
    #[must_use]
    pub fn is_candidate(&self) -> bool {
        self.delivery.is_some() && !self.takes_candidate()
    }
}
