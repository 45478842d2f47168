//! The maps of the code are true: `docs/architecture.md` lists the modules, documents name files that exist, and
//! `router.rs` shows the paths, and layers import nothing of the layers that they must not know.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use framefarm_api::http::router::document;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The modules that a `lib.rs` declares.
fn modules(of: &str) -> BTreeSet<String> {
    let declared = |line: &str| {
        let name = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';')?;
        Some(name.to_owned())
    };
    read(of).lines().filter_map(declared).collect()
}

/// The names between backticks in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// The modules that the table under a heading of `docs/architecture.md` lists.
fn listed(heading: &str) -> BTreeSet<String> {
    let page = read("docs/architecture.md");
    let section = page.split("\n### ").find(|section| section.starts_with(heading)).unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    rows.flat_map(|names| quoted(names).map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn the_architecture_lists_every_module_and_no_other() {
    for crate_ in ["shared", "api", "worker"] {
        let heading = format!("`{crate_}/src`");
        assert_eq!(listed(&heading), modules(&format!("{crate_}/src/lib.rs")), "{heading}");
    }
}

/// Whether something is there under a path that may have `<placeholders>` and `{a,b}`.
fn exists(path: &str) -> bool {
    if let Some((before, rest)) = path.split_once('{') {
        let (choices, after) = rest.split_once('}').unwrap();
        return choices.split(',').all(|choice| exists(&format!("{before}{choice}{after}")));
    }
    let known = path.split('<').next().unwrap();
    let known = if known == path { known } else { known.rsplit_once('/').map_or("", |(folder, _)| folder) };
    root().join(known).exists()
}

#[test]
fn documents_name_files_that_exist() {
    let pages = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let decisions =
        std::fs::read_dir(root().join("docs/decisions")).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.chain(decisions).filter(|page| page.extension().is_some_and(|kind| kind == "md"));
    let mut checked = 0;
    let mut gone = Vec::new();
    for page in pages.filter(|page| !page.ends_with("CHANGELOG.md") && !page.ends_with("glossary.md")) {
        let text = std::fs::read_to_string(&page).unwrap();
        for name in quoted(&text).filter(|name| !name.contains(char::is_whitespace) && !name.contains("NNNN"))
        {
            let ours =
                ["api/", "worker/", "shared/", "migrations/", "docker/", "docs/", "scripts/", "tests/"];
            // What an operator makes with `docker/make-secrets` is in no repository.
            let secret = name.starts_with("docker/secrets/");
            if !secret && ours.iter().any(|folder| name.starts_with(folder)) {
                checked += 1;
                let path = name.split(':').next().unwrap();
                if !exists(path) {
                    gone.push(format!("{}: {name}", page.file_name().unwrap().display()));
                }
            }
        }
    }
    assert!(gone.is_empty(), "{gone:#?}");
    assert!(checked > 50, "{checked}");
}

/// The paths that `router.rs` names in the comments above the lines that merge the routes of the API.
fn shown() -> Vec<String> {
    let mut paths = Vec::new();
    let mut shown = Vec::new();
    let router = read("api/src/http/router.rs");
    let (api, _) = router.split_once("pub fn router(").unwrap();
    for line in api.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("// ") {
            let words = comment.split([' ', ',', ':', ';']).filter(|word| word.starts_with('/'));
            paths = words.map(str::to_owned).collect();
        } else if line.starts_with(".merge(") && line.contains("::routes()") {
            shown.extend(paths.clone());
        }
    }
    shown
}

#[test]
fn the_router_shows_every_path() {
    let shown = shown();
    let document = serde_json::to_value(document()).unwrap();
    let mut used = BTreeSet::new();
    for path in document["paths"].as_object().unwrap().keys() {
        let best =
            shown.iter().filter(|shown| path.starts_with(shown.as_str())).max_by_key(|shown| shown.len());
        used.insert(best.unwrap_or_else(|| panic!("no comment in router.rs begins {path}")).clone());
    }
    assert_eq!(used, shown.into_iter().collect(), "router.rs names a path that is gone");
}

/// Every source file below a folder.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    found
}

/// The first folder or file below `api/src`, and the text before its tests.
fn code() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let of = |file: &PathBuf| {
        let below = file.strip_prefix(&root).unwrap();
        let module = below.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(file).unwrap();
        (module, text.split("#[cfg(test)]\nmod tests").next().unwrap().to_owned())
    };
    sources(&root).iter().map(of).collect()
}

#[test]
fn the_database_layer_imports_no_module_above_it() {
    for (_, text) in code().iter().filter(|(module, _)| module == "db") {
        for line in text.lines().filter(|line| line.contains("crate::")) {
            assert!(line.contains("crate::db"), "{line}");
        }
    }
}

#[test]
fn transactions_begin_where_the_rules_say() {
    let begins = |text: &str| ["db.begin()", "db.begin_single()"].iter().any(|call| text.contains(call));
    let found: BTreeSet<_> =
        code().into_iter().filter(|(_, text)| begins(text)).map(|(module, _)| module).collect();
    let allowed = [
        "alerts",
        "auth",
        "backup",
        "intake",
        "lifecycle",
        "queue_transfer",
        "retention",
        "services",
        "testing",
    ];
    assert_eq!(found, allowed.map(str::to_owned).into());
}

/// The lines of a module that contain one of these texts.
fn mentions(of: &str, texts: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (_, code) in code().iter().filter(|(module, _)| module == of) {
        let lines = code.lines().filter(|line| texts.iter().any(|text| line.contains(text)));
        found.extend(lines.map(str::to_owned));
    }
    found
}

#[test]
fn the_lifecycle_knows_no_web_framework() {
    assert_eq!(mentions("lifecycle", &["axum", "crate::http"]), Vec::<String>::new());
    assert!(!mentions("http", &["axum"]).is_empty());
}

#[test]
fn http_never_touches_the_database() {
    assert_eq!(mentions("http", &["crate::db", "app.db", "sqlx"]), Vec::<String>::new());
    assert!(!mentions("lifecycle", &["crate::db"]).is_empty());
}
