//! A port that other machines can reach needs TLS.

use crate::http::{HttpRequest, connect};
use crate::test_server::TestServer;
use countersign_server::{Certificate, ListenError, Port, PortError, Ports, TakenPortPolicy};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::json;
use std::fs::{self, Permissions};
use std::io::{BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use tempfile::TempDir;

struct TestCertificate {
    folder: TempDir,
    root: CertificateDer<'static>,
}

impl TestCertificate {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let generated =
            rcgen::generate_simple_self_signed(vec!["desk.example".to_owned()]).unwrap();
        fs::write(folder.path().join("chain.pem"), generated.cert.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), generated.signing_key.serialize_pem()).unwrap();
        let certificate = Self { folder, root: generated.cert.der().clone() };
        certificate.set_key_mode(0o600);
        certificate
    }

    fn set_key_mode(&self, mode: u32) {
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

fn public_ports(tls: Option<Certificate>) -> Ports {
    let address = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let port = Some(Port { address, number: 0, if_taken: TakenPortPolicy::Fail });
    Ports { operator: port, names: vec!["desk.example".to_owned()], tls, ..Ports::none() }
}

fn expect_port_error(ports: &Ports) -> PortError {
    match TestServer::with_ports(ports) {
        Err(ListenError::Port(error)) => {
            assert!(!error.help().is_empty());
            error
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it is open"),
    }
}

#[test]
fn a_public_port_needs_a_certificate_and_a_host_name() {
    let error = expect_port_error(&public_ports(None));
    assert!(matches!(error, PortError::NoCertificate(_)), "{error}");
    assert!(error.help().contains("tls.certificate"));
    let certificate = TestCertificate::new();
    let nameless = Ports { names: Vec::new(), ..public_ports(Some(certificate.certificate())) };
    assert!(matches!(expect_port_error(&nameless), PortError::NoHostName(_)));
}

#[test]
fn a_public_port_serves_tls_under_its_host_name_only() {
    let certificate = TestCertificate::new();
    let server = TestServer::with_ports(&public_ports(Some(certificate.certificate()))).unwrap();
    let port = server.running.as_ref().unwrap().operator.unwrap().port();
    let request = |host: &str, origin: &str| {
        let request =
            HttpRequest::get("/v1/status").token(&server.operator_token()).header("host", host);
        request.header("origin", origin).send_on(&mut BufReader::new(certificate.client(port)))
    };
    let own = format!("desk.example:{port}");
    let answer = request(&own, &format!("https://{own}"));
    assert_eq!((answer.status, &answer.body["assurance"]), (200, &json!("L0")));
    assert_eq!(request(&own, &format!("http://{own}")).error(), (403, "cross_site"));
    let other = format!("other.example:{port}");
    assert_eq!(request(&other, &format!("https://{other}")).error(), (403, "wrong_host"));
    // A client without TLS gets no response.
    let mut plain = connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    plain.write_all(b"GET /v1/status HTTP/1.1\r\nhost: desk.example\r\n\r\n").unwrap();
    let mut received = Vec::new();
    let _ended = plain.read_to_end(&mut received);
    assert!(!received.starts_with(b"HTTP"));
}

#[test]
fn an_unusable_certificate_is_an_error_before_any_port_opens() {
    let certificate = TestCertificate::new();
    certificate.set_key_mode(0o604);
    let error = expect_port_error(&public_ports(Some(certificate.certificate())));
    assert!(matches!(&error, PortError::Key { why, .. } if why.contains("every user")), "{error}");
    certificate.set_key_mode(0o600);
    let other = TestCertificate::new();
    let mixed = Certificate { key: other.certificate().key, ..certificate.certificate() };
    assert!(matches!(expect_port_error(&public_ports(Some(mixed))), PortError::Certificate { .. }));
    let swapped =
        Certificate { chain: certificate.certificate().key, key: certificate.certificate().key };
    assert!(matches!(
        expect_port_error(&public_ports(Some(swapped))),
        PortError::Certificate { .. }
    ));
    let chain = certificate.folder.path().join("none.pem");
    let missing = Certificate { chain, ..certificate.certificate() };
    assert!(matches!(
        expect_port_error(&public_ports(Some(missing))),
        PortError::Certificate { .. }
    ));
}
