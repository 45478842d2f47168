//! Files by their address: what servers do, and what they must not lead us to.

use chrono::Duration;
use framefarm_api::app::App;
use framefarm_api::db::uploads::{self, UploadRequest};
use framefarm_api::intake::queue::{self, Origin, Taken, Wanted};
use framefarm_api::on_both_engines;
use framefarm_api::testing::Farm;
use framefarm_shared::id::IntakeId;
use framefarm_shared::intake::IntakeState;

use super::server::{Answer, Server};
use super::{Site, run};

/// A farm that may reach these servers.
async fn beside(farm: Farm, servers: &[&Server]) -> Site {
    let allow: Vec<String> = servers.iter().map(|server| server.place()).collect();
    Site::with(farm, |settings, _| settings.intake.intake_url_allow = allow.join(",").parse().unwrap()).await
}

async fn add(app: &App, url: &str) -> Taken {
    let request = UploadRequest { file_name: "upload".to_owned(), ..UploadRequest::default() };
    let wanted = Wanted { from: Origin::Url(url.to_owned()), request };
    queue::add(app, vec![Ok(wanted)], "admin").await.unwrap().remove(0)
}

async fn accepted(site: &Site, url: &str) -> IntakeId {
    match add(&site.farm.app, url).await {
        Taken::Accepted(id) => id,
        other => panic!("{other:?}"),
    }
}

fn a_clip() -> Vec<u8> {
    (0..5000_u32).map(|n| (n % 251) as u8).collect()
}

