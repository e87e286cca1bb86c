//! The connection to a service: requests with their deadlines, repeated while it is unreachable.

use std::fs;
use std::future::Future;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prost::Message as _;
use tokio::time::{Instant, sleep, timeout};
use tonic::metadata::{Ascii, Binary, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Request, Status};

use bazel_remote_apis::build::bazel::remote::execution::v2 as reapi;

use crate::error::{answer, tls_advice};
use crate::{RemoteConfig, RemoteError};

/// Bytes a second below which a link counts as broken.
const SLOWEST_LINK: u64 = 8 * 1024;

/// The pause before a request is repeated; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);

const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A connection that is made again when it breaks.
#[derive(Debug)]
pub(crate) struct Connection {
    config: RemoteConfig,
    endpoint: Endpoint,
    channel: Mutex<NumberedChannel>,
    token: Mutex<Option<MetadataValue<Ascii>>>,
    tool: MetadataValue<Binary>,
}

/// A channel, and how many there were before it.
#[derive(Debug, Clone)]
struct NumberedChannel {
    number: u64,
    channel: Channel,
}

/// The pauses between the repetitions of a request.
#[derive(Debug)]
pub(crate) struct Patience {
    total: Duration,
    since: Option<Instant>,
    pause: Duration,
}

impl Connection {
    pub(crate) fn new(config: RemoteConfig) -> Result<Self, RemoteError> {
        let endpoint = endpoint(&config)?;
        let details = reapi::RequestMetadata {
            tool_details: Some(reapi::ToolDetails {
                tool_name: "boildown".into(),
                tool_version: env!("CARGO_PKG_VERSION").into(),
            }),
            ..Default::default()
        };
        let connection = Self {
            channel: Mutex::new(NumberedChannel {
                number: 0,
                channel: endpoint.connect_lazy(),
            }),
            endpoint,
            token: Mutex::new(None),
            tool: MetadataValue::from_bytes(&details.encode_to_vec()),
            config,
        };
        connection.read_token()?;
        Ok(connection)
    }

    pub(crate) fn config(&self) -> &RemoteConfig {
        &self.config
    }

    /// Reads the token again; returns whether it has changed.
    fn read_token(&self) -> Result<bool, RemoteError> {
        let Some(path) = &self.config.token else {
            return Ok(false);
        };
        let text = String::from_utf8_lossy(&read(path)?).trim().to_owned();
        let header = MetadataValue::try_from(format!("Bearer {text}")).ok();
        let Some(mut header) = header.filter(|_| !text.is_empty()) else {
            return Err(RemoteError::Unsendable {
                what: format!("the token of {}", path.display()),
                reason: "it is empty or has a line break; write only the token".to_owned(),
            });
        };
        header.set_sensitive(true);
        let mut token = lock(&self.token);
        let is_new = token.as_ref() != Some(&header);
        *token = Some(header);
        Ok(is_new)
    }

    /// Returns a request with everything that identifies us.
    pub(crate) fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let metadata = request.metadata_mut();
        let key = "build.bazel.remote.execution.v2.requestmetadata-bin";
        metadata.insert_bin(key, self.tool.clone());
        if let Some(token) = &*lock(&self.token) {
            metadata.insert("authorization", token.clone());
        }
        request
    }

    /// Returns the current channel.
    pub(crate) fn channel(&self) -> Channel {
        lock(&self.channel).channel.clone()
    }

    /// Returns the number of the current channel.
    pub(crate) fn number(&self) -> u64 {
        lock(&self.channel).number
    }

    /// Gives up the channel with this number, if it is still the current one: requests on it had no
    /// answer, so the link may be cut without a trace.
    pub(crate) fn give_up(&self, number: u64) {
        let mut current = lock(&self.channel);
        if current.number == number {
            *current = NumberedChannel {
                number: number + 1,
                channel: self.endpoint.connect_lazy(),
            };
        }
    }

    pub(crate) fn patience(&self) -> Patience {
        Patience {
            total: self.config.patience,
            since: None,
            pause: FIRST_PAUSE,
        }
    }

    /// Makes a request until it is answered or refused. `size` is the number of bytes that it
    /// carries, or that the answer may have.
    pub(crate) async fn call<T, F>(
        &self,
        action: &'static str,
        size: u64,
        mut request: impl FnMut(Channel) -> F,
    ) -> Result<Result<T, Status>, RemoteError>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let mut patience = self.patience();
        let limit = self.config.silence * 2 + Duration::from_secs(size / SLOWEST_LINK);
        loop {
            let NumberedChannel { number, channel } = lock(&self.channel).clone();
            let status = match timeout(limit, request(channel)).await {
                Ok(Ok(answer)) => return Ok(Ok(answer)),
                Ok(Err(status)) => status,
                Err(_) => {
                    self.give_up(number);
                    Status::deadline_exceeded(format!("no answer within {limit:?}"))
                }
            };
            match self.after(action, status, &mut patience).await? {
                None => {}
                Some(status) => return Ok(Err(status)),
            }
        }
    }

    /// Decides what follows a request that failed: after a pause `None` when it is to be made
    /// again, and the status when its meaning depends on the request.
    pub(crate) async fn after(
        &self,
        action: &'static str,
        status: Status,
        patience: &mut Patience,
    ) -> Result<Option<Status>, RemoteError> {
        if is_passing(&status) {
            return match patience.pause().await {
                true => Ok(None),
                false if matches!(status.code(), Code::ResourceExhausted | Code::Internal) => {
                    Err(RemoteError::refused(action, &status))
                }
                false => Err(RemoteError::Gone {
                    seconds: patience.waited().as_secs(),
                    answer: answer(&status),
                }),
            };
        }
        match status.code() {
            // Tokens expire, and something else writes a new one to the file.
            Code::Unauthenticated if self.read_token()? => Ok(None),
            Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => {
                Err(RemoteError::refused(action, &status))
            }
            _ => Ok(Some(status)),
        }
    }
}

