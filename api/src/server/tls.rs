//! TLS for who comes right to us. A renewed certificate is taken without a restart.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use anyhow::{Context, ensure};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::MissedTickBehavior;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::server::TlsStream;

use crate::config::TlsSettings;

/// Between two looks at the files.
const EVERY: Duration = Duration::from_mins(1);

/// What connections are encrypted with.
pub struct Tls {
    pub(super) acceptor: TlsAcceptor,
    files: Files,
    current: Arc<Current>,
}

impl Tls {
    /// `None` where the settings name no certificate.
    pub fn load(settings: &TlsSettings) -> anyhow::Result<Option<Self>> {
        let (Some(certificate), Some(key)) = (&settings.tls_cert, &settings.tls_key) else { return Ok(None) };
        let files = Files { certificate: certificate.clone(), key: key.clone() };
        let current = Arc::new(Current(RwLock::new(Arc::new(files.read()?))));
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(current.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Some(Self { acceptor: TlsAcceptor::from(Arc::new(config)), files, current }))
    }

    /// Looks at the files from time to time, for ever.
    pub(super) async fn keep_fresh(&self) {
        let mut seen = self.files.changed_at();
        let mut turns = tokio::time::interval(EVERY);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            turns.tick().await;
            self.look(&mut seen);
        }
    }

    /// What cannot be read leaves the certificate that is there.
    fn look(&self, seen: &mut ChangedAt) {
        let now = self.files.changed_at();
        if now == *seen {
            return;
        }
        match self.files.read() {
            Ok(read) => {
                self.current.set(read);
                tracing::info!("certificate reloaded: {}", self.files.certificate.display());
                *seen = now;
            }
            // The two are not written at once: the next look may find both.
            Err(error) => tracing::warn!("cannot reload the certificate, keeping the old one: {error:#}"),
        }
    }
}

/// Certificate and key.
type ChangedAt = [Option<SystemTime>; 2];

/// Plain HTTP clients get an HTTP answer.
pub(super) async fn accept(
    acceptor: &TlsAcceptor,
    mut stream: TcpStream,
) -> io::Result<TlsStream<TcpStream>> {
    const HANDSHAKE: u8 = 0x16;
    const SPEAK_TLS: &str = "This port requires https: use https:// in the URL.\n";
    let mut first = [0];
    if stream.peek(&mut first).await? == 1 && first[0] != HANDSHAKE {
        let answer = format!(
            "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{SPEAK_TLS}",
            SPEAK_TLS.len()
        );
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        return Err(ErrorKind::InvalidData.into());
    }
    acceptor.accept(stream).await
}

struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

impl Files {
    fn read(&self) -> anyhow::Result<CertifiedKey> {
        let named = |file: &Path| file.display().to_string();
        let chain: Vec<_> = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect)
            .with_context(|| format!("tls_cert: cannot read {}", named(&self.certificate)))?;
        ensure!(!chain.is_empty(), "tls_cert: {} contains no PEM certificate", named(&self.certificate));
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .with_context(|| format!("tls_key: cannot read a private key in {}", named(&self.key)))?;
        CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider())
            .with_context(|| format!("{} and {} do not match", named(&self.certificate), named(&self.key)))
    }

    fn changed_at(&self) -> ChangedAt {
        let changed = |file: &Path| file.metadata().and_then(|metadata| metadata.modified()).ok();
        [changed(&self.certificate), changed(&self.key)]
    }
}

#[derive(Debug)]
struct Current(RwLock<Arc<CertifiedKey>>);

impl Current {
    fn get(&self) -> Arc<CertifiedKey> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, key: CertifiedKey) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(key);
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.get())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use rcgen::{CertifiedKey as Made, generate_simple_self_signed};

    use super::*;

    /// Files that were written in the same instant have the same time.
    fn write(path: &Path, text: &str, changed_at: SystemTime) {
        std::fs::write(path, text).unwrap();
        File::options().write(true).open(path).unwrap().set_modified(changed_at).unwrap();
    }

    #[test]
    fn a_renewed_certificate_is_taken_once_its_key_is_there_too() {
        let directory = tempfile::tempdir().unwrap();
        let [certificate, key] = ["cert.pem", "key.pem"].map(|name| directory.path().join(name));
        let make = || generate_simple_self_signed(["farm.test".to_owned()]).unwrap();
        let (old, new): (Made<_>, Made<_>) = (make(), make());
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        write(&certificate, &old.cert.pem(), at(1));
        write(&key, &old.signing_key.serialize_pem(), at(1));
        let settings = TlsSettings { tls_cert: Some(certificate.clone()), tls_key: Some(key.clone()) };
        let tls = Tls::load(&settings).unwrap().unwrap();
        let shown = || tls.current.get().cert[0].clone();
        let mut seen = tls.files.changed_at();
        tls.look(&mut seen);
        assert_eq!(&shown(), old.cert.der());
        write(&certificate, &new.cert.pem(), at(2));
        tls.look(&mut seen);
        assert_eq!(&shown(), old.cert.der());
        write(&key, &new.signing_key.serialize_pem(), at(2));
        tls.look(&mut seen);
        assert_eq!(&shown(), new.cert.der());
    }
}
