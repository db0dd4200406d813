//! Inputs fetched from a server: `http://HOST/debug/pprof/goroutine?debug=2`.
//!
//! Fetching is one GET without a body, so nothing of any input is sent. Redirects are only followed
//! on the same host, because the user's headers are sent again.

use super::stream::Failure;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
#[cfg(feature = "http")]
use fetch::get;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

mod address;
mod certificates;
#[cfg(feature = "http")]
mod ending;
#[cfg(feature = "http")]
mod fetch;
#[cfg(feature = "http")]
mod proxy;

pub(super) use address::{check, shown};
pub use certificates::Certificates;

/// How to fetch.
#[derive(Clone, Debug, Default)]
pub struct HttpOptions {
    /// `--http-header NAME:VALUE`
    pub headers: Vec<String>,
    /// `--http-timeout`: how long a server can send nothing.
    pub timeout: Option<Duration>,
    /// `--http-ca FILE`: certificates to trust instead of the usual ones, PEM.
    pub ca: Option<Certificates>,
    /// `--http-insecure`: trust any certificate.
    pub insecure: bool,
}

/// How long a server can send nothing by default; the same as for `go tool pprof`.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Compiled options.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nothing can be fetched"))]
pub(super) struct Client {
    headers: Vec<(String, String)>,
    timeout: Duration,
    /// How much longer the whole response can take.
    deadline: Duration,
    #[cfg_attr(not(feature = "tls"), expect(dead_code, reason = "only TLS has certificates"))]
    ca: Option<Certificates>,
    #[cfg_attr(not(feature = "tls"), expect(dead_code, reason = "only TLS has certificates"))]
    insecure: bool,
}

impl Client {
    /// Checks the user's text.
    pub(super) fn compile(options: &HttpOptions) -> Result<Client> {
        let headers = options.headers.iter().map(|text| header(text)).collect::<Result<_>>()?;
        let timeout = options.timeout.unwrap_or(TIMEOUT);
        Ok(Client {
            headers,
            timeout,
            deadline: LIMITS.http_deadline,
            ca: options.ca.clone(),
            insecure: options.insecure,
        })
    }

    /// Requests an address; the body of the response is read as it comes.
    pub(super) fn open(&self, url: &str) -> std::result::Result<Box<dyn Read>, Failure> {
        #[cfg(feature = "http")]
        return get(self, url);
        #[cfg(not(feature = "http"))]
        return Err(unsupported(url, "this build can't fetch"));
    }

    /// How long the server can send nothing: a profile of 30 seconds comes after 30 seconds.
    #[cfg(feature = "http")]
    fn patience(&self, url: &str) -> Duration {
        let query = url.split_once('?').map_or("", |(_, query)| query);
        let seconds = query.split('&').filter_map(|pair| pair.strip_prefix("seconds="));
        let asked = seconds.filter_map(|text| text.parse::<u32>().ok()).max().unwrap_or(0);
        self.timeout.saturating_add(Duration::from_secs(asked.into()))
    }
}

/// A failure that says how to fetch the address without this program.
#[cfg_attr(all(feature = "http", feature = "tls"), expect(dead_code, reason = "all is supported"))]
fn unsupported(url: &str, what: &str) -> Failure {
    Failure::new(ErrorKind::Usage, what)
        .advise(format!("fetch it yourself: curl -sS '{}' | stackgazer ...", shown(url)))
}

