//! Signatures according to Standard Webhooks 1.0.0: HMAC-SHA256 over id, timestamp and body.

use anyhow::{Context, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const PREFIX: &str = "whsec_";

/// 192 random bits, as the standard recommends at least.
pub fn new_secret() -> String {
    format!("{PREFIX}{}", STANDARD.encode(rand::random::<[u8; 24]>()))
}

/// The bytes behind a secret.
pub fn key(secret: &str) -> anyhow::Result<Vec<u8>> {
    let text = secret.strip_prefix(PREFIX).context("the secret must start with `whsec_`")?;
    let key = STANDARD.decode(text).context("the secret must be base64 after `whsec_`")?;
    ensure!((24..=64).contains(&key.len()), "the secret must decode to 24 to 64 bytes, not {}", key.len());
    Ok(key)
}

/// One signature for each secret, separated by spaces: the receiver needs to know one of them.
pub fn signatures<'a>(
    secrets: impl IntoIterator<Item = &'a str>,
    id: &str,
    at: DateTime<Utc>,
    body: &[u8],
) -> anyhow::Result<String> {
    let signed: anyhow::Result<Vec<String>> =
        secrets.into_iter().map(|secret| signature(secret, id, at, body)).collect();
    Ok(signed?.join(" "))
}

fn signature(secret: &str, id: &str, at: DateTime<Utc>, body: &[u8]) -> anyhow::Result<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&key(secret)?)?;
    mac.update(format!("{id}.{}.", at.timestamp()).as_bytes());
    mac.update(body);
    Ok(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the standard's own documents.
    #[test]
    fn a_known_message_has_its_known_signature() {
        let at = DateTime::from_timestamp(1_614_265_330, 0).unwrap();
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", br#"{"test": 2432232314}"#);
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        assert_eq!(
            signatures([secret], id, at, body).unwrap(),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
        let both = signatures([secret, &new_secret()], id, at, body).unwrap();
        assert_eq!(both.split(' ').count(), 2);
    }

    #[test]
    fn a_secret_that_is_none_is_refused() {
        for text in ["", "abc", "whsec_", "whsec_!!!", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            assert!(key(text).is_err(), "{text}");
        }
        assert!(key(&new_secret()).is_ok());
    }
}
