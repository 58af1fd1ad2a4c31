//! The one origin of the dashboard, and why there may be none.
//!
//! Cookies and passkeys belong to a name, so every page is at `localhost`. That name has two addresses:
//! if another program has one of them, a browser may ask that program, and there is no login.

use crate::ports::{OpenPort, TwinPort};
use axum::http::HeaderMap;
use axum::http::header::ORIGIN;
use std::net::SocketAddr;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum OriginState {
    #[default]
    NoPort,
    /// Another program listens at the other address of `localhost`.
    OtherAddressTaken(SocketAddr),
    /// The port is at an address that is not `localhost`, and the daemon has no name.
    NoName,
    At(Origin),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// `http` or `https`.
    scheme: &'static str,
    /// With its port, unless that is the scheme's own.
    host: String,
}

impl OriginState {
    pub fn of_port(port: &OpenPort, twin: &TwinPort, names: &[String]) -> Self {
        let number = port.address.port();
        if port.tls.is_some() {
            let Some(name) = names.first() else { return Self::NoName };
            let host = if number == 443 { name.clone() } else { format!("{name}:{number}") };
            return Self::At(Origin { scheme: "https", host: host.to_ascii_lowercase() });
        }
        match twin {
            TwinPort::Taken(address) => Self::OtherAddressTaken(*address),
            TwinPort::NotLocalhost => Self::NoName,
            TwinPort::Open(_) | TwinPort::NoSuchAddress => {
                let host =
                    if number == 80 { "localhost".into() } else { format!("localhost:{number}") };
                Self::At(Origin { scheme: "http", host })
            }
        }
    }

    /// What is wrong and what to do, where there is no origin.
    pub fn explain(&self) -> Result<&Origin, (String, &'static str)> {
        match self {
            Self::At(origin) => Ok(origin),
            Self::NoPort => Err((
                "the daemon has no port for the operator, so no browser can reach it".to_owned(),
                "run the daemon without `--no-http`, or set a free port with `--operator-port`",
            )),
            Self::OtherAddressTaken(address) => Err((
                format!(
                    "another program listens at {address}, and a browser could ask that program \
                     instead"
                ),
                "stop that program, or set another port with `--operator-port`",
            )),
            Self::NoName => Err((
                "the operator's port has no name that a browser can use".to_owned(),
                "set the port's address to 127.0.0.1, or list a host name in `network.names`",
            )),
        }
    }
}

impl Origin {
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.host)
    }

    pub fn is_tls(&self) -> bool {
        self.scheme == "https"
    }

    pub fn is_host(&self, host: &str) -> bool {
        self.host.eq_ignore_ascii_case(host)
    }

    /// Whether a form was sent by a page of ours. A browser says so in two headers; one that says
    /// nothing is not believed.
    pub fn sent_form(&self, headers: &HeaderMap) -> bool {
        let only = |name| crate::guard::single_value(headers, name);
        only(&ORIGIN) == Some(self.url("").as_str())
            && only(&super::respond::SEC_FETCH_SITE) == Some("same-origin")
    }

    /// Whether a page may be shown: not to a page of another site or port that loads or embeds it.
    pub fn may_show(&self, headers: &HeaderMap) -> bool {
        let site = headers.get(&super::respond::SEC_FETCH_SITE);
        let site = site.map(|site| site.as_bytes());
        let embeds = headers.get("sec-fetch-dest").map(|dest| dest.as_bytes());
        let is_embedded = matches!(embeds, Some(b"iframe" | b"frame" | b"embed" | b"object"));
        matches!(site, None | Some(b"same-origin" | b"none")) && !is_embedded
    }
}
