//! Packages of a folder that become modules of the text that uses them: `mod dep { ... }`.

use std::ops::Range;

use boildown_document::{Document, MARK, Packages, is_word, parts_of_joined};
use boildown_search::tree::NodeId;

use crate::edit::Edit;
use crate::edit_plan::{EditPlan, SiblingPositions};
use crate::file_paths::lines_of;

/// A file of a joined text.
struct File<'a> {
    node: NodeId,
    tokens: Range<usize>,
    path: &'a str,
    content: &'a [u8],
    packages: Option<&'static Packages>,
}

/// Returns the edits that move the text of a package, of which only that and the manifest are left,
/// to the end of a text that uses it, and delete what names the package in other manifests.
pub(crate) fn packages_as_modules(
    document: &Document,
    positions: &SiblingPositions,
) -> Vec<Vec<Edit>> {
    let bytes = document.bytes();
    let parts = parts_of_joined(bytes).unwrap_or_default();
    let files = document.files().zip(&parts).map(|((node, header), part)| {
        let path = document.token(header)[MARK.len()..].trim_ascii_end();
        File {
            node,
            tokens: document.tree().nodes[node].tokens(),
            path: std::str::from_utf8(path).unwrap_or_default(),
            content: bytes[part.content.clone()].trim_ascii_end(),
            packages: part.language(bytes).and_then(|language| language.packages),
        }
    });
    let files: Vec<File<'_>> = files.collect();
    let mut plans = Vec::new();
    for package in &files {
        let Some(packages) = package.packages else {
            continue;
        };
        let Some(folder) = package.path.strip_suffix(packages.root) else {
            continue;
        };
        let in_folder = files.iter().filter(|file| file.path.starts_with(folder));
        let manifest = format!("{folder}{}", packages.manifest);
        let mut others =
            in_folder.filter(|file| file.path != package.path && file.path != manifest);
        if folder.is_empty() || others.next().is_some() {
            continue;
        }
        let name = folder
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or(folder);
        let module = name.replace('-', "_");
        let mut plan = EditPlan::default();
        plan.delete(package.node);
        let own_manifest = files.iter().filter(|file| file.path == manifest);
        own_manifest.for_each(|file| plan.delete(file.node));
        let mut gone = plan.edits(document, positions);
        for file in &files {
            if file.path.ends_with(packages.manifest) && file.path != manifest {
                let lines = lines_of(document, &file.tokens).into_iter();
                let naming = lines.filter(|line| names(document.text(line.clone()), name, &module));
                gone.extend(naming.map(|line| Edit::deletion(&line)));
            }
        }
        for user in &files {
            let is_user = packages.users.iter().any(|end| user.path.ends_with(end));
            let mut tokens = user.tokens.clone();
            let mentions = || {
                tokens
                    .clone()
                    .any(|token| document.token(token) == module.as_bytes())
            };
            if !is_user || user.path == package.path || !mentions() {
                continue;
            }
            let Some(last) = tokens.next_back() else {
                continue;
            };
            let content = String::from_utf8_lossy(package.content);
            let (own, local) = packages.own;
            let content = content.replace(own, &local.replace('$', &module));
            let (before, after) = packages.around;
            let around = [before, after].map(|text| text.replace('$', &module));
            let text = [
                document.token(last),
                around[0].as_bytes(),
                content.as_bytes(),
                around[1].as_bytes(),
            ];
            let mut edits = gone.clone();
            edits.push(Edit::new(&(last..last + 1), text.concat()));
            let import = packages.import.replace('$', &module);
            let lines = lines_of(document, &user.tokens).into_iter();
            let imports =
                lines.filter(|line| document.text(line.clone()).trim_ascii() == import.as_bytes());
            edits.extend(imports.map(|line| Edit::deletion(&line)));
            plans.push(edits);
        }
    }
    plans
}

/// Returns whether a line of a manifest names a package: `a = { ... }`, `[dependencies.a]`, or its
/// path.
fn names(line: &[u8], name: &str, module: &str) -> bool {
    let line = String::from_utf8_lossy(line);
    let line = line.trim();
    [name, module].into_iter().any(|name| {
        let after = line.strip_prefix(name);
        let is_key = after.is_some_and(|rest| {
            !rest.starts_with(|c: char| c == '-' || c.is_ascii() && is_word(c as u8))
        });
        is_key
            || line.contains(&format!("/{name}\""))
            || line.contains(&format!("\"{name}\""))
            || line.ends_with(&format!(".{name}]"))
    })
}
