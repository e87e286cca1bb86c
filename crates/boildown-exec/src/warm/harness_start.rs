//! Starts harnesses: those that boildown brings, and those of the user.

use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::spawn::{Invocation, Stdin};
use crate::{Access, Scratch, fsx};
use boildown_oracle::{Capture, OracleError};

/// The program that runs candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HarnessKind {
    /// The program of the command, which is made to fork or to run many candidates.
    Warm(WarmProgram),
    /// A line for a shell that starts a program that speaks the protocol.
    Line(OsString),
}

/// What the program of a command is, so that boildown can run it warm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmProgram {
    /// A Python program, which forks before its script begins.
    Python,
    /// A Ruby program, which forks before its script begins.
    Ruby,
    /// A program of Node.js, which forks before its script begins.
    Node,
    /// A Java program, whose classes are loaded anew for each candidate.
    Java,
    /// A dynamically linked program, which forks before its `main`.
    Exec,
}

impl WarmProgram {
    /// All of them, with the names that users give.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("python", Self::Python),
        ("ruby", Self::Ruby),
        ("node", Self::Node),
        ("java", Self::Java),
        ("exec", Self::Exec),
    ];

    /// Returns the files of the harness.
    fn files(self) -> &'static [(&'static str, &'static [u8])] {
        const ZYGOTE: (&str, &[u8]) = (
            "zygote.so",
            include_bytes!(concat!(env!("OUT_DIR"), "/zygote.so")),
        );
        match self {
            Self::Python => &[("sitecustomize.py", include_bytes!("sitecustomize.py"))],
            Self::Ruby => &[("ruby.rb", include_bytes!("ruby.rb"))],
            Self::Node => &[ZYGOTE, ("node.js", include_bytes!("node.js"))],
            Self::Java => &[("Harness.java", include_bytes!("Harness.java"))],
            Self::Exec => &[ZYGOTE],
        }
    }
}

/// The form of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestForm {
    /// A line of JSON.
    Json,
    /// Fields that end with a zero byte, which need no parser. `zygote.c` describes them.
    Fields,
}

/// How a harness is started.
#[derive(Debug, Clone)]
pub(super) enum HarnessStart {
    /// The command itself, with the files of its harness in this directory.
    Program(WarmProgram, PathBuf),
    /// A line for a shell.
    Line(OsString),
}

impl HarnessStart {
    /// Writes the files of the harness to a new directory in the scratch space.
    pub(super) fn new(kind: &HarnessKind, scratch: &Scratch) -> Result<Self, OracleError> {
        let program = match kind {
            HarnessKind::Line(line) => return Ok(Self::Line(line.clone())),
            HarnessKind::Warm(program) => *program,
        };
        let dir = scratch.path().join("warm");
        let write = || {
            let dir = scratch.handle()?.create_subdirectory(Path::new("warm"))?;
            (program.files().iter())
                .try_for_each(|(name, text)| fsx::write_in(&dir, name.as_ref(), text, Access::ANY))
        };
        write().map_err(|source| OracleError::Scratch {
            action: "write the harness to",
            path: dir.clone(),
            source,
        })?;
        Ok(Self::Program(program, dir))
    }

    /// Returns the form of its requests.
    pub(super) fn request_form(&self) -> RequestForm {
        match self {
            Self::Line(_) | Self::Program(WarmProgram::Python, _) => RequestForm::Json,
            Self::Program(..) => RequestForm::Fields,
        }
    }

