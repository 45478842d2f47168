//! How long the secrets that people choose must be.

use anyhow::bail;

use super::Settings;

const SHORTEST_PASSWORD: usize = 12;
const SHORTEST_SECRET: usize = 16;

impl Settings {
    /// Refuses secrets that can be guessed where strangers can try; where only this machine reaches the farm, they are
    /// worth a warning ([`Self::short_secrets`]).
    pub(super) fn check_secrets(&self) -> anyhow::Result<()> {
        match self.short_secrets().into_iter().next() {
            Some(short) if self.is_exposed() => bail!(short),
            _ => Ok(()),
        }
    }

    /// What is set but too short, and what to do about it.
    pub fn short_secrets(&self) -> Vec<String> {
        let chosen = [
            (
                "admin_password",
                &self.admin_password,
                SHORTEST_PASSWORD,
                "If it is unset, the first start generates one.",
            ),
            ("admin_secret", &self.admin_secret, SHORTEST_SECRET, "`openssl rand -hex 16` generates one."),
        ];
        let short = chosen
            .into_iter()
            .filter(|(_, secret, least, _)| !secret.is_empty() && secret.chars().count() < *least);
        short
            .map(|(name, _, least, tip)| format!("{name} must have at least {least} characters. {tip}"))
            .collect()
    }

    /// Passwords, tokens and worker keys come from other machines without encryption, as far as the settings tell.
    pub fn is_in_the_clear(&self) -> bool {
        let encrypted = self.tls.is_on()
            || !self.trusted_proxies.is_empty()
            || self.public_url.get().is_some_and(|url| url.starts_with("https://"));
        !encrypted && !self.listen.ip().to_canonical().is_loopback()
    }

    /// Somebody on another machine may reach the farm.
    fn is_exposed(&self) -> bool {
        !self.listen.ip().to_canonical().is_loopback()
            || self.public_url.get().is_some()
            || !self.trusted_proxies.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(password: &str, secret: &str) -> Settings {
        let mut settings = Settings::defaults().unwrap();
        (settings.admin_password, settings.admin_secret) = (password.to_owned(), secret.to_owned());
        settings
    }

    #[test]
    fn short_secrets_are_refused_where_strangers_can_try() {
        for (password, secret, named) in [
            ("elevenchars", "", Some("admin_password")),
            ("twelve chars", "", None),
            ("", "fifteen letters", Some("admin_secret")),
            ("", "sixteen letters!", None),
            ("", "", None),
        ] {
            let mut exposed = settings(password, secret);
            exposed.listen = "0.0.0.0:8080".parse().unwrap();
            let refused = exposed.check().err().map(|error| error.to_string());
            assert_eq!(refused.is_some(), named.is_some(), "{refused:?}");
            if let (Some(refused), Some(named)) = (refused, named) {
                assert!(refused.starts_with(&format!("{named} must have at least")), "{refused}");
            }
        }
    }

    #[test]
    fn only_what_other_machines_reach_without_tls_is_in_the_clear() {
        let clear = |change: fn(&mut Settings)| {
            let mut settings = Settings::defaults().unwrap();
            settings.listen = "0.0.0.0:8080".parse().unwrap();
            change(&mut settings);
            settings.is_in_the_clear()
        };
        assert!(clear(|_| {}));
        assert!(clear(|settings| settings.public_url = "http://farm.example.org".parse().unwrap()));
        assert!(!clear(|settings| settings.listen = "127.0.0.1:8080".parse().unwrap()));
        assert!(!clear(|settings| settings.public_url = "https://farm.example.org".parse().unwrap()));
        assert!(!clear(|settings| settings.trusted_proxies = "10.0.0.1".parse().unwrap()));
        assert!(!clear(|settings| settings.tls.tls_cert = Some("cert.pem".into())));
    }

    #[test]
    fn a_farm_that_only_this_machine_reaches_starts_with_a_short_password() {
        let mut own = settings("short", "short");
        own.check().unwrap();
        assert_eq!(own.short_secrets().len(), 2);
        own.listen = "[::1]:8080".parse().unwrap();
        own.check().unwrap();
        own.trusted_proxies = "127.0.0.1".parse().unwrap();
        own.check().unwrap_err();
        own.trusted_proxies = "".parse().unwrap();
        own.public_url = "https://farm.example.org".parse().unwrap();
        own.check().unwrap_err();
    }
}