on_both_engines! {
    async fn a_file_comes_in_by_its_address(farm: Farm) {
        let server = Server::start(vec![Answer::file(&a_clip(), "\"v1\"", 5000)]).await;
        let site = beside(farm, &[&server]).await;
        let url = server.url("clips/My%20clip.mp4?token=secret");
        let id = accepted(&site, &url).await;
        assert!(matches!(add(&site.farm.app, &url).await, Taken::Duplicate(same) if same == id));
        assert_eq!(site.run().await, [1, 0, 0]);
        let row = site.row(id).await;
        assert_eq!((row.state, row.size, row.received), (IntakeState::Done, Some(5000), 5000));
        assert_eq!(site.source(id).await, a_clip());
        assert_eq!(site.farm.video(row.video_id.unwrap()).await.source_name, "My clip.mp4");
        let shown = framefarm_api::responses::intake::get(&site.farm.app, id).await.unwrap().place;
        assert_eq!(shown, server.url("clips/My%20clip.mp4"), "a query may be a secret");
        assert!(site.farm.events().await.iter().all(|event| !event.reason.as_deref().unwrap_or("").contains("secret")));
    }

    async fn a_transfer_that_breaks_goes_on_where_it_was(farm: Farm) {
        let clip = a_clip();
        let server = Server::start(vec![
            Answer::file(&clip, "\"v1\"", 2000), Answer::new("503 Busy\ncontent-length: 0", b""), Answer::rest(&clip, "\"v1\"", 2000),
        ]).await;
        let site = beside(farm, &[&server]).await;
        let id = accepted(&site, &server.url("clip.mp4")).await;
        assert_eq!(site.run().await, [0, 1, 0]);
        let row = site.row(id).await;
        assert_eq!((row.state, row.error_code.as_deref()), (IntakeState::Waiting, Some("transfer_broken")));
        let upload = uploads::get(&site.farm.app.db, row.upload_id.unwrap()).await.unwrap().unwrap();
        assert_eq!(upload.received, 2000);
        site.farm.wait(Duration::seconds(30));
        assert_eq!(site.run().await, [0, 1, 0]);
        site.farm.wait(Duration::seconds(60));
        assert_eq!(site.run().await, [1, 0, 0]);
        assert_eq!(site.source(id).await, clip);
        let requests = server.requests();
        assert!(!requests[0].contains("range:"));
        assert!(requests.last().unwrap().contains("range: bytes=2000-\r\nif-range: \"v1\""), "{requests:?}");
    }

    async fn bytes_of_two_versions_are_never_mixed(farm: Farm) {
        let (old, new) = (a_clip(), vec![9; 5000]);
        for second in [
            // The file changed, and the server says so.
            vec![Answer::file(&new, "\"v2\"", 5000)],
            // It says so too late, in the head of a part.
            vec![Answer::rest(&new, "\"v2\"", 2000), Answer::file(&new, "\"v2\"", 5000)],
            // It sends another part than it was asked for.
            vec![Answer::rest(&new, "\"v1\"", 1000), Answer::file(&new, "\"v2\"", 5000)],
            vec![Answer::new("416 No\ncontent-length: 0", b""), Answer::file(&new, "\"v2\"", 5000)],
        ] {
            let mut answers = vec![Answer::file(&old, "\"v1\"", 2000)];
            answers.extend(second);
            let server = Server::start(answers).await;
            let farm = Farm::on(if farm.app.db.is_sqlite() { framefarm_api::testing::TestDatabase::sqlite() } else {
                framefarm_api::testing::TestDatabase::postgres().await
            }, |_| {}).await;
            let site = beside(farm, &[&server]).await;
            let id = accepted(&site, &server.url("clip.mp4")).await;
            assert_eq!(site.run().await, [0, 1, 0]);
            site.farm.wait(Duration::seconds(30));
            assert_eq!(site.run().await, [1, 0, 0]);
            assert_eq!(site.source(id).await, new);
        }
    }

    async fn a_file_of_unknown_version_or_length_begins_anew(farm: Farm) {
        let clip = a_clip();
        let plain = |sent: usize| Answer::new("200 OK\ncontent-length: 5000", &clip[..sent]);
        let chunked = |body: &[u8]| Answer::new("200 OK\ntransfer-encoding: chunked", body);
        let mut whole = b"1388\r\n".to_vec();
        whole.extend_from_slice(&clip);
        whole.extend_from_slice(b"\r\n0\r\n\r\n");
        let server = Server::start(vec![plain(2000), chunked(&whole[..3000]), chunked(&whole)]).await;
        let site = beside(farm, &[&server]).await;
        let id = accepted(&site, &server.url("clip.mp4")).await;
        for pause in [30, 60] {
            assert_eq!(site.run().await, [0, 1, 0]);
            site.farm.wait(Duration::seconds(pause));
        }
        assert_eq!(site.run().await, [1, 0, 0]);
        assert_eq!(site.source(id).await, clip);
        assert!(server.requests().iter().all(|request| !request.contains("range:")));
    }

    async fn a_redirect_leads_only_to_what_is_allowed(farm: Farm) {
        let private = Server::start(vec![Answer::file(b"secret", "\"v1\"", 6)]).await;
        let clip = Server::start(vec![Answer::file(&a_clip(), "\"v1\"", 5000)]).await;
        let named = format!("http://localhost:{}/", private.port);
        let number = format!("http://2130706433:{}/", private.port);
        let mapped = format!("http://[::ffff:127.0.0.1]:{}/", private.port);
        let places = [
            &private.url("x"), &named, &number, &mapped, "http://169.254.169.254/latest/meta-data", "http://0.0.0.0:8080/", "file:///etc/passwd",
            "ftp://example.org/x", "http://user:password@example.org/", "http://10.0.0.1/", "http://example.org:22/", "//127.0.0.1:9000/", "http://",
        ];
        let answers: Vec<Answer> = places.iter().map(|place| Answer::to(place)).chain([Answer::to(&clip.url("clip.mp4"))]).collect();
        let server = Server::start(answers).await;
        let site = beside(farm, &[&server, &clip]).await;
        for place in places {
            let id = accepted(&site, &server.url("clip.mp4")).await;
            assert_eq!(site.run().await, [0, 0, 1], "{place}");
            let row = site.row(id).await;
            let code = row.error_code.unwrap();
            assert!(code == "url_not_allowed" || code == "bad_redirect", "{place}: {code}");
        }
        assert!(private.requests().is_empty(), "nobody connected");
        let id = accepted(&site, &server.url("clip.mp4")).await;
        assert_eq!(site.run().await, [1, 0, 0]);
        assert_eq!(site.source(id).await, a_clip());
        let server = Server::start(vec![Answer::to("/again")]).await;
        let site = beside(site.farm, &[&server]).await;
        let id = accepted(&site, &server.url("clip.mp4")).await;
        assert_eq!(site.run().await, [0, 0, 1]);
        assert_eq!((site.row(id).await.error_code.as_deref(), server.requests().len()), (Some("too_many_redirects"), 6));
    }

    async fn an_endless_body_ends_where_uploads_end(farm: Farm) {
        let piece = vec![7; 100_000];
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), &piece, b"\r\n"].concat();
        let server = Server::start(vec![
            Answer::endless("200 OK", &piece), Answer::endless("200 OK\ntransfer-encoding: chunked", &chunk),
            Answer::endless("200 OK\ncontent-length: 999999999999\netag: \"v1\"", &piece),
        ]).await;
        let site = beside(farm, &[&server]).await;
        let site = Site { farm: site.farm.restarted(|settings| settings.max_upload_bytes = 1_000_000).await, ..site };
        for _ in 0..3 {
            let id = accepted(&site, &server.url("clip.mp4")).await;
            assert_eq!(site.run().await, [0, 0, 1]);
            assert_eq!(site.row(id).await.error_code.as_deref(), Some("upload_too_large"));
        }
        assert_eq!(std::fs::read_dir(site.farm.app.scratch()).unwrap().count(), 0, "nothing is left");
        assert_eq!(uploads::outstanding_bytes(&site.farm.app.db, site.farm.now()).await.unwrap(), 0);
    }

    async fn a_transfer_that_hangs_is_cancelled_at_once(farm: Farm) {
        let server = Server::start(vec![Answer::file(&a_clip(), "\"v1\"", 2000).then_hang()]).await;
        let site = beside(farm, &[&server]).await;
        let id = accepted(&site, &server.url("clip.mp4")).await;
        let app = site.farm.app.clone();
        let running = tokio::spawn(async move { run(&app).await });
        server.answered().await;
        queue::cancel(&site.farm.app, id, "admin").await.unwrap();
        let ended = tokio::time::timeout(std::time::Duration::from_secs(20), running).await.expect("it hangs").unwrap();
        assert_eq!(ended, [0, 0, 0]);
        assert_eq!(site.row(id).await.state, IntakeState::Cancelled);
        assert_eq!(uploads::outstanding_bytes(&site.farm.app.db, site.farm.now()).await.unwrap(), 0);
    }

    async fn an_instance_that_stops_gives_its_file_back_with_its_bytes(farm: Farm) {
        let clip = a_clip().repeat(600);
        let server = Server::start(vec![
            Answer::file(&clip, "\"v1\"", 2_000_000).then_hang(), Answer::as_asked(&clip),
        ]).await;
        let site = beside(farm, &[&server]).await;
        let id = accepted(&site, &server.url("clip.mp4")).await;
        let other = site.farm.beside(|_| {}).await;
        let running = tokio::spawn({ let app = other.clone(); async move { run(&app).await } });
        server.answered().await;
        // There is no sign for bytes that have reached the disk.
        while !site.has_bytes(id, 500_000).await {
            tokio::task::yield_now().await;
        }
        other.shutdown.cancel();
        assert_eq!(running.await.unwrap(), [0, 0, 0]);
        let row = site.row(id).await;
        assert_eq!((row.state, row.attempts), (IntakeState::Waiting, 0), "it costs no attempt");
        assert_eq!(site.run().await, [1, 0, 0], "at once, without waiting for a lease");
        assert!(server.requests().last().unwrap().contains("range: bytes="), "from where it was");
        assert_eq!(site.source(id).await, clip);
    }

    async fn what_a_server_answers_decides_whether_it_is_asked_again(farm: Farm) {
        let answers = ["404 Not Found", "403 Forbidden", "410 Gone", "204 No Content", "206 Partial Content",
            "200 OK\ncontent-encoding: gzip", "200 OK", "500 Oops", "429 Slow down", "503 Busy"];
        let heads = answers.iter().map(|head| Answer::new(&format!("{head}\ncontent-length: 0"), b"")).collect();
        let server = Server::start(heads).await;
        let site = beside(farm, &[&server]).await;
        for answer in answers {
            let id = accepted(&site, &server.url(&format!("{}.mp4", answer.len()))).await;
            let again = answer.starts_with('5') || answer.starts_with("429");
            assert_eq!(site.run().await, if again { [0, 1, 0] } else { [0, 0, 1] }, "{answer}");
            if again {
                queue::cancel(&site.farm.app, id, "admin").await.unwrap();
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_of_unknown_length_does_not_fill_the_disk_of_a_farm_that_stores_elsewhere() {
    let chunked = b"5\r\nvideo\r\n0\r\n\r\n";
    let server = Server::start(vec![Answer::new("200 OK\ntransfer-encoding: chunked", chunked)]).await;
    let site = beside(Farm::postgres_s3().await, &[&server]).await;
    let full = site.farm.beside(|settings| settings.disk_reserve_bytes = 1 << 60).await;
    let id = accepted(&site, &server.url("clip.mp4")).await;
    assert_eq!(run(&full).await, [0, 1, 0]);
    let row = site.row(id).await;
    assert_eq!((row.state, row.error_code.as_deref()), (IntakeState::Waiting, Some("disk_full")));
    site.farm.wait(Duration::seconds(30));
    assert_eq!(site.run().await, [1, 0, 0]);
    assert_eq!(site.source(id).await, b"video");
}

#[tokio::test]
async fn private_addresses_are_refused_before_anything_is_asked() {
    let private = Server::start(vec![Answer::file(b"secret", "\"v1\"", 6)]).await;
    let site = Site::open(Farm::sqlite().await).await;
    for url in [
        private.url("x"),
        format!("http://2130706433:{}/", private.port),
        format!("http://0x7f.1:{}/", private.port),
        "http://[::1]:8080/".to_owned(),
        "https://10.1.2.3/clip.mp4".to_owned(),
        "ftp://example.org/clip.mp4".to_owned(),
        "file:///etc/passwd".to_owned(),
        "https://user:password@example.org/clip.mp4".to_owned(),
        "clip.mp4".to_owned(),
        String::new(),
    ] {
        let Taken::Refused(error) = add(&site.farm.app, &url).await else { panic!("{url}") };
        assert_eq!(error.code, "url_not_allowed", "{url}");
    }
    // A name is looked up when it is fetched, and each of its addresses must be public.
    let id = accepted(&site, &format!("http://localhost:{}/clip.mp4", private.port)).await;
    assert_eq!(site.run().await, [0, 0, 1]);
    assert_eq!(site.row(id).await.error_code.as_deref(), Some("url_not_allowed"));
    assert!(private.requests().is_empty(), "nobody connected");
    let site = Site::with(site.farm, |settings, _| settings.intake.intake_urls = false).await;
    let Taken::Refused(error) = add(&site.farm.app, "https://example.org/clip.mp4").await else {
        panic!("taken")
    };
    assert!(error.detail.contains("intake_urls"), "{}", error.detail);
}
