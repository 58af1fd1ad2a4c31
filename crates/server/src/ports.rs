//! The TCP ports of the planes, besides the sockets.
//!
//! Without a certificate a port listens on this machine only. A default port is skipped if another
//! program has it; a port that the settings name has to be free.

use crate::limits;
use crate::limits::Rate;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpSocket};
use tokio_rustls::TlsAcceptor;

pub const DEFAULT_AGENT_PORT: u16 = 7778;
pub const DEFAULT_OPERATOR_PORT: u16 = 7777;

/// The ports to open.
#[derive(Clone, Debug)]
pub struct Ports {
    pub agent: Option<Port>,
    pub operator: Option<Port>,
    /// Host names of the daemon, besides those of the local machine.
    pub names: Vec<String>,
    /// Needed for connections from other machines.
    pub tls: Option<Certificate>,
    pub rates: Rates,
}

/// One plane's port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    pub address: IpAddr,
    pub number: u16,
    pub if_taken: TakenPortPolicy,
}

/// What happens if another program has the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenPortPolicy {
    /// The server does not start.
    Fail,
    /// The plane is served on its socket only.
    Skip,
}

/// The files of a certificate and its key, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    pub chain: PathBuf,
    pub key: PathBuf,
}

/// The rate limits of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    pub per_credential: Rate,
    pub per_address: Rate,
    /// Failed authentications per address.
    pub failures: Rate,
}

impl Rates {
    pub const DEFAULT: Self = Self {
        per_credential: limits::RATE_PER_CREDENTIAL,
        per_address: limits::RATE_PER_ADDRESS,
        failures: limits::RATE_OF_FAILURES,
    };
}

impl Ports {
    /// Sockets only.
    pub const fn none() -> Self {
        Self { agent: None, operator: None, names: Vec::new(), tls: None, rates: Rates::DEFAULT }
    }

    /// The default ports, on the local machine.
    pub const fn local() -> Self {
        let mut ports = Self::none();
        ports.agent = Some(Port::local(DEFAULT_AGENT_PORT));
        ports.operator = Some(Port::local(DEFAULT_OPERATOR_PORT));
        ports
    }
}

impl Port {
    const fn local(number: u16) -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::LOCALHOST), number, if_taken: TakenPortPolicy::Skip }
    }
}

/// Why a port cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    #[error("port {} is taken by another program", .0.port())]
    Taken(SocketAddr),
    #[error("port {} cannot be opened at {}: {cause}", address.port(), address.ip())]
    Unusable { address: SocketAddr, cause: io::Error },
    #[error("{0} can be reached from other machines, and no certificate is set")]
    NoCertificate(IpAddr),
    #[error("{0} stands for every address, and no host name is set")]
    NoHostName(IpAddr),
    #[error("the certificate `{}` cannot be used: {why}", file.display())]
    Certificate { file: PathBuf, why: String },
    #[error("the certificate's key `{}` cannot be used: {why}", file.display())]
    Key { file: PathBuf, why: String },
}

impl PortError {
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Taken(_) => "stop that program, set another port, or serve with `--no-http`",
            Self::Unusable { .. } => "set another port or address, or serve with `--no-http`",
            Self::NoCertificate(_) => {
                "set `tls.certificate` and `tls.key`, or an address such as 127.0.0.1"
            }
            Self::NoHostName(_) => "list the host names in the setting `network.names`",
            Self::Certificate { .. } => "use a PEM file with the certificate and its chain",
            Self::Key { .. } => {
                "use the PEM file of the certificate's key, with a mode that lets only you read it"
            }
        }
    }
}

pub(crate) struct OpenPort {
    pub listener: TcpListener,
    pub address: SocketAddr,
    pub tls: Option<TlsAcceptor>,
    /// The values that a `Host` header may have.
    pub hosts: Vec<String>,
}

/// Opens a port. None if it is taken and may be skipped.
pub(crate) fn open_port(port: Port, ports: &Ports) -> Result<Option<OpenPort>, PortError> {
    let requested = SocketAddr::new(port.address, port.number);
    let is_local = port.address.is_loopback();
    if port.address.is_unspecified() && ports.names.is_empty() {
        return Err(PortError::NoHostName(port.address));
    }
    let tls = match (is_local, &ports.tls) {
        (true, _) => None,
        (false, Some(certificate)) => Some(tls_acceptor(certificate)?),
        (false, None) => return Err(PortError::NoCertificate(port.address)),
    };
    let listener = match (bind_port(requested), port.if_taken) {
        (Ok(listener), _) => listener,
        (Err(cause), if_taken) if cause.kind() == io::ErrorKind::AddrInUse => match if_taken {
            TakenPortPolicy::Fail => return Err(PortError::Taken(requested)),
            TakenPortPolicy::Skip => return Ok(None),
        },
        (Err(cause), _) => return Err(PortError::Unusable { address: requested, cause }),
    };
    let address = listener.local_addr();
    let address = address.map_err(|cause| PortError::Unusable { address: requested, cause })?;
    let default_port = if tls.is_some() { HTTPS } else { HTTP };
    let hosts = accepted_hosts(address, &ports.names, default_port);
    Ok(Some(OpenPort { listener, address, tls, hosts }))
}

