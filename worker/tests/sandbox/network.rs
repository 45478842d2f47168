//! Ways out through the network.

use std::env;
use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixStream};

use framefarm_worker::sandbox::Layer;

use crate::attempt::WayOut;
use crate::yard::Yard;

const TCP: &str = "SANDBOX_TCP";
const UDP: &str = "SANDBOX_UDP";

/// Somebody to call.
pub(crate) struct Listening {
    tcp: TcpListener,
    udp: UdpSocket,
}

impl Listening {
    pub(crate) fn start() -> Self {
        let here = "127.0.0.1:0";
        Self { tcp: TcpListener::bind(here).unwrap(), udp: UdpSocket::bind(here).unwrap() }
    }

    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        let (tcp, udp) = (self.tcp.local_addr().unwrap(), self.udp.local_addr().unwrap());
        vec![(TCP, tcp.to_string()), (UDP, udp.to_string())]
    }
}

pub(crate) fn ways_out() -> Vec<WayOut> {
    // Landlock stops TCP since Linux 6.7.
    let tcp =
        |name, run| WayOut { perhaps_by: &[Layer::Files], ..WayOut::new(name, &[Layer::Syscalls], run) };
    vec![
        tcp("it_cannot_connect_to_a_tcp_listener", connect),
        tcp("it_cannot_listen_for_tcp", listen),
        WayOut::new("it_cannot_send_udp", &[Layer::Syscalls], send_udp),
        WayOut::new("it_cannot_have_a_pair_of_unix_sockets", &[Layer::Syscalls], |_| {
            UnixStream::pair().map(drop)
        }),
        WayOut::new("it_cannot_have_a_unix_socket", &[Layer::Syscalls], |_| {
            UnixDatagram::unbound().map(drop)
        }),
        WayOut::new("it_cannot_go_around_the_filter_with_io_uring", &[Layer::Syscalls], ring),
    ]
}

fn connect(_: &Yard) -> io::Result<()> {
    TcpStream::connect(env::var(TCP).unwrap()).map(drop)
}

fn listen(_: &Yard) -> io::Result<()> {
    TcpListener::bind("127.0.0.1:0").map(drop)
}

fn send_udp(_: &Yard) -> io::Result<()> {
    UdpSocket::bind("127.0.0.1:0")?.send_to(b"out", env::var(UDP).unwrap()).map(drop)
}

fn ring(_: &Yard) -> io::Result<()> {
    io_uring::IoUring::new(2).map(drop)
}
