//! Encrypted connections. The service speaks none itself, so a proxy ends them before it, as load
//! balancers do.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use boildown_oracle::Outcome;
use boildown_remote::{
    Address, ClientIdentity, RemoteConfig, RemoteError, RemoteRunner, RemoteService,
};
use tempfile::TempDir;

use crate::casd::Casd;
use crate::runs::{command, run};

/// Ends encrypted connections, and asks clients for a certificate of the authority.
const PROXY: &str = r#"
import asyncio, ssl, sys

certificate, key, authority, target = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.load_verify_locations(authority)
context.verify_mode = ssl.CERT_REQUIRED
context.set_alpn_protocols(["h2"])

async def carry(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()

async def connected(reader, writer):
    server_reader, server_writer = await asyncio.open_connection("127.0.0.1", int(target))
    await asyncio.gather(carry(reader, server_writer), carry(server_reader, writer))

async def main():
    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"#;

/// An authority, a server and a client that it has signed, and the proxy.
struct Tls {
    dir: TempDir,
    proxy: Child,
    port: u16,
}

impl Tls {
    /// Returns `None` where a tool is missing, and then it says so.
    #[expect(clippy::print_stdout, reason = "a test says that it is skipped")]
    fn before(target: u16) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        if !make_certificates(dir.path()) {
            println!("skipped: openssl or python3 is missing");
            return None;
        }
        let path = |name: &str| dir.path().join(name);
        let mut proxy = Command::new("python3")
            .args(["-c", PROXY])
            .args([path("server.pem"), path("server.key"), path("ca.pem")])
            .arg(target.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let stdout = proxy.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut port).unwrap();
        let port = port.trim().parse().unwrap();
        Some(Self { dir, proxy, port })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Returns a configuration that trusts the authority, and identifies itself.
    fn config(&self) -> RemoteConfig {
        let address = Address::parse(&format!("grpcs://localhost:{}", self.port)).unwrap();
        RemoteConfig {
            authorities: Some(self.path("ca.pem")),
            identity: Some(ClientIdentity {
                certificate: self.path("client.pem"),
                key: self.path("client.key"),
            }),
            patience: Duration::from_millis(300),
            ..RemoteConfig::new(address)
        }
    }
}

impl Drop for Tls {
    fn drop(&mut self) {
        self.proxy.kill().ok();
        self.proxy.wait().ok();
    }
}

/// Makes the certificates in a directory. Returns whether that was possible.
fn make_certificates(dir: &Path) -> bool {
    let script = r#"set -e
        command -v python3 >/dev/null
        new="openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj"
        $new /CN=authority -x509 -days 2 -keyout ca.key -out ca.pem
        for name in server client; do
            $new /CN=$name -keyout $name.key -out $name.csr
            echo subjectAltName=DNS:localhost >$name.ext
            openssl x509 -req -days 2 -in $name.csr -CA ca.pem -CAkey ca.key \
                -CAcreateserial -extfile $name.ext -out $name.pem
        done"#;
    let output = Command::new("sh")
        .args(["-c", script])
        .current_dir(dir)
        .output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
fn an_encrypted_connection_with_certificates_of_both_sides_runs_tests() {
    let Some(casd) = Casd::start() else { return };
    let Some(tls) = Tls::before(casd.port()) else {
        return;
    };
    let service = Arc::new(RemoteService::connect(tls.config()).unwrap());
    let runner = RemoteRunner::new(service, command(&["false"])).unwrap();
    assert_eq!(run(&runner, b"x").outcome, Outcome::Exited(1));
}

#[test]
fn a_service_that_cannot_be_trusted_or_does_not_trust_us_is_an_error() {
    let Some(casd) = Casd::start() else { return };
    let Some(tls) = Tls::before(casd.port()) else {
        return;
    };
    let error = |config| RemoteService::connect(config).unwrap_err().to_string();
    let untrusted = error(RemoteConfig {
        authorities: None,
        ..tls.config()
    });
    assert!(untrusted.contains("UnknownIssuer"), "{untrusted}");
    assert!(untrusted.contains("--remote ca="), "{untrusted}");
    // The proxy closes the connection without a reason.
    error(RemoteConfig {
        identity: None,
        ..tls.config()
    });
    let without_tls = Address::parse(&format!("grpcs://localhost:{}", casd.port())).unwrap();
    let plain = error(RemoteConfig {
        address: without_tls,
        ..tls.config()
    });
    assert!(plain.contains("try grpc://"), "{plain}");
}

#[test]
fn secrets_are_not_sent_over_an_open_connection() {
    let token = tempfile::NamedTempFile::new().unwrap();
    let config = RemoteConfig {
        token: Some(token.path().to_owned()),
        ..RemoteConfig::new(Address::parse("grpc://build.example.com:1").unwrap())
    };
    let error = RemoteService::connect(config).unwrap_err();
    assert!(matches!(error, RemoteError::Unsendable { .. }), "{error}");
    assert!(error.to_string().contains("write grpcs://"), "{error}");
}
