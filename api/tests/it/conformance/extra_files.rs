//! Table `extra_file`: images and subtitles come, are replaced and carried over.

use framefarm_api::db::extra_files::{self, ExtraFileRow};
use framefarm_api::db::generations;
use framefarm_api::db::qualities::GenerationKey;
use framefarm_api::testing::Farm;
use framefarm_shared::extra_file::{ExtraFile, ExtraKind, ImageName};
use sqlx::error::ErrorKind;

use super::count;
use super::world::{a_generation, an_extra_file};

const POSTER: ExtraFile = ExtraFile::Image(ImageName::Poster);

async fn read(farm: &Farm, key: GenerationKey) -> Vec<ExtraFileRow> {
    extra_files::of_generation(&farm.app.db, key).await.unwrap()
}

framefarm_api::on_both_engines! {
    async fn the_files_of_a_generation_are_listed_by_kind_and_name(farm: Farm) {
        let (key, other) = (a_generation(&farm, &[]).await, a_generation(&farm, &[]).await);
        let subtitle = an_extra_file(&farm, key, ExtraFile::Subtitle(1)).await;
        let thumb = an_extra_file(&farm, key, ExtraFile::Image(ImageName::Thumb(0))).await;
        let poster = an_extra_file(&farm, key, POSTER).await;
        an_extra_file(&farm, other, POSTER).await;
        let names = commit!(farm, |tx| extra_files::names(tx, key));
        assert_eq!(names, [&poster, &thumb, &subtitle].map(|row| (row.kind, row.name.clone())));
        assert_eq!(read(&farm, key).await, [poster, thumb, subtitle]);
        assert!(read(&farm, GenerationKey { number: 2, ..key }).await.is_empty());
    }

    async fn a_file_of_the_same_name_replaces_the_one_before(farm: Farm) {
        let key = a_generation(&farm, &[]).await;
        let first = an_extra_file(&farm, key, POSTER).await;
        unchanged!(farm, |tx| extra_files::put(tx, key, &first, farm.now()));
        let second = ExtraFileRow { sha256: vec![6; 32], size: 1, ..first };
        commit!(farm, |tx| extra_files::put(tx, key, &second, farm.now()));
        assert_eq!(read(&farm, key).await, [second]);
    }

    async fn one_file_is_read_alone_and_all_are_summed_up(farm: Farm) {
        let (key, other) = (a_generation(&farm, &[]).await, a_generation(&farm, &[]).await);
        let poster = an_extra_file(&farm, key, POSTER).await;
        let subtitle = an_extra_file(&farm, key, ExtraFile::Subtitle(0)).await;
        an_extra_file(&farm, other, POSTER).await;
        let (kind, name) = (poster.kind, poster.name.as_str());
        assert_eq!(commit!(farm, |tx| extra_files::get_in(tx, key, kind, name)), Some(poster.clone()));
        assert_eq!(commit!(farm, |tx| extra_files::get_in(tx, key, ExtraKind::Subtitle, name)), None);
        assert_eq!(commit!(farm, |tx| extra_files::total_size(tx, key)), poster.size + subtitle.size);
        assert_eq!(commit!(farm, |tx| extra_files::total_size(tx, GenerationKey { number: 9, ..key })), 0);
    }

    async fn a_file_belongs_to_a_generation(farm: Farm) {
        let key = a_generation(&farm, &[]).await;
        let row = an_extra_file(&farm, key, POSTER).await;
        let orphan = GenerationKey { number: 9, ..key };
        let kind = refused!(farm, |tx| extra_files::put(tx, orphan, &row, farm.now()));
        assert_eq!(kind, ErrorKind::ForeignKeyViolation);
    }

    async fn files_of_a_kind_are_carried_over_and_say_from_where(farm: Farm) {
        let key = a_generation(&farm, &[]).await;
        let next = GenerationKey { number: 2, ..key };
        commit!(farm, |tx| generations::insert(tx, next.video, 2, None, farm.now()));
        let poster = an_extra_file(&farm, key, POSTER).await;
        an_extra_file(&farm, key, ExtraFile::Subtitle(0)).await;
        commit!(farm, |tx| extra_files::carry_over(tx, next, 1, ExtraKind::Image));
        let carried = ExtraFileRow { carried_from: Some(1), ..poster.clone() };
        assert_eq!(read(&farm, next).await, [carried]);
        commit!(farm, |tx| extra_files::carry_over(tx, next, 1, ExtraKind::Subtitle));
        assert_eq!(count(&farm, "extra_file").await, 4);
        commit!(farm, |tx| extra_files::put(tx, next, &poster, farm.now()));
        assert_eq!(read(&farm, next).await[0], poster, "delivered anew, it is not carried any more");
    }
}
