//! A link to a service that can be cut, held up and slowed.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A port that leads to another one.
pub(crate) struct Proxy {
    port: u16,
    link: Arc<Link>,
}

#[derive(Default)]
struct Link {
    /// New connections are closed at once.
    is_cut: AtomicBool,
    /// Nothing passes, and no connection is closed.
    is_held: AtomicBool,
    /// Microseconds for each 64 bytes.
    pause: AtomicU64,
    connections: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    pub(crate) fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let link = Arc::new(Link::default());
        let shared = Arc::clone(&link);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if shared.is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else {
                    continue;
                };
                let ends = [(&client, &server), (&server, &client)];
                for (from, to) in ends {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let link = Arc::clone(&shared);
                    thread::spawn(move || link.carry(from, to));
                }
                shared.connections.lock().unwrap().extend([client, server]);
            }
        });
        Self { port, link }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Closes all connections, and refuses new ones.
    pub(crate) fn cut(&self) {
        self.link.is_cut.store(true, Ordering::SeqCst);
        for connection in self.link.connections.lock().unwrap().drain(..) {
            connection.shutdown(Shutdown::Both).ok();
        }
    }

    /// Lets nothing through, as a network that drops every packet. Connections that are open stay
    /// dead.
    pub(crate) fn hold(&self) {
        self.link.is_held.store(true, Ordering::SeqCst);
    }

    /// Accepts new connections again.
    pub(crate) fn mend(&self) {
        self.link.is_cut.store(false, Ordering::SeqCst);
        self.link.is_held.store(false, Ordering::SeqCst);
    }

    /// Carries this many bytes a second.
    pub(crate) fn slow_down(&self, bytes: u64) {
        let pause = 64 * 1_000_000 / bytes;
        self.link.pause.store(pause, Ordering::SeqCst);
    }
}

impl Link {
    fn carry(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            if self.is_held.load(Ordering::SeqCst) {
                // What is held is lost, so the connection is of no use any more.
                while from.read(&mut buffer).is_ok_and(|count| count > 0) {}
                break;
            }
            let pause = self.pause.load(Ordering::SeqCst) * (count as u64).div_ceil(64);
            thread::sleep(Duration::from_micros(pause));
            if to.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
        to.shutdown(Shutdown::Both).ok();
    }
}