impl Patience {
    /// Waits before the next try. Returns whether there is one.
    pub(crate) async fn pause(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() + self.pause > self.total {
            return false;
        }
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }

    /// Returns how long it was tried.
    fn waited(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Notes that the service answered.
    pub(crate) fn renew(&mut self) {
        self.since = None;
        self.pause = FIRST_PAUSE;
    }
}

/// Returns whether the request may succeed later, as it is.
pub(crate) fn is_passing(status: &Status) -> bool {
    use std::error::Error as _;
    if tls_advice(status).is_some() {
        return false;
    }
    match status.code() {
        Code::Unavailable
        | Code::ResourceExhausted
        | Code::DeadlineExceeded
        | Code::Aborted
        | Code::Internal => true,
        // A broken connection, which has no code of its own.
        Code::Unknown | Code::Cancelled => status.source().is_some(),
        _ => false,
    }
}

fn endpoint(config: &RemoteConfig) -> Result<Endpoint, RemoteError> {
    let address = &config.address;
    let set_up = |source: tonic::transport::Error| RemoteError::SetUp {
        source: Box::new(source),
    };
    if !address.is_encrypted() {
        let secrets = [
            (config.token.is_some(), "a token"),
            (config.identity.is_some(), "a certificate"),
            (config.authorities.is_some(), "certificates"),
        ];
        let is_bad = |(is_given, what): &(bool, &str)| {
            *is_given && (*what != "a token" || !address.is_local())
        };
        if let Some((_, what)) = secrets.iter().find(|secret| is_bad(secret)) {
            return Err(RemoteError::Unsendable {
                what: (*what).to_owned(),
                reason: "the connection is not encrypted; write grpcs://".to_owned(),
            });
        }
    }
    let endpoint = Endpoint::from_shared(address.uri())
        .map_err(set_up)?
        .connect_timeout(Duration::from_secs(10))
        .tcp_keepalive(Some(Duration::from_secs(30)))
        .tcp_nodelay(true)
        .user_agent(concat!("boildown/", env!("CARGO_PKG_VERSION")))
        .map_err(set_up)?;
    if !address.is_encrypted() {
        return Ok(endpoint);
    }
    let mut tls = ClientTlsConfig::new();
    tls = match &config.authorities {
        Some(path) => tls.ca_certificate(Certificate::from_pem(read(path)?)),
        None => tls.with_native_roots(),
    };
    if let Some(identity) = &config.identity {
        let (certificate, key) = (read(&identity.certificate)?, read(&identity.key)?);
        tls = tls.identity(Identity::from_pem(certificate, key));
    }
    endpoint.tls_config(tls).map_err(set_up)
}

#[expect(
    clippy::disallowed_methods,
    reason = "tokens and certificates are read here only"
)]
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, RemoteError> {
    fs::read(path).map_err(|source| RemoteError::File {
        path: path.to_owned(),
        source,
    })
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Address;

    #[tokio::test]
    async fn a_token_is_read_again_when_the_service_wants_a_new_one() {
        let file = tempfile::NamedTempFile::new().unwrap();
        #[expect(clippy::disallowed_methods, reason = "a file of a test")]
        let write = |token: &str| fs::write(file.path(), token).unwrap();
        write("first\n");
        let connection = Connection::new(RemoteConfig {
            token: Some(file.path().to_owned()),
            ..RemoteConfig::new(Address::parse("grpc://localhost:1").unwrap())
        })
        .unwrap();
        let header = || {
            let request = connection.request(());
            let header = request.metadata().get("authorization").unwrap();
            header.to_str().unwrap().to_owned()
        };
        assert_eq!(header(), "Bearer first");
        let after = async || {
            let status = Status::unauthenticated("expired");
            let patience = &mut connection.patience();
            connection.after("run a test", status, patience).await
        };
        assert!(matches!(after().await, Err(RemoteError::Refused { .. })));
        write("second");
        assert!(matches!(after().await, Ok(None)));
        assert!(header() == "Bearer second");
    }
}
