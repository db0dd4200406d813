//! Whose certificates are trusted.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
#[cfg(feature = "tls")]
use {
    super::Client,
    crate::error::ErrorKind,
    crate::limits::LIMITS,
    crate::source::stream::Failure,
    std::fs::File,
    std::io::Read,
    ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem},
};

/// The file of `--http-ca`. It is read once, when the first server with TLS is asked: it may be a pipe.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "tls"), expect(dead_code, reason = "only TLS has certificates"))]
pub struct Certificates {
    path: PathBuf,
    /// The text of the file, or why it can't be read.
    pem: Arc<OnceLock<Result<Vec<u8>, String>>>,
}

impl Certificates {
    /// Those of a file in the format PEM.
    pub fn of_file(path: PathBuf) -> Certificates {
        Certificates { path, pem: Arc::default() }
    }
}

#[cfg(feature = "tls")]
impl Certificates {
    fn roots(&self) -> Result<RootCerts, Failure> {
        let certificates = self.parsed().map_err(|what| {
            let path = self.path.display();
            let what = format!("the certificates in {path} can't be used: {what}");
            Failure::new(ErrorKind::Usage, what)
        });
        certificates.map(|certificates| RootCerts::new_with_certs(&certificates))
    }

    fn parsed(&self) -> Result<Vec<ureq::tls::Certificate<'static>>, String> {
        let pem = self.pem.get_or_init(|| self.read()).as_ref()?;
        let mut certificates = Vec::new();
        for item in parse_pem(pem) {
            // The error prints the expected bytes as numbers.
            let what = "one of them doesn't end, or isn't base64: is the file whole?";
            if let PemItem::Certificate(one) = item.map_err(|_| what)? {
                certificates.push(one);
            }
        }
        if certificates.is_empty() {
            return Err("there are none".to_owned());
        }
        Ok(certificates)
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        let limit = LIMITS.named_file;
        let mut pem = Vec::new();
        let read =
            File::open(&self.path).and_then(|file| file.take(limit + 1).read_to_end(&mut pem));
        match read.map_err(|error| error.to_string())? as u64 > limit {
            true => Err(format!("they have more than {} MiB (named_file)", limit >> 20)),
            false => Ok(pem),
        }
    }
}

/// How connections with TLS are made.
#[cfg(feature = "tls")]
pub(super) fn tls(client: &Client) -> Result<TlsConfig, Failure> {
    let config = TlsConfig::builder().disable_verification(client.insecure);
    Ok(match &client.ca {
        Some(certificates) => config.root_certs(certificates.roots()?),
        None => config,
    }
    .build())
}
