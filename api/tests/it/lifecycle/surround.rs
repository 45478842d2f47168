//! Surround beside stereo: which renditions are planned, and what players are told of them.

use framefarm_api::config::Surround;
use framefarm_api::lifecycle;
use framefarm_api::lifecycle::retranscode::{self, retranscode};
use framefarm_api::on_both_storages;
use framefarm_api::testing::{Farm, a_plan};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::plan::{AudioTrack, Plan};
use framefarm_shared::wire::worker_api::{CompleteRequest, LeftOut};

const STEREO: &str = "AUDIO=\"audio\"";
const SURROUND: &str = "AUDIO=\"audio-surround\"";

fn plan_of(channels: &[u32]) -> Plan {
    let track = |(language, channels): (&str, &u32)| AudioTrack {
        language: Some(language.to_owned()),
        title: None,
        channels: *channels,
    };
    let mut plan = a_plan();
    plan.source.audio = ["en", "de", "fr"].into_iter().zip(channels).map(track).collect();
    plan
}

async fn with_surround(farm: Farm) -> Farm {
    farm.restarted(|settings| settings.surround = Surround::On).await
}

async fn made(farm: &Farm, plan: &Plan) -> VideoId {
    let upload = farm.upload("clip").await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    worker.encode(&job, plan).await;
    worker.complete(&job).await.unwrap();
    upload.video.id
}

async fn master(farm: &Farm, video: VideoId, generation: i32) -> String {
    let master = farm.app.storage.get(&ObjectKey::Master { video, generation }).await.unwrap();
    String::from_utf8(master.to_vec()).unwrap()
}

fn lines<'a>(master: &'a str, start: &str) -> Vec<&'a str> {
    master.lines().filter(|line| line.starts_with(start)).collect()
}

fn number(line: &str, attribute: &str) -> u64 {
    let (_, value) = line.split_once(attribute).unwrap();
    value.split(',').next().unwrap().parse().unwrap()
}

/// Each variant: its playlist, its group, its peak and average bit rate.
fn variants(master: &str) -> Vec<(&str, bool, u64, u64)> {
    let all: Vec<&str> = master.lines().collect();
    let pairs = all.windows(2).filter(|pair| pair[0].starts_with("#EXT-X-STREAM-INF"));
    pairs
        .map(|pair| {
            let surround = pair[0].contains(SURROUND);
            assert!(surround != pair[0].contains(STEREO), "{}", pair[0]);
            assert!(pair[0].contains("mp4a.40.2\""), "{}", pair[0]);
            (pair[1], surround, number(pair[0], ":BANDWIDTH="), number(pair[0], ",AVERAGE-BANDWIDTH="))
        })
        .collect()
}