    /// Returns the invocation that starts the harness for this command, or why there is none.
    pub(super) fn invocation(&self, command: &Invocation) -> Result<Invocation, &'static str> {
        let mut invocation = Invocation {
            stdin: Stdin::Null,
            capture: Capture::Output,
            ..command.clone()
        };
        let own_id = || OsString::from(std::process::id().to_string());
        match self {
            Self::Line(line) => {
                invocation.program = "sh".into();
                invocation.args = vec!["-c".into(), line.clone()];
            }
            Self::Program(WarmProgram::Python, dir) => {
                prepend(
                    &mut invocation,
                    "PYTHONPATH",
                    dir.clone().into_os_string(),
                    ":",
                );
                invocation.env.push(("BOILDOWN_WARM".into(), own_id()));
            }
            Self::Program(WarmProgram::Ruby, dir) => {
                let mut option = OsString::from("-r");
                option.push(dir.join("ruby.rb"));
                prepend(&mut invocation, "RUBYOPT", option, " ");
                invocation.env.push(("BOILDOWN_WARM".into(), own_id()));
            }
            Self::Program(WarmProgram::Exec, dir) => {
                prepend(
                    &mut invocation,
                    "LD_PRELOAD",
                    dir.join("zygote.so").into(),
                    ":",
                );
                invocation.env.push(("BOILDOWN_WARM_EXEC".into(), own_id()));
            }
            Self::Program(WarmProgram::Node, dir) => start_node(&mut invocation, dir)?,
            Self::Program(WarmProgram::Java, dir) => start_java(&mut invocation, dir)?,
        }
        Ok(invocation)
    }
}

/// Puts a value before that of a variable, whose old value the harness restores.
fn prepend(invocation: &mut Invocation, name: &str, value: OsString, separator: &str) {
    let mut value = value;
    if let Some(before) = std::env::var_os(name).filter(|before| !before.is_empty()) {
        value.push(separator);
        value.push(&before);
        let kept = format!("BOILDOWN_WARM_{name}");
        invocation.env.push((kept.into(), before));
    }
    invocation.env.push((name.into(), value));
}

/// Lets Node.js load the harness before the script. Its engine may start no threads, which a fork
/// would lose.
fn start_node(invocation: &mut Invocation, dir: &Path) -> Result<(), &'static str> {
    let file_name = |program: &OsString| {
        let name = Path::new(program).file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    if !matches!(&*file_name(&invocation.program), "node" | "nodejs") {
        let script = find_program(&invocation.program).ok_or("its program is not found")?;
        if !starts_with_node(&script) {
            return Err("it is no command of Node.js: neither `node SCRIPT` nor a script for it");
        }
        invocation.program = "node".into();
        invocation.args.insert(0, script.into());
    }
    let options = [
        "--single-threaded".into(),
        "--require".into(),
        dir.join("node.js").into(),
    ];
    invocation.args.splice(0..0, options);
    let zygote: OsString = dir.join("zygote.so").into();
    prepend(invocation, "LD_PRELOAD", zygote.clone(), ":");
    invocation.env.push(("BOILDOWN_WARM_NODE".into(), zygote));
    Ok(())
}

/// Returns the file that a name stands for.
fn find_program(program: &OsString) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return Some(path.to_owned());
    }
    let dirs = std::env::var_os("PATH")?;
    std::env::split_paths(&dirs)
        .map(|dir| dir.join(path))
        .find(|file| file.is_file())
}

/// Returns whether the first line of a script names Node.js, without options.
fn starts_with_node(script: &Path) -> bool {
    let mut start = [0; 128];
    let Ok(length) = fs::File::open(script).and_then(|mut file| file.read(&mut start)) else {
        return false;
    };
    let start = String::from_utf8_lossy(&start[..length]);
    let words: Vec<&str> = start.lines().next().unwrap_or("").split(' ').collect();
    match words[..] {
        [interpreter] => interpreter.starts_with("#!") && interpreter.ends_with("/node"),
        [env, "node"] => env.starts_with("#!") && env.ends_with("/env"),
        _ => false,
    }
}

/// Options of `java` whose value is the next word.
#[rustfmt::skip]
const JAVA_OPTIONS_WITH_VALUE: &[&str] = &[
    "--add-exports", "--add-modules", "--add-opens", "--add-reads", "--enable-native-access",
    "--limit-modules", "--module-path", "-p", "--patch-module", "--upgrade-module-path",
];

