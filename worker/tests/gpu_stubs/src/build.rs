//! The libraries, built once for each state of their sources, whoever comes first.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// The directory that holds them.
pub(crate) fn libraries() -> PathBuf {
    let script = Path::new(REPOSITORY).join("scripts/build-gpu-stubs");
    let store = store();
    fs::create_dir_all(&store).unwrap();
    let built = store.join(digest(&script));
    // Tests are processes of their own and start together. The lock ends with the file.
    let lock = File::create(store.join("lock")).unwrap();
    lock.lock().unwrap();
    if !built.exists() {
        let room = tempfile::tempdir_in(&store).unwrap();
        let output = Command::new(&script).arg(room.path()).output().unwrap();
        assert!(
            output.status.success(),
            "scripts/build-gpu-stubs failed; `scripts/setup test` installs what it needs: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        fs::rename(room.path(), &built).unwrap();
    }
    built
}

/// Beside the `deps` that the running test is in.
fn store() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let deps = test.ancestors().find(|place| place.ends_with("deps")).unwrap_or(&test);
    deps.parent().unwrap().join("gpu-stubs")
}

fn digest(script: &Path) -> String {
    let sources = fs::read_dir(Path::new(REPOSITORY).join("tests/gpu_stubs")).unwrap();
    let mut files: Vec<PathBuf> = sources.map(|entry| entry.unwrap().path()).collect();
    files.push(script.to_owned());
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(fs::read(file).unwrap());
    }
    hash.finalize().iter().take(8).fold(String::new(), |name, byte| format!("{name}{byte:02x}"))
}
