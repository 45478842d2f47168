//! Files that the farm brings in by itself.

mod batch;
mod paths;
mod several;
mod stored;
mod watch;

use std::path::{Path, PathBuf};

use framefarm_api::app::App;
use framefarm_api::config::Settings;
use framefarm_api::db::intakes::{self, IntakeRow};
use framefarm_api::db::uploads::UploadRequest;
use framefarm_api::intake::fetch;
use framefarm_api::intake::queue::{self, Origin, Taken, Wanted};
use framefarm_api::testing::Farm;
use framefarm_shared::id::IntakeId;
use tempfile::TempDir;

/// A farm that may bring in what lies in a folder of its own.
struct Site {
    farm: Farm,
    folder: TempDir,
}

impl Site {
    async fn open(farm: Farm) -> Self {
        Self::with(farm, |_, _| {}).await
    }

    async fn with(farm: Farm, change: impl FnOnce(&mut Settings, &Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let farm = farm
            .restarted(|settings| {
                folder.path().to_str().unwrap().clone_into(&mut settings.intake.intake_dirs);
                change(settings, folder.path());
            })
            .await;
        Self { farm, folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }

    async fn add(&self, path: &str) -> Taken {
        add(&self.farm.app, path).await
    }

    async fn accepted(&self, path: &str) -> IntakeId {
        match self.add(path).await {
            Taken::Accepted(id) => id,
            other => panic!("{path}: {other:?}"),
        }
    }

    async fn run(&self) -> [u64; 3] {
        run(&self.farm.app).await
    }

    async fn row(&self, id: IntakeId) -> IntakeRow {
        intakes::get(&self.farm.app.db, id).await.unwrap().unwrap()
    }

    /// What is stored as the source of what an intake became.
    async fn source(&self, id: IntakeId) -> Vec<u8> {
        let video = self.row(id).await.video_id.expect("it is a video");
        let key = framefarm_shared::object_key::ObjectKey::Source { video };
        self.farm.app.storage.get(&key).await.unwrap().to_vec()
    }
}

async fn add(app: &App, path: &str) -> Taken {
    let request = UploadRequest { file_name: "upload".to_owned(), ..UploadRequest::default() };
    let wanted = Wanted { from: Origin::Path(path.to_owned()), request };
    queue::add(app, vec![Ok(wanted)], "admin").await.unwrap().remove(0)
}

/// Brought in, put off, failed.
async fn run(app: &App) -> [u64; 3] {
    let counts = fetch::run_once(app.clone()).await.unwrap();
    [counts[0].1, counts[1].1, counts[2].1]
}