/// Lets `java` run the harness in place of the program, with the options of the command.
fn start_java(invocation: &mut Invocation, dir: &Path) -> Result<(), &'static str> {
    let is_java = Path::new(&invocation.program).file_name() == Some("java".as_ref());
    if !is_java {
        return Err("it is no command of Java: its program is not `java`");
    }
    let no_class = "the command names neither a class nor `-jar FILE`";
    let mut words = std::mem::take(&mut invocation.args).into_iter();
    let mut options: Vec<OsString> = Vec::new();
    let mut class_path = std::env::var_os("CLASSPATH").unwrap_or_else(|| ".".into());
    let mut program: Vec<OsString> = loop {
        let word = words.next().ok_or(no_class)?;
        match &*word.to_string_lossy() {
            "-jar" => break vec!["jar".into(), words.next().ok_or(no_class)?],
            "-cp" | "-classpath" | "--class-path" => class_path = words.next().ok_or(no_class)?,
            "-m" | "--module" => return Err("modules of Java cannot be loaded again"),
            option if JAVA_OPTIONS_WITH_VALUE.contains(&option) => {
                options.extend([word, words.next().ok_or(no_class)?]);
            }
            option if option.starts_with(['-', '@']) => options.push(word),
            source if source.ends_with(".java") => return Err("it is a source of Java, no class"),
            _ => break vec!["class".into(), class_path, word],
        }
    };
    program.extend(words);
    // The harness reads requests from file 8, and answers to file 9.
    let line = "exec \"$@\" 8<&0 9>&1 </dev/null 1>&2";
    let java = std::mem::replace(&mut invocation.program, "sh".into());
    invocation.args = vec!["-c".into(), line.into(), "sh".into(), java];
    invocation.args.extend(options);
    invocation.args.extend([
        "--add-opens".into(),
        "java.base/java.lang=ALL-UNNAMED".into(),
        dir.join("Harness.java").into(),
    ]);
    invocation.args.extend(program);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spawn::Inherited;

    fn command(words: &str) -> Invocation {
        let mut words = words.split(' ').map(OsString::from);
        Invocation {
            program: words.next().unwrap(),
            args: words.collect(),
            current_dir: "/".into(),
            stdin: Stdin::Null,
            inherited: Inherited::Everything,
            env: Vec::new(),
            tmp: None,
            capture: Capture::Output,
        }
    }

    #[track_caller]
    fn check(program: WarmProgram, words: &str, line_or_reason: Result<&str, &str>) {
        let start = HarnessStart::Program(program, "/warm".into());
        let line = start.invocation(&command(words)).map(|invocation| {
            let args: Vec<_> = invocation
                .args
                .iter()
                .map(|arg| arg.to_string_lossy())
                .collect();
            args.join(" ")
        });
        assert_eq!(line.as_deref().map_err(|reason| *reason), line_or_reason);
    }

    #[test]
    fn options_of_java_come_before_the_harness_and_the_program_after_it() {
        let before = "-c exec \"$@\" 8<&0 9>&1 </dev/null 1>&2 sh java";
        let harness = "--add-opens java.base/java.lang=ALL-UNNAMED /warm/Harness.java";
        check(
            WarmProgram::Java,
            "java -Xmx1g --add-modules a -cp x.jar:y Main -cp in",
            Ok(&format!(
                "{before} -Xmx1g --add-modules a {harness} class x.jar:y Main -cp in"
            )),
        );
        check(
            WarmProgram::Java,
            "/opt/bin/java -jar tool.jar in",
            Ok(&format!("{before} {harness} jar tool.jar in")
                .replace("sh java", "sh /opt/bin/java")),
        );
    }

    #[test]
    fn a_command_that_cannot_be_run_warm_is_named_with_the_reason() {
        let class = "the command names neither a class nor `-jar FILE`";
        check(WarmProgram::Java, "java -Xmx1g", Err(class));
        check(
            WarmProgram::Java,
            "gradle run",
            Err("it is no command of Java: its program is not `java`"),
        );
        check(
            WarmProgram::Node,
            "/bin/sh x.js",
            Err("it is no command of Node.js: neither `node SCRIPT` nor a script for it"),
        );
    }

    #[test]
    fn node_loads_the_harness_before_the_script() {
        check(
            WarmProgram::Node,
            "node tool.js in",
            Ok("--single-threaded --require /warm/node.js tool.js in"),
        );
    }
}
