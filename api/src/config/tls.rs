//! TLS for connections made directly to this service.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

#[derive(Clone, Debug, Default, Args)]
pub struct TlsSettings {
    /// PEM file with the TLS certificate chain; enables HTTPS and is reloaded when it changes. Leave it unset
    /// behind a proxy that terminates TLS
    #[arg(long, env = "FRAMEFARM_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// PEM file with the private key of the certificate
    #[arg(long, env = "FRAMEFARM_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

impl TlsSettings {
    pub fn check(&self) -> anyhow::Result<()> {
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            bail!("tls_cert and tls_key: set both or neither");
        }
        Ok(())
    }

    pub fn is_on(&self) -> bool {
        self.tls_cert.is_some()
    }
}
