//! Several instances on one database and one disk.

use framefarm_api::intake::watch;
use framefarm_api::on_both_engines;
use framefarm_shared::intake::IntakeState;

use super::{Site, add, run};

on_both_engines! {
    async fn several_instances_bring_each_file_in_once(farm: Farm) {
        let site = Site::open(farm).await;
        let mut ids = Vec::new();
        for n in 0..20 {
            let path = site.write(&format!("clip {n}.mp4"), format!("content {n}").as_bytes());
            ids.push(site.accepted(&path).await);
        }
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..3 {
            let app = site.farm.beside(|_| {}).await;
            tasks.spawn(async move { run(&app).await[0] });
        }
        let each = tasks.join_all().await;
        assert_eq!(each.iter().sum::<u64>(), 20, "{each:?}");
        for id in ids {
            let row = site.row(id).await;
            assert_eq!((row.state, row.attempts), (IntakeState::Done, 1));
        }
        let made = site.farm.events().await.iter().filter(|event| event.kind.as_str() == "video_created").count();
        assert_eq!(made, 20);
    }

    async fn a_file_named_to_several_instances_at_once_waits_once(farm: Farm) {
        let site = Site::open(farm).await;
        let path = site.write("clip.mp4", b"clip");
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let (app, path) = (site.farm.beside(|_| {}).await, path.clone());
            tasks.spawn(async move { matches!(add(&app, &path).await, framefarm_api::intake::queue::Taken::Accepted(_)) });
        }
        assert_eq!(tasks.join_all().await.into_iter().filter(|accepted| *accepted).count(), 1);
    }

    async fn an_instance_without_the_folders_leaves_their_files_to_others(farm: Farm) {
        let site = Site::open(farm).await;
        let path = site.write("clip.mp4", b"clip");
        site.accepted(&path).await;
        let other = site.farm.beside(|settings| settings.intake.intake_dirs.clear()).await;
        assert_eq!(run(&other).await, [0, 0, 0]);
        assert_eq!(site.run().await, [1, 0, 0]);
    }

    async fn several_instances_take_each_file_of_one_watch_folder_once(farm: Farm) {
        let site = Site::with(farm, |settings, folder| {
            std::fs::create_dir(folder.join("in")).unwrap();
            settings.watch.watch_dir = Some(folder.join("in"));
        }).await;
        for n in 0..10 {
            site.write(&format!("in/clip {n}.mp4"), format!("content {n}").as_bytes());
        }
        let mut instances = Vec::new();
        for _ in 0..3 {
            instances.push(site.farm.beside(|_| {}).await);
        }
        for app in &instances {
            watch::run_once(app.clone()).await.unwrap();
        }
        site.farm.wait(chrono::Duration::seconds(10));
        let mut tasks = tokio::task::JoinSet::new();
        for app in instances.clone() {
            tasks.spawn(async move { watch::run_once(app).await.unwrap()[0].1 });
        }
        assert_eq!(tasks.join_all().await.iter().sum::<u64>(), 10);
        assert_eq!(run(&instances[0]).await, [10, 0, 0]);
        let mut tasks = tokio::task::JoinSet::new();
        for app in instances.clone() {
            tasks.spawn(async move { watch::run_once(app).await.unwrap()[1].1 });
        }
        assert_eq!(tasks.join_all().await.iter().sum::<u64>(), 10, "each is put away once");
        assert_eq!(std::fs::read_dir(site.at("in/.done")).unwrap().count(), 10);
        site.farm.wait(chrono::Duration::seconds(60));
        for app in instances {
            assert_eq!(watch::run_once(app.clone()).await.unwrap()[0].1, 0);
        }
    }
}