on_both_storages! {
    async fn surround_is_a_second_audio_group_of_every_variant(farm: Farm) {
        let farm = with_surround(farm).await;
        let video = made(&farm, &plan_of(&[6, 2, 8])).await;
        let master = master(&farm, video, 1).await;
        let media = lines(&master, "#EXT-X-MEDIA");
        let expected = [
            ("g1/audio0/", "audio", "en", "2"),
            ("g1/audio1/", "audio", "de", "2"),
            ("g1/audio2/", "audio", "fr", "2"),
            ("g1/audio0surround/", "audio-surround", "en", "6"),
            // It has no surround, and every group has every track.
            ("g1/audio1/", "audio-surround", "de", "2"),
            ("g1/audio2surround/", "audio-surround", "fr", "6"),
        ];
        assert_eq!(media.len(), expected.len(), "{master}");
        for (line, (uri, group, language, channels)) in media.iter().zip(expected) {
            let start = format!(
                "#EXT-X-MEDIA:TYPE=AUDIO,URI=\"{uri}playlist.m3u8\",GROUP-ID=\"{group}\",\
                 LANGUAGE=\"{language}\",NAME=\"{language}\","
            );
            let end = format!("CHANNELS=\"{channels}\"");
            assert!(line.starts_with(&start) && line.ends_with(&end), "{line}");
            assert_eq!(line.contains("DEFAULT=YES"), language == "en", "{line}");
        }
        let variants = variants(&master);
        let (stereo, surround) = variants.split_at(variants.len() / 2);
        assert!(stereo.iter().all(|variant| !variant.1) && surround.iter().all(|variant| variant.1));
        assert_eq!(stereo.len(), 3, "{master}");
        for (uri, _, peak, average) in stereo {
            let same: Vec<_> = surround.iter().filter(|variant| variant.0 == *uri).collect();
            assert_eq!(same.len(), 1, "{uri}: {master}");
            assert!(peak <= &same[0].2 && average <= &same[0].3);
        }
    }

    async fn without_the_setting_or_the_channels_there_is_one_group(farm: Farm) {
        let off = made(&farm, &plan_of(&[6])).await;
        let off = master(&farm, off, 1).await;
        let farm = with_surround(farm).await;
        let upload = farm.upload("another clip").await;
        let worker = farm.worker("w2").await;
        let job = worker.claim().await;
        worker.encode(&job, &plan_of(&[5])).await;
        worker.complete(&job).await.unwrap();
        let few = master(&farm, upload.video.id, 1).await;
        for master in [off, few] {
            assert_eq!(lines(&master, "#EXT-X-MEDIA").len(), 1, "{master}");
            assert!(!master.contains("surround"), "{master}");
        }
    }

    async fn a_surround_rendition_that_the_source_spoils_leaves_the_stereo_one(farm: Farm) {
        let farm = with_surround(farm).await;
        let (plan, upload, worker) = (plan_of(&[6]), farm.upload("clip").await, farm.worker("w1").await);
        let job = worker.claim().await;
        let planned = worker.plan(&job, plan.clone()).await.unwrap();
        assert!(planned.qualities.iter().any(|report| report.quality.name == "audio0surround"));
        for report in planned.qualities.iter().filter(|report| !report.quality.skipped) {
            if report.quality.name != "audio0surround" {
                let all = 0..=plan.segment_count() - 1;
                worker.deliver(&job, &plan, &report.quality.name, all).await.unwrap();
            }
        }
        let left_out = vec![LeftOut { quality: "audio0surround".to_owned(), error: "damaged".to_owned() }];
        let request = CompleteRequest { job_id: job.job_id, fence: job.fence, results: None, left_out };
        lifecycle::complete::complete(worker.app(), worker.id, &request).await.unwrap();
        let master = master(&farm, upload.video.id, 1).await;
        assert!(master.contains("audio0/playlist.m3u8") && !master.contains("surround"), "{master}");
    }

    async fn surround_alone_is_encoded_again_and_carried_over(farm: Farm) {
        let farm = with_surround(farm).await;
        let plan = plan_of(&[6]);
        let video = made(&farm, &plan).await;
        let first = master(&farm, video, 1).await;
        let worker = farm.worker("w2").await;
        for (generation, again) in [(2, "audio0surround"), (3, "audio0")] {
            let request = retranscode::Request { qualities: vec![again.to_owned()], ..<_>::default() };
            retranscode(&farm.app, video, request, "somebody").await.unwrap();
            let job = worker.claim().await;
            let missing: Vec<_> = worker.plan(&job, plan.clone()).await.unwrap().qualities;
            let missing = missing.iter().filter(|report| !report.quality.skipped && report.have.is_empty());
            assert_eq!(missing.map(|report| report.quality.name.as_str()).collect::<Vec<_>>(), [again]);
            worker.deliver(&job, &plan, again, 0..=plan.segment_count() - 1).await.unwrap();
            worker.complete(&job).await.unwrap();
            let now = master(&farm, video, generation).await;
            assert_eq!(now, first.replace("g1/", &format!("g{generation}/")));
        }
    }
}
