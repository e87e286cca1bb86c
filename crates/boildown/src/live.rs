//! A page that is served on this machine while what it shows changes.
//!
//! Only this machine can connect. The address has a random token, since other users of the machine
//! can connect, too. A request has to name the address as its host, since a page of another site
//! could make a browser ask for this one under another name.

use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use httparse::{EMPTY_HEADER, Request};

use crate::error::{CliError, ExitKind};
use crate::stdout;

/// The time that a client has to send its request or to take the answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The largest request, in bytes.
const MAX_REQUEST: u64 = 16 << 10;

/// The number of clients that are served at the same time.
const MAX_CLIENTS: usize = 16;

/// Number of headers of a request, at most.
const MAX_HEADERS: usize = 100;

/// The status of what is no request, or names several hosts.
const UNREADABLE: &str = "400 Bad Request";

/// A page is made again after this many times the time that it took: a reduction runs beside it.
const REST: u32 = 20;

/// Serves a page until the process ends, and prints its address. `make` is asked again for each
/// version of the page.
///
/// # Errors
/// [`CliError`] when the page cannot be made at first, or no port is free.
pub(crate) fn serve(make: impl Fn() -> Result<String, CliError> + Sync) -> Result<(), CliError> {
    let page = FreshPage {
        known: Mutex::new(MadePage::new(&make)?),
        make,
    };
    let (listener, door) = open().map_err(|error| {
        let what = "failed to open a port of this machine for the page";
        let error = CliError::new(ExitKind::CannotRun, what).because(error.to_string());
        error.hint("without --live, the page is written to a file")
    })?;
    stdout::write(format!("http://{}{}\n", door.hosts[0], door.path).as_bytes());
    let clients = Mutex::new(0);
    let is_full = |by: isize| {
        let mut clients = clients.lock().unwrap_or_else(PoisonError::into_inner);
        let after = usize::saturating_add_signed(*clients, by);
        let is_full = after > MAX_CLIENTS;
        if !is_full {
            *clients = after;
        }
        is_full
    };
    thread::scope(|scope| {
        for client in listener.incoming().flatten() {
            if is_full(1) {
                continue;
            }
            scope.spawn(|| {
                // An error of the connection concerns this client only.
                answer(client, &door, &page).ok();
                is_full(-1);
            });
        }
    });
    Ok(())
}

fn open() -> io::Result<(TcpListener, Door)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let mut token = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut token)?;
    let door = Door::new(listener.local_addr()?.port(), u128::from_ne_bytes(token));
    Ok((listener, door))
}

/// What a request has to name.
struct Door {
    /// The path, with the token.
    path: String,
    hosts: [String; 2],
}

impl Door {
    fn new(port: u16, token: u128) -> Self {
        Self {
            path: format!("/{token:032x}/"),
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
        }
    }

    /// Returns the status of a refusal; `None` when the request may have the page.
    fn refusal(&self, request: &Request<'_, '_>) -> Option<&'static str> {
        let mut hosts = header(request, "host");
        let is_ours = |host: &[u8]| self.hosts.iter().any(|ours| ours.as_bytes() == host);
        match (hosts.next(), hosts.next()) {
            (Some(_), Some(_)) => Some(UNREADABLE),
            (host, _) if !host.is_some_and(is_ours) => Some("403 Forbidden"),
            _ if request.path != Some(&self.path) => Some("404 Not Found"),
            _ if request.method != Some("GET") => Some("405 Method Not Allowed"),
            _ => None,
        }
    }
}

/// Returns the values of a header.
fn header<'a>(request: &Request<'_, 'a>, name: &str) -> impl Iterator<Item = &'a [u8]> {
    let found = request.headers.iter();
    found
        .filter(move |header| header.name.eq_ignore_ascii_case(name))
        .map(|header| header.value)
}

/// A page as it was made.
struct MadePage {
    text: String,
    /// What names this version of it.
    tag: String,
    made: Instant,
    took: Duration,
}

impl MadePage {
    fn new(make: impl Fn() -> Result<String, CliError>) -> Result<Self, CliError> {
        let start = Instant::now();
        let text = make()?;
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Ok(Self {
            tag: format!("\"{:016x}\"", hasher.finish()),
            text,
            made: Instant::now(),
            took: start.elapsed(),
        })
    }
}

