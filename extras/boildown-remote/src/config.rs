//! The address of a service, and how it is reached.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::RemoteError;

/// A service, and how to reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteConfig {
    /// The address.
    pub address: Address,
    /// The name of an instance of the service; usually empty.
    pub instance: String,
    /// Properties of the workers, such as `container-image`.
    pub properties: Vec<(String, String)>,
    /// Variables that commands see. Nothing of the local environment is sent.
    pub variables: Vec<(String, String)>,
    /// A file of certificates (PEM) that sign the service's; otherwise those of the system.
    pub authorities: Option<PathBuf>,
    /// Files with a certificate and a private key (PEM) that identify us.
    pub identity: Option<ClientIdentity>,
    /// A file with a token that is sent with each request.
    pub token: Option<PathBuf>,
    /// How long a service that does not answer is tried again.
    pub patience: Duration,
    /// How long the service may be silent before the link is checked.
    pub silence: Duration,
}

/// The files of a certificate of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientIdentity {
    /// The certificate, and those that sign it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// The address of a service: `grpc://host:port` or `grpcs://host:port`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    authority: String,
    is_encrypted: bool,
}

impl RemoteConfig {
    /// Returns the configuration for a service that asks for nothing.
    #[must_use]
    pub fn new(address: Address) -> Self {
        Self {
            address,
            instance: String::new(),
            properties: Vec::new(),
            variables: Vec::new(),
            authorities: None,
            identity: None,
            token: None,
            patience: Duration::from_secs(120),
            silence: Duration::from_secs(10),
        }
    }
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// [`RemoteError::Address`] when it has another form.
    pub fn parse(text: &str) -> Result<Self, RemoteError> {
        let wrong = || RemoteError::Address { text: text.into() };
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let is_encrypted = match scheme {
            "grpcs" | "https" => true,
            "grpc" | "http" => false,
            _ => return Err(wrong()),
        };
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = authority.rsplit_once(':').ok_or_else(wrong)?;
        let is_host = !host.is_empty()
            && !host.contains(['/', '@', '?', '#', ' '])
            && (!host.contains(':') || host.starts_with('[') && host.ends_with(']'));
        if !is_host || port.parse::<u16>().is_err() {
            return Err(wrong());
        }
        Ok(Self {
            text: text.to_owned(),
            authority: authority.to_owned(),
            is_encrypted,
        })
    }

    /// Returns whether the connection uses TLS.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Returns whether the service is on this machine.
    pub(crate) fn is_local(&self) -> bool {
        let host = self.authority.rsplit_once(':').map_or("", |(host, _)| host);
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }

    pub(crate) fn uri(&self) -> String {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_a_host_and_a_port() {
        for (text, uri) in [
            ("grpc://localhost:50051", "http://localhost:50051"),
            (
                "grpcs://build.example.com:443/",
                "https://build.example.com:443",
            ),
            ("grpc://[::1]:1", "http://[::1]:1"),
        ] {
            assert_eq!(Address::parse(text).unwrap().uri(), uri);
        }
        for text in [
            "localhost:50051",
            "ftp://a:1",
            "grpc://localhost",
            "grpc://:1",
            "grpc://a:70000",
            "grpc://::1:1",
            "grpc://a/b:1",
        ] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.contains("grpcs://host:port"), "{error}");
        }
    }

    #[test]
    fn only_a_loopback_address_is_on_this_machine() {
        let is_local = |text| Address::parse(text).unwrap().is_local();
        assert!(is_local("grpc://127.0.0.1:1") && is_local("grpc://[::1]:1"));
        assert!(!is_local("grpc://10.0.0.1:1") && !is_local("grpc://127.0.0.1.example.com:1"));
    }
}
