//! A record for tests: a reduction that ended, with hostile texts.

use crate::model::{
    PartRecord, PassRecord, ReductionRecord, RemainingReason, RemainingRecord, RemainingUnit,
    SessionRecord, StepRecord, TestedRemoval, ToolRecord, VerdictRecord,
};
use crate::record::{
    AgreementRecord, AssumptionsRecord, ChoiceRecord, ClaimRecord, OtherFailureRecord, RateRecord,
    RepeatabilityRecord, VerdictName,
};

/// Returns the input, and this number of steps.
fn step_records(steps: u64) -> Vec<StepRecord> {
    let lines: Vec<String> = (0..400)
        .map(|line| format!("int value_{line} = call({line}, \"</script>\u{202e}\"); // & more\n"))
        .collect();
    let text = |kept: usize| -> Vec<u8> {
        let mut text: Vec<u8> = lines[..kept].concat().into_bytes();
        text.extend_from_slice(b"crash(\"\0\xff<!--\");\n");
        text
    };
    let size = text(400).len() as u64;
    let last = text(0);
    let mut all = vec![StepRecord {
        bytes: size,
        tokens: Some(2000),
        text: Some(text(400)),
        ..StepRecord::default()
    }];
    for number in 1..=steps {
        let kept = usize::try_from(400 - 400 * number / steps).unwrap();
        let is_stored = number == steps || number.is_multiple_of((steps / 20).max(1));
        let bytes = last.len() as u64 + (size - last.len() as u64) * (steps - number) / steps;
        all.push(StepRecord {
            test: number * 3,
            bytes,
            tokens: Some(2 + 1998 * (steps - number) / steps),
            seconds: f64::from(u32::try_from(number).unwrap()) / 100.0,
            text: is_stored.then(|| text(kept)),
        });
    }
    all
}

/// Returns the record of a reduction with this number of steps after the input.
pub(crate) fn record(steps: u64) -> ReductionRecord {
    let tests = steps * 3 + 40;
    ReductionRecord {
        input: "crash<b>.c".to_owned(),
        result: "crash<b>.min.c".to_owned(),
        language: Some("C".to_owned()),
        property: "is killed by SIGSEGV\nstderr matches /<script>alert(1)</script>/".to_owned(),
        flags: "--exit SIGSEGV".to_owned(),
        command: Some("./tool crash.c".to_owned()),
        command_line: Some("boildown reduce crash.c -- ./tool crash.c".to_owned()),
        one_minimal: Some(true),
        claim: Some(ClaimRecord {
            units: "tokens".to_owned(),
            restriction: None,
        }),
        guarantee: Some("1-minimal: no single <token> can be removed".to_owned()),
        sessions: vec![SessionRecord {
            version: "0.1.0".to_owned(),
            started: 1_772_368_200,
            ending: Some("finished".to_owned()),
            has_finished: true,
            seconds: Some(f64::from(u32::try_from(tests).unwrap()) / 300.0),
            tests,
            runs: tests + 5,
            recalled: 0,
            run_seconds: 1.0,
            jobs: Some(2),
            own_seconds: Some(0.1),
        }],
        steps: step_records(steps),
        passes: [(0, "lines"), (steps, "tree & more"), (steps * 2, "tokens")]
            .map(|(test, name)| PassRecord {
                name: name.to_owned(),
                test,
                seconds: 0.0,
            })
            .to_vec(),
        verdicts: vec![VerdictRecord {
            verdict: VerdictName::Uninteresting,
            outcome: "exited with 0".to_owned(),
            count: tests - steps,
            seconds: 0.5,
        }],
        parts: (0..400)
            .map(|line| PartRecord {
                bytes: line * 50..line * 50 + 48,
            })
            .collect(),
        remaining: Some(remaining()),
        ..surroundings()
    }
}

fn surroundings() -> ReductionRecord {
    ReductionRecord {
        repeatability: Some(RepeatabilityRecord {
            input: RateRecord {
                runs: 24,
                held: 24,
                low: 0.86,
                high: 1.0,
            },
            is_kept: true,
            contradictions: 1,
            ..RepeatabilityRecord::default()
        }),
        assumptions: Some(AssumptionsRecord {
            tests: 150,
            pairs: 170,
            monotony: AgreementRecord {
                predicted: 60,
                contradicted: 20,
            },
            ..AssumptionsRecord::default()
        }),
        other_failures: vec![OtherFailureRecord {
            signature: Some("killed by SIGABRT in <f>".to_owned()),
            file: "crash.other/1.c".to_owned(),
            bytes: 100,
            runs: 3,
        }],
        tools: vec![ToolRecord {
            path: "/usr/bin/tool".to_owned(),
            recorded: "12 bytes of 1.0".to_owned(),
            version: Some("tool 1.2".to_owned()),
            hash: Some("blake3:00".to_owned()),
            has_changed: Some(false),
        }],
        facts: vec![("--keep".to_owned(), "[]".to_owned())],
        choices: vec![ChoiceRecord {
            about: "language".to_owned(),
            chosen: "C".to_owned(),
            because: "by the name".to_owned(),
            option: "--language".to_owned(),
        }],
        ..ReductionRecord::default()
    }
}

fn remaining() -> RemainingRecord {
    let tested = |removed: std::ops::Range<usize>| {
        RemainingReason::Tested(TestedRemoval {
            removed,
            outcome: "exited with 0".to_owned(),
            output: Some(b"all\x1b[1m good</pre>".to_vec()),
            ..TestedRemoval::default()
        })
    };
    RemainingRecord {
        unit: "token",
        units: vec![
            RemainingUnit {
                bytes: 0..5,
                reason: tested(0..5),
            },
            RemainingUnit {
                bytes: 5..6,
                reason: RemainingReason::DoesNotParse,
            },
            RemainingUnit {
                bytes: 6..14,
                reason: RemainingReason::NotTested,
            },
        ],
        left_out: 2,
    }
}
