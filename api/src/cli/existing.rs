//! The farm that a command without a server works on. It must be there: a command that made a new one would print, for
//! instance, a token that no server knows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::output::remark;
use crate::config::Settings;

const DATABASE: &str = "framefarm.db";
const DEFAULT: &str = "./data";

/// The settings, with the directory of the farm that runs on this machine if none was named and none is here.
pub(super) fn existing(settings: Settings) -> anyhow::Result<Settings> {
    found(settings, Path::new("/proc"))
}

fn found(settings: Settings, processes: &Path) -> anyhow::Result<Settings> {
    if !settings.uses_sqlite() || settings.data_dir.join(DATABASE).is_file() {
        return Ok(settings);
    }
    let here = std::path::absolute(&settings.data_dir)?;
    let wrong = format!("there is no farm in {}", here.display());
    let way = "use --data-dir (FRAMEFARM_DATA_DIR), or --database-url for PostgreSQL";
    if settings.data_dir != Path::new(DEFAULT) {
        bail!("{wrong}; {way}");
    }
    let running: Vec<PathBuf> = running(processes).into_iter().collect();
    match &running[..] {
        [] => bail!("{wrong}, and none is running on this machine as this user; {way}"),
        [directory] => {
            remark(&format!("using the farm that is running in {}", directory.display()));
            Ok(Settings { data_dir: directory.clone(), ..settings })
        }
        several => {
            let list: Vec<_> = several.iter().map(|directory| directory.display().to_string()).collect();
            bail!("{wrong}, and several are running on this machine: {}; {way}", list.join(", "))
        }
    }
}

/// The directories of databases that processes of this user have open.
fn running(processes: &Path) -> BTreeSet<PathBuf> {
    let entries = |directory: &Path| std::fs::read_dir(directory).into_iter().flatten().flatten();
    let open = entries(processes).flat_map(|process| entries(&process.path().join("fd")).collect::<Vec<_>>());
    let files = open.filter_map(|descriptor| std::fs::read_link(descriptor.path()).ok());
    let databases =
        files.filter(|file| file.file_name().is_some_and(|name| name == DATABASE) && file.is_file());
    databases.filter_map(|file| file.parent().map(Path::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn unnamed() -> Settings {
        // A directory that is not there, whatever the tests' own directory holds.
        Settings { data_dir: DEFAULT.into(), ..Settings::defaults().expect("no flags") }
    }

    /// A process that has this file open.
    fn a_process(processes: &Path, id: u32, file: &Path) {
        let descriptors = processes.join(id.to_string()).join("fd");
        std::fs::create_dir_all(&descriptors).expect("a directory");
        symlink(file, descriptors.join("7")).expect("a link");
    }

    fn a_farm(place: &Path, name: &str) -> PathBuf {
        let directory = place.join(name);
        std::fs::create_dir_all(&directory).expect("a directory");
        std::fs::write(directory.join(DATABASE), "").expect("a file");
        directory
    }

    #[test]
    fn the_farm_that_is_running_is_found_unless_there_are_several() {
        let place = tempfile::tempdir().expect("a directory");
        let processes = place.path().join("proc");
        let told = |settings| format!("{:#}", found(settings, &processes).expect_err("no farm"));
        assert!(told(unnamed()).contains("none is running"), "{}", told(unnamed()));

        let one = a_farm(place.path(), "one");
        a_process(&processes, 1, &one.join(DATABASE));
        a_process(&processes, 2, &one.join(DATABASE));
        a_process(&processes, 3, &place.path().join("removed").join(DATABASE));
        assert_eq!(found(unnamed(), &processes).expect("a farm").data_dir, one);
        let named = Settings { data_dir: place.path().join("two"), ..unnamed() };
        assert!(told(named).contains("two; use --data-dir"), "a directory that was named is not replaced");

        a_process(&processes, 4, &a_farm(place.path(), "other").join(DATABASE));
        let several = told(unnamed());
        assert!(several.contains("several are running") && several.contains("other"), "{several}");
    }

    #[test]
    fn a_farm_that_is_there_is_used() {
        let place = tempfile::tempdir().expect("a directory");
        let settings = Settings { data_dir: a_farm(place.path(), "here"), ..unnamed() };
        assert_eq!(
            found(settings.clone(), Path::new("/nowhere")).expect("a farm").data_dir,
            settings.data_dir
        );
    }
}
