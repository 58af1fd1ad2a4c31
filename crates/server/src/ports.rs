//! The ports: where HTTP is spoken beside the sockets, and when it is not.
//!
//! Without a certificate a port is only open to this machine. A port that nobody asked for by
//! number is given up if somebody else has it; the sockets serve in any case.

use crate::limits;
use crate::rate::Rate;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpSocket};
use tokio_rustls::TlsAcceptor;

/// Where agents are expected, if nobody says otherwise.
pub const AGENTS: u16 = 7778;
/// Where the operator is expected.
pub const OPERATOR: u16 = 7777;

/// Which ports are open, and to whom.
#[derive(Clone, Debug)]
pub struct Ports {
    pub agent: Option<Port>,
    pub operator: Option<Port>,
    /// Names under which the daemon is reached, beside those of this machine.
    pub names: Vec<String>,
    /// For what is not on this machine.
    pub tls: Option<Certificate>,
    pub rates: Rates,
}

/// One plane's port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    pub address: IpAddr,
    pub number: u16,
    pub if_taken: IfTaken,
}

/// What happens if somebody else has the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfTaken {
    /// It was asked for: nothing starts.
    Fail,
    /// The sockets alone serve, and that is said.
    DoWithout,
}

/// The files of a certificate and its key, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    pub chain: PathBuf,
    pub key: PathBuf,
}

/// How much may be sent on a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    pub by_credential: Rate,
    pub by_address: Rate,
    pub failed: Rate,
}

impl Rates {
    pub const USUAL: Self = Self {
        by_credential: limits::BY_CREDENTIAL,
        by_address: limits::BY_ADDRESS,
        failed: limits::FAILED,
    };
}

impl Ports {
    /// The sockets alone.
    pub const fn none() -> Self {
        Self { agent: None, operator: None, names: Vec::new(), tls: None, rates: Rates::USUAL }
    }

    /// The usual ones, on this machine.
    pub const fn usual() -> Self {
        let mut ports = Self::none();
        ports.agent = Some(Port::usual(AGENTS));
        ports.operator = Some(Port::usual(OPERATOR));
        ports
    }
}

impl Port {
    const fn usual(number: u16) -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::LOCALHOST), number, if_taken: IfTaken::DoWithout }
    }
}

/// Why a port is not open.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    #[error("port {} is taken by another program", .0.port())]
    Taken(SocketAddr),
    #[error("port {} cannot be opened at {}: {cause}", address.port(), address.ip())]
    Closed { address: SocketAddr, cause: io::Error },
    #[error("{0} is not on this machine alone, and there is no certificate for it")]
    Bare(IpAddr),
    #[error("nobody says under which name {0} is reached")]
    Nameless(IpAddr),
    #[error("the certificate `{}` cannot be used: {why}", file.display())]
    Certificate { file: PathBuf, why: String },
    #[error("the certificate's key `{}` cannot be used: {why}", file.display())]
    Key { file: PathBuf, why: String },
}

impl PortError {
    /// What to do about it.
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Taken(_) => "end that program, name another port, or serve with `--no-http`",
            Self::Closed { .. } => "name another port or address, or serve with `--no-http`",
            Self::Bare(_) => {
                "name `tls.certificate` and `tls.key` in the settings, or an address such as 127.0.0.1"
            }
            Self::Nameless(_) => "list the names in the settings as `network.names`",
            Self::Certificate { .. } => "name a PEM file with the certificate and its chain",
            Self::Key { .. } => {
                "name the PEM file of the key that belongs to the certificate, readable by you alone"
            }
        }
    }
}

/// A port that is open.
pub(crate) struct Door {
    pub listener: TcpListener,
    pub address: SocketAddr,
    pub tls: Option<TlsAcceptor>,
    /// What a request may name as its host.
    pub hosts: Vec<String>,
}

/// Opens a port; none if it is taken and can be done without.
pub(crate) fn open(port: Port, ports: &Ports) -> Result<Option<Door>, PortError> {
    let asked = SocketAddr::new(port.address, port.number);
    let here = port.address.is_loopback();
    if !here && port.address.is_unspecified() && ports.names.is_empty() {
        return Err(PortError::Nameless(port.address));
    }
    let tls = match (here, &ports.tls) {
        (true, _) => None,
        (false, Some(certificate)) => Some(acceptor(certificate)?),
        (false, None) => return Err(PortError::Bare(port.address)),
    };
    let listener = match (bind(asked), port.if_taken) {
        (Ok(listener), _) => listener,
        (Err(cause), if_taken) if cause.kind() == io::ErrorKind::AddrInUse => match if_taken {
            IfTaken::Fail => return Err(PortError::Taken(asked)),
            IfTaken::DoWithout => return Ok(None),
        },
        (Err(cause), _) => return Err(PortError::Closed { address: asked, cause }),
    };
    let address =
        listener.local_addr().map_err(|cause| PortError::Closed { address: asked, cause })?;
    let hosts = hosts(address, &ports.names, if tls.is_some() { HTTPS } else { HTTP });
    Ok(Some(Door { listener, address, tls, hosts }))
}

/// A port that was just given up can be had again.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Who comes while others are let in, at most.
const BACKLOG: u32 = 1024;

/// The numbers that need not be said.
const HTTP: u16 = 80;
const HTTPS: u16 = 443;

/// Under which names a port may be meant. Any other is somebody else's page that was led here.
fn hosts(address: SocketAddr, names: &[String], unsaid: u16) -> Vec<String> {
    let number = address.port();
    let mut known = vec!["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned()];
    match address.ip() {
        ip if ip.is_unspecified() => {}
        IpAddr::V4(ip) => known.push(ip.to_string()),
        IpAddr::V6(ip) => known.push(format!("[{ip}]")),
    }
    known.extend(names.iter().map(|name| name.to_ascii_lowercase()));
    let numbered = known.iter().map(|name| format!("{name}:{number}"));
    let bare = known.iter().filter(|_| number == unsaid).cloned();
    numbered.chain(bare).collect()
}

fn acceptor(certificate: &Certificate) -> Result<TlsAcceptor, PortError> {
    let Certificate { chain: file, key } = certificate;
    let unusable = |why: String| PortError::Certificate { file: file.clone(), why };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(error.to_string()))?;
    if chain.is_empty() {
        return Err(unusable("it holds no certificate".to_owned()));
    }
    let key = private_key(key)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| unusable(error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, PortError> {
    use std::os::unix::fs::PermissionsExt;
    let unusable = |why: String| PortError::Key { file: file.to_owned(), why };
    let known = std::fs::metadata(file).map_err(|error| unusable(error.to_string()))?;
    if known.permissions().mode() & 0o007 != 0 {
        return Err(unusable("everybody can read it".to_owned()));
    }
    PrivateKeyDer::from_pem_file(file).map_err(|error| unusable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_port_is_meant_by_its_number_too() {
        let found = hosts(at("127.0.0.1:7777"), &[], HTTP);
        assert!(found.contains(&"localhost:7777".to_owned()));
        assert!(!found.contains(&"localhost".to_owned()));
        assert!(hosts(at("127.0.0.1:80"), &[], HTTP).contains(&"localhost".to_owned()));
    }

    #[test]
    fn a_name_is_one_that_was_said() {
        let found = hosts(at("0.0.0.0:443"), &["Desk.Example".to_owned()], HTTPS);
        assert!(found.contains(&"desk.example".to_owned()));
        assert!(!found.iter().any(|host| host.starts_with("0.0.0.0")));
    }
}
