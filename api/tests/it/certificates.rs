//! Certificates for the time of a test.

use std::path::Path;

use framefarm_api::config::TlsSettings;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use reqwest::Certificate;

/// Whom they are made out to, beside 127.0.0.1.
pub(crate) const NAME: &str = "farm.test";

/// Writes a certificate and its key, and gives who signed it.
pub(crate) fn write(directory: &Path) -> (TlsSettings, Certificate) {
    let mut authority = CertificateParams::new([]).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = [NAME.to_owned(), "127.0.0.1".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let [certificate_file, key_file] = ["cert.pem", "key.pem"].map(|name| directory.join(name));
    std::fs::write(&certificate_file, certificate.pem()).unwrap();
    std::fs::write(&key_file, key.serialize_pem()).unwrap();
    let settings = TlsSettings { tls_cert: Some(certificate_file), tls_key: Some(key_file) };
    (settings, Certificate::from_pem(authority.pem().as_bytes()).unwrap())
}