/// Whether an argument is an address rather than a path.
pub fn is_url(argument: &str) -> bool {
    let scheme = argument.split_once("://").map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Whether an argument is an address with another scheme, and not a file: `ftp://host/dump`.
pub(super) fn is_other_address(argument: &str) -> bool {
    argument.contains("://")
        && address::has_scheme(argument)
        && !is_url(argument)
        && Path::new(argument).symlink_metadata().is_err()
}

/// The argument with `http://` added if people left it out: `localhost:6060/debug/pprof/goroutine`
/// is an address unless there is such a file.
///
/// ```
/// # use stackgazer::source::with_scheme;
/// let address = with_scheme("db1:6060/debug/pprof/goroutine?debug=2".into());
/// assert_eq!(address, "http://db1:6060/debug/pprof/goroutine?debug=2");
/// assert_eq!(with_scheme("dumps/db1:6060".into()), "dumps/db1:6060");
/// ```
pub fn with_scheme(argument: OsString) -> OsString {
    let lacks_scheme = argument.to_str().is_some_and(|text| {
        let (authority, path) = text.split_once('/').unwrap_or((text, ""));
        let port = authority.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        let is_port = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
        let is_pprof = path
            .strip_prefix("debug/pprof")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
        is_pprof && port.is_some_and(|(_, port)| is_port(port)) && !Path::new(text).exists()
    });
    if !lacks_scheme {
        return argument;
    }
    let mut address = OsString::from("http://");
    address.push(argument);
    address
}

/// An argument as outputs may have it: an address without the values that can be tokens, also one that is
/// written wrongly, and a header of a request without its value; anything else as it is.
///
/// ```
/// # use stackgazer::source::shown_argument;
/// assert_eq!(shown_argument("http://db1:6060/x?debug=2&token=abc".as_ref()), "http://db1:6060/x?debug=2&token=***");
/// assert_eq!(shown_argument("http:/db1:6060/x?token=abc".as_ref()), "http:/db1:6060/x?token=***");
/// assert_eq!(shown_argument("Authorization: Bearer abc".as_ref()), "Authorization: ***");
/// assert_eq!(shown_argument("dumps/db1?x".as_ref()), "dumps/db1?x");
/// ```
pub fn shown_argument(argument: &OsStr) -> String {
    let written = with_scheme(argument.to_owned()).to_string_lossy().into_owned();
    if is_url(&written) || is_other_address(&written) {
        return shown(&written);
    }
    let is_file = || Path::new(argument).symlink_metadata().is_ok();
    match address::shown_as_header(&written).or_else(|| address::shown_as_meant(&written)) {
        Some(shown) if !is_file() => shown,
        _ => written,
    }
}

/// Whether an address starts with `https://`.
#[cfg(feature = "http")]
fn is_safe(url: &str) -> bool {
    url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
}

/// The host of an address, which names its input.
pub(super) fn host(url: &str) -> Option<&str> {
    is_url(url).then(|| address::authority(url))
}

/// Headers that say how the request itself is sent: with a `Content-Length` a body would be waited for.
const SET_HERE: [&str; 7] =
    ["Connection", "Content-Length", "Expect", "TE", "Trailer", "Transfer-Encoding", "Upgrade"];

/// Errors repeat nothing of a text that isn't a header: all of it can be a secret.
fn header(text: &str) -> Result<(String, String)> {
    let wrong =
        |what: String| Error::misuse("--http-header", what).advise("write it as NAME: VALUE");
    let (name, value) =
        text.split_once(':').ok_or_else(|| wrong("isn't a header: it has no colon".to_owned()))?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() {
        return Err(wrong("isn't a header: nothing stands before the colon".to_owned()));
    }
    if let Some(at) = name.bytes().position(|byte| !is_token(byte)) {
        let column = at.saturating_add(1);
        return Err(wrong(format!("has a name that headers can't have (column {column})")));
    }
    if SET_HERE.iter().any(|set| name.eq_ignore_ascii_case(set)) {
        let what = format!("can't have {name}, which is set as HTTP needs it");
        return Err(Error::misuse("--http-header", what));
    }
    let value = value.trim();
    if value.is_empty() {
        // The next arguments are its words, and would be taken for inputs.
        return Err(wrong("has no value".to_owned()).advise("put it into quotes: 'NAME: VALUE'"));
    }
    if !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(wrong("has a value that headers can't hold".to_owned()));
    }
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        for url in ["http://h/debug", "HTTPS://h:1", "http://[::1]:6060/x"] {
            assert!(is_url(url), "{url}");
        }
        for path in ["http", "./http://h", "ftp://h/x", "dump.txt", "C:\\http"] {
            assert!(!is_url(path), "{path}");
            assert_eq!(with_scheme(path.into()), path);
        }
        assert_eq!(host("http://h:6060/debug/pprof/heap?x=/"), Some("h:6060"));
        assert_eq!(host("http://h?x"), Some("h"));
    }

    #[test]
    fn headers_are_checked_before_anything_is_asked() {
        assert_eq!(header("X-A:  b: c ").unwrap(), ("X-A".to_owned(), "b: c".to_owned()));
        for wrong in
            ["Bearer:", "secret", ": secret", "Bearer secret: x", "X secret", "X: secret\r\nY: c"]
        {
            let error = header(wrong).unwrap_err().to_string();
            assert!(!error.contains("secret") && !error.contains("Bearer"), "{error}");
        }
        assert!(header("X A: b").unwrap_err().to_string().contains("column 2"));
        // A body of five bytes would be waited for.
        assert!(header("content-length: 5").unwrap_err().to_string().contains("content-length"));
    }

    #[cfg(feature = "http")]
    #[test]
    fn a_profile_of_30_seconds_comes_after_30_seconds() {
        let client = Client::compile(&HttpOptions::default()).unwrap();
        let patience = |url: &str| client.patience(url).as_secs();
        assert_eq!(patience("http://h/debug/pprof/profile?debug=1&seconds=30"), 90);
        assert_eq!(patience("http://h/debug/pprof/profile?seconds=x"), 60);
        assert_eq!(patience("http://h/seconds=30"), 60);
    }

    #[cfg(feature = "http")]
    #[test]
    fn a_server_that_never_comes_to_an_end_is_given_up() {
        use std::io::Write;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n");
            // A byte each time before the server counts as silent.
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let timeout = Some(Duration::from_millis(300));
        let mut client =
            Client::compile(&HttpOptions { timeout, ..HttpOptions::default() }).unwrap();
        client.deadline = Duration::from_millis(100);
        let Ok(mut answer) = client.open(&url) else { panic!("the head came at once") };
        let error = answer.read_to_end(&mut Vec::new()).unwrap_err().to_string();
        assert!(error.starts_with("isn't through after 0.4 seconds"), "{error}");
        drop(answer);
        server.join().unwrap();
    }
}
