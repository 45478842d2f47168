//! The page, as a browser gets it.

use std::path::Path;

use axum::http::StatusCode;

use super::Site;

async fn get(site: &Site, path: &str) -> super::Answer {
    site.call(&format!("GET {path}"), &[], None).await
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The paths that the page's own router has a screen for, as `/library/$id`.
fn screens() -> Vec<String> {
    let text = read("web/src/router.tsx");
    let paths = text.split("path: \"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
    let paths: Vec<_> = paths.collect();
    assert!(paths.len() > 5, "{paths:?}");
    paths
}

#[tokio::test]
async fn every_screen_is_the_same_document_under_a_strict_policy() {
    let site = Site::open().await;
    let index = get(&site, "/").await;
    assert_eq!(index.status, StatusCode::OK);
    for path in screens() {
        let path = path.replace("$id", "0197a3c2-0000-7000-8000-000000000001");
        let screen = get(&site, &path).await;
        assert_eq!((screen.status, &screen.body), (StatusCode::OK, &index.body), "{path}");
        assert_eq!(screen.header("cache-control"), "no-cache", "{path}");
        assert!(screen.header("content-type").starts_with("text/html"), "{path}");
        let policy = screen.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"), "{policy}");
    }
    let text = index.body.as_str().unwrap();
    assert!(!text.contains("<script>") && !text.contains("https://"), "{text}");
}

/// A path there ends with its quote, or goes on with a search.
#[test]
fn the_tests_in_the_browser_open_every_screen() {
    for file in ["access.test.mjs", "keyboard.test.mjs", "screenshots.mjs"] {
        let text = read(&format!("../tests/page/{file}"));
        let opens = |path: &str| match path.split_once('$') {
            Some((before, _)) => text.contains(&format!("`{before}${{")),
            None => ["'", "?"].iter().any(|end| text.contains(&format!("'{path}{end}"))),
        };
        // Keys are tested behind the login.
        let missing: Vec<_> = screens()
            .into_iter()
            .filter(|path| !opens(path) && (path != "/login" || file != "keyboard.test.mjs"))
            .collect();
        assert!(missing.is_empty(), "tests/page/{file}: {missing:?}");
    }
}

#[tokio::test]
async fn what_is_no_screen_and_no_file_is_not_there() {
    let site = Site::open().await;
    for path in ["/nothing", "/library/a/b", "/assets/nothing.js", "/api/nothing", "/index.htm"] {
        assert_eq!(get(&site, path).await.problem(), (404, "no_such_path"), "{path}");
    }
    assert_eq!(site.call("POST /queue", &[], None).await.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn files_whose_names_change_with_their_content_are_kept_for_ever() {
    let site = Site::open().await;
    let index = get(&site, "/").await;
    let text = index.body.as_str().unwrap();
    let named = text.split('"').filter(|word| word.starts_with("/assets/"));
    for path in named {
        let file = get(&site, path).await;
        assert_eq!(file.status, StatusCode::OK, "{path}");
        assert!(file.header("cache-control").contains("immutable"), "{path}");
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        let known = file.header("etag");
        let again = site.call(&format!("GET {path}"), &[("if-none-match", known)], None).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path}");
    }
}
