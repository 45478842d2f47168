//! What viewers and people are told of the tracks of a video, and of what was left out.

use framefarm_api::on_both_storages;
use framefarm_api::responses;
use framefarm_api::testing::{Farm, a_plan};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::plan::{AudioTrack, Plan, VideoTrack};
use framefarm_shared::source_note::{NoteCode, SourceNote};

fn track(language: &str, title: Option<&str>) -> AudioTrack {
    AudioTrack { language: Some(language.to_owned()), title: title.map(str::to_owned), channels: 2 }
}

/// A video that follows this plan, with the qualities that were asked for.
async fn made(farm: &Farm, plan: &Plan, wanted: Option<&[&str]>) -> VideoId {
    let wanted = wanted.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
    let upload = farm.upload_with("clip", |request| request.qualities = wanted).await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    worker.encode(&job, plan).await;
    worker.complete(&job).await.unwrap();
    upload.video.id
}

on_both_storages! {
    async fn languages_and_titles_of_tracks_reach_the_playlist(farm: Farm) {
        let mut plan = a_plan();
        plan.source.audio = vec![
            track("eng", Some("Director's \"cut\"\nof 2026")),
            track("ger", Some("Kommentar")),
            track("ger", Some("Kommentar")),
            track("por-br", None),
            track("und", None),
        ];
        let video = made(&farm, &plan, None).await;
        let master = farm.app.storage.get(&ObjectKey::Master { video, generation: 1 }).await.unwrap();
        let master = String::from_utf8(master.to_vec()).unwrap();
        let told: Vec<&str> = master.lines().filter(|line| line.starts_with("#EXT-X-MEDIA")).collect();
        let expected = [
            "LANGUAGE=\"en\",NAME=\"Director's 'cut' of 2026\"",
            "LANGUAGE=\"de\",NAME=\"Kommentar\"",
            "LANGUAGE=\"de\",NAME=\"Kommentar 2\"",
            "LANGUAGE=\"pt-BR\",NAME=\"pt-BR\"",
            "GROUP-ID=\"audio\",NAME=\"Track 5\"",
        ];
        assert_eq!(told.len(), expected.len(), "{master}");
        for (line, part) in told.iter().zip(expected) {
            assert!(line.contains(part), "{part} in {line}");
        }
        let source = responses::videos::get(&farm.app, video).await.unwrap().source.unwrap();
        let languages: Vec<_> = source.audio.iter().map(|track| track.language.as_deref()).collect();
        assert_eq!(languages, [Some("en"), Some("de"), Some("de"), Some("pt-BR"), None]);
    }

    async fn what_a_worker_noted_is_told(farm: Farm) {
        let mut plan = a_plan();
        plan.source.notes = vec![
            SourceNote::new(NoteCode::BitmapSubtitlesSkipped).counting(1).because("PGS"),
            SourceNote::new(NoteCode::Other("of_next_year".to_owned())),
        ];
        let video = made(&farm, &plan, None).await;
        let notes = responses::videos::get(&farm.app, video).await.unwrap().notes;
        let told: Vec<_> = notes.iter().map(|note| (note.code.as_str(), note.text.as_str())).collect();
        let pgs = "1 bitmap subtitle track was skipped (PGS); only text subtitles can be converted.";
        let next_year = "Note of the worker: of next year.";
        assert_eq!(told, [("bitmap_subtitles_skipped", pgs), ("of_next_year", next_year)]);
    }

    async fn an_8k_video_lists_its_qualities_best_first_everywhere(farm: Farm) {
        let ladder = "360p:600,4320p:40000:hevc,1080p:5000,2160p:15000";
        let farm = farm.restarted(|settings| settings.ladder = ladder.parse().unwrap()).await;
        let mut plan = a_plan();
        plan.source.video = Some(VideoTrack { width: 7680, height: 4320, frame_rate: 25.0, codec: "hevc".to_owned() });
        let video = made(&farm, &plan, None).await;
        let detail = responses::videos::get(&farm.app, video).await.unwrap();
        let names: Vec<_> = detail.qualities.iter().map(|quality| quality.name.as_str()).collect();
        assert_eq!(names, ["4320phevc", "2160p", "1080p", "360p", "audio0"]);
        assert_eq!((detail.qualities[0].width, detail.qualities[0].height), (7680, 4320));
        let published = &farm.video(video).await.renditions.unwrap().0["renditions"];
        let published: Vec<_> = published.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(published, names);
        let master = farm.app.storage.get(&ObjectKey::Master { video, generation: 1 }).await.unwrap();
        let master = String::from_utf8(master.to_vec()).unwrap();
        let variants: Vec<_> = master.lines().filter(|line| line.starts_with("g1/")).collect();
        // The first is what players begin with.
        let expected = ["1080p", "4320phevc", "2160p", "360p"].map(|name| format!("g1/{name}/playlist.m3u8"));
        assert_eq!(variants, expected, "{master}");
    }

    async fn a_quality_above_the_source_has_no_size_and_no_bit_rate(farm: Farm) {
        let video = made(&farm, &a_plan(), None).await;
        let qualities = responses::videos::get(&farm.app, video).await.unwrap().qualities;
        let told = qualities.iter().map(|q| (q.name.as_str(), q.width, q.height, q.bitrate_kbps));
        let above: Vec<_> = told.clone().take(3).collect();
        assert_eq!(above, [("2160p", 0, 0, 0), ("1440p", 0, 0, 0), ("1080p", 0, 0, 0)]);
        assert_eq!(told.clone().nth(3), Some(("720p", 1280, 720, 2500)));
    }

    async fn wanted_qualities_that_are_larger_than_the_source_are_noted(farm: Farm) {
        for (wanted, told) in [
            (&["2160p"][..], Some("2160p is larger than the source; made 720p instead.")),
            (&["2160p", "1080p"], Some("2160p, 1080p are larger than the source; made 720p instead.")),
            (&["1080p", "480p"], Some("1080p is larger than the source; skipped.")),
            (&["480p"], None),
        ] {
            let video = made(&farm, &a_plan(), Some(wanted)).await;
            let notes = responses::videos::get(&farm.app, video).await.unwrap().notes;
            assert_eq!(notes.first().map(|note| note.text.as_str()), told, "{wanted:?}");
        }
        // Nobody asked for the rungs above the source.
        let whole = made(&farm, &a_plan(), None).await;
        assert_eq!(responses::videos::get(&farm.app, whole).await.unwrap().notes, []);
    }
}
