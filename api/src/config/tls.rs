//! Encryption of the connections that come right to this service.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

#[derive(Clone, Debug, Default, Args)]
pub struct TlsSettings {
    /// File with the certificate for `https://` and those that signed it, as PEM; read again when it changes. Behind a
    /// proxy that does TLS, leave it out
    #[arg(long, env = "FRAMEFARM_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// File with the private key of the certificate, as PEM
    #[arg(long, env = "FRAMEFARM_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

impl TlsSettings {
    pub fn check(&self) -> anyhow::Result<()> {
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            bail!("tls_cert and tls_key belong together: set both or neither");
        }
        Ok(())
    }

    pub fn is_on(&self) -> bool {
        self.tls_cert.is_some()
    }
}