/// The last page, and the way to make a new one.
struct FreshPage<F> {
    known: Mutex<MadePage>,
    make: F,
}

impl<F: Fn() -> Result<String, CliError>> FreshPage<F> {
    /// Returns the page and its tag. It may be a moment old.
    fn get(&self) -> (String, String) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.made.elapsed() >= known.took * REST
            // The store may be written anew just now: the last page stays.
            && let Ok(page) = MadePage::new(&self.make)
        {
            *known = page;
        }
        (known.text.clone(), known.tag.clone())
    }
}

fn answer<F: Fn() -> Result<String, CliError>>(
    mut client: TcpStream,
    door: &Door,
    page: &FreshPage<F>,
) -> io::Result<()> {
    client.set_read_timeout(Some(PATIENCE))?;
    client.set_write_timeout(Some(PATIENCE))?;
    let head = read_head(&client)?;
    let mut headers = [EMPTY_HEADER; MAX_HEADERS];
    let mut request = Request::new(&mut headers);
    let is_read = request.parse(&head).is_ok_and(|read| read.is_complete());
    let refusal = match is_read {
        true => door.refusal(&request),
        false => Some(UNREADABLE),
    };
    let (status, tag, body) = match refusal {
        Some(status) => (status, String::new(), format!("{status}\n")),
        None => {
            let (text, tag) = page.get();
            match header(&request, "if-none-match").any(|known| known == tag.as_bytes()) {
                true => ("304 Not Modified", tag, String::new()),
                false => ("200 OK", tag, text),
            }
        }
    };
    let kind = if tag.is_empty() { "plain" } else { "html" };
    let length = body.len();
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/{kind}; charset=utf-8\r\n\
         Content-Length: {length}\r\nETag: {tag}\r\nCache-Control: no-store\r\n\
         Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: frame-ancestors 'none'\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n"
    )?;
    client.write_all(body.as_bytes())
}

/// Reads until the empty line after the headers.
fn read_head(client: &TcpStream) -> io::Result<Vec<u8>> {
    let start = Instant::now();
    let mut head = Vec::new();
    let mut part = [0; 2048];
    let mut limited = client.take(MAX_REQUEST);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = limited.read(&mut part)?;
        if read == 0 || start.elapsed() > PATIENCE {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend(&part[..read]);
    }
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(head: &str) -> Option<&'static str> {
        let door = Door {
            path: "/secret/".to_owned(),
            ..Door::new(80, 0)
        };
        let mut headers = [EMPTY_HEADER; MAX_HEADERS];
        let mut request = Request::new(&mut headers);
        match request.parse(head.as_bytes()) {
            Ok(read) if read.is_complete() => door.refusal(&request),
            _ => Some(UNREADABLE),
        }
    }

    #[test]
    fn only_who_knows_the_token_and_the_host_has_the_page() {
        for (head, status) in [
            ("GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", None),
            ("GET /secret/ HTTP/1.1\r\nhost: localhost:80\r\n\r\n", None),
            (
                "GET / HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
                Some("404 Not Found"),
            ),
            (
                "GET /secret/x HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
                Some("404 Not Found"),
            ),
            (
                "GET /secret/ HTTP/1.1\r\nHost: evil.example:80\r\n\r\n",
                Some("403 Forbidden"),
            ),
            ("GET /secret/ HTTP/1.1\r\n\r\n", Some("403 Forbidden")),
            (
                "POST /secret/ HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
                Some("405 Method Not Allowed"),
            ),
            (
                "GET /secret/ HTTP/1.1\r\nHost: localhost:80\r\nHost: a\r\n\r\n",
                Some(UNREADABLE),
            ),
            ("GET /secret/ SPDY\r\n\r\n", Some(UNREADABLE)),
            ("\r\n\r\n", Some(UNREADABLE)),
        ] {
            assert_eq!(refusal(head), status, "{head}");
        }
    }

    #[test]
    fn each_door_has_another_token() {
        let [one, other] = [open(), open()].map(|opened| opened.unwrap().1);
        assert_ne!(one.path, other.path);
        assert_eq!(one.path.len(), 34);
    }
}