/// The other address of `localhost`, at the same port number.
pub(crate) enum TwinPort {
    Open(OpenPort),
    /// This machine has no such address, so nobody listens there.
    NoSuchAddress,
    Taken(SocketAddr),
    /// The port is at no address of `localhost`.
    NotLocalhost,
}

/// A browser that looks for `localhost` may try either address first, so both have to be ours.
pub(crate) fn open_twin(port: Option<&OpenPort>) -> TwinPort {
    let Some(port) = port.filter(|port| port.tls.is_none()) else { return TwinPort::NotLocalhost };
    let ip = match port.address.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V4(_) | IpAddr::V6(_) => return TwinPort::NotLocalhost,
    };
    let address = SocketAddr::new(ip, port.address.port());
    match bind_port(address) {
        Ok(listener) => {
            let hosts = port.hosts.clone();
            TwinPort::Open(OpenPort { listener, address, tls: None, hosts })
        }
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => TwinPort::Taken(address),
        Err(_) => TwinPort::NoSuchAddress,
    }
}

/// Reuses an address that was closed a moment ago, so that a restart works.
fn bind_port(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(limits::TCP_BACKLOG)
}

/// The ports that clients leave out of the `Host` header.
const HTTP: u16 = 80;
const HTTPS: u16 = 443;

/// The values that a `Host` header may have. Any other host can be another site's name that was
/// pointed at this address (DNS rebinding).
fn accepted_hosts(address: SocketAddr, names: &[String], default_port: u16) -> Vec<String> {
    let number = address.port();
    let mut hosts = vec!["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned()];
    match address.ip() {
        ip if ip.is_unspecified() => {}
        IpAddr::V4(ip) => hosts.push(ip.to_string()),
        IpAddr::V6(ip) => hosts.push(format!("[{ip}]")),
    }
    hosts.extend(names.iter().map(|name| name.to_ascii_lowercase()));
    let with_port = hosts.iter().map(|host| format!("{host}:{number}"));
    let without_port = hosts.iter().filter(|_| number == default_port).cloned();
    with_port.chain(without_port).collect()
}

fn tls_acceptor(certificate: &Certificate) -> Result<TlsAcceptor, PortError> {
    let Certificate { chain: file, key } = certificate;
    let unusable = |why: String| PortError::Certificate { file: file.clone(), why };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(error.to_string()))?;
    if chain.is_empty() {
        return Err(unusable("it contains no certificate".to_owned()));
    }
    let key = read_private_key(key)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| unusable(error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read_private_key(file: &Path) -> Result<PrivateKeyDer<'static>, PortError> {
    use std::os::unix::fs::PermissionsExt;
    let unusable = |why: String| PortError::Key { file: file.to_owned(), why };
    let metadata = std::fs::metadata(file).map_err(|error| unusable(error.to_string()))?;
    if metadata.permissions().mode() & 0o007 != 0 {
        return Err(unusable("every user can read it".to_owned()));
    }
    PrivateKeyDer::from_pem_file(file).map_err(|error| unusable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(address: &str, names: &[String], default_port: u16) -> Vec<String> {
        accepted_hosts(address.parse().unwrap(), names, default_port)
    }

    #[test]
    fn a_host_needs_the_port_unless_it_is_the_default_port() {
        let found = hosts("127.0.0.1:7777", &[], HTTP);
        assert!(found.contains(&"localhost:7777".to_owned()));
        assert!(!found.contains(&"localhost".to_owned()));
        assert!(hosts("127.0.0.1:80", &[], HTTP).contains(&"localhost".to_owned()));
    }

    #[test]
    fn the_unspecified_address_is_not_a_host() {
        let found = hosts("0.0.0.0:443", &["Desk.Example".to_owned()], HTTPS);
        assert!(found.contains(&"desk.example".to_owned()));
        assert!(!found.iter().any(|host| host.starts_with("0.0.0.0")));
    }
}
