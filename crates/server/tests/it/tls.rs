//! What is not on this machine alone is spoken to under TLS, or not at all.

use crate::house::House;
use crate::wire::{Asked, connect};
use countersign_server::{Certificate, IfTaken, ListenError, Port, PortError, Ports};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::json;
use std::fs::{self, Permissions};
use std::io::{BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use tempfile::TempDir;

struct Safe {
    folder: TempDir,
    root: CertificateDer<'static>,
}

impl Safe {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = rcgen::generate_simple_self_signed(vec!["desk.example".to_owned()]).unwrap();
        fs::write(folder.path().join("chain.pem"), made.cert.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        let safe = Self { folder, root: made.cert.der().clone() };
        safe.key_is(0o600);
        safe
    }

    fn key_is(&self, mode: u32) {
        fs::set_permissions(self.folder.path().join("key.pem"), Permissions::from_mode(mode))
            .unwrap();
    }

    fn certificate(&self) -> Certificate {
        let at = |name| self.folder.path().join(name);
        Certificate { chain: at("chain.pem"), key: at("key.pem") }
    }

    fn client(&self, port: u16) -> StreamOwned<ClientConnection, std::net::TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(self.root.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("desk.example").unwrap();
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        StreamOwned::new(connection, connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))))
    }
}

fn everywhere(tls: Option<Certificate>) -> Ports {
    let address = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let port = Some(Port { address, number: 0, if_taken: IfTaken::Fail });
    Ports { operator: port, names: vec!["desk.example".to_owned()], tls, ..Ports::none() }
}

fn refused(ports: &Ports) -> PortError {
    match House::on(ports) {
        Err(ListenError::Port(error)) => {
            assert!(!error.help().is_empty());
            error
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it is open"),
    }
}

#[test]
fn without_a_certificate_nothing_is_open_to_the_world() {
    let error = refused(&everywhere(None));
    assert!(matches!(error, PortError::NoCertificate(_)), "{error}");
    assert!(error.help().contains("tls.certificate"));
    let safe = Safe::new();
    let nameless = Ports { names: Vec::new(), ..everywhere(Some(safe.certificate())) };
    assert!(matches!(refused(&nameless), PortError::NoHostName(_)));
}

#[test]
fn with_one_it_is_spoken_to_under_the_name_that_was_said() {
    let safe = Safe::new();
    let house = House::on(&everywhere(Some(safe.certificate()))).unwrap();
    let port = house.listening.as_ref().unwrap().operator.unwrap().port();
    let asked = |host: &str, origin: &str| {
        let asked = Asked::get("/v1/status").by(&house.operator_token()).with("host", host);
        asked.with("origin", origin).on(&mut BufReader::new(safe.client(port)))
    };
    let own = format!("desk.example:{port}");
    let answer = asked(&own, &format!("https://{own}"));
    assert_eq!((answer.status, &answer.body["assurance"]), (200, &json!("L0")));
    assert_eq!(asked(&own, &format!("http://{own}")).refusal(), (403, "cross_site"));
    let other = format!("other.example:{port}");
    assert_eq!(asked(&other, &format!("https://{other}")).refusal(), (403, "wrong_host"));
    // Whoever does not speak it hears nothing of what is behind.
    let mut plain = connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    plain.write_all(b"GET /v1/status HTTP/1.1\r\nhost: desk.example\r\n\r\n").unwrap();
    let mut heard = Vec::new();
    let _ended = plain.read_to_end(&mut heard);
    assert!(!heard.starts_with(b"HTTP"));
}

#[test]
fn a_certificate_that_cannot_be_used_is_told_before_anything_is_open() {
    let safe = Safe::new();
    safe.key_is(0o604);
    let error = refused(&everywhere(Some(safe.certificate())));
    assert!(matches!(&error, PortError::Key { why, .. } if why.contains("every user")), "{error}");
    safe.key_is(0o600);
    let other = Safe::new();
    let mixed = Certificate { key: other.certificate().key, ..safe.certificate() };
    assert!(matches!(refused(&everywhere(Some(mixed))), PortError::Certificate { .. }));
    let swapped = Certificate { chain: safe.certificate().key, key: safe.certificate().key };
    assert!(matches!(refused(&everywhere(Some(swapped))), PortError::Certificate { .. }));
    let chain = safe.folder.path().join("none.pem");
    let missing = Certificate { chain, ..safe.certificate() };
    assert!(matches!(refused(&everywhere(Some(missing))), PortError::Certificate { .. }));
}
