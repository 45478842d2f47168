//! A real nginx or HAProxy on a port and in a directory of its own, ended with the test.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Certificate;
use rustix::process::{Pid, Signal, kill_process};

use crate::certificates;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// As few lines as it takes to forward.
    Nginx,
    /// `docker/nginx.conf`.
    NginxAsShipped,
    /// The same with `docker/nginx-tls.conf`.
    NginxWithTls,
    /// The timeouts are those that Debian's package brings; without them it warns.
    Haproxy,
    /// `docker/haproxy.cfg`.
    HaproxyAsShipped,
}

impl Kind {
    /// Says who the client is.
    pub(super) fn forwards_the_client(self) -> bool {
        matches!(self, Self::NginxAsShipped | Self::NginxWithTls | Self::HaproxyAsShipped)
    }

    fn config(self, port: u16, upstream: SocketAddr, dir: &Path) -> String {
        match self {
            Self::Nginx => {
                let dir = dir.display();
                format!(
                    "pid {dir}/pid; events {{}} http {{ access_log off; client_body_temp_path {dir}/body; \
                     proxy_temp_path {dir}/proxy; fastcgi_temp_path {dir}/f; uwsgi_temp_path {dir}/u; \
                     scgi_temp_path {dir}/s; server {{ listen 127.0.0.1:{port}; \
                     location / {{ proxy_pass http://{upstream}; }} }} }}"
                )
            }
            Self::Haproxy => format!(
                "defaults\n mode http\n timeout connect 5000\n timeout client 50000\n timeout server 50000\n\
                 frontend web\n bind 127.0.0.1:{port}\n default_backend api\n\
                 backend api\n server one {upstream}\n"
            ),
            Self::NginxAsShipped => nginx(&format!("127.0.0.1:{port}"), upstream, dir),
            Self::NginxWithTls => nginx(&format!("unix:{}/plain", dir.display()), upstream, dir),
            Self::HaproxyAsShipped => replaced(
                include_str!("../../../../docker/haproxy.cfg"),
                &[
                    ("bind :8080", &format!("bind 127.0.0.1:{port}")),
                    ("api-1:8080", &upstream.to_string()),
                    ("api-2:8080", &upstream.to_string()),
                ],
            ),
        }
    }

    fn command(self, dir: &Path) -> Command {
        let file = dir.join("config");
        // Debian keeps servers where an ordinary user's PATH does not look.
        let find = |name: &str| {
            ["/usr/sbin", "/usr/local/sbin", "/usr/bin"]
                .map(|place| Path::new(place).join(name))
                .into_iter()
                .find(|program| program.exists())
                .unwrap_or_else(|| panic!("no {name} here: run scripts/setup test"))
        };
        match self {
            Self::Nginx | Self::NginxAsShipped | Self::NginxWithTls => {
                let mut command = Command::new(find("nginx"));
                command.arg("-p").arg(dir).arg("-c").arg(file).args(["-e", "stderr", "-g", "daemon off;"]);
                command
            }
            Self::Haproxy | Self::HaproxyAsShipped => {
                let mut command = Command::new(find("haproxy"));
                command.arg("-db").arg("-f").arg(file);
                command
            }
        }
    }
}

/// `docker/nginx.conf` where it listens for who speaks plain http.
fn nginx(plain: &str, upstream: SocketAddr, dir: &Path) -> String {
    replaced(
        include_str!("../../../../docker/nginx.conf"),
        &[
            ("listen 8080;", &format!("listen {plain};")),
            ("api-1:8080", &upstream.to_string()),
            ("api-2:8080", &upstream.to_string()),
            (" /tmp/", &format!(" {}/", dir.display())),
        ],
    )
}

/// `docker/nginx-tls.conf` with a new certificate. Who signed it.
fn write_tls(port: u16, dir: &Path) -> Certificate {
    let (_, authority) = certificates::write(dir);
    let config = replaced(
        include_str!("../../../../docker/nginx-tls.conf"),
        &[
            ("listen 8443 ssl;", &format!("listen 127.0.0.1:{port} ssl;")),
            ("/run/secrets/tls_cert", &format!("{}/cert.pem", dir.display())),
            ("/run/secrets/tls_key", &format!("{}/key.pem", dir.display())),
        ],
    );
    std::fs::create_dir(dir.join("tls")).unwrap();
    std::fs::write(dir.join("tls/framefarm.conf"), config).unwrap();
    authority
}

/// Each of the words must be there, so that the tests do not run something else than what is shipped.
fn replaced(config: &str, words: &[(&str, &str)]) -> String {
    words.iter().fold(config.to_owned(), |config, (word, by)| {
        assert!(config.contains(word), "the shipped file no longer says `{word}`");
        config.replace(word, by)
    })
}

pub(super) struct Proxy {
    child: Child,
    pub(super) address: SocketAddr,
    /// Who signed its certificate, if it has one.
    pub(super) authority: Option<Certificate>,
    _dir: tempfile::TempDir,
}

impl Proxy {
    pub(super) fn start(kind: Kind, upstream: SocketAddr) -> Self {
        // Somebody may take the port between the look and the start.
        (0..5).find_map(|_| Self::try_start(kind, upstream)).expect("the proxy does not start")
    }

    fn try_start(kind: Kind, upstream: SocketAddr) -> Option<Self> {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        // Started by root, nginx does its work as nobody.
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        std::fs::write(dir.path().join("config"), kind.config(address.port(), upstream, dir.path())).unwrap();
        let authority = (kind == Kind::NginxWithTls).then(|| write_tls(address.port(), dir.path()));
        let child = kind.command(dir.path()).stdin(Stdio::null()).spawn().unwrap();
        let mut proxy = Self { child, address, authority, _dir: dir };
        let began = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(began.elapsed() < Duration::from_secs(30), "{kind:?} does not listen");
            if proxy.child.try_wait().unwrap().is_some() {
                return None;
            }
            std::thread::yield_now();
        }
        Some(proxy)
    }
}

impl Drop for Proxy {
    /// Politely: nginx would leave its workers behind otherwise.
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.child.wait();
    }
}
