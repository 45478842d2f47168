//! A webhook's URL: whose it is, and what of it may be shown.

use framefarm_shared::alert::EndpointKind;
use reqwest::Url;

/// Whose webhook this is, by its host and path.
pub(super) fn recognise(url: &Url) -> EndpointKind {
    let (host, path) = (url.host_str().unwrap_or_default(), url.path());
    let is_discords = |name: &str| host == name || host.ends_with(&format!(".{name}"));
    if (is_discords("discord.com") || is_discords("discordapp.com")) && path.starts_with("/api/") {
        // Discord reads Slack's form there.
        return if path.ends_with("/slack") { EndpointKind::Slack } else { EndpointKind::Discord };
    }
    match host {
        "hooks.slack.com" | "hooks.slack-gov.com" => EndpointKind::Slack,
        _ => EndpointKind::Generic,
    }
}

/// Host and last characters: enough to tell two apart, too little to use.
pub(super) fn shown(url: &str) -> String {
    let Ok(url) = Url::parse(url) else { return "…".to_owned() };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = format!("{}{port}", url.host_str().unwrap_or_default());
    let rest: Vec<char> = format!("{}{}", url.path(), url.query().unwrap_or_default()).chars().collect();
    match rest.len() {
        ..=1 => host,
        2..16 => format!("{host}/…"),
        length => format!("{host}/…{}", rest[length - 4..].iter().collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_known_by_the_host() {
        use EndpointKind::{Discord, Generic, Slack};
        for (text, kind) in [
            ("https://hooks.slack.com/services/T0/B0/x", Slack),
            ("https://HOOKS.SLACK.COM/workflows/T0/B0/x", Slack),
            ("https://discord.com/api/webhooks/1/x", Discord),
            ("https://canary.discord.com/api/v10/webhooks/1/x", Discord),
            ("https://discordapp.com/api/webhooks/1/x", Discord),
            ("https://discord.com/api/webhooks/1/x/slack", Slack),
            ("https://evil-discord.com/api/webhooks/1/x", Generic),
            ("https://hooks.slack.com.example.org/services/T0", Generic),
            ("https://example.org/hooks.slack.com", Generic),
        ] {
            assert_eq!(recognise(&Url::parse(text).unwrap()), kind, "{text}");
        }
    }

    #[test]
    fn of_a_url_only_the_host_and_a_few_characters_are_shown() {
        for (url, text) in [
            ("https://hooks.slack.com/services/T000/B000/abcdefghij", "hooks.slack.com/…ghij"),
            ("https://example.org:8443/hook?token=secret", "example.org:8443/…cret"),
            ("https://example.org/short", "example.org/…"),
            ("https://example.org", "example.org"),
        ] {
            assert_eq!(shown(url), text);
        }
    }
}
